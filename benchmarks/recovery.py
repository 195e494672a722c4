"""Recovery: from noisy data to the exact equation, in how many seconds, how often.

The whole table takes hours; it may be broken off and goes on where it was:

    python -m benchmarks.recovery                        # all that is not there yet
    python -m benchmarks.recovery --quick                # a selection, in minutes
    python -m benchmarks.recovery --group formulas --jobs 2
    python -m benchmarks.recovery --group laws --rows 200 --noise 0 0.01
    python -m benchmarks.recovery --problem F-4 --seeds 3 --redo
    python -m benchmarks.recovery --table --markdown table.md

Peers get ten times the median time of eqlearn on the same problem, so eqlearn goes
first; or a time is given (pip install "eqlearn[peers]"):

    python -m benchmarks.recovery --method pyoperon --seeds 3
    python -m benchmarks.recovery --method gplearn --seeds 3

A run is a JSON line in benchmarks/results/recovery.jsonl; the newest line of a run
counts. Each has a process of its own, and eqlearn as many workers as --workers says.
Times are of learning alone: not of starting Python, nor of compiling, which is done
before the first run; starting the workers counts. What is told to eqlearn is the table
and the time limit.
"""

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from benchmarks.methods import METHODS, check_installed
from benchmarks.processes import Failure, in_processes
from benchmarks.recovery_groups import GROUPS, QUICK, Choice, runs_of
from benchmarks.recovery_runs import (
    Job,
    Line,
    Run,
    allowance,
    circumstances,
    perform,
    read_lines,
)
from benchmarks.recovery_table import as_markdown, as_text

RESULTS = Path("benchmarks/results/recovery.jsonl")
QUICK_RESULTS = Path("benchmarks/results/recovery-quick.jsonl")

_LONGEST_FORMULA = 100
#: Loads and, after a change, compiles the kernels; not recorded.
_WARM_UP = Job(Run("eqlearn", "laws", "reduced-mass", 0, 50, 0.01, 0, "1"), 1.0)


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the runs that are missing, then print the table."""
    options = _parser().parse_args(arguments)
    check_installed(options.method)
    groups = QUICK if options.quick else GROUPS
    path = options.out or (QUICK_RESULTS if options.quick else RESULTS)
    choice = Choice(
        options.method,
        options.group,
        options.problem,
        options.seeds,
        options.rows,
        options.noise,
        options.far,
        options.time,
    )
    if not options.table:
        runs = runs_of(groups, choice)
        path.parent.mkdir(parents=True, exist_ok=True)
        # A quick look is at the code as it is now, not as it was.
        missing = _missing(runs, path, redo=options.redo or options.quick)
        try:
            with path.open("a", encoding="utf-8") as file:
                missing = [replace(job, workers=options.workers) for job in missing]
                _make(missing, options.jobs or (2 if options.quick else 1), file)
        except KeyboardInterrupt:
            print("Broken off; the same command goes on from here.")
    lines = _shown(path, choice)
    if lines:
        print(f"\n{as_text(lines)}")
    if options.markdown:
        options.markdown.write_text(as_markdown(lines), encoding="utf-8")


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
    add("--method", choices=METHODS, default="eqlearn")
    add("--quick", action="store_true", help="a selection, in a file of its own")
    add("--redo", action="store_true", help="repeat runs that are in the file")
    add("--table", action="store_true", help="print the table of the file, run nothing")
    add("--markdown", type=Path, metavar="FILE", help="write the table there too")
    add("--out", type=Path, metavar="FILE", help=f"results, {RESULTS} by default")
    return parser


def _missing(runs: list[Run], path: Path, *, redo: bool) -> list[Job]:
    """Choose what is to be done, and how long each run may take."""
    lines = read_lines(path)
    allowed = allowance(lines)
    jobs, untimed = [], []
    for run in runs:
        # What was not possible may be by now.
        known = lines.get(run.key, {"status": "not possible"})
        if redo or known["status"] == "not possible":
            seconds = allowed(run)
            if seconds is None:
                untimed.append(run)
            else:
                jobs.append(Job(run, seconds))
    if untimed:
        print(f"Left out for want of eqlearn's time: {len(untimed)} runs. ", end="")
        print("Run eqlearn on them first, or give --time.")
    return jobs


def _make(jobs: list[Job], n_processes: int, file: TextIO) -> None:
    """Make runs and write each down as it ends."""
    if not jobs:
        return
    if any(job.run.method == "eqlearn" for job in jobs):
        list(in_processes(perform, [_WARM_UP], 1, _patience))
    start = time.monotonic()
    results = in_processes(perform, jobs, n_processes, _patience)
    for n, (job, result) in enumerate(results, start=1):
        line = _line(job, result, n_processes)
        file.write(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n")
        file.flush()
        minutes = (time.monotonic() - start) / 60
        place = f"[{n}/{len(jobs)}, {minutes:.1f} min]"
        print(f"{place} {job.run}: {_summary(line)}", flush=True)


def _patience(job: Job) -> float:
    """Allow for starting, compiling and judging, and for limits being overrun."""
    return 3 * job.seconds + 180


def _line(job: Job, result: Line | Failure, n_jobs: int) -> Line:
    if isinstance(result, Failure):
        result = {
            "status": result.status,
            "message": result.message,
            "identified": "no",
        }
    asked: dict[str, Any] = {**vars(job.run), "time_limit": round(job.seconds, 1)}
    return {**asked, **circumstances(n_jobs), **result}


def _summary(line: Line) -> str:
    if line["status"] != "ok":
        return f"{line['status']}, {line['message'].strip().splitlines()[-1]}"
    error = line["relative_rms_outside"]
    outside = "∞" if error is None else f"{100 * error:.2g} %"
    formulas = "; ".join(f"{o['name']} = {o['formula']}" for o in line["outputs"])
    if len(formulas) > _LONGEST_FORMULA:
        formulas = formulas[: _LONGEST_FORMULA - 1] + "…"
    found = {"no": "NOT identified"}.get(line["identified"], line["identified"])
    tries = "restarts" if line["method"] == "eqlearn" else "generations"
    counts = f"{line['restarts']} {tries}, {line['parameters']} parameters"
    return f"{found}, {line['seconds']} s, {counts}, outside {outside}: {formulas}"


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
