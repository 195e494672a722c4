"""Rows that do not follow: which they are, and whether the formula depends on them."""

from typing import NamedTuple

import numpy as np
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
    more than a few rows are that far off, noise has heavy tails, and all follow.
    """
    expected = values_of(graph, rows.x)
    off = np.abs(rows.y - expected) * rows.root
    usual = float(np.median(off)) / _MEDIAN_OF_NORMAL
    if not np.isfinite(off).all() or not usual:
        return []
    n = len(off)
    most = max(by.wild, -float(ndtri(_BY_CHANCE / (2 * n))))
    wild = np.flatnonzero(off > most * usual)
    if len(wild) > by.most_wild * n or _is_tail(off / usual, most, len(wild)):
        return []
    return [
        Misfit(
            int(i), float(rows.y[i]), float(expected[i]), usual / float(rows.root[i])
        )
        for i in wild[np.argsort(-off[wild])]
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
