"""Tests of residuals for structure: how likely noise would show as much.

Each looks for something else: what neighbours share, waves along an input, smooth
functions of the inputs. All are pure functions of arrays, for tables of any size.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree
from scipy.special import fdtrc, log_ndtr, ndtri

from eqlearn._types import Array
from eqlearn.search.smooth.smooth_fits import Smooth, degree_for
from eqlearn.search.verdict_strategy import Residuals


class Remains(NamedTuple):
    """What a formula leaves in every row."""

    x: Array  # (N, D)
    residual: Array  # (N,)
    root: Array  # (N,) of the weights
    n_parameters: int  # that the formula has had fitted
    used: frozenset[int]  # inputs of the formula

    @property
    def weighted(self) -> Array:
        """Residuals that all count the same."""
        weighted: Array = self.residual * self.root
        return weighted

    def first(self, n: int) -> "Remains":
        """The same of the first `n` rows."""
        return self._taken(slice(n))

    def every_other(self) -> "Remains":
        """The same of every other row."""
        return self._taken(slice(None, None, 2))

    def _taken(self, rows: slice) -> "Remains":
        x, residual, root = self.x[rows], self.residual[rows], self.root[rows]
        return self._replace(x=x, residual=residual, root=root)


class StructureTest(NamedTuple):
    """One test: of what, along which inputs, and how likely noise shows as much."""

    kind: str
    inputs: tuple[int, ...]
    chance: float


def structure_tests(left: Remains, by: Residuals) -> list[StructureTest]:
    """Make all tests; their chances are those of each alone."""
    inputs = seen_inputs(left, by)
    left = ranked(left)
    smooth, waves = left.first(by.most_rows_smooth), left.first(by.most_rows_waves)
    return [
        *neighbour_tests(left.first(by.most_rows), inputs, by),
        *smooth_tests(smooth, inputs),
        *(wave_test(waves, i) for i in inputs),
        *pair_wave_tests(waves, by),
    ]


def size_tests(left: Remains, expected: Array) -> list[StructureTest]:
    """Whether the size of residuals goes along with what is expected, or an input.

    By ranks; along an input from end to end, and from its middle to both ends. The
    first test is that of the size of the expected value.
    """
    size = _ranks(np.abs(left.weighted))
    along: list[tuple[tuple[int, ...], Array]] = [((), np.abs(expected))]
    for i in sorted(left.used):
        column = left.x[:, i]
        along += [((i,), column), ((i,), np.abs(column - np.median(column)))]
    return [
        StructureTest("size", which, _chance_of_ranks(size, _ranks(column)))
        for which, column in along
        if np.ptp(column) > 0
    ]


def _chance_of_ranks(first: Array, second: Array) -> float:
    """How likely independent ranks go along as much."""
    if not np.ptp(first) or not np.ptp(second):
        return 1.0
    rho = float(np.corrcoef(first, second)[0, 1])
    errors = abs(rho) * math.sqrt(len(first) - 1)
    return 2.0 * math.exp(float(log_ndtr(-errors)))


def most_striking(tests: Sequence[StructureTest]) -> StructureTest:
    """The test with the least chance, which is corrected for the number of tests."""
    least = min(tests, key=lambda test: test.chance)
    # As many tests as were made: one of them is bound to be the most striking.
    return least._replace(chance=min(1.0, len(tests) * least.chance))


def ranked(left: Remains) -> Remains:
    """The same with residuals by their ranks, as if drawn from a normal distribution.

    Noise with heavy tails, or an outlier, must not decide a test alone.
    """
    scores = normal_scores(left.weighted)
    return left._replace(residual=scores, root=np.ones(len(scores)))


def normal_scores(values: Array) -> Array:
    """What values (N,) of these ranks are in a normal distribution."""
    scores: Array = ndtri(_ranks(values) / len(values))
    return scores


def _ranks(values: Array) -> Array:
    """How many values (N,) are smaller, half of the equal ones, which share ranks."""
    _, which, times = np.unique(values, return_inverse=True, return_counts=True)
    middle: Array = np.cumsum(times) - times / 2
    return middle[which]


def seen_inputs(left: Remains, by: Residuals) -> tuple[int, ...]:
    """The inputs of the formula, and those that what it leaves goes along with."""
    x = left.x.T
    spread = x.std(axis=1)
    alike = np.abs((x - x.mean(axis=1, keepdims=True)) @ left.weighted)
    alike /= spread + 1e-300
    order = sorted(range(len(x)), key=lambda i: (i not in left.used, -alike[i]))
    return tuple(i for i in order[: by.most_inputs] if spread[i] > 0)


def neighbour_tests(
    left: Remains, inputs: Sequence[int], by: Residuals
) -> Iterator[StructureTest]:
    """Whether residuals of neighbours are alike, along every input and along all."""
    groups: list[tuple[int, ...]] = [(i,) for i in inputs]
    if len(inputs) > 1:
        groups.append(tuple(inputs))
    for group in groups:
        x = left.x[:, list(group)]
        errors = relatedness_of(x / x.std(axis=0), left.weighted, by.n_neighbours)
        yield StructureTest("neighbours", group, math.exp(float(log_ndtr(-errors))))


def relatedness_of(x: Array, residual: Array, n_neighbours: int) -> float:
    """The mean product of residuals of neighbours, in standard errors."""
    n = len(x)
    _, nearest = cKDTree(x).query(x, min(n_neighbours + 1, n))
    pairs = np.stack([np.repeat(np.arange(n), nearest.shape[1]), nearest.ravel()])
    # Of rows with equal inputs any may come first; none is its own neighbour.
    low, high = np.sort(pairs[:, pairs[0] != pairs[1]], axis=0)
    # Two that are each other's neighbours are one pair, of twice the weight: as two
    # independent ones they would seem to say more than they do.
    edges, times = np.unique(low * n + high, return_counts=True)
    products = times * residual[edges // n] * residual[edges % n]
    error = float(np.sqrt(np.sum(products**2)))
    return float(products.sum()) / error if error else 0.0


def smooth_tests(left: Remains, inputs: Sequence[int]) -> Iterator[StructureTest]:
    """F-tests of what polynomials of several degrees explain of residuals."""
    x, n = left.x.T[list(inputs)], len(left.residual)
    if not len(x):
        return
    total = float(np.sum(left.weighted**2))
    for degree in range(1, degree_for(len(x), n, 1 / 6) + 1):
        smooth = Smooth.of(x, left.residual, left.root, degree)
        n_terms = len(smooth.polynomial.terms)
        n_free = n - n_terms
        if n_free < n_terms:
            return
        unexplained = smooth.left * max(n_free, 1)
        # The parameters of the formula have explained their share before.
        n_new = max(n_terms - left.n_parameters, 1)
        ratio = (total - unexplained) / n_new / (unexplained / n_free + 1e-300)
        chance = float(fdtrc(n_new, n_free, max(ratio, 0.0)))
        yield StructureTest("smooth", tuple(inputs), chance)


def wave_test(left: Remains, i: int) -> StructureTest:
    """Whether a wave along an input explains more than one in noise would."""
    return StructureTest("wave", (i,), _chance_of_wave(left, left.x[:, i]))


def pair_wave_tests(left: Remains, by: Residuals) -> Iterator[StructureTest]:
    """The same along products and quotients of two inputs of the formula.

    A wave in n*t is none in n, nor in t.
    """
    inputs = sorted(left.used)
    if len(inputs) > by.most_paired:
        return
    for i, j in itertools.combinations(inputs, 2):
        first, second = left.x[:, i], left.x[:, j]
        yield StructureTest("product", (i, j), _chance_of_wave(left, first * second))
        if np.abs(second).min() > by.least_divisor * np.abs(second).max():
            chance = _chance_of_wave(left, first / second)
            yield StructureTest("quotient", (i, j), chance)


def _chance_of_wave(left: Remains, along: Array) -> float:
    x, y, n = along - along.min(), left.weighted, len(along)
    if not x.any():  # one value in the rows that are looked at
        return 1.0
    turns = _strongest_waves(x / x.max(), y)
    won = max(_explained_by_wave(2.0 * math.pi * t / x.max() * x, y) for t in turns)
    n_free = max(n - 2 - left.n_parameters, 1)
    ratio = won / 2 / (max(float(y @ y) - won, 1e-300) / n_free)
    one = float(fdtrc(2, n_free, ratio))
    # As many independent frequencies as there are rows, between which others lie.
    return -math.expm1(2 * n * math.log1p(-min(one, 1.0 - 1e-16)))


#: Cells of the grid that residuals are put on, for each row: a wave of as many turns
#: as there are rows is met within a fifth of a radian.
_N_CELLS = 32
_N_STRONGEST = 5


def _strongest_waves(x: Array, y: Array) -> Array:
    """How many turns the strongest waves make over the range; x is from 0 to 1."""
    n = len(x)
    cell = np.minimum((x * _N_CELLS * n).astype(int), _N_CELLS * n - 1)
    # Twice the range: halves of turns, or a wave between two whole ones is missed.
    grid = np.bincount(cell, y, minlength=2 * _N_CELLS * n)
    power = np.abs(np.fft.rfft(grid)[1 : 2 * n + 1])
    strongest = np.argsort(power)[-_N_STRONGEST:]
    return (strongest + 1) / 2


def _explained_by_wave(angle: Array, y: Array) -> float:
    """What a sine and a cosine of these angles explain of the sum of squares."""
    basis = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    fitted, *_ = np.linalg.lstsq(basis, y, rcond=1e-9)
    return float(np.sum((basis @ fitted) ** 2))
