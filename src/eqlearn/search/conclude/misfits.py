"""Rows that do not follow: which they are, and whether the formula depends on them."""

from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.spatial import cKDTree

from eqlearn._types import Array, Booleans, Integers
from eqlearn.equation.refine.constants import covariance
from eqlearn.model.prediction import variance_by_constants
from eqlearn.network.graph import Graph
from eqlearn.search.conclude.judged_rows import JudgedRows, high_quantile, values_of
from eqlearn.search.robust_rows import is_lone_and_odd
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


def lone_misfits(graph: Graph, rows: JudgedRows, by: Judging) -> list[Misfit]:
    """Find rows that an input puts far from all others, which do not foretell them.

    By no formula: what is expected and its error are those of the one that is judged.
    """
    is_alone = np.any([_is_alone(column, by.alone) for column in rows.x.T], axis=0)
    expected = values_of(graph, rows.x)
    off = np.abs(rows.y - expected) * rows.root
    usual = usual_distance(off)
    if not is_alone.any() or not np.isfinite(off).all() or not usual:
        return []
    lone = np.flatnonzero(is_alone & is_lone_and_odd(rows.x, rows.y))
    return _listed(lone, expected, np.full(len(off), usual), rows)


def _is_alone(column: Array, ranges: float) -> Booleans:
    """Which values a gap parts from most, by logarithms either, where there are any."""
    scales = [column, np.log(column)] if column.min() > 0 else [column]
    gaps = [_gap(values) for values in scales]
    return np.asarray(np.min(gaps, axis=0) >= ranges)


def _gap(values: Array) -> Array:
    """The widest gap (N,) on the way to the middle, in ranges of nine in ten values."""
    low, high = np.quantile(values, [0.05, 0.95])
    if low == high:
        return np.zeros(len(values))
    order, middle = np.argsort(values, kind="stable"), len(values) // 2
    steps = np.diff(values[order]) / (high - low)
    below = np.maximum.accumulate(steps[:middle][::-1])[::-1]
    above = np.maximum.accumulate(steps[middle:])
    gap: Array = np.empty(len(values))
    gap[order] = np.r_[below, 0.0, above]
    return gap


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


def off_for_their_place(
    graph: Graph, found: list[Misfit], rows: JudgedRows, by: Judging
) -> list[Misfit]:
    """Those that are off among rows of about their value, and of their inputs, too.

    Where noise is larger in some places than in others, rows there are no wild ones.
    """
    if not found:
        return found
    expected = values_of(graph, rows.x)
    off = np.abs(rows.y - expected) * rows.root
    alongs = (expected, *(rows.x[:, i] for i in sorted(graph.used_inputs)))
    usual = np.max([_usual_along(off, along, by.n_alike) for along in alongs], axis=0)
    is_far = off > wild_from(len(off), by.wild) * usual
    return [one for one in found if is_far[one.row]]


def _usual_along(off: Array, along: Array, n_alike: int) -> Array:
    """The usual distance (N,) among so many rows that are nearest along a column."""
    n = min(n_alike, len(off))
    order = np.argsort(along, kind="stable")
    nearby = np.median(sliding_window_view(off[order], n), axis=1) / MEDIAN_OF_NORMAL
    first = np.clip(np.arange(len(off)) - n // 2, 0, len(off) - n)
    usual: Array = np.empty(len(off))
    usual[order] = nearby[first]
    return usual


def not_foretold(
    graph: Graph, found: list[Misfit], rows: JudgedRows, by: Judging
) -> list[Misfit]:
    """Those of the rows that the formula misses, too, if it is fitted without them.

    Where the law is steep, or rows are far apart, neighbours differ. A value that the
    other rows foretell is not wild, and one that a formula bends to is not foretold.
    """
    if not found:
        return found
    without, rest = _fitted_without(graph, found, rows, by)
    off = np.abs(rows.y - values_of(without, rows.x)) * rows.root
    usual, least = usual_distance(off[rest]), wild_from(len(off), by.wild)
    known = covariance(without, rows.taken(rest))
    places = rows.x[[one.row for one in found]]
    errors = np.sqrt(variance_by_constants(without, known, places))

    def is_missed(one: Misfit, error: float) -> bool:
        # What a bad formula usually leaves says nothing.
        root = rows.root[one.row]
        closest, unknown = min(usual, one.error * root), error * root
        if unknown > max(closest, by.told * root * abs(one.value - one.expected)):
            return True  # the others foretell next to nothing
        return bool(off[one.row] > least * np.hypot(closest, unknown))

    return [
        one for one, error in zip(found, errors, strict=True) if is_missed(one, error)
    ]


def shift_without(
    graph: Graph, found: list[Misfit], rows: JudgedRows, by: Judging
) -> float:
    """How far the formula moves in the domain of use if it is fitted without them."""
    without, _ = _fitted_without(graph, found, rows, by)
    if without is graph:
        return 0.0
    there = rows.in_domain(graph)
    off = np.abs(values_of(without, rows.points) - there.values)
    return high_quantile(off) / there.spread


def _fitted_without(
    graph: Graph, found: list[Misfit], rows: JudgedRows, by: Judging
) -> tuple[Graph, Integers]:
    """The formula fitted to the other rows, and which these are; itself if too few."""
    rest = np.setdiff1d(np.arange(len(rows.y)), [one.row for one in found])
    if not graph.n_parameters or len(rest) <= graph.n_parameters:
        return graph, rest
    return fit(graph, rows.taken(rest), n_iterations=by.n_iterations).graph, rest
