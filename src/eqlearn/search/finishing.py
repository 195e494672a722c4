"""What every recipe ends with: refinements of the best, and their final fits."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from eqlearn.search.finalists import (
    Candidate,
    candidate,
    finalists,
    fit_job,
    front,
)
from eqlearn.search.jobs import Job, Stage, Together, read
from eqlearn.search.pool import SAME, Entry, Pool, nothing
from eqlearn.search.refinement import Refinement
from eqlearn.search.sharing import Lending, loans
from eqlearn.search.task import N_PRUNE

#: Shares of a time limit after which refinements end, loans of other targets, and the
#: refinements of these.
REFINE_SHARE = 0.92
BORROWING_SHARE = 0.95
LOANS_SHARE = 0.98


@dataclass
class Target:
    """A column to be explained: what was found for it so far."""

    number: int
    pool: Pool
    whole: str  # the name of its data with every row
    at_home: bool  # whether these are too large to be sent to a worker
    refine: bool = True  # whether formulas may be changed once they are found
    n_attempts: int = 0
    n_ended: int = 0  # steps of its search that did not fail
    lending: Lending = field(default_factory=Lending)
    candidates: list[Candidate] = field(default_factory=list)


def finishing(
    target: Target, others: Sequence[Target] = ()
) -> Iterator[Stage | Together]:
    """Refine the best of the pool, fit them to all rows, and list them as candidates.

    What is found for `others` is tried for this target too, before the final fits.
    Smaller and larger formulas of the pool are listed too, to compare with, and the
    one that explains nothing, for there may be nothing to find. The best is first.
    """
    task, refined = target.pool.task, Pool(target.pool.task)
    chosen = finalists(target.pool.entries) if target.refine else []
    yield from _refinement(target, refined, chosen, share=REFINE_SHARE)
    if others:
        target.lending.refined = refined.best.graph
        lent: list[Entry] = []
        yield loans(
            target.number,
            refined.best,
            task.rows(N_PRUNE),
            lambda: [(t.number, g) for t in others if (g := t.lending.refined)],
            lambda loan: lent.append(Entry(loan, votes=0)),
            is_ready=lambda: all(t.lending.refined is not None for t in others),
            share=BORROWING_SHARE,
        )
        yield from _refinement(
            target, refined, lent, share=LOANS_SHARE, first=len(chosen)
        )
    if target.refine:
        refined.add(nothing(task, task.rows(N_PRUNE)))
        entries = refined.entries + front(target.pool.entries, known=chosen)
    else:
        trained = [entry for entry in target.pool.entries if entry.votes]
        entries = trained or target.pool.entries

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


def _refinement(
    target: Target, refined: Pool, chosen: list[Entry], *, share: float, first: int = 0
) -> Iterator[Together]:
    """Refine entries side by side into a pool."""
    task, data = target.pool.task, str(target.number)
    plans = [
        Refinement(
            f"y{target.number + 1}/refine/{rank}", data, task, entry.found.graph, share
        )
        for rank, entry in enumerate(chosen, first)
    ]
    yield Together(plans)
    for plan, entry in zip(plans, chosen, strict=True):
        refined.add(plan.found(), entry.votes)
