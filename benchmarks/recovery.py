"""Recovery: from noisy data to the exact equation, in how many seconds, how often.

The whole table takes hours; it may be broken off and goes on where it was:

    python -m benchmarks.recovery                        # all that is not there yet
    python -m benchmarks.recovery --quick                # a selection, in minutes
    python -m benchmarks.recovery --group formulas --jobs 2
    python -m benchmarks.recovery --group laws --rows 200 --noise 0 0.01
    python -m benchmarks.recovery --group textbook waves
    python -m benchmarks.recovery --problem F-4 --seeds 3 --redo
    python -m benchmarks.recovery --table --markdown table.md

Peers have one core and ten times as long as all cores of eqlearn took on the same
problem, in the median, so eqlearn goes first; or a time is given (by pip install
".[peers]" they are there):

    python -m benchmarks.recovery --method eqlearn pyoperon gplearn --seeds 3

A run is a JSON line in benchmarks/results/recovery.jsonl; the newest line of a run
counts. Each has a process of its own, and eqlearn as many workers as --workers says.
Times are of learning alone: not of starting Python, nor of compiling, which is done
before the first run; starting the workers counts. What is told to eqlearn is the table
and the time limit.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.recovery_groups import (
    GROUPS,
    QUICK,
    Choice,
    is_identified_or_not,
    runs_of,
)
from benchmarks.recovery_table import form_table, recovery_table
from eqlearn.baselines.methods import METHODS
from eqlearn.baselines.question import NotPossible
from eqlearn.reproduce.jsonl import Line
from eqlearn.reproduce.section4.criteria_compared import selection_table
from eqlearn.reproduce.section4.missing_runs import conduct
from eqlearn.reproduce.section4.runs import read_lines

RESULTS = Path("benchmarks/results/recovery.jsonl")
QUICK_RESULTS = Path("benchmarks/results/recovery-quick.jsonl")
#: Whom the recovery benchmark compares.
COMPARED = ("eqlearn", "pyoperon", "gplearn")


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the runs that are missing, then print the table."""
    options = _parser().parse_args(arguments)
    for method in options.method:
        try:
            METHODS[method].load()
        except NotPossible as reason:
            raise SystemExit(str(reason)) from reason
    groups = QUICK if options.quick else GROUPS
    path = options.out or (QUICK_RESULTS if options.quick else RESULTS)
    choice = Choice(
        options.method[0],
        options.group,
        options.problem,
        options.seeds,
        options.rows,
        options.noise,
        options.far,
        options.time,
    )
    if not options.table:
        try:
            conduct(
                [
                    run
                    for method in options.method
                    for run in runs_of(groups, replace(choice, method=method))
                ],
                path,
                n_workers=options.workers,
                n_at_once=options.jobs or (2 if options.quick else 1),
                # A quick look is at the code as it is now, not as it was.
                redo=options.redo or options.quick,
            )
        except KeyboardInterrupt:
            print("Broken off; without --redo and --quick it goes on from here.")
    lines = _shown(path, choice)
    others = list(filter(is_identified_or_not, lines))
    tables = [recovery_table(others), selection_table(others)] if others else []
    if len(others) < len(lines):
        tables.append(form_table(lines))
    if lines:
        print("", *(table.text() for table in tables), sep="\n")
    if options.markdown:
        sections = "\n".join(table.markdown() for table in tables)
        options.markdown.write_text(sections, encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.recovery",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--group", nargs="+", choices=GROUPS, help="only these groups")
    add("--problem", nargs="+", metavar="NAME", help="only these problems")
    add("--seeds", type=int, metavar="N", help="seeds 1 to N, not a group's number")
    add("--rows", type=int, nargs="+", help="instead of a group's numbers of rows")
    add("--noise", type=float, nargs="+", help="instead of a group's noise levels")
    add("--far", type=int, nargs="+", help="instead of a group's numbers of far points")
    add("--time", type=float, help="time limit of a run in seconds")
    add("--jobs", type=int, metavar="N", help="runs at the same time, 1 (--quick: 2)")
    add("--workers", type=int, default=1, help="processes of each run of eqlearn")
    add("--method", nargs="+", choices=COMPARED, default=["eqlearn"])
    add("--quick", action="store_true", help="a selection, in a file of its own")
    add("--redo", action="store_true", help="repeat runs that are in the file")
    add("--table", action="store_true", help="print the table of the file, run nothing")
    add("--markdown", type=Path, metavar="FILE", help="write the table there too")
    add("--out", type=Path, metavar="FILE", help=f"results, {RESULTS} by default")
    return parser


def _shown(path: Path, choice: Choice) -> list[Line]:
    """Take the lines of what was chosen, the peers' beside ours."""
    chosen = {
        "group": choice.groups,
        "problem": choice.problems,
        "rows": choice.rows,
        "noise": choice.noise,
        "far": choice.far,
    }
    return [
        line
        for line in read_lines(path).values()
        if all(some is None or line[name] in some for name, some in chosen.items())
    ]


if __name__ == "__main__":
    main()
