"""Learning by group: searches for forms, fits in all groups, the best of them."""

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from eqlearn._types import Array, Integers
from eqlearn.equation.refine.criterion import complexity
from eqlearn.equation.refine.tactics import STANDARD as TACTICS
from eqlearn.groups.form_starts import (
    FormStart,
    normal_forms,
    pattern,
    views,
    with_offset,
    without_each,
)
from eqlearn.groups.group_settings import STANDARD, GroupSettings
from eqlearn.groups.grouped_fit import GroupedRows
from eqlearn.groups.sharing import (
    Told,
    everywhere,
    judged,
    told_apart,
    with_simple_constants,
)
from eqlearn.groups.usual_curves import usual_curves
from eqlearn.jobs.serial import TimeIsUp, cut_off
from eqlearn.jobs.store import Store
from eqlearn.knowledge.constraining.constraints import Constraint
from eqlearn.model.prediction import with_parameters
from eqlearn.network.document import to_document
from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.network.units import UNITS
from eqlearn.search.learn import Found, ProgressCallback, learn
from eqlearn.search.request import Request, fingerprint
from eqlearn.search.streams import Stream, generator


@dataclass(frozen=True, eq=False)
class FoundByGroup:
    """What was found for one target: forms told apart, the best first."""

    forms: tuple[Told, ...]
    rows: GroupedRows
    n_attempts: int
    seconds: float
    ended: str  # finished, time or interrupt
    failures: tuple[tuple[str, str], ...] = ()
    constraints: tuple[Constraint, ...] = ()


def learn_by_group(
    request: Request,
    labels: Integers,
    n_groups: int,
    callback: ProgressCallback = lambda progress: None,
    *,
    simple: bool = True,
    by: GroupSettings = STANDARD,
) -> list[FoundByGroup]:
    """Search one form for all groups, for every target.

    In a run directory each search is kept in a directory of its own; the same request
    again goes on from there.
    """
    # Threads for matrices this small only wait for each other.
    with threadpool_limits(limits=1):
        return _in_a_run(request, labels, n_groups, callback, simple, by)


def _in_a_run(
    request: Request,
    labels: Integers,
    n_groups: int,
    callback: ProgressCallback,
    simple: bool,
    by: GroupSettings,
) -> list[FoundByGroup]:
    if request.run_dir is None:
        return _learned(request, labels, n_groups, callback, simple, by)
    identity = request.identity
    settings = {**identity["settings"], "groups": fingerprint(labels)}
    with Store(Path(request.run_dir), {**identity, "settings": settings}) as store:
        found = _learned(request, labels, n_groups, callback, simple, by)
        forms = [[to_document(one.fit.graph) for one in each.forms] for each in found]
        store.conclude(forms, found[0].ended)
    return found


def _learned(
    request: Request,
    labels: Integers,
    n_groups: int,
    callback: ProgressCallback,
    simple: bool,
    by: GroupSettings,
) -> list[FoundByGroup]:
    weight = request.weight
    root = np.ones(len(request.y)) if weight is None else np.sqrt(weight)
    units, found = frozenset(request.units or UNITS), []
    for m, column in enumerate(request.y.T):
        begin = time.monotonic()
        rows = GroupedRows(request.x, column, labels, n_groups, root)
        searches = list(_searches(request, rows, m, callback, by))
        guesses = request.guesses[m] if request.guesses else ()
        given = [_mean(request.x.shape[1]), *guesses]
        starts = [FormStart(graph, np.ones(n_groups)) for graph in given]
        starts += usual_curves(rows, units, generator(request.seed, Stream.CURVES, m))
        limit = (request.time_limit or math.inf) / request.y.shape[1]
        watch = _Watch(len(starts), begin + limit, by.grace * limit)
        starts += [start for some, _ in searches for start in some]
        forms = _best(starts, rows, by, watch, simple=simple)
        ends = [one.ended for _, one in searches]
        found.append(
            FoundByGroup(
                forms,
                rows,
                sum(one.n_attempts for _, one in searches),
                time.monotonic() - begin,
                next((end for end in ("interrupt", "time") if end in ends), "finished"),
                tuple(fail for _, one in searches for fail in one.failures),
                tuple((request.constraints or [()] * request.y.shape[1])[m]),
            )
        )
    return found


@dataclass(frozen=True)
class _Watch:
    """When fits end: forms that were not found by searches are always tried."""

    n_always: int
    deadline: float

    grace: float  # seconds after it in which they must be done

    def is_over(self, n_tried: int) -> bool:
        late = time.monotonic() - self.deadline
        return late > (0.0 if n_tried >= self.n_always else self.grace)

    @contextmanager
    def in_time(self) -> Iterator[None]:
        """Break off what is done in this block when all time is over.

        What it has come to by then has to do.
        """
        left = self.deadline + self.grace - time.monotonic()
        with suppress(TimeIsUp), cut_off(left):
            yield


def _mean(n_inputs: int) -> Graph:
    """A number for each group: there may be nothing else to find."""
    return Graph(n_inputs, (), (({CONSTANT: 1.0}, {CONSTANT: 1.0}),))


def _searches(
    request: Request,
    rows: GroupedRows,
    target: int,
    callback: ProgressCallback,
    by: GroupSettings,
) -> Iterator[tuple[list[FormStart], Found]]:
    """Search views of the rows for forms, each for its share of the time."""
    looks = list(views(rows, by.n_single, by.fewest_alone))
    limit, n_targets = request.time_limit, request.y.shape[1]
    total = None if limit is None else by.share_of_time * limit / n_targets
    seconds = None if total is None else total / len(looks)
    attempts = min(request.max_attempts or by.attempts, by.attempts)
    for number, view in enumerate(looks):
        y = rows.y[view.rows] / view.scales[rows.labels[view.rows]]
        weight, run_dir = request.weight, request.run_dir
        part = replace(
            request,
            x=rows.x[view.rows],
            y=y[:, None],
            weight=None if weight is None else weight[view.rows],
            time_limit=seconds,
            max_attempts=attempts,
            guesses=None,
            # Constants of groups have dimensions: there are no dimensionless groups.
            dimensions=None,
            run_dir=None
            if run_dir is None
            else Path(run_dir) / f"search-{target + 1}-{number + 1}",
        )
        (found,) = learn(part, callback)
        yield [FormStart(one.graph, view.scales) for one in found.candidates], found
        if found.ended == "interrupt":
            return


def _best(
    starts: Sequence[FormStart],
    rows: GroupedRows,
    by: GroupSettings,
    watch: _Watch,
    *,
    simple: bool,
) -> tuple[Told, ...]:
    """Fit all forms in all groups, tell shared constants of the best, and prune."""
    x = np.ascontiguousarray(rows.x.T)
    known: set[object] = set()
    told = _ranked(starts, known, rows, x, by, watch)
    if not told:  # there was no time for more than a number for each group
        alone = _told(starts[0], rows, x, by)
        told = [one for one in alone if math.isfinite(one.criterion)]
    more = [
        FormStart(graph, np.ones(rows.n_groups))
        for one in told[: by.n_kept]
        if (graph := with_offset(_typical(one))) is not None
    ]
    told = sorted([*told, *_ranked(more, known, rows, x, by, watch)], key=_criterion)
    best = _distinct(told)[: by.n_kept]
    kept = _distinct(
        sorted((_pruned(one, rows, x, by, watch) for one in best), key=_criterion)
    )
    for number, one in enumerate(kept if simple else ()):
        with watch.in_time():
            fit = with_simple_constants(one.fit, rows, TACTICS, by)
            kept[number] = replace(one, fit=fit)
    return tuple(kept)


def _criterion(told: Told) -> float:
    return told.criterion


def _ranked(
    starts: Sequence[FormStart],
    known: set[object],
    rows: GroupedRows,
    x: Array,
    by: GroupSettings,
    watch: _Watch,
) -> list[Told]:
    """Forms that were not tried before, those that promise most told apart."""
    ranked: list[tuple[float, FormStart]] = []
    for number, start in enumerate(starts):
        if watch.is_over(number):
            break
        with watch.in_time():
            form = replace(start, graph=next(normal_forms(start.graph, x)))
            if _is_new(form.graph, known, by):
                ranked.append((_promise(form, rows, by), form))
    ranked.sort(key=lambda pair: pair[0])
    told: list[Told] = []
    with watch.in_time():
        for _, form in ranked[: by.n_told]:
            found = _told(form, rows, x, by)
            told += [one for one in found if math.isfinite(one.criterion)]
    return sorted(told, key=_criterion)


def _is_new(graph: Graph, known: set[object], by: GroupSettings) -> bool:
    key = pattern(graph)
    if key in known or not 0 < graph.n_parameters <= by.most_constants:
        return False
    known.add(key)
    return True


def _promise(form: FormStart, rows: GroupedRows, by: GroupSettings) -> float:
    """What a form may come to: the criterion with all constants in every group."""
    whole = everywhere(form.graph, form.values(), rows, by)
    if rows.n_groups * form.graph.n_parameters * by.free_rows <= len(rows.y):
        return judged(whole, rows, TACTICS).criterion
    return judged(told_apart(whole, rows, by), rows, TACTICS).criterion


def _told(
    form: FormStart, rows: GroupedRows, x: Array, by: GroupSettings
) -> Iterator[Told]:
    for graph in normal_forms(form.graph, x):
        start = replace(form, graph=graph)
        whole = everywhere(graph, start.values(), rows, by)
        yield judged(told_apart(whole, rows, by), rows, TACTICS)


def _pruned(
    best: Told, rows: GroupedRows, x: Array, by: GroupSettings, watch: _Watch
) -> Told:
    """Leave out constants as long as the criterion falls, and there is time."""
    with watch.in_time():
        for smaller in _smaller(best, rows, x, by):
            best = smaller
    return best


def _smaller(
    best: Told, rows: GroupedRows, x: Array, by: GroupSettings
) -> Iterator[Told]:
    ones = np.ones(rows.n_groups)
    while True:
        less = without_each(_typical(best), x)
        forms = [FormStart(one, ones) for one in less if one.n_parameters]
        if not forms:
            return
        likely = min(forms, key=lambda form: _promise(form, rows, by))
        found = min(_told(likely, rows, x, by), key=_criterion)
        if not found.criterion < best.criterion:
            return
        yield found
        best = found


def _typical(told: Told) -> Graph:
    """The form with the constants of a typical group."""
    return with_parameters(told.fit.graph, np.median(told.fit.values, axis=1))


def _distinct(told: Sequence[Told]) -> list[Told]:
    """Those that differ by more than how they are written."""
    found: list[Told] = []
    for one in told:
        same = (
            abs(one.fit.sse - other.fit.sse) <= 1e-6 * other.fit.sse
            and complexity(one.fit.graph) >= complexity(other.fit.graph)
            and one.fit.n_constants >= other.fit.n_constants
            for other in found
        )
        if not any(same):
            found.append(one)
    return found
