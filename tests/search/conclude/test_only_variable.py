"""The one variable of a formula: its only input, or the product they come in."""

import numpy as np
import pytest
from formulas import formula

from eqlearn._types import Array
from eqlearn.network.graph import CONSTANT, Graph, Linear, Node
from eqlearn.search.conclude.only_variable import only_variable

ONE: Linear = {CONSTANT: 1.0}
X = np.random.default_rng(0).uniform(0.5, 3.0, (50, 3))


def curve_of(*nodes: Node) -> Graph:
    """2 + 3 tanh of the last of the nodes."""
    curve = Node("tanh", ({2 + len(nodes): 0.4},))
    value: Linear = {3 + len(nodes): 3.0, CONSTANT: 2.0}
    return Graph(3, (*nodes, curve), ((value, ONE),))


def multiplied(one: int, other: int) -> Node:
    return Node("multiply", ({one: 1.0}, {other: 1.0}))


def divided(one: int, other: int) -> Node:
    return Node("divide", ({one: 1.0}, {other: 1.0}))


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (formula(3, {1: 2.0, CONSTANT: 1.0}), X[:, 1]),
        (curve_of(divided(0, 2)), X[:, 0] / X[:, 2]),
        (
            curve_of(multiplied(0, 0), multiplied(1, 3), divided(4, 2)),
            X[:, 0] ** 2 * X[:, 1] / X[:, 2],
        ),
        (curve_of(multiplied(0, 1), divided(CONSTANT, 3)), X[:, 0] * X[:, 1]),
        (curve_of(multiplied(0, 1), Node("sqrt", ({3: 1.0},))), X[:, 0] * X[:, 1]),
    ],
    ids=["an input", "a quotient", "powers", "one over a product", "a root of one"],
)
def test_a_curve_of_one_product_has_one_variable(graph: Graph, expected: Array) -> None:
    only = only_variable(graph, X)
    assert only is not None
    assert only.column == pytest.approx(expected)
    made = Graph(3, only.nodes, (({only.source: 1.0}, ONE),))
    assert made.evaluate(X)[0][:, 0] == pytest.approx(expected)


@pytest.mark.parametrize(
    "graph",
    [
        formula(3, {0: 1.0, 1: 2.0}),
        curve_of(multiplied(0, 1), Node("identity", ({3: 1.0, 2: 0.1},))),
        curve_of(
            *[multiplied(0, 0)], *[multiplied(k, 0) for k in (3, 4, 5)], divided(6, 1)
        ),
        formula(3, {CONSTANT: 1.0}),
    ],
    ids=["a sum", "a product and a sum", "a high power", "nothing"],
)
def test_other_formulas_have_none(graph: Graph) -> None:
    assert only_variable(graph, X) is None


def test_of_inputs_that_may_be_zero_no_product_is_made() -> None:
    assert only_variable(curve_of(divided(0, 2)), X - 1.0) is None
