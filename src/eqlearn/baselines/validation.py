"""How the paper chooses among settings: by errors on rows that were held out.

A tenth of the rows is held out of training, and their error decides (V^int). Where
there are labelled far points, the errors inside and there count alike (V^int&ex).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np

from eqlearn._types import Array
from eqlearn.baselines.question import Clock, Question
from eqlearn.errors import must
from eqlearn.search.conclude.selection import Candidates, v_int_ex
from eqlearn.search.strategy import STANDARD

FEWEST_ROWS = 10
#: The part of a time limit that one setting may take, so that several are tried.
SETTING_SHARE = 1 / 4

GridPoint = TypeVar("GridPoint")
#: From inputs (N, D) to targets (N, M).
Predict: TypeAlias = Callable[[Array], Array]


class Rows(NamedTuple):
    """Inputs (N, D) and targets (N, M)."""

    x: Array
    y: Array

    def first(self, n: int) -> "Rows":
        """Take some of the rows, which are in no order."""
        return Rows(self.x[:n], self.y[:n])


@dataclass(frozen=True)
class Split:
    """The rows of a question by what they are for."""

    train: Rows
    held_out: Rows
    far: Rows | None


def split(question: Question) -> Split:
    """Hold a tenth of the rows out, by chance."""
    n = len(question.x)
    if n < FEWEST_ROWS:
        raise must("x", f"of at least {FEWEST_ROWS} rows", question.x)
    order = np.random.default_rng([question.seed, 7]).permutation(n)
    n_out = max(1, round(STANDARD.rows.held_out * n))
    out, kept = np.split(order, [n_out])
    return Split(
        Rows(question.x[kept], question.y[kept]),
        Rows(question.x[out], question.y[out]),
        None if question.far is None else Rows(*question.far),
    )


class GridFit(NamedTuple, Generic[GridPoint]):
    """What was learned with one setting."""

    setting: GridPoint
    predict: Predict
    n_parameters: int
    n_rows: int


def search(
    settings: Sequence[GridPoint],
    fit: Callable[[GridPoint, Clock], GridFit[GridPoint]],
    rows: Split,
    seconds: float,
) -> tuple[GridFit[GridPoint], int]:
    """Try settings in their order until time is over; the best, and how many."""
    clock, fits = Clock(seconds), list[GridFit[GridPoint]]()
    for setting in settings:
        if fits and not clock.left:
            break
        own = Clock(min(clock.left, SETTING_SHARE * seconds))
        fits.append(fit(setting, own))
    return best(fits, rows), len(fits)


def best(fits: Sequence[GridFit[GridPoint]], rows: Split) -> GridFit[GridPoint]:
    """The pick of V^int, or of V^int&ex where there are far points."""
    inside = np.array([rms(one.predict, rows.held_out) for one in fits])
    if rows.far is None:
        return fits[int(np.argmin(inside))]
    far = np.array([rms(one.predict, rows.far) for one in fits])
    zero = np.zeros(len(fits))  # neither sparsity nor information counts
    table = Candidates(inside, size=zero, bic=zero, extrapolation=far)
    return fits[int(np.argmin(v_int_ex(table)))]


def rms(predict: Predict, rows: Rows) -> float:
    """Error over all targets; infinite where it is no number."""
    with np.errstate(all="ignore"):
        error = float(np.sqrt(np.mean((predict(rows.x) - rows.y) ** 2)))
    return error if math.isfinite(error) else math.inf


class Standard(NamedTuple):
    """The values of inputs (D,) and targets (M,) that become 0 and 1."""

    x_zero: Array
    x_one: Array
    y_zero: Array
    y_one: Array

    def predictor(self, predict: Predict, m: int) -> Callable[[Array], Array]:
        """Predict target m (N,) in the units of the data."""

        def predicted(x: Array) -> Array:
            column = predict((x - self.x_zero) / self.x_one)[:, m]
            target: Array = self.y_zero[m] + self.y_one[m] * column
            return target

        return predicted


def standardised(question: Question) -> tuple[Question, Standard]:
    """Shift and scale: inputs spread evenly over [-1, 1] and unit targets stay so.

    Settings like the width of a kernel then mean what they mean in the paper.
    """
    spread = np.std(question.x, axis=0), np.std(question.y, axis=0)
    x_one, y_one = (np.where(one > 0, one, 1.0) for one in spread)
    to = Standard(
        np.mean(question.x, axis=0),
        np.sqrt(3.0) * x_one,
        np.mean(question.y, axis=0),
        y_one,
    )

    def scaled(x: Array, y: Array) -> Rows:
        return Rows((x - to.x_zero) / to.x_one, (y - to.y_zero) / to.y_one)

    x, y = scaled(question.x, question.y)
    far = None if question.far is None else scaled(*question.far)
    noise = question.noise / to.y_one
    return replace(question, x=x, y=y, far=far, noise=noise), to
