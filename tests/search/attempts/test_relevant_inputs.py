from collections.abc import Callable

import numpy as np
from tasks import task_of

from eqlearn._types import Array
from eqlearn.equation.refine.criterion import Scored
from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.search.attempts.relevant_inputs import (
    RelevantInputs,
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


def relevant(n_inputs: int, significant: set[int]) -> RelevantInputs:
    every = tuple(range(n_inputs))
    return RelevantInputs(every, frozenset(significant), n_inputs > 12)


def test_of_many_inputs_the_first_batches_see_only_those_that_matter() -> None:
    assert relevant(4, {1}).first == ((0, 1, 2, 3),)
    assert relevant(20, {3, 7}).first == ((3, 7),)
    assert relevant(20, set()).first == (tuple(range(20)),)


def test_every_other_batch_sees_all_inputs_and_of_many_one_in_eight() -> None:
    assert [i for i in range(8) if relevant(4, set()).sees_all(i)] == [0, 2, 4, 6]
    assert [i for i in range(16) if relevant(20, set()).sees_all(i)] == [4, 12]


def test_what_moves_the_best_formula_matters_and_before_that_what_a_test_says() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (300, 3))
    task = task_of(x, x[:, 0] + 0.02 * x[:, 1])
    # x1 moves it by all of the spread, x2 by a fiftieth: it matters, but not much.
    graph = Graph(3, (), (({0: 1.0, 1: 0.02}, {CONSTANT: 1.0}),))
    tested = relevant(3, {2})
    exact, rough = (Scored(graph, 300 * left, 0.0) for left in (5e-5, 0.1))
    assert tested.after(task, exact, 300) == ((0, 1), (0,))
    assert tested.after(task, rough, 300) == ((0, 1, 2), (0, 2))
