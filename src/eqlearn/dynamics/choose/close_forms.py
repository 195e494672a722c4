"""Other forms made on purpose, to see whether the motion seen tells them apart."""

import math
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array
from eqlearn.dynamics.candidates import reshaping
from eqlearn.dynamics.candidates.exchanged import exchanged
from eqlearn.dynamics.choose.contest import Contest, Rival, is_better
from eqlearn.dynamics.choose.grow_motion import other_selections
from eqlearn.dynamics.choose.prune_motion import least_certain, with_formula
from eqlearn.jobs.serial import TimeIsUp, cut_off
from eqlearn.network.graph import Graph, sine_slots

#: Of a rate's spread: formulas so far apart beside the motion say different things.
_DIFFERENT = 0.05
#: The same, of curves, which are other laws even if they are near each other.
_NOT_THE_SAME = 0.003
#: Share of points where formulas that say the same are near each other.
_MOSTLY = 0.9
#: Spreads of the states by which points are beside the motion.
_BESIDE = 2.0


class CloseForms(NamedTuple):
    """By state: the criterion by which the nearest other form is behind."""

    other: dict[int, float]  # that says something else beyond the motion seen
    shorter: dict[int, float]  # without the least certain term
    curve: dict[int, float]  # of which a part is another curve, all curves at one price
    free: dict[int, float]  # the misfit with polynomials for functions, behind
    late: set[int]  # states that time was up for: nothing of them, or not all, is there
    better: Rival | None = None  # one of those, if it turned out to be


def close_forms(
    rival: Rival, contest: Contest, deadline: float = math.inf
) -> CloseForms:
    """Compare a chosen system with others that differ in one equation.

    Until a deadline by `time.monotonic`, whatever that of the contest was.
    """
    free, best = replace(contest, deadline=np.inf), rival
    own = rival.motion
    states = [state for state in range(own.n_states) if state not in own.known]
    found = CloseForms({}, {}, {}, {}, set(states))
    with suppress(TimeIsUp), cut_off(deadline - time.monotonic()):
        for state in states:
            for new in _noted(found, rival, state, free):
                best = new if is_better(new, best) else best
                if time.monotonic() > deadline:
                    raise TimeIsUp  # in threads where no alarm can be set
            found.late.discard(state)
    return found if best is rival else found._replace(better=best)


def _noted(
    found: CloseForms, rival: Rival, state: int, free: Contest
) -> Iterator[Rival]:
    """Other systems that differ in one state's equation, each noted as it comes."""
    own = rival.motion.graphs[state]

    def different(graphs: Iterable[Graph], by: float) -> Iterator[Rival]:
        for graph in graphs:
            new = with_formula(rival, state, graph, free)
            if new is not None and differ(own, new.motion.graphs[state], free.x, by):
                behind = new.score - rival.score
                found.other[state] = min(found.other.get(state, np.inf), behind)
                yield new

    n = free.settings.choosing.n_exchanged
    yield from different(other_selections(rival, state, free), _DIFFERENT)
    for new in different(islice(reshaping.softened(own, free.x), n), _DIFFERENT):
        gained = new.followed.misfit - rival.followed.misfit
        found.free[state] = min(found.free.get(state, np.inf), gained)
        yield new
    yield from different(islice(reshaping.waved(own, free.x), n), _DIFFERENT)
    for new in different(_curves(rival, state, free), _NOT_THE_SAME):
        behind = _as_forms(new, free) - _as_forms(rival, free)
        found.curve[state] = min(found.curve.get(state, np.inf), behind)
        yield new
    shorter = _shorter(rival, state, free)
    if shorter is not None:
        found.shorter[state] = shorter


def _as_forms(rival: Rival, contest: Contest) -> float:
    """The criterion as if all functions were as likely before anything was seen."""
    found = rival.followed
    return found.misfit + rival.motion.n_parameters * contest.term_price(found.n_rows)


def _curves(rival: Rival, state: int, contest: Contest) -> list[Graph]:
    """Other curves of one input in the place of a part."""
    if contest.grounds is None:
        return []
    own, by = rival.motion.graphs[state], contest.settings.choosing
    found = exchanged(own, contest.grounds(state), by.n_exchanged)
    return [one for one in found if _is_another(one, own, by.near_angle)]


def _is_another(one: Graph, own: Graph, near: float) -> bool:
    """Whether a formula is another law, and not the same with more besides.

    An angle that is taken as it is leaves the same law with a constant less.
    """
    if _functions(one) != _functions(own):
        return True
    if not _has_natural_angle(one):
        return one.n_parameters <= own.n_parameters
    natural = reshaping.with_natural_angles(own, near)
    is_longer = len([*one.connections()]) > len([*natural.connections()])
    return is_longer and one.n_parameters <= natural.n_parameters


def _has_natural_angle(graph: Graph) -> bool:
    angles = sine_slots(graph)
    return any(s in angles and 0 <= i < graph.n_inputs for s, i in graph.fixed)


def _functions(graph: Graph) -> list[str]:
    """The functions of a formula; one that has more besides is the same law."""
    return sorted(node.unit for node in graph.nodes if node.unit != "multiply")


def _shorter(rival: Rival, state: int, contest: Contest) -> float | None:
    for place, key in least_certain(rival, contest, set()):
        if place == state:
            graph = reshaping.without(rival.motion.graphs[state], {key}, contest.x)
            new = with_formula(rival, state, graph, contest)
            return None if new is None else new.score - rival.score
    return None


def differ(own: Graph, other: Graph, x: Array, by: float = _DIFFERENT) -> bool:
    """Whether two formulas say different things beside the motion that was seen."""
    seen, rng = x.T, np.random.default_rng(0)
    wide = seen + _BESIDE * np.std(seen, axis=0) * rng.normal(size=seen.shape)
    with np.errstate(all="ignore"):
        a, b = own.evaluate(wide)[0], other.evaluate(wide)[0]
        usual = float(np.std(own.evaluate(seen)[0]))
        off = float(np.quantile(np.abs(a - b), _MOSTLY))
    return not off <= by * usual
