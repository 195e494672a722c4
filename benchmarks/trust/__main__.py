"""Trust: how often is a wrong formula called right, and a right one not?

    python -m benchmarks.trust                    # searches of the seen half
    python -m benchmarks.trust --unseen           # of the half that is kept apart
    python -m benchmarks.trust --first 60 --time 5
    python -m benchmarks.trust --kept FOLDER      # keep what was found
    python -m benchmarks.trust --kept FOLDER --again      # and judge it anew
    python -m benchmarks.trust --table            # print the count, run nothing
    python -m benchmarks.trust --group wild       # tables with wild values
    python -m benchmarks.trust --group instruments        # errors that are related
    python -m benchmarks.trust --coverage         # constants within their errors
    python -m benchmarks.trust --unequal          # noise of unequal size

Laws inside and outside the vocabulary, at four levels of noise, in 50 to 2000 rows,
with a small time limit. A formula is off if the 90th percentile of its error in the
domain of use is more than 5 % of the law's spread there. A search is a JSON line in
benchmarks/results/trust.jsonl, and each has a process of its own.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.trust.counts import RESULTS, key_of, trust_table
from benchmarks.trust.coverage import count_coverage
from benchmarks.trust.groups import GROUPS, group_table, run
from benchmarks.trust.groups import RESULTS as GROUP_RESULTS
from benchmarks.trust.searches import Asked, cases, perform
from benchmarks.trust.unequal import count_unequal
from eqlearn.reproduce.commit import commit
from eqlearn.reproduce.jsonl import append_line, whole_lines
from eqlearn.reproduce.section4.runs import circumstances
from eqlearn.reproduce.subprocesses import Failure, in_processes

SECONDS = 5.0


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the searches that are missing, then print the count."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.trust",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--unseen", action="store_true", help="the half that is kept apart")
    add("--first", type=int, metavar="N", help="the first N searches only")
    add("--time", type=float, help="time limit of a search in seconds")
    add("--table", action="store_true", help="print the count, run nothing")
    add("--kept", type=Path, metavar="FOLDER", help="where what was found is kept")
    add("--again", action="store_true", help="what another commit has judged, too")
    add("--group", choices=sorted(GROUPS), help="other tables instead")
    add("--coverage", action="store_true", help="count constants within their errors")
    add("--unequal", action="store_true", help="count false warnings of structure")
    add("--out", type=Path, default=RESULTS, metavar="FILE", help="results")
    options = parser.parse_args(arguments)
    counts = {"coverage": count_coverage, "unequal": count_unequal}
    for name, count in counts.items():
        if getattr(options, name):
            count()
            return
    if options.group is not None:
        _group(options)
        return
    seconds = SECONDS if options.time is None else options.time
    known = {
        key_of(line)
        for line in whole_lines(options.out)
        if not options.again or line["commit"] == commit()
    }
    half = cases(options.unseen, seconds)
    asked = [
        Asked(place, options.unseen, seconds, options.kept)
        for place, case in enumerate(half[: options.first])
        if case.key not in known
    ]
    if not options.table:
        _search(asked, options.out)
    print(trust_table(list(whole_lines(options.out))).text())


def _group(options: argparse.Namespace) -> None:
    if not options.table:
        run(options.group, options.unseen, options.first, options.time)
    print(group_table(options.group, whole_lines(GROUP_RESULTS)).text())


def _search(asked: Sequence[Asked], path: Path) -> None:
    patience = 180.0
    for one, result in in_processes(perform, asked, 1, lambda _: patience):
        case = one.case
        if isinstance(result, Failure):
            facts = {"law": case.law.name, "noise": case.noise, "limit": case.seconds}
            result = {**facts, "unseen": case.is_unseen, **vars(result)}
        append_line(path, {**circumstances(1), **result})
        said = [result.get(name) for name in ("verdict", "true_form", "off", "formula")]
        print(case.law.name, case.noise, *said, flush=True)


if __name__ == "__main__":
    main()
