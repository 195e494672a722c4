"""The fast recipe from a table to ranked formulas, in one process.

Restarts go into one pool; when more of them cannot be expected to change the answer,
the best of the pool are refined on all rows and ranked by the information criterion.
"""

import itertools
import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from eqlearn._types import Array
from eqlearn.data.scale import Scaling, domain_of_use, scaling_of
from eqlearn.data.table import checked_domain, checked_samples
from eqlearn.equation.constants import Constant, constants, snap
from eqlearn.equation.criterion import EXACT, Scored, score
from eqlearn.equation.symbolic import rescaled
from eqlearn.errors import must
from eqlearn.network.canonical import canonical, displayed
from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.network.units import unit
from eqlearn.search.levels import first_levels, later_levels, solve
from eqlearn.search.restarts import restart
from eqlearn.search.task import (
    DEFAULT_UNITS,
    N_PRUNE,
    N_SEARCH,
    Task,
    finish,
    is_exact,
)
from eqlearn.training.levenberg import Samples, fit, samples

#: Stop when this many attempts ended in the best formula, or in one whose criterion is
#: as close as this, and when so many attempts were made.
CLOSE = 15.0
ENOUGH_VOTES = 3
LEAST_ATTEMPTS = 16
MOST_ATTEMPTS = 400
#: How many of the pool are refined, if not further behind the best than this.
N_FINALISTS = 5
FINALIST_MARGIN = 40.0
#: Rows that decide whether a constant may be snapped.
N_SNAP = 100_000
#: How many formulas a search looks at, about, before one is best by chance.
N_LOOKED = 1e6
#: What a pole in the domain of use costs in the criterion.
POLE_CHARGE = 20.0


@dataclass(frozen=True)
class Candidate:
    """A formula for one target, in the units of the data."""

    graph: Graph
    snapped: Graph  # with simple constants where the data allow them
    constants: tuple[Constant, ...]  # of `graph`, with standard errors
    bic: float
    rms: float  # of the residuals, in the units of the target
    votes: int  # restarts that ended in this formula
    has_pole: bool  # a denominator changes sign in the domain of use


@dataclass(frozen=True)
class Found:
    """What a search found for one target, best first."""

    candidates: tuple[Candidate, ...]
    n_attempts: int
    seconds: float

    @property
    def is_something(self) -> bool:
        """Whether the data say more of the target than its mean."""
        graph = self.candidates[0].graph
        return any(linear.keys() - {CONSTANT} for linear in graph.slots())


class Event(NamedTuple):
    """Progress, for a callback: one restart is done."""

    target: int
    n_attempts: int
    seconds: float
    best: Graph  # in the units of the data


def learn(
    x: Array,
    y: Array,
    *,
    domain: Array | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    far: tuple[Array, Array] | None = None,
    units: Sequence[str] = DEFAULT_UNITS,
    callback: Callable[[Event], None] = lambda event: None,
) -> list[Found]:
    """Search a formula for every column of `y` (N, M) in terms of `x` (N, D).

    `domain` is the domain of use, (low, high) for each input. `time_limit` is in
    seconds, shared evenly by the targets; without one the search ends by itself.
    `far` are labelled points outside the range of the others: few of them tell a
    formula from its imitations. `units` are what networks are made of.
    """
    x, y = checked_samples(x, y)
    if time_limit is not None and not time_limit > 0:
        raise must("time_limit", "above 0 seconds, or None", time_limit)
    for name in units:
        unit(name)
    order = np.random.default_rng([seed, 3]).permutation(len(x))
    x, y = x[order], y[order]
    scales = scaling_of(x, y)
    if far is not None:
        x_far, y_far = _checked_far(far, x, y)
        # In front, so that no smaller selection of rows leaves them out.
        x, y = np.concatenate([x_far, x]), np.concatenate([y_far, y])
    if domain is None:
        low, high = domain_of_use(x)
    else:
        low, high = checked_domain(domain, x.shape[1])
    share = None if time_limit is None else time_limit / y.shape[1]
    found = []
    for m in range(y.shape[1]):
        scaling = Scaling(scales.x, scales.y[m : m + 1])
        task = Task(
            x / scaling.x,
            y[:, m : m + 1] / scaling.y,
            low / scaling.x,
            high / scaling.x,
            scaling.x,
            seed=seed,
            units=tuple(units),
        )
        # More threads only get in each other's way on matrices of this size.
        with threadpool_limits(limits=1, user_api="blas"), np.errstate(all="ignore"):
            found.append(_learn_one(task, scaling, m, share, callback))
    return found


def _checked_far(far: tuple[Array, Array], x: Array, y: Array) -> tuple[Array, Array]:
    x_far, y_far = checked_samples(*far)
    if (x_far.shape[1], y_far.shape[1]) != (x.shape[1], y.shape[1]):
        what = f"points with {x.shape[1]} inputs and {y.shape[1]} targets"
        raise must("far", what, (x_far.shape[1], y_far.shape[1]))
    return x_far, y_far


@dataclass
class _Entry:
    found: Scored
    votes: int = 1


def _learn_one(
    task: Task,
    scaling: Scaling,
    target: int,
    time_limit: float | None,
    callback: Callable[[Event], None],
) -> Found:
    start = time.monotonic()
    data = task.rows(N_SEARCH)
    nothing = _constant(task, data)
    pool = [_Entry(nothing)]
    stream = attempts(task)
    n_attempts = 0

    def is_late(share: float) -> bool:
        limit = float("inf") if time_limit is None else share * time_limit
        return time.monotonic() - start > limit

    def is_over() -> bool:
        # The refinement of the best takes its share of a time limit too.
        if is_late(0.7):
            return True
        if is_exact(pool[0].found, data):
            return True
        least = LEAST_ATTEMPTS + len(first_levels(task.x.shape[1]))
        if pool[0].found is nothing:
            return n_attempts >= 2 * least
        # On few rows a chance find may be ahead of what was found again and again.
        close = [e for e in pool if e.found.bic < pool[0].found.bic + CLOSE]
        agreed = max(entry.votes for entry in close) >= ENOUGH_VOTES
        return n_attempts >= (least if agreed else MOST_ATTEMPTS)

    while not is_over():
        left = min(entry.found.sse for entry in pool) / data.n_residuals
        found = next(stream)(left)
        n_attempts += 1
        if found is not None and np.isfinite(found.bic):
            _vote(pool, _charged(found, task))
        best = _in_units(pool[0].found.graph, scaling)
        callback(Event(target, n_attempts, time.monotonic() - start, best))
    finalists = _finalists(pool, task, lambda: is_late(0.95))
    candidates = tuple(_candidate(entry, task, scaling) for entry in finalists)
    return Found(candidates, n_attempts, time.monotonic() - start)


def _constant(task: Task, data: Samples) -> Scored:
    """The formula that explains nothing, which others must beat by a margin.

    Among so many formulas some explain a little of pure noise.
    """
    mean = float(np.mean(data.y))
    graph = Graph(task.x.shape[1], (), (({CONSTANT: mean}, {CONSTANT: 1.0}),))
    graph, sse, _ = fit(canonical(graph, data.x), data)
    found = score(graph, sse, data)
    return found._replace(bic=found.bic - 2.0 * math.log(N_LOOKED))


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


def _vote(pool: list[_Entry], found: Scored) -> None:
    """Put a formula into the pool, or count it if it is there; the best first."""
    for entry in pool:
        same_size = entry.found.graph.n_parameters == found.graph.n_parameters
        if same_size and abs(entry.found.bic - found.bic) < 0.05:
            entry.votes += 1
            return
    pool.append(_Entry(found))
    pool.sort(key=lambda entry: entry.found.bic)


def _charged(found: Scored, task: Task) -> Scored:
    """Charge a formula for a pole in the domain of use."""
    return found._replace(bic=found.bic + POLE_CHARGE * has_pole(found.graph, task))


def has_pole(graph: Graph, task: Task) -> bool:
    """Tell whether a denominator changes sign in the domain of use."""
    rng = np.random.default_rng([task.seed, 4])
    points = rng.uniform(task.low, task.high, (2000, len(task.low)))
    with np.errstate(all="ignore"):
        _, b = graph.evaluate(np.concatenate([task.x[:N_SEARCH], points]))
    return bool(np.any((b.min(axis=0) <= 0) & (b.max(axis=0) >= 0)))


def _finalists(
    pool: list[_Entry], task: Task, is_late: Callable[[], bool]
) -> list[_Entry]:
    refined: list[_Entry] = []
    for entry in pool[:N_FINALISTS]:
        behind = entry.found.bic - pool[0].found.bic
        if refined and (behind > FINALIST_MARGIN or is_late()):
            break
        found = _charged(finish(task, entry.found.graph, is_late), task)
        known = len(refined)
        _vote(refined, found)
        if len(refined) > known:
            next(e for e in refined if e.found is found).votes = entry.votes
    _vote(refined, _constant(task, task.rows(N_PRUNE)))
    return refined


def _candidate(entry: _Entry, task: Task, scaling: Scaling) -> Candidate:
    graph, _, bic = entry.found
    data = samples(task.x * scaling.x, task.y * scaling.y, weight=task.weight)
    shown = displayed(_in_units(graph, scaling), data.x)
    # Scaled back, the residuals' floor has the square of the target's unit.
    floor = EXACT * float(scaling.y[0]) ** 2
    fitted = fit(shown, data, tolerance=1e-9, damping=1e-6)
    few = data.first(N_SNAP)
    sse = fitted.sse if few is data else fit(fitted.graph, few).sse
    snapped = snap(score(fitted.graph, sse, few, floor), few, floor)
    return Candidate(
        fitted.graph,
        snapped.graph,
        tuple(constants(fitted.graph, data)),
        bic,
        float(np.sqrt(fitted.sse / data.n_residuals)),
        entry.votes,
        has_pole(graph, task),
    )


def _in_units(graph: Graph, scaling: Scaling) -> Graph:
    return rescaled(graph, scaling.x, scaling.y)
