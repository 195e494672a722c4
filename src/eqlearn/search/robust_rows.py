"""Rows that a search by another loss sees: told before there is any formula.

Wild values would mislead every stage, and a negative one rules out the logarithm of a
target. So rows that are unlike their neighbours are left out of the search. The final
fits have all rows again, and tell by their formulas which of them follow.
"""

from dataclasses import dataclass, replace

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
    far_out: float = tuned(
        0.5, "spreads from a polynomial of the others at which such a row may follow"
    )
    most_far_out: int = tuned(3, "degree of such a polynomial: higher ones run wild")
    terms_a_row: float = tuned(0.1, "terms of a polynomial that rows can afford")
    better: float = tuned(0.9, "share of what is left that a longer one must come to")
    n_rounds: int = tuned(2, "of leaving out: the first is made with the wild ones")
    n_iterations: int = tuned(8, "of fits by the size of residuals")
    most_rows: int = tuned(1000, "rows that polynomials are fitted to")


STANDARD_WILDNESS = Wildness()


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
    rows around: where a law is steep, these differ as well.
    """
    x = x[:, np.ptp(x, axis=0) > 0]
    if len(y) <= max(by.n_neighbours + 1, by.fewest_rows) or not x.shape[1]:
        return np.ones(len(y), bool)
    with one_thread(), np.errstate(all="ignore"):
        follows = _has_neighbours(x, by)
        among, target = x[follows], y[follows]
        kept = np.ones(len(target), bool)
        for _ in range(by.n_rounds):
            left = target - _robust_smooth(among.T, target, kept, by)
            kept = ~_unlike_neighbours(among, left, by)
        follows[follows] = kept
        return follows | _may_follow_far_out(x, y, follows, by)


def _has_neighbours(x: Array, by: Wildness) -> Booleans:
    """Rows that are not far from all others, as those of swapped columns are.

    By logarithms, too, where these exist: an input may span decades.
    """
    is_near = _is_dense(x, by)
    if np.all(np.quantile(x, by.most, axis=0) > 0):
        is_near |= _is_dense(np.log(np.maximum(x, 1e-300)), by) & (x > 0).all(axis=1)
    few = np.mean(~is_near) <= by.most
    return is_near if few else np.ones(len(x), bool)


def _is_dense(x: Array, by: Wildness) -> Booleans:
    """Rows whose neighbours are not many times further than those of most rows."""
    low, high = np.quantile(x, [0.25, 0.75], axis=0)
    spread = np.where(high > low, high - low, np.ptp(x, axis=0))
    distance, _ = cKDTree(x / spread).query(x / spread, by.n_neighbours + 1)
    reach: Array = distance[:, -1]
    return np.asarray(reach <= by.lonely * np.median(reach))


def _may_follow_far_out(
    x: Array, y: Array, follows: Booleans, by: Wildness
) -> Booleans:
    """Rows without neighbours to which some polynomial of the others comes near."""
    near: Booleans = np.zeros(len(y), bool)
    few = _evenly(len(y), by.most_rows)
    spread = float(np.std(y[follows]))
    lone = ~_has_neighbours(x, by)
    for degree in range(1, by.most_far_out + 1):
        terms = Polynomial(x.T, degree).values.T
        if lone.any() and terms.shape[1] < by.terms_a_row * len(few):
            values = _least_sizes(terms, y, follows, few, by.n_iterations)
            near |= np.abs(y - values) <= by.far_out * spread
    return lone & near


def _robust_smooth(x: Array, y: Array, kept: Booleans, by: Wildness) -> Array:
    """The values of the polynomial, of those of all degrees, that leaves least.

    By the size of residuals, which is less moved by wild values than their squares.
    """
    best: Array = np.full(len(y), np.median(y))
    least = usual_distance(y - best)
    few = _evenly(len(y), by.most_rows)
    for by_log in coordinate_systems(x):
        c = coordinates(x, by_log)
        for degree in range(1, degree_for(len(x), len(few), by.terms_a_row) + 1):
            terms = Polynomial(c, degree).values.T
            values = _least_sizes(terms, y, kept, few, by.n_iterations)
            n_free = max(len(few) - terms.shape[1], 1)
            left = usual_distance((y - values)[kept]) * len(few) / n_free
            if left < by.better * least:
                best, least = values, left
    return best


def _least_sizes(
    terms: Array, y: Array, kept: Booleans, few: Integers, n_iterations: int
) -> Array:
    """Fit a few rows by the size of residuals: squares, weighted again and again."""
    some, target, is_kept = terms[few], y[few], kept[few]
    weight = is_kept.astype(float)
    # Columns of the same size, and a ridge that only keeps the system regular.
    size = np.sqrt(np.mean(np.square(some), axis=0)) + 1e-300
    ridge = 1e-11 * len(few) * np.eye(len(size))
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


def _unlike_neighbours(x: Array, left: Array, by: Wildness) -> Booleans:
    """Rows of which much more is left than of their neighbours."""
    spread = x.std(axis=0)
    _, nearest = cKDTree(x / spread).query(x / spread, by.n_neighbours + 1)
    around = left[nearest]
    expected = np.median(around, axis=1)
    apart = np.median(np.abs(around - expected[:, None]), axis=1)
    usual = np.maximum(apart, np.median(apart)) / MEDIAN_OF_NORMAL
    far = np.abs(left - expected) > wild_from(len(left), by.usual) * usual
    few = far.mean() <= by.most
    return far if few else np.zeros(len(left), bool)
