"""One run: data, a method, and a verdict as a JSON line."""

import math
import os
import platform
import sys
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from eqlearn import __version__
from eqlearn.baselines.methods import METHODS
from eqlearn.baselines.question import Answer, NotPossible, Question
from eqlearn.problems import Problem, problem
from eqlearn.report.progress import logged
from eqlearn.reproduce.commit import commit
from eqlearn.reproduce.jsonl import Line, whole_lines
from eqlearn.reproduce.section4.judging import judge
from eqlearn.reproduce.subprocesses import clock

#: A rival's time limit: as long as all cores of eqlearn took, and ten times that.
ONE_TIME, TEN_TIMES = "1x", "10x"
TIMES = {ONE_TIME: 1.0, TEN_TIMES: 10.0}
#: No time limit.
TO_THE_END = "none"
#: Seconds between two reports of how far a run of hours is.
NEWS = 300.0


@dataclass(frozen=True)
class Run:
    """Which problem a method learns, from which data, within which time limit."""

    method: str
    group: str
    problem: str
    seed: int
    rows: int
    noise: float  # in the unit of the problem's noise
    far: int  # labelled points from outside the training range
    limit: str  # seconds, ONE_TIME, TEN_TIMES or TO_THE_END

    @property
    def key(self) -> tuple[Any, ...]:
        """What makes two runs the same; the code that ran is no part of it."""
        return tuple(value for name, value in asdict(self).items() if name != "group")

    @property
    def question(self) -> tuple[Any, ...]:
        """What is to be learned, without the method and the seed of the data."""
        return self.problem, self.rows, self.noise, self.far

    @property
    def asked(self) -> Problem:
        """The problem with the noise of this run."""
        return problem(self.problem).with_noise(self.noise)

    def random(self, *more: int) -> np.random.Generator:
        """Random numbers of this run: the same for every method."""
        # The problem's name is part of the seed, so that no two problems share noise.
        name = zlib.crc32(self.problem.encode())
        return np.random.default_rng([name, self.seed, *more])

    def __str__(self) -> str:
        far = f", {self.far} far points" if self.far else ""
        who = "" if self.method == "eqlearn" else f"{self.method}: "
        what = f"{self.rows} rows, noise {self.noise:g}{far}, seed {self.seed}"
        return f"{who}{self.problem} ({what})"


@dataclass(frozen=True)
class TimedRun:
    """A run with the seconds it is allowed."""

    run: Run
    time_limit: float  # seconds
    n_workers: int = 1
    run_dir: Path | None = None  # for steps of the run, so that it can go on


def run_of(line: Line) -> Run:
    """Read off a line which run it tells about."""
    return Run(**{name: line[name] for name in Run.__dataclass_fields__})


def read_lines(path: Path) -> dict[tuple[Any, ...], Line]:
    """Read the newest line of every run; one cut off in writing is left out."""
    return {run_of(line).key: line for line in whole_lines(path)}


def perform(timed: TimedRun) -> Line:
    """Make a run and judge its answers; the line lacks only what all runs share."""
    code = {"commit": commit()}  # what is imported now; it may change while this runs
    question = posed(timed)
    if timed.run_dir is not None:  # it takes hours
        told = logged(timed.run.asked.inputs, timed.run.asked.outputs, sys.stderr, NEWS)
        question = replace(question, follow=told)
    try:
        method = METHODS[timed.run.method].load()
        start = time.perf_counter()
        answers = method(question)
    except NotPossible as reason:
        return {"status": "not possible", "message": str(reason), **code}
    seconds = time.perf_counter() - start
    if timed.run_dir is not None:  # it may have begun in an earlier session
        known = (answer.remarks["seconds"] for answer in answers if answer is not None)
        seconds = max([seconds, *known])
    judged = judged_for(timed.run, answers)
    return {"seconds": round(seconds, 2), "workers": timed.n_workers, **judged, **code}


def posed(timed: TimedRun) -> Question:
    """Draw the data of a run."""
    run, asked, rng = timed.run, timed.run.asked, timed.run.random()
    x, y = asked.sample(run.rows, rng)
    far = asked.sample_extrapolation(run.far, rng, run.noise) if run.far else None
    noise = run.noise * asked.noise_scale
    return Question(
        x,
        y,
        asked.inputs,
        run.seed,
        timed.time_limit,
        noise,
        far,
        timed.n_workers,
        timed.run_dir,
    )


def judged_for(run: Run, answers: Sequence[Answer | None]) -> Line:
    """Judge answers to a run's question, at points that are the run's own too."""
    return judge(answers, run.asked, run.random(1))


def circumstances(n_workers: int) -> Line:
    """Tell what all runs of one call share: the code, the machine and the date."""
    return {
        "version": __version__,
        "python": platform.python_version(),
        "commit": commit(),
        "cores": os.cpu_count(),
        "jobs": n_workers,
        "clock": clock(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


#: The time limit of a run in seconds; None while eqlearn's time is not known.
Allowance = Callable[[Run], float | None]


def allowance(lines: dict[tuple[Any, ...], Line]) -> Allowance:
    """Allow rivals a multiple of eqlearn's median time on the same question.

    Rivals have one core: where eqlearn had two, they get twice its time.
    """
    ours: dict[tuple[Any, ...], list[float]] = {}
    for line in lines.values():
        if line["method"] == "eqlearn" and "seconds" in line:
            core_seconds = line["seconds"] * line["workers"]
            ours.setdefault(run_of(line).question, []).append(core_seconds)

    def seconds(run: Run) -> float | None:
        if run.limit == TO_THE_END:
            return math.inf
        if run.limit not in TIMES:
            return float(run.limit)
        times = ours.get(run.question)
        return None if times is None else TIMES[run.limit] * float(np.median(times))

    return seconds
