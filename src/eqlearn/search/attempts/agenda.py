"""In which order the fast recipe tries things, and the segments that try them."""

import itertools
import math
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from eqlearn.equation.refine.criterion import Scored, is_exact
from eqlearn.jobs.codec import from_bytes, to_bytes
from eqlearn.jobs.job import Job, Specification, Step, Stopwatch
from eqlearn.search.attempts.feature_fractions import (
    first_fractions,
    later_fractions,
    solve,
    solve_exactly,
)
from eqlearn.search.attempts.input_views import View
from eqlearn.search.attempts.random_networks import train_network
from eqlearn.search.strategy import Strategy
from eqlearn.search.task import Task, numerical_context


class Attempt(NamedTuple):
    """Something to try, told the mean squared residual of the best formula so far."""

    make: Callable[[float], Scored | None]
    is_network: bool


class AttemptOutcome(NamedTuple):
    """What an attempt came to."""

    found: Scored | None
    by_network: bool = False  # networks agree by no rule, sets of features may


def attempts(task: Task) -> Iterator[Attempt]:
    """Everything worth trying, in order: simple fractions first, then by turns.

    Each attempt depends on what it is told, on the task and on its place in this order
    only.
    """
    n_inputs, strategy = task.x.shape[1], task.strategy
    for fraction in first_fractions(n_inputs, strategy.fractions):
        yield Attempt(partial(solve, task, fraction), is_network=False)
    yield Attempt(partial(solve_exactly, task), is_network=False)
    with_angles = "sin" in task.units
    later = deque(later_fractions(n_inputs, strategy.fractions, with_angles))
    period = _period(n_inputs, strategy)
    for number in itertools.count():
        yield Attempt(partial(train_network, task, number), is_network=True)
        # Two angles are less likely than one.
        every = period if later and len(later[0].angles) < 2 else 2 * period
        if later and number % every == every - 1:
            yield Attempt(partial(solve, task, later.popleft()), is_network=False)


def n_until_angles(n_inputs: int, strategy: Strategy) -> int:
    """How many attempts it takes until every input, if few, was taken as an angle."""
    n_first = len(first_fractions(n_inputs, strategy.fractions))
    n_angles = min(n_inputs, strategy.agenda.most_angles)
    # One attempt, between the first fractions and all others, asks for exact ones.
    return n_first + 1 + (_period(n_inputs, strategy) + 1) * n_angles


def _period(n_inputs: int, strategy: Strategy) -> int:
    """After how many networks it is a fraction's turn."""
    return 1 if n_inputs <= strategy.agenda.few_inputs else 2


def n_before(index: int, strategy: Strategy) -> int:
    """How many jobs must have ended before this one is specified.

    It is told the best residual of those and no more, whatever else is found by then:
    so the answer does not depend on how many workers there are, and half of the jobs
    can always be under way.
    """
    return max(0, index - max(strategy.agenda.least_ahead, index // 2))


def batch_job(target: int, index: int, view: View, start: int, residual: float) -> Job:
    """A batch of attempts from `start` on, with a view, told the best residual."""
    specification = {
        "view": view.to_document(),
        "start": start,
        "residual": residual if math.isfinite(residual) else None,
    }
    return Job(f"y{target + 1}/attempt/{index}", batch, specification, str(target))


def batch(task: Task, specification: Specification, state: bytes | None) -> Step:
    """Make the attempts of a batch, as many as fit into a segment."""
    done = [] if state is None else from_bytes(state)
    start, told = specification["start"], specification["residual"]
    residual = math.inf if told is None else told
    watch, is_over, n = Stopwatch(), False, task.strategy.agenda.batch
    with numerical_context(task):
        view = View.from_document(specification["view"])
        few, data = view.of(task), task.search_rows()
        for attempt in itertools.islice(attempts(few), start + len(done), start + n):
            found = attempt.make(_least(residual, done, data.n_residuals))
            if found is not None and math.isfinite(found.bic):
                found = view.in_full(found, data, task.tactics)
                done.append({**found.to_document(), "by_network": attempt.is_network})
                # What comes after an exact formula will not count.
                is_over = is_exact(found, data, task.tactics)
            else:
                done.append(None)
            if is_over or watch.is_over():
                break
    return Step(to_bytes(done), is_over or len(done) == n)


def _least(residual: float, done: list[dict[str, float] | None], n: int) -> float:
    return min([residual, *(found["sse"] / n for found in done if found is not None)])


def outcomes(state: bytes | None, strategy: Strategy) -> list[AttemptOutcome]:
    """What a batch came to, attempt by attempt; nothing if it failed."""
    rows = [None] * strategy.agenda.batch if state is None else from_bytes(state)
    return [AttemptOutcome(None) if row is None else _outcome(row) for row in rows]


def _outcome(row: dict[str, Any]) -> AttemptOutcome:
    by_network = row.pop("by_network")
    return AttemptOutcome(Scored.from_document(row), by_network)
