"""Products of powers: their values, and the units that compute them."""

import numpy as np
import pytest

from eqlearn.network.draft import Draft
from eqlearn.network.graph import CONSTANT, Graph, Linear
from eqlearn.search.attempts.monomials import (
    ONE,
    Exponents,
    monomial,
    monomial_fraction,
    product,
)

X = np.array([[2.0, 3.0, 0.5], [4.0, 9.0, 1.0]])


@pytest.mark.parametrize(
    ("exponents", "values"),
    [
        ((0.0, 0.0), [1, 1, 1]),
        ((1.0, 0.0), [2, 3, 0.5]),
        ((2.0, -1.0), [1, 1, 0.25]),
        ((1.0, 0.5), [4, 9, 0.5]),
        ((-3.0, 1.5), [1, 1, 8]),
    ],
)
def test_monomials_by_hand(exponents: Exponents, values: list[float]) -> None:
    np.testing.assert_allclose(monomial(X, exponents), values)


def test_whole_powers_of_negative_numbers_have_values() -> None:
    np.testing.assert_allclose(monomial(np.array([[-2.0, -1.0]]), (3.0,)), [-8.0, -1.0])


@pytest.mark.parametrize(
    "exponents",
    [(0.0, 0.0), (3.0, 0.0), (-2.0, 1.0), (0.5, -1.5), (1.7, 0.0), (-0.3, 2.4)],
)
def test_units_compute_the_same(exponents: Exponents) -> None:
    draft = Draft(Graph(2, (), ()))
    above, below = monomial_fraction(draft, exponents)
    draft.outputs.append((dict(above), dict(below)))
    graph = draft.freeze()
    assert graph is not None
    values = graph.evaluate(X.T)[0][:, 0]
    np.testing.assert_allclose(values, monomial(X, exponents), rtol=1e-13)


def test_powers_are_of_other_features_where_these_are_given() -> None:
    draft = Draft(Graph(2, (), ()))
    sums: list[Linear] = [{0: 1.0, CONSTANT: 1.0}, {1: 2.0}]
    above, below = monomial_fraction(draft, (2.0, -1.0), sums)
    draft.outputs.append((dict(above), dict(below)))
    graph = draft.freeze()
    assert graph is not None
    values = graph.evaluate(X.T)[0][:, 0]
    np.testing.assert_allclose(values, (X[0] + 1) ** 2 / (2 * X[1]))


def test_all_powers_that_are_no_halves_share_one_exponential() -> None:
    draft = Draft(Graph(2, (), ()))
    monomial_fraction(draft, (1.7, -0.3))
    assert [name for name, _ in draft.nodes] == ["log", "log", "exp"]


def test_a_product_of_ones_is_one_and_of_one_sum_that_sum() -> None:
    draft, linear = Draft(Graph(2, (), ())), {0: 2.0, CONSTANT: 1.0}
    assert product(draft, []) == ONE
    assert product(draft, [ONE, linear, ONE]) == linear
    assert draft.nodes == []
    assert product(draft, [linear, linear, linear]) == {3: 1.0}
