"""One form fitted to all groups at once: shared constants, and some of each group."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eqlearn._types import Array, Integers
from eqlearn.groups.arrowhead import Arrowhead, arrowhead
from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.network.units import unit

#: Of a constant, or of the smallest that counts: how far it is moved for a slope.
_STEP, _SMALLEST = 1e-6, 1e-3
#: A fit ends where a step gains less than this share of the squared error.
_TOLERANCE = 1e-8


@dataclass(frozen=True, eq=False)
class GroupedRows:
    """Rows of one target, and the group of each."""

    x: Array  # (N, D)
    y: Array  # (N,)
    labels: Integers  # (N,) numbers of groups
    n_groups: int
    root: Array  # (N,) square roots of the rows' weights

    @cached_property
    def counts(self) -> Integers:
        """How many rows each group has."""
        return np.bincount(self.labels, minlength=self.n_groups)

    def of(self, group: int) -> "GroupedRows":
        """The rows of one group."""
        rows = self.labels == group
        none = np.zeros(int(rows.sum()), dtype=int)
        return GroupedRows(self.x[rows], self.y[rows], none, 1, self.root[rows])


@dataclass(frozen=True, eq=False)
class GroupedFit:
    """A form at its optimum: a value of each free parameter for each group."""

    graph: Graph
    varies: tuple[bool, ...]  # which of the parameters differ between groups
    values: Array  # (P, G); of one that is shared, the same everywhere
    sse: float

    @property
    def n_constants(self) -> int:
        """Numbers that were fitted, in all groups together."""
        n_groups = self.values.shape[1]
        return sum(n_groups if varies else 1 for varies in self.varies)


def values_by_row(graph: Graph, weights: Array, x: Array) -> Array:
    """A formula (N,) whose free parameters (P, N) have other values in every row."""
    slots: list[dict[int, Array | float]] = [dict(one) for one in graph.slots()]
    for (slot, source), value in zip(graph.parameters(), weights, strict=True):
        slots[slot][source] = value
    for (slot, source), (lead, ratio) in graph.ties.items():
        slots[slot][source] = ratio * slots[lead[0]][lead[1]]
    features: list[Array] = list(np.transpose(x))
    ones: Array = np.ones(len(x))

    def combine(linear: dict[int, Array | float]) -> Array:
        total: Array = ones * linear.get(CONSTANT, 0.0)
        for source, weight in linear.items():
            if source != CONSTANT:
                total = total + weight * features[source]
        return total

    pieces = iter(slots)
    for node in graph.nodes:
        arguments = [combine(next(pieces)) for _ in node.arguments]
        features.append(unit(node.unit)(np, *arguments))
    numerator, denominator = combine(next(pieces)), combine(next(pieces))
    found: Array = numerator / denominator
    return found


def fitted(
    graph: Graph,
    varies: Sequence[bool],
    start: Array,
    rows: GroupedRows,
    n_steps: int,
) -> GroupedFit:
    """Fit a form from constants (P, G), by Levenberg and Marquardt's method.

    Constants that are shared begin at the median of the groups.
    """
    # On the way to a fit anything may overflow; what does is no step forward.
    with np.errstate(all="ignore"):
        return _fitted(graph, varies, start, rows, n_steps)


def _fitted(
    graph: Graph,
    varies: Sequence[bool],
    start: Array,
    rows: GroupedRows,
    n_steps: int,
) -> GroupedFit:
    own = np.array(varies, dtype=bool)[:, None]
    values = np.where(own, start, np.median(start, axis=1, keepdims=True))
    residual = _residual(graph, values, rows)
    sse, damping = float(residual @ residual), 1e-3
    for _ in range(n_steps if len(varies) else 0):
        if not np.isfinite(sse):
            break
        system = _system(graph, values, varies, residual, rows)
        if not system.is_finite:
            break
        before = sse
        for _ in range(8):
            step = system.step(damping)
            tried = _residual(graph, values + step, rows)
            error = float(tried @ tried)
            if error < sse:
                values, residual, sse = values + step, tried, error
                damping = max(damping / 5.0, 1e-12)
                break
            damping *= 6.0
        if not before - sse > _TOLERANCE * before:
            break
    return GroupedFit(graph, tuple(varies), values, sse)


def standard_errors(found: GroupedFit, rows: GroupedRows) -> Array:
    """Standard errors (P, G) of the constants; infinite where nothing tells them."""
    if not len(found.varies):
        return np.zeros(found.values.shape)
    residual = _residual(found.graph, found.values, rows)
    with np.errstate(all="ignore"):
        system = _system(found.graph, found.values, found.varies, residual, rows)
    if not system.is_finite:
        return np.full(found.values.shape, np.inf)
    variance = found.sse / max(len(rows.y) - found.n_constants, 1)
    return system.errors(variance)


def squares_by_group(found: GroupedFit, rows: GroupedRows) -> Array:
    """The squared error (G,) of each group."""
    residual = _residual(found.graph, found.values, rows)
    total = np.zeros(rows.n_groups)
    with np.errstate(all="ignore"):
        np.add.at(total, rows.labels, residual**2)
    return total


def _residual(graph: Graph, values: Array, rows: GroupedRows) -> Array:
    with np.errstate(all="ignore"):
        found = values_by_row(graph, values[:, rows.labels], rows.x)
        left: Array = (rows.y - found) * rows.root
    # What is no number is no fit either; squares of the largest still are numbers.
    return np.clip(left, -1e150, 1e150)


def _system(
    graph: Graph,
    values: Array,
    varies: Sequence[bool],
    residual: Array,
    rows: GroupedRows,
) -> Arrowhead:
    """The normal equations of all constants that are fitted."""
    slopes = np.empty((len(values), len(rows.y)))
    for p, constants in enumerate(values):
        size = float(np.median(np.abs(constants)))
        step = _STEP * max(size, _SMALLEST)
        ends = []
        for sign in (1.0, -1.0):
            moved = values.copy()
            moved[p] += sign * step
            ends.append(_residual(graph, moved, rows))
        slope = (ends[1] - ends[0]) / (2.0 * step)
        slopes[p] = np.where(np.isfinite(slope), slope, 0.0)
    return arrowhead(slopes, residual, varies, rows.labels, rows.n_groups)
