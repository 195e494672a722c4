import numpy as np

from eqlearn.network.graph import CONSTANT, Graph, Node
from eqlearn.network.instance import active_units, connected_units, thresholded


def test_a_network_is_tested_with_division_above_one_in_ten_thousand() -> None:
    pole = Graph(1, (), (({CONSTANT: 1.0}, {0: 1.0, CONSTANT: -0.5}),))
    x = np.array([[0.0], [0.5], [0.50009], [0.50011], [1.0], [2.5]])
    expected = [0, 0, 0, 1 / 0.00011, 2, 0.5]
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(thresholded(pole, x)[:, 0], expected, rtol=1e-6)


def test_units_are_connected_if_they_are_between_an_input_and_an_output() -> None:
    nodes = (
        Node("sin", ({0: 2.0},)),  # 1: connected
        Node("identity", ({0: 1.0, CONSTANT: 1.0},)),  # 2: connected through 5
        Node("cos", ({CONSTANT: 3.0},)),  # 3: a constant
        Node("sin", ({0: 1.0},)),  # 4: used by nothing
        Node("multiply", ({2: 1.0}, {3: 1.0})),  # 5: connected
        Node("sin", ({3: 1.0},)),  # 6: of a constant
        Node("sin", ({4: 1.0},)),  # 7: used by nothing
    )
    graph = Graph(1, nodes, (({1: 1.0, 6: 1.0}, {5: 1.0, CONSTANT: 1.0}),))
    assert connected_units(graph) == 3


def test_the_released_code_counts_units_with_weights_that_matter() -> None:
    nodes = (
        Node("sin", ({0: 2.0},)),  # 1: active
        Node("identity", ({0: 1.0},)),  # 2: never counts
        Node("cos", ({0: 0.05},)),  # 3: 0.05 in, 0.1 out
        Node("multiply", ({1: 1.0}, {0: 0.05})),  # 4: a factor is too small
        Node("multiply", ({1: 0.2}, {0: 0.2, CONSTANT: 9.0})),  # 5: active
    )
    outputs = ({1: 1.0, 2: 1.0, 3: 0.1, 4: 1.0}, {5: -1.0, CONSTANT: 1.0})
    assert active_units(Graph(1, nodes, (outputs,))) == 2
