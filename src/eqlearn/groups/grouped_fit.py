"""One form fitted to all groups at once: shared constants, and some of each group."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eqlearn._types import Array, Integers
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
    columns, n_columns = _columns(varies, rows.n_groups)
    free = np.zeros(n_columns)
    for p, of_groups in enumerate(columns):
        free[of_groups] = start[p] if varies[p] else np.median(start[p])
    residual = _residual(graph, free[columns], rows)
    sse, damping = float(residual @ residual), 1e-3
    for _ in range(n_steps if n_columns else 0):
        if not np.isfinite(sse):
            break
        gram, slope = _normal(graph, free[columns], columns, n_columns, residual, rows)
        if not np.isfinite(gram).all():
            break
        before = sse
        for _ in range(8):
            step = _step(gram, slope, damping)
            tried = _residual(graph, (free + step)[columns], rows)
            error = float(tried @ tried)
            if error < sse:
                free, residual, sse = free + step, tried, error
                damping = max(damping / 5.0, 1e-12)
                break
            damping *= 6.0
        if not before - sse > _TOLERANCE * before:
            break
    return GroupedFit(graph, tuple(varies), free[columns], sse)


def standard_errors(found: GroupedFit, rows: GroupedRows) -> Array:
    """Standard errors (P, G) of the constants; infinite where nothing tells them."""
    columns, n = _columns(found.varies, rows.n_groups)
    if not n:
        return np.zeros(found.values.shape)
    residual = _residual(found.graph, found.values, rows)
    with np.errstate(all="ignore"):
        gram, _ = _normal(found.graph, found.values, columns, n, residual, rows)
    if not np.isfinite(gram).all():
        return np.full(found.values.shape, np.inf)
    variance = found.sse / max(len(rows.y) - n, 1)
    scale = np.sqrt(np.maximum(np.diag(gram), 1e-300))
    known = np.diag(np.linalg.pinv(gram / np.outer(scale, scale), rcond=1e-12))
    errors = np.sqrt(np.maximum(known, 0.0) * variance) / scale
    told = np.diag(gram) > 0
    return np.where(told, errors, np.inf)[columns]


def squares_by_group(found: GroupedFit, rows: GroupedRows) -> Array:
    """The squared error (G,) of each group."""
    residual = _residual(found.graph, found.values, rows)
    total = np.zeros(rows.n_groups)
    with np.errstate(all="ignore"):
        np.add.at(total, rows.labels, residual**2)
    return total


def _columns(varies: Sequence[bool], n_groups: int) -> tuple[Integers, int]:
    """The place (P, G) of each parameter of each group among all that are fitted."""
    rows, n = [], 0
    for is_own in varies:
        rows.append(np.arange(n, n + n_groups) if is_own else np.full(n_groups, n))
        n += n_groups if is_own else 1
    return np.array(rows, dtype=int).reshape(len(varies), n_groups), n


def _residual(graph: Graph, values: Array, rows: GroupedRows) -> Array:
    with np.errstate(all="ignore"):
        found = values_by_row(graph, values[:, rows.labels], rows.x)
        left: Array = (rows.y - found) * rows.root
    # What is no number is no fit either; squares of the largest still are numbers.
    return np.clip(left, -1e150, 1e150)


def _normal(
    graph: Graph,
    values: Array,
    columns: Integers,
    n_columns: int,
    residual: Array,
    rows: GroupedRows,
) -> tuple[Array, Array]:
    """The normal equations of all constants that are fitted."""
    jacobian = np.zeros((len(rows.y), n_columns))
    at = np.arange(len(rows.y))
    for p, of_groups in enumerate(columns):
        size = float(np.median(np.abs(values[p])))
        step = _STEP * max(size, _SMALLEST)
        ends = []
        for sign in (1.0, -1.0):
            moved = values.copy()
            moved[p] += sign * step
            ends.append(_residual(graph, moved, rows))
        slope = (ends[1] - ends[0]) / (2.0 * step)
        jacobian[at, of_groups[rows.labels]] = np.where(np.isfinite(slope), slope, 0.0)
    return jacobian.T @ jacobian, jacobian.T @ residual


def _step(gram: Array, slope: Array, damping: float) -> Array:
    diagonal = np.diag(gram)
    scale = np.sqrt(np.maximum(diagonal, 1e-300))
    # In units in which every constant matters as much as every other.
    scaled = gram / np.outer(scale, scale) + damping * np.eye(len(gram))
    step: Array = np.linalg.lstsq(scaled, slope / scale, rcond=None)[0] / scale
    return np.where(diagonal > 0, step, 0.0)
