"""Keys of jobs that depend on no result: another key makes a kept run begin anew.

Such a change is deliberate: a run directory of before is then of no use.
"""

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


def test_first_attempts_have_the_keys_they_had() -> None:
    x = np.linspace(1, 2, 30)[:, None]
    assert first_keys(FastPlan(target_of(task_of(x, 3 * x[:, 0]))), 2) == [
        "y1/attempt/0:fc8a97f2c2166ca3",
        "y1/attempt/1:ff16717714b2deef",
    ]


def test_trainings_of_the_paper_have_the_keys_they_had() -> None:
    plan = PaperPlan(Grid(l1=(1e-5, 1e-4), depths=(2,)), [], "all", 7)
    assert first_keys(plan, 2) == ["train/0:ebaa335cfac1f6f9"]
