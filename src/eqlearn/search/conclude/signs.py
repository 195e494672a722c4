"""What speaks for a formula and against it: one function and one sentence for each."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.prove.domain import domain_report
from eqlearn.equation.refine.constants import covariance
from eqlearn.model.prediction import variance_by_constants
from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.search.conclude.judged_rows import JudgedRows, high_quantile, values_of
from eqlearn.search.conclude.length import length
from eqlearn.search.conclude.like_inputs import (
    bound_inputs,
    like_inputs,
    relations_of,
    tangled_input,
)
from eqlearn.search.conclude.noise_level import (
    NoiseLevel,
    chance_of_more,
    least_left,
)
from eqlearn.search.conclude.regions import RegionTest
from eqlearn.search.conclude.rivals import Rivalry
from eqlearn.search.enough.structure_tests import (
    Remains,
    StructureTest,
    most_striking,
    size_tests,
    structure_tests,
)
from eqlearn.search.keep.final_fits import Candidate
from eqlearn.search.related_rows import Relation
from eqlearn.search.strategy import Stopping
from eqlearn.search.verdict_strategy import Judging, Residuals

#: What a sign does: speak for the formula, raise a doubt, limit its use, or neither.
Bearing = Literal["good", "doubt", "limit", "note"]

MORE_DATA = "Measure more, or inputs that are missing; other functions may help."
MORE_INPUTS = "Measure what else the target depends on, or measure the target better."
WHERE_IT_CHANGES = "Measure where the target changes."
MORE_FUNCTIONS = "Other functions, or an input that is missing, may explain it."
FAR_POINTS = "Measure a few points further out and give them as far points."
MORE_ROWS = "More rows, or rows over a wider range, would settle it."
CHECK_ROWS = (
    "Check the rows that do not follow, and leave out those that are wrong, or "
    "choose the loss huber, by which they count for nothing."
)
CHECK_LONE_ROWS = (
    "Check these rows, and leave out those that are wrong, or choose the loss huber, "
    "by which they count for nothing."
)
BY_SHARES = (
    "If errors are shares of the value, choose the loss relative; if they are known, "
    "give weights of one over their square."
)
BY_WEIGHTS = "If the errors of rows are known, give weights of one over their square."
ONE_OF_THEM = "Leave out what only repeats others, or measure where they part."
MADE_OF_TARGET = (
    "Leave out what was computed from the target, or vary each input by itself."
)
MORE_TIME = "Give it more time or another seed."


class Sign(NamedTuple):
    """One piece of evidence, and what to do about it."""

    bearing: Bearing
    sentence: str
    advice: str = ""


def structure_sign(
    graph: Graph, rows: JudgedRows, names: Sequence[str], by: Residuals
) -> Sign | None:
    """Whether residuals are noise, or have part of the law in them."""
    if len(rows.y) < by.fewest_judged:
        few = f"{len(rows.y)} rows are too few to tell noise from part of a law."
        return Sign("limit", few, MORE_ROWS)
    residual = rows.y - values_of(graph, rows.x)
    if not np.isfinite(residual).all():
        return Sign("doubt", "It has no value in some of the rows.")
    left = Remains(
        rows.x, residual, rows.root, graph.n_parameters, frozenset(graph.used_inputs)
    )
    tests = structure_tests(left, by)
    striking = most_striking(tests) if tests else None
    if striking is None or striking.chance >= by.unlikely:
        return None
    return Sign(
        "doubt",
        f"What it leaves is not noise: {_what(striking, names)}.",
        MORE_FUNCTIONS,
    )


def size_change_sign(
    graph: Graph, rows: JudgedRows, names: Sequence[str], by: Residuals
) -> Sign | None:
    """Whether residuals are larger in some places than in others.

    That makes no formula wrong, but errors of its constants, and rows that tell much
    count no more than those that tell little.
    """
    expected = values_of(graph, rows.x)
    used = frozenset(graph.used_inputs)
    if len(rows.y) < by.fewest_judged or not np.isfinite(expected).all():
        return None
    left = Remains(rows.x, rows.y - expected, rows.root, graph.n_parameters, used)
    tests = size_tests(left, expected)
    if not tests:
        return None
    striking = most_striking(tests)
    if striking.chance >= by.unlikely:
        return None
    if tests[0].inputs == () and tests[0].chance < by.unlikely:
        size = np.abs(expected)
        is_large = size > np.median(size)
        off = np.abs(left.weighted)
        if off[is_large].mean() > off[~is_large].mean():
            return Sign("note", "What it leaves grows with the value.", BY_SHARES)
    along = min(
        (t for t in tests if t.inputs), key=lambda t: t.chance, default=striking
    )
    is_clear = along.chance < by.unlikely
    where = ", ".join(names[i] for i in along.inputs) if is_clear else "the value"
    told = f"The size of what it leaves changes along {where}."
    return Sign("note", told, BY_WEIGHTS)


_WHATS = {
    "neighbours": "rows that are neighbours in {} are off alike",
    "smooth": "a smooth function of {} explains part of it",
    "wave": "there is a wave along {} in it",
    "product": "there is a wave along the product of {} in it",
    "quotient": "there is a wave along the quotient of {} in it",
}


def _what(test: StructureTest, names: Sequence[str]) -> str:
    inputs = ", ".join(names[i] for i in sorted(test.inputs))
    return _WHATS[test.kind].format(inputs)


def noise_sign(
    rms: float,
    n_parameters: int,
    rows: JudgedRows,
    noise: NoiseLevel | None,
    chance: float,
) -> Sign | None:
    """What is left against what must be left, by rows that were measured again."""
    if noise is None or rows.weight is not None:
        return None
    n_free = len(rows.y) - n_parameters
    share = 100 * float(np.sqrt(noise.variance)) / (rows.spread or 1.0)
    told = "equal inputs" if noise.is_pure else "neighbouring inputs"
    if chance_of_more(rms**2, n_free, noise) < chance:
        more = (
            f"Rows of {told} differ by no more than {share:.2g} % of the spread, and "
        )
        return Sign("doubt", f"{more}it leaves more.", MORE_FUNCTIONS)
    if noise.is_pure:
        return Sign("good", f"It leaves what rows of {told} differ by.")
    return None


def much_left_sign(rms: float, rows: JudgedRows, by: Judging) -> Sign | None:
    """Whether too much is left for a law, and whether these inputs could explain it."""
    share = rms / rows.spread if rows.spread else 0.0
    if share <= by.much_left:
        return None
    much = f"{100 * share:.0f} % of the target's spread is left unexplained"
    least = least_left(rows.x, rows.y, rows.root, by)
    if least is None or least < by.all_noise * rms**2:
        return Sign("doubt", f"{much}.", MORE_DATA)
    told = "no smooth function of these inputs leaves much less: another input"
    return Sign("doubt", f"{much}, and {told} is missing, or it is noise.", MORE_INPUTS)


def rival_sign(rivalry: Rivalry, by: Judging) -> Sign | None:
    """Whether another formula may be the law."""
    if rivalry.chance <= by.rival_chance:
        return None
    return Sign(
        "doubt",
        "Others fit nearly as well and differ outside the data: with a chance of "
        f"{_per_cent(rivalry.chance)} one of them is the law.",
        FAR_POINTS,
    )


def region_sign(
    tests: Sequence[RegionTest],
    names: Sequence[str],
    by: Judging,
    *,
    is_long: bool = False,
) -> Sign | None:
    """Whether the form predicts rows beyond those it was fitted to.

    That few rows leave its constants free is an excuse for a form that is short: one
    that is long, and was found but once, has nothing else to speak for it.
    """
    least = 0.0 if is_long else by.region_errors
    missed = [t for t in tests if t.off > by.region_off and t.n_errors > least]
    if not missed:
        return None
    worst = max(missed, key=lambda test: test.off)
    end = "largest" if worst.is_upper else "smallest"
    return Sign(
        "doubt",
        f"Fitted without the {end} values of {names[worst.source]}, it misses them by "
        f"{_per_cent(worst.off)} of the spread.",
        FAR_POINTS,
    )


def constants_sign(
    best: Candidate, rows: JudgedRows, by: Judging, crowding: float = 0.0
) -> Sign | None:
    """Whether constants are known well enough for the domain of use.

    All that were fitted count: that some are simple may be an accident. Who reads the
    formula sees none of these, and is told.
    """
    widened = 1.0 + crowding * len(rows.y)
    off = _off_by_constants(best.graph, rows, widened)
    if off <= by.constants_off:
        return None
    as_written = _off_by_constants(best.snapped, rows, widened)
    unless = ", unless they are as simple as it says," * (
        as_written <= by.constants_off
    )
    told = f"Its constants{unless} leave an error of {_per_cent(off)} of its spread"
    return Sign("limit", f"{told} in the domain of use.", MORE_ROWS)


def _off_by_constants(graph: Graph, rows: JudgedRows, widened: float) -> float:
    """The error by free constants in the domain of use, in shares of the spread."""
    if not graph.n_parameters:
        return 0.0
    known = covariance(graph, rows.samples) * widened
    variance = variance_by_constants(graph, known, rows.points)
    return high_quantile(np.sqrt(variance)) / rows.in_domain(graph).spread


def series_sign(relation: Relation, rows: JudgedRows) -> Sign | None:
    """Whether errors of successive rows belong together, and how many rows count.

    Where rows of like inputs at other times are not alike, that is taken into account.
    """
    n = len(rows.y)
    counting = relation.counted(n)
    if counting == n:
        return None
    bearing: Bearing = "note" if relation.is_of_order else "limit"
    why = ", as by a drift or a slow sensor" if relation.is_of_order else ""
    told = f"{n} rows count as about {counting:.0f}"
    return Sign(bearing, f"Successive rows are off alike{why}: {told}.", MORE_ROWS)


def far_sign(graph: Graph, rms: float, rows: JudgedRows, chance: float) -> Sign | None:
    """Whether it is further off at the far points than noise is."""
    if rows.far is None or not len(rows.far[0]):
        return None
    off = rows.far[1] - values_of(graph, rows.far[0])
    square = float(np.mean(off**2)) if np.isfinite(off).all() else float("inf")
    n_free = max(len(rows.y) - graph.n_parameters, 1)
    if chance_of_more(square, len(off), NoiseLevel(rms**2, n_free, True)) >= chance:
        return None
    times = np.sqrt(square) / rms if rms else float("inf")
    told = f"{times:.2g} times" if times < 1000 else "more than 1000 times"
    return Sign(
        "doubt",
        f"It misses the far points by {told} what it leaves elsewhere.",
        MORE_FUNCTIONS,
    )


def pole_sign(has_pole: bool, graph: Graph, rows: JudgedRows) -> Sign | None:
    """Whether it has a pole, inside the range of the rows or only beyond."""
    if not has_pole:
        return None
    (within,) = domain_report(graph, *rows.ranges, n_boxes=1)
    if within.has_pole:
        told = "It has a pole within the range of the data."
        return Sign("doubt", told, MORE_FUNCTIONS)
    return Sign("limit", "It has a pole in the domain of use.")


def extrapolation_sign(graph: Graph, rows: JudgedRows) -> Sign | None:
    """How much of the domain of use no row has told of."""
    share = float(np.mean(rows.in_domain(graph).is_outside))
    if share < _HARDLY_ANY:
        return None
    return Sign("note", f"{100 * share:.0f} % of the domain of use is extrapolation.")


#: Share of the domain below which extrapolation is not worth a sentence.
_HARDLY_ANY = 0.005
#: Relations of inputs that are told.
_MOST_TOLD = 3


def copy_sign(graph: Graph, names: Sequence[str], by: Judging) -> Sign | None:
    """Whether the formula only says that the target is one of the columns."""
    ((numerator, denominator),) = graph.outputs
    terms = numerator.keys() - {CONSTANT}
    if graph.nodes or len(terms) != 1 or set(denominator) != {CONSTANT}:
        return None
    (source,) = terms
    slope = numerator[source] / denominator[CONSTANT]
    if abs(abs(slope) - 1.0) > by.copy:
        return None
    return Sign(
        "limit",
        f"It says little more than that the target is {names[source]}.",
        f"Leave {names[source]} out if it was computed from the target, or measures it "
        "again.",
    )


def like_sign(
    graph: Graph, rms: float, rows: JudgedRows, names: Sequence[str], by: Judging
) -> Sign | None:
    """Whether inputs go together, so that any of them may be the one that matters."""
    found = like_inputs(graph, rms, rows, by)
    if not found:
        return _bound_sign(graph, rms, rows, names, by)
    told = f"The rows do not tell {names[found[0].source]} from other inputs"
    few = [one.in_words(names) for one in relations_of(found)[:_MOST_TOLD]]
    return Sign("limit", f"{told}: {', '.join(few)}.", ONE_OF_THEM)


def _bound_sign(
    graph: Graph, rms: float, rows: JudgedRows, names: Sequence[str], by: Judging
) -> Sign | None:
    found = next(iter(bound_inputs(graph, rows, by)), None)
    found = found or tangled_input(graph, rms, rows, by)
    if found is None:
        return None
    name, left = names[found.source], _per_cent(found.left)
    told = f"{name} was not varied by itself: a smooth function of the other inputs"
    return Sign("limit", f"{told} leaves {left} of its spread.", MADE_OF_TARGET)


def weights_sign(graph: Graph, rows: JudgedRows) -> Sign | None:
    """Whether so few rows decide by their weights that the others say nothing.

    Wide weights alone are no fault: errors may be shares of values over many decades.
    Then what is left, times its weight, is alike in all rows.
    """
    if rows.weight is None:
        return None
    counted, residual = _counted(rows.weight), rows.y - values_of(graph, rows.x)
    left = np.where(np.isfinite(residual), rows.weight * residual**2, np.inf)
    if max(counted, _counted(left)) >= graph.n_parameters + 1:
        return None
    missed = _per_cent(float(np.sqrt(np.mean(residual**2))) / (rows.spread or 1.0))
    told = (
        f"By their weights the rows count as {counted:.1f}, for {graph.n_parameters} "
        f"constants; all of them together are missed by {missed} of the spread."
    )
    return Sign("doubt", told, BY_WEIGHTS)


def _counted(shares: Array) -> float:
    """How many equal shares are as uneven as these; all of nothing are equal."""
    largest = float(np.max(shares))
    if not np.isfinite(largest) or not largest:
        return 0.0 if largest else float(len(shares))
    equal = shares / largest
    return float(np.sum(equal) ** 2 / np.sum(equal**2))


def size_sign(graph: Graph, votes: int, by: Stopping) -> Sign | None:
    """Whether a long formula was found more than once: by chance there are many.

    One of few constants may be long as well, if much was chosen to come to it.
    """
    n, size = graph.n_parameters, length(graph)
    if votes >= by.votes or (n <= by.most_parameters and size <= by.most_complexity):
        return None
    many = f"{size} numbers, inputs and functions"
    what = f"{n} constants" if n > by.most_parameters else many
    times = {0: "no", 1: "only one"}.get(votes, f"only {votes}")
    attempts = "attempt" if votes < 2 else "attempts"
    told = f"It has {what}, and {times} independent {attempts} ended in it."
    return Sign("limit", told, MORE_TIME)


def _per_cent(share: float) -> str:
    if not np.isfinite(share) or share > 10:
        return "more than 1000 %"
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.0f} %"
