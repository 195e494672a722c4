"""Inputs taken from where their values begin: a year from 1990."""

import jax.numpy as jnp
import numpy as np
import pytest
import sympy
from formulas import formula, multiply

from eqlearn.equation.write.symbolic import expressions, origins
from eqlearn.network.canonical import canonical, compact
from eqlearn.network.document import from_document, to_document
from eqlearn.network.graph import CONSTANT, Graph, Linear, Node
from eqlearn.network.kernels import evaluate, tape
from eqlearn.network.transform import rescaled
from eqlearn.network.units import unit
from eqlearn.training.levenberg import fit
from eqlearn.training.samples import samples

YEARS = np.linspace(1990.0, 2020.0, 31)[:, None]


def origin(linear: Linear) -> Node:
    return Node("origin", (linear,))


def since_1990(above: Linear, *nodes: Node) -> Graph:
    """A formula of one input, with (year - 1990) as the feature 1."""
    return formula(1, above, origin({0: 1.0, CONSTANT: -1990.0}), *nodes)


def test_the_unit_gives_what_it_gets_in_every_namespace() -> None:
    value = unit("origin")
    assert value(np, 3.5) == 3.5
    assert value(jnp, 3.5) == 3.5
    assert value(sympy, sympy.Symbol("x")) == sympy.Symbol("x")


def test_kernels_compute_what_the_graph_does() -> None:
    graph = since_1990({2: 0.5, 1: 1.0}, multiply({1: 1.0}, {1: 1.0}))
    expected = 0.5 * (YEARS[:, 0] - 1990) ** 2 + YEARS[:, 0] - 1990
    np.testing.assert_allclose(graph.evaluate(YEARS)[0][:, 0], expected)
    slots = evaluate(graph, tape(graph), YEARS.T).slots
    np.testing.assert_allclose(slots[graph.first_output_slot], expected)


def test_an_origin_is_not_folded_and_has_no_free_constant() -> None:
    tidy = canonical(since_1990({1: 2.5, CONSTANT: 50.0}), YEARS.T)
    assert tidy.nodes == (origin({0: 1.0, CONSTANT: -1990.0}),)
    assert tidy.n_parameters == 2


def test_the_scale_of_an_input_goes_to_the_users() -> None:
    # In the units of the data, 4 (x - 1990) is what 4 · 10 (x/10 - 199) is.
    graph = formula(1, {1: 3.0}, origin({0: 4.0, CONSTANT: -796.0}))
    tidy = canonical(rescaled(graph, [10.0], [1.0]), YEARS.T)
    ((argument,),) = (node.arguments for node in tidy.nodes)
    assert argument[0] == 1.0
    assert argument[CONSTANT] == pytest.approx(-1990.0, rel=1e-14)
    assert tidy.outputs[0][0][1] == pytest.approx(1.2)
    before = graph.evaluate(YEARS / 10)[0]
    np.testing.assert_allclose(tidy.evaluate(YEARS)[0], before, rtol=1e-12)


@pytest.mark.parametrize(
    "other",
    [
        {0: 1.0, 1: 1.0, CONSTANT: -3.0},  # two inputs
        {2: 1.0, CONSTANT: -3.0},  # a unit
        {0: 1.0, 2: 0.1, CONSTANT: -3.0},  # an input and a unit
        {0: 2.0},  # from nowhere
    ],
)
def test_what_is_no_input_from_somewhere_is_no_origin(other: Linear) -> None:
    # Its constants would not count as such, and nothing could write it down.
    graph = formula(2, {3: 2.0}, Node("exp", ({1: 1.0},)), origin(other))
    for tidy in (compact(graph), canonical(graph, np.ones((2, 5)))):
        assert "origin" not in {node.unit for node in tidy.nodes}
        x = np.random.default_rng(0).uniform(-1, 1, (20, 2))
        np.testing.assert_allclose(tidy.evaluate(x)[0], graph.evaluate(x)[0])


def test_an_origin_of_a_number_is_a_number() -> None:
    graph = formula(1, {0: 1.0, 1: 2.0}, origin({CONSTANT: 3.0}))
    assert compact(graph) == formula(1, {0: 1.0, CONSTANT: 6.0})


def test_a_fit_leaves_where_an_input_begins() -> None:
    y = 50 + 2.5 * (YEARS - 1990)
    start = canonical(since_1990({1: 1.0, CONSTANT: 1.0}), YEARS.T)
    graph, sse, _ = fit(start, samples(YEARS, y))
    assert sse < 1e-15
    assert graph.nodes == start.nodes
    assert graph.outputs[0][0][1] == pytest.approx(2.5)


def test_origins_are_told_with_their_inputs() -> None:
    first, second = origin({1: 1.0, CONSTANT: -20.0}), origin({0: 1.0, CONSTANT: 273.0})
    graph = formula(2, {2: 1.0, 3: 1.0}, first, second)
    assert list(origins(graph)) == [(1, 20.0), (0, -273.0)]
    assert list(origins(formula(2, {0: 1.0}))) == []


def test_expressions_are_multiplied_out_unless_they_are_to_be_shown() -> None:
    x, shown = sympy.symbols("x1 x2")
    graph = since_1990({2: 3.0}, multiply({1: 1.0}, {1: 1.0}))
    (plain,) = expressions(graph)
    assert sympy.expand(plain - 3 * (x - 1990) ** 2) == 0
    assert expressions(graph, to_show=True) == (3 * shown**2,)


def test_an_origin_survives_being_written_down() -> None:
    graph = canonical(since_1990({1: 2.5, CONSTANT: 50.0}), YEARS.T)
    assert from_document(to_document(graph)) == graph
