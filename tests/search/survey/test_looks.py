"""Looks: each kind finds what it is there for, in the view it is asked for."""

import math
from dataclasses import replace

import numpy as np
import pytest
from tasks import task_of

from eqlearn.equation.refine.criterion import Scored
from eqlearn.search.attempts.input_views import View
from eqlearn.search.survey.looks import (
    NOTHING_YET,
    Look,
    SoFar,
    exact_fractions,
    fractions,
    power_laws,
    rows_of,
)
from eqlearn.search.task import Task

RNG = np.random.default_rng(0)
X = RNG.uniform(0.5, 3.0, (200, 2))
A, B = X.T
NOISE = 0.005


def noisy(law: np.ndarray) -> Task:
    """A task of a law of unit size in a little noise."""
    return task_of(X, law / np.std(law) + NOISE * RNG.normal(size=200))


def best_of(look: Look, task: Task) -> Scored:
    return min(look.found(task), key=lambda one: one.bic)


def is_law(found: Scored, law: np.ndarray) -> bool:
    values = found.graph.evaluate(X)[0][:, 0]
    return bool(np.sqrt(np.mean((values - law / np.std(law)) ** 2)) < NOISE)


def units(found: Scored) -> set[str]:
    return {node.unit for node in found.graph.nodes}


@pytest.mark.parametrize(
    ("kind", "outer", "base", "law", "telling"),
    [
        ("small", 0, 2, 2 + 3 * A * B - A**2, "multiply"),
        ("whole sums", 3, None, A**2 / B + B, "multiply"),
        ("sums", 0, None, np.sqrt(A) * B + 1 / B, "sqrt"),
        ("exp", 0, None, 1 + 3 * np.exp(-1.4 * A), "exp"),
        ("exp", 1, None, B * np.exp(-1.4 * A) + 1, "exp"),
        ("powers", 0, None, 2 + A**1.3 + B, "exp"),
        ("waves", 0, None, np.sin(3.3 * A) + B, "sin"),
        ("bends", 0, None, np.tanh(1.1 * A) + 0.3 * B, "tanh"),
        ("exp", 0, 1, np.exp(-1.4 * A) + 2 * B + 1, "exp"),
    ],
)
def test_a_kind_finds_what_it_is_there_for(
    kind: str, outer: int, base: int | None, law: np.ndarray, telling: str
) -> None:
    found = best_of(Look(View((0, 1)), kind, outer, base), noisy(law))
    assert is_law(found, law)
    assert telling in units(found)


@pytest.mark.parametrize("kind", ["curves", "families", "fast waves", "damped"])
def test_special_kinds_are_asked_too(kind: str) -> None:
    x = np.linspace(0.2, 9.0, 200)[:, None]
    law = np.exp(-0.4 * x[:, 0]) * np.cos(5 * x[:, 0])
    if kind == "families":
        law = 1 / (1 + 20 * np.exp(-1.2 * x[:, 0]))
    if kind == "fast waves":
        law = np.cos(19 * x[:, 0])
    task = task_of(x, law / np.std(law) + NOISE * RNG.normal(size=200))
    found = best_of(Look(View((0,)), kind), task)
    values = found.graph.evaluate(x)[0][:, 0] * np.std(law)
    assert np.sqrt(np.mean((values - law) ** 2)) < NOISE * np.std(law)


def test_a_sum_is_found_through_a_link() -> None:
    law = np.sqrt(1 + A**2 + 0.5 * B)
    task = noisy(law)
    view = View((0, 1)).through("square", task)
    assert view is not None
    found = best_of(Look(view, "small", 0, 2), task)
    assert is_law(found, law)
    assert "sqrt" in units(found)


def test_what_leaves_much_more_than_the_best_so_far_is_given_up() -> None:
    task, look = noisy(np.exp(A) / B), Look(View((0, 1)), "small", 0, 2)
    assert list(look.found(task, NOTHING_YET))
    assert list(look.found(task, SoFar(1e-9, math.inf))) == []


def test_no_sum_is_longer_than_what_can_be_better() -> None:
    task, look = noisy(A**2 / B + B + 1 / A), Look(View((0, 1)), "whole sums", 3)
    found = list(look.found(task, SoFar(math.inf, 2)))
    assert found
    assert max(one.graph.n_parameters for one in found) <= 2


def test_a_view_without_finite_values_is_asked_in_vain() -> None:
    task = noisy(A)
    x = task.x.copy()
    x[3, 0] = math.inf
    broken = replace(task, x=x)
    assert list(Look(View((0, 1)), "sums").found(broken)) == []


@pytest.mark.parametrize("so_far", [NOTHING_YET, SoFar(0.5, 4), SoFar(1e-3, math.inf)])
def test_what_is_known_so_far_survives_being_written_down(so_far: SoFar) -> None:
    document = so_far.to_document()
    assert math.inf not in document
    assert SoFar.from_document(document) == so_far


def test_looks_survive_being_written_down() -> None:
    view = View((0, 1)).through("log", noisy(A * B))
    assert view is not None
    for look in (Look(view, "exp", 1, 2), Look(View((0,)), "sums")):
        assert Look.from_document(look.to_document()) == look


def test_power_laws_are_found_with_any_power() -> None:
    law = 2.3 * A**1.7 / B
    task = noisy(law)
    best = min(power_laws(task, (0, 1)), key=lambda one: one.bic)
    assert is_law(best, law)
    assert best.graph.n_parameters == 2  # the factor and 1.7: of x2 the power is -1


def test_fractions_that_leave_nothing_are_found_the_smallest_first() -> None:
    task = task_of(X, (1 + A) / (2 + B))
    found = list(exact_fractions(task, View((0, 1))))
    assert found and found[0].sse < 1e-18
    assert found[0].graph.n_parameters == 3
    assert list(exact_fractions(noisy((1 + A) / (2 + B)), View((0, 1)))) == []


def test_fractions_in_noise_are_pruned_to_the_law() -> None:
    law = (1 + A) / (2 + B)
    task = noisy(law)
    best = min(fractions(task, [View((0, 1))]), key=lambda one: one.bic)
    assert is_law(best, law)
    assert best.graph.n_parameters == 3


def test_rows_without_weight_pick_no_terms() -> None:
    weight = np.ones(200)
    weight[:150] = 0.0
    task = replace(noisy(A), weight=weight)
    rows = rows_of(task)
    assert rows.x.shape == (2, 50)
    np.testing.assert_allclose(rows.x, X[150:].T)
    np.testing.assert_allclose(rows.y, task.y[150:, 0])
