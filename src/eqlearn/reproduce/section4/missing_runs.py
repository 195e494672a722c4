"""Make the runs that are missing, each in a process of its own, and write them down.

Every run is a line in a file as soon as it has ended. The same call again goes on from
there. Ctrl-C loses only the runs under way; where training takes hours, not even these,
but only their unfinished steps.
"""

import math
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from eqlearn._types import Tell
from eqlearn.reproduce.jsonl import Line, append_line
from eqlearn.reproduce.section4.experiments import OF_HOURS
from eqlearn.reproduce.section4.judging import agreement_of
from eqlearn.reproduce.section4.runs import (
    Run,
    TimedRun,
    allowance,
    circumstances,
    perform,
    read_lines,
)
from eqlearn.reproduce.subprocesses import FAILED, Failure, in_processes

_LONGEST_FORMULA = 100
#: Loads and, after a change, compiles the kernels; not recorded.
_WARM_UP = TimedRun(Run("eqlearn", "laws", "reduced-mass", 0, 50, 0.01, 0, "1"), 1.0)

#: What to do about runs whose time limit is a multiple of eqlearn's time.
_HOW = "Let eqlearn learn the same problems first, or give a time limit."


def conduct(
    runs: Sequence[Run],
    path: Path,
    *,
    n_workers: int = 1,
    n_at_once: int = 1,
    redo: bool = False,
    tell: Tell = print,
) -> None:
    """Make the runs that a file has no line of, in order, some at a time.

    A run that is allowed a multiple of eqlearn's time waits until that time is known.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    left = _missing(runs, path, n_workers, redo=redo)
    while left:
        allowed = allowance(read_lines(path))
        timed = [
            TimedRun(run, seconds, n_workers, _keep(path, run, n_workers))
            for run in left
            if (seconds := allowed(run)) is not None
        ]
        if not timed:
            tell(f"{len(left)} runs have no time limit yet and are left out. {_HOW}")
            return
        _make(timed, n_at_once, path, tell)
        done = {one.run.key for one in timed}
        left = [run for run in left if run.key not in done]


def _missing(
    runs: Sequence[Run], path: Path, n_workers: int, *, redo: bool
) -> list[Run]:
    lines = read_lines(path)

    def is_done(run: Run) -> bool:
        line = lines.get(run.key)
        # A package that was missing may be installed now, and a run of hours that
        # failed can go on from its directory.
        return (
            line is not None
            and line["status"] != "not possible"
            and (_keep(path, run, n_workers) is None or line["status"] not in FAILED)
        )

    return [run for run in runs if redo or not is_done(run)]


def _make(timed_runs: list[TimedRun], n_at_once: int, path: Path, tell: Tell) -> None:
    if any(timed.run.method == "eqlearn" for timed in timed_runs):
        list(in_processes(perform, [_WARM_UP], 1, _patience))
    start = time.monotonic()
    results = in_processes(perform, timed_runs, n_at_once, _patience)
    for n, (timed, result) in enumerate(results, start=1):
        line = _line(timed, result, n_at_once)
        append_line(path, line)
        if timed.run_dir is not None and not isinstance(result, Failure):
            shutil.rmtree(timed.run_dir, ignore_errors=True)
        minutes = (time.monotonic() - start) / 60
        tell(f"[{n}/{len(timed_runs)}, {minutes:.1f} min] {timed.run}: {summary(line)}")


def _keep(path: Path, run: Run, n_workers: int) -> Path | None:
    """Where the steps of a run are kept until it has ended, if it takes hours.

    More workers train for more epochs in the same time: that is another run.
    """
    if run.method not in OF_HOURS:
        return None
    name = "-".join(map(str, (*run.key, n_workers)))
    return path.parent / "under-way" / name


def _patience(timed: TimedRun) -> float:
    """Allow time for starting, compiling and judging, and for overrunning the limit."""
    return 3 * timed.time_limit + 180


def _line(timed: TimedRun, result: Line | Failure, n_at_once: int) -> Line:
    if isinstance(result, Failure):
        result = {"status": result.status, "message": result.message}
    limit = round(timed.time_limit, 1) if math.isfinite(timed.time_limit) else None
    asked: dict[str, Any] = {**vars(timed.run), "time_limit": limit}
    return {**asked, **circumstances(n_at_once), **result}


def summary(line: Line) -> str:
    """Say in a line what a run came to."""
    if line["status"] != "ok":
        return f"{line['status']}, {line['message'].strip().splitlines()[-1]}"
    error = line["relative_rms_outside"]
    outside = "∞" if error is None else f"{100 * error:.2g} %"
    formulas = "; ".join(
        f"{o['name']} = {o['formula']}" for o in line["outputs"] if o["formula"]
    )
    if len(formulas) > _LONGEST_FORMULA:
        formulas = formulas[: _LONGEST_FORMULA - 1] + "…"
    found = {"no": "NOT identified"}.get(one := agreement_of(line), one)
    if "true_form" in line:
        close = "close" if line["numeric"] else "NOT found"
        found = "true form" if line["true_form"] else close
    counts = f"{line['restarts']} attempts, {line['parameters']} parameters"
    return f"{found}, {line['seconds']} s, {counts}, outside {outside}: {formulas}"
