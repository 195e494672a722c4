import math

import numpy as np
import pytest
import sympy

from eqlearn.equation.refine.constants import (
    constants,
    most_likely_simple,
    snap,
    snap_and_judge,
    standard_errors,
)
from eqlearn.equation.refine.criterion import Scored, score
from eqlearn.equation.refine.tactics import STANDARD
from eqlearn.equation.write.symbolic import expressions, recognised
from eqlearn.network.graph import CONSTANT, Graph, Node
from eqlearn.training.levenberg import fit
from eqlearn.training.samples import Samples, samples


def wave(amplitude: float, frequency: float, slope: float) -> Graph:
    nodes = (Node("sin", ({0: frequency},)),)
    outputs = (({1: amplitude, 0: slope}, {CONSTANT: 1.0}),)
    return Graph(1, nodes, outputs, frozenset({(2, CONSTANT)}))


def measured(graph: Graph, seed: int, noise: float = 0.02, n: int = 500) -> Samples:
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2, 2, (n, 1))
    return samples(x, graph.evaluate(x)[0] + noise * rng.normal(size=(n, 1)))


def fitted(graph: Graph, data: Samples) -> Scored:
    graph, sse, _ = fit(graph, data, tolerance=1e-10)
    return score(graph, sse, data)


def test_standard_errors_of_a_line_by_the_textbook() -> None:
    line = Graph(1, (), (({0: 2.0, CONSTANT: 1.0}, {CONSTANT: 1.0}),))
    line = Graph(1, (), line.outputs, frozenset({(1, CONSTANT)}))
    data = measured(line, 0)
    found = fitted(line, data)
    x = np.c_[data.x[0], np.ones(500)]
    s2 = found.sse / (500 - 2)
    expected = np.sqrt(s2 * np.diag(np.linalg.inv(x.T @ x)))
    np.testing.assert_allclose(standard_errors(found.graph, data), expected, rtol=1e-6)


def test_errors_cover_the_truth_as_often_as_they_should() -> None:
    truth, inside = wave(1.7, 2.3, -0.4), 0
    for seed in range(100):
        data = measured(truth, seed)
        values = {
            constant.connection: constant
            for constant in constants(fitted(truth, data).graph, data)
        }
        for key, weight in truth.connections():
            if key in values:
                inside += abs(values[key].value - weight) < 2 * values[key].error
    # 300 constants, 95 % expected inside, with a standard deviation of 1.3 %
    assert 0.90 < inside / 300 < 0.99


def test_simple_values_are_snapped_and_others_are_not() -> None:
    truth = wave(1 / 3, math.pi, 0.4571)
    data = measured(truth, 1, noise=0.001)
    snapped = snap(fitted(truth, data), data)
    slots = snapped.graph.slots()
    assert slots[0][0] == math.pi
    assert slots[1][1] == 1 / 3
    assert slots[1][0] != pytest.approx(0.4571, abs=1e-9)
    assert snapped.graph.n_parameters == 1


def test_a_true_3_14_is_not_taken_for_pi() -> None:
    truth = wave(1.0, 3.14, 0.0)
    data = measured(truth, 2, noise=0.001, n=2000)
    frequency = snap(fitted(truth, data), data).graph.slots()[0][0]
    assert frequency == pytest.approx(3.14, abs=2e-4)
    assert frequency != math.pi


def test_without_certainty_nothing_is_snapped() -> None:
    truth = wave(0.9, 2.1, 0.3)
    data = measured(truth, 3, noise=3.0, n=50)
    found = fitted(truth, data)
    assert snap(found, data) is found


def test_the_odds_by_hand() -> None:
    # Half of 1/2 for integers; the normal density at 0 is 0.399 over the error.
    assert most_likely_simple(2.0, 0.1, in_sine=False) == pytest.approx(
        (1.995, 2), 1e-3
    )
    odds, value = most_likely_simple(2.2, 0.1, in_sine=False)
    assert value == 2 and odds == pytest.approx(1.995 * math.exp(-2), rel=1e-3)
    # In a sine it may as well be a multiple of π.
    assert most_likely_simple(2.0, 0.1, in_sine=True)[0] == pytest.approx(0.997, 1e-3)


@pytest.mark.parametrize("relative_error", [1e-5, 1e-4, 1e-3, 1e-2])
@pytest.mark.parametrize("in_sine", [False, True])
def test_what_is_not_simple_is_rarely_taken_for_it(
    relative_error: float, in_sine: bool
) -> None:
    rng = np.random.default_rng(0)
    anywhere = np.exp(rng.uniform(math.log(0.1), math.log(20), 1000))
    odds = [most_likely_simple(v, relative_error * v, in_sine)[0] for v in anywhere]
    assert np.mean(np.array(odds) > 1) < 0.15
    whole = rng.integers(1, 10, 1000)
    noisy = whole * (1 + relative_error * rng.normal(size=1000))
    meant = [most_likely_simple(v, relative_error * v, in_sine) for v in noisy]
    right = [
        odds > 1 and value == n for (odds, value), n in zip(meant, whole, strict=True)
    ]
    assert np.mean(right) > (0.65 if in_sine else 0.85)


def test_large_numbers_are_no_fractions_by_chance() -> None:
    values = np.random.default_rng(0).uniform(1e8, 1e10, 100)
    assert all(recognised(sympy.Float(v)).is_Float for v in values if v != round(v))
    assert recognised(sympy.Float(3e9)) == 3 * 10**9


def test_a_constant_beyond_all_numbers_is_left_as_it_is() -> None:
    beyond = sympy.Float("1e400") * sympy.Symbol("x")
    assert recognised(beyond) == beyond


def test_simple_constants_are_recognised_and_near_ones_are_not() -> None:
    x = sympy.Symbol("x")
    exact = recognised(sympy.Float(math.pi / 4) * x + sympy.Float(1 / 3))
    assert exact == sympy.pi * x / 4 + sympy.Rational(1, 3)
    near = sympy.Float(3.1416) * x
    assert recognised(near) == near


@pytest.mark.parametrize("in_sine", [False, True])
def test_few_constants_that_are_not_simple_pass_for_one(in_sine: bool) -> None:
    """R-28: at most 3 in 100, over errors from 1e-5 to 0.1 of their size."""
    rng = np.random.default_rng(0)
    values = np.exp(rng.uniform(np.log(0.2), np.log(12), 10_000))
    errors = values * np.exp(rng.uniform(np.log(1e-5), np.log(0.1), 10_000))
    noise = rng.normal(size=10_000)
    wrong = sum(
        most_likely_simple(value + error * z, error, in_sine)[0]
        > STANDARD.snapping.least_odds
        for value, error, z in zip(values, errors, noise, strict=True)
    )
    assert wrong <= 0.03 * 10_000


@pytest.mark.parametrize("value", [7 * np.pi / 8, 6 * np.pi / 5, 11 * np.pi / 10])
def test_rare_multiples_of_pi_are_not_simple(value: float) -> None:
    _, simple = most_likely_simple(value, 1e-4, in_sine=True)
    assert simple != value


@pytest.mark.parametrize("value", [2.0, 0.5, np.pi, 2 * np.pi, np.pi / 2, 1 / 3])
def test_common_values_are_still_recognised(value: float) -> None:
    odds, simple = most_likely_simple(value * 1.0005, 1e-3 * value, in_sine=True)
    assert odds > STANDARD.snapping.least_odds
    assert simple == pytest.approx(value, rel=1e-12)


def about_two(spread: float) -> tuple[Scored, Samples]:
    """A hundred numbers around 2, as far off above as below, and their mean."""
    y = 2.0 + spread * np.tile([1.0, -1.0], 50)
    data = samples(np.ones((100, 1)), y[:, None])
    mean = Graph(1, (), (({0: 1.9}, {CONSTANT: 1.0}),), frozenset({(1, CONSTANT)}))
    return fitted(mean, data), data


@pytest.mark.parametrize("spread", [0.1, 0.4])
def test_the_worth_of_a_simple_constant_by_hand(spread: float) -> None:
    found, data = about_two(spread)
    snapped = snap_and_judge(found, data)
    assert snapped.found.graph.outputs[0][0] == {0: 2.0}
    assert snapped.found.graph.n_parameters == 0
    # Half of all simple constants are whole; the error is that of a mean.
    error = spread * math.sqrt(100 / 99) / 10
    odds = 0.5 / (math.sqrt(2 * math.pi) * error)
    # 2 log 19.8 is more than log 100, and 2 log 4.96 is less.
    worth = min(math.log(100), 2 * math.log(odds))
    assert (worth == math.log(100)) == (spread == 0.1)
    assert snapped.worth == pytest.approx(worth, rel=1e-6)


def test_nothing_simple_is_worth_nothing() -> None:
    truth = wave(0.9123, 2.1477, 0.3219)
    data = measured(truth, 3, noise=1e-4)
    found = fitted(truth, data)
    assert snap_and_judge(found, data) == (found, 0.0)


def test_two_simple_constants_are_worth_more_than_one() -> None:
    both, one = wave(2.0, 3.0, 0.4571), wave(2.0, 3.0477, 0.4571)
    worths = [
        snap_and_judge(fitted(truth, data), data).worth
        for truth in (both, one)
        for data in (measured(truth, 1, noise=0.002),)
    ]
    assert worths[0] > worths[1] > 0
    # None is worth more than the price of a constant without that of its term.
    assert worths[0] <= 2 * math.log(500)


def test_a_constant_that_is_near_a_simple_one_is_worth_less() -> None:
    truth = wave(2.0, 3.0477, 0.4571)
    data = measured(truth, 1, noise=0.01)
    found = fitted(truth, data)
    spot_on = snap_and_judge(found, data).worth
    slope = standard_errors(found.graph, data)[1]
    shifted = wave(2.0 + 2.5 * slope, 3.0477, 0.4571)
    off = measured(shifted, 1, noise=0.01)
    assert 0 < snap_and_judge(fitted(shifted, off), off).worth < spot_on


def test_a_constant_beside_a_logarithm_may_be_none_at_all() -> None:
    # 3 (log x + c): in other units than the data's, c is the logarithm of the scale.
    assert most_likely_simple(0.002, 0.01, False)[1] != 0
    assert most_likely_simple(0.002, 0.01, False, may_vanish=True)[1] == 0
    output = {1: 3.0, CONSTANT: 0.0}, {CONSTANT: 1.0}
    fixed = frozenset({(0, 0), (2, CONSTANT)})
    truth = Graph(1, (Node("log", ({0: 1.0},)),), (output,), fixed)
    x = np.random.default_rng(0).uniform(1, 9, (200, 1))
    noise = 0.02 * np.random.default_rng(1).normal(size=(200, 1))
    data = samples(x, 3 * np.log(x) + noise)
    snapped = snap(fitted(truth, data), data)
    assert snapped.graph.n_parameters == 0
    assert str(recognised(expressions(snapped.graph)[0])) == "3*log(x1)"


def test_a_constant_beside_a_logarithm_may_be_nothing() -> None:
    # n log(1 + r): each of its constants is known ill, and all of them are simple.
    rng = np.random.default_rng(0)
    r, n = rng.uniform(0.01, 0.1, 300), rng.uniform(1, 30, 300)
    y = np.exp(n * np.log1p(r))
    y += 0.01 * np.std(y) * rng.normal(size=300)
    nodes = (
        Node("log", ({0: 1.0, CONSTANT: 1.0},)),
        Node("multiply", ({1: 1.0}, {2: 1.0, CONSTANT: 0.001})),
        Node("exp", ({3: 1.0},)),
    )
    fixed = frozenset({(0, 0), (1, 1), (2, 2), (5, CONSTANT)})
    law = Graph(2, nodes, (({4: 1.0}, {CONSTANT: 1.0}),), fixed)
    data = samples(np.stack([r, n], axis=1), y[:, None])
    free = fitted(law, data)
    assert free.graph.n_parameters == 4
    snapped = snap_and_judge(free, data)
    assert snapped.found.graph.n_parameters == 0
    assert snapped.found.graph.slots()[2].get(CONSTANT, 0.0) == 0.0
    assert snapped.worth > 20.0
