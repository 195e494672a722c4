import math
from dataclasses import replace

import numpy as np
import pytest

from eqlearn.network.graph import CONSTANT, Graph, Node
from eqlearn.search.keep.residual_structure import NOISE, STRUCTURE, relatedness
from eqlearn.search.learn import tasks_of
from eqlearn.search.task import Task

TRUE = Graph(2, (Node("sin", ({0: 2.0},)),), (({2: 1.0, 1: 0.5}, {CONSTANT: 1.0}),))
WITHOUT_A_TERM = replace(TRUE, nodes=(), outputs=(({1: 0.5}, {CONSTANT: 1.0}),))


def measured(n: int, seed: int = 0) -> Task:
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, (n, 2))
    y = TRUE.evaluate(x)[0] + 0.1 * rng.normal(size=(n, 1))
    (task,) = tasks_of(x, y, seed=0)
    return replace(task, x=task.x * task.x_scale, y=task.y * task.y_scale)


@pytest.mark.parametrize("seed", range(5))
def test_the_law_leaves_noise_and_half_of_it_does_not(seed: int) -> None:
    task = measured(3000, seed)
    assert relatedness(TRUE, task) < NOISE
    assert relatedness(WITHOUT_A_TERM, task) > STRUCTURE


def test_a_term_of_half_the_size_of_the_noise_is_seen() -> None:
    slots = TRUE.slots()
    slots[1] = {2: 0.93, 1: 0.5}
    assert relatedness(TRUE.with_slots(slots), measured(4000)) > STRUCTURE


def test_rows_with_equal_inputs_are_neighbours_but_none_its_own() -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 20, (2500, 2)) / 10.0
    (task,) = tasks_of(x, rng.normal(size=(2500, 1)), seed=0)
    nothing = replace(TRUE, nodes=(), outputs=(({CONSTANT: 0.0}, {CONSTANT: 1.0}),))
    assert abs(relatedness(nothing, task)) < STRUCTURE


def test_few_rows_and_poles_are_no_reason_to_stop() -> None:
    assert math.isnan(relatedness(TRUE, measured(500)))
    pole = replace(TRUE, outputs=(({0: 1.0}, {CONSTANT: 0.0}),))
    assert relatedness(pole, measured(3000)) == math.inf
