"""Rows from step to step, for motion whose inputs jump: no spline follows a jump.

What a state gains in a step is the mean of its rate times the time it takes, under the
one input of that step. Sums of a few steps, weighted as a local polynomial's slope is,
have less noise; applied to states and inputs alike, the weights leave every law that is
linear in them exact, however inputs jump.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array
from eqlearn.dynamics.settings import STANDARD_MOTION, Smoothing
from eqlearn.dynamics.smooth.rate_rows import RateRows
from eqlearn.dynamics.smooth.trajectories import TimeSeries
from eqlearn.dynamics.step_rule import StepRule


class Steps(NamedTuple):
    """What was measured from row to row of one trajectory."""

    dt: Array  # (N,) seconds of each step
    x: Array  # (N, S + A) states of a step and the inputs held in it
    gains: Array  # (N, S) by how much the states changed


def steps_of(runs: Sequence[TimeSeries], rule: StepRule) -> tuple[Steps, ...]:
    """Steps of trajectories, each at the mean of its states, of Euler's at the first.

    The mean is that of a cubic whose slopes at the ends a parabola foretells.
    """
    plain = [_plain(run, rule) for run in runs]
    if rule == "euler":
        return tuple(plain)
    rate, _ = _parabola(plain)
    found = []
    for run, one in zip(runs, plain, strict=True):
        inputs, n_states = run.inputs[:-1], run.states.shape[1]
        begin, end = (
            rate(np.hstack([states, inputs]))
            for states in (run.states[:-1], run.states[1:])
        )
        x = one.x.copy()
        x[:, :n_states] -= one.dt[:, None] / 12 * (end - begin)
        found.append(one._replace(x=x))
    return tuple(found)


def _plain(run: TimeSeries, rule: StepRule) -> Steps:
    begin, end = run.states[:-1], run.states[1:]
    at = begin if rule == "euler" else (begin + end) / 2
    return Steps(np.diff(run.t), np.hstack([at, run.inputs[:-1]]), end - begin)


def noise_of_steps(runs: Sequence[TimeSeries]) -> Array:
    """Noise (S,) of measured states, from what neighbouring gains share.

    An error in a state makes one gain larger and the next smaller, as nothing else
    does. What the parabola misses is alike in neighbouring gains, which hides noise; by
    how much, gains that are further apart foretell, if less certainly. The largest of
    these counts.
    """
    shared, total = np.zeros((len(_FORETOLD), runs[0].states.shape[1])), 0
    for left in _parabola([_plain(run, "flow") for run in runs])[1]:
        apart = [np.sum(left[:-3] * left[k : k - 3 or None], axis=0) for k in (1, 2, 3)]
        shared += _FORETOLD @ apart
        total += len(left) - 3
    found: Array = np.sqrt(np.maximum(shared.max(axis=0) / total, 0.0))
    return found


#: What the likeness of gains 1, 2 and 3 apart makes of noise, if that of what the
#: parabola misses is none, c, or c - d k^2.
_FORETOLD = np.array([[-1.0, 0.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, 1.6, -0.6]])


def likelier_rule(runs: Sequence[TimeSeries], by: Smoothing) -> StepRule | None:
    """Whether steps look like Euler's or like those of a flow; None if none can say."""
    rules: tuple[StepRule, ...] = ("flow", "euler")
    misfits: dict[StepRule, float] = {}
    for rule in rules:
        left = np.concatenate(_parabola(steps_of(runs, rule))[1])
        floor = (_ROUNDING * np.std(np.diff(runs[0].states, axis=0), axis=0)) ** 2
        squares = np.mean(left**2, axis=0) + floor + 1e-300
        misfits[rule] = len(left) * float(np.sum(np.log(squares)))
    lead = misfits["flow"] - misfits["euler"]
    if abs(lead) < by.clear_lead:
        return None
    return "euler" if lead > 0 else "flow"


#: Of the spread of gains: what no measurement tells.
_ROUNDING = 1e-9


def _parabola(steps: Sequence[Steps]) -> tuple[Callable[[Array], Array], list[Array]]:
    """Rates as a parabola in states and inputs, and the gains that it leaves."""
    x = np.concatenate([one.x for one in steps])
    middle, spread = x.mean(axis=0), x.std(axis=0) + 1e-300
    designs = [_design((one.x - middle) / spread) * one.dt[:, None] for one in steps]
    whole, gains = np.concatenate(designs), np.concatenate([s.gains for s in steps])
    weights = np.linalg.lstsq(whole, gains, rcond=1e-10)[0]
    left = [s.gains - d @ weights for s, d in zip(steps, designs, strict=True)]
    return lambda at: _design((at - middle) / spread) @ weights, left


def _design(z: Array) -> Array:
    n = z.shape[1]
    columns = [np.ones(len(z)), *z.T]
    columns += [z[:, i] * z[:, j] for i in range(n) for j in range(i, n)]
    return np.stack(columns, axis=1)


def step_rows(
    steps: Sequence[Steps],
    noise: Array,
    rng: np.random.Generator,
    by: Smoothing = STANDARD_MOTION.smoothing,
) -> RateRows:
    """Rows whose errors are nearly independent, of windows as wide as noise asks."""
    shortest = min(len(one.dt) for one in steps)
    for width in [w for w in by.windows if w <= shortest]:
        rows, error = _windowed(steps, width)
        spread = np.std(rows.rates, axis=0)
        if np.all(error * noise < by.window_error * spread):
            break
    rates = rows.rates + by.floor * spread * rng.normal(size=rows.rates.shape)
    x = rows.x
    if len(x) > by.most_kept:
        some = np.sort(rng.choice(len(x), by.most_kept, replace=False))
        x, rates = x[some], rates[some]
    return RateRows(x, rates)


def _windowed(steps: Sequence[Steps], width: int) -> tuple[RateRows, float]:
    """Rows of windows of so many steps, and the error of their rates for noise of 1."""
    x, rates, squares = [], [], []
    for one in steps:
        t = np.concatenate([[0.0], np.cumsum(one.dt)])
        for a in range(0, len(one.dt) - width + 1, max(1, width // 2)):
            part = slice(a, a + width)
            weights = _slope_weights(t[a : a + width + 1])
            x.append(weights * one.dt[part] @ one.x[part])
            rates.append(weights @ one.gains[part])
            on_states = np.diff(weights, prepend=0.0, append=0.0)
            squares.append(float(on_states @ on_states))
    return RateRows(np.array(x), np.array(rates)), float(np.sqrt(np.mean(squares)))


def _slope_weights(t: Array) -> Array:
    """Weights of the gains between times that make the slope of a parabola through."""
    if len(t) == 2:
        return np.array([1.0 / (t[1] - t[0])])
    z = t - t.mean()
    design = np.stack([np.ones(len(z)), z, z**2], axis=1)
    on_points = np.linalg.pinv(design)[1]
    found: Array = -np.cumsum(on_points)[:-1]
    return found
