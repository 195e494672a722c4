import math
from collections.abc import Iterator

import numpy as np
import pytest
from graphs import ONE, random_graph, random_inputs

from eqlearn.network import units
from eqlearn.network.canonical import canonical, compact, displayed, normalise
from eqlearn.network.graph import CONSTANT, COSINE, Graph, Linear, Node
from eqlearn.network.transform import rescaled

X = np.random.default_rng(0).uniform(0.5, 1.5, (2, 50))


def of_two_inputs(numerator: Linear, *nodes: Node, denominator: Linear = ONE) -> Graph:
    return Graph(2, nodes, ((numerator, denominator),))


def random_graphs(n: int) -> Iterator[tuple[Graph, np.ndarray]]:
    for seed in range(n):
        rng = np.random.default_rng(seed)
        graph = random_graph(
            rng,
            n_units=seed % 10,
            n_outputs=1 + seed % 3,
            division=seed % 4 > 0,
            untidy=True,
        )
        yield graph, random_inputs(rng)


def assert_equal_outputs(one: Graph, other: Graph, x: np.ndarray) -> None:
    expected = other.evaluate(x)[0]
    tolerance = 1e-12 * (1 + np.abs(expected).max())
    np.testing.assert_allclose(one.evaluate(x)[0], expected, rtol=0, atol=tolerance)


def assert_same(one: Graph, other: Graph) -> None:
    """Equal structure, and weights equal up to rounding."""
    assert [node.unit for node in one.nodes] == [node.unit for node in other.nodes]
    assert one.fixed == other.fixed
    weights, others = dict(one.connections()), dict(other.connections())
    assert weights.keys() == others.keys()
    for key, weight in weights.items():
        assert weight == pytest.approx(others[key], rel=1e-12, abs=1e-12)


def test_compact_leaves_outputs_unchanged() -> None:
    for graph, x in random_graphs(300):
        assert_equal_outputs(compact(graph), graph, x)


def test_canonical_leaves_outputs_unchanged() -> None:
    for graph, x in random_graphs(300):
        assert_equal_outputs(canonical(graph, x.T), graph, x)


def test_compact_twice_is_compact_once() -> None:
    for graph, _ in random_graphs(300):
        once = compact(graph)
        assert compact(once) == once


def test_canonical_twice_is_canonical_once() -> None:
    for graph, x in random_graphs(300):
        once = canonical(graph, x.T)
        assert_same(canonical(once, x.T), once)


def test_canonical_never_adds_a_unit_or_a_connection() -> None:
    for graph, x in random_graphs(100):
        form = canonical(graph, x.T)
        assert len(form.nodes) <= len(graph.nodes)
        # A cosine's phase is a connection more, but no parameter.
        assert form.n_parameters <= graph.n_parameters


def test_identities_disappear_into_their_users() -> None:
    graph = of_two_inputs(
        {3: 5.0, CONSTANT: 1.0},
        Node("identity", ({0: 2.0, CONSTANT: 3.0},)),
        Node("tanh", ({2: 4.0, 1: 1.0},)),
    )
    # tanh(4 (2 x1 + 3) + x2)
    tanh = Node("tanh", ({0: 8.0, CONSTANT: 12.0, 1: 1.0},))
    assert compact(graph) == of_two_inputs({2: 5.0, CONSTANT: 1.0}, tanh)


def test_units_without_inputs_become_constants() -> None:
    graph = of_two_inputs(
        {2: 2.0, 3: 1.0, 4: 1.0},
        Node("sin", ({CONSTANT: math.pi / 6},)),
        Node("multiply", ({2: 6.0}, {0: 1.0, CONSTANT: 2.0})),  # 3 (x1 + 2)
        Node("multiply", ({0: 1.0}, {})),  # x1 · 0
    )
    form = compact(graph)
    assert form.nodes == ()
    assert form.outputs[0][0] == pytest.approx({0: 3.0, CONSTANT: 7.0})


def test_constants_of_a_users_unit_fold_without_python_errors(table: None) -> None:
    units.register_unit("inverse", lambda xp, z: 1 / z)
    graph = of_two_inputs({2: 1.0}, Node("inverse", ({},)))
    assert compact(graph).outputs[0][0] == {CONSTANT: math.inf}


def test_copies_of_a_unit_become_one() -> None:
    sine = Node("sin", ({0: 2.0},))
    graph = of_two_inputs(
        {2: 1.0, 3: 2.0, 4: 1.0}, sine, sine, Node("tanh", ({3: 1.0},))
    )
    tanh = Node("tanh", ({2: 1.0},))
    assert compact(graph) == of_two_inputs({2: 3.0, 3: 1.0}, sine, tanh)


def test_units_that_no_output_uses_disappear() -> None:
    used, unused = Node("sin", ({0: 2.0},)), Node("sin", ({1: 1.0},))
    beyond = Node("tanh", ({2: 1.0},))
    graph = of_two_inputs({3: 1.0}, unused, used, beyond)
    assert compact(graph) == of_two_inputs({2: 1.0}, used)


def test_terms_that_cancel_disappear_with_their_units() -> None:
    sine = Node("sin", ({0: 2.0},))
    graph = of_two_inputs({2: 1.0, 3: -1.0, 1: 1.0}, sine, sine)
    assert compact(graph) == of_two_inputs({1: 1.0})


def test_cosines_are_sines_and_squares_are_products() -> None:
    cosine, square = Node("cos", ({0: 2.0},)), Node("square", ({1: 1.0},))
    form = canonical(of_two_inputs({2: 1.0, 3: 1.0}, cosine, square), X)
    assert form.nodes == (
        Node("sin", ({0: 2.0, CONSTANT: COSINE},)),
        Node("multiply", ({1: 1.0}, {1: 1.0})),
    )
    # Neither the cosine's phase nor the scale of a factor is a parameter.
    assert form.parameters() == [(0, 0), (3, 2), (3, 3)]


def test_a_cosine_that_is_a_sine_is_told_from_no_other_sine() -> None:
    sine = Node("sin", ({0: 2.0},))
    shifted = Node("cos", ({0: 2.0, CONSTANT: -COSINE},))
    graph = of_two_inputs({2: 1.0, 3: 1.0}, sine, shifted)
    assert compact(graph) == of_two_inputs({2: 2.0}, sine)


def test_the_largest_weight_of_a_factor_is_one_and_fixed() -> None:
    product = Node("multiply", ({0: 3.0, 1: -6.0}, {1: 0.5, CONSTANT: 4.0}))
    form = canonical(of_two_inputs({2: 2.0}, product), X)
    # 2 · (3 x1 - 6 x2)(½ x2 + 4) = -6 (8 + x2)(x2 - ½ x1)
    scaled = Node("multiply", ({CONSTANT: 8.0, 1: 1.0}, {0: -0.5, 1: 1.0}))
    assert form.nodes == (scaled,)
    assert form.outputs == (({2: -6.0}, ONE),)
    assert form.fixed == {(0, 1), (1, 1), (3, CONSTANT)}


@pytest.mark.parametrize(
    ("weight", "phase", "sign", "folded"),
    [
        (2.0, 0.0, 1.0, 0.0),
        (-2.0, 0.0, -1.0, 0.0),
        (2.0, math.pi, -1.0, 0.0),
        (2.0, -math.pi, -1.0, 0.0),
        (2.0, 2 * math.pi, 1.0, 0.0),
        (2.0, 0.7, 1.0, 0.7),
        (-2.0, 0.7, -1.0, -0.7),
        (2.0, 3.0, -1.0, 3.0 - math.pi),
        (2.0, 100.0, 1.0, 100.0 - 32 * math.pi),
        # a cosine is exactly at π/2, wherever it was, and not at the circle's cut
        (2.0, COSINE, 1.0, COSINE),
        (2.0, -COSINE, -1.0, COSINE),
        (-2.0, COSINE, 1.0, COSINE),
        (2.0, 2.5 * math.pi, 1.0, COSINE),
        (2.0, 5.5 * math.pi, -1.0, COSINE),
        (2.0, -10.5 * math.pi, -1.0, COSINE),
        (2.0, COSINE + 0.2, 1.0, COSINE + 0.2),
        (2.0, COSINE + 0.4, -1.0, COSINE + 0.4 - math.pi),
        (2.0, 0.4 - COSINE, 1.0, 0.4 - COSINE),
    ],
)
def test_sines_start_positive_with_a_phase_in_half_a_circle(
    weight: float, phase: float, sign: float, folded: float
) -> None:
    sine = Node("sin", ({0: weight, 1: 0.5, CONSTANT: phase},))
    form = canonical(of_two_inputs({2: 1.0}, sine), X)
    (argument,) = form.nodes[0].arguments
    assert argument[0] == 2.0
    assert form.outputs[0][0][2] == sign
    assert argument.get(CONSTANT, 0.0) == pytest.approx(folded, abs=1e-12)
    is_fixed = (0, CONSTANT) in form.fixed
    assert is_fixed == (argument.get(CONSTANT) == COSINE) == (folded == COSINE)


def test_the_constant_in_exp_is_a_factor_of_its_users() -> None:
    form = canonical(
        of_two_inputs({2: 2.0}, Node("exp", ({0: 3.0, CONSTANT: 1.5},))), X
    )
    assert form.nodes == (Node("exp", ({0: 3.0},)),)
    assert form.outputs[0][0] == {2: pytest.approx(2 * math.exp(1.5))}


def test_the_scale_in_a_root_is_a_factor_of_its_users() -> None:
    root = Node("sqrt", ({0: -4.0, CONSTANT: 20.0},))
    form = canonical(of_two_inputs({2: 3.0}, root), X)
    assert form.nodes == (Node("sqrt", ({0: -1.0, CONSTANT: 5.0},)),)
    assert form.outputs[0][0] == {2: 6.0}
    assert form.parameters() == [(0, CONSTANT), (1, 2)]


@pytest.mark.parametrize(("unit", "other"), [("asin", "acos"), ("acos", "asin")])
def test_an_arc_is_the_one_with_less_of_a_constant(unit: str, other: str) -> None:
    def law(unit: str, weight: float, constant: float) -> Graph:
        arc = Node(unit, ({0: 0.5, 1: -0.25},))
        return of_two_inputs({2: weight, CONSTANT: constant}, arc)

    # 1.571 - acos(u) is asin(u), but for a constant that a fit has left.
    found = canonical(law(unit, -2.0, 3.15), X)
    assert found.nodes[0].unit == other
    assert found.outputs[0][0] == pytest.approx({2: 2.0, CONSTANT: 3.15 - math.pi})
    assert_equal_outputs(found, law(unit, -2.0, 3.15), X.T)
    assert_same(canonical(found, X), found)
    kept = law(unit, 2.0, 1.0)
    assert canonical(kept, X).nodes == kept.nodes
    assert canonical(law(other, -2.0, 1.0 + math.pi), X).nodes == kept.nodes


def test_an_arc_in_a_product_is_the_one_with_less_of_a_constant() -> None:
    # (1.6 - acos(x1 / 2)) x2, of which the largest weight stays 1
    nodes = (
        Node("acos", ({0: 0.5},)),
        Node("multiply", ({2: -1.0, CONSTANT: 1.6}, {1: 1.0})),
    )
    graph = of_two_inputs({3: 3.0}, *nodes)
    found = canonical(graph, X)
    assert [node.unit for node in found.nodes] == ["asin", "multiply"]
    product = found.nodes[1].arguments
    assert {2: 1.0, CONSTANT: pytest.approx(1.6 - math.pi / 2)} in product
    assert_equal_outputs(found, graph, X.T)


def test_an_arc_of_several_users_is_left_as_it_is() -> None:
    nodes = (Node("acos", ({0: 0.5},)), Node("tanh", ({2: 1.0},)))
    graph = of_two_inputs({2: -1.0, 3: 1.0, CONSTANT: 1.57}, *nodes)
    assert canonical(graph, X).nodes[0].unit == "acos"


def test_ties_keep_their_meaning() -> None:
    nodes = (Node("sin", ({0: -2.0},)), Node("sin", ({0: 4.0},)))
    ties = {(1, 0): ((0, 0), -2.0)}
    graph = Graph(2, nodes, (({2: 1.0, 3: 1.0}, ONE),), ties=ties)
    form = normalise(graph, X)
    assert form.slots()[:2] == [{0: 2.0}, {0: 4.0}]
    assert form.ties == {(1, 0): ((0, 0), 2.0)}


def test_for_display_a_denominator_reads_one_and_more() -> None:
    graph = of_two_inputs({1: 6.0}, denominator={0: 10.0, CONSTANT: 2.0})
    shown = displayed(graph, X)
    assert shown.outputs[0][0] == pytest.approx({1: 3.0})
    assert shown.outputs[0][1] == pytest.approx({0: 5.0, CONSTANT: 1.0})
    assert shown.fixed == {(1, CONSTANT)}
    shown = displayed(of_two_inputs({1: 6.0}, denominator={0: 2.0}), X)
    assert shown.outputs[0][0] == pytest.approx({1: 3.0})
    assert shown.outputs[0][1] == pytest.approx({0: 1.0})


def test_display_changes_neither_outputs_nor_the_number_of_parameters() -> None:
    for graph, x in random_graphs(50):
        form = canonical(graph, x.T)
        shown = displayed(form, x.T)
        assert_equal_outputs(shown, graph, x)
        assert shown.n_parameters == form.n_parameters


def test_a_factor_that_would_overflow_stays_in_exp() -> None:
    node = Node("exp", ({0: -1.0, CONSTANT: 800.0},))
    assert canonical(of_two_inputs({2: 1.0}, node), X).nodes == (node,)


@pytest.mark.parametrize("constant", [math.inf, -math.inf, math.nan])
def test_what_is_not_finite_is_left_to_be_seen(constant: float) -> None:
    for name in ("sin", "exp", "tanh"):
        node = Node(name, ({0: 1.0, CONSTANT: constant},))
        product = Node("multiply", ({2: 1.0}, {1: 2.0, CONSTANT: constant}))
        form = canonical(of_two_inputs({2: 1.0, 3: 1.0}, node, product), X)
        assert not all(math.isfinite(weight) for _, weight in form.connections())


def test_a_constant_denominator_is_one() -> None:
    graph = of_two_inputs({0: 3.0, CONSTANT: 1.0}, denominator={CONSTANT: -2.0})
    form = canonical(graph, X)
    assert form.outputs == (({0: -1.5, CONSTANT: -0.5}, ONE),)
    assert form.parameters() == [(0, 0), (0, CONSTANT)]


def test_a_denominator_is_one_on_average_with_its_largest_term_fixed() -> None:
    for sign in (1.0, -1.0):
        b = {0: sign * 10.0, CONSTANT: sign * 0.5}
        form = canonical(of_two_inputs({1: 1.0}, denominator=b), X)
        assert form.evaluate(X.T)[1].mean() == pytest.approx(1.0)
        assert form.fixed == {(1, 0)}
    b = {0: 0.1, CONSTANT: 2.0}
    form = canonical(of_two_inputs({1: 1.0}, denominator=b), X)
    assert form.fixed == {(1, CONSTANT)}


def test_the_largest_term_counts_by_its_values_not_by_its_weight() -> None:
    x = np.stack([np.full(20, 1000.0), np.linspace(1, 2, 20)])
    graph = of_two_inputs({CONSTANT: 1.0}, denominator={0: 1.0, 1: 5.0})
    assert canonical(graph, x).fixed == {(1, 0)}


def test_a_denominator_that_changes_sign_is_one_by_size() -> None:
    x = np.stack([np.linspace(-1, 1, 40), np.ones(40)])
    form = canonical(of_two_inputs({1: 1.0}, denominator={0: 7.0}), x)
    assert np.abs(form.evaluate(x.T)[1]).mean() == pytest.approx(1.0)


def test_constant_and_other_denominators_stand_side_by_side() -> None:
    graph = Graph(2, (), (({0: 4.0}, {CONSTANT: 2.0}), ({0: 1.0}, {1: 3.0})))
    form = canonical(graph, X)
    assert form.outputs[0] == ({0: 2.0}, ONE)
    assert form.evaluate(X.T)[1].mean(axis=0) == pytest.approx([1.0, 1.0])
    assert form.fixed == {(1, CONSTANT), (3, 1)}


def disguised(graph: Graph, rng: np.random.Generator) -> Graph:
    """Write the same function in other weights, by every symmetry there is."""
    factors = {feature: 1.0 for feature in range(CONSTANT, graph.n_inputs)}
    nodes: list[Node] = []
    for k, node in enumerate(graph.nodes):
        arguments = [
            {s: w * factors[s] for s, w in linear.items()} for linear in node.arguments
        ]
        inverse = 1.0
        if node.unit == "multiply":
            for n, linear in enumerate(arguments):
                scale = float(rng.uniform(0.2, 5) * rng.choice([-1, 1]))
                arguments[n] = {s: w * scale for s, w in linear.items()}
                inverse /= scale
            arguments = arguments[:: int(rng.choice([-1, 1]))]
        if node.unit == "sin":
            sign, turns = int(rng.choice([-1, 1])), int(rng.integers(-3, 4))
            flipped = {s: w * sign for s, w in arguments[0].items()}
            phase = flipped.get(CONSTANT, 0.0) + turns * math.pi
            arguments[0] = {**flipped, CONSTANT: phase}
            inverse = float(sign * (-1) ** turns)
        if node.unit == "exp":
            shift = float(rng.uniform(-1, 1))
            constant = arguments[0].get(CONSTANT, 0.0) + shift
            arguments[0] = {**arguments[0], CONSTANT: constant}
            inverse = math.exp(-shift)
        factors[graph.n_inputs + k] = inverse
        nodes.append(Node(node.unit, tuple(arguments)))
    outputs = []
    for output in graph.outputs:
        scale = float(rng.uniform(0.2, 5) * rng.choice([-1, 1]))
        a, b = ({s: w * factors[s] * scale for s, w in part.items()} for part in output)
        outputs.append((a, b))
    return Graph(graph.n_inputs, tuple(nodes), tuple(outputs))


def test_equal_graphs_become_equal() -> None:
    for seed in range(200):
        rng = np.random.default_rng(seed)
        graph = compact(random_graph(rng, n_outputs=1 + seed % 2))
        x = random_inputs(rng)
        other = disguised(graph, rng)
        assert_equal_outputs(other, graph, x)
        assert_same(canonical(other, x.T), canonical(graph, x.T))


def test_units_that_are_equal_up_to_sign_scale_or_order_become_one() -> None:
    graph = of_two_inputs(
        {2: 1.0, 3: 2.0, 4: 1.0, 5: 1.0},
        Node("sin", ({0: 1.0, CONSTANT: 0.5},)),
        Node("sin", ({0: -1.0, CONSTANT: -0.5},)),
        Node("multiply", ({0: 1.0}, {1: 2.0})),
        Node("multiply", ({1: 1.0}, {0: 2.0})),
    )
    form = canonical(graph, X)
    # sin + 2 · (-sin) and 2 x1 x2 + 2 x2 x1
    assert form.outputs[0][0] == {2: -1.0, 3: 4.0}


def test_normalise_does_not_look_at_the_present_scale() -> None:
    product = Node("multiply", ({0: 1.0}, {1: 1.0}))
    graph = of_two_inputs({2: 3.0}, product)
    assert normalise(graph, X) == normalise(normalise(graph, X), X)


def test_a_quotient_keeps_no_scale_above_or_below() -> None:
    # x1 + 3 (4 x1 + 2) / (5 x2 - 10): the largest weights are 1, the rest is outside.
    quotient = Node("divide", ({0: 4.0, CONSTANT: 2.0}, {1: 5.0, CONSTANT: -10.0}))
    x = np.array([[0.3, 1.0, 2.0], [3.0, 4.0, 7.0]])
    tidy = canonical(of_two_inputs({0: 1.0, 2: 3.0}, quotient), x)
    assert tidy.nodes == (
        Node("divide", ({0: 1.0, CONSTANT: 0.5}, {1: 1.0, CONSTANT: -2.0})),
    )
    assert tidy.outputs[0][0] == {0: 1.0, 2: pytest.approx(3.0 * 4 / 5)}
    # x1 and x2 by themselves, and the denominator 1, are no parameters.
    assert tidy.fixed == {(0, 0), (1, 1), (3, CONSTANT)}
    assert tidy.n_parameters == 4


def test_an_output_that_is_quotients_alone_is_a_fraction() -> None:
    # 3 (x1 / (x2 + 1)) / x2, as divisions of divisions.
    inner = Node("divide", ({0: 1.0}, {1: 1.0, CONSTANT: 1.0}))
    outer = Node("divide", ({2: 3.0}, {1: 1.0}))
    x = np.array([[0.3, 1.0, 2.0], [3.0, 4.0, 7.0]])
    graph = of_two_inputs({3: 1.0}, inner, outer)
    tidy = canonical(graph, x)
    assert [node.unit for node in tidy.nodes] == ["multiply"]
    np.testing.assert_allclose(tidy.evaluate(x.T)[0], graph.evaluate(x.T)[0])
    assert tidy.n_parameters == 2


def test_a_quotient_over_nothing_is_left_alone() -> None:
    inner = Node("divide", ({0: 1.0}, {1: 1.0}))
    graph = Graph(2, (inner,), (({2: 1.0}, {}),))
    assert canonical(graph, np.ones((2, 3))).outputs[0][1] == {}


def test_a_quotient_whose_denominator_cancels_is_kept_as_it_is() -> None:
    same = Node("divide", ({CONSTANT: 1.0}, {0: 1.0}))
    lost = Node("divide", ({0: 1.0, 1: 2.0}, {2: 1.0, 3: -1.0}))
    tidy = canonical(of_two_inputs({4: 1.0, CONSTANT: 1.0}, same, same, lost), X)
    with np.errstate(divide="ignore"):
        assert not np.isfinite(tidy.evaluate(X.T)[0]).any()


def test_a_quotient_over_nothing_over_something_is_kept_as_it_is() -> None:
    # Pruned to (x1 / sin(0)) / x2, which is nowhere a number.
    nothing = Node("sin", ({},))
    quotient = Node("divide", ({0: 1.0}, {2: 1.0}))
    graph = Graph(2, (nothing, quotient), (({3: math.nan}, {1: 1.0}),))
    tidy = canonical(graph, np.ones((2, 3)))
    with np.errstate(all="ignore"):
        assert not np.isfinite(tidy.evaluate(np.ones((3, 2)))[0]).any()


def test_one_over_something_has_a_constant_above() -> None:
    x = np.array([[0.3, 1.0, 2.0], [3.0, 4.0, 7.0]])
    inverse = Node("divide", ({CONSTANT: 6.0}, {1: 2.0}))
    tidy = canonical(of_two_inputs({0: 1.0, 2: 1.0}, inverse), x)
    assert tidy.nodes == (Node("divide", ({CONSTANT: 1.0}, {1: 1.0})),)
    assert tidy.outputs[0][0] == {0: 1.0, 2: 3.0}


@pytest.mark.parametrize(
    ("above", "below", "linear"),
    [
        ({0: 6.0, CONSTANT: 2.0}, {CONSTANT: 2.0}, {0: 3.0, CONSTANT: 1.0}),
        ({0: 6.0, CONSTANT: 2.0}, {0: 3.0, CONSTANT: 1.0}, {CONSTANT: 2.0}),
        ({}, {0: 3.0}, {}),
        ({CONSTANT: 6.0}, {CONSTANT: 3.0}, {CONSTANT: 2.0}),
    ],
)
def test_a_quotient_that_is_linear_is_no_unit(
    above: Linear, below: Linear, linear: Linear
) -> None:
    graph = of_two_inputs({2: 1.0, 1: 1.0}, Node("divide", (above, below)))
    assert compact(graph) == of_two_inputs({**linear, 1: 1.0})


@pytest.mark.parametrize(("scale", "free"), [(1.0, 0), (0.1, 1)])
def test_a_square_stays_one_whichever_weight_is_the_largest(
    scale: float, free: int
) -> None:
    # 3 (x - 2 z)²: with x in units of a tenth its weight is the largest, and fixed.
    sum_of_both: Linear = {0: 1.0, 1: -2.0}
    square = Node("multiply", (sum_of_both, sum_of_both))
    ties = {(1, 0): ((0, 0), 1.0)}
    before = normalise(Graph(2, (square,), (({2: 3.0}, ONE),), ties=ties), X)
    after = normalise(rescaled(before, [scale, 1.0], [1.0]), X)
    assert after.parameters() == [(0, free), (2, 2)]
    assert after.ties == {(1, free): ((0, free), 1.0)}
