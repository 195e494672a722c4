"""Terms that residuals point to: chosen anew altogether, or added to a system."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import takewhile
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array
from eqlearn.dynamics.candidates import reshaping
from eqlearn.dynamics.candidates.best_sums import best_sums
from eqlearn.dynamics.candidates.reshaping import Letters, Powers
from eqlearn.dynamics.choose.contest import Contest, Rival, is_better
from eqlearn.dynamics.choose.prune_motion import pruned, with_formula
from eqlearn.dynamics.follow.motion import Motion
from eqlearn.dynamics.follow.shooting import projected
from eqlearn.network.canonical import canonical
from eqlearn.network.graph import CONSTANT, Connection, Graph
from eqlearn.network.kernels import evaluate, tape

#: Of a column's length: what must be new in it for a term to be told from others.
_NEW = 1e-4
#: In the criterion: what another form must be better by.
_GAIN = 1.0
#: Of a library of terms that may be added; beyond, products of three are left out.
_MOST_TERMS = 90


def grown(rival: Rival, contest: Contest) -> Rival:
    """Add the terms to which the residuals point most, as long as it pays.

    Inputs that sines are taken of may be angles: then terms are made of their sines and
    cosines instead of powers.
    """
    if _angles(rival.motion) and not contest.is_over:
        strict = replace(contest, has_natural_angles=True)
        natural = strict.entered(rival.motion, rival.starts)
        if natural is not None:
            natural = _improved(pruned(natural, strict), strict)
            rival = natural if is_better(natural, rival) else rival
    return _improved(rival, contest)


def _improved(rival: Rival, contest: Contest) -> Rival:
    """Choose all terms of a formula anew, then add some, until neither helps."""
    by = contest.settings.choosing
    n_selections = by.n_exchanged * rival.motion.n_states
    while not contest.is_over:
        before = rival
        rival = _climbed(rival, _selections, n_selections, contest)
        rival = _climbed(rival, _additions, by.n_added, contest)
        if rival is before:
            break
    return rival


class _Proposal(NamedTuple):
    """A formula with another term, and by how much it promises to be better."""

    promise: float
    state: int
    graph: Graph


def _climbed(
    rival: Rival,
    proposals: Callable[[Rival, Contest], Iterable[_Proposal]],
    n_tried: int,
    contest: Contest,
) -> Rival:
    """Take the first of the most promising formulas that helps, as long as one does."""
    while not contest.is_over:
        ranked = sorted(proposals(rival, contest), key=lambda one: -one.promise)
        for one in takewhile(lambda _: not contest.is_over, ranked[:n_tried]):
            hoped = contest.hoped(rival, one.graph)
            new = with_formula(rival, one.state, one.graph, contest)
            if new is None or new.score > hoped:
                continue
            new = pruned(new, contest)
            # Less would be a fit that creeps on, not another form.
            if new.score < rival.score - _GAIN:
                rival = new
                break
        else:
            return rival
    return rival


def _angles(motion: Motion) -> tuple[int, ...]:
    """Inputs whose sines a system has."""
    found = [reshaping.angles_of(graph) for graph in motion.graphs]
    return tuple(sorted(set().union(*found)))


def _library(motion: Motion, contest: Contest) -> tuple[list[Powers], Letters]:
    angles = _angles(motion) if contest.has_natural_angles else ()
    letters = Letters(motion.graphs[0].n_inputs, angles)
    library = letters.monomials(3)
    if len(library) > _MOST_TERMS:
        library = letters.monomials(2)[:_MOST_TERMS]
    return library, letters


def _extended(rival: Rival, contest: Contest) -> Iterator["_Extended"]:
    """Every formula that is not given, with all terms that it might have."""
    library, letters = _library(rival.motion, contest)
    for state, graph in enumerate(rival.motion.graphs):
        if state not in rival.motion.known and not contest.is_over:
            yield _Extended(state, *reshaping.extended(graph, library, letters))


class _Extended(NamedTuple):
    state: int
    wide: Graph  # with every term of the library, at weight 0
    added: list[Connection]


def _additions(rival: Rival, contest: Contest) -> Iterator[_Proposal]:
    """Formulas with a term more that promises to pay its price."""
    price, by = contest.term_price(contest.pieces.n_rows), contest.settings.choosing
    for one in _extended(rival, contest):
        if rival.motion.graphs[one.state].n_parameters >= by.most_constants:
            continue
        gain, weight = _gains(rival, one, contest)
        for i in np.argsort(-gain)[: by.n_added]:
            if gain[i] > price:
                slot, source = key = one.added[i]
                slots = one.wide.slots()
                slots[slot] = {**slots[slot], source: float(weight[i])}
                others = {other for other in one.added if other != key}
                graph = one.wide.with_slots(slots).without(others)
                yield _Proposal(float(gain[i]), one.state, canonical(graph, contest.x))


def _gains(rival: Rival, one: _Extended, contest: Contest) -> tuple[Array, Array]:
    """What each new term would gain, by a score test at weight 0, and its weight."""
    motion = rival.motion.swapped(one.state, one.wide)
    found = projected(motion, contest.pieces, rival.starts)
    if found is None:
        return np.zeros(len(one.added)), np.zeros(len(one.added))
    A, left = found
    keys = one.wide.parameters()
    first = int(motion.laid.parameter_first[one.state])
    places = [first + keys.index(key) for key in one.added]
    old = np.setdiff1d(np.arange(A.shape[1]), places)
    Q, new = np.linalg.qr(A[:, old])[0], A[:, places]
    free = new - Q @ (Q.T @ new)
    size = np.linalg.norm(free, axis=0)
    told = size > _NEW * np.linalg.norm(new, axis=0)
    slope = free.T @ (left - Q @ (Q.T @ left))
    gain = np.where(told, slope**2 / (size**2 + 1e-300), 0.0)
    return gain, np.where(told, -slope / (size**2 + 1e-300), 0.0)


def _selections(rival: Rival, contest: Contest) -> Iterator[_Proposal]:
    """Formulas of other terms, above and below the line, the best for each state first.

    A rate r = N/(1 + d) is N - r d; with what the formula that is there says for r on
    the right, that is a sum of terms, whose effects on the measured state are known.
    """
    by = contest.settings.choosing
    for one in _extended(rival, contest) if contest.grounds else ():
        ranked = _ranked_selections(one, contest)
        for rank, graph in enumerate(ranked[: by.n_exchanged]):
            yield _Proposal(-float(rank), one.state, graph)


def other_selections(rival: Rival, state: int, contest: Contest) -> list[Graph]:
    """Formulas of other terms for one state that explain its course about as well."""
    strict = replace(contest, has_natural_angles=bool(_angles(rival.motion)))
    (one,) = (one for one in _extended(rival, strict) if one.state == state)
    return _ranked_selections(one, strict)


def _ranked_selections(one: _Extended, contest: Contest) -> list[Graph]:
    wide, first = one.wide, one.wide.first_output_slot
    own = [k for k in wide.parameters() if k[0] >= first and k not in one.added]
    has_one = wide.outputs[0][1].get(CONSTANT) == 1.0
    if not own or not has_one or contest.grounds is None:
        return []
    keys, grounds = [*own, *one.added], contest.grounds(one.state)
    A = grounds.effects(_values(wide, keys, grounds.x))
    if not np.isfinite(A).all():
        return []
    by = contest.settings
    wider = replace(by.pursuit, width=by.choosing.width)
    most = min(len(own) + by.choosing.n_longer, by.choosing.most_constants)
    prices = np.zeros(len(keys))
    found = []
    for each in best_sums(A, grounds.y, len(grounds.y), prices, most, wider):
        if each.places != tuple(range(len(own))):
            weights = np.linalg.lstsq(A[:, list(each.places)], grounds.y, rcond=None)[0]
            slots = wide.slots()
            for place, weight in zip(each.places, weights, strict=True):
                slot, source = keys[place]
                slots[slot] = {**slots[slot], source: float(weight)}
            gone = {key for place, key in enumerate(keys) if place not in each.places}
            graph = wide.with_slots(slots).without(gone)
            found.append(canonical(graph, contest.x))
        if len(found) == by.choosing.n_exchanged:
            break
    return found


def _values(wide: Graph, keys: list[Connection], x: Array) -> Array:
    """Values (N, K) of terms above; of those below, less the rate times them."""
    with np.errstate(all="ignore"):
        rate = wide.evaluate(x)[0][:, 0]
        features = evaluate(wide, tape(wide), x.T).features
    ones = np.ones(len(x))
    columns = []
    for slot, source in keys:
        values = ones if source == CONSTANT else features[source]
        is_above = slot == wide.first_output_slot
        columns.append(values if is_above else -rate * values)
    return np.stack(columns, axis=1)
