"""From trajectories to a system of equations: smooth, search, follow, choose."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array, Booleans
from eqlearn.dynamics.asked import Asked
from eqlearn.dynamics.candidate_sources import (
    Watch,
    coupled_fractions,
    options_of,
    searched,
    searched_again,
    simple_sums,
    together,
)
from eqlearn.dynamics.candidates.plain_rates import freed, plain_rates
from eqlearn.dynamics.choose.close_forms import CloseForms, close_forms
from eqlearn.dynamics.choose.contest import Contest, Rival, is_better
from eqlearn.dynamics.choose.explained import leaves_nothing
from eqlearn.dynamics.choose.grow_motion import grown
from eqlearn.dynamics.choose.improve_motion import Options, chosen
from eqlearn.dynamics.choose.prune_motion import pruned
from eqlearn.dynamics.choose.simple_constants import simplified_constants
from eqlearn.dynamics.follow.motion import Motion
from eqlearn.dynamics.follow.pieces import Pieces, cut
from eqlearn.dynamics.follow.shooting import residuals
from eqlearn.dynamics.readings import Readings, readings
from eqlearn.dynamics.smooth.rate_rows import RateRows, SmoothRun
from eqlearn.dynamics.smooth.trajectories import TimeSeries
from eqlearn.errors import EqlearnError
from eqlearn.network.canonical import displayed
from eqlearn.network.graph import Graph
from eqlearn.search.learn import Found, ProgressCallback
from eqlearn.search.one_thread import one_thread


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
    watch = Watch(time.monotonic(), time.process_time())
    seen = readings(runs, asked)
    free = [k for k in range(seen.rows.rates.shape[1]) if k not in asked.known]
    limit = watch.search_limit(asked, len(free))
    found = searched(seen.rows, free, limit, asked, callback)
    until = watch.sums_deadline(asked)
    coupled = coupled_fractions(seen, free, until, asked)
    begun = _begun(seen, options_of(seen.rows, found, {}, asked), asked)
    made = _led_by(coupled, begun, watch)
    if made is None or not begun.is_enough(made):
        simple = simple_sums(seen, free, until, asked)
        begun = _begun(seen, options_of(seen.rows, found, simple, asked), asked)
        made = begun.decided(watch, made)
    if begun.may_go_on and not begun.is_enough(made):
        limit = watch.more_limit(begun.asked, len(begun.free))
        again = searched_again(seen, begun.free, limit, begun.asked, callback)
        found |= {k: together(found[k], again[k]) for k in begun.free}
        options = options_of(seen.rows, again, {}, begun.asked)
        later = watch.timed(begun.contest, begun.asked, len(begun.free))
        made = _decided_again(made, begun.base, options, begun.stages, later, seen)
    later = watch.timed(begun.contest, begun.asked, len(begun.free)).on(made.pieces)
    made = _freed(made, asked, later)
    return _concluded(made, later, found, seen, watch, asked)


class _Begun(NamedTuple):
    """Candidates, and what they are to be compared on."""

    seen: Readings
    options: list[list[Graph]]
    asked: Asked  # with rates that are other states among the known ones
    free: list[int]  # states with other rates
    stages: list[Pieces]
    contest: Contest

    @property
    def base(self) -> Motion:
        """The system that is likeliest at first sight."""
        graphs = tuple(some[0] for some in self.options)
        return Motion(graphs, frozenset(self.asked.known))

    @property
    def may_go_on(self) -> bool:
        """Whether a longer search is allowed, and has anything to look for."""
        return bool(self.free) and self.asked.max_attempts is None

    def decided(self, watch: Watch, made: "_Decision | None" = None) -> "_Decision":
        """The best system that these candidates make, from what is best so far."""
        contest = self.timed(watch)
        if made is None:
            return _decided(
                self.base, self.options, self.stages, contest, self.seen.smooth
            )
        return _decided_again(
            made, self.base, self.options, self.stages, contest, self.seen
        )

    def timed(self, watch: Watch) -> Contest:
        """The contest, until the time of the first equations is over."""
        if self.asked.time_limit is None:
            # What is compiled the first time takes seconds, which are nobody's work.
            self.contest.entered(self.base)
        n_free = len(self.free)
        return watch.timed(self.contest, self.asked, n_free, is_first=True)

    def is_enough(self, made: "_Decision") -> bool:
        """Whether equations leave nothing that a longer search might find."""
        by = self.asked.settings.choosing
        return made.rival is not None and leaves_nothing(
            made.rival, made.pieces, self.seen.smooth, by
        )


def _begun(seen: Readings, options: list[list[Graph]], asked: Asked) -> _Begun:
    n_states = seen.rows.rates.shape[1]
    free = [k for k in range(n_states) if k not in asked.known]
    flowing = [] if seen.rule == "map" else free
    plain = plain_rates(seen.rows, {k: options[k] for k in flowing})
    asked = replace(asked, known={**asked.known, **plain})
    options = [[plain[k]] if k in plain else some for k, some in enumerate(options)]
    n_measured = seen.smooth[0].run.states.shape[1]
    stages = _stages(seen, np.arange(n_states) < n_measured, asked)
    free = [k for k in free if k not in plain]
    contest = _contest(seen, stages, asked)
    return _Begun(seen, options, asked, free, stages, contest)


def _led_by(
    coupled: Sequence[Mapping[int, Graph]], begun: _Begun, watch: Watch
) -> "_Decision | None":
    """What coupled fractions make that follow better than all else; None if none do."""
    if not coupled:
        return None
    base, contest = begun.base, begun.timed(watch)
    systems = [
        [
            one.get(k, graph) if k in begun.free else graph
            for k, graph in enumerate(base.graphs)
        ]
        for one in coupled
    ]
    motions = [base, *(replace(base, graphs=tuple(some)) for some in systems)]
    for stage in begun.stages[1::-1]:
        entered = [contest.on(stage).entered(one) for one in motions]
        followed = [one for one in entered if one is not None]
        if followed:
            best = min(followed, key=lambda one: one.score)
            if best is entered[0]:
                return None
            options = [[graph] for graph in best.motion.graphs]
            return _decided(
                best.motion, options, begun.stages, contest, begun.seen.smooth
            )
    return None


def _freed(made: "_Decision", asked: Asked, contest: Contest) -> "_Decision":
    """What was decided with plain rates held, now that the others are what they are."""
    if made.rival is None:
        return made
    held = made.rival.motion
    plain = held.known - asked.known.keys()
    if not plain:
        return made
    graphs = tuple(
        freed(graph) if k in plain else graph for k, graph in enumerate(held.graphs)
    )
    motion = replace(held, graphs=graphs, known=held.known - plain)
    rival = contest.entered(motion, made.rival.starts, quick=False)
    return made if rival is None else made._replace(rival=grown(rival, contest))


def _contest(seen: Readings, stages: list[Pieces], asked: Asked) -> Contest:
    grounds = cache(lambda state: seen.grounds(state, asked))
    return Contest(stages[0], seen.rows.x.T, settings=asked.settings, grounds=grounds)


def _decided_again(
    made: "_Decision",
    base: Motion,
    options: Options,
    stages: list[Pieces],
    contest: Contest,
    seen: Readings,
) -> "_Decision":
    """What was chosen before against other candidates."""
    if made.rival is not None:
        base = made.rival.motion
        options = [
            [own] if k in base.known else [own, *some]
            for k, (own, some) in enumerate(zip(base.graphs, options, strict=True))
        ]
    new = _decided(base, options, stages, contest, seen.smooth)
    return made if new.rival is None else new


def _concluded(
    made: "_Decision",
    contest: Contest,
    found: dict[int, Found],
    seen: Readings,
    watch: Watch,
    asked: Asked,
) -> Discovered:
    """The system as it is shown, with forms close to it and simple constants."""
    rival = made.rival
    if rival is None:
        raise EqlearnError(
            "No candidate could be followed along the trajectories. Measure more "
            "densely, or give more time."
        )
    if seen.other_rule is not None:
        other = contest.on(contest.pieces.by_rule(seen.other_rule))
        rival, contest = _by_likelier_rule(rival, contest, other)
    until = watch.comparison_deadline(asked)
    rival, close = _compared(_as_displayed(rival, contest), contest, until)
    # A few fits, without which simple constants would look as if they were not.
    snapped = simplified_constants(rival, replace(contest, deadline=np.inf))
    seconds = time.monotonic() - watch.begin
    return Discovered(
        rival, snapped.motion, contest.pieces, made.others, found, seen.rows,
        seen.smooth, close, seconds,
    )  # fmt: skip


def _by_likelier_rule(
    rival: Rival, contest: Contest, other: Contest
) -> tuple[Rival, Contest]:
    """The same system as it follows best by either rule, and by which."""
    new = other.entered(rival.motion, rival.starts, quick=False)
    new = new and grown(pruned(new, other), other)
    if new is not None and is_better(new, rival):
        return new, other
    return rival, contest


def _compared(rival: Rival, contest: Contest, until: float) -> tuple[Rival, CloseForms]:
    """The system with forms close to it, of which one may turn out to be better."""
    close = close_forms(rival, contest, until)
    for _ in range(contest.settings.choosing.rounds):
        if close.better is None or contest.is_over:
            break
        rival = _as_displayed(pruned(close.better, contest), contest)
        close = close_forms(rival, contest, until)
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


def _stages(seen: Readings, observed: Booleans, asked: Asked) -> list[Pieces]:
    """The trajectories cut into pieces, from short to long."""
    by = asked.settings
    counts = (by.choosing.n_short, *by.choosing.pieces)
    if seen.rule == "map":
        counts = (by.choosing.n_shortest, *counts)
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


class _Decision(NamedTuple):
    """The system that was chosen, the pieces it follows, and those behind it."""

    rival: Rival | None
    pieces: Pieces
    others: tuple[Rival, ...]


def _decided(
    base: Motion,
    options: Options,
    stages: list[Pieces],
    contest: Contest,
    smooth: Sequence[SmoothRun],
) -> _Decision:
    """Compare systems on pieces that can be followed, then on longer ones."""
    first, substeps = _first_stage(base, stages, contest, smooth)
    contest = contest.on(stages[first].finer(substeps))
    runners = chosen(base, options, contest).rivals
    if not runners and first:
        first = 0
        contest = contest.on(stages[0].finer(substeps))
        runners = chosen(base, options, contest).rivals
    if not runners:
        return _Decision(None, contest.pieces, ())
    for longer in stages[first + 1 :]:
        later = contest.on(longer.finer(substeps))
        new = _lengthened(runners, later)
        if not new:
            break
        runners, contest = new, later
    best = grown(runners[0], contest)
    final = contest.entered(best.motion, best.starts, quick=False) or best
    return _Decision(final, contest.pieces, tuple(runners[1:]))


def _first_stage(
    base: Motion, stages: list[Pieces], contest: Contest, smooth: Sequence[SmoothRun]
) -> tuple[int, int]:
    """The longest of the first two stages that can be followed, and how finely."""
    by = contest.settings.shooting
    if contest.pieces.rule == "map":
        return 0, 1  # a chaotic map keeps within bounds, even where it follows nothing
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
        if place and contest.is_over:
            break
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
