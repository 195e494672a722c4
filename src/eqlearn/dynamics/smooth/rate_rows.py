"""Rows that a search may believe: states, inputs, and rates with honest errors.

The errors of a spline's rates are alike from row to row, which a criterion that takes
them for independent mistakes for structure. So rows are thinned to what the spline is
free to say, and independent noise as large as the rates' own errors is added.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array, Integers
from eqlearn.dynamics.settings import STANDARD_MOTION, Smoothing
from eqlearn.dynamics.smooth.splines import Smoothed, smoothed
from eqlearn.dynamics.smooth.trajectories import TimeSeries


class SmoothRun(NamedTuple):
    """A trajectory as splines see it."""

    run: TimeSeries
    states: Array  # (N, S)
    rates: Array  # (N, S)
    errors: Array  # (N, S) of the rates
    noise: Array  # (S,) of the measured states; 0 for a state that is not measured
    freedom: float


class RateRows(NamedTuple):
    """What a search looks at."""

    x: Array  # (N, S + A)
    rates: Array  # (N, S)


def smooth_run(
    run: TimeSeries,
    *,
    second_order: bool = False,
    by: Smoothing = STANDARD_MOTION.smoothing,
) -> SmoothRun:
    """Smooth every state; of second order, velocities are further states."""
    courses = smoothed(run.t, run.states, by)
    freedom = max(one.freedom for one in courses)
    values, rates, errors = (
        np.stack([getattr(one, name) for one in courses], axis=1)
        for name in ("value", "rate", "rate_error")
    )
    noise = np.array([one.noise for one in courses])
    if second_order:
        bends, bend_errors = _bends(courses)
        values, rates = np.hstack([values, rates]), np.hstack([rates, bends])
        errors = np.hstack([errors, bend_errors])
        noise = np.concatenate([noise, np.zeros(len(noise))])
    return SmoothRun(run, values, rates, errors, noise, freedom)


def _bends(courses: Sequence[Smoothed]) -> tuple[Array, Array]:
    bends = np.stack([one.bend for one in courses], axis=1)
    return bends, np.stack([one.bend_error for one in courses], axis=1)


def rate_rows(
    runs: Sequence[SmoothRun],
    rng: np.random.Generator,
    by: Smoothing = STANDARD_MOTION.smoothing,
) -> RateRows:
    """Rows of all trajectories with nearly independent errors."""
    parts = [_kept(run, by) for run in runs]
    x = np.concatenate([np.hstack([one.states, one.run.inputs])[k] for one, k in parts])
    rates = np.concatenate([one.rates[k] for one, k in parts])
    errors = np.concatenate([one.errors[k] for one, k in parts])
    errors = np.minimum(errors, by.largest_error * np.median(errors, axis=0))
    errors = np.hypot(errors, by.floor * np.std(rates, axis=0))
    rates = rates + errors * rng.normal(size=rates.shape)
    if len(x) > by.most_kept:
        some = np.sort(rng.choice(len(x), by.most_kept, replace=False))
        x, rates = x[some], rates[some]
    return RateRows(x, rates)


def _kept(run: SmoothRun, by: Smoothing) -> tuple[SmoothRun, Integers]:
    n = len(run.states)
    every = max(1, round(n / max(by.rows_a_freedom * run.freedom, by.least_rows)))
    cut = min(max(1, int(by.cut_ends * n / run.freedom)), n // 4)
    return run, np.arange(cut, n - cut, every)
