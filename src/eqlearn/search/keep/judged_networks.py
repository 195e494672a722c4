"""Networks of a grid as training left them, judged as the paper does (section 4)."""

import math

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.refine.constants import constants
from eqlearn.jobs.codec import to_bytes
from eqlearn.jobs.job import Specification, Step
from eqlearn.network.canonical import compact
from eqlearn.network.graph import Graph
from eqlearn.network.instance import connected_units, thresholded
from eqlearn.search.attempts.grid_networks import for_output, network_of
from eqlearn.search.keep.final_fits import Candidate, criterion_of, has_pole_in_domain
from eqlearn.search.task import Task, numerical_context
from eqlearn.training.samples import samples


def judge_network(
    task: Task, specification: Specification, state: bytes | None
) -> Step:
    """Make a candidate of one output of a trained network."""
    del state
    with numerical_context(task):
        whole = network_of(task, specification)
        graph = for_output(task, whole, specification["output"])
        n_units, number = connected_units(whole), specification["number"]
        found = as_trained(task, graph, number=number, n_units=n_units)
    return Step(to_bytes(found.to_document()), True)


def as_trained(
    task: Task, network: Graph, *, number: int = 0, n_units: int | None = None
) -> Candidate:
    """Judge a network of one output on what its training has not seen.

    Its weights, the scale of its denominators among them, are what training left.
    `number` and `n_units` are of the network that the output is one of.
    """
    graph = compact(task.in_units(network))
    errors = constants(
        graph, samples(*_measured(task, slice(task.strategy.rows.prune)))
    )
    n, has_pole = len(task.x), has_pole_in_domain(task, graph)
    return Candidate(
        graph=graph,
        snapped=graph,
        constants=tuple(errors),
        bic=criterion_of(task, compact(network), 0)
        + task.strategy.pooling.pole_charge * has_pole,
        rms=_tested_rms(task, graph, 0, n),
        votes=1,
        has_pole=has_pole,
        validation=_tested_rms(task, graph, n - task.n_held_out, n),
        extrapolation=_tested_rms(task, graph, 0, task.n_far) if task.n_far else None,
        n_connected=connected_units(network) if n_units is None else n_units,
        network=number,
    )


def _measured(task: Task, rows: slice) -> tuple[Array, Array]:
    return task.x[rows] * task.x_scale, task.y[rows] * task.y_scale


def _tested_rms(task: Task, graph: Graph, start: int, stop: int) -> float:
    """Error of a network on some rows, which may be many."""
    total, n = 0.0, task.strategy.rows.prune
    for first in range(start, stop, n):
        x, y = _measured(task, slice(first, min(first + n, stop)))
        total += float(np.sum((thresholded(graph, x) - y) ** 2))
    value = math.sqrt(total / (stop - start)) if total >= 0 else math.inf
    return value if math.isfinite(value) else math.inf
