"""The fast recipe's stream of candidates, and the segments that work through it."""

import itertools
import math
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial

from eqlearn.equation.criterion import Scored
from eqlearn.search.jobs import Job, Specification, Step, Stopwatch, read, written
from eqlearn.search.levels import first_levels, later_levels, solve
from eqlearn.search.restarts import restart
from eqlearn.search.task import N_SEARCH, Task, computing, is_exact, scored, scored_from

#: Attempts of one job.
N_BATCH = 4
#: A job may be started before so many of its predecessors have ended, at least.
LEAST_AHEAD = 2


def attempts(task: Task) -> Iterator[Callable[[float], Scored | None]]:
    """Everything worth trying, in order: simple fractions first, then by turns.

    Each attempt is called with the mean squared residual of the best formula so far,
    and otherwise depends on the task and its place in this order only.
    """
    n_inputs = task.x.shape[1]
    for level in first_levels(n_inputs):
        yield partial(solve, task, level)
    levels = deque(later_levels(n_inputs, with_angles="sin" in task.units))
    for index in itertools.count():
        yield partial(restart, task, index)
        # Those with one angle by turns with networks; the others are less likely.
        if levels and (len(levels[0].angles) < 2 or index % 4 == 0):
            yield partial(solve, task, levels.popleft())


def n_before(index: int) -> int:
    """How many jobs must have ended before this one is specified.

    It is told the best residual of those and no more, whatever else is known by then:
    so the answer does not depend on how many workers there are, and half of the jobs
    can always be under way.
    """
    return max(0, index - max(LEAST_AHEAD, index // 2))


def batch_job(target: int, index: int, known: float) -> Job:
    """A batch of consecutive attempts, told the best residual so far."""
    specification = {
        "first": index * N_BATCH,
        "known": known if math.isfinite(known) else None,
    }
    return Job(f"y{target + 1}/attempt/{index}", batch, specification, str(target))


def batch(task: Task, specification: Specification, state: bytes | None) -> Step:
    """Make the attempts of a batch, as many as fit into a segment."""
    done = [] if state is None else read(state)
    first = specification["first"]
    known = math.inf if specification["known"] is None else specification["known"]
    watch, is_over = Stopwatch(), False
    with computing(task):
        data = task.rows(N_SEARCH)
        left = itertools.islice(attempts(task), first + len(done), first + N_BATCH)
        for attempt in left:
            found = attempt(_least(known, done, data.n_residuals))
            is_good = found is not None and math.isfinite(found.bic)
            done.append(scored(found) if found is not None and is_good else None)
            # What comes after an exact formula will not count.
            is_over = found is not None and is_exact(found, data)
            if is_over or watch.is_over():
                break
    return Step(written(done), is_over or len(done) == N_BATCH)


def _least(known: float, done: list[dict[str, float] | None], n: int) -> float:
    return min([known, *(found["sse"] / n for found in done if found is not None)])


def found_in(state: bytes | None) -> list[Scored | None]:
    """What a batch found, attempt by attempt; nothing if it failed."""
    if state is None:
        return [None] * N_BATCH
    return [None if found is None else scored_from(found) for found in read(state)]
