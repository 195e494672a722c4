"""What a formula leaves: noise, which no other can explain, or part of a law.

What a formula misses of a law is alike at neighbouring points; noise is not.
"""

import math
from enum import Enum

import numpy as np
from scipy.spatial import cKDTree

from eqlearn.network.graph import Graph
from eqlearn.search.strategy import Residuals
from eqlearn.search.task import Task


class Left(Enum):
    """What the residuals of a formula are."""

    NOISE = "noise"
    UNCLEAR = "perhaps part of a law"
    STRUCTURE = "part of a law"
    UNKNOWN = "too few rows to tell"


def residual_structure(graph: Graph, task: Task) -> Left:
    """Tell what a formula leaves."""
    by = task.strategy.residuals
    n_rows = min(len(task.x) - task.n_far, by.most_rows)
    return (
        Left.UNKNOWN if n_rows < by.fewest_rows else _left(relatedness(graph, task), by)
    )


def _left(errors: float, by: Residuals) -> Left:
    if errors < by.noise:
        return Left.NOISE
    return Left.STRUCTURE if errors >= by.structure else Left.UNCLEAR


def relatedness(graph: Graph, task: Task) -> float:
    """The mean product of residuals of neighbours, in standard errors.

    About 0 for noise; infinite where the formula has no value.
    """
    by = task.strategy.residuals
    rows = slice(task.n_far, task.n_far + by.most_rows)
    x, y = task.x[rows], task.y[rows, 0]
    with np.errstate(all="ignore"):
        residual = graph.evaluate(x)[0][:, 0] - y
    if not np.isfinite(residual).all():
        return math.inf
    if task.weight is not None:
        residual *= np.sqrt(task.weight[rows])
    _, nearest = cKDTree(x).query(x, by.n_neighbours + 1)
    # Of rows with equal inputs any may come first; none is its own neighbour.
    others = np.where(nearest == np.arange(len(x))[:, None], 0.0, residual[nearest])
    products = residual * others.sum(axis=1)
    error = float(np.sqrt(np.sum(products**2)))
    return float(products.sum()) / error if error else 0.0
