"""Gaussian processes: what they leave, and their slopes, beside finite differences."""

import numpy as np
import pytest
from scipy.optimize import check_grad

from eqlearn._types import Array
from eqlearn.search.smooth.smooth_processes import Process, _Rows
from eqlearn.search.strategy import STANDARD

BY = STANDARD.processes
RNG = np.random.default_rng(0)
N = 150
X = RNG.uniform(-1.0, 1.0, (2, N))
ONES = np.ones(N)


def law(x: Array) -> Array:
    return np.asarray(np.exp(x[0]) * np.sin(2 * x[1]))


def test_it_leaves_the_noise_and_no_more() -> None:
    noise = 0.02
    y = law(X) + noise * RNG.normal(size=N)
    found = Process.of(X, y, ONES, BY)
    assert found.left == pytest.approx(noise**2, rel=0.5)
    assert np.mean((found.values - law(X)) ** 2) < noise**2


def test_what_it_leaves_of_a_row_is_told_by_the_others() -> None:
    # Of nothing but noise no process explains anything, however many rows it has.
    y = RNG.normal(size=N)
    found = Process.of(X, y, ONES, BY)
    assert found.left > 0.9 * np.var(y)


def test_its_slopes_are_those_of_the_law() -> None:
    found = Process.of(X, law(X), ONES, BY)
    true = [law(X), 2 * np.exp(X[0]) * np.cos(2 * X[1])]
    for slope, expected in zip(found.slopes, true, strict=True):
        assert np.sqrt(np.mean((slope - expected) ** 2)) < 0.05


def test_an_idle_coordinate_has_a_great_length() -> None:
    y = np.sin(3 * X[0]) + 0.01 * RNG.normal(size=N)
    lengths = Process.of(X, y, ONES, BY).lengths
    assert lengths[1] > 5 * lengths[0]


def test_rows_of_little_weight_hardly_count() -> None:
    y, root = law(X), ONES.copy()
    y[::10] += 5.0
    root[::10] = 1e-3
    found = Process.of(X, y, root, BY)
    rest = np.arange(N) % 10 != 0
    assert np.sqrt(np.mean((found.values - law(X))[rest] ** 2)) < 0.05


def test_scale_and_shift_of_the_target_are_those_of_the_answer() -> None:
    one = Process.of(X, law(X), ONES, BY)
    other = Process.of(X, 1e6 + 1e3 * law(X), ONES, BY)
    assert other.left == pytest.approx(1e6 * one.left, rel=1e-2)
    np.testing.assert_allclose(other.slopes, 1e3 * one.slopes, rtol=1e-2, atol=2.0)


def test_the_slopes_of_the_surprise_are_those_of_finite_differences() -> None:
    rows = _Rows.of(X, law(X) + 0.1 * RNG.normal(size=N), RNG.uniform(0.5, 2.0, N))

    def value(logs: Array) -> float:
        return rows.surprise(logs)[0]

    def slopes(logs: Array) -> Array:
        return rows.surprise(logs)[1]

    at = np.array([0.3, -0.2, 0.4, -3.0])
    assert check_grad(value, slopes, at) < 1e-3 * np.linalg.norm(slopes(at))
