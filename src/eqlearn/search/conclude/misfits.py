"""Rows that do not follow: which they are, and whether the formula depends on them."""

from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from eqlearn._types import Array, Integers
from eqlearn.network.graph import Graph
from eqlearn.search.conclude.judged_rows import JudgedRows, high_quantile, values_of
from eqlearn.search.verdict_strategy import Judging
from eqlearn.training.levenberg import fit
from eqlearn.training.losses import (
    MEDIAN_OF_NORMAL,
    usual_distance,
    wild_from,
    wild_rows,
)


class Misfit(NamedTuple):
    """A row that does not follow the formula that the others do."""

    row: int  # its place among the rows looked at
    value: float
    expected: float
    error: float  # the usual distance, as a standard deviation


def misfits(graph: Graph, rows: JudgedRows, by: Judging) -> list[Misfit]:
    """Find the rows that are further off than noise is, the furthest first.

    The usual distance is told by the median, which the odd row does not move. Where
    rows half as far off are many, noise has heavy tails, and all follow.
    """
    expected = values_of(graph, rows.x)
    off = np.abs(rows.y - expected) * rows.root
    usual = usual_distance(off)
    if not np.isfinite(off).all() or not usual:
        return []
    is_far = wild_rows(off / usual, by.wild, by.most_wild)
    return _listed(np.flatnonzero(is_far), expected, np.full(len(off), usual), rows)


def misfits_among_neighbours(rows: JudgedRows, by: Judging) -> list[Misfit]:
    """Find the rows that are far from the median of their neighbours.

    Without a formula: one that bends to a wild value, or was not found because of it,
    does not give it away. Where the law is steep, neighbours differ among themselves.
    """
    spread = rows.x.std(axis=0)
    x = rows.x[:, spread > 0] / spread[spread > 0]
    n = by.n_neighbours + 1
    if not x.shape[1] or len(x) <= n:
        return []
    _, nearest = cKDTree(x).query(x, n)
    values = rows.y[nearest]
    expected: Array = np.median(values, axis=1)
    apart = np.median(np.abs(values - expected[:, None]), axis=1)
    off = np.abs(rows.y - expected)
    usual = np.maximum(apart, np.median(apart)) / MEDIAN_OF_NORMAL
    if not np.isfinite(off).all() or not usual.all():
        return []
    far = np.flatnonzero(off > wild_from(len(off), by.wild) * usual)
    few = len(far) <= by.most_wild * len(off)
    return _listed(far if few else far[:0], expected, usual, rows)


def _listed(
    far: Integers, expected: Array, usual: Array, rows: JudgedRows
) -> list[Misfit]:
    """These rows, those that are furthest off first."""
    off = np.abs(rows.y - expected) * rows.root
    with np.errstate(divide="ignore"):  # a row of no weight may be anywhere
        error = usual / rows.root
    return [
        Misfit(int(i), float(rows.y[i]), float(expected[i]), float(error[i]))
        for i in far[np.argsort(-off[far], kind="stable")]
    ]


def shift_without(
    graph: Graph, found: list[Misfit], rows: JudgedRows, by: Judging
) -> float:
    """How far the formula moves in the domain of use if it is fitted without them."""
    wild = [one.row for one in found]
    rest = np.setdiff1d(np.arange(len(rows.y)), wild)
    if not graph.n_parameters or len(rest) <= graph.n_parameters:
        return 0.0
    without = fit(graph, rows.taken(rest), n_iterations=by.n_iterations).graph
    there = rows.in_domain(graph)
    off = np.abs(values_of(without, rows.points) - there.values)
    return high_quantile(off) / there.spread
