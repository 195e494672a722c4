"""Which system of equations: terms are left out, added, swapped while it pays.

Then pieces become longer, which tells forms apart that short ones do not.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from eqlearn._types import Array
from eqlearn.dynamics.candidates import reshaping
from eqlearn.dynamics.candidates.reshaping import Powers
from eqlearn.dynamics.choose.contest import Contest, Rival, is_better
from eqlearn.dynamics.follow.motion import Motion
from eqlearn.dynamics.follow.shooting import projected
from eqlearn.network.canonical import canonical
from eqlearn.network.graph import Connection, Graph

#: Formulas that are candidates for each state.
Options: TypeAlias = Sequence[Sequence[Graph]]

#: Of a column's length: what must be new in it for a term to be told from others.
_NEW = 1e-4
#: Of a library of terms that may be added; beyond, products of three are left out.
_MOST_TERMS = 60


@dataclass
class Runners:
    """The best systems so far, the best first; each form is there once."""

    most: int
    rivals: list[Rival] = field(default_factory=list)

    def add(self, new: Rival) -> None:
        """Put a system in, in the place of its form's worse fit."""
        shape = _shape(new.motion)
        others = [one for one in self.rivals if _shape(one.motion) != shape]
        same = [one for one in self.rivals if _shape(one.motion) == shape]
        kept = min([new, *same], key=lambda one: one.score)
        self.rivals = sorted([*others, kept], key=lambda one: one.score)[: self.most]


def _shape(motion: Motion) -> tuple[object, ...]:
    """What two systems of the same form share, whatever their constants."""
    return tuple(
        (tuple(n.unit for n in g.nodes), tuple(key for key, _ in g.connections()))
        for g in motion.graphs
    )


def chosen(base: Motion, options: Options, contest: Contest) -> Runners:
    """The best systems that candidates make, each with what they do not need gone."""
    runners = Runners(contest.settings.choosing.n_kept)
    rival = contest.entered(base, quick=False)
    if rival:
        rival = pruned(rival, contest)
        runners.add(rival)
    rival = _with_swaps(rival, base, options, contest, runners)
    if rival is None:
        return runners
    for improve in (_softened, _waved, grown):
        rival = improve(rival, contest)
        runners.add(rival)
    return runners


def pruned(rival: Rival, contest: Contest) -> Rival:
    """Leave out the least certain terms as long as the criterion falls."""
    rival = _without_idle(rival, contest)
    failed: set[tuple[int, Connection]] = set()
    while not contest.is_over:
        for state, key in _least_certain(rival, contest, failed):
            graph = reshaping.without(rival.motion.graphs[state], {key}, contest.x)
            new = _entered(rival, state, graph, contest, rival.score)
            if new and is_better(new, rival):
                rival, failed = new, set()
                break
            failed.add((state, key))
        else:
            return rival
    return rival


def _without_idle(rival: Rival, contest: Contest) -> Rival:
    """Leave out at once all terms that could as well be 0, while that pays."""
    while not contest.is_over:
        idle: dict[int, set[Connection]] = {}
        for certain, state, key in _certainties(rival):
            if certain < contest.settings.choosing.idle:
                idle.setdefault(state, set()).add(key)
        if sum(map(len, idle.values())) < 2:
            return rival
        motion = rival.motion
        for state, keys in idle.items():
            graph = reshaping.without(motion.graphs[state], keys, contest.x)
            motion = motion if graph is None else motion.swapped(state, graph)
        if motion is rival.motion:
            return rival
        new = contest.entered(motion, rival.starts, to_reach=rival.score)
        if new is None or not is_better(new, rival):
            return rival
        rival = new
    return rival


def _entered(
    rival: Rival,
    state: int,
    graph: Graph | None,
    contest: Contest,
    to_reach: float = np.inf,
) -> Rival | None:
    if graph is None:
        return None
    motion = rival.motion.swapped(state, graph)
    return contest.entered(motion, rival.starts, to_reach=to_reach)


def _certainties(rival: Rival) -> list[tuple[float, int, Connection]]:
    """How many standard errors each constant is from zero, the least first."""
    motion = rival.motion
    certain = np.abs(motion.values()) / (rival.followed.errors + 1e-300)
    places = [(k, key) for k, g in enumerate(motion.graphs) for key in g.parameters()]
    return [(float(certain[i]), *places[i]) for i in np.argsort(certain)]


def _least_certain(
    rival: Rival, contest: Contest, failed: set[tuple[int, Connection]]
) -> list[tuple[int, Connection]]:
    by, motion = contest.settings.choosing, rival.motion
    order = [(k, key) for c, k, key in _certainties(rival) if c < by.certain]
    fixed = [
        (k, key)
        for k, graph in enumerate(motion.graphs)
        if k not in motion.known
        for key in reshaping.removable(graph)
    ]
    some = [one for one in order if one not in failed][: by.n_tried]
    return some + [one for one in fixed if one not in failed]


def _with_swaps(
    rival: Rival | None,
    base: Motion,
    options: Options,
    contest: Contest,
    runners: Runners,
) -> Rival | None:
    """Try the formulas of each state in turn, until no swap helps."""
    by, left = contest.settings.choosing, [list(graphs) for graphs in options]
    for _ in range(by.rounds):
        before = rival
        for state, graphs in enumerate(left):
            if len(graphs) == 1 and rival is not None:
                continue
            tried = _tried(rival, base, state, graphs, contest)
            left[state] = [graph for _, graph in tried[: by.n_again]] or graphs
            for new, _ in tried[: by.n_pruned]:
                if contest.is_over:
                    return rival
                new = pruned(new, contest)
                runners.add(new)
                rival = new if is_better(new, rival) else rival
        if rival is before:
            break
    return rival


def _tried(
    rival: Rival | None,
    base: Motion,
    state: int,
    graphs: Sequence[Graph],
    contest: Contest,
) -> list[tuple[Rival, Graph]]:
    """The system with other formulas for a state, the best first."""
    found = []
    now, starts = (rival.motion, rival.starts) if rival else (base, None)
    for graph in graphs:
        if contest.is_over:
            break
        most = _hoped(rival, graph, contest)
        new = contest.entered(now.swapped(state, graph), starts, to_reach=most)
        if new and new.score < most:
            found.append((new, graph))
    return sorted(found, key=lambda pair: pair[0].score)


def _hoped(rival: Rival | None, graph: Graph, contest: Contest) -> float:
    """The score from which a system may win once its needless terms are gone."""
    if rival is None:
        return np.inf
    by, price = contest.settings.choosing, contest.term_price(contest.pieces.n_rows)
    return rival.score + by.hope * graph.n_parameters * price


def _softened(rival: Rival, contest: Contest) -> Rival:
    """Polynomials instead of functions where they follow as well."""
    return _reshaped(rival, reshaping.softened, contest)


def _waved(rival: Rival, contest: Contest) -> Rival:
    """Sines and cosines instead of their series where they follow better."""
    return _reshaped(rival, reshaping.waved, contest)


def _reshaped(
    rival: Rival, reshape: Callable[[Graph, Array], Iterable[Graph]], contest: Contest
) -> Rival:
    for state in range(rival.motion.n_states):
        if state in rival.motion.known:
            continue
        for graph in list(reshape(rival.motion.graphs[state], contest.x)):
            if contest.is_over:
                return rival
            most = _hoped(rival, graph, contest)
            new = _entered(rival, state, graph, contest, most)
            if new and new.score < most:
                new = pruned(new, contest)
                rival = new if is_better(new, rival) else rival
    return rival


def grown(rival: Rival, contest: Contest) -> Rival:
    """Add the terms to which the residuals point most, as long as it pays."""
    while not contest.is_over:
        for graph, state in _promising_terms(rival, contest):
            new = _entered(rival, state, graph, contest)
            new = new and pruned(new, contest)
            if new and is_better(new, rival):
                rival = new
                break
        else:
            return rival
    return rival


def _promising_terms(rival: Rival, contest: Contest) -> Iterable[tuple[Graph, int]]:
    """Formulas with a term more, the most promising first."""
    by, n_inputs = contest.settings.choosing, rival.motion.graphs[0].n_inputs
    library = reshaping.monomials(n_inputs, 3)
    if len(library) > _MOST_TERMS:
        library = reshaping.monomials(n_inputs, 2)[:_MOST_TERMS]
    ranked: list[tuple[float, int, Graph, int]] = []
    for state in range(rival.motion.n_states):
        if state not in rival.motion.known:
            for gain, graph in _gains(rival, state, library, contest):
                ranked.append((gain, len(ranked), graph, state))
    least = contest.term_price(rival.followed.n_rows)
    best = sorted(ranked, key=lambda row: -row[0])[: by.n_added]
    return [(graph, state) for gain, _, graph, state in best if gain > least]


def _gains(
    rival: Rival, state: int, library: Sequence[Powers], contest: Contest
) -> list[tuple[float, Graph]]:
    """What each term would gain, by a score test at weight 0, with the formula."""
    wide, added = reshaping.extended(rival.motion.graphs[state], library)
    motion = rival.motion.swapped(state, wide)
    found = projected(motion, contest.pieces, rival.starts)
    if found is None:
        return []
    A, left = found
    keys = wide.parameters()
    first = int(motion.laid.parameter_first[state])
    new = [first + keys.index(key) for key in added]
    old = np.setdiff1d(np.arange(A.shape[1]), new)
    Q = np.linalg.qr(A[:, old])[0]
    columns = A[:, new] - Q @ (Q.T @ A[:, new])
    size = np.linalg.norm(columns, axis=0)
    told = size > _NEW * np.linalg.norm(A[:, new], axis=0)
    slope = columns.T @ (left - Q @ (Q.T @ left))
    gain = np.where(told, slope**2 / (size**2 + 1e-300), 0.0)
    weight = np.where(told, -slope / (size**2 + 1e-300), 0.0)
    order = np.argsort(-gain)[: contest.settings.choosing.n_added]
    return [
        (float(gain[i]), _with_weight(wide, added, added[i], weight[i], contest.x))
        for i in order
        if gain[i] > 0
    ]


def _with_weight(
    wide: Graph, added: list[Connection], key: Connection, weight: float, x: Array
) -> Graph:
    """The extended formula with one of its new terms."""
    slots = wide.slots()
    slots[key[0]] = {**slots[key[0]], key[1]: float(weight)}
    more = wide.with_slots(slots).without({one for one in added if one != key})
    return canonical(more, x)
