"""Whether a target goes along with its inputs at all, by the simplest formulas only.

Among a million formulas some explain a little of noise, and the mean has a head start
over all of them. Of formulas as simple as a line there are few, so that far less says
that there is something to find; which formula it is, the criterion tells.
"""

from collections.abc import Iterator

import numpy as np
from scipy.special import fdtrc

from eqlearn._types import Array
from eqlearn.search.enough.structure_tests import normal_scores
from eqlearn.search.strategy import Pooling
from eqlearn.search.task import Task


def is_dependent(task: Task) -> bool:
    """Whether noise would hardly go along with one of the simplest formulas as much."""
    return chance_of_dependence(task) < task.strategy.pooling.dependent


def chance_of_dependence(task: Task) -> float:
    """How likely noise goes along as much as the target with the closest of them.

    By F tests of a line in x, x², 1/x, x z or x/z, as many as there are. The target is
    taken by its ranks: neither a heavy tail nor a far point of an input decides then.
    """
    near = task.near().first(task.strategy.rows.search)
    n, root = len(near.x), _roots(near)
    n_free = near.tactics.criterion.n_counted(n) - 2
    if n_free <= 0 or not np.ptp(near.y):
        return 1.0
    level = np.average(near.y[:, 0], weights=root**2)
    target = _beside_level(normal_scores((near.y[:, 0] - level) * root), root)
    # As the rows are given, x - 1990 and x are different inputs.
    x = near.in_data_points(near.x)
    n_tried, closest = 0, 0.0
    for feature in _simplest(x.T, task.strategy.pooling):
        n_tried += 1
        closest = max(closest, _likeness(_beside_level(feature * root, root), target))
    ratio = closest * n_free / max(1.0 - closest, 1e-300)
    return min(1.0, n_tried * float(fdtrc(1, n_free, ratio)))


def _roots(task: Task) -> Array:
    ones: Array = np.ones(len(task.x))
    return ones if task.weight is None else np.sqrt(task.weight)


def _simplest(columns: Array, by: Pooling) -> Iterator[Array]:
    """The features x, x² and 1/x of all inputs (D, N); of few inputs x z and x/z."""
    moving = [column for column in columns if np.ptp(column) > 0]
    below = [1.0 / column if column.all() else None for column in moving]
    for column, inverse in zip(moving, below, strict=True):
        yield from (column, column**2)
        if inverse is not None:
            yield inverse
    if len(moving) > by.most_paired:
        return
    for i, column in enumerate(moving):
        for j, inverse in enumerate(below):
            if j > i:
                yield column * moving[j]
            if j != i and inverse is not None:
                yield column * inverse


def _beside_level(values: Array, root: Array) -> Array:
    """What a constant leaves of values."""
    left: Array = values - root * (root @ values) / (root @ root)
    return left


def _likeness(one: Array, other: Array) -> float:
    """The square of their correlation; 0 where there is none."""
    sizes = float(one @ one) * float(other @ other)
    return float(one @ other) ** 2 / sizes if 0 < sizes < np.inf else 0.0
