import math

import numpy as np
import pytest
from graphs import ONE, random_graph, random_inputs

from eqlearn.equation.refine.criterion import score
from eqlearn.equation.refine.prune import _removals, cut_back, prune
from eqlearn.equation.refine.tactics import STANDARD
from eqlearn.network.canonical import canonical
from eqlearn.network.graph import CONSTANT, COSINE, Graph, Linear, Node
from eqlearn.training.levenberg import PLAIN, Workspace, fit
from eqlearn.training.samples import Samples, samples


def seen(
    truth: Graph, *, n: int = 500, noise: float = 0.01, low: float = -1.0
) -> Samples:
    """Draw data of a true graph from [low, low + 2]."""
    rng = np.random.default_rng(0)
    x = rng.uniform(low, low + 2, (n, truth.n_inputs))
    y = truth.evaluate(x)[0]
    return samples(x, y + noise * rng.normal(size=y.shape))


def assert_same_structure(found: Graph, truth: Graph, data: Samples) -> None:
    """Equal units and connections, and weights that agree within the noise."""
    expected = canonical(truth, data.x)
    assert [n.unit for n in found.nodes] == [n.unit for n in expected.nodes]
    weights, others = dict(found.connections()), dict(expected.connections())
    assert weights.keys() == others.keys()
    assert found.fixed == expected.fixed
    for key, weight in weights.items():
        assert weight == pytest.approx(others[key], rel=0.05, abs=0.02)


def test_pruning_never_raises_the_criterion() -> None:
    for seed in range(40):
        rng = np.random.default_rng(seed)
        graph = random_graph(rng, n_outputs=1 + seed % 2, untidy=True)
        x = random_inputs(rng, 100)
        y = graph.evaluate(x)[0] if seed % 4 else np.zeros((100, graph.n_outputs))
        data = samples(x, y + 0.1 * rng.normal(size=y.shape))
        form = canonical(graph, data.x)
        work = Workspace(form, data)
        before = score(form, work.evaluate(work.parameters(), PLAIN), data)
        refitted = score(*fit(form, data, n_iterations=30)[:2], data)
        after = prune(graph, data)
        assert after.bic <= min(before.bic, refitted.bic) + 1e-9
        assert after.graph.n_parameters <= form.n_parameters


def test_what_is_returned_is_a_graph_with_its_error_and_criterion() -> None:
    truth = Graph(2, (Node("sin", ({0: 2.0},)),), (({1: 0.5, 2: 1.0}, ONE),))
    data = seen(truth)
    found = prune(truth, data)
    work = Workspace(found.graph, data)
    assert work.evaluate(work.parameters(), PLAIN) == pytest.approx(found.sse)
    assert score(found.graph, found.sse, data) == found


class TestOvercomplete:
    """The truth and more: pruning leaves the truth."""

    SINE = Node("sin", ({0: 2.0, 1: 1.0, CONSTANT: 0.6},))
    PRODUCT = Node("multiply", ({0: 1.0}, {1: 1.0}))

    def test_spurious_connections_and_units_go(self) -> None:
        truth = Graph(3, (self.SINE, self.PRODUCT), (({3: 1.5, 4: 0.8, 2: 0.5}, ONE),))
        nodes = (
            Node("sin", ({0: 2.1, 1: 0.9, 2: 0.2, CONSTANT: 0.7},)),
            Node("multiply", ({0: 1.0, 2: 0.1, CONSTANT: 0.1}, {1: 1.0, 3: 0.1})),
            Node("multiply", ({2: 1.0}, {2: 1.0})),
            Node("sin", ({2: 3.0, CONSTANT: 0.3},)),
            Node("exp", ({1: 0.5},)),
        )
        numerator = {3: 1.4, 4: 0.7, 2: 0.4, 5: 0.1, 6: 0.1, 7: 0.05, 0: 0.1, 1: 0.1}
        start = Graph(3, nodes, ((numerator, {CONSTANT: 1.0, 0: 0.1, 6: 0.05}),))
        data = seen(truth)
        assert_same_structure(prune(start, data).graph, truth, data)

    def test_a_needless_denominator_goes(self) -> None:
        truth = Graph(2, (self.PRODUCT,), (({2: 2.0, CONSTANT: 1.0}, ONE),))
        start = Graph(
            2,
            (self.PRODUCT,),
            (({2: 2.0, 0: 0.3, CONSTANT: 1.0}, {CONSTANT: 1.0, 0: 0.3, 1: -0.1}),),
        )
        data = seen(truth)
        assert_same_structure(prune(start, data).graph, truth, data)

    def test_a_needed_denominator_stays(self) -> None:
        truth = Graph(2, (), (({0: 2.0}, {CONSTANT: 1.0, 0: 0.8}),))
        start = Graph(
            2,
            (self.PRODUCT,),
            (({0: 2.0, 1: 0.2, 2: 0.2}, {CONSTANT: 1.0, 0: 0.7, 1: 0.1, 2: 0.1}),),
        )
        data = seen(truth, low=0.2)
        assert_same_structure(prune(start, data).graph, truth, data)

    def test_every_output_keeps_what_it_needs(self) -> None:
        nodes = (self.SINE, self.PRODUCT)
        truth = Graph(2, nodes, (({2: 1.0}, ONE), ({2: 0.5, 3: 1.0}, ONE)))
        one: Linear = {2: 1.0, 3: 0.1, 0: 0.1, CONSTANT: 0.1}
        two: Linear = {2: 0.4, 3: 0.9, 1: 0.1}
        start = Graph(2, nodes, ((one, ONE), (two, {CONSTANT: 1.0, 0: 0.05})))
        data = seen(truth)
        assert_same_structure(prune(start, data).graph, truth, data)

    def test_without_noise_the_truth_remains_to_machine_precision(self) -> None:
        nodes = (self.SINE, self.PRODUCT)
        truth = Graph(2, nodes, (({2: 1.0, 3: 0.5}, ONE),))
        start = Graph(2, nodes, (({2: 1.1, 3: 0.4, 0: 0.1, CONSTANT: 0.1}, ONE),))
        data = seen(truth, noise=0.0)
        found = prune(start, data)
        assert_same_structure(found.graph, truth, data)
        assert math.sqrt(found.sse / data.n_residuals) < 1e-12


def test_a_phase_near_a_quarter_turn_becomes_a_cosine() -> None:
    truth = Graph(1, (Node("cos", ({0: 2.0},)),), (({1: 1.5}, ONE),))
    start = Graph(1, (Node("sin", ({0: 2.1, CONSTANT: 1.4},)),), (({1: 1.4}, ONE),))
    data = seen(truth)
    found = prune(start, data)
    assert found.graph.nodes[0].arguments[0][CONSTANT] == COSINE
    assert found.graph.n_parameters == 2
    assert_same_structure(found.graph, truth, data)


def test_a_phase_within_its_error_of_a_quarter_turn_becomes_a_cosine() -> None:
    truth = Graph(1, (Node("cos", ({0: 2.0},)),), (({1: 1.5}, ONE),))
    data = seen(truth, n=40, noise=0.6)
    start = Graph(1, (Node("sin", ({0: 2.0, CONSTANT: 1.5},)),), (({1: 1.5}, ONE),))
    free = fit(canonical(start, data.x), data).graph
    assert 0.05 < abs(free.slots()[0][CONSTANT] - COSINE) < 0.3
    found = prune(start, data).graph
    assert found.nodes[0].arguments[0][CONSTANT] == COSINE


def test_a_phase_near_zero_becomes_a_sine() -> None:
    truth = Graph(1, (Node("sin", ({0: 2.0},)),), (({1: 1.5}, ONE),))
    start = Graph(1, (Node("sin", ({0: 2.1, CONSTANT: 0.2},)),), (({1: 1.4}, ONE),))
    data = seen(truth)
    assert_same_structure(prune(start, data).graph, truth, data)


def test_a_phase_that_is_none_of_these_stays() -> None:
    truth = Graph(1, (Node("sin", ({0: 2.0, CONSTANT: 1.3},)),), (({1: 1.5}, ONE),))
    data = seen(truth)
    found = prune(truth, data).graph
    assert (0, CONSTANT) in found.parameters()
    assert_same_structure(found, truth, data)


@pytest.mark.parametrize("weight", [1.0, 0.3])
@pytest.mark.parametrize("noise", [0.01, 0.0])
def test_the_fixed_term_of_a_denominator_can_go(weight: float, noise: float) -> None:
    # 1 / x, from 1 / (1 + w x): whichever term is the larger one, and so fixed
    truth = Graph(1, (), (({CONSTANT: 1.0}, {0: 1.0}),))
    start = Graph(1, (), (({CONSTANT: 1.0}, {CONSTANT: 1.0, 0: weight}),))
    data = seen(truth, low=0.4, noise=noise)
    found = prune(start, data)
    assert found.graph.outputs[0][1].keys() == {0}
    assert found.graph.n_parameters == 1
    assert_same_structure(found.graph, truth, data)


def test_the_fixed_input_of_a_denominator_can_go() -> None:
    truth = Graph(2, (), (({0: 1.0}, ONE),))
    start = Graph(2, (), (({0: 1.0}, {1: 1.0, CONSTANT: 0.2}),))
    data = seen(truth, low=0.4)
    assert_same_structure(prune(start, data).graph, truth, data)


def test_the_fixed_term_of_a_factor_can_go() -> None:
    truth = Graph(3, (Node("multiply", ({0: 1.0}, {1: 1.0})),), (({3: 1.0}, ONE),))
    product = Node("multiply", ({2: 1.0, 0: 0.8}, {1: 1.0}))
    data = seen(truth)
    found = prune(Graph(3, (product,), (({3: 1.0}, ONE),)), data)
    assert_same_structure(found.graph, truth, data)


def test_removals_are_tried_with_all_others_readjusted() -> None:
    # In a linear graph the Optimal Brain Surgeon is exact: what is left after each
    # removal is the least-squares fit of what is left.
    truth = Graph(3, (), (({0: 1.0, 1: 0.5, 2: 0.2, CONSTANT: 0.1}, ONE),))
    data = seen(truth, noise=0.1)
    best = prune(truth, data)
    removals = list(_removals(best, data, STANDARD, set()))
    assert [gone for gone, _ in removals[:1]] == [{(0, CONSTANT)}]
    for gone, start in removals:
        left = start.without(gone)
        work = Workspace(left, data)
        sse = work.evaluate(work.parameters(), PLAIN)
        assert sse == pytest.approx(fit(left, data, tolerance=1e-12).sse, rel=1e-8)


def test_terms_below_a_tolerated_error_are_let_go() -> None:
    truth = Graph(2, (), (({0: 1.0, 1: 1e-3}, ONE),))
    data = seen(truth, noise=0.0)
    assert prune(truth, data).graph.n_parameters == 2
    coarse = prune(truth, data, STANDARD.tolerating(1e-4))
    assert coarse.graph.outputs[0][0].keys() == {0}


def test_cutting_back_leaves_the_terms_that_matter_most() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(500, 20))
    weights = {i: 3.0 if i < 4 else 0.3 + 0.01 * i for i in range(20)}
    weights = {i: weight / 6 for i, weight in weights.items()}  # for a target of size 1
    y = x @ np.array(list(weights.values())) + 0.001 * rng.normal(size=500)
    data, large = samples(x, y[:, None]), Graph(20, (), ((weights, ONE),))
    assert prune(large, data).graph.n_parameters == 20
    left = cut_back(large, data, 6)
    assert 4 <= left.graph.n_parameters <= 6
    assert left.graph.used_inputs >= {0, 1, 2, 3}


def test_of_pure_noise_almost_nothing_is_left() -> None:
    rng = np.random.default_rng(0)
    data = samples(random_inputs(rng, 400), rng.normal(size=(400, 1)))
    for seed in range(5):
        graph = random_graph(np.random.default_rng(seed), division=False)
        assert prune(graph, data).graph.n_parameters <= 2


def test_something_is_always_left() -> None:
    x = np.linspace(-1, 1, 100)[:, None]
    graph = Graph(1, (Node("sin", ({0: 3.0},)),), (({0: 0.1, 1: 0.1}, ONE),))
    found = prune(graph, samples(x, np.zeros_like(x) + 1e-3 * np.cos(40 * x)))
    assert found.graph.outputs[0][0]


def test_a_graph_that_cannot_be_evaluated_is_given_back_as_hopeless() -> None:
    graph = Graph(1, (Node("exp", ({0: 1e4},)),), (({1: 1.0}, ONE),))
    x = np.linspace(0, 1, 20)[:, None]
    assert prune(graph, samples(x, x)).bic == math.inf
