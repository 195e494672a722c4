import numpy as np
import pytest

from eqlearn.equation.refine.criterion import Scored, score
from eqlearn.equation.refine.shared_frequencies import tie
from eqlearn.network.canonical import normalise
from eqlearn.network.graph import CONSTANT, COSINE, Graph, Linear, Node
from eqlearn.training.levenberg import fit
from eqlearn.training.samples import Samples, samples

ONE: Linear = {CONSTANT: 1.0}


def two_sines(first: float, second: float) -> Graph:
    """sin(first · x) + 2 cos(second · x), in canonical form."""
    cosine = Node("sin", ({0: second, CONSTANT: COSINE},))
    nodes = (Node("sin", ({0: first},)), cosine)
    fixed = frozenset({(1, CONSTANT), (3, CONSTANT)})
    return Graph(1, nodes, (({1: 1.0, 2: 2.0}, ONE),), fixed)


def data_of(graph: Graph, noise: float = 0.1) -> Samples:
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, (400, 1))
    return samples(x, graph.evaluate(x)[0] + noise * rng.normal(size=(400, 1)))


def fitted(graph: Graph, data: Samples) -> Scored:
    graph, sse, _ = fit(graph, data)
    return score(graph, sse, data)


@pytest.mark.parametrize("ratio", [1.0, 2.0, 0.5])
def test_frequencies_of_a_simple_ratio_are_tied(ratio: float) -> None:
    data = data_of(two_sines(1.3, 1.3 * ratio))
    before = fitted(two_sines(1.31, 1.3 * ratio), data)
    after = tie(before, data)
    assert after.graph.n_parameters == before.graph.n_parameters - 1
    assert after.bic < before.bic
    (first,), (second,) = (node.arguments for node in after.graph.nodes)
    assert second[0] / first[0] == pytest.approx(ratio, rel=1e-12)


def test_frequencies_that_differ_stay_apart() -> None:
    data = data_of(two_sines(1.3, 1.5), noise=0.01)
    before = fitted(two_sines(1.3, 1.5), data)
    assert tie(before, data) is before


def test_a_tied_weight_follows_its_leader_in_a_fit() -> None:
    data = data_of(two_sines(1.3, 2.6))
    tied = tie(fitted(two_sines(1.3, 2.6), data), data).graph
    ((key, (lead, ratio)),) = tied.ties.items()
    start = tied.with_weights(np.array([w for _, w in tied.connections()]) * 1.01)
    slots = fit(start, data).graph.slots()
    assert slots[key[0]][key[1]] == pytest.approx(ratio * slots[lead[0]][lead[1]])


def test_removing_an_end_of_a_tie_unties() -> None:
    data = data_of(two_sines(1.3, 1.3))
    tied = tie(fitted(two_sines(1.3, 1.3), data), data).graph
    ((key, (lead, _)),) = tied.ties.items()
    assert not tied.without({key}).ties
    assert not tied.without({lead}).ties


def peak(first: float, second: float) -> Graph:
    """1 / (0.2 + (x - first)(x - second)), in canonical form."""
    factors = ({0: 1.0, CONSTANT: -first}, {0: 1.0, CONSTANT: -second})
    fixed = frozenset({(0, 0), (1, 0), (3, 1)})
    below: Linear = {1: 1.0, CONSTANT: 0.2}
    return Graph(1, (Node("multiply", factors),), (({CONSTANT: 1.0}, below),), fixed)


def test_the_factors_of_a_square_are_one() -> None:
    data = data_of(peak(0.5, 0.5))
    before = fitted(peak(0.52, 0.48), data)
    after = tie(before, data)
    assert after.graph.n_parameters == before.graph.n_parameters - 1
    ((first, second),) = (node.arguments for node in after.graph.nodes)
    assert first == second
    # The tie is there in every form of the graph that is the same function.
    again = normalise(after.graph, data.x)
    assert again.n_parameters == after.graph.n_parameters


def test_factors_that_differ_stay_apart() -> None:
    data = data_of(peak(0.55, 0.45 - 0.8), noise=0.01)
    before = fitted(peak(0.55, 0.45 - 0.8), data)
    assert tie(before, data).graph.n_parameters == before.graph.n_parameters
