"""Rows that do not follow: which they are, and whether the formula depends on them."""

from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree
from scipy.special import ndtri

from eqlearn._types import Array
from eqlearn.network.graph import Graph
from eqlearn.search.conclude.judged_rows import JudgedRows, high_quantile, values_of
from eqlearn.search.strategy import Judging
from eqlearn.training.levenberg import fit

#: The median of absolute values that a normal distribution of unit spread has.
_MEDIAN_OF_NORMAL = 0.6745
#: Chance that any row at all of pure noise is taken for one that does not follow.
_BY_CHANCE = 1e-3


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
    usual = float(np.median(off)) / _MEDIAN_OF_NORMAL
    found = _wild(expected, off, np.full(len(off), usual), rows, by)
    return [] if _is_tail(off / (usual or 1.0), by.wild, len(found)) else found


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
    usual = np.maximum(apart, np.median(apart)) / _MEDIAN_OF_NORMAL
    return _wild(expected, off, usual, rows, by)


def _wild(
    expected: Array, off: Array, usual: Array, rows: JudgedRows, by: Judging
) -> list[Misfit]:
    """The rows whose distance is many times the usual one, if they are few."""
    n = len(off)
    if not np.isfinite(off).all() or not usual.all():
        return []
    most = max(by.wild, -float(ndtri(_BY_CHANCE / (2 * n))))
    far = np.flatnonzero(off > most * usual)
    if len(far) > by.most_wild * n:
        return []
    error = usual / rows.root
    return [
        Misfit(int(i), float(rows.y[i]), float(expected[i]), float(error[i]))
        for i in far[np.argsort(-off[far])]
    ]


def _is_tail(off: Array, most: float, n_wild: int) -> bool:
    """Whether rows half as far off are as many as the tail of one noise would have."""
    n_between = int(np.sum((off > most / 2) & (off <= most)))
    return n_between > 2 * n_wild


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
