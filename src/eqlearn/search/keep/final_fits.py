"""The best of a pool: which they are, and their fit to every row, snapped."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.prove.domain import domain_report
from eqlearn.equation.refine.constants import constants, snap_and_judge
from eqlearn.equation.refine.criterion import complexity, refit, score
from eqlearn.jobs.codec import to_bytes
from eqlearn.jobs.job import Job, Specification, Step
from eqlearn.model.model import Constant
from eqlearn.network.canonical import displayed
from eqlearn.network.document import from_document, to_document
from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.search.keep.pool import Entry, null_margin
from eqlearn.search.strategy import Finals
from eqlearn.search.task import Task, numerical_context
from eqlearn.training.levenberg import Fit, fit
from eqlearn.training.samples import Samples, samples


@dataclass(frozen=True)
class Candidate:
    """A formula for one target, in the units of the data."""

    graph: Graph
    snapped: Graph  # with simple constants where the data allow them
    constants: tuple[Constant, ...]  # of `graph`, with standard errors
    bic: float
    rms: float  # of the residuals, in the units of the target
    votes: int  # attempts that ended in this formula
    has_pole: bool  # a denominator is zero somewhere in the domain of use
    validation: float  # error on samples held out of the fit
    extrapolation: float | None = None  # error at far points held out of the fit
    n_connected: int | None = None  # units of the network, if it is one as trained
    network: int | None = None  # its number: of all targets, the same network

    def to_document(self) -> dict[str, Any]:
        """The candidate as JSON can hold it."""
        return {
            **vars(self),
            "graph": to_document(self.graph),
            "snapped": to_document(self.snapped),
            "constants": [[*c.connection, c.value, c.error] for c in self.constants],
        }

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> "Candidate":
        """Read what `to_document` wrote."""
        constants = tuple(
            Constant((slot, source), value, error)
            for slot, source, value, error in document["constants"]
        )
        graphs = {name: from_document(document[name]) for name in ("graph", "snapped")}
        return cls(**{**document, **graphs, "constants": constants})

    @property
    def complexity(self) -> int:
        """The size of the formula: its units and connections."""
        return complexity(self.graph)

    def with_votes(self, same: "Candidate") -> "Candidate":
        """The candidate with the votes of one that is the same formula."""
        return replace(self, votes=self.votes + same.votes)

    @property
    def is_something(self) -> bool:
        """Whether it says more of the target than its mean."""
        return any(linear.keys() - {CONSTANT} for linear in self.graph.slots())

    @property
    def n_units(self) -> int:
        """Connected units, the sparsity s of the paper."""
        return len(self.graph.nodes) if self.n_connected is None else self.n_connected


def finalists(entries: list[Entry], by: Finals) -> list[Entry]:
    """The entries of a pool that are worth refining."""
    best = entries[0].found.bic
    return [entry for entry in entries[: by.n] if entry.found.bic - best <= by.margin]


def front(entries: list[Entry], chosen: list[Entry], by: Finals) -> list[Entry]:
    """Entries that no smaller one explains as well: how error falls with size."""
    found: list[Entry] = []
    least = math.inf
    for entry in sorted(
        entries, key=lambda e: (complexity(e.found.graph), e.found.sse)
    ):
        if entry.found.sse < least:
            least = entry.found.sse
            found.append(entry)
    others = [entry for entry in found if not any(entry is one for one in chosen)]
    return others[: by.n_front]


def fit_job(
    target: int,
    rank: int,
    entry: Entry,
    data: str,
    *,
    stays_local: bool,
) -> Job:
    """Fit a formula to every row, with standard errors, and snap its constants."""
    specification = {"graph": to_document(entry.found.graph), "votes": entry.votes}
    return Job(f"y{target + 1}/fit/{rank}", final_fit, specification, data, stays_local)


def final_fit(task: Task, specification: Specification, state: bytes | None) -> Step:
    """Bring a formula into the units of the data and fit it there."""
    del state
    with numerical_context(task):
        graph = from_document(specification["graph"])
        found = _fitted(task, graph, specification["votes"])
    return Step(to_bytes(found.to_document()), True)


def _fitted(task: Task, graph: Graph, votes: int) -> Candidate:
    data, strategy = task.in_data_units(graph.used_inputs), task.strategy
    n_iterations = strategy.finals.n_iterations
    fitted = fit(
        displayed(task.in_units(graph), data.x[:, : strategy.rows.prune]),
        data,
        n_iterations=n_iterations,
        tolerance=1e-9,
        damping=1e-6,
    )
    snapped, worth = _snapped(task, fitted, data)
    has_pole = has_pole_in_domain(task, snapped)
    return Candidate(
        graph=fitted.graph,
        snapped=snapped,
        constants=tuple(constants(fitted.graph, data)),
        bic=criterion_of(task, graph, n_iterations, has_pole) - worth,
        rms=float(np.sqrt(fitted.sse / data.n_residuals)),
        votes=votes,
        has_pole=has_pole,
        **held_out_errors(task, fitted.graph),
    )


def has_pole_in_domain(task: Task, graph: Graph) -> bool:
    """Tell whether a formula in the units of the data has a pole where it is used."""
    ends = task.low * task.x_scale, task.high * task.x_scale
    # Searched for at its corners, too; whether there is none is proved elsewhere.
    (report,) = domain_report(graph, *ends, n_boxes=1)
    return report.has_pole


def _snapped(task: Task, fitted: Fit, data: Samples) -> tuple[Graph, float]:
    """The formula with simple constants, and what these are worth."""
    # Scaled back, what counts as no residual has the square of the target's unit.
    exact = task.tactics.criterion.exact * task.y_scale**2
    tactics, few = task.tactics.tolerating(exact), data.first(task.strategy.rows.snap)
    sse = fitted.sse if few is data else fit(fitted.graph, few).sse
    scored = score(fitted.graph, sse, few, tactics)
    snapped = snap_and_judge(scored, few, tactics)
    return snapped.found.graph, snapped.worth


def criterion_of(task: Task, graph: Graph, n_iterations: int, has_pole: bool) -> float:
    """Judge by the same rows and in the same units, wherever a formula came from."""
    strategy, pooling = task.strategy, task.strategy.pooling
    # Without a floor: the formula must have a value everywhere.
    data = task.rows(strategy.rows.prune)._replace(floor=0.0)
    found = refit(graph, data, task.tactics, n_iterations=n_iterations)
    return found.bic + pooling.pole_charge * has_pole - null_margin(graph, pooling)


def held_out_errors(task: Task, graph: Graph) -> dict[str, Any]:
    """RMS errors on samples and at far points that were held out of the fit."""
    rows, n_iterations = task.strategy.rows, task.strategy.finals.n_iterations
    n = min(len(task.x), rows.snap)
    n_out = task.first(n).n_held_out

    # No more than is needed: it may be a large table.
    x, y = task.x[:n] * task.x_scale, task.y[:n] * task.y_scale

    def error(fitted_to: slice, held_out: slice) -> float:
        weight = None if task.weight is None else task.weight[fitted_to]
        data = samples(x[fitted_to], y[fitted_to], weight=weight)
        without = fit(graph, data, n_iterations=n_iterations).graph
        return _rms(without.evaluate(x[held_out])[0] - y[held_out])

    far = error(slice(task.n_far, n), slice(task.n_far)) if task.n_far else None
    inside = error(slice(n - n_out), slice(n - n_out, n))
    return {"validation": inside, "extrapolation": far}


def _rms(residuals: Array) -> float:
    value = float(np.sqrt(np.mean(residuals**2)))
    return value if math.isfinite(value) else math.inf
