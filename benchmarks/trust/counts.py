"""What the searches come to: wrong ones among the trusted, trusted among the right."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from eqlearn.reproduce.jsonl import Line
from eqlearn.reproduce.text_tables import TextTable

RESULTS = Path("benchmarks/results/trust.jsonl")
#: Shares of the spread beyond which a formula is off.
OFF = 0.05
#: Of what is trusted, the share that may be off; of true forms, the share to trust.
MOST_OFF, LEAST_TRUSTED = 0.02, 0.85

_HEADER = (
    *("half", "limit", "commit", "searches", "trusted", "of these off"),
    *("by the rows' spread", "true forms", "of these trusted"),
    *("95 % intervals inside", "outside", "to reach"),
)


def key_of(line: Line) -> tuple[str, float, float]:
    """What tells a search from others."""
    return line["law"], line["noise"], line["limit"]


def trust_table(lines: Sequence[Line]) -> TextTable:
    """Count the searches of each half, as each commit has judged them."""
    groups: dict[tuple[bool, float, str], dict[tuple[str, float, float], Line]] = {}
    for line in lines:
        group = line["unseen"], line["limit"], line["commit"]
        groups.setdefault(group, {})[key_of(line)] = line
    rows = [(*_named(*group), *_row(list(of.values()))) for group, of in groups.items()]
    note = (
        f"To reach: of what is trusted at most {MOST_OFF:.0%} off, of true forms at "
        f"least {LEAST_TRUSTED:.0%} trusted. Intervals are those of trusted formulas."
    )
    return TextTable("Trust", _HEADER, rows, (note,))


def _named(is_unseen: bool, limit: float, commit: str) -> tuple[str, ...]:
    return "unseen" if is_unseen else "seen", f"{limit:g} s", commit


def _row(lines: Sequence[Line]) -> tuple[str, ...]:
    trusted = [line for line in lines if line.get("verdict") == "trusted"]
    true = [line for line in lines if line.get("true_form")]
    off = _share(trusted, lambda line: is_off(line["off"]))
    known = _share(true, lambda line: line["verdict"] == "trusted")
    is_met = off[0] <= MOST_OFF * off[1] and known[0] >= LEAST_TRUSTED * known[1]
    return (
        str(len(lines)),
        str(len(trusted)),
        _shown(off),
        _shown(_share(trusted, lambda line: is_off(line["off_of_rows"]))),
        str(len(true)),
        _shown(known),
        _mean_of(trusted, "covered_inside"),
        _mean_of(trusted, "covered_outside"),
        "met" if is_met else "not met",
    )


def _mean_of(lines: Sequence[Line], name: str) -> str:
    # Without noise an interval is no wider than rounding errors.
    noisy = [line for line in lines if line["noise"]]
    known = [line[name] for line in noisy if line.get(name) is not None]
    return f"{sum(known) / len(known):.0%}" if known else "–"


def is_off(error: float | None) -> bool:
    """Whether an error is too large; one that is infinite is not written."""
    return error is None or error > OFF


def _share(lines: Iterable[Line], holds: Callable[[Line], bool]) -> tuple[int, int]:
    all_of_them = list(lines)
    return sum(map(holds, all_of_them)), len(all_of_them)


def _shown(share: tuple[int, int]) -> str:
    n, of = share
    return f"{n} ({n / of:.0%})" if of else "–"
