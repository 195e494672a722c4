import time
from dataclasses import replace

import numpy as np
import pytest
from patience import within

from eqlearn.network.graph import CONSTANT, Graph, Node
from eqlearn.search.enough.residual_structure import (
    Left,
    chance_of_structure,
    relatedness,
    residual_structure,
)
from eqlearn.search.prepare import tasks_of
from eqlearn.search.request import Request
from eqlearn.search.strategy import STANDARD
from eqlearn.search.task import Task, numerical_context
from eqlearn.search.verdict_strategy import Residuals

TRUE = Graph(2, (Node("sin", ({0: 2.0},)),), (({2: 1.0, 1: 0.5}, {CONSTANT: 1.0}),))
WITHOUT_A_TERM = replace(TRUE, nodes=(), outputs=(({1: 0.5}, {CONSTANT: 1.0}),))


def measured(n: int, seed: int = 0) -> Task:
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, (n, 2))
    y = TRUE.evaluate(x)[0] + 0.1 * rng.normal(size=(n, 1))
    (task,) = tasks_of(Request(x, y, seed=0))
    return replace(task, x=task.x * task.x_scale, y=task.y * task.y_scale)


@pytest.mark.parametrize("seed", range(5))
def test_the_law_leaves_noise_and_half_of_it_does_not(seed: int) -> None:
    task = measured(3000, seed)
    assert residual_structure(TRUE, task) is Left.NOISE
    assert residual_structure(WITHOUT_A_TERM, task) is Left.STRUCTURE


def test_a_term_of_half_the_size_of_the_noise_is_seen() -> None:
    slots = TRUE.slots()
    slots[1] = {2: 0.93, 1: 0.5}
    found = residual_structure(TRUE.with_slots(slots), measured(4000))
    assert found is Left.STRUCTURE


def test_rows_with_equal_inputs_are_neighbours_but_none_its_own() -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 20, (2500, 2)) / 10.0
    (task,) = tasks_of(Request(x, rng.normal(size=(2500, 1)), seed=0))
    nothing = replace(TRUE, nodes=(), outputs=(({CONSTANT: 0.0}, {CONSTANT: 1.0}),))
    assert abs(relatedness(nothing, task)) < task.strategy.residuals.structure


@pytest.mark.parametrize("seed", range(3))
def test_among_many_inputs_it_is_told_too_and_soon(seed: int) -> None:
    """R-22: with every input, finding neighbours takes ten seconds here."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, (5000, 300))
    y = np.sin(2 * x[:, :1]) + 0.5 * x[:, 1:2] + 0.1 * rng.normal(size=(5000, 1))
    (task,) = tasks_of(Request(x, y, seed=0))
    task = replace(task, x=task.x * task.x_scale, y=task.y * task.y_scale)
    law = Graph(
        300, (Node("sin", ({0: 2.0},)),), (({300: 1.0, 1: 0.5}, {CONSTANT: 1.0}),)
    )
    part = replace(law, nodes=(), outputs=(({1: 0.5}, {CONSTANT: 1.0}),))
    # As in a search, on one thread: idle ones that spin count as time, too.
    with numerical_context(task), within(4, time.process_time):
        assert residual_structure(law, task) is not Left.STRUCTURE
        assert residual_structure(part, task) is Left.STRUCTURE


def test_few_rows_say_nothing() -> None:
    few = STANDARD.residuals.fewest_of_all
    assert residual_structure(TRUE, measured(few - 1)) is Left.UNKNOWN
    far = replace(measured(few + 10), n_far=20)  # far points do not count
    assert residual_structure(TRUE, far) is Left.UNKNOWN


@pytest.mark.parametrize("n", [60, 200, 1000])
def test_small_tables_show_a_missing_term_too(n: int) -> None:
    # One time in fifty noise alone looks as if something might be left.
    assert residual_structure(TRUE, measured(n)) is not Left.STRUCTURE
    assert residual_structure(WITHOUT_A_TERM, measured(n)) is Left.STRUCTURE


def test_small_tables_show_a_fast_wave_that_is_left() -> None:
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 10, (200, 1))
    line = Graph(1, (), (({0: 1.0}, {CONSTANT: 1.0}),))
    noise = 0.1 * rng.normal(size=x.shape)
    for wave, left in ((0.0, Left.NOISE), (0.1, Left.STRUCTURE)):
        (task,) = tasks_of(Request(x, x + wave * np.sin(20 * x) + noise))
        scale = float(task.x_scale[0] / task.y_scale)
        scaled = line.with_slots([{0: scale}, {CONSTANT: 1.0}])
        assert residual_structure(scaled, task) is left


def test_noise_is_rarely_taken_for_part_of_a_law() -> None:
    nothing = Graph(2, (), (({CONSTANT: 0.0}, {CONSTANT: 1.0}),))
    rng, n = np.random.default_rng(0), 0
    for _ in range(100):
        x, y = rng.uniform(-1, 1, (150, 2)), rng.normal(size=(150, 1))
        (task,) = tasks_of(Request(x, y))
        n += chance_of_structure(nothing, task) < STANDARD.residuals.likely
    assert n <= 6


def test_a_formula_without_a_value_somewhere_leaves_part_of_the_law() -> None:
    pole = replace(TRUE, outputs=(({0: 1.0}, {CONSTANT: 0.0}),))
    assert residual_structure(pole, measured(3000)) is Left.STRUCTURE


@pytest.mark.parametrize(
    ("noise", "structure", "left"),
    [(50.0, 60.0, Left.NOISE), (1.0, 60.0, Left.UNCLEAR), (1.0, 2.0, Left.STRUCTURE)],
)
def test_what_is_left_depends_on_two_bounds(
    noise: float, structure: float, left: Left
) -> None:
    task = measured(3000)
    bounds = Residuals(noise=noise, structure=structure, unlikely=0.0)
    assert 2.0 < relatedness(WITHOUT_A_TERM, task) < 60.0
    strategy = replace(task.strategy, residuals=bounds)
    task = replace(task, strategy=strategy)
    assert residual_structure(WITHOUT_A_TERM, task) is left
