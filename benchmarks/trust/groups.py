"""The groups of tables beside the searches: what each measures, run and counted alike.

A table is a JSON line in benchmarks/results/trust_groups.jsonl, made in a process of
its own. Of unseen tables no formula is written.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.trust import instruments, wild_tables
from eqlearn.reproduce.commit import commit
from eqlearn.reproduce.jsonl import Line, append_line, whole_lines
from eqlearn.reproduce.section4.runs import circumstances
from eqlearn.reproduce.subprocesses import Failure, in_processes
from eqlearn.reproduce.text_tables import TextTable

RESULTS = Path("benchmarks/results/trust_groups.jsonl")
#: Seconds after which a table is given up, for each second of its searches.
_PATIENCE = 20.0


class Group(NamedTuple):
    """Tables of one kind."""

    title: str
    names: Callable[[bool], Sequence[str]]  # of a half
    perform: Callable[[str, float], Line]
    header: tuple[str, ...]
    row_of: Callable[[Sequence[Line]], tuple[str, ...]]
    seconds: float  # of a search


GROUPS = {
    "wild": Group(
        "Wild values",
        wild_tables.names,
        wild_tables.perform,
        wild_tables.HEADER,
        wild_tables.row_of,
        10.0,
    ),
    "instruments": Group(
        "Instruments",
        instruments.names,
        instruments.perform,
        instruments.HEADER,
        instruments.row_of,
        20.0,
    ),
}


class AskedTable(NamedTuple):
    """One table of a group."""

    group: str
    name: str
    is_unseen: bool
    seconds: float


def perform(asked: AskedTable) -> Line:
    """What is measured of one table."""
    line = GROUPS[asked.group].perform(asked.name, asked.seconds)
    if asked.is_unseen:
        line = {key: v for key, v in line.items() if not key.startswith("formula")}
    return line


def run(group: str, is_unseen: bool, first: int | None, seconds: float | None) -> None:
    """Measure the tables of a half that this commit has not measured."""
    of, known = GROUPS[group], whole_lines(RESULTS)
    limit = of.seconds if seconds is None else seconds
    done = {(line["group"], line["name"]) for line in known if _is_current(line)}
    asked = [
        AskedTable(group, name, is_unseen, limit)
        for name in of.names(is_unseen)[:first]
        if (group, name) not in done
    ]
    for one, result in in_processes(perform, asked, 1, lambda _: _PATIENCE * limit):
        if isinstance(result, Failure):
            result = vars(result)
        facts = {"group": group, "name": one.name, "unseen": is_unseen, "limit": limit}
        append_line(RESULTS, {**circumstances(1), **facts, **result})
        print(one.name, result, flush=True)


def _is_current(line: Line) -> bool:
    return bool(line["commit"] == commit())


def group_table(group: str, lines: Iterable[Line]) -> TextTable:
    """Count the tables of a group, by half and commit."""
    of = GROUPS[group]
    halves: dict[tuple[bool, float, str], dict[str, Line]] = {}
    for line in lines:
        if line["group"] == group and "status" not in line:
            half = line["unseen"], line["limit"], line["commit"]
            halves.setdefault(half, {})[line["name"]] = line
    rows = [
        (
            "unseen" if unseen else "seen",
            f"{limit:g} s",
            known,
            *of.row_of([*of_.values()]),
        )
        for (unseen, limit, known), of_ in halves.items()
    ]
    return TextTable(of.title, ("half", "limit", "commit", *of.header), rows)
