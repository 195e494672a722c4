"""From a table to tasks: checked, merged, put in random order and scaled."""

from typing import NamedTuple

import numpy as np

from eqlearn._types import Array, Booleans, Integers, Numbers
from eqlearn.data.scale import domain_of_use, origins_of, scaling_of
from eqlearn.data.table import checked_domain, checked_samples, checked_weight
from eqlearn.errors import must
from eqlearn.knowledge.measuring.dimensionless import GroupSet, group_sets
from eqlearn.network.units import own_units
from eqlearn.search.related_rows import relation_before
from eqlearn.search.request import Request
from eqlearn.search.robust_rows import typical_rows
from eqlearn.search.streams import Stream, generator
from eqlearn.search.task import Task


class TableRows(NamedTuple):
    """Samples, and how much each counts."""

    x: Array  # (N, D)
    y: Array  # (N, M)
    weight: Array | None  # (N,)

    def taken(self, chosen: Integers | Booleans) -> "TableRows":
        """Some of the rows, in this order."""
        weight = None if self.weight is None else self.weight[chosen]
        return TableRows(self.x[chosen], self.y[chosen], weight)

    def with_more(self, x: Array, y: Array, *, in_front: bool = False) -> "TableRows":
        """The rows with others, of weight 1, behind them or in front."""

        def together(own: Array, more: Array) -> Array:
            return np.concatenate([more, own] if in_front else [own, more])

        weight = self.weight
        if not len(x):
            return self
        if weight is not None:
            weight = together(weight, np.ones(len(x)))
        return TableRows(together(self.x, x), together(self.y, y), weight)


def tasks_of(request: Request) -> list[Task]:
    """Check and scale the data; one task for each target.

    In the paper's recipe far points only select: the other rows, their order and the
    domain of use are as if there were none.
    """
    rows, selects = _checked(request), request.grid is not None
    crowding = [0.0] * rows.y.shape[1] if selects else _crowding(rows)
    x_far, y_far = _checked_far(request.far, rows)
    typical = _typical(rows, request)
    x_own = rows.x if typical is None else typical.x
    low, high = _domain(request.domain, x_own, x_far[:0] if selects else x_far)
    most = request.strategy.rows.far
    if not selects:
        rows = rows.with_more(x_far[most:], y_far[most:])
    x_far, y_far = x_far[:most], y_far[:most]
    order = generator(request.seed, Stream.ROW_ORDER).permutation(len(rows.x))
    rows = rows.taken(order)
    groups = _group_sets(request, rows.x)
    x_own, y_own, _ = rows if typical is None else typical
    # Products of powers are of inputs as they are measured.
    as_they_are = selects or any(groups)
    origins = np.zeros(rows.x.shape[1]) if as_they_are else origins_of(x_own)
    scales = scaling_of(x_own - origins if origins.any() else x_own, y_own)
    if len(x_far):
        # In front, so that no smaller selection of rows leaves them out.
        rows = rows.with_more(x_far, y_far, in_front=True)
    x = rows.x
    x -= origins  # by now it is a copy
    x /= scales.x
    return [
        Task(
            x,
            rows.y[:, m : m + 1] / y_scale,
            (low - origins) / scales.x,
            (high - origins) / scales.x,
            scales.x,
            float(y_scale),
            origins=tuple(origins.tolist()),
            n_far=len(x_far),
            seed=request.seed,
            weight=rows.weight,
            units=request.used_units,
            own_units=own_units(request.used_units),
            survey_units=request.survey_units,
            strategy=request.strategy,
            constraints=tuple((request.constraints or [()] * len(scales.y))[m]),
            group_sets=groups[m],
            crowding=crowding[m],
            loss=request.loss,
        )
        for m, y_scale in enumerate(scales.y)
    ]


def _group_sets(request: Request, x: Array) -> list[tuple[GroupSet, ...]]:
    """Dimensionless groups for each target; none if no dimensions are known."""
    known, n_targets = request.dimensions, request.y.shape[1]
    if known is None:
        return [()] * n_targets
    positive = (x.min(axis=0) > 0).tolist()
    return [tuple(group_sets(known, m, positive)) for m in range(n_targets)]


def _typical(rows: TableRows, request: Request) -> TableRows | None:
    """The rows that tell ranges and scales; None if all do."""
    few = typical_rows(request.loss, rows.x, rows.y, request.strategy.rows.prune)
    return None if few is None else rows.taken(few)


def _crowding(rows: TableRows) -> list[float]:
    """How rows in the order of the table crowd, for each target."""
    root = np.ones(len(rows.x)) if rows.weight is None else np.sqrt(rows.weight)
    return [
        relation_before(rows.x, column, root).crowding(len(rows.x))
        for column in rows.y.T
    ]


def _domain(domain: Numbers | None, x: Array, far: Array) -> tuple[Array, Array]:
    """The domain of use: unless given, the widened range of `x`, and `far` points."""
    if domain is not None:
        return checked_domain(domain, x.shape[1])
    return domain_of_use(x, far)


def _checked(request: Request) -> TableRows:
    """Rows that count, equal ones merged, with weights whose mean is 1."""
    rows = TableRows(*checked_samples(request.x, request.y), request.weight)
    if rows.weight is not None:
        weight = checked_weight(rows.weight, len(rows.x))
        rows = rows._replace(weight=weight).taken(weight > 0)
    if len(rows.x) <= request.strategy.rows.search:
        rows = _distinct(rows)
    if rows.weight is None:
        return rows
    # So that errors keep their unit.
    return rows._replace(weight=rows.weight / np.mean(rows.weight))


def _distinct(rows: TableRows) -> TableRows:
    """Merge equal rows of a small table: said twice, a thing is not known better.

    A formula with a parameter for every fourth row could retell them otherwise.
    """
    together = np.hstack([rows.x, rows.y])
    _, first, which = np.unique(
        together, axis=0, return_index=True, return_inverse=True
    )
    if len(first) == len(together):
        return rows
    total = np.bincount(which.ravel(), rows.weight).astype(float)
    order = np.argsort(first)
    first = first[order]
    return TableRows(rows.x[first], rows.y[first], total[order])


def _checked_far(
    far: tuple[Array, Array] | None, rows: TableRows
) -> tuple[Array, Array]:
    """The far points, none if none are given."""
    if far is None:
        return rows.x[:0], rows.y[:0]
    x_far, y_far = checked_samples(*far)
    n_inputs, n_targets = rows.x.shape[1], rows.y.shape[1]
    if (x_far.shape[1], y_far.shape[1]) != (n_inputs, n_targets):
        what = f"points with {n_inputs} inputs and {n_targets} targets"
        raise must("far", what, (x_far.shape[1], y_far.shape[1]))
    return x_far, y_far
