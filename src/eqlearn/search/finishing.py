"""What every recipe ends with: refinements of the best, and their final fits."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from eqlearn.network.graph import Graph
from eqlearn.search.finalists import (
    Candidate,
    candidate,
    finalists,
    fit_job,
    front,
    refine_job,
    refined_by,
)
from eqlearn.search.jobs import Job, Stage, read
from eqlearn.search.pool import SAME, Pool, nothing
from eqlearn.search.task import N_PRUNE

#: Share of a time limit after which refinements end.
REFINE_SHARE = 0.95


@dataclass
class Target:
    """A column to be explained: what was found for it so far."""

    number: int
    pool: Pool
    whole: str  # the name of its data with every row
    at_home: bool  # whether these are too large to be sent to a worker
    refine: bool = True  # whether formulas may be changed once they are found
    n_attempts: int = 0
    offer: Graph | None = None  # the best of its attempts, for other targets
    candidates: list[Candidate] = field(default_factory=list)


def finishing(target: Target) -> Iterator[Stage]:
    """Refine the best of the pool, fit them to all rows, and list them as candidates.

    Smaller and larger formulas of the pool are listed too, to compare with, and the
    one that explains nothing, for there may be nothing to find. The best is first.
    """
    task, refined = target.pool.task, Pool(target.pool.task)
    chosen = finalists(target.pool.entries) if target.refine else []
    taken: list[int] = []

    def refinement(rank: int) -> Job | None:
        if rank >= len(chosen):
            return None
        return refine_job(target.number, rank, chosen[rank].found.graph)

    def take_refined(rank: int, state: bytes | None) -> bool:
        taken.append(rank)
        start, votes = chosen[rank].found.graph, chosen[rank].votes
        refined.add(refined_by(task, start, state), votes)
        return False

    yield Stage(refinement, take_refined, share=REFINE_SHARE)

    # Those whose turn never came, as there was no time left, stay as they are.
    for rank in range(len(taken), len(chosen)):
        take_refined(rank, None)
    refined.add(nothing(task, task.rows(N_PRUNE)))
    others = target.pool.entries
    if target.refine:
        others = front(others, known=chosen)
    entries = refined.entries + others

    def final_fit(rank: int) -> Job | None:
        if rank >= len(entries):
            return None
        return fit_job(
            target.number,
            rank,
            entries[rank],
            target.whole,
            at_home=target.at_home,
            as_it_is=not target.refine,
        )

    def take_fitted(rank: int, state: bytes | None) -> bool:
        del rank
        if state is not None:
            _list(target.candidates, candidate(read(state)))
        return False

    yield Stage(final_fit, take_fitted, at_least=2)


def _list(candidates: list[Candidate], found: Candidate) -> None:
    """Add a candidate in its place, or its votes to those of the same formula."""
    for i, known in enumerate(candidates):
        same_size = known.graph.n_parameters == found.graph.n_parameters
        if same_size and abs(known.bic - found.bic) < SAME:
            candidates[i] = replace(known, votes=known.votes + found.votes)
            return
    candidates.append(found)
    candidates.sort(key=lambda one: one.bic)
