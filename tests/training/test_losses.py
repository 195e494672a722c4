"""Fits by other losses than squares, and the errors that their constants have."""

import numpy as np
import pytest
from formulas import formula
from scipy.optimize import least_squares, minimize

from eqlearn._types import Array
from eqlearn.equation.refine.constants import standard_errors
from eqlearn.model.prediction import parameters_of
from eqlearn.network.canonical import canonical
from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.training.losses import (
    as_squares,
    distances,
    fit_by,
    noise_of,
    relative_error,
    usual_distance,
    weighted,
    wild_rows,
)
from eqlearn.training.samples import samples

X = np.linspace(0, 1, 9)[None]
LINE = canonical(formula(1, {0: 2.0, CONSTANT: 1.0}), X)
THROUGH_ZERO = canonical(formula(1, {0: 1.0}), X)
MEAN = canonical(formula(1, {CONSTANT: 0.5}), X)


def noisy_line(n: int = 200, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 2, n)
    return x, 2 * x + 1 + 0.1 * rng.standard_normal(n)


def fitted(loss: str, x: Array, y: Array, graph: Graph = LINE) -> Array:
    return parameters_of(fit_by(loss, graph, samples(x[:, None], y[:, None])).graph)


def by_parameters(graph: Graph, slope: float, offset: float) -> Array:
    order = [source for _, source in graph.parameters()]
    return np.array([{0: slope, CONSTANT: offset}[source] for source in order])


def test_by_size_the_best_constant_is_the_median() -> None:
    y = np.array([1.0, 2.0, 3.0, 4.0, 4.5, 5.0, 6.0])
    x = np.zeros(7)
    assert fitted("absolute", x, y, MEAN) == pytest.approx([4.0], abs=0.05)


def test_huber_is_the_same_as_that_of_scipy() -> None:
    x, y = noisy_line()
    data = samples(x[:, None], y[:, None])
    found = fit_by("huber", LINE, data)
    off = y - found.graph.evaluate(x[:, None])[0][:, 0]
    bend = 1.345 * usual_distance(off)

    def residuals(p: Array) -> Array:
        return np.asarray((p[0] * x + p[1] - y) / bend)

    there = least_squares(residuals, [2.0, 1.0], loss="huber", xtol=1e-12).x
    expected = by_parameters(found.graph, *there)
    assert parameters_of(found.graph) == pytest.approx(expected, abs=1e-4)


def test_by_size_no_line_is_nearer() -> None:
    x, y = noisy_line(n=101)

    def size(p: Array) -> float:
        return float(np.sum(np.abs(p[0] * x + p[1] - y)))

    best = minimize(size, [2.0, 1.0], method="Nelder-Mead", tol=1e-9).x
    graph = fit_by("absolute", LINE, samples(x[:, None], y[:, None])).graph
    slope, offset = by_parameters(graph, 0, 1), by_parameters(graph, 1, 0)
    found = parameters_of(graph)
    ours = np.array([found @ offset, found @ slope])
    assert size(ours) == pytest.approx(size(best), rel=2e-3)


def test_a_relative_fit_counts_what_errors_are_a_share_of() -> None:
    rng = np.random.default_rng(1)
    x = np.exp(rng.uniform(-5, 5, 400))
    y = 3 * x * (1 + 0.1 * rng.standard_normal(400))
    line = THROUGH_ZERO
    # The best share: sum of y/f over f, which for a line through 0 is the mean of y/x.
    assert fitted("relative", x, y, line) == pytest.approx([np.mean(y / x)], rel=1e-4)
    found = fit_by("relative", line, samples(x[:, None], y[:, None])).graph
    share = relative_error(found, samples(x[:, None], y[:, None]))
    assert share == pytest.approx(np.std(y / x) / np.mean(y / x), rel=1e-3)


@pytest.mark.parametrize("loss", ["huber", "absolute"])
def test_wild_rows_do_not_move_a_line_wherever_they_are(loss: str) -> None:
    x, y = noisy_line()
    clean = fitted(loss, x, y)
    far_x, far_y = np.append(x, [50.0, 0.5, 1.0]), np.append(y, [1.0, 90.0, -40.0])
    assert fitted(loss, far_x, far_y) == pytest.approx(clean, abs=0.01)


def test_squares_are_left_as_they_are() -> None:
    x, y = noisy_line()
    data = samples(x[:, None], y[:, None])
    assert as_squares("squared", LINE, data) is data


@pytest.mark.parametrize("loss", ["huber", "absolute", "relative"])
def test_rows_as_squares_have_the_same_optimum(loss: str) -> None:
    x, y = noisy_line(n=401)
    data = samples(x[:, None], y[:, None])
    found = fit_by(loss, LINE, data).graph
    again = fit_by("squared", found, as_squares(loss, found, data)).graph
    error = standard_errors(found, as_squares(loss, found, data))
    moved = np.abs(parameters_of(again) - parameters_of(found))
    assert np.all(moved < 0.15 * error)


def test_of_normal_noise_huber_tells_nearly_all_and_the_median_two_thirds() -> None:
    rng = np.random.default_rng(3)
    y = rng.standard_normal(20_000)
    data = samples(np.zeros((len(y), 1)), y[:, None])
    errors = {}
    for loss in ("squared", "huber", "absolute"):
        found = fit_by(loss, MEAN, data).graph
        errors[loss] = float(standard_errors(found, as_squares(loss, found, data))[0])
    assert (errors["squared"] / errors["huber"]) ** 2 == pytest.approx(0.95, abs=0.02)
    asymptotic = 2 / np.pi
    share = (errors["squared"] / errors["absolute"]) ** 2
    assert share == pytest.approx(asymptotic, abs=0.05)


def test_wild_rows_are_few_and_apart_from_the_rest() -> None:
    off = np.abs(np.random.default_rng(0).standard_normal(500))
    assert not wild_rows(off).any()
    off[:3] = 9.0
    assert np.flatnonzero(wild_rows(off)).tolist() == [0, 1, 2]
    # A tail: as many are half as far off.
    off[3:20] = 4.5
    assert not wild_rows(off).any()
    # So many are another law.
    assert not wild_rows(np.r_[np.zeros(80), np.full(20, 9.0)]).any()


def test_noise_is_that_of_rows_that_follow() -> None:
    x, y = noisy_line(n=2000)
    y[:50] *= 10
    data = samples(x[:, None], y[:, None])
    assert noise_of(LINE, data) == pytest.approx(0.1, rel=0.06)
    off = distances(LINE.evaluate(x[:, None])[0][:, 0], data)
    assert np.flatnonzero(~off.follows).tolist() == list(range(50))


def test_weights_count_as_they_did() -> None:
    x, y = noisy_line(n=50)
    weight = np.where(x > 1, 4.0, 1.0)
    data = samples(x[:, None], y[:, None], weight=weight)
    seen = weighted("huber", LINE, data)
    assert seen is not None
    near = np.abs((y - 2 * x - 1) * np.sqrt(weight)) < 0.05
    assert seen.root_weight[near] == pytest.approx(np.sqrt(weight[near]))


def test_rows_without_a_value_have_no_fit() -> None:
    nowhere = formula(1, {CONSTANT: 1.0}, below={0: 1.0})
    data = samples(np.zeros((4, 1)), np.ones((4, 1)))
    with np.errstate(all="ignore"):
        assert fit_by("huber", nowhere, data).sse == np.inf
