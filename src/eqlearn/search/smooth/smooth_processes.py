"""Gaussian processes that stand for any smooth law of several inputs.

A polynomial of five inputs has terms for few powers of each. A process needs no terms:
rows are alike as their inputs are, by a length for each, and the lengths are those
under which the rows are likeliest. It tells what a smooth law leaves, and its slopes.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from eqlearn._types import Array
from eqlearn.search.survey_strategy import ProcessFits

# Of the diagonal, so that rounding leaves the matrix positive.
_JITTER = 1e-10
# Bounds of the logarithms: of lengths, of the size of the law, of the noise.
_LENGTHS = (math.log(0.05), math.log(100.0))
_SIZE, _NOISE = (-4.0, 10.0), (math.log(1e-10), 0.0)
# The variance of a straight line, which bends nothing and so is free.
_LINE = 10.0


@dataclass(frozen=True)
class Process:
    """A smooth fit of rows whose coordinates are of unit size."""

    left: float  # mean square of what the others leave of each row
    slopes: Array  # (D, N) by each coordinate, where the rows are
    values: Array  # (N,)
    lengths: Array  # (D,) within which the law is alike

    @classmethod
    def of(
        cls, coordinates: Array, y: Array, root: Array, by: ProcessFits
    ) -> "Process":
        """The likeliest process of coordinates (D, N); `root` are root weights."""
        # Here, not above: it takes long to load, and few searches need it.
        from scipy.optimize import minimize

        spread = coordinates.std(axis=1, keepdims=True) + 1e-300
        c = (coordinates - coordinates.mean(axis=1, keepdims=True)) / spread
        mean = float(np.average(y, weights=root**2))
        scale = float(np.std((y - mean) * root)) + 1e-300
        rows = _Rows.of(c, (y - mean) / scale, root)
        d = len(c)
        begin = np.r_[np.full(d, math.log(by.length)), 0.0, math.log(by.noise)]
        bounds = [_LENGTHS] * d + [_SIZE, _NOISE]
        options = {"maxiter": by.n_iterations}
        found = minimize(
            rows.surprise,
            begin,
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            options=options,
        )
        off, values, slopes = rows.fitted(found.x)
        left = float(np.mean((off * root) ** 2)) * scale**2
        slopes *= scale / spread
        return cls(left, slopes, mean + scale * values, np.exp(found.x[:d]))


@dataclass(frozen=True)
class _Rows:
    """What a process is fitted to, and how far apart rows are."""

    c: Array  # (D, N)
    y: Array  # (N,)
    noise: Array  # (N,) variance of each row's noise, of the usual one
    squares: Array  # (D, N * N) of distances by each coordinate
    line: Array  # (N, N) covariance of straight lines

    @classmethod
    def of(cls, c: Array, y: Array, root: Array) -> "_Rows":
        squares = (c[:, :, None] - c[:, None, :]) ** 2
        usual = root / np.sqrt(np.mean(root**2))
        noise = 1.0 / np.maximum(usual, 0.03) ** 2
        return cls(c, y, noise, squares.reshape(len(c), -1), _LINE * (c.T @ c))

    def _alike(self, inverse_squares: Array, size: float) -> Array:
        n = len(self.y)
        alike: Array = np.exp(-0.5 * (inverse_squares @ self.squares)).reshape(n, n)
        return size * alike

    def _solved(self, alike: Array, size: float, noise: float) -> tuple[Array, float]:
        """The inverse of the covariance, and half the logarithm of its determinant."""
        diagonal = noise * self.noise + _JITTER * size
        whole = alike + self.line
        whole.flat[:: len(whole) + 1] += diagonal
        # Its transpose is the same, and has the order that LAPACK works in.
        factor, failed = lapack.dpotrf(whole.T, overwrite_a=1)
        if failed:
            return whole, math.inf
        half = float(np.log(np.diag(factor)).sum())
        inverse, _ = lapack.dpotri(factor, overwrite_c=1)
        upper = np.triu(inverse, 1)
        upper += upper.T
        upper.flat[:: len(upper) + 1] = np.diag(inverse)
        return upper, half

    def surprise(self, logs: Array) -> tuple[float, Array]:
        """How unlikely the rows are, and the slopes of that by the logarithms."""
        d = len(self.c)
        inverse_squares = np.exp(-2.0 * logs[:d])
        size, noise = math.exp(logs[d]), math.exp(logs[d + 1])
        alike = self._alike(inverse_squares, size)
        inverse, half = self._solved(alike, size, noise)
        if not math.isfinite(half):
            return 1e10, np.zeros(d + 2)
        told = inverse @ self.y
        change = inverse - np.outer(told, told)
        by_pair = change * alike
        by_length = 0.5 * inverse_squares * (self.squares @ by_pair.ravel())
        by_noise = 0.5 * noise * float(np.diag(change) @ self.noise)
        slopes = np.r_[by_length, 0.5 * float(by_pair.sum()), by_noise]
        return 0.5 * float(self.y @ told) + half, slopes

    def fitted(self, logs: Array) -> tuple[Array, Array, Array]:
        """By how much each row is off if the others tell it, all values, all slopes."""
        d = len(self.c)
        inverse_squares = np.exp(-2.0 * logs[:d])
        size, noise = math.exp(logs[d]), math.exp(logs[d + 1])
        alike = self._alike(inverse_squares, size)
        inverse, _ = self._solved(alike, size, noise)
        told = inverse @ self.y
        values = (alike + self.line) @ told
        # Of exp(-(a - b)²/2l²) by a: (b - a)/l² times itself.
        towards = self.c * (alike @ told) - (alike @ (self.c * told).T).T
        slopes = -towards * inverse_squares[:, None]
        slopes += _LINE * (self.c @ told)[:, None]
        return told / np.diag(inverse), values, slopes
