"""Quotients and products in one form: whole parts, sums of products, constants out."""

import numpy as np
import pytest
from formulas import formula, multiply

from eqlearn.network.canonical import _whole_part, canonical, compact, displayed
from eqlearn.network.graph import CONSTANT, Graph, Linear, Node
from eqlearn.network.transform import multiplied_out

RNG = np.random.default_rng(0)
X = RNG.uniform(0.5, 2.0, (60, 3))


def divide(above: Linear, below: Linear) -> Node:
    return Node("divide", (above, below))


def assert_says_the_same(graph: Graph) -> Graph:
    """Check values of both forms, and that they stay; return the canonical one."""
    tidy = canonical(graph, X[:, : graph.n_inputs].T)
    x = X[:, : graph.n_inputs]
    for one in (tidy, compact(graph)):
        np.testing.assert_allclose(one.evaluate(x)[0], graph.evaluate(x)[0], rtol=1e-11)
    again = canonical(tidy, x.T)
    assert [n.unit for n in again.nodes] == [n.unit for n in tidy.nodes]
    assert again.n_parameters == tidy.n_parameters
    return tidy


def units(graph: Graph) -> list[str]:
    return [node.unit for node in graph.nodes]


@pytest.mark.parametrize(
    ("above", "below", "whole"),
    [
        ({0: 1.0, 1: 3.0}, {1: 2.0}, 1.5),  # (x1 + 3 x2) / 2 x2 has 3/2
        ({0: 1.0}, {1: 2.0}, 0.0),
        ({0: 1.0, 1: 3.0}, {1: 2.0, CONSTANT: 1.0}, 0.0),  # divided by a sum
        ({0: 1.0, CONSTANT: 3.0}, {CONSTANT: 2.0}, 0.0),
        ({0: 1.0}, {}, 0.0),  # of which nothing is left
    ],
)
def test_whole_parts_by_hand(above: Linear, below: Linear, whole: float) -> None:
    assert _whole_part(above, below) == whole


def test_the_whole_part_of_a_quotient_is_a_constant() -> None:
    # sin((x1 + 3 x2) / (2 x2)) = sin(x1 / (2 x2) + 3/2)
    nodes = divide({0: 1.0, 1: 3.0}, {1: 2.0}), Node("sin", ({3: 1.0},))
    tidy = assert_says_the_same(formula(3, {4: 2.0}, *nodes))
    assert units(tidy) == ["divide", "sin"]
    assert tidy.nodes[0].arguments == ({0: 1.0}, {1: 1.0})
    assert tidy.nodes[1].arguments[0][CONSTANT] == pytest.approx(1.5)


def test_a_quotient_that_has_lost_its_denominator_has_no_value() -> None:
    # A move may leave a unit without arguments: it is to be refused, not to raise.
    lost = canonical(formula(2, {2: 2.0}, divide({0: 1.0}, {})), np.ones((2, 3)))
    with np.errstate(all="ignore"):
        assert not np.isfinite(lost.evaluate(np.ones((3, 2)))[0]).any()


def test_equal_quotients_with_other_whole_parts_are_one_unit() -> None:
    # tanh(x1/x2) tanh((x1 + 4 x2)/x2) shares x1/x2
    nodes = (
        divide({0: 1.0}, {1: 1.0}),
        divide({0: 1.0, 1: 4.0}, {1: 1.0}),
        Node("tanh", ({3: 1.0},)),
        Node("tanh", ({4: 1.0},)),
    )
    tidy = assert_says_the_same(formula(3, {5: 1.0, 6: 1.0}, *nodes))
    assert units(tidy).count("divide") == 1


def test_a_sum_with_a_quotient_times_what_divides_is_a_sum_of_products() -> None:
    # exp((x1 / x2 + x3) x2) = exp(x1 + x2 x3)
    nodes = (
        divide({0: 1.0}, {1: 1.0}),
        multiply({3: 1.0, 2: 1.0}, {1: 1.0}),
        Node("exp", ({4: 0.5},)),
    )
    tidy = assert_says_the_same(formula(3, {5: 1.0}, *nodes))
    assert units(tidy) == ["multiply", "exp"]
    assert tidy.nodes[1].arguments[0].keys() == {0, 3}


def test_a_constant_beside_the_quotient_is_multiplied_too() -> None:
    # tanh(2 x2 (3 x1 / x2 + 5)) = tanh(6 x1 + 10 x2)
    nodes = (
        divide({0: 3.0}, {1: 1.0}),
        multiply({1: 2.0}, {3: 1.0, CONSTANT: 5.0}),
        Node("tanh", ({4: 1.0},)),
    )
    tidy = assert_says_the_same(formula(3, {5: 1.0}, *nodes))
    assert units(tidy) == ["tanh"]
    assert tidy.nodes[0].arguments[0] == pytest.approx({0: 6.0, 1: 10.0})


def test_a_quotient_times_something_else_stays_a_quotient() -> None:
    nodes = divide({0: 1.0}, {1: 1.0}), multiply({3: 1.0}, {2: 1.0})
    tidy = assert_says_the_same(formula(3, {4: 2.0, 0: 1.0}, *nodes))
    assert units(tidy) == ["multiply", "divide"]
    back = divide({0: 1.0}, {1: 1.0}), multiply({3: 1.0}, {1: 2.0})
    assert units(assert_says_the_same(formula(3, {4: 2.0}, *back))) == []


def test_a_constant_is_moved_out_of_a_product_that_stands_beside_its_factor() -> None:
    # x1 + (3 + x2) x1 = 4 x1 + x2 x1
    graph = formula(2, {0: 1.0, 2: 1.0}, multiply({0: 1.0}, {1: 1.0, CONSTANT: 3.0}))
    moved = multiplied_out(graph)
    assert moved.nodes[0].arguments == ({0: 1.0}, {1: 1.0})
    assert moved.outputs[0][0] == {0: 4.0, 2: 1.0}
    assert assert_says_the_same(graph).n_parameters == 2


def test_a_constant_stays_where_its_factor_stands_nowhere_beside() -> None:
    graph = formula(2, {1: 1.0, 2: 1.0}, multiply({0: 1.0}, {1: 1.0, CONSTANT: 3.0}))
    assert multiplied_out(graph) == graph


def test_a_constant_stays_if_one_user_has_no_place_for_it() -> None:
    product = multiply({0: 1.0}, {1: 1.0, CONSTANT: 3.0})
    graph = formula(2, {0: 1.0, 2: 1.0, 3: 1.0}, product, Node("sin", ({2: 1.0},)))
    assert multiplied_out(graph) == graph
    assert_says_the_same(graph)


def test_terms_that_cancel_by_multiplying_out_disappear() -> None:
    # 3 x1 + (x2 - 3) x1 = x1 x2
    graph = formula(2, {0: 3.0, 2: 1.0}, multiply({0: 1.0}, {1: 1.0, CONSTANT: -3.0}))
    tidy = assert_says_the_same(graph)
    assert tidy.outputs[0][0].keys() == {2}


def test_forms_of_random_quotients_say_the_same() -> None:
    for seed in range(300):
        assert_says_the_same(random_quotients(np.random.default_rng(seed)))


def random_quotients(rng: np.random.Generator) -> Graph:
    """Products and quotients of positive features, with constants here and there."""
    nodes: list[Node] = []
    for k in range(int(rng.integers(1, 6))):
        name = str(rng.choice(["multiply", "divide"]))
        taken: list[Linear] = []
        for _ in range(2):
            n = int(rng.integers(1, 3))
            sources = rng.choice(3 + k, n, replace=False).tolist()
            linear = {int(s): float(rng.uniform(0.5, 1.5)) for s in sources}
            if rng.random() < 0.4:
                linear[CONSTANT] = float(rng.uniform(0.5, 1.5))
            taken.append(linear)
        nodes.append(Node(name, tuple(taken)))
    last = 2 + len(nodes)
    sources = {last, int(rng.integers(0, 3)), int(rng.integers(0, last + 1))}
    return formula(3, {s: float(rng.uniform(0.5, 1.5)) for s in sources}, *nodes)


def step(one: float, *, beside: Linear) -> Graph:
    """2 x1 + 6/(one + 3 exp(-x2)) beside something."""
    below = {3: 3.0, CONSTANT: one}
    exponential = Node("exp", ({1: -1.0},))
    return formula(3, {4: 6.0, **beside}, exponential, divide({CONSTANT: 1.0}, below))


def test_a_step_beside_something_has_a_one_in_it() -> None:
    graph = step(0.2, beside={0: 2.0})
    shown = displayed(canonical(graph, X.T), X)
    (below,) = [n.arguments[1] for n in shown.nodes if n.unit == "divide"]
    assert below[CONSTANT] == 1.0
    assert sorted(below.values()) == pytest.approx([1.0, 15.0])
    assert shown.n_parameters == canonical(graph, X.T).n_parameters == 4
    np.testing.assert_allclose(shown.evaluate(X)[0], graph.evaluate(X)[0], rtol=1e-12)


def test_a_pole_is_not_written_with_a_one() -> None:
    shown = displayed(canonical(step(-0.2, beside={0: 2.0}), X.T), X)
    (below,) = [n.arguments[1] for n in shown.nodes if n.unit == "divide"]
    assert below[CONSTANT] == pytest.approx(-0.2 / 3)


def test_rounding_errors_of_what_is_multiplied_out_are_no_term() -> None:
    # x2 (log x1 - 0.1 - 0.2) + 0.3 x2 is x2 log x1.
    log, product = (
        Node("log", ({0: 1.0},)),
        multiply({1: 1.0}, {3: 1.0, CONSTANT: -0.3}),
    )
    graph = formula(3, {4: 1.0, 1: 0.1 + 0.2}, log, product)
    assert 0.1 + 0.2 != 0.3
    plain = multiplied_out(graph)
    assert plain.outputs[0][0] == {4: 1.0}
    np.testing.assert_allclose(plain.evaluate(X)[0], graph.evaluate(X)[0], atol=1e-14)
