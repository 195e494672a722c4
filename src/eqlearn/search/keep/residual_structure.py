"""What a formula leaves: noise, which no other can explain, or part of a law.

What a formula misses of a law is alike at neighbouring points; noise is not.
"""

import math

import numpy as np
from scipy.spatial import cKDTree

from eqlearn.network.graph import Graph
from eqlearn.search.task import Task

#: The fewest rows that say anything, and the most to look at.
FEWEST_ROWS = 2000
MOST_ROWS = 10_000
#: Neighbours of each row.
N_NEIGHBOURS = 2
#: Below this relatedness a remainder is taken for noise, above for part of a law.
NOISE = 2.0
STRUCTURE = 3.0


def relatedness(graph: Graph, task: Task) -> float:
    """The mean product of residuals of neighbours, in standard errors.

    About 0 for noise; infinite where the formula has no value; not a number if the rows
    are too few to tell.
    """
    rows = slice(task.n_far, task.n_far + MOST_ROWS)
    x, y = task.x[rows], task.y[rows, 0]
    if len(x) < FEWEST_ROWS:
        return math.nan
    with np.errstate(all="ignore"):
        residual = graph.evaluate(x)[0][:, 0] - y
    if not np.isfinite(residual).all():
        return math.inf
    if task.weight is not None:
        residual *= np.sqrt(task.weight[rows])
    _, nearest = cKDTree(x).query(x, N_NEIGHBOURS + 1)
    # Of rows with equal inputs any may come first; none is its own neighbour.
    others = np.where(nearest == np.arange(len(x))[:, None], 0.0, residual[nearest])
    products = residual * others.sum(axis=1)
    error = float(np.sqrt(np.sum(products**2)))
    return float(products.sum()) / error if error else 0.0
