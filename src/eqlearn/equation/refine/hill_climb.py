"""Hill climbing over structures: a proposal is kept if the criterion falls.

Each proposal is fitted to few rows first, then pruned, tied and judged on all.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from eqlearn._types import Array
from eqlearn.equation.refine.criterion import EXACT, Scored, complexity, cost, refit
from eqlearn.equation.refine.prune import prune
from eqlearn.equation.refine.shared_frequencies import tie
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


Move: TypeAlias = Callable[[Seen], Iterator[Proposal]]


@dataclass(frozen=True)
class Patience:
    """How much work `improve` spends on a proposal and in all."""

    n_rows: int = 800  # that a proposal is first fitted to
    margin: float = 60.0  # criterion that pruning may still win back
    n_iterations: int = 15
    n_singles: int = 4
    n_rounds: int = 20
    extra_parameters: int = 12
    n_proposals: int = 600


PATIENT = Patience()


class Trial(NamedTuple):
    """How far some proposals of a round are dealt with; all that is needed to go on."""

    n: int = 0  # proposals so far
    better: Scored | None = None  # the best of them, if better than the present formula
    kind: str = ""  # the move that made it
    is_over: bool = False
    has_more: bool = True  # whether the round may have proposals after these


def improve(
    best: Scored,
    samples: Samples,
    moves: Iterable[Move],
    *,
    floor: float = EXACT,
    patience: Patience = PATIENT,
) -> Scored:
    """Apply moves as long as one of them lowers the criterion."""
    moves, n_left = tuple(moves), patience.n_proposals
    for _ in range(patience.n_rounds):
        if n_left <= 0:
            break
        tried = try_proposals(
            best, samples, moves, most=n_left, floor=floor, patience=patience
        )
        if tried.better is None:
            break
        best, n_left = tried.better, n_left - tried.n
    return best


def try_proposals(
    best: Scored,
    samples: Samples,
    moves: Iterable[Move],
    *,
    first: int = 0,
    most: int,
    state: Trial | None = None,
    floor: float = EXACT,
    patience: Patience = PATIENT,
    is_late: Callable[[], bool] = lambda: False,
) -> Trial:
    """Try `most` proposals of a round from the `first` on, until one is better.

    Those that belong together with the better one are tried beyond that number. When it
    `is_late`, the state is handed back; going on from there changes nothing.
    """
    state = state or Trial()
    few = samples.first(patience.n_rows)
    present = refit(best.graph, few, floor=floor, n_iterations=3)
    proposals = propose(best.graph, samples, moves)
    for proposal in itertools.islice(proposals, first + state.n, None):
        # Terms of one score test explain the same residual, to first order equally
        # well (x·f above and -x below a fraction f): only the fits tell which one.
        is_alike = proposal.n_tried > 1 and proposal.kind == state.kind
        if state.better is not None and not is_alike:
            return state._replace(is_over=True)
        start = screened(present, proposal, few, floor, patience)
        found = attempt(best, start, proposal, samples, floor, patience)
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
    graph: Graph, samples: Samples, moves: Iterable[Move]
) -> Iterator[Proposal]:
    """All proposals of the given moves for one graph."""
    n_labelled = samples.y.shape[1]
    values = kernels.evaluate(graph, kernels.tape(graph), samples.x, samples.floor)
    seen = Seen(
        graph, values.features[:, :n_labelled], values.slots[:, :n_labelled], samples
    )
    for move in moves:
        yield from move(seen)


def screened(
    present: Scored, proposal: Proposal, few: Samples, floor: float, patience: Patience
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
    found = refit(
        graph, few, floor=floor, n_iterations=patience.n_iterations, tolerance=1e-3
    )
    allowed = present.bic + patience.margin + cost(few.n_residuals) * max(grown, 0)
    return found.graph if found.bic <= allowed else None


def attempt(
    best: Scored,
    graph: Graph | None,
    proposal: Proposal,
    samples: Samples,
    floor: float,
    patience: Patience,
) -> Scored | None:
    """Prune a proposal on all rows; return it if better, or as good and shorter."""
    if graph is None:
        return None
    pruned = prune(
        graph, samples, floor=floor, n_first=10, n_singles=patience.n_singles
    )
    pruned = tie(pruned, samples, floor)
    charge = 0.5
    if pruned.graph.n_parameters > best.graph.n_parameters:
        # A term found by looking at many must pay for the looking, else noise is added.
        charge += 2.0 * math.log(proposal.n_tried)
    if pruned.bic < best.bic - charge:
        return pruned
    is_shorter = complexity(pruned.graph) < complexity(best.graph)
    return pruned if is_shorter and pruned.bic <= best.bic + 0.5 else None
