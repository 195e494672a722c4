"""Fractions in order of promise."""

from dataclasses import replace

import numpy as np
import pytest
from tasks import task_of

from eqlearn.search.attempts.feature_fractions import FeatureFraction
from eqlearn.search.attempts.input_views import View
from eqlearn.search.attempts.links import LINKS
from eqlearn.search.survey.ranked import Ranked, ranked, with_angles, with_logs
from eqlearn.search.task import Task, numerical_context

RNG = np.random.default_rng(0)
X = RNG.uniform(0.5, 3.0, (200, 2))


def noisy(y: np.ndarray) -> np.ndarray:
    y = y / np.std(y)  # as a search has it
    return y + 0.01 * RNG.normal(size=len(y))


def views_of(task: Task) -> list[View]:
    plain = View((0, 1))
    linked = [plain.through(name, task) for name in ("log", "square")]
    return [plain, *(one for one in linked if one is not None)]


#: Laws by the link and the degrees of the fraction that they are.
LAWS = {
    (None, 1, 0): 2 * X[:, 0] - X[:, 1] + 1,
    (None, 2, 0): X[:, 0] * X[:, 1] + 1,
    (None, 1, 1): X[:, 0] / (1 + X[:, 1]),
    ("log", 1, 0): np.exp(X[:, 0] - 2 * X[:, 1]),
    ("square", 1, 0): np.sqrt(1 + X[:, 0] + X[:, 1]),
}


def told(one: Ranked) -> tuple[str | None, int, int]:
    return one.view.link, one.fraction.numerator, one.fraction.denominator


@pytest.mark.parametrize("law", LAWS)
def test_of_fractions_that_leave_nothing_the_smallest_comes_first(
    law: tuple[str | None, int, int],
) -> None:
    task = task_of(X, LAWS[law] / np.std(LAWS[law]))
    assert told(ranked(task, views_of(task))[0]) == law


@pytest.mark.parametrize("law", [one for one in LAWS if one[0] != "log"])
def test_in_noise_the_true_fraction_is_among_those_that_are_tried(
    law: tuple[str | None, int, int],
) -> None:
    task = task_of(X, noisy(LAWS[law]))
    first = ranked(task, views_of(task))[: task.strategy.survey.n_fractions]
    assert law in map(told, first)


def test_logarithms_stand_beside_the_inputs_that_have_them() -> None:
    x = np.c_[X, X[:, 0] - 1.5]
    task = task_of(x, x[:, 0])
    view = with_logs(View((0, 2)), task)
    assert view is not None
    np.testing.assert_allclose(
        view.of(task).x, np.c_[x[:, 0], x[:, 2], np.log(x[:, 0])]
    )
    assert with_logs(View((2,)), task) is None


def test_a_law_of_logarithms_is_told_by_these() -> None:
    task = task_of(X, noisy(3 * np.log(X[:, 0]) - X[:, 1]))
    first = ranked(task, [View((0, 1))])[0]
    assert first.view.n_variables == 4
    assert first.fraction == FeatureFraction(1, 0)


def test_fractions_of_more_features_than_the_rows_can_pay_are_left_out() -> None:
    few = task_of(X[:24], X[:24, 0])
    sizes = [
        one.fraction.n_columns(one.view.n_variables)
        for one in ranked(few, [View((0, 1))])
    ]
    assert sizes and max(sizes) <= 6


def test_ranks_are_in_order_and_numbers_unlike() -> None:
    found = ranked(task_of(X, noisy(X[:, 0] ** 2)), [View((0,)), View((0, 1))])
    assert [one.rank for one in found] == sorted(one.rank for one in found)
    assert len({one.number for one in found}) == len(found)


@pytest.mark.parametrize(
    ("y", "link"),
    [
        (np.exp(2 * X[:, 0]) / X[:, 1], "log"),
        (X[:, 0] ** 4 * X[:, 1] / (12 - X[:, 0] ** 2), None),
    ],
)
def test_links_are_compared_by_errors_of_the_target(
    y: np.ndarray, link: str | None
) -> None:
    # Over decades 1/y² is next to nothing but in a few rows: small are its errors,
    # and those of an arc, which most rows are beyond, are of the smallest targets.
    task = task_of(X, noisy(y))
    plain = View((0, 1))
    linked = [plain.through(name, task) for name in LINKS]
    views = [plain, *(one for one in linked if one is not None)]
    assert {"inverse square", "log"} <= {view.link for view in views}
    assert ranked(task, views)[0].view.link == link


def test_an_orbit_is_a_fraction_of_the_cosine_of_its_angle() -> None:
    # (1 - a²)/(1 + a cos t): degrees 2 and 2 in a and the cosine
    rng = np.random.default_rng(1)
    x = np.stack([rng.uniform(0.2, 0.7, 200), rng.uniform(0.0, 6.0, 200)], axis=1)
    law = (1 - x[:, 0] ** 2) / (1 + x[:, 0] * np.cos(x[:, 1]))
    task = replace(task_of(x, law / np.std(law)), survey_units=("sin",))
    with numerical_context(task):
        best = ranked(task, [View((0, 1))])[0]
    assert best.error < 1e-15
    assert best.view.inputs == (0,)
    assert best.view.n_variables == 3
    plain = replace(task, survey_units=())
    with numerical_context(plain):
        assert ranked(plain, [View((0, 1))])[0].error > 1e-6  # imitations


def test_angles_are_taken_in_every_unit_in_which_they_turn_far() -> None:
    # Up to 90: as degrees a quarter turn; as radians it turns further than waves may.
    x = np.stack([RNG.uniform(0.0, 90.0, 100), RNG.uniform(1.0, 1.1, 100)], axis=1)
    task = replace(task_of(x, x[:, 0]), x_scale=np.ones(2))
    (found,) = with_angles(View((0, 1)), task)
    seen = found.of(task).x
    np.testing.assert_allclose(seen[:, 0], x[:, 1])
    np.testing.assert_allclose(seen[:, 1], np.sin(np.radians(x[:, 0])))
    np.testing.assert_allclose(seen[:, 2], np.cos(np.radians(x[:, 0])))
