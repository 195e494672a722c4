"""Simulate ṡ = f(s, a): Euler as in the paper (section 5), Runge–Kutta, adaptive.

An action acts unchanged for one step of `dt` seconds.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from eqlearn._types import Array, Numbers
from eqlearn.errors import check_count, must, unknown

# States (..., S) and actions (..., A) to the derivatives of the states (..., S).
Dynamics: TypeAlias = Callable[[Array, Array], Array]
# States (..., S) and actions (..., A) to the states one step later.
StepFunction: TypeAlias = Callable[[Array, Array], Array]

_ACCURACY = {"rtol": 1e-9, "atol": 1e-11}


def simulate(
    dynamics: Dynamics,
    state: Numbers,
    actions: Numbers,
    dt: float,
    method: str = "euler",
) -> Array:
    """Follow the dynamics from one state, or many, through a sequence of actions.

    Parameters
    ----------
    dynamics : callable
        States (..., S) and actions (..., A) to the derivatives (..., S).
    state : array of shape (..., S)
        Where to start.
    actions : array of shape (T, ..., A)
        One action for each step.
    dt : float
        Seconds that a step takes.
    method : {"euler", "rk4", "solve_ivp"}
        Euler as in the paper, classical Runge–Kutta, or adaptive steps to nine digits.

    Returns
    -------
    array of shape (T + 1, ..., S)
        The states, the first one included. Where the dynamics blow up they are not
        finite.
    """
    step = stepper(dynamics, dt, method)
    states = [np.asarray(state, dtype=float)]
    with np.errstate(all="ignore"):  # a blow-up shows in the result
        for action in np.asarray(actions, dtype=float):
            states.append(step(states[-1], action))
    return np.stack(states)


def stepper(
    dynamics: Dynamics, dt: float, method: str = "euler", *, substeps: int = 1
) -> StepFunction:
    """Return the function that goes one step of `dt` seconds ahead, in `substeps`."""
    if method not in _METHODS:
        raise unknown("method", method, _METHODS)
    if not (np.isfinite(dt) and dt > 0):
        raise must("dt", "a positive number of seconds", dt)
    check_count("substeps", substeps)
    advance, part = _METHODS[method], dt / substeps

    def step(state: Array, action: Array) -> Array:
        for _ in range(substeps):
            state = advance(dynamics, state, action, part)
        return state

    return step


def _euler(f: Dynamics, state: Array, action: Array, dt: float) -> Array:
    change = f(state, action) * dt
    change += state
    return change


def _rk4(f: Dynamics, state: Array, action: Array, dt: float) -> Array:
    k1 = f(state, action)
    k2 = f(state + dt / 2 * k1, action)
    k3 = f(state + dt / 2 * k2, action)
    k4 = f(state + dt * k3, action)
    return state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def _adaptive(f: Dynamics, state: Array, action: Array, dt: float) -> Array:
    # One state at a time: solved together, all would take the short steps of the
    # stiffest, and one that blows up would end the others.
    rows = np.shape(state)[:-1]
    actions = np.broadcast_to(action, (*rows, np.shape(action)[-1]))
    later = np.full(np.shape(state), np.nan)
    for row in np.ndindex(rows):
        later[row] = _solved(f, state[row], actions[row], dt)
    return later


def _solved(f: Dynamics, state: Array, action: Array, dt: float) -> Array:
    # SciPy takes a quarter of a second to import, and only this method needs it.
    from scipy.integrate import solve_ivp

    def derivative(_: float, now: Array) -> Array:
        slope = f(now, action)
        # The step control would halve a step of nan for ever.
        if not np.isfinite(slope).all():
            raise _BlowUp
        return slope

    lost = np.full(np.shape(state), np.nan)
    if not np.isfinite(state).all():
        return lost
    try:
        result: Any = solve_ivp(derivative, (0.0, dt), state, **_ACCURACY)
    except _BlowUp:
        return lost
    return result.y[:, -1] if result.success else lost


class _BlowUp(Exception):
    """The dynamics gave a value that is not finite."""


_METHODS: dict[str, Callable[[Dynamics, Array, Array, float], Array]] = {
    "euler": _euler,
    "rk4": _rk4,
    "solve_ivp": _adaptive,
}
