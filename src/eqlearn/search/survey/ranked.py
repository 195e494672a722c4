"""Fractions under every link, ranked by one linear solution each."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array
from eqlearn.network.graph import CONSTANT, COSINE, Linear
from eqlearn.search.attempts.feature_fractions import FeatureFraction
from eqlearn.search.attempts.input_views import View
from eqlearn.search.strategy import Degrees
from eqlearn.search.task import Task
from eqlearn.training.rational import fraction_residual, weighted_squares

#: Of numerator and denominator.
DEGREES: tuple[Degrees, ...] = (
    *((1, 0), (2, 0), (1, 1), (2, 1), (2, 2), (3, 0), (3, 1)),
    *((3, 2), (3, 3), (4, 0), (4, 2), (0, 4)),
)
#: With logarithms as variables beside the plain ones.
LOG_DEGREES = ((1, 0), (1, 1), (2, 0), (2, 1))
_MOST_WITH_LOGS = 5
#: With the sine and cosine of a variable in its place; of one alone there are waves.
ANGLE_DEGREES = ((1, 0), (2, 0), (1, 1), (2, 1), (2, 2), (3, 0), (3, 1))
_WITH_ANGLE = (2, 3, 4)


class Ranked(NamedTuple):
    """A fraction in a view; the lower its rank the more promising."""

    rank: float
    number: int
    error: float  # of the target itself, squared and summed
    view: View
    fraction: FeatureFraction


def with_logs(view: View, task: Task) -> View | None:
    """The view with the logarithms of positive inputs beside them."""
    draft, features = view.draft(task.x.shape[1]), view.features()
    columns = zip(view.of(task).x.T, features, strict=True)
    logs: list[Linear] = [
        {draft.add("log", feature): 1.0}
        for column, feature in columns
        if column.min() > 0
    ]
    return view.showing(draft, logs) if logs else None


def with_angles(view: View, task: Task) -> Iterator[View]:
    """The view with one variable as an angle, in every natural unit of measure."""
    by, seen = task.strategy.building, view.of(task)
    for i, (column, scale) in enumerate(zip(seen.x.T, seen.x_scale, strict=True)):
        for natural in by.natural:
            turning = natural * float(scale) * np.ptp(column)
            if by.least_turning < turning < by.most_turning:
                yield _with_angle(view, i, natural * float(scale), task.x.shape[1])


def _with_angle(view: View, i: int, rate: float, n_inputs: int) -> View:
    draft, features = view.draft(n_inputs), view.features()
    argument = {source: rate * weight for source, weight in features[i].items()}
    turned = {**argument, CONSTANT: argument.get(CONSTANT, 0.0) + COSINE}
    waves: list[Linear] = [
        {draft.add("sin", argument): 1.0},
        {draft.add("sin", turned): 1.0},
    ]
    n = len(view.inputs)
    inputs = tuple(k for j, k in enumerate(view.inputs) if j != i)
    shown = [one for j, one in enumerate(features) if j >= n and j != i]
    draft.outputs = [(dict(one), {CONSTANT: 1.0}) for one in (*shown, *waves)]
    return replace(view, inputs=inputs, units=draft.freeze())


def ranked(task: Task, views: Sequence[View]) -> list[Ranked]:
    """All fractions of all views, the most promising first."""
    found: list[Ranked] = []
    for view in views:
        options = [(view, DEGREES)]
        if view.n_variables in _WITH_ANGLE and "sin" in task.survey_units:
            options += [(one, ANGLE_DEGREES) for one in with_angles(view, task)]
        logs = with_logs(view, task) if view.n_variables <= _MOST_WITH_LOGS else None
        if logs is not None:
            options.append((logs, LOG_DEGREES))
        for seen, degrees in options:
            found += _of_degrees(task, seen, degrees, len(found))
    return sorted(found)


def _as_of_target(task: Task, view: View, n: int) -> tuple[Array, float]:
    """Root weights that make errors of what is seen those of the target, and the rest.

    Only as errors of the target can links be compared. A link cannot say more of rows
    in which it is not defined than that they are at its end.
    """
    root = view.target(task)[1][:n]
    y, is_seen = task.y[:n, 0], root > 0.0
    if not is_seen.any():
        return root, math.inf
    off = y - np.clip(y, y[is_seen].min(), y[is_seen].max())
    return root, float(off @ off)


def _of_degrees(
    task: Task, view: View, degrees: Sequence[Degrees], number: int
) -> list[Ranked]:
    by = task.strategy.survey
    few = view.of(task).search_rows().first(by.n_rows)
    found: list[Ranked] = []
    if not np.isfinite(few.x).all():
        return []
    n, n_variables = few.n_residuals, len(few.x)
    root, lost = _as_of_target(task, view, n)
    for a, b in degrees:
        fraction = FeatureFraction(a, b)
        k = fraction.n_columns(n_variables)
        if k > min(by.most_columns, n / 4):
            continue
        left = fraction_residual(fraction.library(n_variables, []), few, 2)
        error = math.inf if left is None else weighted_squares(left, root) + lost
        rank = n * math.log(error / n + 1e-22) + by.price * k
        if not math.isnan(rank):
            found.append(Ranked(rank, number + len(found), error, view, fraction))
    return found
