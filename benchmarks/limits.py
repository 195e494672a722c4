"""The limit that noise sets: what if the form were known, and only constants not?

    python -m benchmarks.limits
    python -m benchmarks.limits --problem RE3-3 RE3-4

Draws the data of the recovery benchmark, fits the decimal numbers of the true formula
to all rows by least squares, from the true values on, and judges what comes out as if
it had been learned. Whole numbers, π and their fractions count as known. What is not
identified so can be identified by luck, or by snapping constants. A fit is a JSON
line in benchmarks/results/limits.jsonl and stands beside the runs of eqlearn in
docs/recovery.md (`python -m benchmarks.pages`).
"""

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import sympy
from scipy.optimize import least_squares

from benchmarks.recovery_groups import IDENTIFIED, TRUE_FORM, Choice, runs_of
from eqlearn._types import Array
from eqlearn.baselines.question import Answer
from eqlearn.problems import Learned
from eqlearn.reproduce.jsonl import append_line
from eqlearn.reproduce.section4.judging import agreement_of
from eqlearn.reproduce.section4.runs import (
    Run,
    TimedRun,
    circumstances,
    judged_for,
    posed,
    read_lines,
)

RESULTS = Path("benchmarks/results/limits.jsonl")

#: Of what is known about a fit; the formula is that of the problem.
_KEPT = (
    "status",
    "symbolic",
    "numeric",
    "decided",
    "mse_outside",
    "relative_rms_outside",
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the fits that are missing, for all runs with noise."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.limits",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--problem", nargs="+", metavar="NAME", help="only these problems")
    add(
        "--out",
        type=Path,
        default=RESULTS,
        metavar="FILE",
        help=f"instead of {RESULTS}",
    )
    options = parser.parse_args(arguments)
    known = read_lines(options.out)
    for ours in runs_of(IDENTIFIED, Choice(problems=options.problem)):
        run = replace(ours, method=TRUE_FORM)
        if run.noise and run.key not in known:
            start = time.perf_counter()
            answers = _fitted(run)
            seconds = {"seconds": round(time.perf_counter() - start, 2)}
            judged = judged_for(run, answers)
            line = {name: judged[name] for name in _KEPT}
            append_line(
                options.out, {**vars(run), **circumstances(1), **seconds, **line}
            )
            print(f"{run}: {agreement_of(line)}; {line['decided']}", flush=True)


def _fitted(run: Run) -> list[Answer]:
    question = posed(TimedRun(run, 1.0))
    x, y = question.x, question.y
    if question.far is not None:
        x, y = map(np.concatenate, zip((x, y), question.far, strict=True))
    return [
        fit_constants(formula, question.names, x, y[:, m])
        for m, formula in enumerate(run.asked.expressions())
    ]


def fit_constants(
    formula: sympy.Expr, names: Sequence[str], x: Array, y: Array
) -> Answer:
    """Fit the decimal numbers of a formula, from their values on."""
    numbers = sorted(formula.atoms(sympy.Float))
    free = [sympy.Dummy() for _ in numbers]
    form = formula.xreplace(dict(zip(numbers, free, strict=True)))
    inputs = [sympy.Symbol(name) for name in names]
    start = np.array([float(number) for number in numbers])

    def function(expression: sympy.Expr) -> Callable[[Array, Array], Array]:
        values = sympy.lambdify([*inputs, *free], expression, "numpy")
        return lambda x, c: np.broadcast_to(values(*x.T, *c), len(x)).astype(float)

    predict = function(form)
    slopes = [function(form.diff(one)) for one in free]
    found = start
    if numbers:
        # In shares of the true values and of the spread: quantities of nature span many
        # decades, and the tolerances of SciPy are absolute.
        ended = least_squares(
            lambda share: (predict(x, start * share) - y) / y.std(),
            np.ones_like(start),
            lambda share: (
                np.stack([one(x, start * share) for one in slopes], 1) * start / y.std()
            ),
            x_scale="jac",
            xtol=1e-12,
            ftol=1e-14,
            gtol=1e-12,
        )
        found = start * ended.x
    learned = form.xreplace(dict(zip(free, map(sympy.Float, found), strict=True)))
    return Answer(Learned(lambda x: predict(x, found), learned), len(numbers), 0)


if __name__ == "__main__":
    main()
