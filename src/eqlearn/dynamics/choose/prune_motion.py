"""Terms that a system does not need are left out."""

import numpy as np

from eqlearn.dynamics.candidates import reshaping
from eqlearn.dynamics.choose.contest import Contest, Rival, is_better
from eqlearn.network.graph import Connection, Graph


def pruned(rival: Rival, contest: Contest) -> Rival:
    """Leave out the least certain terms as long as the criterion falls."""
    rival = _without_idle(rival, contest)
    failed: set[tuple[int, Connection]] = set()
    while not contest.is_over:
        for state, key in least_certain(rival, contest, failed):
            graph = reshaping.without(rival.motion.graphs[state], {key}, contest.x)
            new = with_formula(rival, state, graph, contest, rival.score)
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


def with_formula(
    rival: Rival,
    state: int,
    graph: Graph | None,
    contest: Contest,
    to_reach: float = np.inf,
) -> Rival | None:
    """The system with another formula for one state, fitted; None if it is lost."""
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


def least_certain(
    rival: Rival, contest: Contest, failed: set[tuple[int, Connection]]
) -> list[tuple[int, Connection]]:
    """Terms that may not be there, by state and place, but for those that failed."""
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
