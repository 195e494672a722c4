"""Rows that a search by another loss sees: told before there is any formula.

Wild values would mislead every stage, and a negative one rules out the logarithm of a
target. So rows that are unlike their neighbours are left out of the search. The final
fits have all rows again, and tell by their formulas which of them follow.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from eqlearn._types import Array, Booleans, Integers
from eqlearn.equation.refine.tactics import tuned
from eqlearn.network.graph import Graph
from eqlearn.search.one_thread import one_thread
from eqlearn.search.smooth.smooth_fits import (
    Polynomial,
    coordinate_systems,
    coordinates,
    degree_for,
)
from eqlearn.search.task import Task
from eqlearn.training.losses import (
    MEDIAN_OF_NORMAL,
    ROBUST,
    distances,
    relative_roots,
    usual_distance,
    wild_from,
)


@dataclass(frozen=True)
class Wildness:
    """Which rows a search by a robust loss leaves out before there is a formula."""

    usual: float = tuned(6.0, "usual distances from neighbours at which a row is wild")
    most: float = tuned(0.15, "share of the rows that may be; more are the law")
    n_neighbours: int = tuned(8, "rows that tell what a row should be")
    fewest_rows: int = tuned(20, "with fewer rows there are no neighbours to ask")
    lonely: float = tuned(
        6.0, "times the usual reach of its neighbours at which a row has none"
    )
    edge: float = tuned(0.05, "share of rows at an end of an input, not where most are")
    beyond: float = tuned(0.1, "of the range of most rows: an outer row lies further")
    most_outer: float = tuned(
        0.1, "share of the rows that may be; of more, the inputs have long tails"
    )
    foretold: float = tuned(
        4.0, "errors of a polynomial of the others within which an outer row follows"
    )
    sure: float = tuned(
        0.1, "spreads that these may be at most, or nothing is foretold"
    )
    terms_a_row: float = tuned(0.1, "terms of a polynomial that rows can afford")
    better: float = tuned(0.9, "share of what is left that a longer one must come to")
    n_rounds: int = tuned(6, "of leaving out, which settles after two or three")
    n_iterations: int = tuned(8, "of fits by the size of residuals")
    most_rows: int = tuned(1000, "rows that polynomials are fitted to")


STANDARD_WILDNESS = Wildness()
#: Of a system of columns of unit size: only keeps it regular.
_RIDGE = 1e-11


def as_searched(task: Task) -> Task:
    """The task as a search by its loss sees it, which goes by squares."""
    seen = replace(task, loss="squared")
    if task.loss in ROBUST:
        follows = follows_smoothly(task.x, task.y[:, 0])
        follows[: task.n_far] = True  # far points have no neighbours
        return seen.taken(follows)
    if task.loss == "relative":
        return replace(seen, weight=_relative_weight(task, task.y[:, 0]))
    return seen


def typical_rows(loss: str, x: Array, y: Array, most: int) -> Integers | None:
    """Rows that tell ranges and scales; None if all do, for only a robust loss asks.

    Of several targets (N, M), a row is typical that is so for one of them. Of many
    rows, so many tell, taken evenly.
    """
    if loss not in ROBUST:
        return None
    few = _evenly(len(x), most)
    followed = [follows_smoothly(x[few], column) for column in y[few].T]
    return few[np.any(followed, axis=0)]


def _evenly(n: int, most: int) -> Integers:
    return np.linspace(0, n - 1, min(n, most)).astype(int)


def as_judged(task: Task, pilot: Graph) -> Task:
    """The task as formulas are compared on: as the best of them, a pilot, tells.

    All candidates on the same rows, by the same weights, or their errors would not be
    comparable.
    """
    if task.loss == "squared":
        return task
    seen = replace(task, loss="squared")
    with np.errstate(all="ignore"):
        values = pilot.evaluate(task.x)[0][:, 0]
    if not np.isfinite(values).all():
        return as_searched(task)
    if task.loss in ROBUST:
        return seen.taken(distances(values, task.rows()).follows)
    return replace(seen, weight=_relative_weight(task, values))


def _relative_weight(task: Task, values: Array) -> Array:
    root = np.ones(len(values)) if task.weight is None else np.sqrt(task.weight)
    return np.square(relative_roots(values, root))


def follows_smoothly(x: Array, y: Array, by: Wildness = STANDARD_WILDNESS) -> Booleans:
    """Which rows of inputs (N, D) and a target (N,) are like their neighbours.

    What a robust polynomial leaves of a row is compared with what it leaves of the
    rows around: where a law is steep, these differ as well. Outer rows, to which any
    fit bends, must be foretold by the others.
    """
    return _told_rows(x, y, by).follows


def is_lone_and_odd(x: Array, y: Array, by: Wildness = STANDARD_WILDNESS) -> Booleans:
    """Which rows are not where most are, and not foretold by these."""
    told = _told_rows(x, y, by)
    return ~told.is_inner & ~told.follows


class _ToldRows(NamedTuple):
    """What is told of rows without a formula."""

    is_inner: Booleans  # (N,) whether they are where most are
    follows: Booleans  # (N,)


def _told_rows(x: Array, y: Array, by: Wildness) -> _ToldRows:
    x = x[:, np.ptp(x, axis=0) > 0]
    if len(y) <= max(by.n_neighbours + 1, by.fewest_rows) or not x.shape[1]:
        return _ToldRows(np.ones(len(y), bool), np.ones(len(y), bool))
    with one_thread(), np.errstate(all="ignore"):
        inner = _has_neighbours(x, by) & _lies_among_most(x, by)
        follows = inner.copy()
        follows[inner] = _like_neighbours(x[inner], y[inner], by)
        return _ToldRows(inner, follows | (~inner & _is_foretold(x, y, follows, by)))


def _like_neighbours(x: Array, y: Array, by: Wildness) -> Booleans:
    """Which rows follow, by what the others leave that follow: round after round."""
    kept = np.ones(len(y), bool)
    for _ in range(by.n_rounds):
        before, left = kept, y - _robust_smooth(x.T, y, kept, by).values
        kept = ~_unlike_neighbours(x, left, kept, by)
        if np.array_equal(kept, before):
            break
    return kept


def _lies_among_most(x: Array, by: Wildness) -> Booleans:
    """Rows whose inputs are where those of most rows are, by logarithms or as given.

    A swapped column or a wild input need not be far off to bend a fit to its row.
    """
    is_inner = _is_within(x, by)
    if _spans_decades(x, by):
        is_inner |= _is_within(np.log(np.maximum(x, 1e-300)), by) & (x > 0).all(axis=1)
    few = np.mean(~is_inner) <= by.most_outer
    return is_inner if few else np.ones(len(x), bool)


def _is_within(x: Array, by: Wildness) -> Booleans:
    """Rows that no input puts beyond most rows, and a margin."""
    within: Booleans = np.all([_is_in_range(c, by) for c in x.T], axis=0)
    return within


def _is_in_range(column: Array, by: Wildness) -> Booleans:
    """Which values are; of an input that is hardly ever another, of the others."""
    usual = np.median(column)
    ends = np.quantile(column, [by.edge, 1 - by.edge])
    is_usual = column == usual
    if np.all(ends == usual) and not is_usual.all():
        # One of a few values, so that none lies between two of them.
        ends = np.quantile(column[~is_usual], [by.edge, 1 - by.edge], method="lower")
    low, high = ends
    margin = by.beyond * (high - low)
    within = (column >= low - margin) & (column <= high + margin)
    return np.asarray(within | is_usual)


def _spans_decades(x: Array, by: Wildness) -> bool:
    """Whether inputs may be taken by their logarithms, a few odd rows aside."""
    return bool(np.all(np.quantile(x, by.most, axis=0) > 0))


def _has_neighbours(x: Array, by: Wildness) -> Booleans:
    """Rows that are not far from all others, as those of swapped columns are.

    By logarithms, too, where these exist: an input may span decades.
    """
    is_near = _is_dense(x, by)
    if _spans_decades(x, by):
        is_near |= _is_dense(np.log(np.maximum(x, 1e-300)), by) & (x > 0).all(axis=1)
    few = np.mean(~is_near) <= by.most
    return is_near if few else np.ones(len(x), bool)


def _is_dense(x: Array, by: Wildness) -> Booleans:
    """Rows whose neighbours are not many times further than those of most rows."""
    spread = np.subtract(*np.quantile(x, [0.75, 0.25], axis=0))
    if not spread.any():
        return np.ones(len(x), bool)
    x = x[:, spread > 0] / spread[spread > 0]
    distance, _ = cKDTree(x).query(x, by.n_neighbours + 1)
    reach: Array = distance[:, -1]
    return np.asarray(reach <= by.lonely * np.median(reach))


class _Smooth(NamedTuple):
    """A polynomial of some rows, at all of them."""

    terms: Array  # (N, T)
    values: Array  # (N,)
    left: float  # usual distance of its rows, by degrees of freedom


def _robust_smooth(x: Array, y: Array, kept: Booleans, by: Wildness) -> _Smooth:
    """The polynomial of inputs (D, N), of those of all degrees, that leaves least.

    By the size of residuals, which is less moved by wild values than their squares.
    """
    middle = np.full(len(y), np.median(y[kept]))
    best = _Smooth(np.ones((len(y), 1)), middle, usual_distance((y - middle)[kept]))
    few = _evenly(len(y), by.most_rows)
    for by_log in coordinate_systems(x):
        c = coordinates(x, by_log)
        for degree in range(1, degree_for(len(x), len(few), by.terms_a_row) + 1):
            terms = Polynomial(c, degree).values.T
            values = _least_sizes(terms, y, kept, few, by.n_iterations)
            n_free = max(len(few) - terms.shape[1], 1)
            left = usual_distance((y - values)[kept]) * len(few) / n_free
            if left < by.better * best.left:
                best = _Smooth(terms, values, left)
    return best


def _is_foretold(x: Array, y: Array, known: Booleans, by: Wildness) -> Booleans:
    """Rows that a polynomial of the known ones foretells, and surely."""
    if known.all():
        return known
    smooth = _robust_smooth(x.T, y, known, by)
    error = by.foretold * smooth.left * np.sqrt(_leverages(smooth.terms, known))
    usual = by.foretold * smooth.left
    is_near = np.abs(y - smooth.values) <= np.hypot(usual, error)
    is_sure = error <= by.sure * np.std(y[known])
    return np.asarray(is_near & is_sure)


def _leverages(terms: Array, known: Booleans) -> Array:
    """The variance of a fit at each row, in those of the noise of the known ones."""
    size = np.sqrt(np.mean(np.square(terms[known]), axis=0)) + 1e-300
    rows = terms / size
    gram = rows[known].T @ rows[known] + _RIDGE * known.sum() * np.eye(len(size))
    leverages: Array = np.einsum("ij,ji->i", rows, np.linalg.solve(gram, rows.T))
    return leverages


def _least_sizes(
    terms: Array, y: Array, kept: Booleans, few: Integers, n_iterations: int
) -> Array:
    """Fit a few rows by the size of residuals: squares, weighted again and again."""
    some, target, is_kept = terms[few], y[few], kept[few]
    weight = is_kept.astype(float)
    # Columns of the same size.
    size = np.sqrt(np.mean(np.square(some), axis=0)) + 1e-300
    ridge = _RIDGE * len(few) * np.eye(len(size))
    solved = np.zeros(len(size))
    for _ in range(n_iterations):
        rows = some / size
        gram = (rows * weight[:, None]).T @ rows + ridge
        solved = np.linalg.solve(gram, (rows * weight[:, None]).T @ target) / size
        off = np.abs(target - some @ solved)
        usual = usual_distance(off[is_kept]) + 1e-300
        weight = is_kept / np.maximum(off / usual, 0.1)
    values: Array = terms @ solved
    return values


def _unlike_neighbours(x: Array, left: Array, kept: Booleans, by: Wildness) -> Booleans:
    """Rows of which much more is left than of the kept ones around them."""
    around = left[_nearest_kept(x, kept, by.n_neighbours)]
    expected = np.median(around, axis=1)
    apart = np.median(np.abs(around - expected[:, None]), axis=1)
    usual = np.maximum(apart, np.median(apart)) / MEDIAN_OF_NORMAL
    far = np.abs(left - expected) > wild_from(len(left), by.usual) * usual
    few = far.mean() <= by.most
    return far if few else np.zeros(len(left), bool)


def _nearest_kept(x: Array, kept: Booleans, n: int) -> Integers:
    """The kept rows (N, n) that are nearest to each row, itself aside."""
    x = x[:, np.ptp(x[kept], axis=0) > 0]
    x = x / x.std(axis=0)
    places = np.flatnonzero(kept)
    _, nearest = cKDTree(x[kept]).query(x, n + 1)
    rows = places[nearest]
    is_own = rows == np.arange(len(x))[:, None]
    is_own[~is_own.any(axis=1), -1] = True  # of no own, the furthest is one too many
    others: Integers = rows[~is_own].reshape(len(x), n)
    return others
