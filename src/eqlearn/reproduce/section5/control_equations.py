"""Learned equations of motion beside the true ones: coefficient by coefficient.

The true accelerations are fractions of a few terms, with c = cos θ and s = sin θ:

    ẍ (1 - ¾ μ c²) = F/M a + μ l θ̇² s - ¾ μ g s c
    θ̈ (1 - ¾ μ c²) = ¾ g/l s - ¾ F/(l M) a c - ¾ μ θ̇² s c

where M is the mass of cart and pole and μ the pole's share of it. Whatever form a
learned equation has, its values determine the coefficients of these terms.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np

from eqlearn._types import Array
from eqlearn.control import swingup
from eqlearn.control.simulate import Dynamics

#: Where equations are compared: all angles, and velocities as in a swing-up.
BOX = ((-2.0, 2.0), (-3.0, 3.0), (0.0, 2 * np.pi), (-8.0, 8.0), (-1.0, 1.0))
_N_POINTS = 4000

#: From states (N, 4) and actions (N, 1) to the values (N,) of a term.
Term: TypeAlias = Callable[[Array, Array], Array]

TERMS: Mapping[str, Term] = {
    "x_dot": lambda s, a: s[:, 1],
    "theta_dot": lambda s, a: s[:, 3],
    "action": lambda s, a: a[:, 0],
    "action cos(theta)": lambda s, a: a[:, 0] * np.cos(s[:, 2]),
    "sin(theta)": lambda s, a: np.sin(s[:, 2]),
    "sin(theta) cos(theta)": lambda s, a: np.sin(s[:, 2]) * np.cos(s[:, 2]),
    "theta_dot² sin(theta)": lambda s, a: s[:, 3] ** 2 * np.sin(s[:, 2]),
    "theta_dot² sin(theta) cos(theta)": lambda s, a: (
        s[:, 3] ** 2 * np.sin(s[:, 2]) * np.cos(s[:, 2])
    ),
}


class RightHandSide(NamedTuple):
    """The true form of one rate: terms over 1 + coefficient · cos² θ."""

    above: Mapping[str, float]  # the coefficients of its `TERMS`
    below: float | None = None  # that of cos² θ, if there is one


def _equations(body: swingup.CartPole) -> dict[str, RightHandSide]:
    mass = body.cart + body.pole
    share, push = body.pole / mass, body.force / mass
    length, gravity = body.half_length, body.gravity
    below = -0.75 * share
    cart = {
        "action": push,
        "theta_dot² sin(theta)": share * length,
        "sin(theta) cos(theta)": -0.75 * share * gravity,
    }
    pole = {
        "sin(theta)": 0.75 * gravity / length,
        "action cos(theta)": -0.75 * push / length,
        "theta_dot² sin(theta) cos(theta)": -0.75 * share,
    }
    return {
        "d(x)/dt": RightHandSide({"x_dot": 1.0}),
        "d(x_dot)/dt": RightHandSide(cart, below),
        "d(theta)/dt": RightHandSide({"theta_dot": 1.0}),
        "d(theta_dot)/dt": RightHandSide(pole, below),
    }


EQUATIONS = _equations(swingup.CartPole())
_BELOW = "cos(theta)² below"


def true_coefficients() -> dict[str, float]:
    """The physical coefficients, named by equation and term."""
    return {
        f"{target}: {term}": value
        for target, equation in EQUATIONS.items()
        for term, value in _values(equation).items()
    }


def _values(equation: RightHandSide) -> dict[str, float]:
    below = {} if equation.below is None else {_BELOW: equation.below}
    return {**equation.above, **below}


def true_text() -> list[str]:
    """Write the true equations of motion, a line each."""
    lines = []
    for target, equation in EQUATIONS.items():
        terms = [f"{value:.4g} {term}" for term, value in equation.above.items()]
        above = " + ".join(terms).replace("+ -", "- ").removeprefix("1 ")
        if equation.below is not None:
            above = f"({above})/(1 - {-equation.below:.4g} cos(theta)²)"
        lines.append(f"{target} = {above}")
    return lines


def coefficients(dynamics: Dynamics) -> dict[str, float]:
    """Read off the coefficients of the true terms, not a number where that fails."""
    states, actions = _points()
    with np.errstate(all="ignore"):
        rates = dynamics(states, actions)
    found: dict[str, float] = {}
    for number, (target, equation) in enumerate(EQUATIONS.items()):
        names = _values(equation)
        columns = [TERMS[term](states, actions) for term in equation.above]
        rate = rates[:, number]
        if equation.below is not None:
            columns.append(-rate * np.cos(states[:, 2]) ** 2)
        values = _solved(np.stack(columns, axis=1), rate)
        found |= {
            f"{target}: {n}": float(v) for n, v in zip(names, values, strict=True)
        }
    return found


def _solved(columns: Array, rate: Array) -> Array:
    is_finite = np.isfinite(columns).all(axis=1) & np.isfinite(rate)
    if is_finite.sum() < columns.shape[1]:
        return np.full(columns.shape[1], np.nan)
    found = np.linalg.lstsq(columns[is_finite], rate[is_finite], rcond=None)
    return np.asarray(found[0], dtype=float)


def largest_deviation(found: Mapping[str, float]) -> float:
    """The largest relative distance of a coefficient from its true value."""
    true = true_coefficients()
    return max(abs(found[name] / true[name] - 1) for name in true)


def largest_errors(dynamics: Dynamics) -> dict[str, float]:
    """The largest error of each rate over the box, in units of the rate's spread."""
    states, actions = _points()
    true = swingup.dynamics(states, actions)
    with np.errstate(all="ignore"):
        errors = np.abs(dynamics(states, actions) - true).max(axis=0)
    return dict(zip(EQUATIONS, errors / true.std(axis=0), strict=True))


def _points() -> tuple[Array, Array]:
    low, high = np.transpose(BOX)
    points = np.random.default_rng(0).uniform(low, high, (_N_POINTS, len(BOX)))
    return points[:, :4], points[:, 4:]
