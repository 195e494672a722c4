"""The best of a pool: which they are, and their fit to every row, snapped."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.prove.domain import domain_report
from eqlearn.equation.refine.constants import constants, snap
from eqlearn.equation.refine.criterion import EXACT, complexity, refit, score
from eqlearn.jobs.job import Job, Specification, Step, written
from eqlearn.model.model import Constant
from eqlearn.network.canonical import displayed
from eqlearn.network.document import from_document, to_document
from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.search.keep.pool import POLE_CHARGE, Entry, lead
from eqlearn.search.task import N_PRUNE, Task, computing
from eqlearn.training.levenberg import Fit, fit
from eqlearn.training.samples import Samples, samples

#: How many of the pool are refined, if not further behind the best than this.
N_FINALISTS = 5
FINALIST_MARGIN = 40.0
#: How many formulas that are no finalists are listed for comparison.
N_FRONT = 8
#: Share of the samples that is held out to measure the validation error (section 4).
HELD_OUT = 0.1
#: Rows that decide whether a constant may be snapped.
N_SNAP = 100_000


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

    @property
    def complexity(self) -> int:
        """The size of the formula: its units and connections."""
        return complexity(self.graph)

    @property
    def is_something(self) -> bool:
        """Whether it says more of the target than its mean."""
        return any(linear.keys() - {CONSTANT} for linear in self.graph.slots())

    @property
    def n_units(self) -> int:
        """Active units, the sparsity s of the paper."""
        return len(self.graph.nodes)


def finalists(entries: list[Entry]) -> list[Entry]:
    """The entries of a pool that are worth refining."""
    best = entries[0].found.bic
    return [e for e in entries[:N_FINALISTS] if e.found.bic - best <= FINALIST_MARGIN]


def front(entries: list[Entry], known: list[Entry]) -> list[Entry]:
    """Entries that no smaller one explains as well: how error falls with size."""
    found: list[Entry] = []
    least = math.inf
    for entry in sorted(
        entries, key=lambda e: (complexity(e.found.graph), e.found.sse)
    ):
        if entry.found.sse < least:
            least = entry.found.sse
            found.append(entry)
    others = [entry for entry in found if not any(entry is k for k in known)]
    return others[:N_FRONT]


def fit_job(
    target: int, rank: int, entry: Entry, data: str, *, at_home: bool, as_it_is: bool
) -> Job:
    """Fit a formula to every row, with standard errors, and snap its constants."""
    specification = {
        "graph": to_document(entry.found.graph),
        "votes": entry.votes,
        "as_it_is": as_it_is,
    }
    return Job(f"y{target + 1}/fit/{rank}", final_fit, specification, data, at_home)


def final_fit(task: Task, specification: Specification, state: bytes | None) -> Step:
    """Bring a formula into the units of the data and fit it there."""
    del state
    with computing(task):
        graph = from_document(specification["graph"])
        data = task.in_data_units(graph.used_inputs)
        n_iterations = 0 if specification["as_it_is"] else 30
        fitted = fit(
            displayed(task.in_units(graph), data.x[:, :N_PRUNE]),
            data,
            n_iterations=n_iterations,
            tolerance=1e-9,
            damping=1e-6,
        )
        snapped = fitted.graph if not n_iterations else _snapped(task, fitted, data)
        ends = task.low * task.x_scale, task.high * task.x_scale
        # Searched for at its corners, too; whether there is none is proved elsewhere.
        (report,) = domain_report(snapped, *ends, n_boxes=1)
        found = Candidate(
            graph=fitted.graph,
            snapped=snapped,
            constants=tuple(constants(fitted.graph, data)),
            bic=_criterion(task, graph, n_iterations, report.pole is not None),
            rms=float(np.sqrt(fitted.sse / data.n_residuals)),
            votes=specification["votes"],
            has_pole=report.pole is not None,
            **held_out_errors(task, fitted.graph, n_iterations),
        )
    return Step(written(row(found)), True)


def _snapped(task: Task, fitted: Fit, data: Samples) -> Graph:
    # Scaled back, the residuals' floor has the square of the target's unit.
    floor = EXACT * task.y_scale**2
    few = data.first(N_SNAP)
    sse = fitted.sse if few is data else fit(fitted.graph, few).sse
    return snap(score(fitted.graph, sse, few, floor), few, floor).graph


def _criterion(task: Task, graph: Graph, n_iterations: int, has_pole: bool) -> float:
    """Judge by the same rows and in the same units, wherever a formula came from."""
    data = task.rows(N_PRUNE)._replace(floor=0.0)  # it must have a value everywhere
    found = refit(graph, data, n_iterations=n_iterations)
    return found.bic + POLE_CHARGE * has_pole - lead(graph)


def held_out_errors(task: Task, graph: Graph, n_iterations: int) -> dict[str, Any]:
    """RMS errors on samples and at far points that were held out of the fit."""
    n = min(len(task.x), N_SNAP)
    n_out = max(1, round(HELD_OUT * (n - task.n_far)))

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


def row(found: Candidate) -> dict[str, Any]:
    """A candidate as JSON can hold it."""
    return {
        "graph": to_document(found.graph),
        "snapped": to_document(found.snapped),
        "constants": [[*c.connection, c.value, c.error] for c in found.constants],
        "bic": found.bic,
        "rms": found.rms,
        "votes": found.votes,
        "has_pole": found.has_pole,
        "validation": found.validation,
        "extrapolation": found.extrapolation,
    }


def candidate(document: dict[str, Any]) -> Candidate:
    """Read what `row` wrote."""
    return Candidate(
        **{
            **document,
            "graph": from_document(document["graph"]),
            "snapped": from_document(document["snapped"]),
            "constants": tuple(
                Constant((slot, source), value, error)
                for slot, source, value, error in document["constants"]
            ),
        }
    )
