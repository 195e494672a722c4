"""Small tasks that people begin with: how long until the answer is there?

    python -m benchmarks.quick                     # all of them, on one core
    python -m benchmarks.quick --task command product --seeds 1
    python -m benchmarks.quick --table             # the newest figures, run nothing

Seconds are those of the whole command where it is one, and otherwise of `fit` alone,
after one other `fit` that loads the compiled code; with
EQLEARN_BENCHMARK_CLOCK=processor they are computed ones. Each law is drawn anew for
each seed. A task is a JSON line in benchmarks/results/quick.jsonl.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import sympy

from eqlearn._types import Array
from eqlearn.problems.definition import Problem, widened
from eqlearn.problems.true_form import has_true_form
from eqlearn.reproduce.jsonl import Line, append_line, whole_lines
from eqlearn.reproduce.section4.runs import circumstances
from eqlearn.reproduce.subprocesses import Failure, clock, in_processes
from eqlearn.reproduce.text_tables import TextTable

RESULTS = Path("benchmarks/results/quick.jsonl")
N_SEEDS = 5
#: The time limit of a search, where it would be for ever, in times what is wanted.
PATIENCE = 20.0
_HEADER = ("task", "seeds", "found", "median s", "slowest s", "to reach", "reached")


@dataclass(frozen=True)
class QuickTask:
    """A law, how it is measured, and within how many seconds it should be there."""

    law: Problem
    rows: int
    noise: float  # in shares of the target's spread
    seconds: float
    is_command: bool = False
    # Where noise hides terms, those above it are enough.
    is_enough: Callable[[sympy.Expr, "QuickTask"], bool] | None = None


def _law(formula: Callable[..., Any], n_inputs: int, *ends: float) -> Problem:
    """A law of inputs x1, x2, ..., that all lie between the same ends or in turn."""
    pairs = list(zip(ends[::2], ends[1::2], strict=True))
    box = tuple(pairs[i % len(pairs)] for i in range(n_inputs))
    return Problem(
        name="quick",
        inputs=tuple(f"x{i + 1}" for i in range(n_inputs)),
        outputs=("y",),
        formula=formula,
        box=box,
        outer_box=widened(box, 1.5),
        noise_unit="spread",
    )


def _cubic(xp: Any, *x: Any) -> Any:
    """Ten of twenty inputs."""
    first = 2 * x[0] * x[1] * x[2] + x[3] ** 3 - 1.5 * x[4] ** 2 * x[5]
    return first + x[6] * x[7] - 0.7 * x[8] ** 2 + 0.5 * x[9]


def _gravity(xp: Any, *x: Any) -> Any:
    """Two masses, a constant, and the places of both."""
    away = (x[3] - x[4]) ** 2 + (x[5] - x[6]) ** 2 + (x[7] - x[8]) ** 2
    return x[0] * x[1] * x[2] / away


def has_terms_above_noise(expression: sympy.Expr, task: QuickTask) -> bool:
    """Whether no term is missing that moves the target by more than the noise."""
    (truth,) = task.law.expressions()
    symbols = [sympy.Symbol(name) for name in task.law.inputs]
    there = sympy.Poly(sympy.expand(expression), *symbols).monoms()
    points, _ = task.law.sample(10_000, np.random.default_rng(0), 0.0)
    noise = task.noise * float(task.law.spread[0])
    return all(
        powers in there
        or abs(float(number)) * np.prod(points ** np.array(powers), axis=1).std()
        < noise
        for powers, number in sympy.Poly(truth, *symbols).terms()
    )


TASKS: dict[str, QuickTask] = {
    "command": QuickTask(_law(lambda xp, x: -x / 10, 1, -5, 5), 300, 0, 2.0, True),
    "exact": QuickTask(_law(lambda xp, x, z: 3 * x / z, 2, 1, 5), 300, 0, 0.15),
    "product": QuickTask(_law(lambda xp, x, z: x * z, 2, 1, 5), 300, 0.01, 0.3),
    "product-signs": QuickTask(_law(lambda xp, x, z: x * z, 2, -1, 1), 300, 0.01, 0.3),
    "cubic": QuickTask(_law(_cubic, 20, -2, 2), 500, 0.025, 15.0),
    "cubic-noisy": QuickTask(
        _law(_cubic, 20, -2, 2), 500, 0.1, 15.0, is_enough=has_terms_above_noise
    ),
    "gravity": QuickTask(
        # Masses and a constant between 1 and 2; one place in 3 to 4, one in 1 to 2.
        _law(_gravity, 9, *(1, 2) * 3, *(3, 4, 1, 2) * 3),
        1000,
        0.01,
        20.0,
    ),
}


@dataclass(frozen=True)
class QuickRun:
    """One task with one draw of its data."""

    task: str
    seed: int

    def data(self) -> tuple[Array, Array]:
        """Inputs (N, D) and the target (N,)."""
        asked = TASKS[self.task]
        rng = np.random.default_rng([9, self.seed])
        x, y = asked.law.sample(asked.rows, rng, asked.noise)
        return x, y[:, 0]


def perform(run: QuickRun) -> Line:
    """Learn, and tell how long it took and whether it is the law."""
    asked = TASKS[run.task]
    x, y = run.data()
    seconds, expression = (_by_command if asked.is_command else _in_process)(
        x, y, asked
    )
    is_found = has_true_form(expression, asked.law, np.random.default_rng(1))
    if not is_found and asked.is_enough is not None:
        is_found = _is_enough(expression, asked)
    said = {"seconds": round(seconds, 3), "found": is_found, "formula": str(expression)}
    return {**vars(run), **said}


def _is_enough(expression: sympy.Expr, asked: QuickTask) -> bool:
    try:
        return bool(asked.is_enough and asked.is_enough(expression, asked))
    except sympy.PolynomialError:
        return False


def _in_process(x: Array, y: Array, asked: QuickTask) -> tuple[float, sympy.Expr]:
    from eqlearn import EquationLearner

    EquationLearner(n_jobs=1).fit(x[:50, :1], np.sin(x[:50, 0]) + 2)
    limit = PATIENCE * max(asked.seconds, 1.0)
    begin = time.perf_counter()
    learner = EquationLearner(n_jobs=1, time_limit=limit).fit(x, y)
    return time.perf_counter() - begin, learner.sympy()


def _by_command(x: Array, y: Array, asked: QuickTask) -> tuple[float, sympy.Expr]:
    """Ask the program, twice: the first time it may have to compile."""
    from eqlearn import EquationLearner

    with tempfile.TemporaryDirectory() as place:
        table, run = Path(place, "table.csv"), Path(place, "run")
        names = ",".join([*asked.law.inputs, *asked.law.outputs])
        np.savetxt(
            table, np.c_[x, y], fmt="%.17g", delimiter=",", header=names, comments=""
        )
        line = [sys.executable, "-m", "eqlearn", "fit", str(table), "--target", "y"]
        line += ["--out", str(run), "--overwrite", "--jobs", "1"]
        subprocess.run(line, check=True, capture_output=True)
        begin = _of_children()
        subprocess.run(line, check=True, capture_output=True)
        seconds = _of_children() - begin
        return seconds, EquationLearner.load(run / "model.json").sympy()


def _of_children() -> float:
    """The time by the clock that counts, for what child processes do."""
    if clock() != "processor":
        return time.perf_counter()
    times = os.times()
    return times.children_user + times.children_system


def quick_table(lines: Iterable[Line]) -> TextTable:
    """The newest line of each task and seed, beside what is to be reached."""
    newest = {(line["task"], line["seed"]): line for line in lines}
    rows = []
    for name, task in TASKS.items():
        some = [line for (of, _), line in newest.items() if of == name]
        seconds = [line.get("seconds", np.inf) for line in some] or [np.inf]
        n_found = sum(bool(line.get("found")) for line in some)
        is_met = bool(some) and n_found == len(some) and median(seconds) <= task.seconds
        figures = f"{median(seconds):.2f}", f"{max(seconds):.2f}", f"{task.seconds:g} s"
        found = f"{n_found} of {len(some)}"
        met = "met" if is_met else "not met"
        rows.append((name, str(len(some)), found, *figures, met))
    return TextTable("Small tasks", _HEADER, rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the runs, then print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.quick",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--task", nargs="+", choices=TASKS, default=list(TASKS), help="only these")
    add("--seeds", type=int, default=N_SEEDS, metavar="N", help="seeds 1 to N")
    add("--table", action="store_true", help="print the table, run nothing")
    add("--out", type=Path, default=RESULTS, metavar="FILE", help="results")
    options = parser.parse_args(arguments)
    seeds = range(1, options.seeds + 1)
    asked = [QuickRun(task, seed) for task in options.task for seed in seeds]
    if not options.table:
        for run, result in in_processes(perform, asked, 1, _patience):
            if isinstance(result, Failure):
                result = {**vars(run), **vars(result)}
            append_line(options.out, {**circumstances(1), **result})
            print(run, result.get("seconds"), result.get("formula"), flush=True)
    print(quick_table(whole_lines(options.out)).text())


def _patience(run: QuickRun) -> float:
    return 180.0 + 2 * PATIENCE * TASKS[run.task].seconds


if __name__ == "__main__":
    main()
