"""Constants of a system set to simple values where the trajectories allow them."""

from eqlearn.dynamics.choose.contest import Contest, Rival
from eqlearn.equation.refine.constants import fixed_at, most_likely_simple
from eqlearn.equation.refine.tactics import STANDARD
from eqlearn.network.graph import Connection, sine_slots

_Option = tuple[float, int, Connection, float]


def simplified_constants(rival: Rival, contest: Contest) -> Rival:
    """Set constants one by one, the most convincing first, if the criterion falls."""
    tried: set[tuple[int, Connection, float]] = set()
    while not contest.is_over:
        options = [one for one in _options(rival) if one[1:] not in tried]
        if not options:
            return rival
        _, state, key, value = max(options)
        tried.add((state, key, value))
        graph = fixed_at(rival.motion.graphs[state], key, value)
        new = contest.entered(rival.motion.swapped(state, graph), rival.starts)
        if new is not None and _cost(new, contest) < _cost(rival, contest):
            rival = new
    return rival


def _cost(rival: Rival, contest: Contest) -> float:
    """The criterion with a price for every free constant, natural angles too."""
    found = rival.followed
    return found.misfit + contest.price(found.motion, found.n_rows)


def _options(rival: Rival) -> list[_Option]:
    """The odds for each constant that is most likely simple, and its value then."""
    by, place, options = STANDARD.snapping, 0, list[_Option]()
    for state, graph in enumerate(rival.motion.graphs):
        angles, slots = sine_slots(graph), graph.slots()
        for key in graph.parameters():
            error = float(rival.followed.errors[place])
            weight = slots[key[0]][key[1]]
            odds, value = most_likely_simple(weight, error, key[0] in angles, by)
            if odds > by.least_odds:
                options.append((odds, state, key, value))
            place += 1
    return options
