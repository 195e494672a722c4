"""Polynomials that stand for any smooth law: what they leave, and their slopes."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eqlearn._types import Array

#: Degrees to choose from.
_DEGREES = (6, 5, 4, 3, 2, 1)


class Polynomial:
    """A polynomial in standardised coordinates, and its slopes."""

    def __init__(self, coordinates: Array, degree: int) -> None:
        mean = coordinates.mean(axis=1, keepdims=True)
        self.scale = coordinates.std(axis=1) + 1e-300
        self.c = (coordinates - mean) / self.scale[:, None]
        n = len(coordinates)
        self.terms = [
            tuple(chosen.count(i) for i in range(n))
            for size in range(degree + 1)
            for chosen in itertools.combinations_with_replacement(range(n), size)
        ]
        powers = [np.ones_like(self.c)]
        for _ in range(degree):
            powers.append(powers[-1] * self.c)
        self._powers = np.array(powers)  # (degree + 1, n, N)
        self.values = np.array([self._product(term) for term in self.terms])

    def _product(self, term: Sequence[int]) -> Array:
        values = np.ones(self.c.shape[1])
        for i, power in enumerate(term):
            if power:
                values = values * self._powers[power, i]
        return values

    def fitted(self, y: Array, root: Array) -> Array:
        """The coefficients that fit `y` best."""
        weighted = (self.values * root).T
        return np.asarray(np.linalg.lstsq(weighted, y * root, rcond=1e-11)[0], float)

    def robustly_fitted(self, y: Array, base: Array) -> Array:
        """A fit in which rows that are far off count less: log has a hole at 0."""
        weight = base
        for _ in range(4):
            coefficients = self.fitted(y, weight)
            off = np.abs(y - coefficients @ self.values) * base
            middle = float(np.median(off[base > 0]))
            weight = base / np.sqrt(1.0 + (off / (3.0 * middle + 1e-300)) ** 2)
        return coefficients

    def slope(self, coefficients: Array, i: int) -> Array:
        """The derivative by a coordinate."""
        total: Array = np.zeros(self.c.shape[1])
        for term, weight in zip(self.terms, coefficients, strict=True):
            if term[i]:
                lower = tuple(p - (j == i) for j, p in enumerate(term))
                total += weight * term[i] * self._product(lower)
        total /= self.scale[i]
        return total


def degree_for(n_variables: int, n_rows: int, share: float) -> int:
    """The highest degree whose polynomial has no more terms than a share of rows."""
    return next(
        d for d in _DEGREES if d == 1 or math.comb(n_variables + d, d) <= share * n_rows
    )


def coordinate_systems(x: Array) -> list[list[bool]]:
    """Coordinates over which a law may be smooth: which inputs to take by their log.

    All that can be, or only those that are nowhere next to zero.
    """
    positive = [bool(row.min() > 0) for row in x]
    away = [bool(row.min() > 0.05 * row.max() > 0) for row in x]
    plain = [False] * len(x)
    return [list(one) for one in dict.fromkeys(map(tuple, (positive, away, plain)))]


def coordinates(x: Array, by_log: Sequence[bool]) -> Array:
    """Inputs, or their logarithms."""
    return np.array([np.log(r) if log else r for r, log in zip(x, by_log, strict=True)])


@dataclass(frozen=True)
class Smooth:
    """A polynomial fit of a target over the coordinates that suit it best."""

    polynomial: Polynomial
    by_log: list[bool]
    coefficients: Array
    left: float  # mean square, by degrees of freedom

    @classmethod
    def of(cls, x: Array, y: Array, root: Array, degree: int) -> "Smooth":
        """The best of the fits over all systems of coordinates."""
        fits = []
        for by_log in coordinate_systems(x):
            polynomial = Polynomial(coordinates(x, by_log), degree)
            coefficients = polynomial.fitted(y, root)
            left = (y - coefficients @ polynomial.values) * root
            n_free = max(x.shape[1] - len(polynomial.terms), 1)
            fits.append(
                cls(polynomial, by_log, coefficients, float(left @ left) / n_free)
            )
        return min(fits, key=lambda one: one.left)

    def slopes(self, x: Array, coefficients: Array) -> Array:
        """By how much the target changes with each input, (D, N)."""
        return np.array(
            [
                self.polynomial.slope(coefficients, i) / (x[i] if log else 1.0)
                for i, log in enumerate(self.by_log)
            ]
        )
