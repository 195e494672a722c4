"""Waves in every place and at every frequency."""

import numpy as np
import pytest
from formulas import NOISE, ONE, fitted, formula, is_as_good, multiply, sine, table_of

from eqlearn.equation.refine.hill_climb import Move, improve, propose
from eqlearn.equation.refine.waves import added_plane_waves, added_waves, waves_for_sums
from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.training.samples import samples

FAST = sine({0: 9.0, CONSTANT: 0.4})
#: What is there, and the truth that differs from it by one fast sine somewhere.
MISSING = {
    "above": (formula(2, {1: 1.0}), formula(2, {1: 1.0, 2: 0.5}, FAST)),
    "below": (
        formula(2, {1: 1.0, CONSTANT: 2.0}),
        formula(2, {1: 1.0, CONSTANT: 2.0}, FAST, below={CONSTANT: 1.0, 2: 0.3}),
    ),
    "inside a sine": (
        formula(2, {2: 1.0}, sine({1: 3.0})),
        formula(2, {3: 1.0}, FAST, sine({1: 3.0, 2: 0.5})),
    ),
    "inside a product": (
        formula(2, {2: 1.0}, multiply({0: 1.0, CONSTANT: 2.0}, {1: 1.0})),
        formula(2, {3: 1.0}, FAST, multiply({0: 1.0, CONSTANT: 2.0, 2: 0.4}, {1: 1.0})),
    ),
    "of a unit": (
        formula(2, {2: 1.0}, sine({1: 2.0})),
        formula(2, {2: 1.0, 3: 0.5}, sine({1: 2.0}), sine({2: 7.0, CONSTANT: 0.3})),
    ),
    "of a sum": (
        formula(2, {2: 1.0}, sine({0: 1.0, 1: 2.0})),
        formula(2, {2: 1.0, 3: 0.5}, sine({0: 1.0, 1: 2.0}), sine({0: 5.0, 1: 10.0})),
    ),
    "of a product": (
        formula(2, {1: 1.0}),
        formula(2, {1: 1.0, 3: 0.5}, multiply({0: 1.0}, {1: 1.0}), sine({2: 9.0})),
    ),
}


@pytest.mark.parametrize("where", MISSING)
def test_a_fast_sine_is_found_wherever_it_is_missing(where: str) -> None:
    start, truth = MISSING[where]
    data = samples(*table_of(truth))
    best = fitted(start, data)
    assert not is_as_good(best, truth, data)
    assert is_as_good(improve(best, data, [added_waves]), truth, data)


def test_the_wave_proposed_first_has_nearly_the_right_constants() -> None:
    start, truth = MISSING["above"]
    data = samples(*table_of(truth))
    first = next(propose(fitted(start, data).graph, data, [added_waves]))
    assert first.graph is not None
    unit = first.graph.nodes[0].arguments[0]
    # Neighbouring frequencies differ by half a turn over the range.
    assert unit[0] == pytest.approx(9.0, abs=np.pi / 4)
    assert first.graph.outputs[0][0][2] == pytest.approx(0.5, abs=0.2)
    assert first.n_tried > 100


def test_a_sine_of_two_products_is_found_at_once() -> None:
    pairs = multiply({0: 1.0}, {1: 1.0}), multiply({1: 1.0}, {2: 1.0})
    truth = formula(3, {0: 1.0, 5: 0.7}, *pairs, sine({3: 8.0, 4: -6.0}))
    data = samples(*table_of(truth))
    best = fitted(formula(3, {0: 1.0}), data)
    assert not is_as_good(improve(best, data, [added_waves]), truth, data)
    assert is_as_good(improve(best, data, [added_plane_waves]), truth, data)


@pytest.mark.parametrize("move", [added_waves, added_plane_waves, waves_for_sums])
@pytest.mark.parametrize("seed", range(5))
def test_the_truth_is_left_alone(move: Move, seed: int) -> None:
    truth = MISSING["inside a sine"][1]
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, (200, 2))
    y = truth.evaluate(x)[0]
    data = samples(x, y + NOISE * rng.normal(size=y.shape))
    best = fitted(truth, data)
    assert improve(best, data, [move]).graph.n_parameters <= best.graph.n_parameters


def test_one_wave_takes_the_place_of_a_series_inside_a_sine() -> None:
    # sin(4 x2 + 3 cos 2x1), the cosine as far as its fourth power.
    truth = formula(2, {3: 1.0}, sine({0: 2.0, CONSTANT: np.pi / 2}),
                    sine({1: 4.0, 2: 3.0}))  # fmt: skip
    square, fourth = multiply({0: 1.0}, {0: 1.0}), multiply({2: 1.0}, {2: 1.0})
    series = {1: 4.0, CONSTANT: 3.0, 2: -5.9, 3: 1.7}
    start = formula(2, {4: 1.0}, square, fourth, sine(series))
    data = samples(*table_of(truth))
    best = fitted(start, data)
    assert not is_as_good(best, truth, data)
    assert is_as_good(improve(best, data, [waves_for_sums]), truth, data)


def test_weights_of_samples_count() -> None:
    # Half of the samples, which count for nothing, follow another wave.
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (800, 2))
    is_other = np.arange(800) % 2 == 1
    y = x[:, 1] + np.sin(np.where(is_other, 15.0, 9.0) * x[:, 0])
    data = samples(x, y[:, None], weight=np.where(is_other, 1e-9, 1.0))
    first = next(propose(fitted(formula(2, {1: 1.0}), data).graph, data, [added_waves]))
    assert first.graph is not None
    frequency = abs(first.graph.nodes[0].arguments[0][0])
    assert frequency == pytest.approx(9.0, abs=np.pi / 4)


@pytest.mark.parametrize("move", [added_waves, added_plane_waves, waves_for_sums])
def test_a_formula_without_parameters_may_get_a_wave(move: Move) -> None:
    # y = x2, its weight snapped: there is nothing to fit, but something is missing.
    start = Graph(2, (), (({1: 1.0}, ONE),), frozenset({(0, 1), (1, CONSTANT)}))
    data = samples(*table_of(MISSING["above"][1]))
    proposals = list(propose(start, data, [move]))
    assert proposals or move is waves_for_sums


def test_no_waves_are_added_to_so_few_rows_that_some_would_fit() -> None:
    rng = np.random.default_rng(0)
    data = samples(rng.uniform(-1, 1, (40, 20)), rng.normal(size=(40, 1)))
    start = fitted(formula(20, {0: 1.0}), data).graph
    for move in (added_waves, added_plane_waves):
        assert list(propose(start, data, [move])) == []
