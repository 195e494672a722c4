"""Other forms made on purpose, to see whether the motion seen tells them apart."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array
from eqlearn.dynamics.candidates import reshaping
from eqlearn.dynamics.candidates.exchanged import exchanged
from eqlearn.dynamics.choose.contest import Contest, Rival, is_better
from eqlearn.dynamics.choose.grow_motion import other_selections
from eqlearn.dynamics.choose.prune_motion import least_certain, with_formula
from eqlearn.network.graph import Graph

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
    better: Rival | None = None  # one of those, if it turned out to be


def close_forms(rival: Rival, contest: Contest) -> CloseForms:
    """Compare a chosen system with others that differ in one equation."""
    free = replace(contest, deadline=np.inf)
    found, best = CloseForms({}, {}, {}), rival
    for state in range(rival.motion.n_states):
        if state in rival.motion.known:
            continue
        own = rival.motion.graphs[state]

        def different(graphs: Iterable[Graph], by: float) -> Iterator[Rival]:
            for graph in graphs:
                new = with_formula(rival, state, graph, free)  # noqa: B023
                if new is None:
                    continue
                if _differ(own, new.motion.graphs[state], free.x, by):  # noqa: B023
                    yield new

        others = list(different(_others(rival, state, free), _DIFFERENT))
        curves = list(different(_curves(rival, state, free), _NOT_THE_SAME))
        for new in (*others, *curves):
            behind = new.score - rival.score
            found.other[state] = min(found.other.get(state, np.inf), behind)
            best = new if is_better(new, best) else best
        for new in curves:
            behind = _as_forms(new, free) - _as_forms(rival, free)
            found.curve[state] = min(found.curve.get(state, np.inf), behind)
        shorter = _shorter(rival, state, free)
        if shorter is not None:
            found.shorter[state] = shorter
    return found if best is rival else found._replace(better=best)


def _as_forms(rival: Rival, contest: Contest) -> float:
    """The criterion as if all functions were as likely before anything was seen."""
    found = rival.followed
    return found.misfit + rival.motion.n_parameters * contest.term_price(found.n_rows)


def _curves(rival: Rival, state: int, contest: Contest) -> list[Graph]:
    """Other curves of one input in the place of a part."""
    if contest.grounds is None:
        return []
    own, n = rival.motion.graphs[state], contest.settings.choosing.n_exchanged
    return [
        one
        for one in exchanged(own, contest.grounds(state), n)
        if _functions(one) != _functions(own) or one.n_parameters <= own.n_parameters
    ]


def _functions(graph: Graph) -> list[str]:
    """The functions of a formula; one that has more besides is the same law."""
    return sorted(node.unit for node in graph.nodes if node.unit != "multiply")


def _others(rival: Rival, state: int, contest: Contest) -> Iterator[Graph]:
    """Other terms, and polynomials in the place of functions, or waves of powers."""
    by, own = contest.settings.choosing, rival.motion.graphs[state]
    yield from other_selections(rival, state, contest)
    reshaped = [*reshaping.softened(own, contest.x), *reshaping.waved(own, contest.x)]
    yield from reshaped[: by.n_exchanged]


def _shorter(rival: Rival, state: int, contest: Contest) -> float | None:
    for place, key in least_certain(rival, contest, set()):
        if place == state:
            graph = reshaping.without(rival.motion.graphs[state], {key}, contest.x)
            new = with_formula(rival, state, graph, contest)
            return None if new is None else new.score - rival.score
    return None


def _differ(own: Graph, other: Graph, x: Array, by: float) -> bool:
    """Whether two formulas say different things beside the motion that was seen."""
    seen, rng = x.T, np.random.default_rng(0)
    wide = seen + _BESIDE * np.std(seen, axis=0) * rng.normal(size=seen.shape)
    with np.errstate(all="ignore"):
        a, b = own.evaluate(wide)[0], other.evaluate(wide)[0]
        usual = float(np.std(own.evaluate(seen)[0]))
        off = float(np.quantile(np.abs(a - b), _MOSTLY))
    return not off <= by * usual
