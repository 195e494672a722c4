"""Scales of roots, in front of them or inside."""

import numpy as np
import pytest
from formulas import as_displayed, formula, values_at

from eqlearn.network.graph import CONSTANT, Graph, Linear, Node
from eqlearn.network.roots import with_scales_in_roots

X = np.random.default_rng(0).uniform(1.0, 2.0, (2, 60))
#: x0² and the root of 3 x0² + 12.
SQUARE = Node("multiply", ({0: 1.0}, {0: 1.0}))
ROOT = Node("sqrt", ({2: 3.0, CONSTANT: 12.0},))


def shown(above: Linear, *nodes: Node) -> Graph:
    return as_displayed(formula(2, above, *nodes), X)


@pytest.mark.parametrize(
    "graph",
    [
        shown({3: 1.0}, SQUARE, ROOT),
        shown({3: -1.0, 1: 4.0}, SQUARE, ROOT),  # beside something else
        shown({4: 1.0}, SQUARE, ROOT, Node("multiply", ({1: 1.0}, {3: 1.0}))),
        shown({4: 1.0}, SQUARE, ROOT, Node("divide", ({3: 1.0}, {1: 1.0, 0: 1.0}))),
    ],
    ids=["alone", "in a sum", "in a product", "above a line"],
)
def test_the_scale_goes_inside_and_nothing_else_changes(graph: Graph) -> None:
    found = with_scales_in_roots(graph)
    assert found is not None
    np.testing.assert_allclose(values_at(found, X), values_at(graph, X), rtol=1e-12)
    assert found.n_parameters == graph.n_parameters
    (root,) = (node for node in found.nodes if node.unit == "sqrt")
    assert sorted(root.arguments[0].values()) == pytest.approx([3.0, 12.0])


@pytest.mark.parametrize(
    "graph",
    [
        shown({2: 2.0}, Node("sqrt", ({0: 1.0},))),  # 2 √x stays so
        shown({1: 2.0}),
        # Used twice, with a weight each: neither is its scale.
        shown({3: 1.0, 4: 2.0}, SQUARE, ROOT, Node("sin", ({3: 1.0},))),
        # A factor beside another term: the scale is that of both.
        shown({4: 1.0}, SQUARE, ROOT, Node("divide", ({0: 1.0}, {3: 1.0, 1: 1.0}))),
    ],
    ids=["one term", "no root", "used twice", "below a line"],
)
def test_other_roots_stay_as_they_are(graph: Graph) -> None:
    assert with_scales_in_roots(graph) is None
