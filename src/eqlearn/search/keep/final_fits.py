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
from eqlearn.network.transform import multiplied_out
from eqlearn.search.keep.kept_constraints import anchored, n_broken_in_units
from eqlearn.search.keep.likely_simple import (
    forms_of,
    likely_gains,
    worth_of_simple,
)
from eqlearn.search.keep.pool import Entry, mean_formula, null_margin
from eqlearn.search.robust_rows import as_judged
from eqlearn.search.strategy import Finals, Pooling
from eqlearn.search.task import Task, numerical_context
from eqlearn.training.levenberg import Fit, fit, mean_square
from eqlearn.training.losses import ROBUST, as_squares, fit_by, noise_of, relative_error
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
    n_broken: int = 0  # constraints that it breaks
    relative: float | None = None  # error as a share of the value, by such a loss

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


def hopefuls(entries: list[Entry], chosen: list[Entry], task: Task) -> list[Entry]:
    """Entries that would be ahead if their constants were simple, likely ones first.

    Long formulas have most to gain, but hardly any constant that could be simple: what
    constants are, within their errors, tells more than how many there are.
    """
    strategy, worth = task.strategy, worth_of_simple(task)

    def behind(entry: Entry, gain: float) -> float:
        return entry.found.bic - gain - strategy.pooling.relief * entry.has_pole

    def at_best(entry: Entry) -> float:
        return behind(entry, worth * entry.found.graph.n_parameters)

    def as_told(entry: Entry) -> float:
        return behind(entry, sum(likely_gains(entry.found.graph, task)))

    others = [entry for entry in entries if not any(entry is one for one in chosen)]
    ahead = [entry for entry in others if at_best(entry) < entries[0].found.bic]
    told = sorted(ahead, key=at_best)[: strategy.finals.n_examined]
    return sorted(told, key=as_told)[: strategy.finals.n_hopeful]


def fit_job(
    target: int,
    rank: int,
    entry: Entry,
    data: str,
    *,
    stays_local: bool,
    pilot: Graph | None = None,
) -> Job:
    """Fit a formula to every row, with standard errors, and snap its constants.

    By a loss other than squares, a `pilot` tells how much each row counts.
    """
    specification = {"graph": to_document(entry.found.graph), "votes": entry.votes}
    if pilot is not None:
        specification["pilot"] = to_document(pilot)
    return Job(f"y{target + 1}/fit/{rank}", final_fit, specification, data, stays_local)


def final_fit(task: Task, specification: Specification, state: bytes | None) -> Step:
    """Bring a formula into the units of the data and fit it there."""
    del state
    with numerical_context(task):
        graph = from_document(specification["graph"])
        pilot = from_document(specification.get("pilot", specification["graph"]))
        found = _fitted(task, graph, specification["votes"], as_judged(task, pilot))
    return Step(to_bytes(found.to_document()), True)


def _fitted(task: Task, graph: Graph, votes: int, judged: Task) -> Candidate:
    data, strategy = task.in_data_units(graph.used_inputs), task.strategy
    n_iterations = strategy.finals.n_iterations
    fitted = fit_by(
        task.loss,
        _as_shown(task.in_units(graph), data.x[:, : strategy.rows.prune]),
        anchored(data, task, in_units=True),
        n_iterations=n_iterations,
        tolerance=1e-9,
        damping=1e-6,
    )
    if task.constraints:
        fitted = fit(fitted.graph, data, n_iterations=0)  # its error on the rows alone
    seen = as_squares(task.loss, fitted.graph, data)
    if seen is not data:
        sse = mean_square(fitted.graph, seen) * seen.n_residuals
        fitted = fitted._replace(sse=sse)
    fitted, snapped, worth = _written_simply(task, fitted, seen)
    broken = n_broken_in_units(snapped, task) if task.constraints else 0
    if broken and n_broken_in_units(fitted.graph, task) < broken:
        snapped, worth = fitted.graph, 0.0
        broken = n_broken_in_units(snapped, task)
    has_pole = has_pole_in_domain(task, snapped)
    bic = criterion_of(judged, graph, n_iterations)
    bic += pole_charge(snapped, strategy.pooling) * has_pole - worth
    return Candidate(
        graph=fitted.graph,
        snapped=snapped,
        constants=tuple(constants(fitted.graph, seen)),
        bic=without_one_row(bic, fitted.graph, seen.first(strategy.rows.prune), judged),
        rms=_left_by(task.loss, fitted, data),
        relative=_relative(task.loss, fitted, data),
        votes=votes,
        has_pole=has_pole,
        n_broken=broken,
        **held_out_errors(judged, fitted.graph),
    )


def _written_simply(task: Task, fitted: Fit, seen: Samples) -> tuple[Fit, Graph, float]:
    """The form in which most constants are simple, snapped.

    Where as many are, it is that with tops of bells, and with scales before roots.
    """
    forms = forms_of(fitted.graph, seen.x[:, : task.strategy.rows.prune])
    options = [fitted._replace(graph=form) for form in forms]
    snapped = [(one, *_snapped(task, one, seen)) for one in options]
    return max(snapped, key=lambda one: one[2])


def _as_shown(graph: Graph, x: Array) -> Graph:
    """The graph as people read it; a guess with its given numbers, which stay."""
    shown = multiplied_out(displayed(graph, x))
    return graph if graph.n_parameters < shown.n_parameters else shown


def _left_by(loss: str, fitted: Fit, data: Samples) -> float:
    """The root mean square of residuals; by a robust loss, of rows that follow."""
    if loss in ROBUST:
        return noise_of(fitted.graph, data)
    if loss == "squared":
        return float(np.sqrt(fitted.sse / data.n_residuals))
    return float(np.sqrt(mean_square(fitted.graph, data)))


def _relative(loss: str, fitted: Fit, data: Samples) -> float | None:
    return relative_error(fitted.graph, data) if loss == "relative" else None


def has_pole_in_domain(task: Task, graph: Graph) -> bool:
    """Tell whether a formula in the units of the data has a pole where it is used."""
    ends = task.in_data_points(task.low), task.in_data_points(task.high)
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


#: Where units have no value beyond an end; of a division, the second argument.
_ENDS = {"divide": 1, "log": 0, "sqrt": 0, "asin": 0, "acos": 0}


def pole_charge(graph: Graph, by: Pooling) -> float:
    """What a pole costs: less if simple constants put it where it is.

    An imitation has its poles anywhere; 1 - b or x - z are zero where laws end.
    """
    return by.pole_charge if has_free_pole(graph) else by.simple_pole_charge


def has_free_pole(graph: Graph) -> bool:
    """Whether constants that were fitted tell where a formula may have a pole."""
    first = graph.first_output_slot
    ending = {first + 2 * k + 1 for k in range(graph.n_outputs)}
    slot, arguments = 0, {}
    for feature, node in enumerate(graph.nodes, graph.n_inputs):
        arguments[feature] = range(slot, slot + len(node.arguments))
        if node.unit in _ENDS:
            ending.add(slot + _ENDS[node.unit])
        slot += len(node.arguments)
    slots = graph.slots()
    inside = graph.ancestors(slots[k] for k in ending)
    deciding = ending.union(*(arguments.get(feature, ()) for feature in inside))
    return any(slot in deciding for slot, _ in graph.parameters())


def criterion_of(task: Task, graph: Graph, n_iterations: int) -> float:
    """Judge by the same rows and in the same units, wherever a formula came from."""
    # Without a floor: the formula must have a value everywhere.
    data = task.rows(task.strategy.rows.prune)._replace(floor=0.0)
    found = refit(graph, data, task.tactics, n_iterations=n_iterations)
    return found.bic - null_margin(graph, task)


def without_one_row(bic: float, graph: Graph, data: Samples, task: Task) -> float:
    """The criterion of a formula, just behind the mean's if it leads by one row alone.

    A pole, or a narrow peak, goes through any wild value, and leaves as much of the
    other rows as the mean does. The formula and its data are in the units of these.
    """
    mean = mean_formula(task, task.rows(task.strategy.rows.prune)).bic
    if not bic < mean:
        return bic
    weight, y = np.square(data.root_weight), data.y[0]
    left = weight * np.square(y - graph.evaluate(data.labelled.T)[0][:, 0])
    of_mean = weight * np.square(y - np.average(y, weights=weight))
    others = np.arange(len(y)) != np.argmax(of_mean - left)
    n = task.tactics.criterion.n_counted(len(y))
    with np.errstate(all="ignore"):
        share, of_all = (float(a[others].sum() / a.sum()) for a in (left, of_mean))
        lost = n * (np.log(share) - np.log(of_all))
    return mean + task.strategy.pooling.same if lost > mean - bic else bic


def held_out_errors(task: Task, graph: Graph) -> dict[str, Any]:
    """RMS errors on samples and at far points that were held out of the fit."""
    rows, n_iterations = task.strategy.rows, task.strategy.finals.n_iterations
    n = min(len(task.x), rows.snap)
    n_out = task.first(n).n_held_out

    # No more than is needed: it may be a large table.
    x, y = task.in_data_points(task.x[:n]), task.y[:n] * task.y_scale

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
