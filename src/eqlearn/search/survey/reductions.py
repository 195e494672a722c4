"""Reductions: fewer variables that say the same, found as symmetries of scale.

If multiplying the inputs by powers α of a number only multiplies the target by its
power p, one input can be taken out: y = xⱼᵖ f(v) with vᵢ = xᵢ / xⱼ^αᵢ. Such symmetries
are where Σ αᵢ ∂y/∂log xᵢ = p y, with the slopes of a smooth fit. These are proposals:
one holds if a polynomial of the fewer variables explains as much as one of all inputs.
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
from eqlearn.search.smooth_fits import Polynomial, Smooth, degree_for
from eqlearn.search.task import Task

# Share of the variance that a polynomial leaves of a law that is not smooth.
_NOT_SMOOTH = 0.05
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


def _is_plain(v: Exponents) -> bool:
    return sum(map(abs, v)) == 1.0 and max(v) == 1.0


def reduced_views(view: View, task: Task) -> list[View]:
    """Views of fewer variables that say the same; none if there are none."""
    n = task.x.shape[1]
    merged = with_differences(view, task)
    holding: list[tuple[int, float, View]] = []
    # k + T is nearly the root of k T in a narrow range: groups of both views compete.
    for seen in (view,) if merged is view else (merged, view):
        data = seen.of(task).search_rows()
        for one, left in _reductions(data.x, data.y[0], data.root_weight):
            holding.append((len(one.variables), left, one.view(seen, n)))
    if not holding:
        return [] if merged is view else [merged]
    least = min(n_variables for n_variables, _, _ in holding)
    fewest = [(left, found) for n_vars, left, found in holding if n_vars == least]
    best = min(left for left, _ in fewest)
    chosen = [found for left, found in fewest if left <= _HOLDS * best + 1e-20]
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
    everything = [_only(n, i) for i in range(n)]
    degree = degree_for(n, x.shape[1], 0.2)
    whole = _left(x, y, root, (0.0,) * n, everything, degree)
    is_smooth = whole <= _NOT_SMOOTH * _variance(y, root)
    found: list[tuple[float, int, View]] = []
    for factor, variables in task.group_sets:
        if not variables:
            continue  # a power law, which is looked for anyway
        # Fewer variables can have more terms; groups often span decades.
        few = degree_for(len(variables), x.shape[1], 0.2)
        degrees = {few, 2 * degree if len(variables) == 1 else degree}
        left = min(_left(x, y, root, factor, variables, one) for one in degrees)
        if not is_smooth or left < _MAY_HOLD * whole + 1e-20:
            view = Reduction(factor, variables).view(plain, n)
            found.append((left, len(found), view))
    found.sort()
    if found and is_smooth and found[0][0] < _HOLDS * whole + 1e-20:
        return [found[0][2]], True
    return [view for _, _, view in found], False


def with_differences(view: View, task: Task) -> View:
    """The view with x - z, or x + z, in the place of all inputs that appear so only.

    In the units of the data: only what is measured alike is added.
    """
    while (merged := _with_difference(view, task)) is not view:
        view = merged
    return view


def _with_difference(view: View, task: Task) -> View:
    """The view with one sum of two inputs in their place, if there is such a one."""
    seen = view.of(task)
    data = seen.search_rows()
    x, y, root = data.x, data.y[0], data.root_weight
    if len(x) < 2:
        return view
    degree = degree_for(len(x), x.shape[1], 0.2)
    smooth = Smooth.of(x, y, root, degree)
    whole = smooth.left
    if whole > _NOT_SMOOTH * _variance(y, root):
        return view
    slopes = smooth.slopes(x, smooth.coefficients) * root / seen.x_scale[:, None]
    for i, j in itertools.combinations(range(len(view.inputs)), 2):
        for sign in (-1.0, 1.0):
            # Of x - z the slopes are opposite.
            off = slopes[i] - sign * slopes[j]
            size = slopes[i] - np.mean(slopes[i])
            if off @ off > 0.1 * (slopes[i] @ slopes[i]) or not size.any():
                continue
            weights = {i: float(seen.x_scale[i]), j: sign * float(seen.x_scale[j])}
            value = sum(w * x[k] for k, w in weights.items())
            rest = [x[k] for k in range(len(x)) if k not in weights]
            own = degree if rest else 2 * degree
            error = Smooth.of(np.array([*rest, value]), y, root, own).left
            # A sum that is all there is says nothing new.
            is_linear = degree_of_linear(slopes[i])
            if error < 1.1 * whole + 1e-20 and not is_linear:
                return _merged(view, weights, task.x.shape[1])
    return view


def degree_of_linear(slope: Array) -> bool:
    """Whether a slope is the same everywhere: then two inputs are terms of a sum."""
    return bool(np.std(slope) < 0.02 * np.abs(np.mean(slope)))


def _merged(view: View, weights: dict[int, float], n_inputs: int) -> View:
    """The view with a sum of two of its inputs in their place."""
    draft = view.draft(n_inputs)
    size = max(map(abs, weights.values()))
    total = {view.inputs[i]: w / size for i, w in weights.items()}
    shown = view.features()[len(view.inputs) :]
    for feature in [*shown, total]:
        draft.outputs.append((dict(feature), {CONSTANT: 1.0}))
    inputs = tuple(k for i, k in enumerate(view.inputs) if i not in weights)
    return View(inputs, draft.freeze(), view.steps)


def _variance(y: Array, root: Array) -> float:
    return float(np.mean((root * (y - np.average(y, weights=root**2))) ** 2))


def _reductions(x: Array, y: Array, root: Array) -> list[tuple[Reduction, float]]:
    """Reductions that hold, those to the fewest variables only; none if none do.

    Each with what a polynomial of its variables leaves, the least first.
    """
    if len(x) < 2:
        return []
    everything = [_only(len(x), i) for i in range(len(x))]
    degree = degree_for(len(x), x.shape[1], 0.2)
    whole = _left(x, y, root, (0.0,) * len(x), everything, degree)
    if not math.isfinite(whole):
        return []
    holding = []
    proposals = dict.fromkeys(_proposals(x, y, root))
    plain = Reduction((0.0,) * len(x), tuple(everything))
    if whole > _NOT_SMOOTH * _variance(y, root):
        return [(one, whole) for one in (*list(proposals)[:2], plain)]
    for proposal in proposals:
        left = _left_by(proposal, x, y, root, degree)
        if left < _HOLDS * whole + 1e-20:
            holding.append((proposal, left))
    fewest = _fewest(sorted(holding, key=lambda one: one[1]), x, y, root)
    is_doubtful = all(left > _SURELY * whole + 1e-20 for _, left in fewest)
    return [*fewest, *([(plain, whole)] if fewest and is_doubtful else [])]


def _fewest(
    holding: list[tuple[Reduction, float]], x: Array, y: Array, root: Array
) -> list[tuple[Reduction, float]]:
    """Those to the fewest variables that hold beside those to more variables, too.

    A polynomial of many inputs is a poor judge, for it can have few powers of each. One
    of not as many can have more of them, and tells whether even fewer say the same.
    """
    judges: dict[int, tuple[int, float]] = {}  # degrees, and what is left, by variables
    for n_variables in sorted({len(one.variables) for one, _ in holding}, reverse=True):
        now = [
            (one, left) for one, left in holding if len(one.variables) == n_variables
        ]
        good = [
            (one, left)
            for one, left in now
            if all(
                _left_by(one, x, y, root, degree) < _HOLDS * most + 1e-20
                for degree, most in judges.values()
            )
        ]
        degree = degree_for(n_variables, x.shape[1], 0.2)
        if good:
            least = min(_left_by(one, x, y, root, degree) for one, _ in good[:_MOST])
            judges[n_variables] = degree, least
            fewest = good
    return fewest[:_MOST] if holding else []


def _left_by(one: Reduction, x: Array, y: Array, root: Array, degree: int) -> float:
    """What a polynomial leaves of a reduction; one variable has twice the degree."""
    own = 2 * degree if len(one.variables) == 1 else degree
    return _left(x, y, root, one.factor, one.variables, own)


def _only(n: int, i: int) -> Exponents:
    return tuple(float(j == i) for j in range(n))


def _left(
    x: Array,
    y: Array,
    root: Array,
    factor: Exponents,
    variables: Sequence[Exponents],
    degree: int,
) -> float:
    """Mean square that a polynomial of the variables leaves."""
    with np.errstate(all="ignore"):
        scale = monomial(x, factor)
        values = np.array([monomial(x, v) for v in variables]).reshape(-1, x.shape[1])
        t, weight = y / scale, root * np.abs(scale)
        if not all(np.isfinite(part).all() for part in (values, t, weight)):
            return math.inf
    return Smooth.of(values, t, weight, degree).left


def _proposals(x: Array, y: Array, root: Array) -> Iterator[Reduction]:
    """Symmetries of scale of smooth fits: of the target, and of its logarithm."""
    positive = [i for i, row in enumerate(x) if row.min() > 0]
    if not positive:
        return
    degree = degree_for(len(x), x.shape[1], 0.25)
    fits = [(y, root, False)]
    size = np.abs(y * root)
    size = size / np.sqrt(np.mean(size**2))
    if np.mean(y * np.sign(np.median(y)) > 0) > 0.9:
        weight = np.where(size < 0.02, 0.0, size / (size + 0.2))
        fits.append((np.log(np.maximum(np.abs(y), 1e-300)), weight, True))
    for target, weight, is_log in fits:
        smooth = Smooth.of(x, target, weight, degree)
        coefficients, polynomial = smooth.coefficients, smooth.polynomial
        if is_log:
            coefficients = _robust(polynomial, target, weight)
        slopes = smooth.slopes(x, coefficients) * x
        value = np.ones_like(y) if is_log else coefficients @ polynomial.values
        columns = np.concatenate([slopes, [value]]) * weight
        yield from _symmetric(columns, positive)
        yield from _factors(columns, positive)


def _robust(polynomial: Polynomial, y: Array, base: Array) -> Array:
    """A fit in which rows that are far off count less: log has a hole at 0."""
    weight = base
    for _ in range(4):
        coefficients = polynomial.fitted(y, weight)
        off = np.abs(y - coefficients @ polynomial.values) * base
        middle = float(np.median(off[base > 0]))
        weight = base / np.sqrt(1.0 + (off / (3.0 * middle + 1e-300)) ** 2)
    return coefficients


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
            found = _snapped(solved, pivots)
            if found is not None:
                yield found


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


def _snapped(solved: Array, pivots: tuple[int, ...]) -> Reduction | None:
    """The reduction with simple powers, if they are close to such."""
    n = len(solved) - 1
    alpha, p = solved[:n], solved[n]
    near = np.round(2 * alpha) / 2
    if np.abs(alpha - near).max() > 0.15 or np.abs(near).max() > 4:
        return None
    factor = [0.0] * n
    for j, pivot in enumerate(pivots):
        # Σ αᵢ slopeᵢ + last · y = 0, so the power is the negative of the last one.
        factor[pivot] = _simple(-float(p[j]))
    if max(map(abs, factor)) > 4:
        return None
    variables = []
    for i in range(n):
        if i not in pivots:
            v = [0.0] * n
            v[i] = 1.0
            for j, pivot in enumerate(pivots):
                v[pivot] = -float(near[i, j])
            variables.append(_primitive(v))
    return Reduction(tuple(factor), tuple(variables)) if variables else None


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
