import numpy as np
import pytest
from tasks import task_of

from eqlearn._types import Array
from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.search.attempts.feature_fractions import (
    FeatureFraction,
    first_fractions,
    later_fractions,
    solve,
    solve_exactly,
)
from eqlearn.search.strategy import STANDARD

BY = STANDARD.fractions


def error(graph: Graph | None, x: Array, y: Array) -> float:
    assert graph is not None
    return float(np.abs(graph.evaluate(x)[0][:, 0] - y).max())


def test_fractions_come_smallest_first_and_none_is_too_large() -> None:
    first, later = first_fractions(4, BY), later_fractions(4, BY)
    assert first[0] == FeatureFraction(2, 0)
    assert all(one.n_columns(4) <= BY.few_columns for one in first)
    assert {len(one.angles) for one in later} == {0, 1, 2}
    assert all(one.n_columns(4) <= BY.most_columns for one in later)
    assert not any(one.angles for one in later_fractions(4, BY, with_angles=False))
    assert first_fractions(60, BY) == [FeatureFraction(1, 0)]


def test_a_fraction_finds_an_angle_of_unknown_frequency() -> None:
    rng = np.random.default_rng(3)
    x = rng.uniform(-1, 1, (500, 2))
    y = x[:, 0] * np.cos(2.83 * x[:, 1]) / (1 + 0.3 * np.sin(2.83 * x[:, 1]))
    found = solve(task_of(x, y), FeatureFraction(3, 2, (1,)))
    assert found is not None
    assert found.sse < 1e-18


def test_an_exact_formula_of_a_small_angle_is_no_imitation() -> None:
    # Over half a radian sine and cosine are nearly parabolas, but exactly they are not.
    rng = np.random.default_rng(3)
    x = rng.uniform([0.5, 0.2], [2.0, 0.7], (200, 2))
    tangent = x[:, 0] * np.tan(x[:, 1])
    exact = solve(task_of(x, tangent), FeatureFraction(2, 1, (1,)))
    assert exact is not None and exact.sse < 1e-18


def path(x: Array) -> Array:
    """The height of a projectile over distance, speed and angle."""
    distance, speed, angle = x.T
    fall = 4.9 * (distance / speed / np.cos(angle)) ** 2
    height: Array = distance * np.tan(angle) - fall
    return height


# Also if nothing that was tried before has shown that there is no noise.
@pytest.mark.parametrize("residual", [1e-9, 1e-3])
def test_without_noise_all_fractions_are_asked_at_once(residual: float) -> None:
    rng = np.random.default_rng(5)
    x = rng.uniform([0.0, 1.0, 0.2], [2.0, 2.0, 0.7], (300, 3))
    found = solve_exactly(task_of(x, path(x)), residual=residual)
    assert found is not None
    assert found.sse < 1e-18
    outside = rng.uniform([0.0, 1.0, 0.2], [4.0, 4.0, 1.4], (300, 3))
    assert error(found.graph, outside, path(outside)) < 1e-9


def test_in_noise_no_fraction_is_asked_whether_it_is_exact() -> None:
    rng = np.random.default_rng(5)
    x = rng.uniform([0.0, 1.0, 0.2], [2.0, 2.0, 0.7], (300, 3))
    noisy = path(x) + 0.01 * rng.normal(size=300)
    assert solve_exactly(task_of(x, noisy), residual=1e-4) is None


def test_what_a_fraction_can_say_of_any_smooth_function_is_not_exact() -> None:
    # A fraction of degrees (5, 4) in a sine and a cosine has an error of 1e-11 here.
    x = np.random.default_rng(5).uniform(-1, 1, (300, 1))
    task = task_of(x, np.tanh(x[:, 0]))
    assert solve(task, FeatureFraction(5, 4, (0,))).sse < 1e-18  # type: ignore[union-attr]
    assert solve_exactly(task, residual=1e-9) is None


def test_a_natural_frequency_is_held_in_noise() -> None:
    def frequencies(seed: int) -> set[float]:
        rng = np.random.default_rng(seed)
        x = rng.uniform(-1, 1, (1000, 2))
        s, c = np.sin(x[:, 1]), np.cos(x[:, 1])
        y = (9.81 * s - x[:, 0] * c) / (1 + s**2) + 0.05 * rng.normal(size=1000)
        found = solve(task_of(x, y), FeatureFraction(3, 2, (1,)))
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


def test_a_hopeless_fraction_is_given_up() -> None:
    rng = np.random.default_rng(4)
    x = rng.uniform(-1, 1, (300, 1))
    y = np.sin(9 * x[:, 0])
    assert solve(task_of(x, y), FeatureFraction(1, 1), residual=1e-4) is None
