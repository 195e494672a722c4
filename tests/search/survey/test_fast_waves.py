"""Waves of high frequency: found where they are, and not in noise."""

import numpy as np
import pytest
from tasks import task_of

from eqlearn.network.graph import CONSTANT
from eqlearn.search.attempts.input_views import View
from eqlearn.search.survey.fast_waves import (
    FastWave,
    _best_wave,
    _columns,
    _graph,
    _trend,
    _tuned,
    fast_waves,
)
from eqlearn.training.samples import Samples

RNG = np.random.default_rng(0)
X = RNG.uniform(0, 10, (200, 1))


def rows_of(x: np.ndarray, y: np.ndarray) -> Samples:
    return task_of(x, y).search_rows()


def best_wave(rows: Samples) -> FastWave | None:
    """The first wave that is found beside a trend."""
    basis, _ = np.linalg.qr((_trend(rows.x) * rows.root_weight).T)
    y = rows.y[0] * rows.root_weight
    return _best_wave(rows, y - basis @ (basis.T @ y), basis)


@pytest.mark.parametrize("rate", [0.9, 3.0, 20.0, 51.7, 110.0])
def test_the_periodogram_finds_a_frequency(rate: float) -> None:
    y = np.sin(rate * X[:, 0] + 0.4) + 0.3 * X[:, 0] + 0.1 * RNG.normal(size=200)
    rows = rows_of(X, y)
    wave = best_wave(rows)
    assert wave is not None
    assert wave.turns[0][1] == pytest.approx(rate, abs=2 * np.pi / 10 / 2)
    tuned = _tuned(wave, [], _trend(rows.x), rows)
    assert tuned.turns[0][1] == pytest.approx(rate, abs=0.02)


def test_noise_is_no_wave() -> None:
    found = [best_wave(rows_of(X, RNG.normal(size=200))) for _ in range(10)]
    assert found == [None] * 10


def test_a_trend_is_no_wave() -> None:
    y = 1 - 2 * X[:, 0] + 0.5 * X[:, 0] ** 2
    assert best_wave(rows_of(X, y + 1e-3 * RNG.normal(size=200))) is None


def test_a_wave_may_swell_with_an_input() -> None:
    y = X[:, 0] * np.cos(17 * X[:, 0]) + 0.05 * RNG.normal(size=200)
    wave = best_wave(rows_of(X, y))
    assert wave is not None
    assert (wave.turns[0][0], wave.factor) == ((1.0,), 0)


@pytest.mark.parametrize("of", [(1.0, 1.0), (1.0, -1.0), (0.0, 1.0)])
def test_a_wave_may_run_along_a_product_or_a_quotient(of: tuple[float, ...]) -> None:
    x = RNG.uniform(1, 4, (300, 2))
    argument = x[:, 0] ** of[0] * x[:, 1] ** of[1]
    wave = best_wave(rows_of(x, np.sin(9 * argument) + 0.05 * RNG.normal(size=300)))
    assert wave is not None
    ((found, rate),) = wave.turns
    assert (found, wave.factor) == (of, CONSTANT)
    assert rate == pytest.approx(9.0, rel=0.05)


@pytest.mark.parametrize("factor", [CONSTANT, 1])
def test_a_wave_may_travel(factor: int) -> None:
    x = RNG.uniform(0, 6, (300, 3))
    y = np.sin(5 * x[:, 0] - 8 * x[:, 2] + 0.3) + 0.1 * RNG.normal(size=300)
    y *= 1.0 if factor == CONSTANT else x[:, factor]
    rows = rows_of(x, y)
    wave = best_wave(rows)
    assert wave is not None and wave.factor == factor
    tuned = _tuned(wave, [], _trend(rows.x), rows)
    rates = {of.index(1.0): rate for of, rate in tuned.turns}
    assert rates == {0: pytest.approx(5.0, abs=0.05), 2: pytest.approx(-8.0, abs=0.05)}


def test_noise_is_no_travelling_wave() -> None:
    x = RNG.uniform(0, 6, (200, 3))
    found = [best_wave(rows_of(x, RNG.normal(size=200))) for _ in range(10)]
    assert found == [None] * 10


def test_the_formula_of_waves_is_their_best_fit() -> None:
    x = RNG.uniform(1, 4, (120, 2))
    waves = [
        FastWave(1.0, (((1.0, -1.0), 7.0),), 1),
        FastWave(1.0, (((1.0, 0.0), 5.0), ((0.0, 1.0), 12.0)), CONSTANT),
    ]
    y = RNG.normal(size=120)
    rows = rows_of(x, y)
    matrix = np.concatenate([_trend(rows.x), _columns(waves, rows)]).T
    expected = matrix @ np.linalg.lstsq(matrix, y, rcond=None)[0]
    values = _graph(waves, rows).evaluate(x)[0][:, 0]
    np.testing.assert_allclose(values, expected, atol=1e-8)


def test_two_waves_are_found_one_after_the_other() -> None:
    law = np.sin(20 * X[:, 0]) + 0.4 * np.cos(33 * X[:, 0])
    task = task_of(X, law + 0.01 * RNG.normal(size=200))
    (found,) = fast_waves(View((0,)), task)
    values = found.graph.evaluate(X)[0][:, 0]
    assert np.sqrt(np.mean((values - law) ** 2)) < 0.01
    rates = [n.arguments[0][0] for n in found.graph.nodes if n.unit == "sin"]
    assert sorted({round(rate, 1) for rate in rates}) == [20.0, 33.0]


def test_where_there_is_no_wave_nothing_is_offered() -> None:
    assert list(fast_waves(View((0,)), task_of(X, RNG.normal(size=200)))) == []


def test_of_too_many_inputs_no_waves_are_looked_for() -> None:
    x = RNG.uniform(0, 1, (50, 6))
    assert (
        list(fast_waves(View(tuple(range(6))), task_of(x, np.sin(40 * x[:, 0])))) == []
    )
