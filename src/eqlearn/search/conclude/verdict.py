"""Whether a result can be trusted, in plain words: all the evidence, put together."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from eqlearn.errors import printable
from eqlearn.model.model import Kind, Verdict
from eqlearn.model.prediction import Weighed
from eqlearn.search.conclude import misfit_signs, signs
from eqlearn.search.conclude.effective_rows import relation_left_by
from eqlearn.search.conclude.judged_rows import JudgedRows, values_of
from eqlearn.search.conclude.misfits import misfits
from eqlearn.search.conclude.noise_level import noise_level
from eqlearn.search.conclude.other_forms import other_forms
from eqlearn.search.conclude.regions import region_tests
from eqlearn.search.conclude.rivals import Rivalry, rivalry
from eqlearn.search.conclude.signs import Sign
from eqlearn.search.keep.final_fits import Candidate, has_free_pole
from eqlearn.search.learn import Found
from eqlearn.search.related_rows import UNRELATED, Relation
from eqlearn.search.strategy import STANDARD, Strategy
from eqlearn.search.verdict_strategy import Judging
from eqlearn.training.losses import ROBUST

_AHEAD = "Every formula found that says something else is far behind."


def verdict(
    found: Found,
    pick: int,
    rows: JudgedRows,
    names: Sequence[str],
    loss: str = "squared",
    strategy: Strategy = STANDARD,
) -> Verdict:
    """Judge the candidate picked for a target from the rows it was found in.

    What raises a doubt makes it doubtful; what only limits its use, plausible. By a
    robust loss, rows that do not follow are named, and the others judge.
    """
    best = found.candidates[pick]
    left_out, rows = _by_loss(loss, best, rows, strategy)
    if not best.is_something:
        return _nothing(found, best, rows, names, strategy)
    shown = [printable(name, 60) for name in names]
    told = [sign for sign in _signs(found, best, rows, shown, loss, strategy) if sign]
    told += [] if left_out is None else [left_out]
    # A formula that may be wrong does not tell which rows are.
    is_good = all(sign.bearing in ("good", "note") for sign in told)
    if not is_good and not any(sign.advice == signs.CHECK_ROWS for sign in told):
        told += _odd_rows(best, rows, strategy.judging)
    by_bearing = {
        bearing: [sign.sentence for sign in told if sign.bearing == bearing]
        for bearing in ("good", "doubt", "limit", "note")
    }
    kind: Kind = "trusted"
    if by_bearing["limit"]:
        kind = "plausible"
    if by_bearing["doubt"]:
        kind = "doubtful"
    advice = dict.fromkeys(_advice(told))
    is_one_of_several = signs.ONE_OF_THEM in advice
    if (by_bearing["doubt"] or is_one_of_several) and _AHEAD in by_bearing["good"]:
        by_bearing["good"].remove(_AHEAD)  # which is no comfort then
    is_vain = signs.MORE_INPUTS in advice  # a longer search finds no missing input
    if kind != "trusted" and found.ended != "finished" and not is_vain:
        advice[signs.MORE_TIME] = None
    sentences = [one for some in by_bearing.values() for one in some]
    return Verdict(kind, (*sentences, *_failures(found)), tuple(advice))


def _odd_rows(best: Candidate, rows: JudgedRows, by: Judging) -> list[Sign]:
    """Rows that may be wrong, told by others than the formula."""
    odd = misfit_signs.neighbour_sign(best.graph, rows, by)
    odd = odd or misfit_signs.lone_sign(best.graph, rows, by)
    return [] if odd is None else [odd]


def _advice(told: Sequence[Sign]) -> list[str]:
    """What to do, wild rows first: what else is wrong may come of them."""
    advice = [sign.advice for sign in told if sign.advice]
    first = signs.CHECK_ROWS, signs.CHECK_LONE_ROWS
    return sorted(advice, key=lambda one: one not in first)


def _by_loss(
    loss: str, best: Candidate, rows: JudgedRows, strategy: Strategy
) -> tuple[Sign | None, JudgedRows]:
    """The rows as the loss sees them, and what it leaves out."""
    if loss == "relative":
        return None, rows.relative_to(best.graph)
    if loss not in ROBUST or not best.is_something:
        return None, rows
    wild = misfits(best.graph, rows, strategy.judging)
    if not wild:
        return None, rows
    return misfit_signs.left_out_sign(wild, rows), rows.without(
        [one.row for one in wild]
    )


def _nothing(
    found: Found,
    best: Candidate,
    rows: JudgedRows,
    names: Sequence[str],
    strategy: Strategy,
) -> Verdict:
    """Tell a target without a law from one whose law was not found in time."""
    if not np.ptp(rows.y):  # the spread may be a rounding error
        same = (
            f"The target is {rows.y[0]:.6g} in every row: there is nothing to explain."
        )
        return Verdict("nothing", (same, *_failures(found)), (signs.WHERE_IT_CHANGES,))
    reason = "No formula explains more of the target than its mean does."
    crowding = found.crowding if rows.is_in_order else 0.0
    relation = Relation(1.0 + crowding * len(rows.y), True)
    apart = rows.every(math.ceil(relation.reach))
    left = signs.structure_sign(best.graph, apart, names, strategy.residuals)
    # Rows of like inputs differ where errors wander, and none of them is wild.
    odd = signs.series_sign(relation, rows)
    odd = odd or misfit_signs.neighbour_sign(best.graph, rows, strategy.judging)
    advice = signs.MORE_DATA if odd is None else odd.advice
    told = () if odd is None else (odd.sentence,)
    if found.ended != "finished" and left is not None and left.bearing == "doubt":
        reason = "The target depends on the inputs, but the search ended too early."
        advice = signs.MORE_TIME
    return Verdict("nothing", (reason, *told, *_failures(found)), (advice,))


def _signs(
    found: Found,
    best: Candidate,
    rows: JudgedRows,
    names: Sequence[str],
    loss: str,
    strategy: Strategy,
) -> Iterator[Sign | None]:
    """All the evidence, the most telling first."""
    by, graph = strategy.judging, best.graph
    share = best.rms / rows.spread if rows.spread else 0.0
    yield _left(found, best, share, rows, by)
    yield signs.much_left_sign(best.rms, rows, by)
    if not _is_rounding(best, rows, by):
        yield signs.weights_sign(graph, rows)
    yield _pole(best, share, rows, by)
    like, copy = (
        signs.like_sign(graph, best.rms, rows, names, by),
        signs.copy_sign(graph, names, by),
    )
    if like and copy and like.advice == signs.MADE_OF_TARGET:
        like = like._replace(advice="")  # which a copy gives by name
    yield like
    yield copy
    if share >= by.exact:
        yield from _signs_in_noise(found, best, rows, names, loss, strategy)
    elif not _is_rounding(best, rows, by):
        yield from _signs_in_little(found, best, rows, names, strategy)
    yield signs.extrapolation_sign(graph, rows)
    if found.ended == "time":
        yield Sign("note", "Time was up.")
    if found.ended == "interrupt":
        yield Sign("note", "The search was interrupted.")


def _pole(best: Candidate, share: float, rows: JudgedRows, by: Judging) -> Sign | None:
    """Whether it has a pole, and whether that is the law's own.

    That of an exact formula is, and one beyond the rows whose place no fit has chosen.
    """
    pole = signs.pole_sign(best.has_pole, best.graph, rows)
    if pole is None:
        return None
    is_given = pole.bearing == "limit" and not has_free_pole(best.snapped)
    if share < by.exact or is_given:
        return pole._replace(bearing="note", advice="")
    return pole


def _is_rounding(best: Candidate, rows: JudgedRows, by: Judging) -> bool:
    """Whether what is left is no more than arithmetic leaves, in rows of any weight."""
    most = by.rounding * float(np.max(np.abs(rows.y)))
    if rows.weight is None or best.rms > most:
        return best.rms <= most
    left = rows.y - values_of(best.graph, rows.x)
    return bool(np.sqrt(np.mean(left**2)) <= most)


def _left(
    found: Found, best: Candidate, share: float, rows: JudgedRows, by: Judging
) -> Sign | None:
    if share > by.much_left:
        return None  # which is said for itself
    if share < by.exact and _is_rounding(best, rows, by):
        return Sign("good", "The formula is exact: it leaves only rounding errors.")
    left = f"{100 * share:.2g} % of the target's spread is left."
    votes = _independent_votes(found, best)
    if votes > 1:
        agreed = f"{votes} of {found.n_attempts} independent attempts ended in it"
        return Sign("good", f"{agreed}, and {left}")
    return Sign("good", f"With it, {left}")


def _independent_votes(found: Found, best: Candidate) -> int:
    """Attempts that ended in a formula; looks for laws directly cannot agree."""
    return best.votes if found.n_attempts >= best.votes else 0


def _signs_in_little(
    found: Found,
    best: Candidate,
    rows: JudgedRows,
    names: Sequence[str],
    strategy: Strategy,
) -> Iterator[Sign | None]:
    """What tells a law from imitations that come very close where there is no noise.

    These come the closer the longer they are, and what they leave is smooth, unlike
    the digits that a table leaves out.
    """
    left = signs.structure_sign(best.graph, rows, names, strategy.residuals)
    yield left if left is not None and left.bearing == "doubt" else None
    votes = _independent_votes(found, best)
    yield signs.size_sign(best.graph, votes, strategy.stopping)


def _signs_in_noise(
    found: Found,
    best: Candidate,
    rows: JudgedRows,
    names: Sequence[str],
    loss: str,
    strategy: Strategy,
) -> Iterator[Sign | None]:
    """What tells a law from its imitations where noise hides the difference."""
    by, graph, n = strategy.judging, best.graph, best.graph.n_parameters
    relation = _relation(best, rows)
    # Rows that are so far apart are not alike but by the law.
    step = math.ceil(relation.reach) if relation.is_of_order else 1
    apart = rows.every(step) if step < len(rows.y) else rows
    yield _structure(best, apart, len(rows.y), names, strategy)
    noise = noise_level(apart.x, apart.y, by.fewest_differences)
    yield signs.noise_sign(best.rms, n, apart, noise, strategy.residuals.unlikely)
    if loss != "relative":  # by which errors out there are larger anyway
        yield signs.far_sign(graph, best.rms, rows, strategy.residuals.unlikely)
    yield misfit_signs.misfit_sign(graph, rows, by)
    yield signs.series_sign(relation, rows)
    yield signs.size_change_sign(graph, apart, names, strategy.residuals)
    stopping = strategy.stopping
    size = signs.size_sign(graph, _independent_votes(found, best), stopping)
    yield size
    if n > by.most_parameters:
        return
    rivals = rivalry_of(found, best, rows, strategy)
    yield signs.rival_sign(rivals, by)
    if stopping.clear <= rivals.lead < float("inf"):
        yield Sign("good", _AHEAD)
    is_long = size is not None
    yield signs.region_sign(region_tests(graph, rows, by), names, by, is_long=is_long)
    yield signs.constants_sign(best, rows, by, relation.crowding(len(rows.y)))


def _structure(
    best: Candidate, apart: JudgedRows, n_rows: int, names: Sequence[str], by: Strategy
) -> Sign | None:
    """Whether residuals are noise, by rows whose errors do not belong together."""
    sign = signs.structure_sign(best.graph, apart, names, by.residuals)
    if sign is None or sign.bearing != "limit" or len(apart.y) == n_rows:
        return sign
    few = f"Of {n_rows} rows, the {len(apart.y)} that are far enough apart are too few"
    return sign._replace(sentence=f"{few} to tell noise from part of a law.")


def _relation(best: Candidate, rows: JudgedRows) -> Relation:
    if not rows.is_in_order:
        return UNRELATED
    return relation_left_by(best, rows.x, rows.y, rows.weight)


def rivalry_of(
    found: Found, best: Candidate, rows: JudgedRows, strategy: Strategy
) -> Rivalry:
    """What the other candidates come to, and forms that nobody has looked for."""
    by = strategy.judging
    others = [Weighed(o.graph, o.bic) for o in found.candidates if o is not best]
    listed = rivalry(Weighed(best.graph, best.bic), others, rows, by.agree)
    made = made_rivalry(best, rows, strategy)
    return max(listed, made, key=lambda one: one.chance)


def made_rivalry(best: Candidate, rows: JudgedRows, strategy: Strategy) -> Rivalry:
    """What forms come to that are made for the comparison."""
    tactics = strategy.tactics.crowded(_relation(best, rows).crowding(len(rows.y)))
    own, forms = other_forms(best.graph, rows, tactics, strategy.judging)
    rivals = [Weighed(form.graph, form.bic) for form in forms]
    unit = rows.in_units_of_spread()
    return rivalry(Weighed(own.graph, own.bic), rivals, unit, strategy.judging.agree)


def _failures(found: Found) -> list[str]:
    """How many steps of the search failed, and why the first of them did."""
    if not found.failures:
        return []
    n, (_, why) = len(found.failures), found.failures[0]
    steps = "1 step of the search" if n == 1 else f"{n} steps of the search"
    left_out = "was left out" if n == 1 else "were left out, the first"
    return [f"{steps} failed and {left_out}: {printable(why, 120)}."]
