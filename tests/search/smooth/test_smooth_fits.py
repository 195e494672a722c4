"""Polynomials in the place of a smooth law."""

import math

import numpy as np
import pytest

from eqlearn.search.smooth.smooth_fits import (
    Polynomial,
    Smooth,
    coordinate_systems,
    coordinates,
    degree_for,
)

X = np.random.default_rng(0).uniform(1.0, 3.0, (2, 200))
ROOT = np.ones(200)


def test_a_polynomial_of_its_degree_is_fitted_to_the_last_digit() -> None:
    y = 3 - X[0] + 0.5 * X[0] ** 2 * X[1]
    polynomial = Polynomial(X, 3)
    assert len(polynomial.terms) == math.comb(5, 3)
    coefficients = polynomial.fitted(y, ROOT)
    np.testing.assert_allclose(coefficients @ polynomial.values, y, rtol=1e-10)


def test_slopes_of_a_polynomial_by_hand() -> None:
    y = 3 - X[0] + 0.5 * X[0] ** 2 * X[1]
    polynomial = Polynomial(X, 3)
    coefficients = polynomial.fitted(y, ROOT)
    np.testing.assert_allclose(
        polynomial.slope(coefficients, 0), X[0] * X[1] - 1, rtol=1e-8, atol=1e-8
    )
    np.testing.assert_allclose(
        polynomial.slope(coefficients, 1), 0.5 * X[0] ** 2, rtol=1e-8, atol=1e-8
    )


def test_rows_without_weight_do_not_bend_a_fit() -> None:
    y, root = 1 + X[0], ROOT.copy()
    y[:20], root[:20] = 1e3, 0.0
    polynomial = Polynomial(X, 1)
    coefficients = polynomial.fitted(y, root)
    np.testing.assert_allclose((coefficients @ polynomial.values)[20:], y[20:])


@pytest.mark.parametrize(
    ("n_variables", "n_rows", "degree"),
    # Of one variable a degree d has d + 1 terms; of three, degree 2 has ten.
    [(1, 35, 6), (1, 20, 3), (3, 50, 2), (3, 49, 1), (9, 10, 1)],
)
def test_the_degree_is_what_the_rows_can_pay(
    n_variables: int, n_rows: int, degree: int
) -> None:
    assert degree_for(n_variables, n_rows, 0.2) == degree


def test_logarithms_are_coordinates_of_positive_inputs_only() -> None:
    x = np.array([[1.0, 2.0], [0.01, 2.0], [-1.0, 1.0]])
    systems = coordinate_systems(x)
    assert systems == [[True, True, False], [True, False, False], [False] * 3]
    np.testing.assert_allclose(coordinates(x, systems[1]), [np.log(x[0]), x[1], x[2]])
    assert coordinate_systems(x[2:]) == [[False]]


def test_a_law_of_logarithms_is_smooth_over_these() -> None:
    y = np.log(X[0]) ** 2 - 3 * np.log(X[1])
    smooth = Smooth.of(X, y, ROOT, 2)
    assert smooth.by_log == [True, True]
    assert smooth.left < 1e-20
    slopes = smooth.slopes(X, smooth.coefficients)
    np.testing.assert_allclose(slopes[0], 2 * np.log(X[0]) / X[0], atol=1e-8)
    np.testing.assert_allclose(slopes[1], -3 / X[1], rtol=1e-8)


def test_a_law_of_the_inputs_is_smooth_as_it_is() -> None:
    smooth = Smooth.of(X, X[0] * X[1], ROOT, 2)
    assert smooth.by_log == [False, False]
    slopes = smooth.slopes(X, smooth.coefficients)
    np.testing.assert_allclose(slopes, X[::-1], rtol=1e-8)


def test_what_is_left_is_the_noise_per_degree_of_freedom() -> None:
    rng = np.random.default_rng(1)
    x = rng.uniform(-1, 1, (1, 4000))
    y = x[0] ** 3 + 0.1 * rng.normal(size=4000)
    left = Smooth.of(x, y, np.ones(4000), 3).left
    assert left == pytest.approx(0.01, rel=0.1)
