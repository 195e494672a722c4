"""Bring the tables and figures of docs/ up to date with the results.

    python -m benchmarks.pages

The words there are written by hand. What comes from the results stands between the
comments <!-- NAME --> and <!-- end -->.
"""

import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.limits import RESULTS as LIMITS
from benchmarks.pure_noise import RESULTS as PURE_NOISE
from benchmarks.pure_noise import noise_table
from benchmarks.recovery import RESULTS as RECOVERY
from benchmarks.recovery_groups import is_identified_or_not
from benchmarks.recovery_table import form_table, recovery_table
from benchmarks.trust.counts import RESULTS as TRUST
from benchmarks.trust.counts import trust_table
from benchmarks.trust.coverage import RESULTS as COVERAGE
from benchmarks.trust.coverage import coverage_table
from benchmarks.trust.groups import RESULTS as GROUPS
from benchmarks.trust.groups import group_table
from benchmarks.trust.unequal import RESULTS as UNEQUAL
from benchmarks.trust.unequal import unequal_table
from eqlearn.report.svg import png
from eqlearn.reproduce.jsonl import Line, whole_lines
from eqlearn.reproduce.section4.criteria_compared import right_picks, selection_table
from eqlearn.reproduce.section4.figures import plot_selection, plot_slices
from eqlearn.reproduce.section4.instances import CRITERIA
from eqlearn.reproduce.section4.instances import table as picks_table
from eqlearn.reproduce.section4.results import lines_of
from eqlearn.reproduce.section4.runs import read_lines
from eqlearn.reproduce.section4.tables import table
from eqlearn.reproduce.text_tables import TextTable
from eqlearn.search.strategy import STANDARD, numbers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Runs of rivals.
REPRODUCE = RECOVERY.with_name("reproduce.jsonl")
#: The paper's networks, and some by which ways to train them are compared.
NETWORKS = RECOVERY.with_name("networks.jsonl")
TRAININGS = RECOVERY.with_name("trainings.jsonl")
DOCS = Path("docs")
_NAMES = ("method", "recovery", "results", "selection", "trust")
PAGES = tuple(DOCS / f"{name}.md" for name in _NAMES)
#: Weights of the validation error that the text speaks of.
ALPHAS = (0.5, 0.75, 1.0)

_PIECE = re.compile(r"(<!-- (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)


def known_lines() -> list[Line]:
    """Read all results, ours first."""
    return [*_recovery_lines(), *read_lines(REPRODUCE).values()]


def _recovery_lines() -> list[Line]:
    return list(filter(is_identified_or_not, read_lines(RECOVERY).values()))


def _recovery() -> str:
    limits = read_lines(LIMITS).values()
    found = recovery_table([*_recovery_lines(), *limits])
    return f"{found.markdown_table()}\n\n{found.markdown_notes()}"


def _forms() -> str:
    found = form_table(list(read_lines(RECOVERY).values()))
    return f"{found.markdown_table()}\n\n{found.markdown_notes()}".rstrip()


def _pure_noise() -> str:
    return noise_table(list(whole_lines(PURE_NOISE))).markdown_table()


def _experiment(name: str) -> str:
    return table(name, lines_of(name, known_lines())).markdown_table()


def _weights() -> str:
    picks = right_picks(known_lines())
    if picks is None:
        return ""
    rows = [[f"V^int-S, α = {a:g}", _percent(picks.v_int_s[a])] for a in ALPHAS]
    rows.append(["information", _percent(picks.default)])
    return TextTable("", ("criterion", "right picks"), rows).markdown_table()


def _networks(path: Path, *criteria: str) -> str:
    found = picks_table(whole_lines(path), criteria)
    return f"{found.markdown_table()}\n\n{found.markdown_notes()}".rstrip()


def _trust() -> str:
    found = trust_table(list(whole_lines(TRUST)))
    return f"{found.markdown_table()}\n\n{found.markdown_notes()}"


def _group(name: str) -> str:
    return group_table(name, whole_lines(GROUPS)).markdown_table()


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _strategy() -> str:
    rows = [
        [f"`{one.name}`", _written(one.value), one.why] for one in numbers(STANDARD)
    ]
    return TextTable("", ("number", "value", "why"), rows).markdown_table()


def _written(value: object) -> str:
    """A tuned number as the page shows it; of a group, what is unlike its defaults."""
    if dataclasses.is_dataclass(value):
        parts = (
            f"{one.name} {_written(getattr(value, one.name))}"
            for one in dataclasses.fields(value)
            if getattr(value, one.name) != one.default
        )
        return "; ".join(parts)
    if isinstance(value, tuple):
        return f"({', '.join(map(_written, value))})"
    return f"{value:g}" if isinstance(value, float) else str(value)


PIECES: Mapping[str, Callable[[], str]] = {
    "strategy": _strategy,
    "recovery": _recovery,
    "forms": _forms,
    "pure-noise": _pure_noise,
    "division": lambda: _experiment("division"),
    "formulas": lambda: _experiment("formulas"),
    "random": lambda: _experiment("random"),
    "pendulum": lambda: _experiment("pendulum"),
    "networks": lambda: _networks(NETWORKS, *CRITERIA),
    "trainings": lambda: _networks(TRAININGS, "v_int_s"),
    "selection": lambda: selection_table(_recovery_lines()).markdown_table(),
    "weights": _weights,
    "trust": _trust,
    "coverage": lambda: coverage_table(whole_lines(COVERAGE)).markdown_table(),
    "wild": lambda: _group("wild"),
    "instruments": lambda: _group("instruments"),
    "unequal": lambda: unequal_table(whole_lines(UNEQUAL)).markdown_table(),
}


def renewed(page: str) -> str:
    """A page with the tables of today."""
    return _PIECE.sub(lambda m: f"{m[1]}\n{PIECES[m[2]]()}\n\n{m[3]}", page)


def figures(lines: Sequence[Line]) -> "Iterator[tuple[str, Figure | None]]":
    """Draw what docs/results.md shows, each with the name of its file."""
    for name, has_far in (
        ("division", False),
        ("formulas", False),
        ("random", True),
        ("pendulum", True),
    ):
        far = "-far" if has_far else ""
        yield f"{name}-slices{far}", plot_slices(lines_of(name, lines), has_far)
    yield "selection-alpha", plot_selection(lines)


def main() -> None:
    """Rewrite pages and figures in place."""
    for page in PAGES:
        page.write_text(renewed(page.read_text("utf-8")), encoding="utf-8")
        print(page)
    for name, figure in figures(known_lines()):
        if figure is not None:
            path = DOCS / "results" / f"{name}.png"
            path.write_bytes(png(figure))
            print(path)


if __name__ == "__main__":
    main()
