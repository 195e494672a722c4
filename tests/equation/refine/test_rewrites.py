from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest
from graphs import ONE, random_graph, random_inputs

from eqlearn.equation.refine import rewrites, sine_rewrites
from eqlearn.equation.refine.criterion import Scored, score
from eqlearn.equation.refine.hill_climb import (
    Move,
    Proposal,
    Seen,
    improve,
    propose,
)
from eqlearn.equation.refine.moves import ALL
from eqlearn.equation.refine.prune import prune
from eqlearn.equation.refine.score_test import added_terms
from eqlearn.equation.refine.shared_frequencies import tie
from eqlearn.equation.refine.tactics import STANDARD, Patience
from eqlearn.network.canonical import canonical
from eqlearn.network.draft import Draft
from eqlearn.network.graph import CONSTANT, Graph, Linear, Node
from eqlearn.training.levenberg import fit
from eqlearn.training.samples import Samples, samples

NOISE = 0.01


def multiply(first: Linear, second: Linear) -> Node:
    return Node("multiply", (first, second))


def sine(linear: Linear) -> Node:
    return Node("sin", (linear,))


def cosine(linear: Linear) -> Node:
    return Node("cos", (linear,))


def formula(n: int, above: Linear, *nodes: Node, below: Linear = ONE) -> Graph:
    """Write y = above / below in n inputs and the given units, numbered on from n."""
    return Graph(n, nodes, ((above, below),))


def data_of(truth: Graph, *, n: int = 600, seed: int = 0, low: float = -1.0) -> Samples:
    rng = np.random.default_rng(seed)
    x = rng.uniform(low, 1, (n, truth.n_inputs))
    y = truth.evaluate(x)[0]
    return samples(x, y + NOISE * rng.normal(size=y.shape))


def fitted(graph: Graph, data: Samples) -> Scored:
    graph, sse, _ = fit(canonical(graph, data.x), data, n_iterations=50)
    return score(graph, sse, data)


def is_the_truth(found: Scored, truth: Graph, data: Samples) -> bool:
    """Compare size, criterion, and values at twice the range of the data."""
    expected = tie(fitted(truth, data), data)
    far = np.random.default_rng(1).uniform(-2, 2, (500, truth.n_inputs))
    error = found.graph.evaluate(far)[0] - truth.evaluate(far)[0]
    return (
        found.graph.n_parameters == expected.graph.n_parameters
        and abs(found.bic - expected.bic) < 1.0
        and float(np.sqrt(np.mean(error**2))) < NOISE
    )


class Case(NamedTuple):
    """A graph that fits, more or less, and the one that a move should make of it."""

    move: Move
    start: Graph
    truth: Graph


XY = multiply({0: 1.0}, {1: 1.0})
WAVE = formula(3, {3: 1.0}, sine({0: 2.0}))

CASES = {
    "sin(εz) for z": Case(
        sine_rewrites.units_in_a_limit,
        formula(2, {2: 20.0}, sine({0: 0.075, 1: -0.025})),
        formula(2, {0: 1.5, 1: -0.5}),
    ),
    "cos(εx) for x²": Case(
        sine_rewrites.units_in_a_limit,
        formula(1, {1: -22.0, CONSTANT: 22.0}, cosine({0: 0.3})),
        formula(1, {1: 1.0}, multiply({0: 1.0}, {0: 1.0})),
    ),
    "two nearly equal sines": Case(
        rewrites.merged_features,
        formula(2, {2: 1.0, 4: 1.0}, sine({0: 1.95}), sine({0: 2.05}),
                multiply({1: 1.0}, {3: 1.0})),
        formula(2, {2: 1.0, 3: 1.0}, sine({0: 2.0}), multiply({1: 1.0}, {2: 1.0})),
    ),
    "sin(z + εx) - sin(z - εx) for x cos z": Case(
        sine_rewrites.difference_quotients,
        formula(2, {2: 2.5, 3: -2.5}, sine({0: 0.2, 1: 2.0}), sine({0: -0.2, 1: 2.0})),
        formula(2, {3: 1.0}, cosine({1: 2.0}), multiply({0: 1.0}, {2: 1.0})),
    ),
    "sin(z + x) for sin z + x cos z": Case(
        sine_rewrites.small_additions,
        formula(2, {2: 1.0}, sine({0: 2.0, 1: 0.3})),
        formula(2, {2: 1.0, 4: 0.3}, sine({0: 2.0}), cosine({0: 2.0}),
                multiply({1: 1.0}, {3: 1.0})),
    ),
    "(x + a)(y + b) + c for xy + bx + ay": Case(
        rewrites.multiplied_out,
        formula(2, {2: 1.5, CONSTANT: 0.2},
                multiply({0: 1.0, CONSTANT: -0.27}, {1: 1.0, CONSTANT: 0.47})),
        formula(2, {0: 0.7, 1: -0.4, 2: 1.5}, XY),
    ),
    "(x + y)(z + v) for (x + y)z + yv": Case(
        rewrites.multiplied_out,
        formula(4, {4: 1.0}, multiply({0: 1.0, 1: 1.0}, {2: 1.0, 3: 0.3})),
        formula(4, {4: 1.0, 5: 0.5}, multiply({0: 1.0, 1: 1.0}, {2: 1.0}),
                multiply({1: 1.0}, {3: 1.0})),
    ),
    "cos a cos b - sin a sin b for cos(a + b)": Case(
        sine_rewrites.products_of_sines,
        formula(2, {6: 1.0, 7: -1.0}, sine({0: 2.0}), sine({1: 3.0}), cosine({0: 2.0}),
                cosine({1: 3.0}), multiply({4: 1.0}, {5: 1.0}),
                multiply({2: 1.0}, {3: 1.0})),
        formula(2, {2: 1.0}, cosine({0: 2.0, 1: 3.0})),
    ),
    "y sin x for yx": Case(
        rewrites.swapped_sources,
        formula(2, {2: 2.0, 3: 1.0}, sine({0: 1.5}), multiply({1: 1.0}, {2: 1.0})),
        formula(2, {2: 2.0, 3: 1.0}, sine({0: 1.5}), XY),
    ),
    "exp(εx) for x": Case(
        rewrites.imitated_units,
        formula(2, {2: 10.0, CONSTANT: -10.0, 1: 1.0}, Node("exp", ({0: 0.1},))),
        formula(2, {0: 1.0, 1: 1.0}),
    ),
    "1 - x² for a cosine": Case(
        sine_rewrites.sines_for_units,
        formula(1, {CONSTANT: 1.0, 1: -1.4}, multiply({0: 1.0}, {0: 1.0})),
        formula(1, {1: 1.0}, cosine({0: 1.8})),
    ),
    "a cosine of a product with a sine, of which only the square is seen": Case(
        sine_rewrites.sines_of_half_angles,
        formula(
            2, {CONSTANT: 1.0, 4: -1.4}, cosine({0: 6.0}), multiply({1: 1.0}, {1: 1.0}),
            multiply({CONSTANT: 0.5, 2: -0.5}, {3: 1.0}),
        ),
        formula(
            2, {4: 1.0}, sine({0: 3.0}), multiply({1: 1.0}, {2: 1.0}), cosine({3: 1.8})
        ),
    ),
    "an angle taken for its sine": Case(
        sine_rewrites.bent_sources,
        formula(2, {2: 1.0}, XY),
        formula(2, {3: 1.0}, sine({0: 1.5}), multiply({1: 1.0}, {2: 1.0})),
    ),
    "a missing connection": Case(
        added_terms, WAVE, formula(3, {3: 1.0}, sine({0: 2.0, 2: 0.5}))
    ),
    "a missing constant": Case(
        added_terms, WAVE, formula(3, {3: 1.0, CONSTANT: 0.2}, sine({0: 2.0}))
    ),
    "a missing product of inputs": Case(
        added_terms, WAVE,
        formula(3, {3: 1.0, 4: 0.5}, sine({0: 2.0}), multiply({1: 1.0}, {2: 1.0})),
    ),
    "a missing product with a unit": Case(
        added_terms, WAVE,
        formula(3, {3: 1.0, 4: 0.5}, sine({0: 2.0}), multiply({1: 1.0}, {3: 1.0})),
    ),
    "a missing denominator": Case(
        added_terms, WAVE,
        formula(3, {3: 1.0}, sine({0: 2.0}), below={CONSTANT: 1.0, 1: 0.3}),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_each_move_ends_in_the_formula_that_was_meant(name: str) -> None:
    move, start, truth = CASES[name]
    data = data_of(truth)
    pruned = prune(start, data)
    assert not is_the_truth(pruned, truth, data)
    assert is_the_truth(improve(pruned, data, [move]), truth, data)


@pytest.mark.parametrize(
    "name", [name for name, case in CASES.items() if case.move != added_terms]
)
def test_all_moves_together_end_no_worse(name: str) -> None:
    _, start, truth = CASES[name]
    data = data_of(truth)
    found = improve(prune(start, data), data, ALL)
    assert found.bic < fitted(truth, data).bic + 1.0


def test_a_unit_is_deleted_that_is_not_worth_all_its_weights() -> None:
    # The sine is noise that pays for its weight in each output, but not for its
    # frequency as well: no single removal lowers the criterion.
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (600, 2))
    truth = Graph(2, (), (({0: 1.0}, ONE), ({0: 2.0}, ONE)))
    spurious = np.sin(x @ [[30.0], [40.0]])
    noise = rng.normal(size=(600, 2))
    noise -= spurious * (spurious.T @ noise) / np.sum(spurious**2)
    cost = STANDARD.criterion.cost(1200)
    size = np.sqrt(1.25 * cost / np.sum(spurious**2))
    data = samples(x, truth.evaluate(x)[0] + NOISE * (noise + size * spurious))
    outputs: tuple[tuple[Linear, Linear], ...] = (
        ({0: 1.0, 2: 0.002}, ONE),
        ({0: 2.0, 2: 0.002}, ONE),
    )
    pruned = prune(Graph(2, (sine({0: 30.0, 1: 40.0}),), outputs), data)
    assert len(pruned.graph.nodes) == 1
    found = improve(pruned, data, [rewrites.constant_units])
    assert found.bic < pruned.bic
    assert found.graph.nodes == ()


def proposals(graph: Graph, data: Samples, move: Move) -> list[Graph]:
    found = propose(graph, data, [move])
    return [proposal.graph for proposal in found if proposal.graph is not None]


def assert_unchanged(graph: Graph, move: Move, x: np.ndarray) -> int:
    """Compare all proposals of a move with the graph itself; return their number."""
    expected = graph.evaluate(x)[0]
    tolerance = 1e-12 * (1 + np.abs(expected).max())
    found = proposals(graph, samples(x, np.zeros((len(x), 1))), move)
    for proposal in found:
        outputs = proposal.evaluate(x)[0]
        np.testing.assert_allclose(outputs, expected, rtol=0, atol=tolerance)
    return len(found)


def test_multiplying_out_changes_no_output() -> None:
    n_proposals = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        graph = random_graph(rng, units=("sin", "multiply"))
        n_proposals += assert_unchanged(
            graph, rewrites.multiplied_out, random_inputs(rng)
        )
    assert n_proposals > 100


def test_a_product_of_sines_is_a_sum_of_cosines() -> None:
    sines = sine({0: 2.0, CONSTANT: 0.3}), sine({0: -1.0, 1: 1.5, CONSTANT: -2.0})
    x = np.random.default_rng(0).uniform(-3, 3, (50, 2))
    for first, second in ((2, 3), (3, 2), (2, 2)):
        product = multiply({first: 0.7}, {second: -2.0})
        graph = formula(2, {2: 1.0, 4: 1.5}, *sines, product)
        assert assert_unchanged(graph, sine_rewrites.products_of_sines, x) == 1


@pytest.mark.parametrize("turns", [-1, 0, 1, 2])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_difference_quotient_is_right_to_first_order(sign: float, turns: int) -> None:
    # sin(z + δ) and, with sign and turns, sin(z - δ) for z = 2 x2 + 0.3, δ = 0.05 x1
    shifted = {0: -0.05 * sign, 1: 2 * sign, CONSTANT: sign * 0.3 + turns * np.pi}
    first = sine({0: 0.05, 1: 2.0, CONSTANT: 0.3})
    graph = formula(2, {2: 3.0, 3: -2.0}, first, sine(shifted))
    data = data_of(graph)
    (found,) = proposals(graph, data, sine_rewrites.difference_quotients)
    x = data.x.T
    error = np.abs(found.evaluate(x)[0] - graph.evaluate(x)[0]).max()
    assert 0 < error < 5 * 0.05**2 / 2 + 1e-12


def test_a_small_addition_is_right_to_first_order() -> None:
    graph = formula(2, {2: 3.0}, sine({0: 0.05, 1: 2.0, CONSTANT: 0.3}))
    data = data_of(graph)
    found = proposals(graph, data, sine_rewrites.small_additions)[0]
    x = data.x.T
    error = np.abs(found.evaluate(x)[0] - graph.evaluate(x)[0]).max()
    assert 0 < error < 3 * 0.05**2 / 2 + 1e-12


def test_a_feature_is_not_merged_into_one_that_depends_on_it() -> None:
    # sin(0.2 sin(x)) follows sin(x), but cannot take its place.
    graph = formula(1, {1: 1.0, 2: 1.0}, sine({0: 1.0}), sine({1: 0.2}))
    data = data_of(graph)
    refused, merged = list(propose(graph, data, [rewrites.merged_features]))[:2]
    if merged.graph is None:
        refused, merged = merged, refused
    assert refused.graph is None
    assert merged.graph is not None
    (linear, _) = canonical(merged.graph, data.x).outputs[0]
    assert linear[1] == pytest.approx(1.2, abs=0.01)  # sin(x) + 0.2 sin(x)


def test_the_score_test_finds_the_missing_term_first() -> None:
    truth = formula(3, {3: 1.0, 4: 0.5}, sine({0: 2.0}), multiply({1: 1.0}, {2: 1.0}))
    data = data_of(truth)
    first, *_ = propose(fitted(WAVE, data).graph, data, [added_terms])
    assert first.graph is not None
    assert first.graph.nodes[-1] == multiply({1: 1.0}, {2: 1.0})
    # and predicts its weight
    assert first.graph.outputs[0][0][4] == pytest.approx(0.5, abs=0.01)


def test_the_score_test_allows_for_what_is_there_already() -> None:
    # In a linear graph it predicts the weight that a joint fit of all terms would give,
    # even if the present weights are off and the inputs correlated.
    rng = np.random.default_rng(0)
    x = rng.normal(size=(100, 2)) @ [[1.0, 0.7], [0.0, 1.0]]
    y = x @ [[1.0], [0.5]] + 0.1 * rng.normal(size=(100, 1))
    data = samples(x, y)
    start = canonical(formula(2, {0: 3.0}), data.x)
    found = proposals(start, data, added_terms)
    weights = [g.outputs[0][0][1] for g in found if g.outputs[0][0].keys() == {0, 1}]
    solution = np.linalg.lstsq(x, y)[0]
    assert weights == [pytest.approx(solution[1, 0])]


def test_the_score_test_says_how_many_terms_it_looked_at() -> None:
    graph = canonical(formula(2, {2: 1.0}, sine({0: 2.0})), np.ones((2, 5)))
    first, *_ = propose(graph, data_of(graph), [added_terms])
    # Absent connections: x2 and the phase in the sine; x1, x2 and a constant above,
    # x1, x2 and the sine below. Products above: six pairs of three features.
    assert first.n_tried == 2 + 3 + 3 + 6


@pytest.mark.parametrize("seed", range(10))
def test_nothing_is_added_to_the_truth(seed: int) -> None:
    truth = formula(3, {3: 1.0, 4: 0.5}, sine({0: 2.0}), multiply({1: 1.0}, {2: 1.0}))
    data = data_of(truth, n=200, seed=seed)
    best = fitted(truth, data)
    assert improve(best, data, [added_terms]) is best


def test_what_was_found_by_looking_must_pay_for_it() -> None:
    truth = formula(2, {0: 1.0, 1: 0.0045})  # the second term is hardly to be seen
    data, start = data_of(truth), formula(2, {0: 1.0})
    best, found = fitted(start, data), fitted(truth, data)
    assert best.bic - 20 < found.bic < best.bic - 0.5

    def proposed(n_tried: int) -> Move:
        def move(seen: Seen) -> Iterator[Proposal]:
            yield Proposal("told", truth, n_tried)

        return move

    assert improve(best, data, [proposed(1)]).bic < best.bic
    assert improve(best, data, [proposed(100_000)]) is best


def test_improving_never_raises_the_criterion() -> None:
    for seed in range(12):
        rng = np.random.default_rng(seed)
        truth = random_graph(rng, n_units=2, n_outputs=1 + seed % 2)
        start = random_graph(rng, n_outputs=truth.n_outputs, untidy=True)
        x = random_inputs(rng, 100)
        y = truth.evaluate(x)[0] + 0.05 * rng.normal(size=(100, truth.n_outputs))
        data = samples(x, y, points=random_inputs(rng, 30))
        before = prune(start, data)
        after = improve(before, data, ALL, patience=Patience(n_proposals=40))
        assert after.bic <= before.bic
        assert score(after.graph, after.sse, data).bic == after.bic


def test_moves_see_labelled_samples_only() -> None:
    graph = formula(2, {2: 1.0}, XY)
    x = np.ones((5, 2))
    data = samples(x, x[:, :1], points=np.full((3, 2), 7.0))
    looked: list[Seen] = []

    def look(seen: Seen) -> Iterator[Proposal]:
        looked.append(seen)
        yield from ()

    assert list(propose(graph, data, [look])) == []
    np.testing.assert_array_equal(looked[0].features, np.ones((3, 5)))
    np.testing.assert_array_equal(looked[0].slots, np.ones((4, 5)))


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_a_constant_input_does_no_harm(value: float) -> None:
    rng = np.random.default_rng(0)
    x = np.c_[rng.uniform(-1, 1, (50, 1)), np.full((50, 1), value)]
    graph = formula(2, {0: 1.0, 1: 1.0, 2: 1.0}, sine({1: 0.5}))
    assert list(propose(graph, samples(x, x[:, :1]), ALL))


def test_a_proposal_that_cannot_be_computed_is_passed_over() -> None:
    data = data_of(WAVE)
    best = fitted(WAVE, data)

    def hopeless(seen: Seen) -> Iterator[Proposal]:
        yield Proposal("cycle", None)
        yield Proposal("empty", formula(3, {}))
        yield Proposal("overflow", formula(3, {3: 1.0}, Node("exp", ({0: 1e4},))))
        yield Proposal("pole", formula(3, {3: 1.0}, sine({0: 2.0}), below={}))

    assert improve(best, data, [hopeless]) is best


def test_patience_ends_the_search() -> None:
    truth = CASES["sin(εz) for z"].truth
    data = data_of(truth)
    best = prune(CASES["sin(εz) for z"].start, data)
    asked = []

    def stubborn(seen: Seen) -> Iterator[Proposal]:
        for n in range(100):
            asked.append(n)
            yield Proposal("same", seen.graph)

    assert improve(best, data, [stubborn], patience=Patience(n_proposals=7)) is best
    assert len(asked) == 7
    none = Patience(n_rounds=0)
    assert improve(best, data, ALL, patience=none) is best


def test_a_term_of_the_denominator_is_lifted_into_the_numerator() -> None:
    # 0.5 x1 + 0.2 x1 x2², seen as 0.5 x1 / (1 - 0.2 x2²)
    above = {0: 0.5, 4: 0.2}
    truth = formula(
        3, above, multiply({1: 1.0}, {1: 1.0}), multiply({3: 1.0}, {0: 1.0})
    )
    start = formula(
        3, {0: 0.5}, multiply({1: 1.0}, {1: 1.0}), below={CONSTANT: 1.0, 3: -0.2}
    )
    data = data_of(truth)
    best = improve(prune(start, data), data, [rewrites.lifted_terms])
    assert best.graph.n_parameters == 2
    assert best.bic == pytest.approx(fitted(truth, data).bic, abs=1.0)


def test_a_common_factor_is_cancelled() -> None:
    nodes = (multiply({0: 1.0}, {1: 1.0}), multiply({1: 1.0}, {1: 1.0}))
    start = formula(2, {2: 2.0}, *nodes, below={3: 1.0, 1: 0.5})
    data = data_of(start, low=0.5)
    best = improve(prune(start, data), data, [rewrites.cancelled_factors])
    assert not best.graph.nodes
    assert best.graph.n_parameters == 2


def test_the_series_of_a_cosine_becomes_the_cosine() -> None:
    # 1 - 2 u² + 2/3 u⁴ with u = x1 x2, which is itself no feature
    squares = multiply({0: 1.0}, {0: 1.0}), multiply({1: 1.0}, {1: 1.0})
    start = formula(
        2,
        {CONSTANT: 1.0, 4: -2.0, 5: 2 / 3},
        *squares,
        multiply({2: 1.0}, {3: 1.0}),
        multiply({4: 1.0}, {4: 1.0}),
    )
    truth = formula(2, {3: 1.0}, multiply({0: 1.0}, {1: 1.0}), cosine({2: 2.0}))
    data = data_of(truth, n=2000)
    best = improve(prune(start, data), data, [sine_rewrites.sines_for_units])
    assert is_the_truth(best, truth, data)


def test_an_input_that_is_an_angle_becomes_one_everywhere() -> None:
    # x1 stands for sin x1 in a product and by itself, beside a cosine of x1
    start = formula(
        2, {0: 1.0, 2: 1.0, 3: 0.5}, cosine({0: 1.0}), multiply({0: 1.0}, {1: 1.0})
    )
    truth = formula(
        2,
        {2: 1.0, 3: 1.0, 4: 0.5},
        cosine({0: 1.0}),
        sine({0: 1.0}),
        multiply({3: 1.0}, {1: 1.0}),
    )
    data = data_of(truth, n=2000)
    best = improve(prune(start, data), data, [sine_rewrites.inputs_as_angles])
    assert is_the_truth(best, truth, data)


def test_slots_keep_their_numbers_while_a_graph_is_edited() -> None:
    graph = formula(1, {0: 1.0, 1: 2.0}, sine({0: 3.0}))
    draft = Draft(graph)
    new = draft.add("sin", {0: 9.0})
    draft.replace(0, {new: 1.0}, where={1})  # the numerator
    changed = draft.freeze()
    assert changed is not None
    assert changed.outputs[0][0] == {1: 2.0, 2: 1.0}


def test_an_output_without_terms_has_no_factor_to_cancel() -> None:
    data = samples(np.zeros((20, 2)), np.zeros((20, 1)))
    empty = Graph(2, (), (({}, {}),))
    seen = Seen(empty, np.zeros((2, 20)), np.zeros((2, 20)), data)
    assert list(rewrites.cancelled_factors(seen)) == []


@pytest.mark.parametrize("place", ["unit", "feature"])
def test_no_wave_follows_what_has_no_value_somewhere(place: str) -> None:
    z = np.linspace(-1.0, 1.0, 50)
    values = {"unit": np.sin(2 * z), "feature": z.copy()}
    assert sine_rewrites._wave_like(values["unit"], z, STANDARD.rewriting) is not None
    values[place][7] = np.inf
    found = sine_rewrites._wave_like(
        values["unit"], values["feature"], STANDARD.rewriting
    )
    assert found is None
