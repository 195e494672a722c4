"""Whether a result can be trusted, in plain words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from eqlearn._types import Array
from eqlearn.errors import printable
from eqlearn.network.graph import Graph
from eqlearn.search.keep.final_fits import Candidate
from eqlearn.search.learn import Found
from eqlearn.search.strategy import STANDARD

#: Share of the target's spread that may be left unexplained without remark.
MUCH_LEFT = 0.3
#: Formulas that differ by less than this share of the spread agree.
AGREE = 0.05
#: Residuals of this share of the spread are rounding errors.
EXACT_SHARE = 1e-9

#: What is said where there is no verdict.
UNJUDGED = "Nobody has judged this equation."
KINDS = ("trusted", "plausible", "doubtful", "nothing")


@dataclass(frozen=True)
class Verdict:
    """How far a formula can be trusted, why, and what to try if not far enough."""

    kind: str  # one of `KINDS`
    reasons: tuple[str, ...]
    advice: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.kind.capitalize()}: {' '.join((*self.reasons, *self.advice))}"


def kept_verdict(settings: Mapping[str, Any], number: int) -> Verdict | None:
    """The verdict on a target that was kept with a model, if it is one."""
    kept = settings.get("verdicts")
    row = kept[number] if isinstance(kept, list | tuple) and number < len(kept) else {}
    if not isinstance(row, Mapping) or row.get("kind") not in KINDS:
        return None
    return Verdict(row["kind"], _sentences(row, "reasons"), _sentences(row, "advice"))


def _sentences(row: Mapping[str, Any], name: str) -> tuple[str, ...]:
    found = row.get(name)
    return tuple(map(str, found)) if isinstance(found, list | tuple) else ()


def verdict(
    found: Found,
    pick: int,
    x: Array,
    y: Array,
    low: Array,
    high: Array,
    close: float = STANDARD.stopping.close,
) -> Verdict:
    """Judge the candidate picked for a target `y` (N,), to be used in a domain."""
    best, spread = found.candidates[pick], float(np.std(y))
    share = best.rms / spread if spread else 0.0
    if not best.is_something:
        reason = "No formula explains more of the target than its mean does."
        return Verdict("nothing", (reason, *_failures(found)), (_MORE_DATA,))
    good, doubts, advice = [], [], []
    if share < EXACT_SHARE:
        good.append("The formula is exact: it leaves nothing but rounding errors.")
    elif best.votes > 1:
        good.append(
            f"{best.votes} of {found.n_attempts} independent attempts ended in it, "
            f"and {100 * share:.2g} % of the target's spread is left."
        )
    else:
        few = "Only 1" if best.votes else "None"
        doubts.append(f"{few} of {found.n_attempts} attempts ended in it.")
        advice.append("Give it more time or another seed.")
    if share > MUCH_LEFT:
        doubts.append(
            f"{100 * share:.0f} % of the target's spread is left unexplained."
        )
        advice.append(_MORE_DATA)
    most = best.bic + close
    rivals = [c for c in found.candidates if c.bic < most and c is not best]
    if _differ(best, rivals, x, spread, low, high):
        doubts.append("Others fit nearly as well and differ outside the data.")
        advice.append("Measure a few points further out and give them as far points.")
    weak = list(_weak_points(found, best))
    kind = "doubtful" if doubts else "plausible" if weak else "trusted"
    return Verdict(kind, (*good, *doubts, *weak, *_failures(found)), tuple(advice))


_MORE_DATA = "Measure more, or inputs that are missing; other units may help."


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
    """What failed on the way; the others speak for themselves."""
    if not found.failures:
        return []
    n, (key, why) = len(found.failures), found.failures[0]
    return [f"Of the steps of the search {n} failed, {key} by {printable(why, 120)}."]


def _differ(
    best: Candidate,
    rivals: list[Candidate],
    x: Array,
    spread: float,
    low: Array,
    high: Array,
) -> bool:
    points = np.random.default_rng(0).uniform(low, high, (2000, x.shape[1]))

    def values(graph: Graph) -> Array:
        with np.errstate(all="ignore"):
            return graph.evaluate(points)[0]

    ours = values(best.graph)
    return any(
        float(np.median(np.abs(values(rival.graph) - ours))) > AGREE * spread
        for rival in rivals
    )
