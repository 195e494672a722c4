from collections.abc import Callable

import numpy as np

from eqlearn._types import Array
from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.search.attempts.relevant_inputs import (
    significant_inputs,
    visible_inputs,
)
from eqlearn.search.prepare import tasks_of
from eqlearn.search.request import Request
from eqlearn.search.task import Task


def task(f: Callable[[Array], Array], n_inputs: int, n: int = 500) -> Task:
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (n, n_inputs))
    y = f(x)[:, None] + 0.01 * rng.normal(size=(n, 1))
    return tasks_of(Request(x, y, seed=0))[0]


def test_idle_inputs_are_told_from_the_others() -> None:
    some = task(lambda x: np.sin(2 * x[:, 0]) * x[:, 2] / (2 + x[:, 3]), 5)
    assert significant_inputs(some) == {0, 2, 3}


def test_of_very_many_inputs_trees_tell_those_that_matter() -> None:
    some = task(lambda x: x[:, 7] * x[:, 3] + np.sin(2 * x[:, 20]), 50, n=1000)
    assert {3, 7, 20} <= significant_inputs(some)
    assert len(significant_inputs(some)) <= 8


def test_an_input_is_visible_if_it_moves_the_formula() -> None:
    some = task(lambda x: x[:, 0] + x[:, 1], 3)
    graph = Graph(3, (), (({0: 1.0, 1: 1e-5, CONSTANT: 1.0}, {CONSTANT: 1.0}),))
    assert visible_inputs(some, graph, 0.003) == {0}
    pole = Graph(3, (), (({0: 1.0}, {1: np.nan}),))
    assert 1 in visible_inputs(
        some, pole, 0.003
    )  # what cannot be computed is not ruled out
