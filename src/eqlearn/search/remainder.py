"""Whether a formula leaves only noise: then no other can explain more.

What a formula misses of a law is alike at neighbouring points; noise is not.
"""

import numpy as np
from scipy.spatial import cKDTree

from eqlearn.network.graph import Graph
from eqlearn.search.task import Task

#: Rows to look at, and the fewest that say anything: what is missing shows as a mean of
#: so many products of neighbours.
N_ROWS = 4000
FEWEST_ROWS = 2000
#: Neighbours of each row.
N_NEIGHBOURS = 2
#: Standard errors that the mean product of neighbours may be above 0 by chance.
BY_CHANCE = 2.0


def leaves_noise(graph: Graph, task: Task) -> bool:
    """Tell whether residuals of neighbours are unrelated; False if rows are too few."""
    rows = slice(task.n_far, task.n_far + N_ROWS)
    x, y = task.x[rows], task.y[rows, 0]
    if len(x) < FEWEST_ROWS:
        return False
    residual = graph.evaluate(x)[0][:, 0] - y
    if not np.isfinite(residual).all():
        return False
    if task.weight is not None:
        residual *= np.sqrt(task.weight[rows])
    _, neighbours = cKDTree(x).query(x, N_NEIGHBOURS + 1)
    products = residual * residual[neighbours[:, 1:]].sum(axis=1)
    return bool(products.sum() < BY_CHANCE * np.sqrt(np.sum(products**2)))
