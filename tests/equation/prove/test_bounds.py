import math

import numpy as np
import pytest
from graphs import ONE, random_graph, random_inputs
from hypothesis import given, settings
from hypothesis import strategies as st

from eqlearn.equation.prove.bounds import CLOSE, minimum
from eqlearn.network.graph import CONSTANT, Graph, Linear, Node

X: Linear = {0: 1.0}


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_no_value_is_below_the_bound(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = random_graph(rng)
    low, high = -np.ones(3), np.ones(3)
    found = minimum(graph, low, high, n_boxes=300)
    values = graph.evaluate(random_inputs(rng, 5000))[0][:, 0]
    assert found.lower <= values.min()
    assert found.lower <= found.upper
    there = graph.evaluate(found.point[None])[0][0, 0]
    assert there == pytest.approx(found.upper, rel=1e-9, abs=1e-9)


def test_a_minimum_in_a_corner_is_found_side_by_side() -> None:
    # Where x is smallest, and only there, is it clear that y must be smallest too.
    nodes = (
        Node("sin", ({1: 0.375, CONSTANT: 3.0},)),
        Node("exp", ({0: -0.2, 1: -0.8},)),
    )
    graph = Graph(2, nodes, (({2: 0.8, 3: -0.87, CONSTANT: 2.0}, ONE),))
    found = minimum(graph, -np.ones(2), np.ones(2), n_boxes=1000)
    assert found.point.tolist() == [-1.0, -1.0]
    assert found.lower == pytest.approx(found.upper, rel=1e-12)


def test_more_boxes_bound_better() -> None:
    # x² - 2 x y + y² + 0.01 is (x - y)² + 0.01, but not for intervals.
    factors: list[tuple[Linear, Linear]] = [(X, X), (X, {1: 1.0}), ({1: 1.0},) * 2]
    nodes = tuple(Node("multiply", pair) for pair in factors)
    total: Linear = {CONSTANT: 0.01, 2: 1.0, 3: -2.0, 4: 1.0}
    graph = Graph(2, nodes, ((total, ONE),))
    ends = np.full(2, -2.0), np.full(2, 2.0)
    few, many = (minimum(graph, *ends, n_boxes=n).lower for n in (100, 20_000))
    assert few < many <= 0.01
    assert many >= (1 - CLOSE) * 0.01


def test_a_slope_of_one_sign_needs_no_boxes() -> None:
    graph = Graph(2, (), (({0: 2.0, 1: -3.0}, ONE),))
    found = minimum(graph, np.zeros(2), np.ones(2), n_boxes=1)
    assert found.point.tolist() == [0.0, 1.0]
    assert found.lower == pytest.approx(-3.0) and found.lower <= -3.0


def test_a_single_point_is_a_box() -> None:
    graph = Graph(1, (Node("square", (X,)),), (({1: 1.0}, ONE),))
    point = np.array([3.0])
    found = minimum(graph, point, point, n_boxes=10)
    assert found.lower == pytest.approx(9.0) and found.lower <= 9.0 <= found.upper


def test_over_a_pole_there_is_no_bound() -> None:
    graph = Graph(1, (), ((ONE, X),))
    found = minimum(graph, np.array([-1.0]), np.array([1.0]), n_boxes=500)
    assert found.lower == -math.inf
