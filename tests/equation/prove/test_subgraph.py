import math

import numpy as np
import pytest
from graphs import ONE, random_graph, random_inputs

from eqlearn.equation.prove.subgraph import part_of
from eqlearn.network.graph import CONSTANT, Graph, Node

LOW, HIGH = np.array([-1.0, 0.0, 2.0]), np.array([1.0, 4.0, 2.0])
SINE, SQUARE = Node("sin", ({2: 1.0},)), Node("square", ({0: 1.0},))
#: sin(x3) and x1² of three inputs.
GRAPH = Graph(3, (SINE, SQUARE), (({3: 1.0}, {4: 1.0, CONSTANT: 1.0}),))


def test_a_part_has_only_the_inputs_and_units_it_needs() -> None:
    part = part_of(GRAPH, LOW, HIGH, ({4: 2.0}, ONE))
    assert part.graph == Graph(1, (SQUARE,), (({1: 2.0}, ONE),))
    assert part.inputs == [0]
    assert (part.low.tolist(), part.high.tolist()) == ([-1.0], [1.0])


def test_a_part_without_inputs_is_a_constant() -> None:
    part = part_of(GRAPH, LOW, HIGH, ({CONSTANT: 3.0}, {CONSTANT: 2.0}))
    assert part.inputs == []
    assert part.values(np.empty((4, 0))).tolist() == [[1.5] * 4]


def test_parts_compute_what_the_graph_computes() -> None:
    for seed in range(50):
        rng = np.random.default_rng(seed)
        graph = random_graph(rng, n_outputs=2, untidy=True)
        part = part_of(graph, -np.ones(3), np.ones(3), *graph.outputs)
        x = random_inputs(rng)
        expected = graph.evaluate(x)[0].T
        np.testing.assert_allclose(part.values(x[:, part.inputs]), expected, rtol=1e-12)


def test_a_point_of_a_part_is_completed_by_the_middle_of_the_domain() -> None:
    part = part_of(GRAPH, LOW, HIGH, ({4: 1.0}, ONE))
    assert part.place(np.array([0.5])) == (0.5, 2.0, 2.0)


def test_what_is_infinite_has_no_value() -> None:
    part = part_of(GRAPH, LOW, HIGH, (ONE, {0: 1.0}))
    values = part.values(np.array([[0.0], [2.0]]))
    assert math.isnan(values[0, 0]) and values[0, 1] == 0.5


def test_the_smallest_of_something_made_of_the_fractions_is_searched() -> None:
    part = part_of(GRAPH, LOW, HIGH, ({4: 1.0}, ONE), ({0: 1.0}, ONE))
    value, point = part.smallest(lambda values: values[0] - values[1])  # x² - x
    assert value == pytest.approx(-0.25, abs=1e-9)
    assert point == pytest.approx([0.5], abs=1e-4)


def test_the_first_fraction_is_bounded_from_below_and_from_above() -> None:
    part = part_of(GRAPH, LOW, HIGH, ({4: 1.0, CONSTANT: 1.0}, ONE))
    least, most = part.bound(1, 1000).lower, -part.bound(-1, 1000).lower
    assert 0.98 <= least <= 1.0
    assert 2.0 <= most <= 2.02
