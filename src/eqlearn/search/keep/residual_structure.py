"""What a formula leaves: noise, which no other can explain, or part of a law.

What a formula misses of a law is alike at neighbouring points; noise is not. In a small
table neighbours are far apart: there polynomials and waves must not explain any of it.
"""

import math
from collections.abc import Iterator
from enum import Enum

import numpy as np
from scipy.spatial import cKDTree
from scipy.special import fdtrc

from eqlearn._types import Array
from eqlearn.network.graph import Graph
from eqlearn.search.smooth_fits import Smooth, degree_for
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
    if n_rows >= by.fewest_rows:
        return _left(relatedness(graph, task), by)
    if n_rows < by.fewest_of_all:
        return Left.UNKNOWN
    chance = chance_of_structure(graph, task)
    if chance > by.likely:
        return Left.NOISE
    return Left.STRUCTURE if chance < by.unlikely else Left.UNCLEAR


def chance_of_structure(graph: Graph, task: Task) -> float:
    """How likely residuals that are noise would show as much structure as these do.

    0 where the formula has no value.
    """
    rows = slice(task.n_far, None)
    x, y = task.x[rows].T, task.y[rows, 0]
    with np.errstate(all="ignore"):
        residual = y - graph.evaluate(task.x[rows])[0][:, 0]
    if not np.isfinite(residual).all():
        return 0.0
    root = np.ones(len(y)) if task.weight is None else np.sqrt(task.weight[rows])
    seen = _seen_inputs(x, residual * root, graph, task.strategy.residuals)
    n_parameters = graph.n_parameters
    chances = [
        *_smooth_chances(x[seen], residual, root, n_parameters),
        *(_wave_chance(x[i], residual * root, n_parameters) for i in seen),
    ]
    # As many tests as were made: one of them is bound to be the most striking.
    return min(1.0, len(chances) * min(chances))


def _seen_inputs(x: Array, left: Array, graph: Graph, by: Residuals) -> list[int]:
    """The inputs of the formula, and those that what it leaves goes along with."""
    spread = x.std(axis=1) + 1e-300
    alike = np.abs((x - x.mean(axis=1, keepdims=True)) @ left) / spread
    used = graph.used_inputs
    order = sorted(range(len(x)), key=lambda i: (i not in used, -alike[i]))
    return order[: by.most_inputs]


def _smooth_chances(
    x: Array, residual: Array, root: Array, n_parameters: int
) -> Iterator[float]:
    """F-tests of what polynomials of several degrees explain of residuals."""
    total, n = float(np.sum((residual * root) ** 2)), len(residual)
    highest = degree_for(len(x), n, 1 / 6)
    for degree in range(1, highest + 1):
        smooth = Smooth.of(x, residual, root, degree)
        n_terms = len(smooth.polynomial.terms)
        n_free = n - n_terms
        if n_free < n_terms:
            return
        left = smooth.left * max(n_free, 1)
        # The parameters of the formula have explained their share before.
        n_new = max(n_terms - n_parameters, 1)
        ratio = (total - left) / n_new / (left / n_free + 1e-300)
        yield float(fdtrc(n_new, n_free, max(ratio, 0.0)))


def _wave_chance(x: Array, left: Array, n_parameters: int) -> float:
    """How likely noise would have a wave along an input that explains as much."""
    n, spread = len(x), float(np.ptp(x))
    if spread == 0.0:
        return 1.0
    frequencies = 2.0 * math.pi / spread * np.arange(1, n)
    angle = np.outer(frequencies, x - x.min())
    cos, sin = np.cos(angle), np.sin(angle)
    both = np.stack([cos @ left, sin @ left], axis=1)
    cc, ss = np.sum(cos * cos, axis=1), np.sum(sin * sin, axis=1)
    cs = np.sum(cos * sin, axis=1)
    determinant = np.maximum(cc * ss - cs * cs, 1e-9 * n * n)
    a, b = both[:, 0], both[:, 1]
    won = (ss * a * a - 2 * cs * a * b + cc * b * b) / determinant
    total = float(left @ left)
    n_free = max(n - 2 - n_parameters, 1)
    ratio = float(won.max()) / 2 / (max(total - float(won.max()), 1e-300) / n_free)
    one = float(fdtrc(2, n_free, ratio))
    return -math.expm1(len(frequencies) * math.log1p(-min(one, 1.0 - 1e-16)))


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
    if x.shape[1] > by.most_for_neighbours:
        # Other rows choose the inputs than are judged: chosen ones would show noise.
        seen = _seen_inputs(x[::2].T, residual[::2], graph, by)
        x, residual = x[1::2, seen], residual[1::2]
    _, nearest = cKDTree(x).query(x, by.n_neighbours + 1)
    # Of rows with equal inputs any may come first; none is its own neighbour.
    others = np.where(nearest == np.arange(len(x))[:, None], 0.0, residual[nearest])
    products = residual * others.sum(axis=1)
    error = float(np.sqrt(np.sum(products**2)))
    return float(products.sum()) / error if error else 0.0
