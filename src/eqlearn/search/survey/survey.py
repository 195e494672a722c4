"""The survey as jobs: an opening, then looks in order of simplicity."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from eqlearn.equation.refine.criterion import Scored, is_exact
from eqlearn.jobs.codec import from_bytes, to_bytes
from eqlearn.jobs.job import Job, Specification, Stage, Step, Stopwatch
from eqlearn.search.attempts.feature_fractions import solve_exactly
from eqlearn.search.attempts.input_views import Inputs, View
from eqlearn.search.strategy import LookOrder, Strategy
from eqlearn.search.survey.looks import (
    Look,
    SoFar,
    exact_fractions,
    fractions,
    power_laws,
)
from eqlearn.search.survey.reductions import from_origins, reduced_views
from eqlearn.search.task import Task, numerical_context

_ARCS = ("sin", "cos", "tan")
_ALL = (None, "log", "inverse", "square", "inverse square", "root")
_SHARES = ("logit", "complement", "survival", "failure")
#: Links through which each kind of term is looked for; None is the target as it is.
_THROUGH: dict[str, tuple[str | None, ...]] = {
    "small": (*_ALL, *_SHARES, *_ARCS),
    "whole sums": (*_ALL, *_SHARES, *_ARCS),
    "sums": (*_ALL, *_SHARES, *_ARCS),
    "exp": (None, "inverse", "log", "square"),
    "bends": (None, "square"),
    "powers": (None, "inverse", "log", "square", "complement"),
    "waves": (None, "square"),
    "fast waves": (None,),
    "curves": (None,),
    "families": (None, "log", "square"),
    "damped": (None,),
}


class SurveyPlan:
    """The survey for one target: an opening, and looks at the views it has chosen."""

    def __init__(
        self,
        target: int,
        inputs: Inputs,
        strategy: Strategy,
        take: Callable[[Sequence[Scored] | None], bool],
        so_far: Callable[[], SoFar],
    ) -> None:
        """`take` gets what was found, or None; it tells whether that is enough."""
        self._target, self._inputs, self._take = target, inputs, take
        self._so_far = so_far
        self._by, self._share = strategy.survey, strategy.shares.survey
        self._views: list[View] = []
        self.n_kinds = 0  # of looks that were made

    def opening(self) -> Stage:
        """Power laws, and the most promising fractions under every link."""
        name = f"y{self._target + 1}/survey/opening"
        specification = {"inputs": list(self._inputs)}
        job = Job(name, opening, specification, str(self._target))

        def take(index: int, state: bytes | None) -> bool:
            del index
            self._take(None if state is None else found_in(state))
            self._views = views_in(state)
            return True

        return Stage(lambda i: None if i else job, take, share=self._share)

    def looks(self) -> Iterator[Stage]:
        """Everything else, kind after kind, some looks in a job."""
        n, first = self._by.looks_a_job, 0
        for order in self._by.order:
            looks = list(looks_at(self._views, order))
            groups = [looks[k : k + n] for k in range(0, len(looks), n)]
            if groups:
                yield self._looks(first, groups)
                first += len(groups)
            self.n_kinds += 1

    def _looks(self, first: int, groups: list[list[Look]]) -> Stage:
        so_far = self._so_far()  # the same for all, whichever ends first

        def job(index: int) -> Job | None:
            if index >= len(groups):
                return None
            specification = {
                "looks": [look.to_document() for look in groups[index]],
                "so_far": so_far.to_document(),
            }
            name = f"y{self._target + 1}/survey/{first + index}"
            return Job(name, looked, specification, str(self._target))

        def take(index: int, state: bytes | None) -> bool:
            del index
            return self._take(None if state is None else found_in(state))

        return Stage(job, take, share=self._share)


def opening(task: Task, specification: Specification, state: bytes | None) -> Step:
    """Try what is simplest, and choose the views for what comes after."""
    del state
    inputs = tuple(specification["inputs"])
    found: list[Scored] = []
    views: list[View] = []
    with numerical_context(task):
        for one in _allowed(_openings(task, inputs, views), task):
            found.append(one)
            if _is_law(one, task):
                break
    document = {
        "found": [one.to_document() for one in found],
        "views": [view.to_document() for view in views],
    }
    return Step(to_bytes(document), True)


def _openings(task: Task, inputs: Inputs, views: list[View]) -> Iterator[Scored]:
    """What is simplest first; the views are chosen once that was not enough."""
    yield from power_laws(task, inputs)
    plain = View(inputs)
    yield from _exact(task, plain)
    views += views_of(task, inputs)
    yield from fractions(task, views)


def _exact(task: Task, plain: View) -> list[Scored]:
    """Fractions that leave nothing, the shortest first: a long one may be a series."""
    found = list(exact_fractions(task, plain))
    fewest = task.strategy.stopping.fewest_parameters
    if min((one.graph.n_parameters for one in found), default=math.inf) > fewest:
        n = task.search_rows().n_residuals
        least = min((one.sse / n for one in found), default=math.inf)
        solved = solve_exactly(plain.of(task), least)
        if solved is not None:
            found.append(plain.in_full(solved, task.search_rows(), task.tactics))
    return sorted(found, key=lambda one: one.graph.n_parameters)


def _is_law(found: Scored, task: Task) -> bool:
    """Whether a short formula leaves nothing: with many constants anything would."""
    is_short = found.graph.n_parameters <= task.strategy.survey.most_exact
    return is_short and is_exact(found, task.search_rows(), task.tactics)


def views_of(task: Task, inputs: Inputs) -> list[View]:
    """The reduced table, or the table as it is, through every link."""
    plain = from_origins(View(inputs), task)
    found = []
    for first in (None, *_ARCS):
        view = plain if first is None else plain.through(first, task)
        if view is None:
            continue
        for one in reduced_views(view, task) or [view]:
            names = (*_ALL[1:], *_SHARES) if first is None else ()
            linked = [one.through(name, task) for name in names]
            found += [one, *(v for v in linked if v is not None)]
    twice = [v.through("log", task) for v in found if v.link == "log"]
    return found + [v for v in twice if v is not None]


def looks_at(views: Sequence[View], order: LookOrder) -> Iterator[Look]:
    """Looks of one kind at all views that are asked for it."""
    kind, outer, base, most = order
    for view in views:
        if view.link in _THROUGH[kind] and view.n_variables <= most:
            yield Look(view, kind, outer, base)


def looked(task: Task, specification: Specification, state: bytes | None) -> Step:
    """Look as often as fits into a segment."""
    done: dict[str, Any] = {"n": 0, "found": []}
    done = done if state is None else from_bytes(state)
    watch, looks = Stopwatch(), specification["looks"]
    so_far = SoFar.from_document(specification["so_far"])
    with numerical_context(task):
        while done["n"] < len(looks):
            look = Look.from_document(looks[done["n"]])
            found = list(_allowed(look.found(task, so_far), task))
            done["found"] += [one.to_document() for one in found]
            done["n"] += 1
            if any(_is_law(one, task) for one in found):
                done["n"] = len(looks)  # what comes after will not count
            if watch.is_over():
                break
    return Step(to_bytes(done), done["n"] == len(looks))


def _allowed(found: Iterator[Scored], task: Task) -> Iterator[Scored]:
    """The formulas that have a criterion, and no unit that is not asked for."""
    for one in found:
        units = {node.unit for node in one.graph.nodes}
        # Links may divide by what is nearly nothing, and fit well all the same.
        weights = (weight for _, weight in one.graph.connections())
        are_finite = all(map(math.isfinite, (one.bic, *weights)))
        if are_finite and units <= set(task.survey_units):
            yield one


def found_in(state: bytes) -> list[Scored]:
    """What an opening or some looks have found."""
    return [Scored.from_document(one) for one in from_bytes(state)["found"]]


def views_in(state: bytes | None) -> list[View]:
    """The views that an opening has chosen; none if it failed."""
    if state is None:
        return []
    return [View.from_document(one) for one in from_bytes(state)["views"]]
