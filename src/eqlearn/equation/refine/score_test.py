"""Adding what is missing: the score test for absent connections and products."""

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.refine.hill_climb import Proposal, Seen
from eqlearn.network.draft import Draft
from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.training.levenberg import PLAIN, Workspace


def added_terms(seen: Seen) -> Iterator[Proposal]:
    """Add the connections and products with the largest score-test statistic.

    For each candidate term the residual's gradient, with all present parameters
    projected out, tells how much the squared error would fall.
    """
    graph, samples = seen.graph, seen.samples
    work = Workspace(graph, samples)
    work.evaluate(work.parameters(), PLAIN)
    J, r = work.jacobian().copy(), work.r.ravel().copy()
    options = [*_absent_connections(graph), *_absent_products(graph)]
    rows = _derivatives(options, work)
    if not len(rows):
        return
    hessian = J @ J.T
    hessian[np.diag_indices_from(hessian)] *= 1.0 + 1e-9
    cross = rows @ J.T
    try:
        solved = np.linalg.solve(hessian, np.c_[cross.T, J @ r]) if len(J) else None
    except np.linalg.LinAlgError:
        return
    gradient, norm = rows @ r, np.einsum("ij,ij->i", rows, rows)
    left = norm.copy()
    if solved is not None:
        gradient = gradient - cross @ solved[:, -1]
        left = norm - np.einsum("ij,ji->i", cross, solved[:, :-1])
    usable = left > 1e-6 * norm
    gain = np.where(usable, gradient**2 / np.where(usable, left, 1.0), 0.0)
    for i in np.argsort(-gain)[: seen.tactics.waves.n_best]:
        if gain[i] > 0:
            step = -float(gradient[i] / left[i])
            yield Proposal("add", _with_term(graph, options[i], step), len(options))


#: An absent connection (slot, source) or product (slot, feature, feature).
Option: TypeAlias = tuple[int, ...]


def _absent_connections(graph: Graph) -> Iterator[Option]:
    first_unit = graph.n_inputs
    owners = [k for k, node in enumerate(graph.nodes) for _ in node.arguments]
    for slot, linear in enumerate(graph.slots()):
        is_output = slot >= len(owners)
        n_visible = graph.n_features if is_output else first_unit + owners[slot]
        for source in range(CONSTANT, n_visible):
            if source not in linear:
                yield slot, source


def _absent_products(graph: Graph) -> Iterator[Option]:
    first = graph.first_output_slot
    for o, (_, denominator) in enumerate(graph.outputs):
        parts = (0, 1) if denominator.keys() - {CONSTANT} else (0,)
        for part in parts:
            for i in range(graph.n_features):
                for j in range(i, graph.n_features):
                    yield first + 2 * o + part, i, j


def _derivatives(options: list[Option], work: Workspace) -> Array:
    """Derivative of the residuals by each absent term, one row each."""
    by_slot = work.by_slots()
    features = np.tile(work.values.features, (1, work.r.shape[0]))
    rows = np.empty((len(options), work.r.size))
    for row, (slot, *sources) in zip(rows, options, strict=True):
        row[:] = by_slot[slot]
        for source in sources:
            if source != CONSTANT:
                row *= features[source]
    return rows


def _with_term(graph: Graph, option: Option, step: float) -> Graph | None:
    slot, *sources = option
    draft = Draft(graph)
    linear = draft.slots()[slot]
    if len(sources) == 1:
        (source,) = sources
    else:
        source = draft.add("multiply", {sources[0]: 1.0}, {sources[1]: 1.0})
    linear[source] = linear.get(source, 0.0) + step
    return draft.freeze()
