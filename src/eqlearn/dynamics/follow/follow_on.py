"""Motion of a learned system from any start, to many digits."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

from eqlearn._types import Array
from eqlearn.dynamics.follow.motion import Motion
from eqlearn.dynamics.step_rule import StepRule

_ACCURACY = {"rtol": 1e-8, "atol": 1e-10}
#: Times the size of the start: beyond, a state is taken to be lost.
_LOST = 1e6
#: Evaluations of the rates for each row, a dozen being usual: what needs more is stuck,
#: and more would be minutes of a long log.
_MOST_CALLS = 300


class _Lost(Exception):
    """A state left for infinity, or the integration got stuck."""


def followed(
    motion: Motion,
    start: Array,
    t: Array,
    inputs: Array | None = None,
    *,
    rule: StepRule = "flow",
    holds: bool = False,
) -> Array:
    """States (N, S) at the times (N,); not finite from where they are lost."""
    driven = np.zeros((len(t), 0)) if inputs is None else inputs
    t = t - t[0]  # of seconds since 1970, few digits are left for steps
    states = np.full((len(t), motion.n_states), np.nan)
    states[0] = start
    if rule != "flow":
        steps = np.diff(t) if rule == "euler" else None
        return _stepped(motion, states, driven, steps)
    signal, calls = _signal(t, driven, holds), 0
    largest = _LOST * (1.0 + float(np.abs(start).max()))

    def rate(now: float, state: Array) -> Array:
        nonlocal calls
        calls += 1
        found: Array = motion.rates(np.concatenate([state, signal(now)])[None])[0]
        stuck = calls > _MOST_CALLS * len(t)
        if stuck or not (np.isfinite(found).all() and np.abs(state).max() < largest):
            raise _Lost
        return found

    for n in range(len(t) - 1):
        # Row by row, so that what was reached before a state is lost is kept.
        try:
            ends = float(t[n]), float(t[n + 1])
            solved: Any = solve_ivp(rate, ends, states[n], "LSODA", **_ACCURACY)
        except _Lost:
            break
        if not solved.success:
            break
        states[n + 1] = solved.y[:, -1]
    return states


def _stepped(
    motion: Motion, states: Array, driven: Array, steps: Array | None
) -> Array:
    """Row by row; without steps in time, formulas are the next states."""
    for n in range(len(states) - 1):
        found = motion.rates(np.concatenate([states[n], driven[n]])[None])[0]
        states[n + 1] = found if steps is None else states[n] + steps[n] * found
        if not np.isfinite(states[n + 1]).all():
            break
    return states


def _signal(t: Array, driven: Array, holds: bool) -> Callable[[float], Array]:
    if not driven.shape[1]:
        return lambda now: driven[0]
    if holds:
        return lambda now: driven[max(int(np.searchsorted(t, now, "right")) - 1, 0)]
    spline = CubicSpline(t, driven)
    return lambda now: np.asarray(spline(now))
