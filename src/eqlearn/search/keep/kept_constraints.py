"""Constraints in a search: which a formula breaks, and how it may be mended."""

from collections.abc import Sequence

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.prove.extremes import spread
from eqlearn.equation.refine.criterion import Scored, score
from eqlearn.knowledge.constraining.constraint_checks import Breach, breach, n_breached
from eqlearn.knowledge.constraining.constraints import Constraint
from eqlearn.network.canonical import canonical
from eqlearn.network.graph import Graph
from eqlearn.search.task import Task
from eqlearn.training.levenberg import fit
from eqlearn.training.samples import Samples

#: Places where a formula is held if it must have a value for all other inputs.
_N_ANCHORS = 8


def n_broken(graph: Graph, task: Task) -> int:
    """How many constraints a formula of the scaled data breaks, seen at points."""
    return len(_breaches(graph, task))


def n_broken_in_units(graph: Graph, task: Task) -> int:
    """The same of a formula in the units of the data."""
    low, high = task.in_data_points(task.low), task.in_data_points(task.high)

    def values_at(points: Array) -> Array:
        return graph.evaluate(points)[0][:, 0]

    return n_breached(task.constraints, values_at, low, high)


def _breaches(graph: Graph, task: Task) -> list[Breach]:
    if not task.constraints:
        return []
    low, high = task.in_data_points(task.low), task.in_data_points(task.high)
    origins = np.array(task.origins) if task.origins else 0.0

    def values_at(points: Array) -> Array:
        scaled = (points - origins) / task.x_scale
        return graph.evaluate(scaled)[0][:, 0] * task.y_scale

    found = (breach(one, values_at, low, high) for one in task.constraints)
    return [one for one in found if one is not None]


def anchored(data: Samples, task: Task, *, in_units: bool) -> Samples:
    """The rows with places that a formula must go through, which count for very much.

    In the units of the data, or scaled as the rows of the task are.
    """
    places = [_anchors(one, task) for one in task.constraints if one.kind == "value"]
    if not places:
        return data
    x = np.concatenate([points for points, _ in places])
    y = np.concatenate([values for _, values in places])
    if not in_units:
        origins = np.array(task.origins) if task.origins else 0.0
        x, y = (x - origins) / task.x_scale, y / task.y_scale
    n = data.n_labelled
    weight = task.strategy.pooling.anchor_weight * n
    total = float(np.sum(data.root_weight**2))
    return data._replace(
        x=np.ascontiguousarray(np.hstack([data.x[:, :n], x.T, data.x[:, n:]])),
        y=np.ascontiguousarray(np.hstack([data.y, y[None]])),
        root_weight=np.r_[
            data.root_weight, np.full(len(x), np.sqrt(weight * total / n))
        ],
    )


def _anchors(constraint: Constraint, task: Task) -> tuple[Array, Array]:
    ends = task.in_data_points(task.low), task.in_data_points(task.high)
    points = spread(*constraint.box(*ends), _N_ANCHORS)
    return points, np.full(len(points), constraint.value)


def mended(found: Scored, task: Task, data: Samples) -> Scored | None:
    """A formula that breaks less: held at known places, then without some terms.

    None if every step leaves as much broken as before. Terms go one by one, each time
    the one without which least is broken, and of equal ones the least is lost.
    """
    by = task.strategy.pooling
    held = anchored(data, task, in_units=False)
    best, least = found, _amount(found.graph, task)
    options = [_refitted(found.graph, held, data, task)] if held is not data else []
    for _ in range(by.most_dropped):
        if best.graph.n_parameters <= by.most_mended:
            options += _shorter(best.graph, held, data, task)
        tried = [(*_amount(o.graph, task), o.bic, k) for k, o in enumerate(options)]
        better = [entry for entry in tried if entry[:2] < least]
        if not better:
            break
        n, amount, _, k = min(better)
        best, least, options = options[k], (n, amount), []
        if not n:
            break
    return None if best is found else best


def _shorter(graph: Graph, held: Samples, data: Samples, task: Task) -> list[Scored]:
    """The formula without each of its parameters, fitted anew."""
    shorter = [canonical(graph.without({key}), data.x) for key in graph.parameters()]
    return [_refitted(one, held, data, task) for one in shorter if not one.is_empty]


def _refitted(graph: Graph, held: Samples, data: Samples, task: Task) -> Scored:
    """A formula fitted to the rows and places, and judged by the rows alone."""
    fitted = fit(graph, held, n_iterations=task.strategy.finals.n_iterations)
    sse = fit(fitted.graph, data, n_iterations=0).sse
    return score(fitted.graph, sse, data, task.tactics)


def _amount(graph: Graph, task: Task) -> tuple[int, float]:
    """How many constraints are broken, and by how much at most."""
    breaches: Sequence[Breach] = _breaches(graph, task)
    return len(breaches), max((one.amount for one in breaches), default=0.0)
