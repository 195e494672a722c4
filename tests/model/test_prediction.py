"""How far predictions may be off, against values worked by hand and differences."""

import numpy as np
import pytest

from eqlearn.model.prediction import (
    Weighed,
    chances,
    parameters_of,
    slopes,
    variance_by_candidates,
    variance_by_constants,
    with_parameters,
)
from eqlearn.network.graph import CONSTANT, Graph, Linear, Node

ONE: Linear = {CONSTANT: 1.0}
# 3 sin(2x) / (1 + x), with the 1s held fast.
GRAPH = Graph(
    1,
    (Node("sin", ({0: 2.0},)),),
    (({1: 3.0}, {CONSTANT: 1.0, 0: 1.0}),),
    frozenset({(2, CONSTANT), (2, 0)}),
)
X = np.array([[0.3], [0.9], [2.0]])


def test_slopes_are_derivatives_by_the_free_constants() -> None:
    x = X[:, 0]
    assert parameters_of(GRAPH).tolist() == [2.0, 3.0]
    by_speed, by_size = 3 * x * np.cos(2 * x) / (1 + x), np.sin(2 * x) / (1 + x)
    assert slopes(GRAPH, X) == pytest.approx(np.array([by_speed, by_size]), rel=1e-6)


def test_what_is_tied_follows() -> None:
    tied = Graph(
        2, (), (({0: 2.0, 1: 4.0}, ONE),), frozenset({(1, -1)}), {(0, 1): ((0, 0), 2.0)}
    )
    moved = with_parameters(tied, np.array([3.0]))
    assert moved.outputs[0][0] == {0: 3.0, 1: 6.0}


def test_errors_of_constants_become_errors_of_predictions() -> None:
    line = Graph(1, (), (({0: 1.0, CONSTANT: 2.0}, ONE),), frozenset({(1, -1)}))
    covariance = np.array([[0.04, 0.01], [0.01, 0.09]])
    variance = variance_by_constants(line, covariance, X)
    x = X[:, 0]
    assert variance == pytest.approx(0.04 * x**2 + 2 * 0.01 * x + 0.09)
    nowhere = Graph(1, (), (({0: 1.0}, {0: 1.0, CONSTANT: -0.3}),))
    assert variance_by_constants(nowhere, np.eye(3), X)[0] == np.inf


def test_two_behind_is_less_likely_by_e() -> None:
    assert chances([5.0, 7.0, np.inf]).tolist() == pytest.approx(
        [1 / (1 + np.exp(-1)), np.exp(-1) / (1 + np.exp(-1)), 0.0]
    )


def test_of_formulas_without_a_criterion_none_is_likelier() -> None:
    assert chances([np.inf, np.inf]).tolist() == [0.5, 0.5]


def test_candidates_count_by_their_chance() -> None:
    line, steep = (Graph(1, (), (({0: w}, ONE),)) for w in (1.0, 3.0))
    variance = variance_by_candidates(line, [Weighed(steep, 0.0)], 0.0, X)
    assert variance == pytest.approx(0.5 * (2 * X[:, 0]) ** 2)
    assert variance_by_candidates(line, [], 0.0, X).tolist() == [0.0, 0.0, 0.0]
