"""Laws whose parts are looked for one by one."""

from dataclasses import replace

import numpy as np
import pytest
from tasks import task_of

from eqlearn._types import Array
from eqlearn.equation.refine.criterion import Scored
from eqlearn.network.units import BUILT_IN
from eqlearn.search.attempts.input_views import View
from eqlearn.search.survey.separated import separated
from eqlearn.search.task import Task, numerical_context

N = 300
X = np.random.default_rng(0).uniform(0.5, 4.0, (N, 3))
P, Q, R = X.T


def table(law: Array, x: Array) -> Task:
    noise = np.random.default_rng(1).normal(size=N)
    y = law / np.std(law) + 0.01 * noise
    return replace(task_of(x, y), survey_units=tuple(sorted(BUILT_IN)))


def best(task: Task, view: View) -> Scored:
    with numerical_context(task):
        return min(separated(view, task), key=lambda one: one.bic)


@pytest.mark.parametrize(
    ("law", "most"),
    [
        (3 * np.sqrt(P) + np.sin(2 * Q), 3),  # a sum
        (np.cos(2 * P) * np.exp(-0.8 * Q), 3),  # a product
        (1 + np.sqrt(1 + 2 * P) * np.cos(2 * Q), 5),  # a product and an offset
        (Q * np.cos(2 * P) + Q**2, 3),  # both vary with Q
    ],
    ids=["sum", "product", "offset", "varying"],
)
def test_a_law_of_two_parts_is_found_down_to_the_noise(law: Array, most: int) -> None:
    found = best(table(law, X[:, :2]), View((0, 1)))
    assert found.sse / N < 1.1e-4
    assert found.graph.n_parameters <= most


def test_a_part_may_have_two_inputs() -> None:
    found = best(table(P + Q + 2 * np.sqrt(P * Q) * np.cos(R), X), View((0, 1, 2)))
    assert found.sse / N < 1.1e-4
    assert found.graph.n_parameters <= 5


def test_parts_may_stand_inside_of_a_root() -> None:
    task = table(np.sqrt(1 + P**2 + np.exp(Q)), X[:, :2])
    seen = View((0, 1)).through("square", task)
    assert seen is not None
    found = best(task, seen)
    assert found.sse / N < 1.1e-4
    assert any(node.unit == "sqrt" for node in found.graph.nodes)


def test_what_does_not_fall_apart_takes_no_time() -> None:
    task = table(1 / (1 + P * Q + P**2 * Q**3), X[:, :2])
    with numerical_context(task):
        assert list(separated(View((0, 1)), task)) == []


def test_the_variables_of_a_view_are_what_is_split() -> None:
    # P/Q and R: the view shows the quotient as one variable.
    task = table((P / Q) ** 1.5 + np.exp(R), X)
    draft = View((2,)).draft(3)
    shown = View((2,)).showing(draft, [{draft.add("divide", {0: 1.0}, {1: 1.0}): 1.0}])
    found = best(task, shown)
    assert found.sse / N < 1.1e-4
