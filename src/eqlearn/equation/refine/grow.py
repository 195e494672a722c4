"""Growing a formula: from a few terms that are right to all of them.

Networks are trained with more than they need and pruned. Functions within functions
are found the other way round as well: add whatever explains most of what is left, one
term or wave at a time, and tidy up between. So a series may stand for a function until
it is seen for what it is (`waves_for_sums`).
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from eqlearn.equation.refine.criterion import Scored, refit
from eqlearn.equation.refine.hill_climb import Move, improve, propose
from eqlearn.equation.refine.moves import ALL_ADDITIONS
from eqlearn.equation.refine.prune import prune
from eqlearn.equation.refine.tactics import STANDARD, Tactics
from eqlearn.equation.refine.waves import waves_for_sums
from eqlearn.network.canonical import canonical
from eqlearn.training.samples import Samples

_FORMULAS = ("present", "best")


class Growth(NamedTuple):
    """How far a formula has grown; all that is needed to go on with it."""

    present: Scored  # with terms that pruning may take away again
    best: Scored  # that was tidied
    n_additions: int = 0
    is_done: bool = False

    def to_document(self) -> dict[str, Any]:
        """The state as JSON can hold it."""
        formulas = {name: getattr(self, name).to_document() for name in _FORMULAS}
        return {**self._asdict(), **formulas}

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> "Growth":
        """Read what `to_document` wrote."""
        formulas = {name: Scored.from_document(document[name]) for name in _FORMULAS}
        return cls(**{**document, **formulas})


def grow(
    state: Growth,
    samples: Samples,
    additions: tuple[Move, ...] = ALL_ADDITIONS,
    tactics: Tactics = STANDARD,
    *,
    is_over: Callable[[], bool] = lambda: False,
) -> Growth:
    """Go on growing until nothing helps, or until `is_over`."""
    while not state.is_done:
        state = _grown(state, samples, additions, tactics)
        if is_over():
            break
    return state


def _grown(
    state: Growth, samples: Samples, additions: tuple[Move, ...], tactics: Tactics
) -> Growth:
    """Add once, and tidy up if it is time to."""
    by = tactics.growing
    larger = _larger(state.present, samples, additions, tactics)
    present, n = larger or state.present, state.n_additions + 1
    state = state._replace(present=present, n_additions=n)
    if larger is not None and n % by.between_tidying and n < by.most_additions:
        return state
    tidy = prune(present.graph, samples, tactics)
    tidy = improve(tidy, samples, (waves_for_sums,), tactics, patience=by.tidying)
    is_better = tidy.bic < state.best.bic - by.improved
    is_small = tidy.graph.n_parameters <= by.most_parameters
    has_hope = is_small and n < by.most_additions
    return state._replace(
        present=tidy,
        best=tidy if is_better else state.best,
        is_done=not (has_hope and (larger is not None or is_better)),
    )


def _larger(
    present: Scored, samples: Samples, additions: tuple[Move, ...], tactics: Tactics
) -> Scored | None:
    """The formula with the addition that helps most; None if none is worth it."""
    by, best, best_bic = tactics.growing, None, present.bic
    for proposal in propose(present.graph, samples, additions, tactics):
        if proposal.graph is None:
            continue
        graph = canonical(proposal.graph, samples.x)
        if graph.is_empty:
            continue
        found = refit(
            graph,
            samples,
            tactics,
            n_iterations=by.n_iterations,
            tolerance=by.tolerance,
        )
        charge = 2.0 * math.log(proposal.n_tried)
        if found.bic + charge < best_bic:
            best, best_bic = found, found.bic + charge
    return best
