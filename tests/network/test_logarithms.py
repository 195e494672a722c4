"""Ones in logarithms: a log(1 + x/c) is a log(x + c) without a constant beside it."""

import math

import numpy as np
import pytest
from formulas import as_displayed, formula, values_at

from eqlearn.network.graph import CONSTANT, Graph, Linear, Node
from eqlearn.network.logarithms import with_ones_in_logs

X = np.random.default_rng(0).uniform(1.0, 2.0, (2, 60))
LOG = Node("log", ({0: 1.0, CONSTANT: 0.6},))
#: What stands beside 1.7 log(x + 0.6) in 1.7 log(1 + x/0.6).
BESIDE = -1.7 * math.log(0.6)


def shown(above: Linear, *nodes: Node) -> Graph:
    return as_displayed(formula(2, above, *nodes), X)


@pytest.mark.parametrize(
    "graph",
    [
        shown({2: 1.7, CONSTANT: BESIDE}, LOG),
        shown({2: 1.7, 1: 4.0, CONSTANT: BESIDE}, LOG),
        shown(
            {3: 1.7},
            LOG,
            Node("multiply", ({1: 1.0}, {2: 1.0, CONSTANT: BESIDE / 1.7})),
        ),
    ],
    ids=["alone", "in a sum", "in a product"],
)
def test_the_constant_beside_a_logarithm_goes_inside(graph: Graph) -> None:
    found = with_ones_in_logs(graph)
    assert found is not None
    np.testing.assert_allclose(values_at(found, X), values_at(graph, X), rtol=1e-12)
    assert found.n_parameters == graph.n_parameters
    (log,) = (node for node in found.nodes if node.unit == "log")
    assert log.arguments[0] == pytest.approx({0: 1 / 0.6, CONSTANT: 1.0})
    users = [linear for linear in found.slots() if CONSTANT in linear and 2 in linear]
    assert users[0][CONSTANT] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(
    "graph",
    [
        shown({1: 2.0}),
        shown({2: 1.7, CONSTANT: 3.0}, Node("log", ({0: 1.0},))),
        # Without a constant beside it, there would be one more.
        shown({2: 1.7}, LOG),
        shown({2: 1.7, CONSTANT: 1.0}, Node("log", ({0: 1.0, CONSTANT: -0.6},))),
        shown({2: 1.7, 3: 1.0, CONSTANT: 1.0}, LOG, Node("sin", ({2: 1.0},))),
    ],
    ids=["no logarithm", "no shift", "nothing beside", "below zero", "used twice"],
)
def test_other_logarithms_stay_as_they_are(graph: Graph) -> None:
    assert with_ones_in_logs(graph) is None
