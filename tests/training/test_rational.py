import numpy as np
import pytest
from short_training import short

from eqlearn._types import Array
from eqlearn.network.graph import CONSTANT, Graph, from_network
from eqlearn.search.attempts.feature_fractions import (
    Level,
    first_levels,
    later_levels,
    solve,
    solve_exactly,
)
from eqlearn.search.attempts.random_networks import configuration, refined, restart
from eqlearn.search.task import Task
from eqlearn.training import recipes
from eqlearn.training.gradient import begin, train, training_data
from eqlearn.training.rational import direct_start, library, sparse_start
from eqlearn.training.samples import samples


def task_of(x: Array, y: Array) -> Task:
    d = x.shape[1]
    return Task(x, y[:, None], x.min(0) - 0.5, x.max(0) + 0.5, np.ones(d))


def error(graph: Graph | None, x: Array, y: Array) -> float:
    assert graph is not None
    return float(np.abs(graph.evaluate(x)[0][:, 0] - y).max())


def test_a_library_has_every_monomial_once() -> None:
    lib = library(2, 2, 1)
    assert len(lib.numerator) == 6  # 1, x, y, x², xy, y²
    assert len(lib.denominator) == 3
    assert CONSTANT in lib.numerator
    x = np.array([[2.0], [3.0]])
    top, bottom = lib.columns(x)
    assert sorted(top[:, 0]) == [1, 2, 3, 4, 6, 9]
    assert sorted(bottom[:, 0]) == [1, 2, 3]


def test_angles_replace_their_input_and_leave_squared_sines_out() -> None:
    lib = library(1, 2, 0, arguments=[{0: 2.0}], replaced=frozenset({0}))
    top, _ = lib.columns(np.array([[0.3]]))
    s, c = np.sin(0.6), np.cos(0.6)
    np.testing.assert_allclose(sorted(top[:, 0]), sorted([1, s, c, s * c, c * c]))


@pytest.mark.parametrize(
    ("name", "law", "low"),
    [
        ("constant one", lambda a, b: a / (1 + b), 0.5),
        ("no constant", lambda a, b: a / b, 0.5),
        ("two decades", lambda a, b: 1 / (a * b + 0.01), 0.01),
        ("changing sign", lambda a, b: 1 / (a - b), -1.0),
    ],
)
def test_the_direct_start_is_exact_without_noise(
    name: str, law: object, low: float
) -> None:
    x = np.random.default_rng(0).uniform(low, 2.0, (100, 2))
    y = law(*x.T)  # type: ignore[operator]
    graph = direct_start(library(2, 2, 2), samples(x, y[:, None]))
    assert error(graph, x, y) < 1e-6 * np.abs(y).max()


def test_the_sparse_start_drops_terms_in_noise() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (1000, 2))
    y = x[:, 0] / (1 + 0.5 * x[:, 1] ** 2) + 0.01 * rng.normal(size=1000)
    graph = sparse_start(library(2, 2, 2), samples(x, y[:, None]), 3e-4)
    assert graph is not None
    alive = sum(abs(w) > 1e-9 for linear in graph.outputs[0] for w in linear.values())
    assert alive <= 6
    assert error(graph, x, x[:, 0] / (1 + 0.5 * x[:, 1] ** 2)) < 0.03


def test_levels_come_smallest_first_and_none_is_too_large() -> None:
    levels = first_levels(4)
    assert levels[0] == Level(2, 0)
    assert all(level.n_columns(4) <= 100 for level in levels)
    assert {len(level.angles) for level in later_levels(4)} == {0, 1, 2}
    assert all(level.n_columns(4) <= 200 for level in later_levels(4))
    assert not any(level.angles for level in later_levels(4, with_angles=False))
    assert first_levels(60) == [Level(1, 0)]


def test_a_level_finds_an_angle_of_unknown_frequency() -> None:
    rng = np.random.default_rng(3)
    x = rng.uniform(-1, 1, (500, 2))
    y = x[:, 0] * np.cos(2.83 * x[:, 1]) / (1 + 0.3 * np.sin(2.83 * x[:, 1]))
    found = solve(task_of(x, y), Level(3, 2, (1,)))
    assert found is not None
    assert found.sse < 1e-18


def test_an_exact_formula_of_a_small_angle_is_no_imitation() -> None:
    # Over half a radian sine and cosine are nearly parabolas, but exactly they are not.
    rng = np.random.default_rng(3)
    x = rng.uniform([0.5, 0.2], [2.0, 0.7], (200, 2))
    tangent = x[:, 0] * np.tan(x[:, 1])
    exact = solve(task_of(x, tangent), Level(2, 1, (1,)))
    assert exact is not None and exact.sse < 1e-18


def path(x: Array) -> Array:
    """The height of a projectile over distance, speed and angle."""
    distance, speed, angle = x.T
    drop = 4.9 * (distance / speed / np.cos(angle)) ** 2
    return np.asarray(distance * np.tan(angle) - drop)


# Also if nothing that was tried before has shown that there is no noise.
@pytest.mark.parametrize("known", [1e-9, 1e-3])
def test_without_noise_all_levels_are_asked_at_once(known: float) -> None:
    rng = np.random.default_rng(5)
    x = rng.uniform([0.0, 1.0, 0.2], [2.0, 2.0, 0.7], (300, 3))
    found = solve_exactly(task_of(x, path(x)), known=known)
    assert found is not None
    assert found.sse < 1e-18
    outside = rng.uniform([0.0, 1.0, 0.2], [4.0, 4.0, 1.4], (300, 3))
    assert error(found.graph, outside, path(outside)) < 1e-9


def test_in_noise_no_level_is_asked_whether_it_is_exact() -> None:
    rng = np.random.default_rng(5)
    x = rng.uniform([0.0, 1.0, 0.2], [2.0, 2.0, 0.7], (300, 3))
    noisy = path(x) + 0.01 * rng.normal(size=300)
    assert solve_exactly(task_of(x, noisy), known=1e-4) is None


def test_what_a_level_can_say_of_any_smooth_function_is_not_exact() -> None:
    # A fraction of degrees (5, 4) in a sine and a cosine has an error of 1e-11 here.
    x = np.random.default_rng(5).uniform(-1, 1, (300, 1))
    task = task_of(x, np.tanh(x[:, 0]))
    assert solve(task, Level(5, 4, (0,))).sse < 1e-18  # type: ignore[union-attr]
    assert solve_exactly(task, known=1e-9) is None


def test_a_natural_frequency_is_held_in_noise() -> None:
    def frequencies(seed: int) -> set[float]:
        rng = np.random.default_rng(seed)
        x = rng.uniform(-1, 1, (1000, 2))
        s, c = np.sin(x[:, 1]), np.cos(x[:, 1])
        y = (9.81 * s - x[:, 0] * c) / (1 + s**2) + 0.05 * rng.normal(size=1000)
        found = solve(task_of(x, y), Level(3, 2, (1,)))
        assert found is not None
        return {
            round(abs(weight), 1)
            for node in found.graph.nodes
            if node.unit == "sin"
            for source, weight in node.arguments[0].items()
            if source != CONSTANT
        }

    # Fitted together with all other features it ends anywhere from 0.5 to 1.5.
    assert [frequencies(seed) for seed in range(4)].count({1.0}) >= 2


def test_a_hopeless_level_is_given_up() -> None:
    rng = np.random.default_rng(4)
    x = rng.uniform(-1, 1, (300, 1))
    y = np.sin(9 * x[:, 0])
    assert solve(task_of(x, y), Level(1, 1), known=1e-4) is None


def test_a_restart_depends_on_the_task_and_its_index_only() -> None:
    rng = np.random.default_rng(5)
    x = rng.uniform(-1, 1, (300, 2))
    task = task_of(x, x[:, 0] * x[:, 1] + 0.01 * rng.normal(size=300))
    restart(task, 7)
    one, two = restart(task, 2), restart(task, 2)
    assert one is not None and one == two
    seen = {configuration(task, index)[:2] for index in range(8)}
    assert len(seen) == 8  # every shape with and without division


def test_a_network_trained_as_in_the_paper_is_refined_alike() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (2000, 2))
    y = np.sin(np.pi * x[:, 0]) / (x[:, 1] ** 2 + 1) + 0.01 * rng.normal(size=2000)
    settings = short(recipes.paper(2, 1, n_layers=2).architecture, 2000)
    weights = recipes.initial_weights(settings.architecture, rng, 2)
    state, _ = train(
        settings,
        training_data(x, y[:, None]),
        begin(settings, weights, 1e-4, seed=0),
        settings.schedule.n_epochs,
    )
    candidates = (
        from_network(settings.architecture, np.asarray(one, dtype=float))
        for one in state.weights
    )
    found = [refined(task_of(x, y), graph) for graph in candidates]
    best = min((one for one in found if one is not None), key=lambda one: one.bic)
    assert best.graph.n_parameters == 3
    assert np.sqrt(best.sse / 1000) == pytest.approx(0.01, rel=0.1)
