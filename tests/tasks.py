"""Tasks that tests share: tables in a form that the search takes."""

import numpy as np

from eqlearn._types import Array
from eqlearn.search.keep.pool import Pool, mean_formula
from eqlearn.search.keep.target import Target
from eqlearn.search.task import Task


def task_of(x: Array, y: Array) -> Task:
    """A table as it is, to be used half a unit beyond its range."""
    d = x.shape[1]
    return Task(x, y[:, None], x.min(0) - 0.5, x.max(0) + 0.5, np.ones(d))


def target_of(task: Task) -> Target:
    """A target for which nothing but the mean was found yet."""
    pool = Pool(task)
    pool.add(mean_formula(task, task.search_rows()))
    return Target(0, pool, "0", False)
