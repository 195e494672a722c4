"""How far a system of equations can be trusted: judged by following trajectories."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array
from eqlearn.dynamics.candidates.reshaping import angles_of
from eqlearn.dynamics.choose.close_forms import differ
from eqlearn.dynamics.choose.explained import excess, likeness
from eqlearn.dynamics.discover import Discovered
from eqlearn.dynamics.follow.follow_on import followed
from eqlearn.dynamics.follow.motion import constant_of
from eqlearn.dynamics.follow.pieces import Pieces
from eqlearn.dynamics.follow.shooting import Followed, course, fit_motion
from eqlearn.model.courses import Courses
from eqlearn.model.model import Kind, Verdict

#: Share of each piece that constants are fitted to before the rest is followed.
_FITTED = 0.75
#: An error in spreads, besides the noise, from which motion is no longer followed.
_LOST = 0.3
#: Residuals, in noise as measurements show it, that leave nothing to explain.
_MUCH_LEFT = 1.5
#: A criterion so close cannot tell two systems apart.
_CLOSE = 10.0
#: The same, of a curve with a constant more: that alone costs about 13, and what chance
#: makes of it gives back 1 of these.
_LONGER = 11.5
#: Misfit by which polynomials must be worse, or the motion shows no function's curve.
_NO_WORSE = 2.0
#: Constants of a formula beyond which it can imitate others.
_MANY = 6
#: Neighbouring residuals alike by so many standard errors: something is left.
_ALIKE = 4.5
#: In spreads, besides twice the noise: the last quarter is missed by more.
_FAR_OFF = 0.02
#: Radians: within a narrower range a sine is told from other curves by little.
_NARROW = 0.8
#: Iterations of the fit without the last part, which begins at the optimum.
_N_REFIT = 8


class Foresight(NamedTuple):
    """How well the last part of trajectories is followed without being fitted."""

    n_pieces: int
    error: float  # in spreads, of the worst state
    share: float  # of the time that it was followed at all
    states: Array  # (N, S') as foreseen; NaN in rows that were fitted


def foresight(discovered: Discovered) -> Foresight | None:
    """Fit the constants to the first part of each piece and follow the rest."""
    pieces = discovered.pieces
    shorter = _first_part(pieces)
    refitted = fit_motion(discovered.rival.motion, shorter, n_iterations=_N_REFIT)
    if refitted is None:
        return None
    spread = np.std(pieces.x, axis=0)
    lost = _LOST + 3.0 * float((discovered.rival.followed.rms / spread).max())
    foreseen, squares, shares = np.full(pieces.x.shape, np.nan), [], []
    whole = course(refitted.motion, pieces, refitted.starts)
    for g in range(len(pieces.places)):
        a, b = int(pieces.first[g]), int(pieces.first[g + 1])
        size = int(shorter.first[g + 1] - shorter.first[g])
        if whole is None:
            piece = _as_far_as_it_goes(refitted, pieces, g)
        else:
            piece = whole.states[a:b]
        states = piece[size:, pieces.observed]
        foreseen[a + size : b] = states
        off = np.abs(states - pieces.x[a + size : b]) / spread
        off = np.where(np.isfinite(off), off, np.inf)
        late = np.flatnonzero(off.max(axis=1) > lost)
        shares.append(late[0] / len(off) if len(late) else 1.0)
        squares.append(np.mean(np.minimum(off, 1e3) ** 2, axis=0))
    error = float(np.sqrt(np.mean(squares, axis=0)).max())
    return Foresight(len(squares), error, float(np.mean(shares)), foreseen)


def _as_far_as_it_goes(fitted: Followed, pieces: Pieces, g: int) -> Array:
    """The states of one piece, not finite from where they are lost."""
    k, row = pieces.places[g]
    run, rows = pieces.runs[k], slice(row, row + pieces.first[g + 1] - pieces.first[g])
    return followed(
        fitted.motion,
        fitted.starts[g],
        run.t[rows],
        run.inputs[rows],
        rule=pieces.rule,
        holds=pieces.holds,
    )


def courses(discovered: Discovered, seen: Foresight | None) -> Courses:
    """Measured and simulated motion, to be shown."""
    pieces, sizes = discovered.pieces, np.diff(discovered.pieces.first)
    found = course(discovered.rival.motion, pieces, discovered.rival.starts)
    simulated = np.full(pieces.x.shape, np.nan)
    if found is not None:
        simulated = found.states[:, pieces.observed]
    return Courses(
        run=np.repeat(pieces.places[:, 0], sizes),
        piece=np.repeat(np.arange(len(sizes)), sizes),
        t=pieces.t,
        measured=pieces.x,
        simulated=simulated,
        forecast=np.full(pieces.x.shape, np.nan) if seen is None else seen.states,
    )


def _first_part(pieces: Pieces) -> Pieces:
    sizes = np.maximum((np.diff(pieces.first) * _FITTED).astype(int), 3)
    kept = np.concatenate(
        [np.arange(a, a + n) for a, n in zip(pieces.first, sizes, strict=False)]
    )
    first = np.concatenate([[0], np.cumsum(sizes)])
    return replace(pieces, t=pieces.t[kept], x=pieces.x[kept], first=first)


def verdicts(discovered: Discovered, seen: Foresight | None) -> tuple[Verdict, ...]:
    """One verdict for each equation; what is said of the system is said of all."""
    good, doubts, weak, advice = _of_the_system(discovered, seen)
    motion = discovered.rival.motion
    found = []
    for state, graph in enumerate(motion.graphs):
        own, more, limits = list(doubts), list(advice), list(weak)
        if state in motion.known:
            found.append(Verdict("trusted", ("It was given.",)))
            continue
        if constant_of(graph):
            reason = "No formula explains more of the rate than its mean does."
            found.append(Verdict("nothing", (reason,), tuple(more)))
            continue
        if _has_close_rival(discovered, state):
            own.append("The motion seen cannot tell it from another form.")
            more.append("Measure other motion: larger, faster, from other starts.")
        if state in discovered.close.late:
            limits.append("Time was up before it was compared with all other forms.")
            more.append("Give more time.")
        limits += _limits(discovered, state)
        kind: Kind = "doubtful" if own else "plausible" if limits else "trusted"
        found.append(Verdict(kind, (*good, *own, *limits), tuple(more)))
    return tuple(found)


def _limits(discovered: Discovered, state: int) -> list[str]:
    """What keeps an equation from being trusted, though nothing speaks against it."""
    found = []
    if _CLOSE <= discovered.close.curve.get(state, np.inf) < _LONGER:
        found.append("Another curve, with a constant more, would follow as well.")
    if discovered.close.free.get(state, np.inf) < _NO_WORSE:
        found.append("Polynomials instead of its functions would follow as well.")
    n_constants = discovered.rival.motion.graphs[state].n_parameters
    if n_constants > _MANY:
        found.append(f"A formula of {n_constants} constants may imitate another law.")
    behind = discovered.close.shorter.get(state, np.inf)
    if behind < _CLOSE:
        found.append("The trajectories hardly tell whether its last term is there.")
    graph, x = discovered.rival.motion.graphs[state], discovered.rows.x
    for source in sorted(angles_of(graph)):
        width = float(np.ptp(x[:, source]))
        if width < _NARROW:
            found.append(
                f"Angles within {width:.1f} rad were visited, where a sine is hardly "
                "more than a parabola."
            )
    return found


def _of_the_system(
    discovered: Discovered, seen: Foresight | None
) -> tuple[list[str], list[str], list[str], list[str]]:
    """What speaks for the system, against it, what limits it, and advice."""
    good: list[str] = []
    doubts: list[str] = []
    weak: list[str] = []
    advice: list[str] = []
    if seen is None or seen.share < 0.5:
        doubts.append("Motion is lost soon after the part that was fitted.")
        advice.append("Measure longer, or more densely.")
    else:
        n_runs = len(discovered.smooth)
        what = "trajectories" if seen.n_pieces <= n_runs else "pieces of trajectories"
        of = f"{seen.n_pieces} {what}" if seen.n_pieces > 1 else "the trajectory"
        good.append(
            f"Simulated with constants from the first three quarters, the last quarter "
            f"of {of} is followed to {100 * seen.error:.2g} % of the spread."
        )
    left = excess(discovered.rival, discovered.pieces, discovered.smooth)
    if np.any(left > _MUCH_LEFT):
        doubts.append(
            f"Residuals are {float(left.max()):.1f} times the noise that measurements "
            "show."
        )
        advice.append("A state or an input may be missing; more time may help.")
    alike = likeness(discovered.rival, discovered.pieces)
    if alike > _ALIKE:
        doubts.append(
            f"Neighbouring residuals are alike by {alike:.0f} standard errors: part of "
            "the motion is not explained."
        )
    noise = float((discovered.rival.followed.rms / _spread_of(discovered)).max())
    if seen is not None and seen.share >= 0.5 and seen.error > _FAR_OFF + 2 * noise:
        weak.append("What was not fitted is followed less well than what was.")
    if any(one.ended == "interrupt" for one in discovered.found.values()):
        weak.append("The search was interrupted.")
    return good, doubts, weak, advice


def _spread_of(discovered: Discovered) -> Array:
    """The spread (S',) of each measured state."""
    found: Array = np.std(discovered.pieces.x, axis=0)
    return found


def _has_close_rival(discovered: Discovered, state: int) -> bool:
    """Whether a system with another form of this equation is about as good."""
    close, rival = discovered.close, discovered.rival
    behind = min(close.other.get(state, np.inf), close.curve.get(state, np.inf))
    own, x = rival.motion.graphs[state], discovered.rows.x.T
    return behind < _CLOSE or any(
        runner.score - rival.score < _CLOSE
        and differ(own, runner.motion.graphs[state], x)
        for runner in discovered.runners
    )
