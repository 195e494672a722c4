"""The fast recipe's stream of candidates, and the segments that work through it."""

import itertools
import math
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from eqlearn.equation.refine.criterion import Scored
from eqlearn.jobs.job import Job, Specification, Step, Stopwatch, read, written
from eqlearn.search.attempts.feature_fractions import (
    first_levels,
    later_levels,
    solve,
    solve_exactly,
)
from eqlearn.search.attempts.input_views import View, from_view, to_view
from eqlearn.search.attempts.random_networks import restart
from eqlearn.search.task import Task, computing, is_exact, scored, scored_from

#: Attempts of one job.
N_BATCH = 4
#: With so few inputs a level takes no longer than a network, and has a turn as often.
FEW_INPUTS = 3
#: Inputs that must have been taken as angles before levels may agree, at most.
MOST_ANGLES = 4
#: A job may be started before so many of its predecessors have ended, at least.
LEAST_AHEAD = 2


class Attempt(NamedTuple):
    """Something to try, told the mean squared residual of the best formula so far."""

    make: Callable[[float], Scored | None]
    is_network: bool


class Tried(NamedTuple):
    """What an attempt came to."""

    found: Scored | None
    by_network: bool = False  # networks agree by no rule, sets of features may


def attempts(task: Task) -> Iterator[Attempt]:
    """Everything worth trying, in order: simple fractions first, then by turns.

    Each attempt depends on what it is told, on the task and on its place in this order
    only.
    """
    n_inputs = task.x.shape[1]
    for level in first_levels(n_inputs):
        yield Attempt(partial(solve, task, level), is_network=False)
    yield Attempt(partial(solve_exactly, task), is_network=False)
    levels = deque(later_levels(n_inputs, with_angles="sin" in task.units))
    period = _period(n_inputs)
    for index in itertools.count():
        yield Attempt(partial(restart, task, index), is_network=True)
        # Two angles are less likely than one.
        every = period if levels and len(levels[0].angles) < 2 else 2 * period
        if levels and index % every == every - 1:
            yield Attempt(partial(solve, task, levels.popleft()), is_network=False)


def n_until_angles(n_inputs: int) -> int:
    """How many attempts it takes until every input, if few, was taken as an angle."""
    n_angles = min(n_inputs, MOST_ANGLES)
    # One attempt, between the first levels and all others, asks for exact ones.
    return len(first_levels(n_inputs)) + 1 + (_period(n_inputs) + 1) * n_angles


def _period(n_inputs: int) -> int:
    """After how many networks it is a level's turn."""
    return 1 if n_inputs <= FEW_INPUTS else 2


def n_before(index: int) -> int:
    """How many jobs must have ended before this one is specified.

    It is told the best residual of those and no more, whatever else is known by then:
    so the answer does not depend on how many workers there are, and half of the jobs
    can always be under way.
    """
    return max(0, index - max(LEAST_AHEAD, index // 2))


def batch_job(target: int, index: int, view: View, start: int, known: float) -> Job:
    """A batch of attempts from `start` on, with a view, told the best residual."""
    specification = {
        "view": to_view(view),
        "start": start,
        "known": known if math.isfinite(known) else None,
    }
    return Job(f"y{target + 1}/attempt/{index}", batch, specification, str(target))


def batch(task: Task, specification: Specification, state: bytes | None) -> Step:
    """Make the attempts of a batch, as many as fit into a segment."""
    done = [] if state is None else read(state)
    start = specification["start"]
    known = math.inf if specification["known"] is None else specification["known"]
    watch, is_over = Stopwatch(), False
    with computing(task):
        view = from_view(specification["view"])
        few, data = view.of(task), task.compared()
        left = itertools.islice(attempts(few), start + len(done), start + N_BATCH)
        for attempt in left:
            found = attempt.make(_least(known, done, data.n_residuals))
            if found is not None and math.isfinite(found.bic):
                found = view.in_full(found, data)
                done.append({**scored(found), "by_network": attempt.is_network})
                # What comes after an exact formula will not count.
                is_over = is_exact(found, data)
            else:
                done.append(None)
            if is_over or watch.is_over():
                break
    return Step(written(done), is_over or len(done) == N_BATCH)


def _least(known: float, done: list[dict[str, float] | None], n: int) -> float:
    return min([known, *(found["sse"] / n for found in done if found is not None)])


def tried_in(state: bytes | None) -> list[Tried]:
    """What a batch came to, attempt by attempt; nothing if it failed."""
    rows = [None] * N_BATCH if state is None else read(state)
    return [Tried(None) if row is None else _tried(row) for row in rows]


def _tried(row: dict[str, Any]) -> Tried:
    by_network = row.pop("by_network")
    return Tried(scored_from(row), by_network)
