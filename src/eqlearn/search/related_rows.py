"""How far errors of rows belong together, along the order they were measured in.

A slow sensor, a drift or a filter makes errors of successive rows alike; so does a part
of the law that a formula misses, where inputs change slowly. They are told apart by
rows of like inputs that were measured at other times: of these only the law is alike.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.spatial import cKDTree

from eqlearn._types import Array
from eqlearn.search.one_thread import one_thread
from eqlearn.search.smooth.smooth_fits import Smooth, degree_for

#: Standard errors above 0 that the correlation of successive rows must be.
_SIGNIFICANT = 5.0
#: Rows in a row that are looked at before any formula: a polynomial is fitted to them.
_MOST_ROWS = 3000
#: Of more rows than this, the first tell whether those of like inputs are alike.
_MOST_COMPARED = 10_000
_FEWEST_ROWS = 60
#: Terms of that polynomial for each row.
_TERMS_A_ROW = 0.05
#: Inputs of that polynomial: beyond, it would have too many terms.
_MOST_INPUTS = 8
#: Neighbours by their inputs among which some are looked for of another time.
_N_NEIGHBOURS = 24
#: Times the reach of a relation at which another time begins.
_ANOTHER_TIME = 1.0
#: Of the correlation of successive rows, the share that rows have which are close.
_CLOSE = 0.7
#: Of the correlation of successive rows, the share that rows of like inputs may have.
_LIKE_INPUTS = 0.3
#: Pairs of such rows that it takes to tell, and how many of them independent.
_FEWEST_PAIRS, _FEWEST_INDEPENDENT = 30, 1.0
#: However far errors are related, so many rows count.
_FEWEST_COUNTED = 10.0


class Relation(NamedTuple):
    """How far the errors of successive rows belong together."""

    reach: float  # rows that count as one
    is_of_order: bool  # whether rows of like inputs at other times are not alike

    def counted(self, n: int) -> float:
        """How many independent rows tell as much as `n` of these."""
        return max(n / self.reach, min(float(n), _FEWEST_COUNTED))

    def crowding(self, n: int) -> float:
        """By how much each of `n` rows tells less for every other that there is."""
        return 1.0 / self.counted(n) - 1.0 / n


UNRELATED = Relation(1.0, False)


def relation_of(x: Array, residual: Array) -> Relation:
    """How residuals (N,) of rows (N, D) in the order they were measured are related."""
    if not _are_successive_alike(residual):
        return UNRELATED
    rho = autocorrelation(residual)
    reach = reach_of(rho, len(residual))
    if reach == 1.0:
        return UNRELATED
    few = slice(_MOST_COMPARED)  # finding neighbours among all would take long
    return Relation(reach, _is_of_order(x[few], residual[few], reach, rho))


def relation_before(x: Array, y: Array, root: Array) -> Relation:
    """The same before there is a formula, by a polynomial in its place.

    Only a relation that is of the order of rows counts: the rest may be the law.
    """
    x, y, root = x[:_MOST_ROWS], y[:_MOST_ROWS], root[:_MOST_ROWS]
    x = x[:, np.ptp(x, axis=0) > 0] if len(x) else x
    n, n_inputs = x.shape
    if n < _FEWEST_ROWS or not 0 < n_inputs <= _MOST_INPUTS or not np.ptp(y):
        return UNRELATED
    # Most tables are in no order at all, which their target gives away at once.
    if not _are_successive_alike(y * root):
        return UNRELATED
    with one_thread(), np.errstate(all="ignore"):
        degree = degree_for(n_inputs, n, _TERMS_A_ROW)
        smooth = Smooth.of(x.T, y, root, degree)
        left = (y - smooth.coefficients @ smooth.polynomial.values) * root
    found = relation_of(x, left)
    return found if found.is_of_order else UNRELATED


def _are_successive_alike(residual: Array) -> bool:
    """Whether residuals are like the next ones beyond doubt.

    Asked first, and of these alone: all correlations of a large table take as much
    memory as the table.
    """
    n, centred = len(residual), residual - residual.mean()
    total = float(centred @ centred)
    if n < 3 or not total or not math.isfinite(total):
        return False
    return float(centred[1:] @ centred[:-1]) / total * math.sqrt(n) >= _SIGNIFICANT


def autocorrelation(residual: Array) -> Array:
    """Correlations of residuals with those 0, 1, 2, ... rows later."""
    n = len(residual)
    centred = residual - residual.mean()
    total = float(centred @ centred)
    if n < 3 or not total or not math.isfinite(total):
        return np.append(1.0, np.zeros(max(n - 1, 1)))
    size = next_fast_len(2 * n)
    power = np.abs(rfft(centred, size)) ** 2
    found: Array = irfft(power, size)[:n] / total
    return found


def reach_of(rho: Array, n: int) -> float:
    """How many rows count as one: 1 + 2 Σ ρ, up to the first ρ that is not positive.

    1 unless successive rows are alike beyond doubt.
    """
    if n < 3 or rho[1] * math.sqrt(n) < _SIGNIFICANT:
        return 1.0
    negative = np.flatnonzero(rho <= 0)
    end = int(negative[0]) if len(negative) else len(rho)
    return float(1.0 + 2.0 * np.sum(rho[1:end]))


def _is_of_order(x: Array, residual: Array, reach: float, rho: Array) -> bool:
    """Whether rows of like inputs, measured at other times, are not alike.

    Their inputs are as near as those of rows that follow each other so closely that
    they are alike: if that were by the inputs, these would be alike, too.
    """
    spread = x.std(axis=0)
    x = x[:, spread > 0] / spread[spread > 0]
    n = len(residual)
    if not x.shape[1] or n <= _N_NEIGHBOURS:
        return False
    lag = max(1, int(np.argmax(rho < _CLOSE * rho[1])) - 1)
    if lag >= n:
        return False
    most = float(np.median(np.linalg.norm(x[lag:] - x[:-lag], axis=1)))
    distance, nearest = cKDTree(x).query(x, _N_NEIGHBOURS)
    other_time = np.abs(nearest - np.arange(n)[:, None]) > _ANOTHER_TIME * reach
    pairs = other_time & (distance <= most)
    rows = np.flatnonzero(pairs.any(axis=1))
    if len(rows) < _FEWEST_PAIRS or len(rows) / reach < _FEWEST_INDEPENDENT:
        return False
    others = nearest[rows, np.argmax(pairs[rows], axis=1)]
    centred = residual - residual.mean()
    alike = float(np.mean(centred[rows] * centred[others]) / np.mean(centred**2))
    return alike < _LIKE_INPUTS * float(rho[1])
