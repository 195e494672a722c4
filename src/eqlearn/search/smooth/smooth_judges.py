"""Judges of reductions: any smooth law, of all inputs or of fewer variables.

Polynomials judge laws that they come near to. Where they do not, for they can have few
powers of many inputs, a Gaussian process does.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np

from eqlearn._types import Array
from eqlearn.search.smooth.smooth_fits import (
    Smooth,
    coordinate_systems,
    coordinates,
    degree_for,
)
from eqlearn.search.smooth.smooth_processes import Process
from eqlearn.search.survey_strategy import ProcessFits

# Share of the rows that may be terms of a polynomial that judges, or gives slopes.
_TERMS_OF_JUDGE, _TERMS_OF_SLOPES = 0.2, 0.25


class Fitted(NamedTuple):
    """A smooth law where the rows are."""

    slopes: Array  # (D, N) by each input
    values: Array  # (N,)
    left: float  # mean square


class Judge(Protocol):
    """Says what a smooth law leaves of rows, as a mean square."""

    def left(self, x: Array, y: Array, root: Array) -> float:
        """What one of the variables `x` (D, N) leaves of `y`."""

    def fitted(self, x: Array, y: Array, root: Array, *, is_log: bool) -> Fitted:
        """One of all inputs; of a logarithm, rows near its hole count less."""

    def of_variables(self, n_variables: int, n_rows: int) -> "Judge":
        """The judge for laws of so many variables."""

    def quick(self) -> "Judge":
        """One that takes a fraction of the time, and fewer rows."""

    @property
    def not_smooth(self) -> float:
        """Share of the variance that it leaves of laws of which it tells nothing."""


@dataclass(frozen=True)
class ByPolynomials:
    """Polynomials of a degree; those of one variable have twice as high a one."""

    degree: int
    not_smooth: float = 0.05

    def quick(self) -> "ByPolynomials":
        """See `Judge`."""
        return self

    @classmethod
    def of(cls, n_variables: int, n_rows: int) -> "ByPolynomials":
        """The highest degree that the rows can tell."""
        return cls(degree_for(n_variables, n_rows, _TERMS_OF_JUDGE))

    def left(self, x: Array, y: Array, root: Array) -> float:
        """See `Judge`."""
        return Smooth.of(x, y, root, self.degree * (2 if len(x) == 1 else 1)).left

    def fitted(self, x: Array, y: Array, root: Array, *, is_log: bool) -> Fitted:
        """See `Judge`."""
        degree = degree_for(len(x), x.shape[1], _TERMS_OF_SLOPES)
        smooth = Smooth.of(x, y, root, degree)
        coefficients = smooth.coefficients
        if is_log:
            coefficients = smooth.polynomial.robustly_fitted(y, root)
        values = coefficients @ smooth.polynomial.values
        return Fitted(smooth.slopes(x, coefficients), values, smooth.left)

    def of_variables(self, n_variables: int, n_rows: int) -> "ByPolynomials":
        """See `Judge`."""
        return ByPolynomials.of(n_variables, n_rows)


@dataclass(frozen=True)
class ByProcesses:
    """Gaussian processes, over logarithms of what is positive or the plain inputs."""

    in_logs: bool
    by: ProcessFits
    is_quick: bool = False
    not_smooth: float = 0.3

    def quick(self) -> "ByProcesses":
        """See `Judge`."""
        return replace(self, is_quick=True)

    def left(self, x: Array, y: Array, root: Array) -> float:
        """See `Judge`."""
        if self.is_quick:
            n = self.by.n_screened
            x, y, root = x[:, :n], y[:n], root[:n]
        return Process.of(coordinates(x, self._by_log(x)), y, root, self.by).left

    def fitted(self, x: Array, y: Array, root: Array, *, is_log: bool) -> Fitted:
        """See `Judge`."""
        del is_log  # the fit counts rows by what they tell anyway
        by_log = self._by_log(x)
        found = Process.of(coordinates(x, by_log), y, root, self.by)
        size = [
            row if log else np.ones_like(row)
            for row, log in zip(x, by_log, strict=True)
        ]
        return Fitted(found.slopes / np.array(size), found.values, found.left)

    def of_variables(self, n_variables: int, n_rows: int) -> "ByProcesses":
        """See `Judge`."""
        del n_variables, n_rows  # it takes as many as there are
        return self

    def _by_log(self, x: Array) -> list[bool]:
        return coordinate_systems(x)[0] if self.in_logs else [False] * len(x)


class Judged(NamedTuple):
    """A judge, what is left with all inputs, and the rows that this is said of."""

    judge: Judge
    left: float
    rows: tuple[Array, Array, Array]  # inputs, target and root weights


def judge_of(x: Array, y: Array, root: Array, by: ProcessFits | None) -> Judged:
    """Who tells best what a smooth law of these inputs leaves, and how much that is.

    Processes take their time: without their numbers polynomials judge.
    """
    return _judge_of(x.tobytes(), y.tobytes(), root.tobytes(), len(x), by)


@lru_cache(maxsize=16)
def _judge_of(
    x: bytes, y: bytes, root: bytes, n: int, by: ProcessFits | None
) -> Judged:
    rows = np.frombuffer(x).reshape(n, -1), np.frombuffer(y), np.frombuffer(root)
    first: Judge = ByPolynomials.of(n, rows[0].shape[1])
    found = Judged(first, first.left(*rows), rows)
    if by is None or n < by.fewest_inputs:
        return found
    if not found.left > by.rough * variance(rows[1], rows[2]):
        return found
    few = (rows[0][:, : by.n_rows], rows[1][: by.n_rows], rows[2][: by.n_rows])
    judges = [ByProcesses(by_log, by) for by_log in _systems(few[0])]
    lefts = [judge.fitted(*few, is_log=False).left for judge in judges]
    best = int(np.argmin(lefts))
    if not lefts[best] < by.better * found.left:
        return found
    return Judged(judges[best], lefts[best], few)


def _systems(x: Array) -> Sequence[bool]:
    return (True, False) if any(coordinate_systems(x)[0]) else (False,)


def variance(y: Array, root: Array) -> float:
    """Of rows that count by their weights."""
    return float(np.mean((root * (y - np.average(y, weights=root**2))) ** 2))
