"""From a form with formulas in it to candidates: fitted, pruned, snapped, judged."""

import math
from collections.abc import Sequence

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.prove.domain import domain_report
from eqlearn.equation.refine.constants import constants, fixed_at, snap_and_judge
from eqlearn.equation.refine.criterion import Scored, refit
from eqlearn.equation.refine.tactics import STANDARD as TACTICS
from eqlearn.equation.refine.tactics import Tactics
from eqlearn.knowledge.constraining.constraint_checks import n_breached
from eqlearn.knowledge.constraining.constraints import Constraint
from eqlearn.known_form.composed_fit import Composed, FormRows, Inner
from eqlearn.known_form.form_graph import FormGraph, form_graph
from eqlearn.network.graph import Connection, Graph
from eqlearn.search.keep.final_fits import Candidate
from eqlearn.training.levenberg import fit, normal_equations
from eqlearn.training.samples import Samples, samples

#: Below it, an eigenvalue of the scaled normal equations is none: constants that say
#: the same.
_NO_EIGENVALUE = 1e-11
#: Of the largest share in saying the same, what counts as much.
_SAME_SHARE = 0.5
_N_STEPS = 100
#: Share of the squared error that a last step gains.
_TOLERANCE = 1e-9
#: Squared error, as a share of all squares, that is mere rounding.
_ROUNDING = 1e-20
#: Every so many rows, one is held out of a fit to measure its error.
_HELD_OUT = 10


def candidate_of(
    composed: Composed,
    rows: FormRows,
    domain: Array,
    far: tuple[Array, Array] | None = None,
    constraints: Sequence[Constraint] = (),
    few: FormRows | None = None,
) -> Candidate | None:
    """The formula as a candidate, or None if it cannot be one.

    Its terms are chosen on a few of the rows, if the table is long, and its constants
    fitted to all. Far points are not fitted: they only measure the error outside.
    """
    graphs = {
        name: one.graph
        for name, one in composed.functions.items()
        if isinstance(one, Inner)
    }
    built = form_graph(composed.form, composed.letters, graphs, rows.x)
    if built is None:
        return None
    data = _samples(rows)
    first = data if few is None else _samples(few)
    size = float(np.mean(rows.y**2)) or 1.0
    tactics = TACTICS.tolerating(TACTICS.criterion.exact * size)
    with np.errstate(all="ignore"):
        found = _pruned(built, first, tactics)
        if not math.isfinite(found.bic):
            return None
        found = _determined(found, first, tactics)
        fitted = fit(found.graph, data, n_iterations=_N_STEPS, tolerance=_TOLERANCE)
        found = refit(fitted.graph, data, tactics, tolerance=_TOLERANCE)
        snapped = snap_and_judge(found, data, tactics)
        (report,) = domain_report(snapped.found.graph, *domain.T, n_boxes=1)
        return Candidate(
            graph=found.graph,
            snapped=snapped.found.graph,
            constants=tuple(constants(found.graph, data)),
            bic=found.bic - snapped.worth,
            rms=math.sqrt(found.sse / len(rows.y)),
            votes=0,
            has_pole=report.has_pole,
            validation=_held_out_error(found.graph, rows),
            extrapolation=None if far is None else _rms(found.graph, *far),
            n_broken=_n_broken(snapped.found.graph, constraints, domain),
        )


def _samples(rows: FormRows) -> Samples:
    return samples(rows.x, rows.y[:, None], weight=rows.root**2)


def _n_broken(graph: Graph, known: Sequence[Constraint], domain: Array) -> int:
    return n_breached(known, lambda at: graph.evaluate(at)[0][:, 0], *domain.T)


def _pruned(built: FormGraph, data: Samples, tactics: Tactics) -> Scored:
    """Leave out what functions have too much; letters and given numbers stay."""
    best = refit(built.graph, data, tactics, n_iterations=_N_STEPS)
    learned = set(built.learned)
    while True:
        tried = [
            (key, refit(smaller, data, tactics, n_iterations=40))
            for key in best.graph.parameters()
            if key in learned and (smaller := _without(best.graph, key)) is not None
        ]
        key, found = min(tried, key=lambda one: one[1].bic, default=(None, best))
        if key is None or not found.bic < best.bic:
            return best
        best = found


def _without(graph: Graph, key: Connection) -> Graph | None:
    slots = graph.slots()
    return graph.without({key}) if len(slots[key[0]]) > 1 else None


def _determined(found: Scored, data: Samples, tactics: Tactics) -> Scored:
    """Set constants to 1 that say the same as others: A in A*f, with f any function."""
    for _ in range(found.graph.n_parameters):
        gram, _, _ = normal_equations(found.graph, data)
        scale = np.sqrt(np.maximum(np.diag(gram), 1e-300))
        values, vectors = np.linalg.eigh(gram / np.outer(scale, scale))
        if values[0] > _NO_EIGENVALUE * max(values[-1], 1e-300):
            break
        keys = found.graph.parameters()
        shares = np.abs(vectors[:, 0])
        # Of several the innermost: in a*sqrt(f) people mean a to have the dimension.
        key = keys[int(np.argmax(shares >= _SAME_SHARE * np.max(shares)))]
        value = found.graph.slots()[key[0]][key[1]]
        tried = [
            refit(fixed_at(found.graph, key, to), data, tactics, n_iterations=_N_STEPS)
            for to in (math.copysign(1.0, value), value)
        ]
        ones, same = tried
        rounding = _ROUNDING * float(np.sum(data.y**2))
        found = ones if ones.sse <= same.sse * (1 + 1e-6) + rounding else same
    return found


def _held_out_error(graph: Graph, rows: FormRows) -> float:
    order = np.random.default_rng(0).permutation(len(rows.y))
    out = order[: max(1, len(order) // _HELD_OUT)]
    rest = order[len(out) :]
    data = samples(rows.x[rest], rows.y[rest, None], weight=rows.root[rest] ** 2)
    again = fit(graph, data, n_iterations=_N_STEPS, tolerance=_TOLERANCE).graph
    return _rms(again, rows.x[out], rows.y[out])


def _rms(graph: Graph, x: Array, y: Array) -> float:
    value = float(np.sqrt(np.mean((graph.evaluate(x)[0][:, 0] - y) ** 2)))
    return value if math.isfinite(value) else math.inf
