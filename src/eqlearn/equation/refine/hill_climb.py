"""Hill climbing over structures: a proposal is kept if the criterion falls.

Each proposal is fitted to few rows first, then pruned, tied and judged on all.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from eqlearn._types import Array
from eqlearn.equation.refine.criterion import Scored, complexity, refit
from eqlearn.equation.refine.prune import prune
from eqlearn.equation.refine.shared_frequencies import tie
from eqlearn.equation.refine.tactics import STANDARD, Patience, Tactics
from eqlearn.network import kernels
from eqlearn.network.canonical import canonical
from eqlearn.network.graph import Graph
from eqlearn.training.samples import Samples


class Proposal(NamedTuple):
    """A changed graph, and how many were looked at to find it."""

    kind: str
    graph: Graph | None
    n_tried: int = 1


class Seen(NamedTuple):
    """A graph with its values over the labelled data."""

    graph: Graph
    features: Array  # (D + U, Q)
    slots: Array  # (S, Q)
    samples: Samples
    tactics: Tactics = STANDARD


Move: TypeAlias = Callable[[Seen], Iterator[Proposal]]


class Trial(NamedTuple):
    """How far some proposals of a round are dealt with; all that is needed to go on."""

    n: int = 0  # proposals so far
    better: Scored | None = None  # the best of them, if better than the present formula
    kind: str = ""  # the move that made it
    is_over: bool = False
    has_more: bool = True  # whether the round may have proposals after these

    def to_document(self) -> dict[str, Any]:
        """The state as JSON can hold it."""
        better = None if self.better is None else self.better.to_document()
        return {**self._asdict(), "better": better}

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> "Trial":
        """Read what `to_document` wrote."""
        better = document["better"]
        found = None if better is None else Scored.from_document(better)
        return cls(**{**document, "better": found})


def improve(
    best: Scored,
    samples: Samples,
    moves: Iterable[Move],
    tactics: Tactics = STANDARD,
    *,
    patience: Patience | None = None,
) -> Scored:
    """Apply moves as long as one of them lowers the criterion."""
    patience = patience or tactics.climbing
    moves, n_left = tuple(moves), patience.n_proposals
    for _ in range(patience.n_rounds):
        if n_left <= 0:
            break
        tried = try_proposals(
            best, samples, moves, tactics, most=n_left, patience=patience
        )
        if tried.better is None:
            break
        best, n_left = tried.better, n_left - tried.n
    return best


def try_proposals(
    best: Scored,
    samples: Samples,
    moves: Iterable[Move],
    tactics: Tactics = STANDARD,
    *,
    first: int = 0,
    most: int,
    state: Trial | None = None,
    patience: Patience | None = None,
    is_late: Callable[[], bool] = lambda: False,
) -> Trial:
    """Try `most` proposals of a round from the `first` on, until one is better.

    Those that belong together with the better one are tried beyond that number. When it
    `is_late`, the state is handed back; going on from there changes nothing.
    """
    patience, state = patience or tactics.climbing, state or Trial()
    few = samples.first(patience.n_rows)
    present = refit(best.graph, few, tactics, n_iterations=3)
    proposals = propose(best.graph, samples, moves, tactics)
    for proposal in itertools.islice(proposals, first + state.n, None):
        # Terms of one score test explain the same residual, to first order equally
        # well (x·f above and -x below a fraction f): only the fits tell which one.
        is_alike = proposal.n_tried > 1 and proposal.kind == state.kind
        if state.better is not None and not is_alike:
            return state._replace(is_over=True)
        start = screened(present, proposal, few, tactics, patience)
        found = judged(best, start, proposal, samples, tactics, patience)
        state = _after(state, found, proposal.kind)
        if state.better is None and state.n >= most:
            return state._replace(is_over=True)
        if is_late():
            return state
    return state._replace(is_over=True, has_more=False)


def _after(state: Trial, found: Scored | None, kind: str) -> Trial:
    state = state._replace(n=state.n + 1)
    if found is None or (state.better is not None and found.bic >= state.better.bic):
        return state
    return state._replace(better=found, kind=kind)


def propose(
    graph: Graph,
    samples: Samples,
    moves: Iterable[Move],
    tactics: Tactics = STANDARD,
) -> Iterator[Proposal]:
    """All proposals of the given moves for one graph."""
    n = samples.n_labelled
    values = kernels.evaluate(graph, kernels.tape(graph), samples.x, samples.floor)
    features, slots = values.features[:, :n], values.slots[:, :n]
    seen = Seen(graph, features, slots, samples, tactics)
    for move in moves:
        yield from move(seen)


def screened(
    present: Scored,
    proposal: Proposal,
    few: Samples,
    tactics: Tactics,
    patience: Patience,
) -> Graph | None:
    """Fit a proposal to few rows; None if pruning could not make it competitive.

    `present` is the best formula so far, on these rows.
    """
    if proposal.graph is None:
        return None
    graph = canonical(proposal.graph, few.x)
    grown = graph.n_parameters - present.graph.n_parameters
    if grown > patience.extra_parameters or graph.is_empty:
        return None
    n_iterations = patience.n_iterations
    found = refit(graph, few, tactics, n_iterations=n_iterations, tolerance=1e-3)
    cost = tactics.criterion.cost(few.n_residuals)
    allowed = present.bic + patience.margin + cost * max(grown, 0)
    return found.graph if found.bic <= allowed else None


def judged(
    best: Scored,
    graph: Graph | None,
    proposal: Proposal,
    samples: Samples,
    tactics: Tactics,
    patience: Patience,
) -> Scored | None:
    """Prune a proposal on all rows; return it if better, or as good and shorter."""
    if graph is None:
        return None
    n_first, n_singles = patience.n_first, patience.n_singles
    pruning = replace(tactics.pruning, n_first=n_first, n_singles=n_singles)
    pruned = prune(graph, samples, replace(tactics, pruning=pruning))
    pruned = tie(pruned, samples, tactics)
    charge = patience.gain
    if pruned.graph.n_parameters > best.graph.n_parameters:
        # A term found by looking at many must pay for the looking, else noise is added.
        charge += 2.0 * math.log(proposal.n_tried)
    if pruned.bic < best.bic - charge:
        return pruned
    is_shorter = complexity(pruned.graph) < complexity(best.graph)
    return pruned if is_shorter and pruned.bic <= best.bic + patience.gain else None
