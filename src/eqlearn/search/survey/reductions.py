"""Reductions: fewer variables that say the same, found as symmetries of scale.

If multiplying the inputs by powers α of a number only multiplies the target by its
power p, one input can be taken out: y = xⱼᵖ f(v) with vᵢ = xᵢ / xⱼ^αᵢ. Such symmetries
are where Σ αᵢ ∂y/∂log xᵢ = p y, with the slopes of a smooth fit. These are proposals:
one holds if a smooth law of the fewer variables explains as much as one of all inputs.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from eqlearn._types import Array
from eqlearn.network.graph import CONSTANT
from eqlearn.network.transform import joined
from eqlearn.search.attempts.input_views import View
from eqlearn.search.attempts.links import Without
from eqlearn.search.attempts.monomials import (
    ONE,
    Exponents,
    monomial,
    monomial_fraction,
)
from eqlearn.search.smooth.smooth_judges import (
    ByPolynomials,
    Judge,
    judge_of,
    variance,
)
from eqlearn.search.survey.differences import judging, with_differences
from eqlearn.search.survey_strategy import ProcessFits
from eqlearn.search.task import Task

# Times what all inputs leave: fewer variables that leave more do not say the same, and
# if they leave more than the second, a small term may be lost, so all inputs stay too.
_HOLDS, _SURELY = 1.1, 1.03
# Reductions to as few variables that are followed.
_MOST = 3
# The same for groups that are known from dimensions, beside all inputs.
_MAY_HOLD = 1.5
# Share of the slopes by an input that is not explained by a power of it.
_LIKE_A_POWER = 0.05


@dataclass(frozen=True)
class Reduction:
    """A factor, and the variables that what is left depends on."""

    factor: Exponents
    variables: tuple[Exponents, ...]

    @property
    def is_less(self) -> bool:
        """Whether there are fewer variables than inputs."""
        return len(self.variables) < len(self.factor)

    def view(self, before: View, n_inputs: int) -> View:
        """What is seen of a view with these variables, without the factor."""
        features = before.features()
        plain = [v.index(1.0) for v in self.variables if _is_plain(v)]
        inputs = tuple(before.inputs[i] for i in plain if i < len(before.inputs))
        draft = before.draft(n_inputs)
        for v in self.variables:
            if not _is_plain(v):
                above, below = monomial_fraction(draft, v, features)
                shown = (
                    above if below == ONE else {draft.add("divide", above, below): 1.0}
                )
            elif v.index(1.0) >= len(before.inputs):
                shown = features[v.index(1.0)]
            else:
                continue
            draft.outputs.append((dict(shown), {CONSTANT: 1.0}))
        units = draft.freeze() if draft.outputs else None
        if not any(self.factor):
            return View(inputs, units, before.steps)
        draft = before.draft(n_inputs)
        above, below = monomial_fraction(draft, self.factor, features)
        draft.outputs.append((dict(above), dict(below)))
        factor = draft.freeze()
        assert factor is not None
        factor = joined([factor])  # without the units that it has no use for
        return View(inputs, units, (*before.steps, Without(factor)))

    def seen(self, x: Array, y: Array, root: Array) -> tuple[Array, Array, Array]:
        """The variables, the target without the factor, and the weights of that."""
        with np.errstate(all="ignore"):
            scale = monomial(x, self.factor)
            values = np.array([monomial(x, v) for v in self.variables])
            weight = root * np.abs(scale)
            return values.reshape(-1, x.shape[1]), y / scale, weight

    def then(self, other: "Reduction") -> "Reduction":
        """What another reduction, of these variables, makes of it."""
        powers = np.array(self.variables)
        factor = np.array(self.factor) + np.array(other.factor) @ powers
        variables = (
            _primitive((np.array(v) @ powers).tolist()) for v in other.variables
        )
        return Reduction(tuple(factor.tolist()), tuple(variables))


def _is_plain(v: Exponents) -> bool:
    return sum(map(abs, v)) == 1.0 and max(v) == 1.0


def reduced_views(view: View, task: Task) -> list[View]:
    """Views of fewer variables that say the same; none if there are none."""
    n, by = task.x.shape[1], judging(view, task)
    merged = with_differences(view, task)
    holding: list[tuple[int, float, View]] = []
    # k + T is nearly the root of k T in a narrow range: groups of both views compete.
    is_sure = merged.n_variables < view.n_variables - 1
    for seen in (merged,) if merged is view or is_sure else (merged, view):
        data = seen.of(task).search_rows()
        for one, left in _in_turn(data.x, data.y[0], data.root_weight, by):
            holding.append((len(one.variables), left, one.view(seen, n)))
    if not holding:
        return [] if merged is view else [merged]
    least = min(n_variables for n_variables, _, _ in holding)
    fewest = [(left, found) for n_vars, left, found in holding if n_vars == least]
    best = min(left for left, _ in fewest)
    chosen = [found for left, found in fewest if left <= _HOLDS * best + 1e-20]
    # With factors and groups out of the way, differences show.
    chosen[0] = with_differences(chosen[0], task)
    # Where fewer variables may lose something, all stay, too.
    whole = [v for n_vars, _, v in holding if n_vars == view.n_variables > least]
    return [*chosen[:_MOST], *whole]


def dimensionless_views(task: Task) -> tuple[list[View], bool]:
    """Views of dimensionless groups, and whether they surely say all that inputs do.

    They do not if a constant that has a dimension is part of the law, and not given.
    Of sets that say all, the one over which the law is smoothest is enough.
    """
    n = task.x.shape[1]
    plain = View(tuple(range(n)))
    data = plain.of(task).search_rows()
    x, y, root = data.x, data.y[0], data.root_weight
    judge = ByPolynomials.of(n, x.shape[1])
    whole = judge.left(x, y, root)
    is_smooth = whole <= judge.not_smooth * variance(y, root)
    found: list[tuple[float, int, View]] = []
    for factor, variables in task.group_sets:
        if not variables:
            continue  # a power law, which is looked for anyway
        # Fewer variables can have more terms; groups often span decades.
        judges = {judge, judge.of_variables(len(variables), x.shape[1])}
        reduction = Reduction(factor, variables)
        left = min(_left_by(reduction, x, y, root, one) for one in judges)
        if not is_smooth or left < _MAY_HOLD * whole + 1e-20:
            found.append((left, len(found), reduction.view(plain, n)))
    found.sort()
    if found and is_smooth and found[0][0] < _HOLDS * whole + 1e-20:
        return [found[0][2]], True
    return [view for _, _, view in found], False


def _in_turn(
    x: Array, y: Array, root: Array, by: ProcessFits | None
) -> list[tuple[Reduction, float]]:
    """Reductions, the first of them reduced again: of few variables more is known."""
    found = _reductions(x, y, root, by)
    if not found or not found[0][0].is_less:
        return found
    first = found[0][0]
    again = _in_turn(*first.seen(x, y, root), by)
    if not again or not all(one.is_less for one, _ in again):
        return found  # where all variables stay, the others are in doubt
    return [*((first.then(one), left) for one, left in again), *found[1:]]


def _reductions(
    x: Array, y: Array, root: Array, by: ProcessFits | None
) -> list[tuple[Reduction, float]]:
    """Reductions that hold, those to the fewest variables only; none if none do.

    Each with what a smooth law of its variables leaves, the least first.
    """
    finite = (np.isfinite(part).all() for part in (x, y, root))
    if len(x) < 2 or not all(finite):
        return []
    judge, whole, (x, y, root) = judge_of(x, y, root, by)
    if not math.isfinite(whole):
        return []
    most = None if by is None else by.most_proposals
    asked = dict.fromkeys((judge, ByPolynomials.of(*x.shape)))  # both have slopes
    proposed = (one for asks in asked for one in _proposals(x, y, root, asks))
    proposals = list(dict.fromkeys(proposed))[:most]
    plain = Reduction((0.0,) * len(x), tuple(_only(len(x), i) for i in range(len(x))))
    if whole > judge.not_smooth * variance(y, root):
        return [(one, whole) for one in (*proposals[:2], plain)]
    left_by = _LeftBy((x, y, root))
    if by is not None and judge.quick() != judge:
        proposals = _screened(proposals, plain, left_by, judge.quick(), by)
    lefts = ((left_by(one, judge), one) for one in proposals)
    holding = [(one, left) for left, one in lefts if left < _HOLDS * whole + 1e-20]
    fewest = _fewest(sorted(holding, key=lambda one: one[1]), judge, left_by)
    is_doubtful = all(left > _SURELY * whole + 1e-20 for _, left in fewest)
    return [*fewest, *([(plain, whole)] if fewest and is_doubtful else [])]


def _screened(
    proposals: Sequence[Reduction],
    plain: Reduction,
    left_by: "_LeftBy",
    quick: Judge,
    by: ProcessFits,
) -> list[Reduction]:
    """The most promising by a quick judge, those to the fewest variables first."""
    enough = by.screened * left_by(plain, quick) + 1e-20
    passed = [one for one in proposals if left_by(one, quick) < enough]
    passed.sort(key=lambda one: (len(one.variables), left_by(one, quick)))
    return passed[: by.most_confirmed]


class _LeftBy:
    """What smooth laws leave of some rows, each asked for once."""

    def __init__(self, rows: tuple[Array, Array, Array]) -> None:
        self.rows = rows
        self._known: dict[tuple[Reduction, Judge], float] = {}

    def __call__(self, one: Reduction, judge: Judge) -> float:
        """Mean square that a law of the variables leaves."""
        if (one, judge) not in self._known:
            self._known[one, judge] = _left_by(one, *self.rows, judge)
        return self._known[one, judge]


def _fewest(
    holding: list[tuple[Reduction, float]], first: Judge, left_by: _LeftBy
) -> list[tuple[Reduction, float]]:
    """Those to the fewest variables that hold beside those to more variables, too.

    A polynomial of many inputs is a poor judge, for it can have few powers of each. One
    of not as many can have more of them, and tells whether even fewer say the same.
    """
    judges: list[tuple[Judge, float]] = []  # of so many variables, and what is left
    fewest: list[tuple[Reduction, float]] = []
    for n_variables in sorted({len(one.variables) for one, _ in holding}, reverse=True):
        good = [
            (one, left)
            for one, left in holding
            if len(one.variables) == n_variables
            and all(left_by(one, judge) < _HOLDS * most for judge, most in judges)
        ]
        judge = first.of_variables(n_variables, len(left_by.rows[1]))
        if good:
            least = min(left_by(one, judge) for one, _ in good[:_MOST])
            judges.append((judge, least + 1e-20))
            fewest = good
    return fewest[:_MOST]


def _left_by(one: Reduction, x: Array, y: Array, root: Array, judge: Judge) -> float:
    """Mean square that a smooth law of the variables leaves."""
    rows = one.seen(x, y, root)
    return (
        judge.left(*rows) if all(np.isfinite(part).all() for part in rows) else math.inf
    )


def _only(n: int, i: int) -> Exponents:
    return tuple(float(j == i) for j in range(n))


def _proposals(x: Array, y: Array, root: Array, judge: Judge) -> Iterator[Reduction]:
    """Symmetries of scale of smooth fits: of the target, and of its logarithm."""
    positive = [i for i, row in enumerate(x) if row.min() > 0]
    if not positive:
        return
    fits = [(y, root, False)]
    size = np.abs(y * root)
    size = size / np.sqrt(np.mean(size**2))
    if np.mean(y * np.sign(np.median(y)) > 0) > 0.9:
        weight = np.where(size < 0.02, 0.0, size / (size + 0.2))
        fits.append((np.log(np.maximum(np.abs(y), 1e-300)), weight, True))
    for target, weight, is_log in fits:
        fitted = judge.fitted(x, target, weight, is_log=is_log)
        value = np.ones_like(y) if is_log else fitted.values
        columns = np.concatenate([fitted.slopes * x, [value]]) * weight
        yield from _symmetric(columns, positive)
        yield from _factors(columns, positive)


def _symmetric(columns: Array, positive: list[int]) -> Iterator[Reduction]:
    """Reductions from slopes (r, N) and, as the last row, the value.

    The fewer directions are needed to tell all slopes, the more symmetries there are.
    """
    size = np.sqrt(np.mean(columns**2, axis=1)) + 1e-300
    columns = columns / max(size[:-1].max(), 1e-300)
    _, vectors = np.linalg.eigh(columns @ columns.T)
    for m in range(len(positive), 0, -1):
        null = vectors[:, :m]  # (r + 1, m)
        for pivots in _pivots(null, positive, m):
            solved = null @ np.linalg.inv(null[list(pivots)])
            yield from _snapped(solved, pivots)


def _factors(columns: Array, positive: list[int]) -> Iterator[Reduction]:
    """Inputs that are there as a power only, all together and each by itself.

    Of such an input xᵖ the slope is p times the value, whatever the other slopes are:
    where these are about proportional to the value, too, symmetries tell nothing.
    """
    n, value = len(columns) - 1, columns[-1]
    powers: dict[int, float] = {}
    for i in positive:
        power = float(columns[i] @ value) / float(value @ value)
        off = columns[i] - power * value
        near = round(2 * power) / 2
        if near and off @ off < _LIKE_A_POWER * (columns[i] @ columns[i]):
            powers[i] = near
    chosen = [tuple(powers), *((i,) for i in powers)] if powers else []
    for taken in dict.fromkeys(chosen):
        factor = tuple(powers[i] if i in taken else 0.0 for i in range(n))
        rest = tuple(_only(n, i) for i in range(n) if i not in taken)
        if rest:
            yield Reduction(factor, rest)


def _pivots(
    null: Array, positive: list[int], m: int, most: int = 4
) -> list[tuple[int, ...]]:
    """Inputs that can be taken out together, the clearest first."""
    options = [
        (-abs(float(np.linalg.det(null[list(chosen)]))), chosen)
        for chosen in itertools.combinations(positive, m)
    ]
    options.sort()
    clear = [chosen for size, chosen in options if size < 0.3 * options[0][0]]
    return clear[:most]


def _snapped(solved: Array, pivots: tuple[int, ...]) -> Iterator[Reduction]:
    """The reduction with simple powers, if groups are close to such.

    Powers of the factor are known less well: whole ones are another proposal.
    """
    n = len(solved) - 1
    alpha, p = solved[:n], solved[n]
    near = np.round(2 * alpha) / 2
    if np.abs(alpha - near).max() > 0.15 or np.abs(near).max() > 4:
        return
    variables = []
    for i in range(n):
        if i not in pivots:
            v = [0.0] * n
            v[i] = 1.0
            for j, pivot in enumerate(pivots):
                v[pivot] = -float(near[i, j])
            variables.append(_primitive(v))
    if not variables:
        return
    for snapped in (_simple, round):
        factor = [0.0] * n
        for j, pivot in enumerate(pivots):
            # Σ αᵢ slopeᵢ + last · y = 0: the power is the negative of the last one.
            factor[pivot] = float(snapped(-float(p[j])))
        if max(map(abs, factor)) <= 4:
            yield Reduction(tuple(factor), tuple(variables))


def _primitive(v: Sequence[float]) -> Exponents:
    """The same group with whole powers, as few and as positive as can be."""
    whole = [round(2 * power) for power in v]
    divisor = math.gcd(*whole)
    first = next(power for power in whole if power)
    total = sum(whole) or first
    return tuple(
        float((power // divisor) * (1 if total > 0 else -1)) for power in whole
    )


def _simple(power: float) -> float:
    near = round(2 * power) / 2
    return near if abs(power - near) < 0.15 else power
