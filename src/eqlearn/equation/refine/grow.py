"""Growing a formula: from a few terms that are right to all of them.

Networks are trained with more than they need and pruned. Functions within functions
are found the other way round as well: add whatever explains most of what is left, one
term or wave at a time, and tidy up between. So a series may stand for a function until
it is seen for what it is (`waves_for_sums`).
"""

import math
from collections.abc import Callable
from typing import NamedTuple

from eqlearn.equation.refine.criterion import Scored, refit
from eqlearn.equation.refine.hill_climb import Move, Patience, improve, propose
from eqlearn.equation.refine.prune import prune
from eqlearn.equation.refine.score_test import added_terms
from eqlearn.equation.refine.waves import added_plane_waves, added_waves, waves_for_sums
from eqlearn.network.canonical import canonical
from eqlearn.training.samples import Samples

#: What may be added. Plane waves find more in fewer steps, and more that is not there.
FEW_ADDITIONS: tuple[Move, ...] = (added_waves, added_terms)
ALL_ADDITIONS: tuple[Move, ...] = (added_waves, added_plane_waves, added_terms)
#: Additions after which the formula is pruned and its sums are looked at.
BETWEEN_TIDYING = 3
#: Additions, and parameters left by pruning, after which there is no hope.
MOST_ADDITIONS = 30
MOST_PARAMETERS = 32

_TIDYING = Patience(n_proposals=24, n_rounds=3)
_IMPROVED = 1.0


class Growth(NamedTuple):
    """How far a formula has grown; all that is needed to go on with it."""

    present: Scored  # with terms that pruning may take away again
    best: Scored  # that was tidied
    n_additions: int = 0
    is_done: bool = False


def grow(
    state: Growth,
    samples: Samples,
    additions: tuple[Move, ...] = ALL_ADDITIONS,
    *,
    is_over: Callable[[], bool] = lambda: False,
) -> Growth:
    """Go on growing until nothing helps, or until `is_over`."""
    while not state.is_done:
        state = _grown(state, samples, additions)
        if is_over():
            break
    return state


def _grown(state: Growth, samples: Samples, additions: tuple[Move, ...]) -> Growth:
    """Add once, and tidy up if it is time to."""
    larger = _larger(state.present, samples, additions)
    present, n = larger or state.present, state.n_additions + 1
    state = state._replace(present=present, n_additions=n)
    if larger is not None and n % BETWEEN_TIDYING and n < MOST_ADDITIONS:
        return state
    tidy = prune(present.graph, samples)
    tidy = improve(tidy, samples, (waves_for_sums,), patience=_TIDYING)
    is_better = tidy.bic < state.best.bic - _IMPROVED
    has_hope = tidy.graph.n_parameters <= MOST_PARAMETERS and n < MOST_ADDITIONS
    return state._replace(
        present=tidy,
        best=tidy if is_better else state.best,
        is_done=not (has_hope and (larger is not None or is_better)),
    )


def _larger(
    present: Scored, samples: Samples, additions: tuple[Move, ...]
) -> Scored | None:
    """The formula with the addition that helps most; None if none is worth it."""
    best, best_bic = None, present.bic
    for proposal in propose(present.graph, samples, additions):
        if proposal.graph is None:
            continue
        graph = canonical(proposal.graph, samples.x)
        if graph.is_empty:
            continue
        found = refit(graph, samples, n_iterations=15, tolerance=1e-3)
        charge = 2.0 * math.log(proposal.n_tried)
        if found.bic + charge < best_bic:
            best, best_bic = found, found.bic + charge
    return best
