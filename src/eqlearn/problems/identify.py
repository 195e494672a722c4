"""Decide by program whether a learned formula is the true one.

Symbolically: the formulas are the same function once constants are taken to three
decimals. Decimals need a unit: inputs are measured so that they run from -1 to 1 over
the training box, targets in the unit of the problem's noise (1 or their spread). So
constants of 1e-6 count, and those of the paper's problems are rounded as they stand.
Numerically: the RMS distance to the noise-free truth over three times the training
range is below one per cent of the target's spread there. Identified is what agrees in
both senses. In numbers alone it is called close, as an imitation may be; in form alone
it is not found: 1000 (sin 1.0004 x - sin x) is 0 to three decimals.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import sympy

from eqlearn._types import Array
from eqlearn.errors import must
from eqlearn.problems.definition import Problem
from eqlearn.problems.normal_form import NoNormalForm, agree, fraction

#: How far beyond the training range formulas are compared, and how closely.
RANGE_FACTOR = 3.0
LARGEST_RELATIVE_RMS = 0.01

_N_POINTS = 5000


class Learned(NamedTuple):
    """What was learned for one output: a function (N, D) → (N,), and its formula."""

    predict: Callable[[Array], Any]
    expression: sympy.Expr | None = None


@dataclass(frozen=True)
class OutputIdentification:
    """How one output compares; `symbolic` is None where formulas cannot be compared."""

    symbolic: bool | None
    relative_rms: float

    @property
    def numeric(self) -> bool:
        """Whether the values agree over three times the training range."""
        return self.relative_rms < LARGEST_RELATIVE_RMS


#: What a learned model is, compared with the truth.
Agreement = Literal["identified", "close", "no"]


@dataclass(frozen=True)
class Identification:
    """How a learned model compares with the truth, output by output."""

    outputs: tuple[OutputIdentification, ...]

    @property
    def symbolic(self) -> bool:
        """Whether every output's formula is the true one."""
        return all(output.symbolic for output in self.outputs)

    @property
    def numeric(self) -> bool:
        """Whether every output's values agree with the truth."""
        return all(output.numeric for output in self.outputs)

    @property
    def agreement(self) -> Agreement:
        """Whether all outputs are the truth, or at least close to it."""
        return agreement(self.symbolic, self.numeric)


def agreement(symbolic: bool, numeric: bool) -> Agreement:
    """What is said of a model by whether its formulas and its values agree."""
    if not numeric:
        return "no"
    return "identified" if symbolic else "close"


def identified(
    learned: Sequence[Learned], problem: Problem, rng: np.random.Generator
) -> Identification:
    """Judge what was learned for each output of a problem."""
    if len(learned) != len(problem.outputs):
        hint = f"Give one for each of {', '.join(problem.outputs)}."
        what = f"{len(problem.outputs)} learned outputs"
        raise must("learned", what, len(learned), hint=hint)
    low, high = np.transpose(problem.wide_box(RANGE_FACTOR))
    X = rng.uniform(low, high, size=(_N_POINTS, len(low)))
    pairs = zip(learned, problem.evaluate(X).T, strict=True)
    errors = [_relative_rms(one.predict, X, truth) for one, truth in pairs]
    symbolic = [_is_same(one.expression, problem, m) for m, one in enumerate(learned)]
    return Identification(tuple(map(OutputIdentification, symbolic, errors)))


def _relative_rms(
    predict: Callable[[Array], Any],
    X: Array,
    truth: Array,
) -> float:
    with np.errstate(all="ignore"):  # a wrong formula may have poles out there
        predicted = np.asarray(predict(X), dtype=np.float64)
        if predicted.shape != truth.shape:
            hint = "Predict one value for each row."
            what = f"a function to values of shape {truth.shape}"
            raise must("predict", what, predicted, hint=hint)
        rms = float(np.sqrt(np.mean((predicted - truth) ** 2)) / np.std(truth))
    return rms if math.isfinite(rms) else math.inf


def _is_same(
    expression: sympy.Expr | None, problem: Problem, output: int
) -> bool | None:
    """Compare with the true formula; None where there is no normal form to compare."""
    if expression is None:
        return None
    strange = {s.name for s in expression.free_symbols} - set(problem.inputs)
    if strange:
        hint = "Rename its symbols to the problem's inputs."
        what = f"a formula of {', '.join(problem.inputs)}"
        raise must("expression", what, ", ".join(sorted(strange)), hint=hint)
    ranges = dict(zip(problem.inputs, problem.box, strict=True))
    unit = problem.noise_scale[output]
    truth = problem.expressions()[output]
    try:
        return agree(fraction(expression, ranges, unit), fraction(truth, ranges, unit))
    except (NoNormalForm, ArithmeticError, RecursionError):
        return None  # other functions, numbers out of range, too long, too deep
