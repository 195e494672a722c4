"""Bells with their top: the same formula, with as many constants."""

import numpy as np
import pytest
from formulas import ONE

from eqlearn.network.bells import with_tops
from eqlearn.network.graph import CONSTANT, Graph, Linear, Node

X = np.random.default_rng(0).uniform(-2.0, 4.0, (60, 2))


def bell(first: Linear, second: Linear, exponent: Linear, above: Linear) -> Graph:
    """An exponential, unit 3, whose exponent has the product of two factors, unit 2."""
    nodes = Node("multiply", (first, second)), Node("exp", (exponent,))
    fixed = {(0, 0), (1, 0), (4, CONSTANT)}
    return Graph(2, nodes, ((above, ONE),), frozenset(fixed))


PLAIN: Linear = {0: 1.0}
BELLS = {
    "x² and x": bell(PLAIN, PLAIN, {2: -0.78, 0: 2.03}, {3: 1.12}),
    "x (x - d), beside others": bell(
        PLAIN, {0: 1.0, CONSTANT: -2.6}, {2: -0.78}, {3: -1.12, CONSTANT: 1.1, 1: 2.0}
    ),
}


@pytest.mark.parametrize("name", BELLS)
def test_a_bell_has_its_top_and_its_height(name: str) -> None:
    before = BELLS[name]
    after = with_tops(before)
    assert after is not None and after.n_parameters == before.n_parameters
    np.testing.assert_allclose(after.evaluate(X)[0], before.evaluate(X)[0], rtol=1e-12)
    for factor in after.slots()[:2]:
        assert factor == {0: 1.0, CONSTANT: pytest.approx(-1.3, abs=0.002)}
    height = after.outputs[0][0][3]
    assert abs(height) == pytest.approx(1.12 * np.exp(0.78 * 1.69), rel=0.01)
    # It stays one square when the place of the top is fitted.
    ((follower, (lead, ratio)),) = after.ties.items()
    assert (follower, lead, ratio) == ((1, CONSTANT), (0, CONSTANT), 1.0)


@pytest.mark.parametrize(
    "graph",
    [
        bell(PLAIN, PLAIN, {2: -0.78}, {3: 1.12}),  # its top is at 0
        bell(PLAIN, PLAIN, {2: 0.78, 0: 2.03}, {3: 1.12}),  # it has a bottom
        bell(PLAIN, PLAIN, {2: -0.78, 1: 2.03}, {3: 1.12}),  # of another input
        bell(PLAIN, {1: 1.0}, {2: -0.78, 0: 2.03}, {3: 1.12}),  # no square
        bell(PLAIN, PLAIN, {2: -0.001, 0: 2.03}, {3: 1.12}),  # far from all rows
    ],
)
def test_what_is_no_bell_stays_as_it_is(graph: Graph) -> None:
    assert with_tops(graph) is None


def test_without_a_weight_for_the_height_there_is_no_other_form() -> None:
    graph = BELLS["x² and x"]
    held = Graph(2, graph.nodes, graph.outputs, graph.fixed | {(3, 3)})
    assert with_tops(held) is None


def test_two_bells_have_two_tops() -> None:
    # 5 exp(-2 (x - 3)²) + 3 exp(-1.25 (x - 1)²) - x², all with one x².
    nodes = (
        Node("multiply", (PLAIN, PLAIN)),
        Node("exp", ({2: -2.0, 0: 12.0},)),
        Node("exp", ({2: -1.25, 0: 2.5},)),
    )
    above = {3: 5 * np.exp(-18.0), 4: 3 * np.exp(-1.25), 2: -1.0}
    fixed = frozenset({(0, 0), (1, 0), (5, CONSTANT)})
    before = Graph(2, nodes, ((above, ONE),), fixed)
    after = with_tops(before)
    assert after is not None and after.n_parameters == before.n_parameters == 7
    np.testing.assert_allclose(after.evaluate(X)[0], before.evaluate(X)[0], rtol=1e-11)
    places = [n.arguments[0].get(CONSTANT) for n in after.nodes if n.unit == "multiply"]
    assert sorted(p for p in places if p) == pytest.approx([-3.0, -1.0])
    assert len(after.ties) == 2


def test_bells_in_two_inputs_stay_as_they_are() -> None:
    # Two bells that share x1² and x2², beside one of x1 alone, which has a top.
    nodes = (
        Node("multiply", (PLAIN, PLAIN)),
        Node("multiply", ({1: 1.0}, {1: 1.0})),
        Node("exp", ({2: -1.0, 3: -2.0, 0: 0.4},)),
        Node("exp", ({2: -0.5, 3: -1.5, 0: 0.3},)),
        Node("exp", ({2: -1.25, 0: 2.5},)),
    )
    above = {4: 1.0, 5: 2.0, 6: 3.0}
    fixed = frozenset({(0, 0), (1, 0), (2, 1), (3, 1), (8, CONSTANT)})
    before = Graph(2, nodes, ((above, ONE),), fixed)
    after = with_tops(before)
    assert after is not None and after.n_parameters == before.n_parameters
    np.testing.assert_allclose(after.evaluate(X)[0], before.evaluate(X)[0], rtol=1e-11)
    assert [node.unit for node in after.nodes].count("multiply") == 3
