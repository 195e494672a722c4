"""A formula refined: all moves are tried on many rows, then it is pruned on more.

The proposals of one round are cut into jobs that any worker can do. The first one that
is better ends the round, whatever was found beyond it, so that the way to the top is
the same on any number of workers.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from eqlearn.equation.refine.criterion import Scored, refit
from eqlearn.equation.refine.hill_climb import Trial, try_proposals
from eqlearn.equation.refine.moves import with_units
from eqlearn.equation.refine.prune import prune_in_stages
from eqlearn.equation.refine.tactics import Patience
from eqlearn.jobs.codec import from_bytes, to_bytes
from eqlearn.jobs.job import Job, Specification, Stage, Step, Stopwatch
from eqlearn.network.document import from_document, to_document
from eqlearn.network.graph import Graph
from eqlearn.search.strategy import Strategy
from eqlearn.search.task import Task, numerical_context


class Refinement:
    """The way of one formula to the top, as a plan."""

    def __init__(
        self,
        name: str,
        data: str,
        task: Task,
        start: Graph,
        share: float,
        patience: Patience,
    ) -> None:
        self._name, self._data, self._task, self._share = name, data, task, share
        self._patience = patience
        self._start = start
        self._best: Scored | None = None  # by the rows that moves are judged on
        self._last: Scored | None = None  # the best, pruned on more

    @property
    def _graph(self) -> Graph:
        return self._start if self._best is None else self._best.graph

    def found(self) -> Scored:
        """The formula that the refinement came to, or had come to when it was cut."""
        if self._last is not None:
            return self._last
        task = self._task
        with numerical_context(task):
            data = task.rows(task.strategy.rows.prune)
            return refit(self._graph, data, task.tactics)

    def stages(self) -> Iterator[Stage]:
        """Pruning, rounds of proposals, and pruning on more rows."""
        rows = self._task.strategy.rows
        yield self._pruning(rows.refine, self._keep)
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
        yield self._pruning(rows.prune, self._conclude)

    def _pruning(self, n_rows: int, keep: Callable[[Scored], None]) -> Stage:
        specification = {"graph": to_document(self._graph), "rows": n_rows}
        name = f"{self._name}/prune/{n_rows}"

        def job(index: int) -> Job | None:
            return None if index else Job(name, pruned, specification, self._data)

        def take(index: int, state: bytes | None) -> bool:
            del index
            if state is not None:
                keep(Scored.from_document(from_bytes(state)))
            return True

        return Stage(job, take, share=self._share)

    def _round(
        self, number: int, best: Scored, n_left: int, tried: list[Trial]
    ) -> Stage:
        """Try proposals, about `n_left` at most, and note how that went."""
        by, n_parameters = self._task.strategy.finals, max(best.graph.n_parameters, 1)
        n_each = max(by.fewest_proposals, by.job_size // n_parameters)
        start = best.to_document()

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
            trial = Trial() if state is None else Trial.from_document(from_bytes(state))
            tried.append(trial)
            if trial.better is not None:
                self._keep(trial.better)
            return trial.better is not None or not trial.has_more

        return Stage(job, take, share=self._share)

    def _keep(self, found: Scored) -> None:
        self._best = found

    def _conclude(self, found: Scored) -> None:
        self._last = found


def patience_for(n_parameters: int, strategy: Strategy) -> Patience:
    """The larger a formula, the less hope, and the more each proposal costs."""
    patience, most = strategy.tactics.climbing, strategy.networks.most_parameters
    share = min(1.0, (most / max(n_parameters, 1)) ** 2)
    return replace(patience, n_proposals=round(share * patience.n_proposals))


def pruned(task: Task, specification: Specification, state: bytes | None) -> Step:
    """Prune a formula on so many rows."""
    del state
    with numerical_context(task):  # which also knows the user's units
        graph = from_document(specification["graph"])
        data = task.rows(specification["rows"])
        found = prune_in_stages(graph, data, task.tactics)
    return Step(to_bytes(found.to_document()), True)


def tried_in_part(
    task: Task, specification: Specification, state: bytes | None
) -> Step:
    """Try a part of a round's proposals for the length of a segment."""
    watch = Stopwatch()
    with numerical_context(task):
        trial = try_proposals(
            Scored.from_document(specification["best"]),
            task.rows(task.strategy.rows.refine),
            with_units({*task.units, *task.survey_units}),
            task.tactics,
            first=specification["first"],
            most=specification["most"],
            state=None if state is None else Trial.from_document(from_bytes(state)),
            is_late=watch.is_over,
        )
    return Step(to_bytes(trial.to_document()), trial.is_over)
