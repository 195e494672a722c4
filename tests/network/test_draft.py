import numpy as np
import pytest
from graphs import ONE, random_graph, random_inputs

from eqlearn.network.canonical import compact
from eqlearn.network.draft import Draft
from eqlearn.network.graph import CONSTANT, Graph, Node

# y = 2 sin x + 3 tanh(sin x): features x 0, sin 1, tanh 2
NODES = (Node("sin", ({0: 1.0},)), Node("tanh", ({1: 1.0},)))
CHAIN = Graph(1, NODES, (({1: 2.0, 2: 3.0}, ONE),))


def frozen(draft: Draft) -> Graph:
    graph = draft.freeze()
    assert graph is not None
    return graph


def test_a_draft_frozen_at_once_is_the_same_graph() -> None:
    assert frozen(Draft(CHAIN)) == CHAIN
    for seed in range(50):
        rng = np.random.default_rng(seed)
        graph, x = random_graph(rng, n_outputs=2, untidy=True), random_inputs(rng)
        again = frozen(Draft(graph))
        np.testing.assert_allclose(again.evaluate(x)[0], graph.evaluate(x)[0])
        assert sorted(n.unit for n in again.nodes) == sorted(
            n.unit for n in graph.nodes
        )


def test_editing_leaves_the_graph_alone() -> None:
    draft = Draft(CHAIN)
    draft.add("sin", {0: 5.0})
    draft.replace(1, {0: 1.0})
    draft.slots()[-1][0] = 7.0
    assert CHAIN == Graph(1, NODES, (({1: 2.0, 2: 3.0}, ONE),))


def test_what_was_fixed_is_free_again() -> None:
    fixed = Graph(1, CHAIN.nodes, CHAIN.outputs, frozenset({(0, 0)}))
    assert frozen(Draft(fixed)).fixed == frozenset()


def test_added_units_get_the_next_numbers() -> None:
    draft = Draft(CHAIN)
    first = draft.add("multiply", {0: 1.0}, {2: 1.0})
    second = draft.add("exp", {first: 1.0})
    assert (first, second) == (3, 4)
    draft.outputs[0][0][second] = 1.0
    x = np.linspace(-1, 1, 5)
    expected = 2 * np.sin(x) + 3 * np.tanh(np.sin(x)) + np.exp(x * np.tanh(np.sin(x)))
    np.testing.assert_allclose(frozen(draft).evaluate(x[:, None])[0][:, 0], expected)


def test_slots_are_numbered_as_in_a_graph() -> None:
    for seed in range(10):
        graph = random_graph(np.random.default_rng(seed), n_outputs=2)
        assert Draft(graph).slots() == graph.slots()


def test_a_feature_is_replaced_wherever_it_is_used() -> None:
    draft = Draft(CHAIN)
    draft.replace(1, {0: 10.0, CONSTANT: 1.0})
    graph = frozen(draft)
    # 2 (10 x + 1) + 3 tanh(10 x + 1); the sine is left without users
    assert graph.nodes[1] == Node("tanh", ({0: 10.0, CONSTANT: 1.0},))
    assert graph.outputs == (({0: 20.0, CONSTANT: 2.0, 2: 3.0}, ONE),)
    assert len(compact(graph).nodes) == 1


def test_a_feature_is_replaced_only_in_the_slots_asked_for() -> None:
    draft = Draft(CHAIN)
    draft.replace(1, {0: 1.0}, where={1})
    graph = frozen(draft)
    assert graph.nodes[1] == Node("tanh", ({0: 1.0},))
    assert graph.outputs == CHAIN.outputs


def test_terms_that_meet_are_added_up() -> None:
    draft = Draft(CHAIN)
    draft.replace(2, {1: 0.5})
    assert frozen(draft).outputs[0][0] == {1: 2.0 + 3.0 * 0.5}


def test_a_feature_may_be_replaced_by_a_multiple_of_itself() -> None:
    draft = Draft(CHAIN)
    draft.replace(1, {1: 2.0, CONSTANT: 1.0})
    assert frozen(draft).outputs[0][0] == {1: 4.0, CONSTANT: 2.0, 2: 3.0}


def test_units_are_put_into_an_order_in_which_they_can_be_computed() -> None:
    draft = Draft(CHAIN)
    later = draft.add("square", {0: 1.0})
    draft.replace(0, {later: 1.0}, where={0})  # the first unit now needs the last one
    graph = frozen(draft)
    x = np.linspace(-1, 1, 5)
    expected = 2 * np.sin(x**2) + 3 * np.tanh(np.sin(x**2))
    np.testing.assert_allclose(graph.evaluate(x[:, None])[0][:, 0], expected)
    for k, node in enumerate(graph.nodes):
        assert all(source < 1 + k for linear in node.arguments for source in linear)


@pytest.mark.parametrize("by", [{2: 1.0}, {2: 1.0, 0: 1.0}])
def test_a_unit_that_would_depend_on_itself_is_refused(by: dict[int, float]) -> None:
    draft = Draft(CHAIN)
    draft.replace(1, by)  # tanh of tanh of tanh of ...
    assert draft.freeze() is None
