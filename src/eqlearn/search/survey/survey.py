"""The survey as jobs: an opening, then looks in order of simplicity."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from eqlearn.equation.refine.criterion import Scored, is_exact
from eqlearn.jobs.codec import from_bytes, to_bytes
from eqlearn.jobs.job import Job, Segment, Specification, Stage, Step, Stopwatch
from eqlearn.search.attempts.feature_fractions import solve_exactly
from eqlearn.search.attempts.input_views import Inputs, View
from eqlearn.search.strategy import Strategy
from eqlearn.search.survey.looks import (
    Look,
    SoFar,
    exact_fractions,
    fractions,
    looks_of,
    power_laws,
    views_of,
)
from eqlearn.search.survey.separated import separated
from eqlearn.search.survey_strategy import Survey
from eqlearn.search.task import Task, numerical_context


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
        self.is_open = False  # whether more than the simplest was asked for
        self.n_kinds = 0  # of looks that were made

    def first(self) -> Stage:
        """Power laws and exponential ones, and fractions that leave nothing."""
        return self._once("first", first)

    def opening(self) -> Stage:
        """The most promising fractions under every link, of the views it chooses."""
        self.is_open = True
        return self._once("opening", opening)

    def _once(self, name: str, function: Segment) -> Stage:
        name = f"y{self._target + 1}/survey/{name}"
        specification = {"inputs": list(self._inputs)}
        job = Job(name, function, specification, str(self._target))

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
            looks = list(looks_of(self._views, self._inputs, order))
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


def first(task: Task, specification: Specification, state: bytes | None) -> Step:
    """Try what is simplest, of the table as it is."""
    del state
    inputs = tuple(specification["inputs"])
    with numerical_context(task):
        found = _until_law(_firsts(task, inputs), task)
    return Step(to_bytes(_document(found, [])), True)


def opening(task: Task, specification: Specification, state: bytes | None) -> Step:
    """Choose the views for all that comes after, and try fractions of them."""
    del state
    with numerical_context(task):
        views = views_of(task, tuple(specification["inputs"]))
        found = _until_law(fractions(task, views), task)
    return Step(to_bytes(_document(found, views)), True)


def _document(found: Sequence[Scored], views: Sequence[View]) -> dict[str, Any]:
    return {
        "found": [one.to_document() for one in found],
        "views": [view.to_document() for view in views],
    }


def _until_law(laws: Iterator[Scored], task: Task) -> list[Scored]:
    """What is found, up to a law that leaves nothing."""
    found = []
    for one in _allowed(laws, task):
        found.append(one)
        if _is_law(one, task):
            break
    return found


def _firsts(task: Task, inputs: Inputs) -> Iterator[Scored]:
    yield from power_laws(task, inputs)
    plain = View(inputs)
    # A power of noise's choice may say what an exponential or a sum says better.
    for view in (plain, plain.through("log", task)):
        if view is not None:
            yield from Look(view, "small", base=1).found(task)
    yield from _exact(task, plain)


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


def is_no_imitation(found: Scored, n: int, by: Survey) -> bool:
    """Whether a formula that leaves nothing of n values is short enough for a law.

    With many constants a series leaves as little, but more than rounding errors.
    """
    is_rounding = found.sse / n < by.rounding
    return found.graph.n_parameters <= (by.most_exact if is_rounding else by.few_exact)


def _is_law(found: Scored, task: Task) -> bool:
    """Whether a formula leaves nothing, and is no series."""
    data = task.search_rows()
    is_short = is_no_imitation(found, data.n_residuals, task.strategy.survey)
    return is_short and is_exact(found, data, task.tactics)


def looked(task: Task, specification: Specification, state: bytes | None) -> Step:
    """Look as often as fits into a segment."""
    done: dict[str, Any] = {"n": 0, "found": []}
    done = done if state is None else from_bytes(state)
    watch, looks = Stopwatch(), specification["looks"]
    so_far = SoFar.from_document(specification["so_far"])
    with numerical_context(task):
        while done["n"] < len(looks):
            look = Look.from_document(looks[done["n"]])
            is_split = look.kind == "splits"
            laws = separated(look.view, task) if is_split else look.found(task, so_far)
            found = list(_allowed(laws, task))
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
