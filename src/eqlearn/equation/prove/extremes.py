"""Looking for the smallest value of a function in a box, and for its zeros, by points.

Nothing is drawn at random: the same box is always looked at in the same places.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from eqlearn._types import Array

#: From points (N, D) to values (N,); NaN where there is none.
Function: TypeAlias = Callable[[Array], Array]

N_POINTS = 10_000
_N_STARTS, _N_ROUNDS, _N_DIRECTIONS = 8, 80, 32
#: Share of the box by which starts downhill are apart.
_APART = 0.25
_N_BISECTIONS = 100


def smallest(function: Function, low: Array, high: Array) -> tuple[float, Array]:
    """Find a small value and its point: the best of many points, then downhill.

    The value is NaN if there is none anywhere.
    """
    points = spread(low, high)
    values = _or_infinite(function(points))
    if len(points) > 1:
        starts = _apart(points, values, high - low)
        points, values = _downhill(function, points[starts], values[starts], low, high)
    best = int(np.argmin(values))
    value = float(values[best])
    return (value if np.isfinite(value) else np.nan), points[best]


def _apart(points: Array, values: Array, width: Array) -> list[int]:
    """The points of the smallest values, half of them away from all before.

    The best few are mostly neighbours, and downhill from there is one place only.
    """
    order = np.argsort(values, kind="stable")
    chosen: list[int] = order[: _N_STARTS // 2].tolist()
    shares = points / np.where(width > 0, width, 1.0)
    is_near = np.abs(shares - shares[chosen[0]]).max(axis=1) < _APART
    while len(chosen) < _N_STARTS:
        left = order[~is_near[order]]
        if not len(left):
            break
        chosen.append(int(left[0]))
        is_near |= np.abs(shares - shares[left[0]]).max(axis=1) < _APART
    return chosen


def spread(low: Array, high: Array, n: int = N_POINTS) -> Array:
    """Spread points (N, D) evenly over a box, with its middle and two corners.

    Along each axis they are the multiples of a power of one irrational number, modulo
    1: for D = 1 it is the golden ratio.
    """
    if np.all(low == high):
        return low[None].copy()
    n_inputs = len(low)
    golden = 2.0
    for _ in range(60):  # the fixed point of golden^(D + 1) = golden + 1
        golden = (1.0 + golden) ** (1.0 / (n_inputs + 1))
    steps = golden ** -np.arange(1.0, n_inputs + 1)
    shares = (0.5 + np.arange(n)[:, None] * steps) % 1.0
    shares[1:3] = [[0.0], [1.0]]
    return np.clip(low * (1.0 - shares) + high * shares, low, high)


def zeros_between(function: Function, below: Array, above: Array) -> Array:
    """Bisect from points (N, D) of negative to points of positive values."""
    for _ in range(_N_BISECTIONS):
        middle = 0.5 * below + 0.5 * above
        is_above = (function(middle) > 0)[:, None]
        above = np.where(is_above, middle, above)
        below = np.where(is_above, below, middle)
    # Where the function is not defined between the ends, `below` ended in the gap.
    is_farther = np.abs(function(above)) > np.abs(function(below))
    return np.where(is_farther[:, None], below, above)


def _downhill(
    function: Function, points: Array, values: Array, low: Array, high: Array
) -> tuple[Array, Array]:
    """Step along the axes and some other directions, half as far after a failure."""
    n_starts, n_inputs = points.shape
    axes = np.eye(n_inputs)
    others = spread(-np.ones(n_inputs), np.ones(n_inputs), _N_ROUNDS * _N_DIRECTIONS)
    radius = np.full(n_starts, 0.1)
    width = high - low
    for turn in np.array_split(others, _N_ROUNDS):
        steps = np.concatenate([axes, -axes, turn]) * width
        tried = points[:, None] + radius[:, None, None] * steps
        tried = np.clip(tried, low, high)
        new = _or_infinite(function(tried.reshape(-1, n_inputs)))
        new = new.reshape(n_starts, -1)
        rows, best = np.arange(n_starts), np.argmin(new, axis=1)
        is_better = new[rows, best] < values
        points = np.where(is_better[:, None], tried[rows, best], points)
        values = np.where(is_better, new[rows, best], values)
        radius = np.where(is_better, radius, 0.5 * radius)
    return points, values


def _or_infinite(values: Array) -> Array:
    return np.where(np.isnan(values), np.inf, values)
