"""Simulated instruments: errors of successive rows belong together.

A slow sensor, a drift, a filter, or an acceleration derived from a smoothed position:
is the law picked all the same, or at least offered as the knee? Inputs move slowly and
come back, as they do in an experiment.
"""

import zlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.integrate import solve_ivp
from scipy.signal import lfilter, savgol_filter

from benchmarks.trust.cases import TrustLaw
from benchmarks.trust.instruments_seen import LAWS as SEEN
from benchmarks.trust.instruments_seen import MOTIONS as SEEN_MOTIONS
from benchmarks.trust.instruments_unseen import LAWS as UNSEEN
from benchmarks.trust.instruments_unseen import MOTIONS as UNSEEN_MOTIONS
from eqlearn._types import Array
from eqlearn.equation.write.symbolic import expressions
from eqlearn.learners.equation_learner import EquationLearner
from eqlearn.model.model import Equation, Model
from eqlearn.problems.true_form import has_true_form
from eqlearn.report.findings import findings, knee
from eqlearn.reproduce.jsonl import Line

FEWEST_ROWS, MOST_ROWS = 300, 3000
#: The error of an instrument, in shares of the spread.
ERROR = 0.02


class Instrument(NamedTuple):
    """A law, and how it is measured."""

    law: TrustLaw
    kind: str  # a key of `ERRORS`, or a motion


def instruments(is_unseen: bool) -> dict[str, Instrument]:
    """The tables of a half, by name."""
    laws = UNSEEN if is_unseen else SEEN
    motions = UNSEEN_MOTIONS if is_unseen else SEEN_MOTIONS
    kinds = tuple(ERRORS)
    found = [Instrument(law, kinds[i % len(kinds)]) for i, law in enumerate(laws)]
    found += [Instrument(law, "motion") for law in motions]
    return {one.law.name: one for one in found}


def names(is_unseen: bool) -> tuple[str, ...]:
    """The names of a half."""
    return tuple(instruments(is_unseen))


def measured(one: Instrument) -> tuple[Array, Array]:
    """Measure a law with an instrument: inputs (N, D) and the target (N,)."""
    rng = np.random.default_rng(zlib.crc32(f"instrument {one.law.name}".encode()))
    n = round(float(np.exp(rng.uniform(*np.log([FEWEST_ROWS, MOST_ROWS])))))
    if one.kind == "motion":
        return _motion(one.law, n, rng)
    low, high = np.transpose(one.law.box)
    x = low + (high - low) * np.stack([_course(n, rng) for _ in low], axis=1)
    exact = one.law.truth(x)
    return x, exact + ERROR * float(np.std(exact)) * ERRORS[one.kind](n, rng)


def _course(n: int, rng: np.random.Generator) -> Array:
    """How an input moves between 0 and 1: slowly, to and fro, never twice alike."""
    t = np.arange(n)
    periods = rng.uniform(40, 160, 3)
    moves = sum(np.sin(2 * np.pi * (t / period + rng.uniform())) for period in periods)
    course: Array = np.asarray(moves)
    return np.asarray((course - course.min()) / np.ptp(course), float)


def _slow(n: int, rng: np.random.Generator) -> Array:
    """A sensor that forgets its error slowly."""
    rho = float(rng.uniform(0.85, 0.97))
    return _unit(lfilter([1.0], [1.0, -rho], rng.standard_normal(n + 200))[200:])


def _filtered(n: int, rng: np.random.Generator) -> Array:
    """Noise through the filter of an amplifier."""
    width = int(rng.integers(7, 25))
    window = np.hanning(width + 2)[1:-1]
    return _unit(np.convolve(rng.standard_normal(n + width - 1), window, "valid"))


def _drift(n: int, rng: np.random.Generator) -> Array:
    """A zero that wanders, and noise."""
    wander = _unit(np.cumsum(rng.standard_normal(n)))
    return _unit(wander + 0.3 * rng.standard_normal(n))


ERRORS: dict[str, Callable[[int, np.random.Generator], Array]] = {
    "slow": _slow,
    "filtered": _filtered,
    "drift": _drift,
}


def _unit(values: Array) -> Array:
    centred = values - values.mean()
    scaled: Array = centred / centred.std()
    return scaled


def _motion(law: TrustLaw, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Position, speed and acceleration derived from a position that is filmed."""
    start, seconds = law.box[0][1], law.limits["seconds"][1]
    t = np.linspace(0.0, seconds, n)

    def rates(_: float, state: Array) -> list[float]:
        return [state[1], float(law.formula(np, state[0], state[1]))]

    course = solve_ivp(rates, (0.0, seconds), [start, 0.0], t_eval=t, rtol=1e-9).y[0]
    filmed = course + 2e-4 * float(np.std(course)) * rng.standard_normal(n)
    # A window that noise needs, and that the fastest swings bear.
    width = 2 * max(4, n // 60) + 1
    step = float(t[1] - t[0])
    position, speed, acceleration = (
        savgol_filter(filmed, width, 5, deriv=k, delta=step)[width:-width]
        for k in range(3)
    )
    return np.stack([position, speed], axis=1), acceleration


def perform(name: str, seconds: float) -> Line:
    """Search, and tell whether the law was picked or offered."""
    one = {**instruments(False), **instruments(True)}[name]
    x, y = measured(one)
    columns = list(one.law.ranges)
    learner = EquationLearner(time_limit=seconds, n_jobs=1)
    model = learner.fit(pd.DataFrame(x, columns=columns), y).model_
    (finding,) = findings(model)
    offered = knee(finding)
    said = " ".join(model.verdicts[0].reasons)
    return {
        "kind": one.kind,
        "rows": len(y),
        "picked": _is_law(model.chosen[0], model, one.law),
        "offered": offered is not None and _is_law(offered, model, one.law),
        "listed": any(_is_law(e, model, one.law) for e in model.equations),
        "verdict": model.verdicts[0].kind,
        "says_rows": "count as about" in said,
        "formula": model.chosen[0].formula,
        "formula_knee": None if offered is None else offered.formula,
    }


def _is_law(equation: Equation, model: Model, law: TrustLaw) -> bool:
    problem = law.problem()
    formula = expressions(equation.snapped, model.inputs)[0]
    rng = np.random.default_rng(0)
    return problem is not None and bool(has_true_form(formula, problem, rng))


HEADER = (
    *("tables", "law picked", "picked or offered as the knee", "listed"),
    *("says how many rows count", "to reach"),
)


def row_of(lines: Sequence[Line]) -> tuple[str, ...]:
    """Count the tables."""
    n, picked = len(lines), sum(line["picked"] for line in lines)
    either = sum(line["picked"] or line["offered"] for line in lines)
    is_met = picked >= 25 / 30 * n or either >= 29 / 30 * n
    return (
        *(str(n), str(picked), str(either)),
        str(sum(line["listed"] for line in lines)),
        str(sum(line["says_rows"] for line in lines)),
        "met" if is_met else "not met",
    )
