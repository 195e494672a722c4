import numpy as np
import sympy
from graphs import ONE, random_graph, random_inputs

from eqlearn.equation.write.symbolic import expressions
from eqlearn.network.canonical import canonical
from eqlearn.network.graph import CONSTANT, COSINE, Graph, Node
from eqlearn.network.transform import from_origins, joined, rescaled, to_origins

x1 = sympy.Symbol("x1")
SINE, SQUARE = Node("sin", ({0: 2.0},)), Node("multiply", ({0: 1.0}, {0: 1.0}))


def test_scales_fold_into_the_weights() -> None:
    # u = x / 10, y / 3 = 2 sin(5 u) / (1 + u): in x, y = 6 sin(x / 2) / (1 + x / 10)
    graph = Graph(
        1, (Node("sin", ({0: 5.0},)),), (({1: 2.0}, {CONSTANT: 1.0, 0: 1.0}),)
    )
    real = rescaled(graph, np.array([10.0]), np.array([3.0]))
    assert expressions(real) == (6 * sympy.sin(0.5 * x1) / (0.1 * x1 + 1),)


def test_rescaled_graphs_compute_the_same_in_the_units_of_the_data() -> None:
    for seed in range(50):
        rng = np.random.default_rng(seed)
        graph = random_graph(rng, n_outputs=2)
        x_scale, y_scale = 10.0 ** rng.uniform(-6, 6, 3), 10.0 ** rng.uniform(-6, 6, 2)
        x = random_inputs(rng)
        graph = canonical(graph, x.T)
        real = rescaled(graph, x_scale, y_scale)
        assert real.fixed == graph.fixed
        expected, denominators = graph.evaluate(x)
        outputs, same = real.evaluate(x * x_scale)
        tolerance = 1e-12 * (1 + np.abs(expected).max())
        np.testing.assert_allclose(outputs / y_scale, expected, rtol=0, atol=tolerance)
        np.testing.assert_allclose(same, denominators, rtol=1e-12)


def test_cosines_stay_cosines_when_rescaled() -> None:
    graph = Graph(1, (Node("sin", ({0: 1.0, CONSTANT: COSINE},)),), (({1: 1.0}, ONE),))
    real = rescaled(graph, np.array([4.0]), np.array([2.0]))
    assert expressions(real) == (2 * sympy.cos(0.25 * x1),)


def test_joined_graphs_share_equal_units() -> None:
    first = Graph(1, (SINE, SQUARE), (({1: 1.0, 2: 1.0}, ONE),))
    second = Graph(1, (SQUARE, SINE), (({2: 3.0}, {1: 1.0, CONSTANT: 2.0}),))
    both = joined([first, second])
    assert both.nodes == (SINE, SQUARE)
    assert both.outputs == (
        ({1: 1.0, 2: 1.0}, ONE),
        ({1: 3.0}, {2: 1.0, CONSTANT: 2.0}),
    )


def test_joined_graphs_leave_out_what_no_output_uses() -> None:
    assert joined([Graph(1, (SINE, SQUARE), (({2: 1.0}, ONE),))]).nodes == (SQUARE,)


def test_two_copies_of_a_unit_become_one_with_the_sum_of_their_weights() -> None:
    twice = Graph(1, (SINE, SINE), (({1: 1.0, 2: 0.5}, ONE),))
    assert joined([twice]) == Graph(1, (SINE,), (({1: 1.5}, ONE),))


def test_joined_graphs_compute_what_each_computes_alone() -> None:
    for seed in range(50):
        rng = np.random.default_rng(seed)
        graphs = [random_graph(rng, n_outputs=1 + k, untidy=True) for k in range(3)]
        x = random_inputs(rng)
        alone = np.hstack([graph.evaluate(x)[0] for graph in graphs])
        together = joined(graphs).evaluate(x)[0]
        np.testing.assert_allclose(together, alone, rtol=1e-12, atol=1e-12)


def test_a_law_of_years_from_1990_is_one_of_years_and_back() -> None:
    graph = random_graph(np.random.default_rng(1), n_inputs=2)
    x = random_inputs(np.random.default_rng(2), n_inputs=2)
    origins = (1990.0, 0.0)
    later = from_origins(graph, origins)
    np.testing.assert_allclose(
        later.evaluate(x + np.array(origins))[0], graph.evaluate(x)[0], rtol=1e-9
    )
    again = canonical(to_origins(later, origins), x.T)
    assert "origin" not in {node.unit for node in again.nodes}
    np.testing.assert_allclose(again.evaluate(x)[0], graph.evaluate(x)[0], rtol=1e-6)


def test_inputs_that_are_not_used_have_no_origin() -> None:
    graph = Graph(2, (), (({1: 2.0}, ONE),))
    assert from_origins(graph, (1990.0, 0.0)) is graph
