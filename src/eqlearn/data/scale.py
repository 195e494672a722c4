"""Scaling of inputs and targets to about unit size, and where far inputs begin.

A scale folds back into the constants. A shift would turn x·y into four terms, so only
inputs like years are shifted: so far from zero nobody multiplies by them.
"""

import math
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array, Booleans

#: Ranges from zero at which an input is far from it.
FAR_FROM_ZERO = 25.0


class Scaling(NamedTuple):
    """Divisors of the inputs and of the targets."""

    x: Array  # (D,)
    y: Array  # (M,)


def scaling_of(x: Array, y: Array) -> Scaling:
    """Choose scales: inputs spread evenly over [-1, 1] keep theirs, targets get 1.

    √3 times the root mean square is 1 for an even spread over [-1, 1], and less moved
    by an outlier than the largest value. Targets are divided by their standard
    deviation, constant ones by their size.
    """
    size = np.sqrt(3.0) * _rms(x)
    spread: Array = _rms(y - np.mean(y, axis=0))
    # Rounding leaves a constant column with a spread of about 1e-16 of its size.
    spread = np.where(spread > 1e-12 * _rms(y), spread, _rms(y))
    return Scaling(np.where(size > 0, size, 1.0), np.where(spread > 0, spread, 1.0))


def origins_of(x: Array) -> Array:
    """Where each input begins: 0, or a round number below one that is far from it."""
    return np.array([_origin_of(column) for column in x.T])


def _origin_of(column: Array) -> float:
    low, high = float(column.min()), float(column.max())
    spread = high - low
    if not 0.0 < FAR_FROM_ZERO * spread < min(abs(low), abs(high)):
        return 0.0
    step = 10.0 ** math.floor(math.log10(spread))
    return math.floor(low / step) * step


def _rms(columns: Array) -> Array:
    # One at a time: of a large table there is no room for another.
    return np.array([_rms_of(column) for column in columns.T])


def _rms_of(column: Array) -> float:
    # Taking the largest value out first keeps squares of 1e300 finite.
    largest = float(np.max(np.abs(column)))
    return largest * float(np.sqrt(np.mean((column / (largest or 1.0)) ** 2)))


def domain_of_use(x: Array, far: Array | None = None) -> tuple[Array, Array]:
    """Widen each column's range to twice its size, keeping a column's single sign.

    Where it would cross zero, the range ends half-way between zero and the data. A
    switch has no other values than 0 and 1. Far points (K, D) are part of it, but do
    not widen it any further.
    """
    low, high = x.min(axis=0), x.max(axis=0)
    margin = np.where(switches_of(x), 0.0, (high - low) / 2)
    wide_low, wide_high = low - margin, high + margin
    wide_low = np.where(low >= 0, np.maximum(wide_low, low / 2), wide_low)
    wide_high = np.where(high <= 0, np.minimum(wide_high, high / 2), wide_high)
    if far is None or not len(far):
        return wide_low, wide_high
    ends = np.concatenate([[wide_low, wide_high], far])
    return ends.min(axis=0), ends.max(axis=0)


def switches_of(x: Array, one: Array | float = 1.0) -> Booleans:
    """Which inputs (D,) are nothing but 0 and 1, as truth values and words are.

    `one` (D,) is what 1 is written as where inputs are scaled.
    """
    ones = np.broadcast_to(one, x.shape[1])
    pairs = zip(x.T, ones.tolist(), strict=True)
    found: Booleans = np.array([_is_switch(*pair) for pair in pairs], dtype=bool)
    return found


def _is_switch(column: Array, one: float) -> bool:
    # Of a large table, the first rows nearly always tell.
    return all(np.isin(rows, (0.0, one)).all() for rows in (column[:100], column))


def drawn_within(
    low: Array,
    high: Array,
    n: int,
    x: Array,
    rng: np.random.Generator,
    one: Array | float = 1.0,
) -> Array:
    """Points (n, D) evenly from a domain of use, with switches as rows `x` have them.

    Half-way between two words there is nothing, and no row is two of them. `one` is as
    for `switches_of`.
    """
    points: Array = rng.uniform(low, high, (n, len(low)))
    switches = switches_of(x, one) & (low >= 0) & (high <= one)
    if switches.any():
        points[:, switches] = x[rng.integers(len(x), size=n)][:, switches]
    return points
