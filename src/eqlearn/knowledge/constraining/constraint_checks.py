"""Constraints looked at by points: where a function breaks one, and by how much.

Quick enough to be asked of every formula that a search finds; nothing is proved here.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.prove.extremes import spread
from eqlearn.knowledge.constraining.constraints import Constraint

#: From points (N, D) in the units of the data to values (N,).
ValuesAt: TypeAlias = Callable[[Array], Array]

#: Places that are looked at, lines along an input, and steps on each of them.
N_PLACES, N_LINES_LOOKED_AT, N_STEPS_ALONG = 400, 48, 13
#: Share of the domain in which a function may have no value: at its edge, a logarithm.
MOST_WITHOUT = 0.1
#: Shares of the usual size of a function that count as nothing: rounding, in values
#: and in differences of them; and what a fit leaves at a place that it must go through.
ROUNDING, FITTED = 1e-9, 1e-5
#: How far out a limit is looked at, in multiples of the domain, and how close it must
#: be there, as a share of the function's size: 1/√x has come to 1e-4 of it.
FAR_OUT, CLOSE_TO_LIMIT = 1e8, 1e-3


class Breach(NamedTuple):
    """Where a constraint is broken most, and what was found there."""

    amount: float  # by how much, in multiples of the function's size
    point: tuple[float, ...]
    found: float  # the value, or slope or curvature, or what it should mirror


def breach(
    constraint: Constraint, values_at: ValuesAt, low: Array, high: Array
) -> Breach | None:
    """Where a function breaks a constraint in the domain; None if nowhere seen."""
    with np.errstate(all="ignore"):
        points = spread(low, high, N_PLACES)
        values = values_at(points)
        has_none = ~np.isfinite(values)
        if np.mean(has_none) > MOST_WITHOUT:
            return Breach(math.inf, tuple(points[has_none][0].tolist()), math.nan)
        size = _size(values)
        size = max(size, abs(constraint.value)) or 1.0
        ends = constraint.box(low, high)
        return _LOOKS[constraint.kind](constraint, values_at, *ends, size)


def n_breached(
    constraints: Sequence[Constraint], values_at: ValuesAt, low: Array, high: Array
) -> int:
    """How many constraints a function breaks in the domain, seen at points."""
    return sum(breach(one, values_at, low, high) is not None for one in constraints)


def _size(values: Array) -> float:
    finite = np.abs(values[np.isfinite(values)])
    return float(np.median(finite)) if len(finite) else 0.0


def _worst(points: Array, off: Array, found: Array, least: float) -> Breach | None:
    """The point that is off most, if that is more than the least that counts."""
    amounts = np.where(np.isnan(off), -math.inf, off)
    worst = int(np.argmax(amounts))
    if not amounts[worst] > least:
        return None
    place = tuple(points[worst].tolist())
    return Breach(float(amounts[worst]), place, float(found[worst]))


def _bound(
    c: Constraint, values_at: ValuesAt, low: Array, high: Array, size: float
) -> Breach | None:
    points = spread(low, high, N_PLACES)
    values = values_at(points)
    off = c.sign * (c.value - values) / size
    return _worst(points, off, values, ROUNDING)


def _finite(
    c: Constraint, values_at: ValuesAt, low: Array, high: Array, size: float
) -> Breach | None:
    del c, size
    points = spread(low, high, N_PLACES)
    values = values_at(points)
    return _worst(points, np.where(np.isfinite(values), 0.0, 1.0), values, 0.5)


def _slope(
    c: Constraint, values_at: ValuesAt, low: Array, high: Array, size: float
) -> Breach | None:
    lines, values, step = _along(c, values_at, low, high)
    rises = np.diff(values, axis=1).ravel()
    points = 0.5 * (lines[:, 1:] + lines[:, :-1])
    off = -c.sign * rises / size
    return _worst(points.reshape(-1, len(low)), off, rises / step, ROUNDING)


def _curvature(
    c: Constraint, values_at: ValuesAt, low: Array, high: Array, size: float
) -> Breach | None:
    lines, values, step = _along(c, values_at, low, high)
    bends = np.diff(values, n=2, axis=1).ravel()
    points = lines[:, 1:-1].reshape(-1, len(low))
    return _worst(points, -c.sign * bends / size, bends / step**2, ROUNDING)


def _along(
    c: Constraint, values_at: ValuesAt, low: Array, high: Array
) -> tuple[Array, Array, float]:
    """Points (L, S, D) on lines along an input, the values there, and their step.

    Each line begins a little after the one before, so that together they leave no gap.
    """
    assert c.input is not None
    starts = np.resize(
        spread(low, high, N_LINES_LOOKED_AT), (N_LINES_LOOKED_AT, len(low))
    )
    lines = np.repeat(starts[:, None], N_STEPS_ALONG, axis=1)
    step = float(high[c.input] - low[c.input]) / N_STEPS_ALONG
    shares = np.linspace(0.0, 1.0, N_LINES_LOOKED_AT)
    places = low[c.input] + step * (np.arange(N_STEPS_ALONG) + shares[:, None])
    lines[:, :, c.input] = np.clip(places, low[c.input], high[c.input])
    values = values_at(lines.reshape(-1, len(low))).reshape(lines.shape[:2])
    return lines, values, step


def _symmetry(
    c: Constraint, values_at: ValuesAt, low: Array, high: Array, size: float
) -> Breach | None:
    """On both sides of zero, though the domain may be on one of them."""
    assert c.input is not None
    low, high = low.copy(), high.copy()
    most = max(abs(low[c.input]), abs(high[c.input]))
    low[c.input], high[c.input] = 0.0, most
    points = spread(low, high, N_PLACES)
    mirrored = points.copy()
    mirrored[:, c.input] *= -1.0
    values, others = values_at(points), values_at(mirrored)
    off = np.abs(others - c.sign * values) / size
    has_one = np.isfinite(values) != np.isfinite(others)
    return _worst(mirrored, np.where(has_one, math.inf, off), others, FITTED)


def _value(
    c: Constraint, values_at: ValuesAt, low: Array, high: Array, size: float
) -> Breach | None:
    points = spread(low, high, N_LINES_LOOKED_AT)
    values = values_at(points)
    off = np.abs(values - c.value) / size
    return _worst(points, np.where(np.isnan(off), math.inf, off), values, FITTED)


def _limit(
    c: Constraint, values_at: ValuesAt, low: Array, high: Array, size: float
) -> Breach | None:
    assert c.input is not None
    low, high = low.copy(), high.copy()
    most = max(abs(low[c.input]), abs(high[c.input])) or 1.0
    low[c.input] = high[c.input] = c.sign * FAR_OUT * most
    points = spread(low, high, N_LINES_LOOKED_AT)
    values = values_at(points)
    off = np.abs(values - c.value) / size
    return _worst(
        points, np.where(np.isnan(off), math.inf, off), values, CLOSE_TO_LIMIT
    )


_LOOKS: Mapping[str, Callable[..., Breach | None]] = {
    "bound": _bound,
    "finite": _finite,
    "slope": _slope,
    "curvature": _curvature,
    "symmetry": _symmetry,
    "value": _value,
    "limit": _limit,
}
