"""One run of the recovery benchmark: data, the method, and a verdict as a JSON line."""

import json
import math
import os
import subprocess
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.methods import METHODS, load
from eqlearn import __version__
from eqlearn.baselines.question import Answer, NotPossible, Question
from eqlearn.equation.symbolic import rounded
from eqlearn.problems import OutputVerdict, Problem, Verdict, identified, problem

Line = dict[str, Any]

#: A peer's time limit: ten times what eqlearn took.
TEN_TIMES = "10x"

_N_TEST = 5000
_DIGITS = 4


@dataclass(frozen=True)
class Run:
    """What is learned, from what, in what time."""

    method: str
    group: str
    problem: str
    seed: int
    rows: int
    noise: float  # in the unit of the problem's noise
    far: int  # labelled points from outside the training range
    limit: str  # seconds, or TEN_TIMES

    @property
    def key(self) -> tuple[Any, ...]:
        """What makes two runs the same; the code that ran is no part of it."""
        return tuple(value for name, value in asdict(self).items() if name != "group")

    @property
    def question(self) -> tuple[Any, ...]:
        """What is asked, whoever is to answer it and from whichever draw of data."""
        return self.problem, self.rows, self.noise, self.far

    def __str__(self) -> str:
        far = f", {self.far} far points" if self.far else ""
        who = "" if self.method == "eqlearn" else f"{self.method}: "
        what = f"{self.rows} rows, noise {self.noise:g}{far}, seed {self.seed}"
        return f"{who}{self.problem} ({what})"


@dataclass(frozen=True)
class Job:
    """A run with the seconds it is allowed."""

    run: Run
    seconds: float
    workers: int = 1


def run_of(line: Line) -> Run:
    """Read off a line which run it tells about."""
    return Run(**{name: line[name] for name in Run.__dataclass_fields__})


def read_lines(path: Path) -> dict[tuple[Any, ...], Line]:
    """Read the newest line of every run; one cut off in writing is left out."""
    lines: dict[tuple[Any, ...], Line] = {}
    if path.exists():
        for text in path.read_text(encoding="utf-8").splitlines():
            try:
                line = json.loads(text)
            except json.JSONDecodeError:
                continue
            lines[run_of(line).key] = line
    return lines


def perform(job: Job) -> Line:
    """Make a run and judge what came out: all of a line but what all runs share."""
    run = job.run
    code = {"commit": commit()}  # what is imported now; it may change while this runs
    asked = problem(run.problem).with_noise(run.noise)
    # The name is part of the seed: 62 laws at one seed have their noise from 62 draws.
    name = zlib.crc32(run.problem.encode())
    rng = np.random.default_rng([name, run.seed])
    x, y = asked.sample(run.rows, rng)
    far = asked.sample_extrapolation(run.far, rng, run.noise) if run.far else None
    noise = run.noise * asked.noise_scale
    question = Question(
        x, y, asked.inputs, run.seed, job.seconds, noise, far, job.workers
    )
    load(run.method)
    start = time.perf_counter()
    try:
        answers = METHODS[run.method](question)
    except NotPossible as reason:
        return {"status": "not possible", "message": str(reason), **code}
    seconds = time.perf_counter() - start
    judged = judge(answers, asked, np.random.default_rng([name, run.seed, 1]))
    return {"seconds": round(seconds, 2), "workers": job.workers, **judged, **code}


def judge(
    answers: Sequence[Answer | None], asked: Problem, rng: np.random.Generator
) -> Line:
    """Compare with the noise-free truth; a target without an answer is a failure."""
    found = [answer for answer in answers if answer is not None]
    if len(found) < len(answers):
        missing = [o for o, a in zip(asked.outputs, answers, strict=True) if a is None]
        message = f"no formula for {', '.join(missing)}"
        return {"status": "nothing found", "identified": "no", "message": message}
    verdict = identified([answer.learned for answer in found], asked, rng)
    inside, _ = asked.sample(_N_TEST, rng, noise=0.0)
    outside, _ = asked.sample_extrapolation(_N_TEST, rng)
    rms = {
        "inside": _rms(found, asked, inside),
        "outside": _rms(found, asked, outside),
    }
    outputs = [
        {
            "name": asked.outputs[m],
            "formula": _shown(answer),
            "parameters": answer.parameters,
            "restarts": answer.restarts,
            **answer.remarks,
            "symbolic": verdict.outputs[m].symbolic,
            "relative_rms_wide": _number(verdict.outputs[m].relative_rms),
            **{f"rms_{where}": _number(error[m]) for where, error in rms.items()},
            **{
                f"relative_rms_{where}": _number(error[m] / asked.spread[m])
                for where, error in rms.items()
            },
        }
        for m, answer in enumerate(found)
    ]
    return {
        "status": "ok",
        "identified": verdict.how,
        "picks": _picks(found, verdict, asked, rng),
        "symbolic": verdict.symbolic,
        "numeric": verdict.numeric,
        "decided": _decided(verdict, asked.outputs),
        "restarts": sum(answer.restarts for answer in found),
        "parameters": sum(answer.parameters for answer in found),
        "mse_outside": _number(float(np.mean(rms["outside"] ** 2))),
        "relative_rms_outside": _number(float(np.max(rms["outside"] / asked.spread))),
        "outputs": outputs,
    }


def _picks(
    answers: Sequence[Answer],
    verdict: Verdict,
    asked: Problem,
    rng: np.random.Generator,
) -> dict[str, str]:
    """Tell how each criterion would have fared, choosing among the same candidates."""
    known = {tuple(answer.learned for answer in answers): verdict.how}
    fared: dict[str, str] = {}
    for name in answers[0].picks:
        picked = tuple(answer.picks[name] for answer in answers)
        if picked not in known:
            known[picked] = identified(picked, asked, rng).how
        fared[name] = known[picked]
    return fared


def _rms(
    answers: Sequence[Answer], asked: Problem, x: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Each target's RMS distance (M,) to the truth at x."""
    with np.errstate(all="ignore"):  # a wrong formula may do anything out there
        predicted = np.stack([answer.learned.predict(x) for answer in answers], axis=1)
        return np.sqrt(np.mean((predicted - asked.evaluate(x)) ** 2, axis=0))


def _decided(verdict: Verdict, outputs: Sequence[str]) -> str:
    decisions = zip(outputs, verdict.outputs, strict=True)
    return "; ".join(f"{name}: {_reason(one)}" for name, one in decisions)


def _reason(verdict: OutputVerdict) -> str:
    formulas = {
        True: "same formula, constants to three decimals",
        False: "other formula or constants",
        None: "formulas not comparable",
    }[verdict.symbolic]
    return f"{formulas}, {100 * verdict.relative_rms:.2g} % off over 3 times the range"


def _shown(answer: Answer) -> str:
    if answer.learned.expression is None:
        return ""
    return str(rounded(answer.learned.expression, _DIGITS))


def _number(value: float) -> float | None:
    """Write numbers short; JSON has no infinity."""
    return float(f"{value:.4g}") if math.isfinite(value) else None


def circumstances(n_jobs: int) -> Line:
    """Tell what all runs of one call share: the code, the machine and the date."""
    return {
        "version": __version__,
        "commit": commit(),
        "cores": os.cpu_count(),
        "jobs": n_jobs,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def commit() -> str:
    """Name the commit, with a + if the library was changed since."""

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(Path(__file__).parent), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stdout.strip()

    changed = git("status", "--porcelain", "--", "../src")
    return git("rev-parse", "--short", "HEAD") + ("+" if changed else "")


#: Tells a run's seconds from the lines so far; None if they do not say.
Allowance = Callable[[Run], float | None]


def allowance(lines: dict[tuple[Any, ...], Line]) -> Allowance:
    """Give peers ten times the median time of eqlearn on the same question."""
    ours: dict[tuple[Any, ...], list[float]] = {}
    for line in lines.values():
        if line["method"] == "eqlearn" and "seconds" in line:
            ours.setdefault(run_of(line).question, []).append(line["seconds"])

    def seconds(run: Run) -> float | None:
        if run.limit != TEN_TIMES:
            return float(run.limit)
        times = ours.get(run.question)
        return None if times is None else 10 * float(np.median(times))

    return seconds
