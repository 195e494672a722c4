"""Whether there is anything to find: few rows may show it, noise may not."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from eqlearn import EquationLearner
from eqlearn._types import Array
from eqlearn.search.enough.dependence import chance_of_dependence, is_dependent
from eqlearn.search.keep.pool import mean_formula
from eqlearn.search.prepare import tasks_of
from eqlearn.search.request import Request
from eqlearn.search.task import Task


def task_of(x: Array, y: Array, weight: Array | None = None) -> Task:
    return tasks_of(Request(x, y[:, None], seed=0, weight=weight))[0]


def scattered(n: int = 24, noise: float = 0.7, seed: int = 0) -> tuple[Array, Array]:
    """A line in so much noise that less than half of the spread is its own."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 2, (n, 1))
    return x, 4.0 * x[:, 0] + noise * 4.0 * x.std() * rng.standard_normal(n)


@pytest.mark.parametrize("n_inputs", [1, 3, 10])
def test_noise_goes_along_as_rarely_as_is_said(n_inputs: int) -> None:
    rng = np.random.default_rng(n_inputs)
    chances = []
    for _ in range(300):
        # Heavy tails on both sides: far points decide nothing.
        x = rng.exponential(1, (30, n_inputs)) ** 2
        chances.append(chance_of_dependence(task_of(x, rng.standard_t(2, 30))))
    assert np.mean(np.array(chances) < 0.05) < 0.08
    assert min(chances) > 1e-4


@pytest.mark.parametrize(
    "law",
    [
        lambda a, b: a,
        lambda a, b: 1 / a,
        lambda a, b: a * b,
        lambda a, b: b / a,
        lambda a, b: a**2,
    ],
)
def test_the_simplest_formulas_are_seen(law: Callable[[Array, Array], Array]) -> None:
    rng = np.random.default_rng(1)
    a, b = rng.uniform(0.5, 2, (2, 30))
    exact = law(a, b)
    y = exact + 0.5 * exact.std() * rng.standard_normal(30)
    assert is_dependent(task_of(np.stack([a, b, rng.uniform(1, 2, 30)], axis=1), y))


def test_rows_that_belong_together_count_as_fewer() -> None:
    task = task_of(*scattered())
    assert is_dependent(task)
    assert not is_dependent(replace(task, crowding=1 / 6))


def test_a_target_that_is_the_same_everywhere_depends_on_nothing() -> None:
    assert chance_of_dependence(task_of(np.arange(9.0)[:, None], np.ones(9))) == 1.0
    two = task_of(np.array([[1.0], [2.0]]), np.array([1.0, 2.0]))
    assert chance_of_dependence(two) == 1.0


def test_rows_without_weight_say_nothing() -> None:
    x, y = scattered()
    noise = np.random.default_rng(3).standard_normal(24)
    both = np.concatenate([x, x]), np.concatenate([noise, y])
    of_noise = np.repeat([1.0, 1e-12], 24)
    assert not is_dependent(task_of(*both, weight=of_noise))
    assert is_dependent(task_of(*both, weight=of_noise[::-1]))


def test_the_mean_has_no_head_start_over_what_is_there() -> None:
    def margin(task: Task) -> float:
        data = task.search_rows()
        sse = float(np.sum((data.y - data.y.mean()) ** 2))
        own = task.tactics.criterion.bic(sse, data.n_residuals, 1)
        return own - mean_formula(task, data).bic

    x, y = scattered()
    assert margin(task_of(x, y)) == pytest.approx(0.0, abs=1e-6)
    shuffled = np.random.default_rng(2).permutation(y)
    by = task_of(x, y).strategy.pooling
    assert margin(task_of(x, shuffled)) == pytest.approx(2 * math.log(by.n_looked))


def test_a_line_in_few_scattered_rows_is_offered_but_not_trusted() -> None:
    x, y = scattered()
    learner = EquationLearner(max_attempts=5, n_jobs=1, random_state=0).fit(x, y)
    assert learner.equation_.endswith("*x1")
    (verdict,) = learner.verdict_
    assert verdict.kind == "doubtful"
