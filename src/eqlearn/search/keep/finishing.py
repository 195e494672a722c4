"""What every recipe ends with: refinements of the best, and their final fits."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from eqlearn.equation.refine.criterion import Scored, refit
from eqlearn.equation.refine.tactics import Patience
from eqlearn.jobs.codec import from_bytes
from eqlearn.jobs.job import Job, Stage, Together
from eqlearn.search.attempts.borrowing import loans
from eqlearn.search.keep.final_fits import (
    Candidate,
    finalists,
    fit_job,
    front,
    hopefuls,
)
from eqlearn.search.keep.pool import Entry, Pool, mean_formula
from eqlearn.search.keep.refinement import Refinement, patience_for
from eqlearn.search.keep.target import Target
from eqlearn.search.task import Task, numerical_context


def finishing(
    target: Target, others: Sequence[Target] = ()
) -> Iterator[Stage | Together]:
    """Refine the best of the pool, fit them to all rows, and list them as candidates.

    What is found for `others` is tried for this target too, before the final fits.
    Smaller and larger formulas of the pool are listed too, to compare with, and the
    one that explains nothing, for there may be nothing to find. The best is first.
    """
    task, refined = target.pool.task, Pool(target.pool.task)
    strategy = task.strategy
    chosen = finalists(target.pool.entries, strategy.finals)
    if target.is_decided:
        most = chosen[0].found.bic + strategy.stopping.clear
        chosen = [entry for entry in chosen if entry.found.bic < most]
    share = strategy.shares.refinement
    yield from _refinement(target, refined, chosen, share=share)
    if others:
        target.lending.refined = refined.best.graph
        lent: list[Entry] = []
        yield _last_loans(target, refined, others, lent)
        share, first = strategy.shares.loans, len(chosen)
        yield from _refinement(target, refined, lent, share=share, first=first)
    refined.add(mean_formula(task, task.rows(strategy.rows.prune)))
    hopeful = hopefuls(target.pool.entries, chosen, task)
    compared = front(target.pool.entries, [*chosen, *hopeful], strategy.finals)
    yield _final_fits(target, [*refined.entries, *hopeful, *compared])


def _last_loans(
    target: Target, refined: Pool, others: Sequence[Target], lent: list[Entry]
) -> Stage:
    """Try what others have refined, and put what it gives among the lent ones."""
    task = target.pool.task
    n = task.rows(task.strategy.rows.prune).n_residuals
    return loans(
        target.number,
        refined.best.sse / n,
        task.tactics.criterion,
        lambda: [(t.number, g) for t in others if (g := t.lending.refined)],
        lambda loan: lent.append(Entry(loan, votes=0)),
        is_ready=lambda: all(t.lending.refined is not None for t in others),
        share=task.strategy.shares.borrowing,
    )


def _final_fits(target: Target, entries: Sequence[Entry]) -> Stage:
    """Fit entries to every row, and list them as candidates; the first two always."""
    by_squares = target.loss == "squared"
    pilot = None if by_squares else entries[0].found.graph

    def final_fit(rank: int) -> Job | None:
        if rank >= len(entries):
            return None
        return fit_job(
            target.number,
            rank,
            entries[rank],
            target.whole,
            stays_local=target.stays_local,
            pilot=pilot,
        )

    def take_fitted(rank: int, state: bytes | None) -> bool:
        del rank
        if state is not None:
            target.list_candidate(Candidate.from_document(from_bytes(state)))
        return False

    return Stage(final_fit, take_fitted, at_least=2)


def _refinement(
    target: Target, refined: Pool, chosen: list[Entry], *, share: float, first: int = 0
) -> Iterator[Together]:
    """Refine entries side by side into a pool."""
    task, data = target.pool.task, str(target.number)
    plans = [
        Refinement(
            f"y{target.number + 1}/refine/{rank}",
            data,
            task,
            entry.found.graph,
            share,
            _patience(target, entry.found.graph.n_parameters),
        )
        for rank, entry in enumerate(chosen, first)
    ]
    yield Together(plans)
    for plan, entry in zip(plans, chosen, strict=True):
        found, start = plan.found(), _on_more_rows(entry, task)
        # What a climb began with may be the law whose imitation is a hair closer, and
        # may keep what constraints ask for: a climb looks at rows only.
        is_kept = start.bic < found.bic + task.strategy.stopping.close
        is_kept |= bool(task.constraints)
        if is_kept:
            refined.add(start, entry.votes)
        refined.add(found, 0 if is_kept else entry.votes)


def _on_more_rows(entry: Entry, task: Task) -> Scored:
    with numerical_context(task):
        data = task.rows(task.strategy.rows.prune)
        return refit(entry.found.graph, data, task.tactics)


def _patience(target: Target, n_parameters: int) -> Patience:
    """How long a formula is refined: not at all if nothing shorter can be right."""
    strategy = target.pool.task.strategy
    patience = patience_for(n_parameters, strategy)
    is_shortest = n_parameters <= strategy.stopping.fewest_parameters
    return (
        replace(patience, n_rounds=0) if target.is_decided and is_shortest else patience
    )
