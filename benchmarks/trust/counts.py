"""What the searches come to: wrong ones among the trusted, trusted among the right."""

from collections.abc import Callable, Iterable, Sequence

from eqlearn.reproduce.jsonl import Line
from eqlearn.reproduce.text_tables import TextTable

#: Shares of the spread beyond which a formula is off.
OFF = 0.05
#: Of what is trusted, the share that may be off; of true forms, the share to trust.
MOST_OFF, LEAST_TRUSTED = 0.02, 0.85

_HEADER = (
    *("half", "limit", "searches", "trusted", "of these off", "by the rows' spread"),
    *("true forms", "of these trusted", "to reach"),
)


def key_of(line: Line) -> tuple[str, float, float]:
    """What tells a search from others."""
    return line["law"], line["noise"], line["limit"]


def trust_table(lines: Sequence[Line]) -> TextTable:
    """Count the newest line of every search."""
    newest = {key_of(line): line for line in lines}.values()
    groups = sorted({(line["unseen"], line["limit"]) for line in newest})
    rows = [
        _row(is_unseen, limit, [one for one in newest if _is_of(one, is_unseen, limit)])
        for is_unseen, limit in groups
    ]
    note = (
        f"To reach: at most {MOST_OFF:.0%} off, at least {LEAST_TRUSTED:.0%} trusted."
    )
    return TextTable("Trust", _HEADER, rows, (note,))


def _is_of(line: Line, is_unseen: bool, limit: float) -> bool:
    return bool(line["unseen"]) == is_unseen and line["limit"] == limit


def _row(is_unseen: bool, limit: float, lines: Sequence[Line]) -> tuple[str, ...]:
    trusted = [line for line in lines if line.get("verdict") == "trusted"]
    true = [line for line in lines if line.get("true_form")]
    off = _share(trusted, lambda line: is_off(line["off"]))
    known = _share(true, lambda line: line["verdict"] == "trusted")
    is_met = off[0] <= MOST_OFF * off[1] and known[0] >= LEAST_TRUSTED * known[1]
    return (
        "unseen" if is_unseen else "seen",
        f"{limit:g} s",
        str(len(lines)),
        str(len(trusted)),
        _shown(off),
        _shown(_share(trusted, lambda line: is_off(line["off_of_rows"]))),
        str(len(true)),
        _shown(known),
        "met" if is_met else "not met",
    )


def is_off(error: float | None) -> bool:
    """Whether an error is too large; one that is infinite is not written."""
    return error is None or error > OFF


def _share(lines: Iterable[Line], holds: Callable[[Line], bool]) -> tuple[int, int]:
    all_of_them = list(lines)
    return sum(map(holds, all_of_them)), len(all_of_them)


def _shown(share: tuple[int, int]) -> str:
    n, of = share
    return f"{n} ({n / of:.0%})" if of else "–"
