"""What every recipe ends with: refinements of the best, and their final fits."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from eqlearn.search.finalists import (
    Candidate,
    candidate,
    finalists,
    fit_job,
    refine_job,
    refined_by,
)
from eqlearn.search.jobs import Job, Stage, read
from eqlearn.search.pool import Pool, nothing
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
    n_attempts: int = 0
    candidates: list[Candidate] = field(default_factory=list)


def finishing(target: Target) -> Iterator[Stage]:
    """Refine the best of the pool, fit them to all rows, and list them as candidates.

    Formulas of `candidates` are ranked by the criterion; the one that explains nothing
    is among them, for there may be nothing to find.
    """
    task, refined = target.pool.task, Pool(target.pool.task)
    chosen = finalists(target.pool.entries)

    def refinement(rank: int) -> Job | None:
        if rank >= len(chosen):
            return None
        return refine_job(target.number, rank, chosen[rank].found.graph)

    def take_refined(rank: int, state: bytes | None) -> bool:
        start, votes = chosen[rank].found.graph, chosen[rank].votes
        refined.add(refined_by(task, start, state), votes)
        return False

    yield Stage(refinement, take_refined, share=REFINE_SHARE)

    if not refined.entries:
        take_refined(0, None)
    refined.add(nothing(task, task.rows(N_PRUNE)))

    def final_fit(rank: int) -> Job | None:
        if rank >= len(refined.entries):
            return None
        entry = refined.entries[rank]
        return fit_job(target.number, rank, entry, target.whole, target.at_home)

    def take_fitted(rank: int, state: bytes | None) -> bool:
        del rank
        if state is not None:
            target.candidates.append(candidate(read(state)))
        return False

    yield Stage(final_fit, take_fitted, at_least=1)
