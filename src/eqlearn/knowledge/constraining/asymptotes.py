"""What a formula tends to as one input grows beyond all bounds, by orders of growth.

Every part of it is c · g(x) in the long run, where g is a power of x, of log x, or
beyond all powers, and c is somewhere in an interval, for all values of other inputs.
"""

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array
from eqlearn.network.graph import CONSTANT, Graph, Linear


class Tendency(NamedTuple):
    """The order of growth, and the ends of its factor.

    The order is 1 or -1 for what grows or falls beyond all powers of x, then the power
    of x, then that of log x.
    """

    order: tuple[float, float, float]
    low: float
    high: float

    @property
    def is_constant(self) -> bool:
        """Whether it neither grows nor falls, in the long run."""
        return self.order == _LEVEL

    @property
    def vanishes(self) -> bool:
        """Whether it tends to zero."""
        return self.order < _LEVEL

    @property
    def sign(self) -> int:
        """Its sign in the long run; 0 if it is not known."""
        return 1 if self.low > 0 else -1 if self.high < 0 else 0


_LEVEL = (0.0, 0.0, 0.0)
_FASTEST, _SLOWEST = (1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)
_ZERO = Tendency(_LEVEL, 0.0, 0.0)


def limit(
    graph: Graph, number: int, sign: int, low: Array, high: Array
) -> tuple[float, float] | None:
    """Between which numbers the first output tends to be; None if it is not known.

    The input of this number goes to ∞, or -∞; others are from `low` to `high` (D,).
    Infinite ends tell that it grows beyond all bounds.
    """
    known: list[Tendency | None] = [
        Tendency(_LEVEL, float(low[i]), float(high[i])) for i in range(graph.n_inputs)
    ]
    known[number] = Tendency((0.0, 1.0, 0.0), float(sign), float(sign))
    with np.errstate(all="ignore"):
        for node in graph.nodes:
            taken = [_sum(linear, known) for linear in node.arguments]
            rule = _RULES.get(node.unit)
            is_known = rule is not None and all(one is not None for one in taken)
            known.append(rule(*taken) if rule is not None and is_known else None)
        above, below = (_sum(linear, known) for linear in graph.outputs[0])
        if above is None or below is None:
            return None
        found = _quotient(above, below)
    return None if found is None else _ends(found)


def _ends(found: Tendency) -> tuple[float, float] | None:
    if found.is_constant:
        return found.low, found.high
    if found.vanishes:
        return 0.0, 0.0
    infinity = found.sign * math.inf
    return (infinity, infinity) if found.sign else None


def _sum(linear: Linear, known: list[Tendency | None]) -> Tendency | None:
    """What grows fastest remains; of several, their factors add up."""
    terms = []
    for source, weight in linear.items():
        own = Tendency(_LEVEL, 1.0, 1.0) if source == CONSTANT else known[source]
        if own is None:
            return None
        if weight:
            ends = _times((own.low, own.high), (weight, weight))
            terms.append(Tendency(own.order, *ends))
    terms = [one for one in terms if (one.low, one.high) != (0.0, 0.0)]
    if not terms:
        return _ZERO
    order = max(one.order for one in terms)
    fastest = [one for one in terms if one.order == order]
    low, high = sum(one.low for one in fastest), sum(one.high for one in fastest)
    if len(fastest) > 1 and low == high == 0.0:
        return None  # they cancel, and what remains is not known
    return Tendency(order, low, high)


def _times(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    corners = [0.0 if 0.0 in (p, q) else p * q for p in a for q in b]
    return min(corners), max(corners)


def _product(a: Tendency, b: Tendency) -> Tendency | None:
    if _ZERO in (a, b):
        return _ZERO
    if a.order[0] * b.order[0] < 0:
        return None
    beyond = max(min(a.order[0] + b.order[0], 1.0), -1.0)
    order = _added(a.order, b.order, beyond)
    return Tendency(order, *_times((a.low, a.high), (b.low, b.high)))


def _added(
    a: tuple[float, float, float], b: tuple[float, float, float], beyond: float
) -> tuple[float, float, float]:
    if beyond:
        return (beyond, 0.0, 0.0)
    return (0.0, a[1] + b[1], a[2] + b[2])


def _quotient(a: Tendency, b: Tendency) -> Tendency | None:
    if not b.sign:
        return None
    order = (-b.order[0], -b.order[1], -b.order[2])
    return _product(a, Tendency(order, 1.0 / b.high, 1.0 / b.low))


def _root(z: Tendency) -> Tendency | None:
    if z.low < 0:
        return None
    order = (z.order[0], z.order[1] / 2, z.order[2] / 2)
    return Tendency(order, math.sqrt(z.low), math.sqrt(z.high))


def _exponential(z: Tendency) -> Tendency | None:
    if z.vanishes:
        return Tendency(_LEVEL, 1.0, 1.0)
    if z.is_constant:
        return Tendency(_LEVEL, float(np.exp(z.low)), float(np.exp(z.high)))
    if not z.sign:
        return None
    if z.order == (0.0, 0.0, 1.0):
        # A power of x, times what was beside the logarithm.
        if z.low != z.high:
            return None
        return Tendency((0.0, z.low, 0.0), 0.0, math.inf)
    if z.order[:2] == (0.0, 0.0):
        return None
    return Tendency(_FASTEST if z.sign > 0 else _SLOWEST, 0.0, math.inf)


def _logarithm(z: Tendency) -> Tendency | None:
    if not z.low > 0 or z.order[0]:
        return None
    if z.is_constant:
        return Tendency(_LEVEL, math.log(z.low), math.log(z.high))
    power = z.order[1]
    return Tendency((0.0, 0.0, 1.0), power, power) if power else None


def _levelling(
    function: Callable[[float], float], most: float
) -> Callable[[Tendency], Tendency | None]:
    """A rising function like tanh, which ends at ±`most` and is z near zero."""

    def rule(z: Tendency) -> Tendency | None:
        if z.vanishes:
            return z
        if z.is_constant:
            return Tendency(_LEVEL, function(z.low), function(z.high))
        return Tendency(_LEVEL, z.sign * most, z.sign * most) if z.sign else None

    return rule


def _wave(at_zero: float | None) -> Callable[[Tendency], Tendency | None]:
    def rule(z: Tendency) -> Tendency | None:
        if z.vanishes:
            return z if at_zero is None else Tendency(_LEVEL, at_zero, at_zero)
        function = math.sin if at_zero is None else math.cos
        if z.is_constant and z.low == z.high:
            return Tendency(_LEVEL, function(z.low), function(z.low))
        return Tendency(_LEVEL, -1.0, 1.0)

    return rule


_RULES: Mapping[str, Callable[..., Tendency | None]] = {
    "identity": lambda z: z,
    "origin": lambda z: z,
    "multiply": _product,
    "divide": _quotient,
    "square": lambda z: _product(z, z),
    "sqrt": _root,
    "exp": _exponential,
    "log": _logarithm,
    "tanh": _levelling(math.tanh, 1.0),
    "atan": _levelling(math.atan, math.pi / 2),
    "sin": _wave(None),
    "cos": _wave(1.0),
}
