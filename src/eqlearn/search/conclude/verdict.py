"""Whether a result can be trusted, in plain words."""

from collections.abc import Sequence

import numpy as np

from eqlearn._types import Array
from eqlearn.errors import printable
from eqlearn.model.model import Kind, Verdict
from eqlearn.network.graph import Graph
from eqlearn.search.keep.final_fits import Candidate
from eqlearn.search.learn import Found
from eqlearn.search.strategy import STANDARD, Judging, Strategy

_MORE_DATA = "Measure more, or inputs that are missing; other functions may help."


def verdict(
    found: Found, pick: int, y: Array, domain: Array, strategy: Strategy = STANDARD
) -> Verdict:
    """Judge the candidate picked for a target `y` (N,), to be used in a domain (D, 2).

    What raises a doubt makes it doubtful; what only limits its use, plausible.
    """
    by, best, spread = strategy.judging, found.candidates[pick], float(np.std(y))
    share = best.rms / spread if spread else 0.0
    if not best.is_something:
        reason = "No formula explains more of the target than its mean does."
        return Verdict("nothing", (reason, *_failures(found)), (_MORE_DATA,))
    good, doubts, advice = [], [], []
    if share < by.exact:
        good.append("The formula is exact: it leaves nothing but rounding errors.")
    elif best.votes > 1:
        good.append(
            f"{best.votes} of {found.n_attempts} independent attempts ended in it, "
            f"and {100 * share:.2g} % of the target's spread is left."
        )
    elif _lead(best, found.candidates, spread, domain, by) >= strategy.stopping.lead:
        good.append(
            "Every formula that says something else is far behind, "
            f"and {100 * share:.2g} % of the target's spread is left."
        )
    else:
        few = "Only 1" if best.votes else "None"
        doubts.append(f"{few} of {found.n_attempts} attempts ended in it.")
        advice.append("Give it more time or another seed.")
    if share > by.much_left:
        doubts.append(
            f"{100 * share:.0f} % of the target's spread is left unexplained."
        )
        advice.append(_MORE_DATA)
    most = best.bic + strategy.stopping.close
    rivals = [c for c in found.candidates if c.bic < most and c is not best]
    if any(_differing(best, rivals, spread, domain, by)):
        doubts.append("Others fit nearly as well and differ outside the data.")
        advice.append("Measure a few points further out and give them as far points.")
    weak = _weak_points(found, best)
    kind: Kind = "doubtful" if doubts else "plausible" if weak else "trusted"
    return Verdict(kind, (*good, *doubts, *weak, *_failures(found)), tuple(advice))


def _weak_points(found: Found, best: Candidate) -> list[str]:
    weak = []
    if best.has_pole:
        weak.append("It has a pole in the domain of use.")
    if found.ended == "time":
        weak.append("Time was up before the attempts agreed.")
    if found.ended == "interrupt":
        weak.append("The search was interrupted.")
    return weak


def _failures(found: Found) -> list[str]:
    """How many steps of the search failed, and why the first of them did."""
    if not found.failures:
        return []
    n, (key, why) = len(found.failures), found.failures[0]
    return [f"Of the steps of the search {n} failed, {key} by {printable(why, 120)}."]


def _lead(
    best: Candidate,
    candidates: Sequence[Candidate],
    spread: float,
    domain: Array,
    by: Judging,
) -> float:
    """How far behind all are that say something else; nothing, if none does."""
    others = [one for one in candidates if one is not best]
    differ = _differing(best, others, spread, domain, by)
    behind = [o.bic - best.bic for o, d in zip(others, differ, strict=True) if d]
    return min(behind, default=0.0)


def _differing(
    best: Candidate,
    rivals: Sequence[Candidate],
    spread: float,
    domain: Array,
    by: Judging,
) -> list[bool]:
    """Which rivals disagree with the best in the domain of use."""
    low, high = np.transpose(domain)
    points = np.random.default_rng(0).uniform(low, high, (by.n_points, len(low)))

    def values(graph: Graph) -> Array:
        with np.errstate(all="ignore"):
            return graph.evaluate(points)[0]

    ours = values(best.graph)
    return [
        float(np.median(np.abs(values(rival.graph) - ours))) > by.agree * spread
        for rival in rivals
    ]
