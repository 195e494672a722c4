"""Interval arithmetic over a graph: what its outputs can be, for many boxes at once.

Every operation is rounded outwards: an interval encloses the exact values wherever in
the box the formula is defined. What is not known is (-∞, ∞), so nothing is ever NaN.
"""

from collections.abc import Callable
from functools import reduce
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array, Booleans
from eqlearn.network.graph import CONSTANT, Graph, Linear, Node

# By how much a computed value may miss the exact one: NumPy's functions are good to
# 4 units in the last place, and products below the smallest normal number underflow.
_RELATIVE = 1e-15
_TINY = 1e-300
_LARGEST = float(np.finfo(float).max)
_ONE: Linear = {CONSTANT: 1.0}


class Interval(NamedTuple):
    """Lower and upper ends, arrays of one shape."""

    low: Array
    high: Array


class Enclosure(NamedTuple):
    """What one output can be in N boxes, and its derivatives by the D inputs."""

    value: Interval  # (N,)
    slopes: Interval  # (D, N)


def enclose(graph: Graph, low: Array, high: Array) -> Interval:
    """Enclose the outputs (N, M) over the boxes from `low` to `high`, both (N, D).

    The values that `Graph.evaluate` computes, rounding errors and all, are inside too.
    """
    outputs = _outputs(graph, low, high, with_slopes=False)
    lows, highs = zip(*(output.value for output in outputs), strict=True)
    return Interval(np.stack(lows, axis=1), np.stack(highs, axis=1))


def enclose_with_slopes(graph: Graph, low: Array, high: Array) -> list[Enclosure]:
    """Enclose each output and its slopes over the boxes from `low` to `high`, (N, D).

    The value is the intersection of the natural enclosure and the mean-value form
    f(m) + f'(box) · (box - m), whose excess falls with the square of the box's size.
    """
    centre = np.clip(0.5 * low + 0.5 * high, low, high)
    reach = _down(-np.maximum(high - centre, centre - low)).T
    at_centre = _outputs(graph, centre, centre, with_slopes=False)
    natural = _outputs(graph, low, high, with_slopes=True)
    found = []
    with np.errstate(all="ignore"):
        for middle, (value, slopes) in zip(at_centre, natural, strict=True):
            total = middle.value
            for k in range(len(reach)):
                slope = Interval(slopes.low[k], slopes.high[k])
                total = _plus(total, _times(slope, Interval(reach[k], -reach[k])))
            lower = np.maximum(value.low, total.low)
            upper = np.minimum(value.high, total.high)
            found.append(Enclosure(Interval(lower, upper), slopes))
    return found


def _outputs(
    graph: Graph, low: Array, high: Array, with_slopes: bool
) -> list[Enclosure]:
    features = [_input(low, high, d, with_slopes) for d in range(graph.n_inputs)]
    shape = (1 + graph.n_inputs * with_slopes, len(low))
    # What overflows or is not defined shows in the ends of the intervals.
    with np.errstate(all="ignore"):
        for node in graph.nodes:
            features.append(_unit(node, features, shape))
        rows = [
            _combined(a, features, shape)
            if b == _ONE
            else _quotient(*(_combined(part, features, shape) for part in (a, b)))
            for a, b in graph.outputs
        ]
    return [Enclosure(*_split(row)) for row in rows]


# A feature is an interval of 1 + D rows of N boxes: the value, then the slopes. Sums
# treat them all alike.
def _input(low: Array, high: Array, number: int, with_slopes: bool) -> Interval:
    n, n_inputs = low.shape
    slopes = np.zeros((n_inputs * with_slopes, n))
    slopes[number : number + 1] = 1.0
    return _joined(Interval(low[:, number], high[:, number]), Interval(slopes, slopes))


def _split(rows: Interval) -> tuple[Interval, Interval]:
    value = Interval(rows.low[0], rows.high[0])
    return value, Interval(rows.low[1:], rows.high[1:])


def _joined(value: Interval, slopes: Interval) -> Interval:
    return Interval(*(np.vstack(ends) for ends in zip(value, slopes, strict=True)))


def _combined(
    linear: Linear, features: list[Interval], shape: tuple[int, int]
) -> Interval:
    # In the order of `Graph.evaluate`: rounding is monotonic, so its sums are enclosed.
    terms = [_scaled(w, features[s]) for s, w in linear.items() if s != CONSTANT]
    if linear.get(CONSTANT, 0.0) or not terms:
        start = np.zeros(shape)
        start[0] = linear.get(CONSTANT, 0.0)
        terms = [Interval(start, start), *terms]
    return reduce(_plus, terms)


def _unit(node: Node, features: list[Interval], shape: tuple[int, int]) -> Interval:
    rule = _RULES.get(node.unit, _UNKNOWN)
    rows = [_combined(linear, features, shape) for linear in node.arguments]
    values, slopes = zip(*map(_split, rows), strict=True)
    is_square = node.unit == "multiply" and node.arguments[0] == node.arguments[1]
    value = _square(values[0]) if is_square else rule.value(*values)
    if shape[0] == 1:
        return _joined(value, slopes[0])
    inner = zip(rule.slopes(*values), slopes, strict=True)
    products = [_times(outer, slope) for outer, slope in inner]
    return _joined(value, products[0] if len(products) == 1 else _plus(*products))


def _quotient(a: Interval, b: Interval) -> Interval:
    (a_value, a_slopes), (b_value, b_slopes) = _split(a), _split(b)
    inverse = _inverse(b_value)
    value = _times(a_value, inverse)
    change = _plus(a_slopes, _scaled(-1.0, _times(value, b_slopes)))
    return _joined(value, _times(change, inverse))


def _down(values: Array) -> Array:
    """Round down, by more than the error of one operation.

    Products and sums keep their sign even where they underflow: what is not below zero
    need not be rounded below it, and a sum of squares stays one.
    """
    values = np.fmin(np.fmax(values, -np.inf), _LARGEST)  # NaN becomes -∞
    slack = np.abs(values)
    slack *= _RELATIVE
    slack += _TINY
    below = values - slack
    return np.where(np.signbit(values), below, np.maximum(below, 0.0))


def _outward(low: Array, high: Array) -> Interval:
    return Interval(_down(low), -_down(-high))


def _plus(a: Interval, b: Interval) -> Interval:
    return _outward(a.low + b.low, a.high + b.high)


def _scaled(weight: float, a: Interval) -> Interval:
    if abs(weight) == 1.0:  # exact, and common
        return a if weight > 0 else Interval(-a.high, -a.low)
    ends = (a.low, a.high) if weight >= 0 else (a.high, a.low)
    return _outward(*(_product(weight, end) for end in ends))


def _times(a: Interval, b: Interval) -> Interval:
    corners = [_product(p, q) for p in a for q in b]
    # -0.0 and 0.0 compare as equal, but the sign says from where they underflowed.
    is_below = np.signbit(corners).any(axis=0)
    is_above = ~np.signbit(corners).all(axis=0)
    low, high = np.minimum.reduce(corners), np.maximum.reduce(corners)
    low = np.where((low == 0) & is_below, -0.0, low)
    return _outward(low, np.where((high == 0) & is_above, 0.0, high))


def _product(a: float | Array, b: Array) -> Array:
    """Multiply the ends of intervals of real numbers, where 0 · ∞ is 0."""
    product = np.multiply(a, b)
    return np.where(np.isnan(product), 0.0, product)


def _inverse(a: Interval) -> Interval:
    low, high = _outward(1.0 / a.high, 1.0 / a.low)
    spans_zero = (a.low <= 0) & (a.high >= 0)
    low = np.where(spans_zero, -np.inf, low)
    return Interval(low, np.where(spans_zero, np.inf, high))


def _square(a: Interval) -> Interval:
    squares = np.square(a.low), np.square(a.high)
    spans_zero = (a.low <= 0) & (a.high >= 0)
    return _outward(
        np.where(spans_zero, 0.0, np.minimum(*squares)), np.maximum(*squares)
    )


def _rising(function: Callable[[Array], Array]) -> Callable[[Interval], Interval]:
    return lambda a: _outward(function(a.low), function(a.high))


def _wave(
    function: Callable[[Array], Array], peak: float
) -> Callable[[Interval], Interval]:
    """The range of a sine with one of its maxima at `peak`."""

    def wave(a: Interval) -> Interval:
        ends = function(a.low), function(a.high)
        low, high = _outward(np.minimum(*ends), np.maximum(*ends))
        low = np.where(_contains(a, peak + np.pi), -1.0, np.maximum(low, -1.0))
        return Interval(low, np.where(_contains(a, peak), 1.0, np.minimum(high, 1.0)))

    return wave


def _contains(a: Interval, phase: float) -> Booleans:
    """Whether phase + 2πk is inside for an integer k; in doubt, it is."""
    low, high = ((end - phase) / (2 * np.pi) for end in a)
    first = np.ceil(low - _RELATIVE * (1 + np.abs(low)))
    return ~(first > np.floor(high + _RELATIVE * (1 + np.abs(high))))


_sin = _wave(np.sin, np.pi / 2)
_cos = _wave(np.cos, 0.0)
_exp = _rising(np.exp)
_tanh = _rising(np.tanh)
_atan = _rising(np.arctan)


def _log(a: Interval) -> Interval:
    return _outward(np.log(np.maximum(a.low, 0.0)), np.log(a.high))


def _sqrt(a: Interval) -> Interval:
    return _outward(np.sqrt(np.maximum(a.low, 0.0)), np.sqrt(a.high))


def _log_slope(a: Interval) -> Interval:
    return _where_defined(a, _inverse(a))


def _sqrt_slope(a: Interval) -> Interval:
    root = _sqrt(a)
    return _where_defined(a, _outward(0.5 / root.high, 0.5 / root.low))


def _where_defined(a: Interval, slope: Interval) -> Interval:
    """Know nothing of the slope where the argument reaches zero."""
    is_defined = a.low > 0
    low = np.where(is_defined, slope.low, -np.inf)
    return Interval(low, np.where(is_defined, slope.high, np.inf))


def _tanh_slope(a: Interval) -> Interval:
    square = _square(_tanh(a))
    low, high = _outward(1.0 - square.high, 1.0 - square.low)
    return Interval(np.maximum(low, 0.0), high)


def _divided(a: Interval, b: Interval) -> Interval:
    return _times(a, _inverse(b))


def _divided_slopes(a: Interval, b: Interval) -> tuple[Interval, Interval]:
    inverse = _inverse(b)
    return inverse, _scaled(-1.0, _times(_times(a, inverse), inverse))


def _asin(a: Interval) -> Interval:
    return _outward(np.arcsin(np.maximum(a.low, -1.0)), np.arcsin(_most_one(a.high)))


def _acos(a: Interval) -> Interval:
    return _outward(np.arccos(_most_one(a.high)), np.arccos(np.maximum(a.low, -1.0)))


def _most_one(ends: Array) -> Array:
    return np.minimum(ends, 1.0)


def _asin_slope(a: Interval) -> Interval:
    """1 / √(1 - z²), of which nothing is known where z reaches an end."""
    square = _square(a)
    inside = _outward(1.0 - square.high, 1.0 - square.low)
    root = _sqrt(inside)
    return _where_defined(inside, _outward(1.0 / root.high, 1.0 / root.low))


def _atan_slope(a: Interval) -> Interval:
    square = _square(a)
    return _inverse(_outward(1.0 + square.low, 1.0 + square.high))


def _anything(*arguments: Interval) -> Interval:
    ends = np.full_like(arguments[0].low, np.inf)
    return Interval(-ends, ends)


def _one(a: Interval) -> Interval:
    return Interval(np.ones_like(a.low), np.ones_like(a.low))


class _Rule(NamedTuple):
    """How a unit acts on intervals: its value, and its slope by each argument."""

    value: Callable[..., Interval]
    slopes: Callable[..., tuple[Interval, ...]]


_RULES: dict[str, _Rule] = {
    "identity": _Rule(lambda z: z, lambda z: (_one(z),)),
    "origin": _Rule(lambda z: z, lambda z: (_one(z),)),
    "sin": _Rule(_sin, lambda z: (_cos(z),)),
    "cos": _Rule(_cos, lambda z: (_scaled(-1.0, _sin(z)),)),
    "multiply": _Rule(_times, lambda a, b: (b, a)),
    "square": _Rule(_square, lambda z: (_scaled(2.0, z),)),
    "exp": _Rule(_exp, lambda z: (_exp(z),)),
    "log": _Rule(_log, lambda z: (_log_slope(z),)),
    "sqrt": _Rule(_sqrt, lambda z: (_sqrt_slope(z),)),
    "tanh": _Rule(_tanh, lambda z: (_tanh_slope(z),)),
    "divide": _Rule(_divided, _divided_slopes),
    "asin": _Rule(_asin, lambda z: (_asin_slope(z),)),
    "acos": _Rule(_acos, lambda z: (_scaled(-1.0, _asin_slope(z)),)),
    "atan": _Rule(_atan, lambda z: (_atan_slope(z),)),
}
#: A user's unit can be anything.
_UNKNOWN = _Rule(_anything, lambda *z: (_anything(*z),) * len(z))
