"""Targets that solve a quadratic equation: y² = B(x) y + C(x), either of its roots.

Given the table this is a linear problem in the terms of B and C. A bound share, a level
next to another, a hyperbola between two limits are such laws.
"""

import math
from collections.abc import Iterator

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.refine.criterion import Scored
from eqlearn.equation.refine.prune import prune_in_stages
from eqlearn.network.canonical import canonical
from eqlearn.network.draft import Draft
from eqlearn.network.graph import CONSTANT, Graph, Linear
from eqlearn.search.attempts.input_views import View
from eqlearn.search.attempts.simple_powers import with_simple_powers
from eqlearn.search.task import Task
from eqlearn.training.levenberg import fit
from eqlearn.training.samples import Samples

# Errors of y count by how much they move y² - B y - C, which depends on B.
_N_TURNS = 6
_N_ITERATIONS = 30


def quadratics(view: View, task: Task) -> Iterator[Scored]:
    """The law whose equation is of first degree in B and of second in C, if it fits."""
    seen, data = view.of(task), task.search_rows()
    rows, by = seen.search_rows(), task.strategy.survey
    n = len(rows.x)
    if not np.isfinite(rows.x).all() or (n + 1) * (n + 4) / 2 > by.most_columns:
        return
    solved = _solved(rows)
    if solved is None:
        return
    half, square, sign = solved
    graph = canonical(view.composed(_root(half, square, sign, n), len(data.x)), data.x)
    start = fit(graph, data, n_iterations=_N_ITERATIONS)
    if math.isfinite(start.sse):
        found = prune_in_stages(start.graph, data, task.tactics)
        yield with_simple_powers(found, data, task.tactics)


def _solved(rows: Samples) -> tuple[Array, Array, float] | None:
    """Weights of the terms of B/2 and of B²/4 + C, and which root it is."""
    y, root = rows.y[0], rows.root_weight
    first = np.concatenate([np.ones((1, len(y))), rows.x])
    i, j = np.triu_indices(len(first))
    second = first[i] * first[j]
    columns = np.concatenate([first * y, second])
    weight, m = root, len(first)
    for _ in range(_N_TURNS):
        solved = np.linalg.lstsq((columns * weight).T, y**2 * weight, rcond=1e-12)[0]
        slope = 2 * y - solved[:m] @ first
        size = float(np.sqrt(np.mean(slope**2)))
        if not 0.0 < size < math.inf:
            return None
        weight = root / np.maximum(np.abs(slope), 0.05 * size)
    half = solved[:m] / 2
    # B²/4 has the same products of two terms as C, mixed ones twice.
    square = solved[m:] + half[i] * half[j] * np.where(i == j, 1.0, 2.0)
    return half, square, float(np.sign(np.median(slope))) or 1.0


def _root(half: Array, square: Array, sign: float, n: int) -> Graph:
    """B/2 ± √(B²/4 + C) as a formula of n variables."""
    draft = Draft(Graph(n, (), ()))
    sources = [CONSTANT, *range(n)]
    inside: dict[int, float] = {}
    i, j = np.triu_indices(n + 1)
    for a, b, weight in zip(i.tolist(), j.tolist(), square.tolist(), strict=True):
        if a == 0:
            inside[sources[b]] = weight
        else:
            pair: tuple[Linear, Linear] = ({sources[a]: 1.0}, {sources[b]: 1.0})
            inside[draft.add("multiply", *pair)] = weight
    total = dict(zip(sources, half.tolist(), strict=True))
    total[draft.add("sqrt", inside)] = sign
    draft.outputs.append((total, {CONSTANT: 1.0}))
    graph = draft.freeze()
    assert graph is not None
    return graph
