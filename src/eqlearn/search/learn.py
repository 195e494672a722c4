"""From a request to ranked formulas: tasks, plans, a run, what was found."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from eqlearn.equation.refine.criterion import complexity
from eqlearn.errors import EqlearnError
from eqlearn.jobs.backends import backend
from eqlearn.jobs.runner import Ending, Event, Interrupts, run
from eqlearn.jobs.store import Memory, Store
from eqlearn.network.graph import Graph
from eqlearn.search.attempts.grid_networks import as_trained_on
from eqlearn.search.fast_plan import FastPlan
from eqlearn.search.keep.final_fits import Candidate
from eqlearn.search.keep.guesses import put_guesses
from eqlearn.search.keep.pool import Pool, mean_formula
from eqlearn.search.keep.target import Target
from eqlearn.search.one_thread import one_thread
from eqlearn.search.paper_plan import PaperPlan
from eqlearn.search.prepare import tasks_of
from eqlearn.search.request import Request
from eqlearn.search.robust_rows import as_searched
from eqlearn.search.task import Task

#: What worker processes load before their first segment: the compiled kernels.
PRELOAD = ("eqlearn.search.fast_plan",)
#: Share of a time limit in which it is tested which inputs matter.
TESTING = 0.25
#: The least time for a search (seconds), where preparing took all there was.
MOMENT = 1e-3


@dataclass(frozen=True)
class Found:
    """What a search found for one target, best first."""

    candidates: tuple[Candidate, ...]
    n_attempts: int
    seconds: float
    ended: str  # finished, time or interrupt
    failures: tuple[tuple[str, str], ...] = ()  # jobs that failed, and why
    crowding: float = 0.0  # of rows, in the criterion of the candidates

    @property
    def is_something(self) -> bool:
        """Whether the data say more of the target than its mean."""
        return self.candidates[0].is_something


class Best(NamedTuple):
    """The best formula for one target so far."""

    graph: Graph  # in the units of the data
    rms: float
    complexity: int


class Progress(NamedTuple):
    """How far a search is, for a callback."""

    seconds: float
    time_limit: float | None
    n_done: int
    n_running: int
    n_failed: int
    best: tuple[Best, ...]  # for each target


#: Hears how far a search is; what is true in return ends it, and its best is kept.
ProgressCallback = Callable[[Progress], object]


@one_thread()
def learn(
    request: Request, callback: ProgressCallback = lambda progress: None
) -> list[Found]:
    """Search a formula for every target; `callback` hears of all that is finished."""
    interrupts = Interrupts()
    # From the first check to the last line that is kept: what is there is returned.
    with interrupts.listening():
        return _learned(request, callback, interrupts)


def _learned(
    request: Request, callback: ProgressCallback, interrupts: Interrupts
) -> list[Found]:
    begin = time.monotonic()
    tasks = tasks_of(request)
    data, targets = _targets(tasks)
    for target, graphs in zip(
        targets, request.guesses or [()] * len(targets), strict=True
    ):
        put_guesses(target.pool, graphs)
    plans = _plans(request, tasks, targets, data)

    def show(event: Event) -> None:
        counts = event.n_done, event.n_running, event.n_failed
        best = tuple(map(_best, targets))
        if callback(Progress(event.seconds, request.time_limit, *counts, best)):
            interrupts.n = max(1, interrupts.n)

    def searched(store: Memory | Store) -> list[Found]:
        # What it took to prepare is part of the time that was granted.
        limit, spent = request.time_limit, time.monotonic() - begin
        place = backend(
            data,
            jobs=request.jobs,
            scheduler=request.scheduler,
            preload=PRELOAD,
            memory=request.memory,
        )
        with place as workers:
            ending = run(
                plans,
                workers,
                store,
                time_limit=None if limit is None else max(limit - spent, MOMENT),
                interrupts=interrupts,
                callback=show,
            )
        _check_failures(targets, store)
        found = [_found(target, ending, store) for target in targets]
        rows = [[one.to_document() for one in f.candidates] for f in found]
        store.conclude(rows, ending.reason)
        return found

    if request.run_dir is None:
        return searched(Memory())
    with Store(Path(request.run_dir), request.identity) as store:
        return searched(store)


def _targets(tasks: list[Task]) -> tuple[dict[str, Task], list[Target]]:
    """The data that workers compute from, by name, and a pool for each target."""
    data: dict[str, Task] = {}
    targets = []
    for m, task in enumerate(tasks):
        rows = task.strategy.rows
        few = task if len(task.x) <= rows.prune else task.first(rows.prune)
        few = few if task.loss == "squared" else as_searched(few)
        whole = str(m) if few is task else f"{m}/all"
        data |= {str(m): few, whole: task}
        pool = Pool(few)
        pool.add(mean_formula(few, few.search_rows()), votes=0)
        is_large = task.x.nbytes > rows.largest_sent
        targets.append(Target(m, pool, whole, is_large, task.loss))
    return data, targets


def _plans(
    request: Request, tasks: list[Task], targets: list[Target], data: dict[str, Task]
) -> Sequence[FastPlan | PaperPlan]:
    grid = request.grid
    if grid is None:
        seconds = TESTING * (request.time_limit or math.inf) / len(targets)
        return [
            FastPlan(
                one,
                [t for t in targets if t is not one],
                request.max_attempts,
                seconds,
            )
            for one in targets
        ]
    data["all"] = as_trained_on(tasks)
    return [PaperPlan(grid, targets, "all", request.seed, request.strategy.shares)]


def _best(target: Target) -> Best:
    found, task = target.pool.best, target.pool.task
    n = task.search_rows().n_residuals
    rms = task.y_scale * float(np.sqrt(found.sse / n))
    return Best(task.in_units(found.graph), rms, complexity(found.graph))


def _check_failures(targets: Sequence[Target], store: Memory | Store) -> None:
    """Tell a search that failed from one that found nothing."""
    failures = list(store.failures().values())
    if failures and not any(target.n_ended for target in targets):
        raise EqlearnError(
            f"Every step of the search failed, {len(failures)} of them; the first: "
            f"{failures[0]}"
        )


def _found(target: Target, ending: Ending, store: Memory | Store) -> Found:
    return Found(
        tuple(target.candidates),
        target.n_attempts,
        ending.seconds,
        ending.reason,
        tuple(store.failures().items()),
        target.pool.task.crowding,
    )
