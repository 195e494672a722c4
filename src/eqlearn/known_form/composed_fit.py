"""Fits of a known form: letters, and functions that are polynomials or formulas."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.read.outer_form import OuterForm
from eqlearn.model.prediction import parameters_of, slopes, with_parameters
from eqlearn.network.graph import Graph

#: How far a value is moved for a slope, of its size or of the smallest that counts.
_STEP, _SMALLEST = 1e-6, 1e-3
#: A fit ends where a step gains less than this share of the squared error.
_TOLERANCE = 1e-9
#: Powers of an argument that ranges over more than this factor are no polynomials.
_WIDE = 3.0


@dataclass(frozen=True, eq=False)
class SmoothInner:
    """A function as a polynomial: it stands for any smooth one."""

    basis: Array  # (N, Q)
    numbers: Array  # (Q,)

    def values(self) -> Array:
        """What it is in each row."""
        return np.asarray(self.basis @ self.numbers)

    def jacobian(self) -> Array:
        """How that changes with each number, (N, Q)."""
        return self.basis

    def moved(self, step: Array) -> "SmoothInner":
        """The function with other numbers."""
        return replace(self, numbers=self.numbers + step)


@dataclass(frozen=True, eq=False)
class Inner:
    """A function as a formula."""

    graph: Graph
    arguments: Array  # (N, K)

    @property
    def numbers(self) -> Array:
        """Its free constants."""
        return parameters_of(self.graph)

    def values(self) -> Array:
        """What it is in each row."""
        return np.asarray(self.graph.evaluate(self.arguments)[0][:, 0])

    def jacobian(self) -> Array:
        """How that changes with each constant, (N, P)."""
        return slopes(self.graph, self.arguments).T

    def moved(self, step: Array) -> "Inner":
        """The formula with other constants."""
        return replace(self, graph=with_parameters(self.graph, self.numbers + step))


@dataclass(frozen=True, eq=False)
class Composed:
    """A form with values for its letters and something for each function."""

    form: OuterForm
    letters: Mapping[str, float]
    functions: Mapping[str, SmoothInner | Inner]
    sse: float = np.inf

    @property
    def n_constants(self) -> int:
        """How many numbers are free."""
        return len(self.letters) + sum(len(f.numbers) for f in self.functions.values())

    def values(self, x: Array) -> Array:
        """The target in each row."""
        inner = {name: one.values() for name, one in self.functions.items()}
        return self.form.values(x, self.letters, inner)

    def with_function(self, name: str, one: SmoothInner | Inner) -> "Composed":
        """The form with something else for one of its functions."""
        return replace(self, functions={**self.functions, name: one})


@dataclass(frozen=True, eq=False)
class FormRows:
    """Rows of one target."""

    x: Array  # (N, D)
    y: Array  # (N,)
    root: Array  # (N,) square roots of the weights


def polynomial_basis(arguments: Array, degree: int) -> Array:
    """Products of Chebyshev polynomials up to a total degree, (N, Q).

    Of what is positive and ranges widely, polynomials of the logarithm.
    """
    low, high = arguments.min(axis=0), arguments.max(axis=0)
    is_wide = (low > 0) & (high > _WIDE * low)
    arguments = np.where(is_wide, np.log(np.where(is_wide, arguments, 1.0)), arguments)
    low, high = arguments.min(axis=0), arguments.max(axis=0)
    width = np.where(high > low, high - low, 1.0)
    scaled = 2.0 * (arguments - low) / width - 1.0
    columns = [np.ones(len(arguments))]
    for total in range(1, degree + 1):
        for chosen in combinations_with_replacement(range(scaled.shape[1]), total):
            orders = np.bincount(chosen, minlength=scaled.shape[1])
            column = np.ones(len(arguments))
            for k, order in enumerate(orders):
                coefficients = np.zeros(order + 1)
                coefficients[order] = 1.0
                column = column * np.polynomial.chebyshev.chebval(
                    scaled[:, k], coefficients
                )
            columns.append(column)
    return np.stack(columns, axis=1)


def slope_of(composed: Composed, name: str, x: Array) -> tuple[Array, Array]:
    """The values (N,) of a function, and how the target changes with them."""
    inner = {key: one.values() for key, one in composed.functions.items()}
    values = inner[name]
    step = _STEP * np.maximum(np.abs(values), max(float(np.std(values)), _SMALLEST))
    ends = [
        composed.form.values(x, composed.letters, {**inner, name: values + sign * step})
        for sign in (1.0, -1.0)
    ]
    return values, (ends[0] - ends[1]) / (2.0 * step)


def fitted(
    composed: Composed, rows: FormRows, n_steps: int, tolerance: float = _TOLERANCE
) -> Composed:
    """Fit letters and functions to the target, by Levenberg and Marquardt's method."""
    with np.errstate(all="ignore"):
        return _fitted(composed, rows, n_steps, tolerance)


def _fitted(
    composed: Composed, rows: FormRows, n_steps: int, tolerance: float
) -> Composed:
    best = replace(composed, sse=_sse(composed, rows))
    damping = 1e-3
    for _ in range(n_steps):
        if not np.isfinite(best.sse):
            return best
        jacobian = _jacobian(best, rows)
        residual = rows.root * (rows.y - best.values(rows.x))
        gram, slope = jacobian.T @ jacobian, jacobian.T @ residual
        if not np.isfinite(gram).all():
            return best
        before = best.sse
        for _ in range(8):
            tried = _moved(best, _step(gram, slope, damping))
            tried = replace(tried, sse=_sse(tried, rows))
            if tried.sse < best.sse:
                best, damping = tried, max(damping / 5.0, 1e-12)
                break
            damping *= 6.0
        if not before - best.sse > tolerance * before:
            break
    return best


def _sse(composed: Composed, rows: FormRows) -> float:
    residual = rows.root * (rows.y - composed.values(rows.x))
    total = float(residual @ residual)
    return total if np.isfinite(total) else np.inf


def _jacobian(composed: Composed, rows: FormRows) -> Array:
    inner = {key: one.values() for key, one in composed.functions.items()}
    columns: list[Array] = []
    for name, value in composed.letters.items():
        step = _STEP * max(abs(value), _SMALLEST)
        ends = [
            composed.form.values(
                rows.x, {**composed.letters, name: value + sign * step}, inner
            )
            for sign in (1.0, -1.0)
        ]
        columns.append(((ends[0] - ends[1]) / (2.0 * step))[:, None])
    for name, one in composed.functions.items():
        _, slope = slope_of(composed, name, rows.x)
        columns.append(slope[:, None] * one.jacobian())
    jacobian = np.concatenate(columns, axis=1) * rows.root[:, None]
    return np.where(np.isfinite(jacobian), jacobian, 0.0)


def _moved(composed: Composed, step: Array) -> Composed:
    n = len(composed.letters)
    letters = {
        name: value + float(change)
        for (name, value), change in zip(composed.letters.items(), step, strict=False)
    }
    functions: dict[str, SmoothInner | Inner] = {}
    for name, one in composed.functions.items():
        k = len(one.numbers)
        functions[name] = one.moved(step[n : n + k])
        n += k
    return replace(composed, letters=letters, functions=functions)


def _step(gram: Array, slope: Array, damping: float) -> Array:
    diagonal = np.diag(gram)
    scale = np.sqrt(np.maximum(diagonal, 1e-300))
    # Letters and functions may say the same: the damping chooses among equals.
    scaled = gram / np.outer(scale, scale) + (damping + 1e-10) * np.eye(len(gram))
    step = np.linalg.lstsq(scaled, slope / scale, rcond=None)[0] / scale
    return np.where(diagonal > 0, step, 0.0)
