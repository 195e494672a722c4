"""Keys of jobs that depend on no result: another key makes a kept run begin anew.

Such a change is deliberate: a run directory of before is then of no use.
"""

from dataclasses import replace

import numpy as np
from tasks import target_of, task_of

from eqlearn.jobs.job import Plan, Stage
from eqlearn.search.attempts.grid_networks import Grid
from eqlearn.search.fast_plan import FastPlan
from eqlearn.search.paper_plan import PaperPlan


def first_keys(plan: Plan, n: int) -> list[str]:
    stage = next(iter(plan.stages()))
    assert isinstance(stage, Stage)
    jobs = [stage.job(index) for index in range(n)]
    return [job.key for job in jobs if job is not None]


def test_a_survey_has_the_key_it_had() -> None:
    x = np.linspace(1, 2, 30)[:, None]
    task = replace(task_of(x, 3 * x[:, 0]), survey_units=("multiply", "exp"))
    keys = first_keys(FastPlan(target_of(task)), 1)
    assert keys == ["y1/survey/first:ba9b20d787239d26"]


def test_first_attempts_have_the_keys_they_had() -> None:
    x = np.linspace(1, 2, 30)[:, None]
    task = task_of(x, 3 * x[:, 0])
    assert first_keys(FastPlan(target_of(task)), 2) == [
        "y1/attempt/0:3b0bdae2a435ad39",
        "y1/attempt/1:9aaef83d167e4e36",
    ]


def test_trainings_of_the_paper_have_the_keys_they_had() -> None:
    plan = PaperPlan(Grid(l1=(1e-5, 1e-4), depths=(2,)), [], "all", 7)
    assert first_keys(plan, 2) == ["train/0:ebaa335cfac1f6f9"]
