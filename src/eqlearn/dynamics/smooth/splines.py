"""Smoothing splines whose strength the data choose, with errors of their slopes.

A knot at every row, a penalty on the square of a high derivative, and its strength by
restricted maximum likelihood (REML): the most likely one if the true course is a random
function as smooth as the penalty says. Times may be uneven.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.interpolate import BSpline

from eqlearn._types import Array
from eqlearn.dynamics.settings import STANDARD_MOTION, Smoothing

#: Degree of a spline and the order of the derivative that is penalised.
USUAL, CLEAN = (5, 3), (7, 4)
# Of the scaled penalty; its eigenvalues reach over twenty decades.
_STRENGTHS = 10.0 ** np.linspace(-8, 26, 137)
_RIDGE = 1e-13
_ROUNDING = 1e-20


class Smoothed(NamedTuple):
    """A state through time: its course, its rates, and how sure they are."""

    value: Array  # (N,)
    rate: Array  # (N,) first derivative
    bend: Array  # (N,) second derivative
    rate_error: Array  # (N,) standard error
    bend_error: Array  # (N,)
    noise: float  # of the measurements
    freedom: float  # degrees of freedom


_COLUMNS = ("value", "rate", "bend", "rate_error", "bend_error")


def smoothed(
    t: Array, states: Array, by: Smoothing = STANDARD_MOTION.smoothing
) -> list[Smoothed]:
    """Smooth states (N, S) at times (N,), in blocks if there are many rows."""
    n = len(t)
    if n <= by.most_rows:
        return [_smoothed_block(t, x, by) for x in states.T]
    n_blocks = -(-n // (by.most_rows - by.overlap))
    ends = np.linspace(0, n, n_blocks + 1).astype(int)
    half = by.overlap // 2
    parts: list[list[Smoothed]] = [[] for _ in states.T]
    for first, last in zip(ends, ends[1:], strict=False):
        low, high = max(first - half, 0), min(last + half, n)
        # All states of a block in turn, for the splines they share are not kept long.
        for x, own in zip(states[low:high].T, parts, strict=True):
            whole = _smoothed_block(t[low:high], x, by)
            own.append(_cut(whole, slice(first - low, last - low)))
    return [_joined(own) for own in parts]


def _cut(whole: Smoothed, rows: slice) -> Smoothed:
    share = (rows.stop - rows.start) / len(whole.value)
    columns = {name: getattr(whole, name)[rows] for name in _COLUMNS}
    return whole._replace(**columns, freedom=whole.freedom * share)


def _joined(parts: list[Smoothed]) -> Smoothed:
    columns = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in _COLUMNS
    }
    noise = float(np.sqrt(np.mean([part.noise**2 for part in parts])))
    freedom = sum(part.freedom for part in parts)
    return Smoothed(**columns, noise=noise, freedom=freedom)


def _smoothed_block(t: Array, x: Array, by: Smoothing) -> Smoothed:
    unit = (t[-1] - t[0]) / len(t)
    times = tuple(_without_jitter((t - t[0]) / unit, by).tolist())
    found = _course(_family(times, *USUAL), x)
    if found.noise < by.clean * np.std(x) and len(t) > 2 * CLEAN[0]:
        found = _course(_family(times, *CLEAN), x)
    return found._replace(
        rate=found.rate / unit,
        rate_error=found.rate_error / unit,
        bend=found.bend / unit**2,
        bend_error=found.bend_error / unit**2,
    )


def _without_jitter(times: Array, by: Smoothing) -> Array:
    """Even times as exactly even, so that blocks of one length share their splines."""
    even = np.linspace(times[0], times[-1], len(times))
    step = times[-1] / (len(times) - 1)
    return even if float(np.max(np.abs(times - even))) < by.jitter * step else times


@dataclass(frozen=True, eq=False)
class _Family:
    """All splines through given times, in coordinates where the penalty is diagonal."""

    order: int
    values: Array  # (N, m) what a coordinate adds to the course
    rates: Array  # (N, m)
    bends: Array  # (N, m)
    roughness: Array  # (m,) of each coordinate; the first ones have none


@lru_cache(maxsize=16)
def _family(times: tuple[float, ...], degree: int, order: int) -> _Family:
    """Make penalty and fit diagonal at once; states measured together share this."""
    t = np.array(times)
    degree = min(degree, len(t) - 1)
    order = min(order, degree)
    breaks = np.quantile(t, np.linspace(0, 1, len(t) - degree + 1))
    knots = np.concatenate([[breaks[0]] * degree, breaks, [breaks[-1]] * degree])
    m = len(knots) - degree - 1
    basis = BSpline(knots, np.eye(m), degree)
    values = BSpline.design_matrix(t, knots, degree).toarray()
    nodes, weights = np.polynomial.legendre.leggauss(degree - order + 1)
    half, middle = np.diff(breaks)[:, None] / 2, (breaks[1:] + breaks[:-1])[:, None] / 2
    rough = basis.derivative(order)((half * nodes + middle).ravel())
    rough *= np.sqrt((half * weights).ravel())[:, None]
    gram = values.T @ values
    root = np.linalg.cholesky(gram + _RIDGE * np.trace(gram) / m * np.eye(m)).T
    # By an SVD: the squares would lose the smallest of so many decades.
    _, sizes, turned = np.linalg.svd(
        np.linalg.solve(root.T, rough.T).T, full_matrices=False
    )
    turn = np.linalg.solve(root, turned.T)[:, ::-1]
    roughness = (sizes[::-1] / sizes[0]) ** 2
    roughness[:order] = 0.0
    rates, bends = basis.derivative(1)(t), basis.derivative(2)(t)
    return _Family(order, values @ turn, rates @ turn, bends @ turn, roughness)


def _course(family: _Family, x: Array) -> Smoothed:
    n, order = len(x), family.order
    z = family.values.T @ x
    rest = max(float(x @ x - z @ z), 0.0)
    tiny = _ROUNDING * float(np.sum((x - x.mean()) ** 2)) + 1e-300
    gain = _STRENGTHS[:, None] * family.roughness[order:]
    lost = 1.0 - 1.0 / (1.0 + _STRENGTHS[:, None] * family.roughness)
    misfit = rest + lost @ z**2 + tiny
    reml = (n - order) * np.log(misfit) - np.sum(np.log(gain / (1.0 + gain)), axis=1)
    best = int(np.argmin(reml))
    kept = 1.0 - lost[best]
    noise = float(np.sqrt((rest + lost[best] @ z**2) / max(n - order, 1)))
    spread = np.sqrt(kept)
    return Smoothed(
        family.values @ (kept * z),
        family.rates @ (kept * z),
        family.bends @ (kept * z),
        noise * np.linalg.norm(family.rates * spread, axis=1),
        noise * np.linalg.norm(family.bends * spread, axis=1),
        noise,
        float(kept.sum()),
    )
