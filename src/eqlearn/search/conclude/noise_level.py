"""How much noise there is, told by the rows alone, without any formula."""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import fdtrc

from eqlearn._types import Array
from eqlearn.search.smooth.smooth_fits import Smooth, degree_for
from eqlearn.search.verdict_strategy import Judging

#: Terms of a polynomial that stands for any function, as a share of the rows.
_TERMS = 1 / 6


class NoiseLevel(NamedTuple):
    """The variance of the noise, and by how many independent differences it is known.

    Differences of neighbours hold something of the law, so it may be too large; those
    of rows with equal inputs hold none.
    """

    variance: float
    n_free: int
    is_pure: bool  # from rows with equal inputs


def noise_level(x: Array, y: Array, least: int) -> NoiseLevel | None:
    """Estimate the noise from inputs (N, D) and a target (N,), if the rows allow.

    From rows with equal inputs, if there are enough; with one input, from how far each
    row is off the line through its neighbours (Gasser, Sroka and Jennen-Steinmetz).
    """
    repeated = _by_repetition(x, y)
    if repeated is not None and repeated.n_free >= least:
        return repeated
    moving = np.ptp(x, axis=0) > 0
    if moving.sum() == 1 and len(y) >= 3 * least:
        return _by_neighbours(x[:, moving][:, 0], y)
    return None


def least_left(x: Array, y: Array, root: Array, by: Judging) -> float | None:
    """The mean square that any function of the inputs leaves, as far as rows tell.

    By rows that were measured again or are neighbours, or by a polynomial.
    """
    noise = noise_level(x, y, by.fewest_differences)
    if noise is not None:
        return noise.variance
    columns = x.T[np.ptp(x, axis=0) > 0]
    if not 0 < len(columns) <= by.most_regions:
        return None
    degree = degree_for(len(columns), len(y), _TERMS)
    return Smooth.of(columns, y, root, degree).left


def chance_of_more(mean_square: float, n_free: int, noise: NoiseLevel) -> float:
    """How likely noise alone would leave as much, or more, than a formula does."""
    if not noise.variance:
        return 1.0 if not mean_square else 0.0
    return float(fdtrc(max(n_free, 1), noise.n_free, mean_square / noise.variance))


def _by_repetition(x: Array, y: Array) -> NoiseLevel | None:
    _, which = np.unique(x, axis=0, return_inverse=True)
    which = which.ravel()
    n = np.bincount(which)
    n_free = len(y) - len(n)
    if not n_free:
        return None
    means = np.bincount(which, y) / n
    total = float(np.sum((y - means[which]) ** 2))
    return NoiseLevel(total / n_free, n_free, True)


def _by_neighbours(x: Array, y: Array) -> NoiseLevel | None:
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    gap = x[2:] - x[:-2]
    is_apart = gap > 0
    if not is_apart.any():
        return None
    left = np.divide(x[2:] - x[1:-1], gap, where=is_apart, out=np.full(len(gap), 0.5))
    off = y[1:-1] - left * y[:-2] - (1.0 - left) * y[2:]
    size = 1.0 + left**2 + (1.0 - left) ** 2
    # Three rows have a part in each: as many are independent as do not overlap, and
    # about half as many again tell something more.
    n_free = max(1, math.floor(len(off) / 2))
    return NoiseLevel(float(np.mean(off**2 / size)), n_free, False)
