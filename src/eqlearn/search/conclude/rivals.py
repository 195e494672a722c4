"""How likely another formula is the law, which says something else outside the data."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from eqlearn.model.prediction import Weighed, chances
from eqlearn.network.graph import Graph
from eqlearn.search.conclude.judged_rows import JudgedRows, high_quantile, values_of


class Rivalry(NamedTuple):
    """What rivals come to."""

    chance: float  # that one of those which differ is the law
    lead: float  # of the criterion over the first that differs; ∞ if none does
    graph: Graph | None = None  # that one


def rivalry(
    best: Weighed, rivals: Sequence[Weighed], rows: JudgedRows, agree: float
) -> Rivalry:
    """Compare a formula with its rivals where the domain of use is beyond the rows.

    They agree if nine of ten of their values there differ by less than a share of the
    spread.
    """
    there = rows.in_domain(best.graph)
    outside = rows.points[there.is_outside]
    ours = there.values[there.is_outside]

    def differs(rival: Weighed) -> bool:
        if not len(outside):
            return False
        theirs = values_of(rival.graph, outside)
        off = np.abs(theirs - ours)
        # Beyond the end of both there is nothing to differ in.
        off[~np.isfinite(theirs) & ~np.isfinite(ours)] = 0.0
        return high_quantile(off) > agree * there.spread

    known = [rival for rival in rivals if np.isfinite(rival.bic)]
    share = chances([best.bic, *(rival.bic for rival in known)])[1:]
    apart = [(one, chance) for one, chance in zip(known, share, strict=True)]
    different = [(one, chance) for one, chance in apart if differs(one)]
    if not different:
        return Rivalry(0.0, float("inf"))
    first = min((one for one, _ in different), key=lambda one: one.bic)
    total = float(sum(chance for _, chance in different))
    return Rivalry(total, first.bic - best.bic, first.graph)
