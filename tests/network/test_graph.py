import numpy as np
import pytest
from graphs import ONE, WORKED, random_graph, random_inputs

from eqlearn.network.architecture import Architecture, Block
from eqlearn.network.forward import forward, initialise, unpack
from eqlearn.network.graph import CONSTANT, Graph, Node, from_network

ARCHITECTURES = {
    "paper": Architecture.paper(3, 2, n_layers=3, units_per_type=2),
    "paper, no division": Architecture.paper(3, 2, n_layers=3, division=False),
    "compact": Architecture.compact(3, 1, n_layers=4, n_sin=2, n_multiply=2),
    "compact, no division": Architecture.compact(2, 3, n_layers=3, division=False),
    "compact with further units": Architecture.compact(3, 1, units=("exp", "tanh")),
    "all units": Architecture.paper(
        2,
        2,
        n_layers=3,
        units_per_type=2,
        units=("identity", "square", "exp", "tanh", "sin", "cos", "multiply")
        + ("log", "sqrt"),
    ),
}


def test_a_graph_evaluates_as_worked_by_hand() -> None:
    outputs, denominators = WORKED.evaluate(np.array([[1.0, -0.5], [3.0, np.pi - 0.5]]))
    # sin 0 = 0: 2 / 4; sin π = 0: 6 / 4
    np.testing.assert_allclose(outputs, [[0.5], [1.5]], atol=1e-15)
    np.testing.assert_allclose(denominators, [[4.0], [4.0]], atol=1e-15)
    outputs, denominators = WORKED.evaluate(np.array([[1.0, np.pi / 2 - 0.5]]))
    # sin π/2 = 1: (2 + 3) / (4 + 2)
    np.testing.assert_allclose(outputs, [[5 / 6]])
    np.testing.assert_allclose(denominators, [[6.0]])


def test_slots_number_the_arguments_of_units_and_then_the_outputs() -> None:
    assert WORKED.slots() == [
        {1: 1.0, CONSTANT: 0.5},
        {0: 1.0, CONSTANT: 1.0},
        {2: 1.0},
        {0: 2.0, 2: 3.0},
        {CONSTANT: 4.0, 3: 1.0},
    ]
    assert list(WORKED.connections()) == [
        ((0, 1), 1.0),
        ((0, CONSTANT), 0.5),
        ((1, 0), 1.0),
        ((1, CONSTANT), 1.0),
        ((2, 2), 1.0),
        ((3, 0), 2.0),
        ((3, 2), 3.0),
        ((4, CONSTANT), 4.0),
        ((4, 3), 1.0),
    ]
    assert (WORKED.n_features, WORKED.n_outputs) == (4, 1)


def test_fixed_connections_are_not_parameters() -> None:
    free = [(0, 1), (0, CONSTANT), (1, CONSTANT), (3, 0), (3, 2), (4, 3)]
    assert WORKED.parameters() == free
    assert WORKED.n_parameters == 6


def test_other_weights_go_in_by_the_order_of_connections() -> None:
    doubled = WORKED.with_weights(np.array([2 * w for _, w in WORKED.connections()]))
    assert doubled.slots()[3] == {0: 4.0, 2: 6.0}
    assert doubled.fixed == WORKED.fixed
    back = doubled.with_weights(np.array([w for _, w in WORKED.connections()]))
    assert back == WORKED


def test_dropped_connections_are_no_longer_fixed() -> None:
    smaller = WORKED.without({(0, CONSTANT), (4, CONSTANT)})
    assert smaller.slots()[0] == {1: 1.0}
    assert smaller.slots()[4] == {3: 1.0}
    assert smaller.fixed == {(1, 0), (2, 2)}
    assert WORKED.slots()[0] == {1: 1.0, CONSTANT: 0.5}  # the graph itself is a value


def test_tied_connections_are_not_parameters_while_they_have_a_leader() -> None:
    ties = {(4, 3): ((3, 0), 0.5)}
    tied = Graph(2, WORKED.nodes, WORKED.outputs, WORKED.fixed, ties)
    assert tied.n_parameters == WORKED.n_parameters - 1
    assert (4, 3) not in tied.parameters()
    assert tied.without({(0, CONSTANT)}).ties == ties
    assert (4, 3) in tied.without({(3, 0)}).parameters()


def test_several_outputs_have_each_their_own_fraction() -> None:
    graph = Graph(1, (), (({0: 1.0}, {CONSTANT: 2.0}), ({CONSTANT: 6.0}, {0: 1.0})))
    outputs, denominators = graph.evaluate(np.array([[3.0], [4.0]]))
    np.testing.assert_allclose(outputs, [[1.5, 2.0], [2.0, 1.5]])
    np.testing.assert_allclose(denominators, [[2.0, 3.0], [2.0, 4.0]])


def test_slots_can_be_taken_out_and_put_back() -> None:
    for seed in range(20):
        graph = random_graph(np.random.default_rng(seed), n_outputs=2, untidy=True)
        assert graph.with_slots(graph.slots()) == graph


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_a_network_and_its_graph_compute_the_same(name: str) -> None:
    architecture = ARCHITECTURES[name]
    for seed in range(5):
        rng = np.random.default_rng(seed)
        weights = initialise(architecture, rng)
        weights += rng.normal(0, 0.03, len(weights))  # biases, too
        _keep_positive(architecture, weights)
        x = random_inputs(rng, n_inputs=architecture.n_inputs)
        expected = forward(architecture, weights, x)
        # Where the network holds a value at its threshold, the graph has none to hold.
        assert expected.guarded.min(initial=1.0) > 0.01
        assert expected.denominators.min() > 0.01
        outputs, denominators = from_network(architecture, weights).evaluate(x)
        np.testing.assert_allclose(outputs, expected.outputs, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(denominators, expected.denominators, rtol=1e-12)


def _keep_positive(architecture: Architecture, weights: np.ndarray) -> None:
    """Raise the biases of log and sqrt, such that no argument falls below zero."""
    layers = unpack(architecture, weights)[:-1]
    for blocks, (W, w0) in zip(architecture.hidden, layers, strict=True):
        row = 0
        for block in blocks:
            n_rows = block.count * block.definition.arity
            if block.definition.positive:
                W[row : row + n_rows] *= 0.2
                w0[row : row + n_rows] += 3.0
            row += n_rows


def test_weights_of_zero_are_no_connections() -> None:
    hidden = ((Block("sin", 2), Block("multiply", 1)),)
    architecture = Architecture(2, 1, hidden, division=True)
    weights = np.zeros(architecture.n_weights)
    (V, v0), (W, w0) = unpack(architecture, weights)
    V[1], v0[1] = [0.0, 2.0], 0.5  # the second sine
    V[2:] = [[1.0, 0.0], [0.0, 3.0]]  # first and second factor
    W[:] = [[0, 7, 0], [0, 0, 1]]
    w0[:] = [0, 4]
    graph = from_network(architecture, weights)
    assert graph.nodes == (
        Node("sin", ({},)),
        Node("sin", ({1: 2.0, CONSTANT: 0.5},)),
        Node("multiply", ({0: 1.0}, {1: 3.0})),
    )
    assert graph.outputs == (({3: 7.0}, {CONSTANT: 4.0, 4: 1.0}),)


def test_without_division_the_denominator_is_one() -> None:
    architecture = Architecture.compact(2, 2, division=False)
    weights = initialise(architecture, np.random.default_rng(0))
    graph = from_network(architecture, weights)
    assert [b for _, b in graph.outputs] == [ONE, ONE]


def test_skip_connections_reach_over_layers() -> None:
    hidden = ((Block("sin", 1),), (Block("sin", 1),))
    for skip, first, second in ((True, {0, 1}, {0, 1, 2}), (False, {1}, {2})):
        architecture = Architecture(1, 1, hidden, division=False, skip=skip)
        graph = from_network(architecture, np.ones(architecture.n_weights))
        assert graph.nodes[1].arguments[0].keys() == first | {CONSTANT}
        assert graph.outputs[0][0].keys() == second | {CONSTANT}
