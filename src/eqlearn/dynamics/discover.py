"""From trajectories to a system of equations: smooth, search, follow, choose."""

import math
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from eqlearn._types import Array, Booleans
from eqlearn.dynamics.asked import Asked
from eqlearn.dynamics.candidates.pursued import pursued
from eqlearn.dynamics.choose.close_forms import CloseForms, close_forms
from eqlearn.dynamics.choose.contest import Contest, Rival, is_better
from eqlearn.dynamics.choose.grow_motion import grown
from eqlearn.dynamics.choose.improve_motion import Options, chosen
from eqlearn.dynamics.choose.prune_motion import pruned
from eqlearn.dynamics.choose.simple_constants import simplified_constants
from eqlearn.dynamics.follow.motion import Motion, held
from eqlearn.dynamics.follow.pieces import Pieces, cut
from eqlearn.dynamics.follow.shooting import residuals
from eqlearn.dynamics.readings import Readings, readings
from eqlearn.dynamics.smooth.rate_rows import RateRows, SmoothRun
from eqlearn.dynamics.smooth.trajectories import TimeSeries
from eqlearn.equation.refine.criterion import refit
from eqlearn.errors import EqlearnError
from eqlearn.jobs.serial import TimeIsUp, cut_off
from eqlearn.network.canonical import displayed
from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.search.learn import Found, ProgressCallback, learn
from eqlearn.search.request import Request
from eqlearn.search.task import one_thread
from eqlearn.training.samples import samples


@dataclass(frozen=True, eq=False)
class Discovered:
    """A system, how well it follows, and what it was chosen from."""

    rival: Rival
    snapped: Motion  # with simple constants where the trajectories allow them
    pieces: Pieces  # the longest that it follows
    runners: tuple[Rival, ...]  # other systems, on the same pieces
    found: dict[int, Found]  # what the search found, by state
    rows: RateRows
    smooth: tuple[SmoothRun, ...]
    close: CloseForms  # made to compare with it
    seconds: float


@one_thread()
def discover(
    runs: Sequence[TimeSeries],
    asked: Asked,
    callback: ProgressCallback = lambda progress: None,
) -> Discovered:
    """Learn the equations of motion from trajectories."""
    # Matrices are small: threads would only wait for each other, and differ by machine.
    with threadpool_limits(limits=1, user_api="blas"):
        return _discovered(runs, asked, callback)


def _discovered(
    runs: Sequence[TimeSeries], asked: Asked, callback: ProgressCallback
) -> Discovered:
    begin, by = time.monotonic(), asked.settings
    watch = _Watch(begin, time.process_time())
    seen = readings(runs, asked)
    smooth, rows = seen.smooth, seen.rows
    n_states = rows.rates.shape[1]
    free = [k for k in range(n_states) if k not in asked.known]
    found = _searched(rows, free, watch.search_limit(asked, len(free)), asked, callback)
    simple = _simple_sums(seen, free, watch.sums_deadline(asked), asked)
    options = _options(rows, found, simple, asked)
    base = Motion(tuple(some[0] for some in options), frozenset(asked.known))
    observed = np.arange(n_states) < runs[0].states.shape[1]
    stages = _stages(seen, observed, asked)
    if asked.time_limit is None:
        # What is compiled the first time takes seconds, which are nobody's work.
        Contest(stages[0], rows.x.T, settings=by).entered(base)
    deadline, clock = watch.choice_deadline(asked, len(free))
    grounds = cache(lambda state: seen.grounds(state, asked))
    contest = Contest(stages[0], rows.x.T, deadline, clock, by, grounds)
    rival, pieces, others = _decided(base, options, stages, contest, smooth)
    if rival is not None and seen.other_rule is not None:
        other = contest.on(pieces.by_rule(seen.other_rule))
        rival, pieces = _by_likelier_rule(rival, contest.on(pieces), other)
    if rival is None:
        raise EqlearnError(
            "No candidate could be followed along the trajectories. Measure more "
            "densely, or give more time."
        )
    final = contest.on(pieces)
    rival, close = _compared(_as_displayed(rival, final), final)
    # A few fits, without which simple constants would look as if they were not.
    snapped = simplified_constants(rival, replace(final, deadline=np.inf))
    seconds = time.monotonic() - begin
    return Discovered(
        rival, snapped.motion, pieces, others, found, rows, smooth, close, seconds
    )


def _by_likelier_rule(
    rival: Rival, contest: Contest, other: Contest
) -> tuple[Rival, Pieces]:
    """The same system as it follows best by either rule, and by which."""
    new = other.entered(rival.motion, rival.starts, quick=False)
    new = new and grown(pruned(new, other), other)
    if new is not None and is_better(new, rival):
        return new, other.pieces
    return rival, contest.pieces


def _compared(rival: Rival, contest: Contest) -> tuple[Rival, CloseForms]:
    """The system with forms close to it, of which one may turn out to be better."""
    close = close_forms(rival, contest)
    for _ in range(contest.settings.choosing.rounds):
        if close.better is None or contest.is_over:
            break
        rival = _as_displayed(pruned(close.better, contest), contest)
        close = close_forms(rival, contest)
    return rival, close


def _as_displayed(rival: Rival, contest: Contest) -> Rival:
    """The system as people read it, with the errors of the constants they see."""
    motion = rival.motion
    graphs = tuple(
        graph if k in motion.known else displayed(graph, contest.x)
        for k, graph in enumerate(motion.graphs)
    )
    shown = replace(motion, graphs=graphs)
    return contest.entered(shown, rival.starts) or rival


class _Watch(NamedTuple):
    """When learning began, by the clock and by the work of this process."""

    begin: float
    work: float

    def search_limit(self, asked: Asked, n_free: int) -> float:
        """Seconds for the search; unless they are given, those of a free core."""
        by = asked.settings.choosing
        if asked.time_limit is not None:
            share = by.search_seconds / (by.search_seconds + by.choice_seconds)
            return asked.time_limit * share
        worked = max(time.process_time() - self.work, 1e-3)
        busy = (time.monotonic() - self.begin) / worked
        return by.search_seconds * n_free * min(max(busy, 1.0), by.most_busy)

    def sums_deadline(self, asked: Asked) -> float:
        """Until when sums of simple terms are looked for: half of what is left."""
        if asked.time_limit is None:
            return math.inf
        searched = self.search_limit(asked, 0)
        return self.begin + 0.5 * (searched + asked.time_limit)

    def choice_deadline(
        self, asked: Asked, n_free: int
    ) -> tuple[float, Callable[[], float]]:
        """Until when systems are compared, and by which clock."""
        if asked.time_limit is not None:
            return self.begin + asked.time_limit, time.monotonic
        seconds = asked.settings.choosing.choice_seconds * max(n_free, 1)
        return time.process_time() + seconds, time.process_time


def _simple_sums(
    seen: Readings, free: list[int], deadline: float, asked: Asked
) -> dict[int, list[Graph]]:
    """Sums of simple terms for each state, or for as many as there is time for."""
    found: dict[int, list[Graph]] = {}
    for state in free if asked.units is None else ():
        with suppress(TimeIsUp), cut_off(deadline - time.monotonic()):
            found[state] = pursued(seen.grounds(state, asked), asked.settings.pursuit)
    return found


def _searched(
    rows: RateRows,
    free: list[int],
    limit: float,
    asked: Asked,
    callback: ProgressCallback,
) -> dict[int, Found]:
    if not free:
        return {}
    request = Request(
        rows.x,
        rows.rates[:, free],
        seed=asked.seed,
        time_limit=limit,
        units=asked.units,
        max_attempts=asked.max_attempts,
        jobs=asked.jobs,
        scheduler=asked.scheduler,
        run_dir=asked.run_dir,
    )
    return dict(zip(free, learn(request, callback), strict=True))


def _options(
    rows: RateRows,
    found: dict[int, Found],
    simple: dict[int, list[Graph]],
    asked: Asked,
) -> Options:
    """Candidates for each state, the most likely first; one where it is known."""
    by, options = asked.settings.choosing, []
    for state in range(rows.rates.shape[1]):
        if state in asked.known:
            options.append([held(asked.known[state])])
            continue
        ranked = sorted(found[state].candidates, key=lambda one: one.bic)
        graphs = [one.graph for one in ranked if one.is_something]
        few = [g for g in graphs if g.n_parameters <= by.most_constants]
        some = [*few[: by.n_candidates], *simple.get(state, [])] or graphs[:1]
        ordered = sorted(some, key=lambda graph: _in_rows(graph, rows, state))
        options.append(ordered or [_mean(rows, state)])
    return options


def _in_rows(graph: Graph, rows: RateRows, state: int) -> float:
    """A criterion of rates, the same for all candidates, wherever they come from."""
    data = samples(rows.x, rows.rates[:, state : state + 1])
    found = refit(graph, data)
    return found.bic if np.isfinite(found.bic) else np.inf


def _mean(rows: RateRows, state: int) -> Graph:
    mean = {CONSTANT: float(np.mean(rows.rates[:, state]))}
    return Graph(rows.x.shape[1], (), ((mean, {CONSTANT: 1.0}),))


def _stages(seen: Readings, observed: Booleans, asked: Asked) -> list[Pieces]:
    """The trajectories cut into pieces, from short to long."""
    by = asked.settings
    counts = (by.choosing.n_short, *by.choosing.pieces)
    return [
        cut(
            seen.smooth,
            count,
            observed,
            rule=seen.rule,
            holds=asked.holds,
            by=by.shooting,
        )
        for count in counts
    ]


def _decided(
    base: Motion,
    options: Options,
    stages: list[Pieces],
    contest: Contest,
    smooth: Sequence[SmoothRun],
) -> tuple[Rival | None, Pieces, tuple[Rival, ...]]:
    """Compare systems on pieces that can be followed, then on longer ones."""
    first, substeps = _first_stage(base, stages, contest, smooth)
    contest = contest.on(stages[first].finer(substeps))
    runners = chosen(base, options, contest).rivals
    if not runners and first:
        first = 0
        contest = contest.on(stages[0].finer(substeps))
        runners = chosen(base, options, contest).rivals
    if not runners:
        return None, contest.pieces, ()
    for longer in stages[first + 1 :]:
        later = contest.on(longer.finer(substeps))
        new = _lengthened(runners, later)
        if not new:
            break
        runners, contest = new, later
    best = grown(runners[0], contest)
    final = contest.entered(best.motion, best.starts, quick=False) or best
    return final, contest.pieces, tuple(runners[1:])


def _first_stage(
    base: Motion, stages: list[Pieces], contest: Contest, smooth: Sequence[SmoothRun]
) -> tuple[int, int]:
    """The longest of the first two stages that can be followed, and how finely."""
    by = contest.settings.shooting
    short = contest.on(stages[0]).entered(base, quick=False)
    motion = base if short is None else short.motion
    is_long = contest.on(stages[1]).entered(motion) is not None
    first = 1 if is_long or short is None else 0
    if contest.pieces.rule != "flow" or short is None:
        return first, by.substeps[1] if contest.pieces.rule == "flow" else 1
    noise = np.sqrt(np.mean([one.noise**2 for one in smooth], axis=0))
    noise = np.maximum(noise[stages[0].observed], stages[0].floor)
    return first, _fine_enough(short, stages[0], noise, contest)


def _fine_enough(rival: Rival, pieces: Pieces, noise: Array, contest: Contest) -> int:
    """Steps from row to row that make integration better than the data."""
    by = contest.settings.shooting
    for few, more in zip(by.substeps, by.substeps[1:], strict=False):
        pair = [
            residuals(rival.motion, pieces.finer(n), rival.starts) for n in (few, more)
        ]
        if pair[0] is None or pair[1] is None:
            continue
        if np.all(np.std(pair[0] - pair[1], axis=0) < by.accuracy * noise):
            return few
    return by.substeps[-1]


def _lengthened(runners: Sequence[Rival], contest: Contest) -> list[Rival]:
    """Systems on longer pieces, the best first; none if the best does not follow."""
    by, found = contest.settings.choosing, []
    for place, rival in enumerate(runners):
        new = contest.entered(rival.motion, quick=False)
        most = by.fits_worse * np.maximum(
            rival.followed.rms, 10.0 * contest.pieces.floor
        )
        holds = new is not None and bool(np.all(new.followed.rms <= most))
        if new is not None and holds:
            found.append(pruned(new, contest))
        elif place == 0:
            return []  # chaos, or a local minimum
    return sorted(found, key=lambda one: one.score)
