"""Which constants of a form all groups share: told by F tests, one after the other."""

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import fdtrc

from eqlearn._types import Array
from eqlearn.equation.refine.constants import fixed_at, most_likely_simple
from eqlearn.equation.refine.tactics import Tactics
from eqlearn.groups.group_settings import GroupSettings
from eqlearn.groups.grouped_fit import (
    GroupedFit,
    GroupedRows,
    fitted,
    squares_by_group,
    standard_errors,
)
from eqlearn.network.graph import Graph, sine_slots

#: Mean squared residual, of a target of unit size, that is mere rounding.
_ROUNDING = 1e-20


@dataclass(frozen=True, eq=False)
class Told:
    """A form with the constants that differ between groups, and its criterion."""

    fit: GroupedFit
    criterion: float


def everywhere(
    graph: Graph, start: Array, rows: GroupedRows, by: GroupSettings
) -> GroupedFit:
    """Fit all constants of a form in every group.

    Where a fit ends depends on where it begins: groups also begin where others ended.
    """
    everything = [True] * graph.n_parameters
    found = fitted(graph, everything, start, rows, by.n_steps)
    if not math.isfinite(found.sse):
        return found
    few = np.linspace(0, rows.n_groups - 1, min(rows.n_groups, by.n_starts)).astype(int)
    best, squares = found.values.copy(), squares_by_group(found, rows)
    for group in np.unique(few):
        same = np.repeat(found.values[:, group : group + 1], rows.n_groups, axis=1)
        theirs = squares_by_group(replace(found, values=same), rows)
        is_better = theirs < squares
        best[:, is_better] = same[:, is_better]
        squares = np.where(is_better, theirs, squares)
    if np.array_equal(best, found.values):
        return found
    again = fitted(graph, everything, best, rows, by.n_steps)
    return min(found, again, key=lambda one: one.sse)


def told_apart(whole: GroupedFit, rows: GroupedRows, by: GroupSettings) -> GroupedFit:
    """The form with as few constants of each group as the rows allow.

    From all constants in every group, those that tell least are shared first. Where
    that would be nearly as many as rows, all are shared and freed one by one.
    """
    n_each = [len(whole.varies) * rows.n_groups, len(rows.y)]
    if by.free_rows * n_each[0] <= n_each[1] and math.isfinite(whole.sse):
        return _shared_in_turn(whole, rows, by)
    none = [False] * len(whole.varies)
    pooled = fitted(whole.graph, none, whole.values, rows, by.n_steps)
    return _freed_in_turn(pooled, whole.values, rows, by)


def _shared_in_turn(
    found: GroupedFit, rows: GroupedRows, by: GroupSettings
) -> GroupedFit:
    while any(found.varies):
        tried = [
            _changed(found, p, found.values, rows, by)
            for p, varies in enumerate(found.varies)
            if varies
        ]
        best = max(tried, key=lambda one: chance_of_less(one, found, rows))
        if chance_of_less(best, found, rows) < by.unlikely:
            break
        found = best
    return found


def _freed_in_turn(
    found: GroupedFit, start: Array, rows: GroupedRows, by: GroupSettings
) -> GroupedFit:
    while not all(found.varies):
        tried = [
            _changed(found, p, np.where(np.isfinite(start), start, 1.0), rows, by)
            for p, varies in enumerate(found.varies)
            if not varies
        ]
        best = min(tried, key=lambda one: chance_of_less(found, one, rows))
        if not chance_of_less(found, best, rows) < by.unlikely:
            break
        found = best
    return found


def _changed(
    found: GroupedFit, p: int, start: Array, rows: GroupedRows, by: GroupSettings
) -> GroupedFit:
    """The form with one constant shared that was not, or the other way round."""
    varies = [one != (p == q) for q, one in enumerate(found.varies)]
    starts = [found.values]
    if varies[p]:
        begun = found.values.copy()
        begun[p] = start[p]
        starts.append(begun)
    tried = [fitted(found.graph, varies, one, rows, by.n_steps) for one in starts]
    return min(tried, key=lambda one: one.sse)


def chance_of_less(small: GroupedFit, large: GroupedFit, rows: GroupedRows) -> float:
    """The chance (F test) that a larger form gains as much if the smaller is true."""
    n, rounding = len(rows.y), _rounding(rows)
    more, free = large.n_constants - small.n_constants, n - large.n_constants
    if more <= 0 or free <= 0:
        return 1.0
    if not math.isfinite(small.sse):
        return 0.0
    left = large.sse + rounding
    ratio = max(small.sse - large.sse, 0.0) / more / (left / free)
    return float(fdtrc(more, free, ratio))


def _rounding(rows: GroupedRows) -> float:
    return _ROUNDING * float(np.sum((rows.root * rows.y) ** 2))


def judged(found: GroupedFit, rows: GroupedRows, tactics: Tactics) -> Told:
    """Attach the criterion: a constant of a group is told by the rows of this group."""
    n, criterion = len(rows.y), tactics.criterion
    left = n - found.n_constants
    if left <= 0 or not math.isfinite(found.sse):
        return Told(found, math.inf)
    for_looking = 2.0 * math.log(criterion.n_alternatives)
    own = float(np.sum(np.log(np.maximum(rows.counts, 2))))
    size = sum(
        for_looking + (own if varies else math.log(n)) for varies in found.varies
    )
    error = (found.sse + _rounding(rows)) / left
    return Told(found, n * math.log(error) + size + criterion.charge(found.graph))


def with_simple_constants(
    found: GroupedFit, rows: GroupedRows, tactics: Tactics, by: GroupSettings
) -> GroupedFit:
    """Set shared constants that are most likely simple (2, 1/3, π) to just that."""
    tried: set[tuple[int, int, float]] = set()
    while True:
        errors = standard_errors(found, rows)
        angles, options = sine_slots(found.graph), []
        for p, key in enumerate(found.graph.parameters()):
            if found.varies[p]:
                continue
            value, error = float(found.values[p, 0]), float(errors[p, 0])
            if not math.isfinite(error):
                continue
            in_sine = key[0] in angles
            odds, simple = most_likely_simple(value, error, in_sine, tactics.snapping)
            if odds > tactics.snapping.least_odds and (*key, simple) not in tried:
                options.append((odds, p, key, simple))
        if not options:
            return found
        _, p, key, simple = max(options)
        tried.add((*key, simple))
        graph = fixed_at(found.graph, key, simple)
        others = [q for q in range(len(found.varies)) if q != p]
        varies = [found.varies[q] for q in others]
        fixed = fitted(graph, varies, found.values[others], rows, by.n_steps)
        if chance_of_less(fixed, found, rows) >= by.unlikely:
            found = fixed
