"""From trajectories to a system of equations: smooth, search, follow, choose."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array, Booleans
from eqlearn.dynamics.candidates.grounds import grounds_of_rates, grounds_of_states
from eqlearn.dynamics.candidates.pursued import pursued
from eqlearn.dynamics.choose.contest import Contest, Rival
from eqlearn.dynamics.choose.improve_motion import Options, chosen, grown, pruned
from eqlearn.dynamics.choose.simple_constants import simplified_constants
from eqlearn.dynamics.follow.motion import Motion, held
from eqlearn.dynamics.follow.pieces import Pieces, cut
from eqlearn.dynamics.follow.shooting import residuals
from eqlearn.dynamics.settings import STANDARD_MOTION, MotionSettings
from eqlearn.dynamics.smooth.rate_rows import RateRows, SmoothRun, rate_rows, smooth_run
from eqlearn.dynamics.smooth.trajectories import TimeSeries
from eqlearn.equation.refine.criterion import refit
from eqlearn.errors import EqlearnError
from eqlearn.network.canonical import displayed
from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.search.learn import Found, ProgressCallback, learn
from eqlearn.search.request import Request
from eqlearn.training.samples import samples


@dataclass(frozen=True, eq=False)
class Asked:
    """What is asked of trajectories, besides them."""

    known: dict[int, Graph] = field(default_factory=dict)  # rates that are given
    second_order: bool = False
    is_map: bool = False
    holds: bool = False  # whether inputs stay as they are from row to row
    time_limit: float | None = None  # of search and choice together
    seed: int = 0
    jobs: int | None = 1
    scheduler: str | None = None
    units: tuple[str, ...] | None = None
    max_attempts: int | None = None
    run_dir: Path | None = None
    settings: MotionSettings = STANDARD_MOTION


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
    seconds: float


def discover(
    runs: Sequence[TimeSeries],
    asked: Asked,
    callback: ProgressCallback = lambda progress: None,
) -> Discovered:
    """Learn the equations of motion from trajectories."""
    begin, by = time.monotonic(), asked.settings
    watch = _Watch(begin, time.process_time())
    smooth = _smooth(runs, asked)
    rows = _rows(smooth, asked)
    n_states = rows.rates.shape[1]
    free = [k for k in range(n_states) if k not in asked.known]
    simple = _simple_sums(smooth, rows, free, asked)
    found = _searched(rows, free, watch.search_limit(asked, len(free)), asked, callback)
    options = _options(rows, found, simple, asked)
    base = Motion(tuple(some[0] for some in options), frozenset(asked.known))
    observed = np.arange(n_states) < runs[0].states.shape[1]
    stages = _stages(smooth, observed, asked)
    deadline, clock = watch.choice_deadline(asked, len(free))
    contest = Contest(stages[0], rows.x.T, deadline, clock, by)
    rival, pieces, others = _decided(base, options, stages, contest, smooth)
    if rival is None:
        raise EqlearnError(
            "No candidate could be followed along the trajectories. Measure more "
            "densely, or give more time."
        )
    final = contest.on(pieces)
    rival = _as_displayed(rival, final)
    snapped = simplified_constants(rival, final).motion
    seconds, smoothed = time.monotonic() - begin, tuple(smooth)
    return Discovered(rival, snapped, pieces, others, found, rows, smoothed, seconds)


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

    def choice_deadline(
        self, asked: Asked, n_free: int
    ) -> tuple[float, Callable[[], float]]:
        """Until when systems are compared, and by which clock."""
        if asked.time_limit is not None:
            return self.begin + asked.time_limit, time.monotonic
        seconds = asked.settings.choosing.choice_seconds * max(n_free, 1)
        return time.process_time() + seconds, time.process_time


def _simple_sums(
    smooth: Sequence[SmoothRun], rows: RateRows, free: list[int], asked: Asked
) -> dict[int, list[Graph]]:
    if asked.units is not None:
        return {}
    by, n_measured = asked.settings.pursuit, smooth[0].run.states.shape[1]
    found = {}
    for state in free:
        if asked.is_map or state >= n_measured:
            grounds = grounds_of_rates(rows, state)
        else:
            grounds = grounds_of_states(smooth, state, by.n_pieces, by.most_rows)
        found[state] = pursued(grounds, by)
    return found


def _smooth(runs: Sequence[TimeSeries], asked: Asked) -> list[SmoothRun]:
    if asked.is_map:
        return [_as_measured(run) for run in runs]
    by = asked.settings.smoothing
    return [smooth_run(run, second_order=asked.second_order, by=by) for run in runs]


def _as_measured(run: TimeSeries) -> SmoothRun:
    """A map has no course between its steps: the next state is its rate."""
    later = np.concatenate([run.states[1:], run.states[-1:]])
    nothing = np.zeros_like(later)
    return SmoothRun(run, run.states, later, nothing, nothing[0], float(len(later)))


def _rows(smooth: Sequence[SmoothRun], asked: Asked) -> RateRows:
    rng = np.random.default_rng(asked.seed)
    if not asked.is_map:
        return rate_rows(smooth, rng, asked.settings.smoothing)
    x = np.concatenate([np.hstack([o.states, o.run.inputs])[:-1] for o in smooth])
    rates = np.concatenate([one.rates[:-1] for one in smooth])
    some = rng.permutation(len(x))[: asked.settings.smoothing.most_kept]
    return RateRows(x[np.sort(some)], rates[np.sort(some)])


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


def _stages(
    smooth: Sequence[SmoothRun], observed: Booleans, asked: Asked
) -> list[Pieces]:
    """The trajectories cut into pieces, from short to long."""
    by = asked.settings
    counts = (by.choosing.n_short, *by.choosing.pieces)
    return [
        cut(
            smooth,
            count,
            observed,
            is_map=asked.is_map,
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
    if contest.pieces.is_map or short is None:
        return first, 1 if contest.pieces.is_map else by.substeps[1]
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
