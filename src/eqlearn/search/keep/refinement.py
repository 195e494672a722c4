"""A formula refined: all moves are tried on many rows, then it is pruned on more.

The proposals of one round are cut into jobs that any worker can do. The first one that
is better ends the round, whatever was found beyond it, so that the way to the top is
the same on any number of workers.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from eqlearn.equation.refine.criterion import Scored, refit
from eqlearn.equation.refine.hill_climb import PATIENT, Patience, Trial, try_proposals
from eqlearn.equation.refine.rewrites import with_units
from eqlearn.jobs.job import (
    Job,
    Specification,
    Stage,
    Step,
    Stopwatch,
    read,
    written,
)
from eqlearn.network.document import from_document, to_document
from eqlearn.network.graph import Graph
from eqlearn.search.attempts.random_networks import QUICK_PARAMETERS
from eqlearn.search.task import (
    N_PRUNE,
    N_REFINE,
    Task,
    computing,
    pruned_in_stages,
    scored,
    scored_from,
)

#: Proposals of one job times parameters of the formula: about a second of work.
JOB_SIZE = 1000
FEWEST_PROPOSALS = 16


class Refinement:
    """The way of one formula to the top, as a plan."""

    def __init__(
        self, name: str, data: str, task: Task, start: Graph, share: float
    ) -> None:
        self._name, self._data, self._task, self._share = name, data, task, share
        self._patience, self._start = _patience(start.n_parameters), start
        self._best: Scored | None = None  # by the rows that moves are judged on
        self._last: Scored | None = None  # the best, pruned on more

    @property
    def _graph(self) -> Graph:
        return self._start if self._best is None else self._best.graph

    def found(self) -> Scored:
        """The formula that the refinement came to, or had come to when it was cut."""
        if self._last is not None:
            return self._last
        with computing(self._task):
            return refit(self._graph, self._task.rows(N_PRUNE))

    def stages(self) -> Iterator[Stage]:
        """Pruning, rounds of proposals, and pruning on more rows."""
        yield self._pruning(N_REFINE, self._keep)
        n_left = self._patience.n_proposals
        for number in range(self._patience.n_rounds):
            best = self._best
            if best is None or n_left <= 0:
                break
            tried: list[Trial] = []
            yield self._round(number, best, n_left, tried)
            if self._best is best:
                break
            n_left -= sum(trial.n for trial in tried)
        yield self._pruning(N_PRUNE, self._conclude)

    def _pruning(self, n_rows: int, keep: Callable[[Scored], None]) -> Stage:
        specification = {"graph": to_document(self._graph), "rows": n_rows}
        name = f"{self._name}/prune/{n_rows}"

        def job(index: int) -> Job | None:
            return None if index else Job(name, pruned, specification, self._data)

        def take(index: int, state: bytes | None) -> bool:
            del index
            if state is not None:
                keep(scored_from(read(state)))
            return True

        return Stage(job, take, share=self._share)

    def _round(
        self, number: int, best: Scored, n_left: int, tried: list[Trial]
    ) -> Stage:
        """Try proposals, about `n_left` at most, and note how that went."""
        n_each = max(FEWEST_PROPOSALS, JOB_SIZE // max(best.graph.n_parameters, 1))
        start = scored(best)

        def job(index: int) -> Job | None:
            first = index * n_each
            if first >= n_left:
                return None
            most = min(n_each, n_left - first)
            specification = {"best": start, "first": first, "most": most}
            name = f"{self._name}/round {number + 1}/{index}"
            return Job(name, tried_in_part, specification, self._data)

        def take(index: int, state: bytes | None) -> bool:
            del index
            # What failed, or was not reached in time, found nothing.
            trial = Trial() if state is None else _trial(read(state))
            tried.append(trial)
            if trial.better is not None:
                self._keep(trial.better)
            return trial.better is not None or not trial.has_more

        return Stage(job, take, share=self._share)

    def _keep(self, found: Scored) -> None:
        self._best = found

    def _conclude(self, found: Scored) -> None:
        self._last = found


def _patience(n_parameters: int) -> Patience:
    """The larger a formula, the less hope, and the more each proposal costs."""
    share = min(1.0, (QUICK_PARAMETERS / max(n_parameters, 1)) ** 2)
    return replace(PATIENT, n_proposals=round(share * PATIENT.n_proposals))


def pruned(task: Task, specification: Specification, state: bytes | None) -> Step:
    """Prune a formula on so many rows."""
    del state
    with computing(task):  # which also knows the user's units, that graphs may have
        graph = from_document(specification["graph"])
        found = pruned_in_stages(graph, task.rows(specification["rows"]))
    return Step(written(scored(found)), True)


def tried_in_part(
    task: Task, specification: Specification, state: bytes | None
) -> Step:
    """Try a part of a round's proposals for the length of a segment."""
    watch = Stopwatch()
    with computing(task):
        trial = try_proposals(
            scored_from(specification["best"]),
            task.rows(N_REFINE),
            with_units(task.units),
            first=specification["first"],
            most=specification["most"],
            state=None if state is None else _trial(read(state)),
            is_late=watch.is_over,
        )
    better = None if trial.better is None else scored(trial.better)
    return Step(written({**trial._asdict(), "better": better}), trial.is_over)


def _trial(document: dict[str, Any]) -> Trial:
    better = document["better"]
    return Trial(
        **{**document, "better": None if better is None else scored_from(better)}
    )
