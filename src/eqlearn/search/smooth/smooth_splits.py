"""How a target falls apart, told by polynomials in the place of any smooth function.

Of two groups A and B of the inputs, it may be a sum a(A) + b(B), a product a(A) b(B),
a product with an offset, or have an offset and a slope that vary, s(A) + a(A) b(B). The
last is what the others are special cases of.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array
from eqlearn.search.smooth.smooth_fits import (
    Polynomial,
    Smooth,
    coordinates,
    degree_for,
)
from eqlearn.search.survey_strategy import Separation
from eqlearn.training.samples import Samples

#: Numbers of inputs.
Group = tuple[int, ...]


class Way(Enum):
    """How two functions of different inputs go together, the simplest first."""

    SUM = "a(A) + b(B)"
    PRODUCT = "a(A) b(B)"
    OFFSET = "c + a(A) b(B)"
    VARYING = "s(A) + a(A) b(B)"


class SmoothSplit(NamedTuple):
    """Two groups of inputs, how they go together, and smooth functions of them."""

    way: Way
    first: Group  # A
    second: Group  # B
    a: Array  # (N,) values at the rows
    b: Array
    start: Array  # (N,) c or s(A); 0 where there is none
    left: float  # mean square, by degrees of freedom
    n_terms: int  # of the smooth functions


def splits(rows: Samples, by: Separation) -> list[SmoothSplit]:
    """Ways in which a target falls apart, the clearest first; none if it does not."""
    x, y, root = rows.x, rows.y[0], rows.root_weight
    if not 2 <= len(x) <= by.most_variables or not np.isfinite(x).all():
        return []
    smooth = Smooth.of(x, y, root, degree_for(len(x), x.shape[1], by.terms_a_row))
    mean = np.average(y, weights=root**2)
    if smooth.left > by.not_smooth * np.mean((root * (y - mean)) ** 2):
        return []
    fit = _Fit(x, y, root, smooth.by_log, by)
    most = by.as_good * smooth.left + 1e-20
    groups = list(_bipartitions(len(x)))
    simple = [one for a, b in groups if (one := fit.simplest(a, b, most)) is not None]
    if not simple and len(x) <= by.most_varying:
        alone = [(rest, (i,)) for i, rest in _one_apart(len(x))]
        varying = (fit.varying(a, b) for a, b in alone)
        simple = [one for one in varying if one is not None and one.left < most]
    return sorted(simple, key=lambda one: one.left)[: by.n_splits]


def _bipartitions(n: int) -> Iterator[tuple[Group, Group]]:
    """All ways to put inputs into two groups, the smaller one first."""
    everything = range(n)
    for size in range(1, n // 2 + 1):
        for first in itertools.combinations(everything, size):
            rest = tuple(i for i in everything if i not in first)
            if size < len(rest) or first[0] == 0:
                yield first, rest


def _one_apart(n: int) -> Iterator[tuple[int, Group]]:
    for i in range(n):
        yield i, tuple(j for j in range(n) if j != i)


#: Values of a, b and the start, and how many terms they have.
_Functions = tuple[Array, Array, Array, int]

# A product of two functions is found in a few turns if it is one.
_N_TURNS = 12


class _Fit:
    """Smooth functions of groups of inputs, fitted by turns."""

    def __init__(
        self, x: Array, y: Array, root: Array, by_log: Sequence[bool], by: Separation
    ) -> None:
        self._x, self._y, self._root = x, y, root
        self._by_log, self._by = by_log, by

    def simplest(self, first: Group, second: Group, most: float) -> SmoothSplit | None:
        """The simplest way, without a varying one, that leaves little enough."""
        a, b = self._basis(first), self._basis(second)
        for way in (Way.SUM, Way.PRODUCT, Way.OFFSET):
            one = self._sum(a, b) if way is Way.SUM else self._product(a, b, way)
            if one is None:
                continue
            split = self._split(way, first, second, one)
            if split.left < most:
                return split
        return None

    def varying(self, first: Group, second: Group) -> SmoothSplit | None:
        """An offset and a slope that vary with the first group."""
        a, b = self._basis(first, n_functions=2), self._basis(second)
        found = None
        for start in b[1:3]:
            one = self._by_turns(a, b, start)
            if one is None:
                continue
            split = self._split(Way.VARYING, first, second, one)
            if found is None or split.left < found.left:
                found = split
        return found

    def _basis(self, group: Group, n_functions: int = 1) -> Array:
        """Polynomials of some inputs, orthonormal at the rows, the first constant."""
        chosen, by = list(group), self._by
        share = by.terms_a_row / n_functions
        degree = degree_for(len(group), self._x.shape[1], share)
        if len(group) == 1:
            degree = by.degree_of_one
        some = coordinates(self._x[chosen], [self._by_log[i] for i in chosen])
        basis, _ = np.linalg.qr(Polynomial(some, degree).values.T)
        return np.ascontiguousarray(basis.T)  # (terms, N)

    def _solved(self, columns: Array, y: Array) -> Array:
        weighted = (columns * self._root).T
        found = np.linalg.lstsq(weighted, y * self._root, rcond=1e-11)[0]
        return np.asarray(found, float)

    def _split(
        self, way: Way, first: Group, second: Group, fit: _Functions
    ) -> SmoothSplit:
        a, b, start, n_terms = fit
        together = a + b if way is Way.SUM else start + a * b
        weighted = (self._y - together) * self._root
        left = float(weighted @ weighted) / max(len(weighted) - n_terms, 1)
        return SmoothSplit(way, first, second, a, b, start, left, n_terms)

    def _sum(self, a: Array, b: Array) -> _Functions:
        both = np.concatenate([a, b[1:]])
        weights = self._solved(both, self._y)
        of_a, of_b = weights[: len(a)] @ a, weights[len(a) :] @ b[1:]
        return of_a, of_b, np.zeros_like(self._y), len(both)

    def _product(self, first: Array, second: Array, way: Way) -> _Functions | None:
        """A product of two functions, each fitted to what the other leaves."""
        with_offset = way is Way.OFFSET
        a, b, offset = self._solved(first, self._y) @ first, np.array(0.0), 0.0
        for _ in range(_N_TURNS):
            b, offset = self._factor(second, a, with_offset)
            a, offset = self._factor(first, b, with_offset)
            size = float(np.sqrt(np.mean(a**2)))
            if not 0.0 < size < math.inf:
                return None
            a, b = a / size, b * size
        n_terms = len(first) + len(second) - 1 + with_offset
        return a, b, np.full_like(self._y, offset), n_terms

    def _factor(
        self, basis: Array, other: Array, with_offset: bool
    ) -> tuple[Array, float]:
        """The best factor beside another one, and the best offset."""
        columns = basis * other
        if with_offset:
            columns = np.concatenate([columns, np.ones((1, len(self._y)))])
        weights, n = self._solved(columns, self._y), len(basis)
        return weights[:n] @ basis, float(weights[n]) if with_offset else 0.0

    def _by_turns(self, first: Array, second: Array, b: Array) -> _Functions | None:
        n = len(first)
        for _ in range(_N_TURNS):
            b = b - np.mean(b)
            size = float(np.sqrt(np.mean(b**2)))
            if not 0.0 < size < math.inf:
                return None
            b = b / size
            weights = self._solved(np.concatenate([first * b, first]), self._y)
            a, start = weights[:n] @ first, weights[n:] @ first
            b = self._solved(second * a, self._y - start) @ second
        return a, b, start, 2 * n + len(second) - 2
