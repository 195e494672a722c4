"""What a formula leaves: noise, which no other can explain, or part of a law.

What a formula misses of a law is alike at neighbouring points; noise is not. In a small
table neighbours are far apart: there polynomials and waves must not explain any of it.
"""

import math
from enum import Enum

import numpy as np

from eqlearn.network.graph import Graph
from eqlearn.search.enough.structure_tests import (
    Remains,
    most_striking,
    relatedness_of,
    seen_inputs,
    structure_tests,
)
from eqlearn.search.task import Task
from eqlearn.search.verdict_strategy import Residuals


class Left(Enum):
    """What the residuals of a formula are."""

    NOISE = "noise"
    UNCLEAR = "perhaps part of a law"
    STRUCTURE = "part of a law"
    UNKNOWN = "too few rows to tell"


def residual_structure(graph: Graph, task: Task) -> Left:
    """Tell what a formula leaves."""
    by = task.strategy.residuals
    if task.crowding:
        # So few of these, which are in random order, are hardly related.
        n = task.tactics.criterion.n_counted(len(task.x))
        task = task.first(max(round(n), by.fewest_of_all + task.n_far))
    n_rows = len(task.x) - task.n_far
    if n_rows < by.fewest_of_all:
        return Left.UNKNOWN
    chance = chance_of_structure(graph, task)
    by_chance = _by_chance(chance, by)
    if n_rows < by.fewest_rows or by_chance is Left.STRUCTURE:
        return by_chance
    return _by_errors(relatedness(graph, task), by)


def chance_of_structure(graph: Graph, task: Task) -> float:
    """How likely residuals that are noise would show as much structure as these do.

    0 where the formula has no value.
    """
    left = remains_of(graph, task)
    if not np.isfinite(left.residual).all():
        return 0.0
    tests = structure_tests(left, task.strategy.residuals)
    return most_striking(tests).chance if tests else 1.0


def relatedness(graph: Graph, task: Task) -> float:
    """The mean product of residuals of neighbours, in standard errors.

    About 0 for noise; infinite where the formula has no value.
    """
    by = task.strategy.residuals
    left = remains_of(graph, task).first(by.most_rows)
    if not np.isfinite(left.residual).all():
        return math.inf
    x, residual = left.x, left.weighted
    if x.shape[1] > by.most_for_neighbours:
        # Other rows choose the inputs than are judged: chosen ones would show noise.
        chosen = list(seen_inputs(left.every_other(), by))
        x, residual = x[1::2, chosen], residual[1::2]
    return relatedness_of(x, residual, by.n_neighbours)


def remains_of(graph: Graph, task: Task) -> Remains:
    """What a formula leaves of the rows of a task that are no far points."""
    rows = slice(task.n_far, None)
    x, y = task.x[rows], task.y[rows, 0]
    with np.errstate(all="ignore"):
        residual = y - graph.evaluate(x)[0][:, 0]
    root = np.ones(len(y)) if task.weight is None else np.sqrt(task.weight[rows])
    return Remains(x, residual, root, graph.n_parameters, graph.used_inputs)


def _by_chance(chance: float, by: Residuals) -> Left:
    if chance > by.likely:
        return Left.NOISE
    return Left.STRUCTURE if chance < by.unlikely else Left.UNCLEAR


def _by_errors(errors: float, by: Residuals) -> Left:
    if errors < by.noise:
        return Left.NOISE
    return Left.STRUCTURE if errors >= by.structure else Left.UNCLEAR
