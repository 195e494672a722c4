"""The survey as jobs: what is opened with, which looks follow, and how they go on."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from formulas import formula, sine
from tasks import task_of

from eqlearn.equation.refine.criterion import Scored
from eqlearn.jobs.codec import from_bytes
from eqlearn.jobs.job import Job, Step
from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.network.units import BUILT_IN
from eqlearn.search.attempts.input_views import View
from eqlearn.search.strategy import STANDARD
from eqlearn.search.survey.looks import (
    _THROUGH,
    NOTHING_YET,
    Look,
    SoFar,
    looks_at,
    views_of,
)
from eqlearn.search.survey.survey import (
    SurveyPlan,
    _allowed,
    first,
    found_in,
    is_no_imitation,
    looked,
    opening,
    views_in,
)
from eqlearn.search.task import Task

RNG = np.random.default_rng(0)
X = RNG.uniform(0.5, 3.0, (150, 2))
ALL_UNITS = tuple(sorted(BUILT_IN))


def surveyed(law: np.ndarray, noise: float = 0.01, x: np.ndarray = X) -> Task:
    y = law / np.std(law) + noise * RNG.normal(size=len(law))
    return replace(task_of(x, y), survey_units=ALL_UNITS)


def looks_of(*looks: Look, so_far: SoFar = NOTHING_YET) -> dict[str, object]:
    return {
        "looks": [look.to_document() for look in looks],
        "so_far": so_far.to_document(),
    }


def kinds() -> set[str]:
    return {order[0] for order in STANDARD.survey.order}


def test_every_kind_is_looked_for_through_some_link() -> None:
    assert kinds() <= _THROUGH.keys()
    assert all(None in _THROUGH[kind] for kind in kinds())


def test_looks_are_at_views_of_few_enough_variables_through_the_right_links() -> None:
    task = surveyed(X[:, 0] * X[:, 1])
    wide, narrow = View((0, 1)), View((0,))
    through = {name: wide.through(name, task) for name in ("log", "inverse")}
    views = [wide, narrow, *(view for view in through.values() if view is not None)]
    assert len(views) == 4
    looks = list(looks_at(views, ("families", 1, 2, 1)))
    assert looks == [Look(narrow, "families", 1, 2)]
    both = [look.view for look in looks_at(views, ("families", 0, None, 2))]
    assert both == [wide, narrow, through["log"]]


def test_a_law_without_noise_is_found_first() -> None:
    task = surveyed(X[:, 0] ** 2 / X[:, 1], noise=0.0)
    step = first(task, {"inputs": [0, 1]}, None)
    assert step.is_done
    found = found_in(step.state)
    assert min(one.sse for one in found) < 1e-18
    assert views_in(step.state) == []  # none were needed


def test_exponentials_are_compared_with_powers_from_the_first() -> None:
    task = surveyed(3 * np.exp(-0.7 * X[:, 0]) * X[:, 1])
    found = found_in(first(task, {"inputs": [0, 1]}, None).state)
    best = min(found, key=lambda one: one.bic)
    assert best.graph.n_parameters == 2
    assert best.sse / task.search_rows().n_residuals < 1.1e-4


def test_a_law_in_noise_leaves_views_to_look_at() -> None:
    task = surveyed(np.exp(-X[:, 0] / X[:, 1]) + 0.3)
    step = opening(task, {"inputs": [0, 1]}, None)
    views = views_in(step.state)
    assert {None, "log", "inverse", "square"} <= {view.link for view in views}
    # It depends on x1 / x2 alone.
    plain = next(view for view in views if not view.steps)
    assert plain.n_variables == 1
    shown = plain.of(task).x[:, 0]
    ratio = X[:, 0] / X[:, 1]
    assert abs(np.corrcoef(np.log(shown), np.log(ratio))[0, 1]) == pytest.approx(1.0)


def test_an_opening_that_failed_leaves_no_views() -> None:
    assert views_in(None) == []


def test_views_compose_to_formulas_of_the_target() -> None:
    """The target as it is seen, put back in, is the target: through every view."""
    law = 1 / (1 + np.exp(2.0 - X[:, 0] * X[:, 1]))
    task = replace(surveyed(law, noise=1e-3), y_scale=float(np.std(law)))
    views = views_of(task, (0, 1))
    links = {view.link for view in views}
    assert {None, "log", "inverse", "root", "logit", "complement", "failure"} <= links
    for view in views:
        seen = view.of(task)
        assert seen.weight is None or np.isfinite(seen.weight).all()
        for i in np.flatnonzero(seen.search_rows().root_weight > 0)[:5]:
            constant = formula(seen.x.shape[1], {-1: float(seen.y[i, 0])})
            whole = view.composed(constant, 2).evaluate(task.x[i : i + 1])[0][0, 0]
            assert whole == pytest.approx(task.y[i, 0], rel=1e-9)


def test_looks_that_are_cut_short_go_on_where_they_were(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task = surveyed(1 + np.exp(-X[:, 0]) + X[:, 1])
    plain = View((0, 1))
    asked = looks_of(
        Look(plain, "small", 0, 2), Look(plain, "exp"), Look(plain, "waves")
    )
    at_once = looked(task, asked, None)
    assert at_once.is_done
    monkeypatch.setattr("eqlearn.jobs.job.SEGMENT_SECONDS", 0.0)
    step, n = looked(task, asked, None), 1
    while not step.is_done:
        step, n = looked(task, asked, step.state), n + 1
    assert n == 3
    assert found_in(step.state) == found_in(at_once.state)


def test_looks_after_a_law_without_noise_are_left_out() -> None:
    task = surveyed(2 + 3 * X[:, 0] * X[:, 1], noise=0.0)
    plain = View((0, 1))
    step = looked(task, looks_of(Look(plain, "small", 0, 2), Look(plain, "exp")), None)
    assert step.is_done
    assert len(found_in(step.state)) == 1


def test_formulas_of_other_units_or_without_a_criterion_are_not_allowed() -> None:
    task = replace(surveyed(X[:, 0]), survey_units=("multiply",))
    plain, wave = formula(2, {0: 1.0}), formula(2, {2: 1.0}, sine({0: 1.0}))
    endless = formula(2, {0: math.inf})
    good = Scored(plain, 1.0, 2.0)
    found = (good, Scored(wave, 1.0, 2.0), Scored(plain, 1.0, math.nan))
    assert list(_allowed(iter([*found, Scored(endless, 1.0, 2.0)]), task)) == [good]


class Taken:
    """What a plan hands over."""

    def __init__(self) -> None:
        self.found: list[Sequence[Scored] | None] = []

    def take(self, found: Sequence[Scored] | None) -> bool:
        self.found.append(found)
        return False


def done(task: Task, job: Job) -> Step:
    step = job.segment(task, job.specification, None)
    while not step.is_done:
        step = job.segment(task, job.specification, step.state)
    return step


def plan_of(taken: Taken) -> SurveyPlan:
    by = replace(STANDARD.survey, order=(("small", 0, 2, 9), ("curves", 0, None, 0)))
    strategy = replace(STANDARD, survey=by)
    return SurveyPlan(0, (0, 1), strategy, taken.take, lambda: SoFar(0.5, 7))


def test_a_plan_opens_with_one_job_and_looks_in_groups() -> None:
    task, taken = surveyed(np.sin(X[:, 0]) + X[:, 1] ** 2 + 1.5), Taken()
    plan = plan_of(taken)
    stage = plan.opening()
    job = stage.job(0)
    assert job is not None and stage.job(1) is None
    step = done(task, job)
    assert stage.take(0, step.state)
    assert taken.found[0] == found_in(step.state)
    views = views_in(step.state)
    (looks,) = plan.looks()  # of curves of no variables there are none
    assert plan.n_kinds == 2
    jobs = [job for i in range(99) if (job := looks.job(i)) is not None]
    asked = [look for job in jobs for look in job.specification["looks"]]
    assert len(asked) == len(list(looks_at(views, ("small", 0, 2, 9))))
    assert max(len(job.specification["looks"]) for job in jobs) <= 4
    assert len({job.name for job in jobs}) == len(jobs)
    assert all(SoFar(*job.specification["so_far"]) == (0.5, 7) for job in jobs)


def test_a_failed_job_is_told_as_nothing() -> None:
    taken = Taken()
    plan = plan_of(taken)
    assert plan.opening().take(0, None)
    assert taken.found == [None]
    assert list(plan.looks()) == []


def test_states_are_small_and_can_be_read_again() -> None:
    task = surveyed(X[:, 0] + np.exp(-X[:, 1]))
    step = opening(task, {"inputs": [0, 1]}, None)
    assert from_bytes(step.state).keys() == {"found", "views"}
    assert len(step.state) < 100_000


@pytest.mark.parametrize(
    ("n_parameters", "residual", "expected"),
    [(4, 1e-21, True), (5, 1e-21, False), (10, 1e-28, True), (11, 1e-28, False)],
)
def test_a_series_leaves_nothing_but_more_than_rounding_errors(
    n_parameters: int, residual: float, expected: bool
) -> None:
    weights = {k: 1.0 + k for k in range(n_parameters)}
    graph = Graph(n_parameters, (), ((weights, {CONSTANT: 1.0}),))
    graph = replace(graph, fixed=frozenset({(1, CONSTANT)}))
    found = Scored(graph, 200 * residual, 0.0)
    assert is_no_imitation(found, 200, STANDARD.survey) == expected
