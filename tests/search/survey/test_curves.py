"""Curves that people know by name."""

import numpy as np
import pytest
from tasks import task_of

from eqlearn.network.draft import Draft
from eqlearn.network.graph import Graph
from eqlearn.search.attempts.input_views import View
from eqlearn.search.survey.curves import (
    _CURVES,
    _PEAKS,
    Start,
    _graph,
    _starts,
    curves,
)
from eqlearn.training.samples import Samples

X = np.linspace(0.4, 6.0, 150)
#: Two numbers inside of each curve.
INSIDE: dict[str, tuple[float, float]] = {
    "bell": (3.0, 1.2),
    "resonance": (2.5, 0.6),
    "step": (3.2, 0.5),
    "Gompertz": (2.0, 0.8),
    "ramp": (2.013, 0.7),
    "soft ramp": (3.0, 0.6),
    "arc": (3.0, 0.7),
    "hyperbola": (2.0, 0.9),
    "stretched": (2.0, 1.6),
    "Hill": (2.0, 2.7),
    "power and fall": (1.1, 2.3),
    "Planck": (0.9, 3.0),
    "shifted power": (0.6, 1.7),
    "fading wave": (4.0, 3.0),
    "pulse": (3.0, 1.1),
    "chirp": (1.5, 0.3),
    "Langevin": (0.8, 1.0),
    "power and barrier": (3.1, 0.5),
    "Planck of a length": (2.2, 5.0),
    "cubed rise": (-0.3, 2.0),
    "power of a rise": (1.8, 2.2),
    "bell of a logarithm": (2.1, 1.4),
}


def rows_of(y: np.ndarray) -> Samples:
    return task_of(X[:, None], y).search_rows()


def test_every_curve_has_a_case() -> None:
    assert INSIDE.keys() == _CURVES.keys()


@pytest.mark.parametrize("name", INSIDE)
def test_features_compute_the_values(name: str) -> None:
    curve, inside = _CURVES[name], INSIDE[name]
    draft = Draft(Graph(1, (), ()))
    features = curve.features(draft, *inside)
    draft.outputs = [(dict(one), {-1: 1.0}) for one in features]
    graph = draft.freeze()
    assert graph is not None
    values = curve.values(X, *map(np.asarray, inside))
    np.testing.assert_allclose(
        graph.evaluate(X[:, None])[0].T, np.array(values), rtol=1e-10, atol=1e-12
    )


@pytest.mark.parametrize("name", INSIDE)
def test_a_start_has_the_weights_that_fit_best(name: str) -> None:
    (first, *others) = _CURVES[name].values(X, *map(np.asarray, INSIDE[name]))
    y = 1.5 - 2.0 * first + 0.7 * sum(others)
    graph = _graph(Start(0.0, name, INSIDE[name]), rows_of(y))
    np.testing.assert_allclose(graph.evaluate(X[:, None])[0][:, 0], y, rtol=1e-8)


def test_a_curve_on_a_slope_is_found() -> None:
    rng = np.random.default_rng(4)
    y = 2 + 0.3 * X + 5 * np.exp(-(((X - 3.1) / 0.6) ** 2))
    task = task_of(X[:, None], y + 0.02 * rng.standard_normal(len(X)))
    found = min(curves(View((0,)), task), key=lambda one: one.bic)
    assert found.sse / len(X) < 0.03**2
    assert found.graph.n_parameters == 5
    # Where there is none, none is tried.
    starts = [s for s in _starts(rows_of(y - 0.3 * X)) if s.name == "bell"]
    assert {start.n_beside for start in starts if not start.more} <= {0, 1}


@pytest.mark.parametrize("slope", [0.0, 0.3])
@pytest.mark.parametrize("name", sorted(_PEAKS))
def test_two_peaks_are_found(name: str, slope: float) -> None:
    values, rng = _CURVES[name].values, np.random.default_rng(4)
    insides = ((1.9, 0.5), (4.1, 0.8))
    (first,), (second,) = (values(X, *map(np.asarray, one)) for one in insides)
    y = 5 * first + 3 * second + slope * X
    task = task_of(X[:, None], y + 0.02 * rng.standard_normal(len(X)))
    found = min(curves(View((0,)), task), key=lambda one: one.bic)
    assert found.sse / len(X) < 0.03**2
    assert found.graph.n_parameters <= (8 if slope else 6)


def test_three_peaks_are_found() -> None:
    rng = np.random.default_rng(4)
    places = ((1.2, 0.3, 4.0), (3.0, 0.4, 2.5), (4.9, 0.35, 5.0))
    y = 1.0 + sum(height * np.exp(-(((X - c) / w) ** 2)) for c, w, height in places)
    task = task_of(X[:, None], y + 0.02 * rng.standard_normal(len(X)))
    found = min(curves(View((0,)), task), key=lambda one: one.bic)
    assert found.sse / len(X) < 0.03**2
    assert found.graph.n_parameters == 10


@pytest.mark.parametrize("name", INSIDE)
def test_the_grid_comes_near_to_every_curve(name: str) -> None:
    (first, *_) = _CURVES[name].values(X, *map(np.asarray, INSIDE[name]))
    y = first / np.std(first)
    left = {start.name: start.left for start in _starts(rows_of(y))}
    assert left[name] < 0.1 * np.sum((y - y.mean()) ** 2)


def test_curves_of_positive_inputs_are_not_tried_on_others() -> None:
    task = task_of(np.linspace(-1, 1, 100)[:, None], np.linspace(0, 1, 100) ** 2)
    names = {start.name for start in _starts(task.search_rows())}
    assert not names & {"stretched", "Hill", "power and fall", "Planck"}
    assert "bell" in names


@pytest.mark.parametrize("name", INSIDE)
def test_a_curve_in_noise_is_found(name: str) -> None:
    (first, *_) = _CURVES[name].values(X, *map(np.asarray, INSIDE[name]))
    noise = 0.01 * np.std(first)
    y = 0.8 + 2 * first + noise * np.random.default_rng(0).normal(size=len(X))
    task = task_of(X[:, None], y)
    best = min(curves(View((0,)), task), key=lambda one: one.bic)
    clean = best.graph.evaluate(X[:, None])[0][:, 0]
    assert np.sqrt(np.mean((clean - 0.8 - 2 * first) ** 2)) < noise


def test_curves_are_of_one_variable() -> None:
    x = np.random.default_rng(0).uniform(1, 2, (50, 2))
    assert list(curves(View((0, 1)), task_of(x, x[:, 0]))) == []
