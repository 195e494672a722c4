"""Whether a formula is even or odd in an input, told by its structure alone."""

import math
from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

from eqlearn.network.graph import CONSTANT, Graph, Linear

#: 1 is even, -1 odd, 0 both (it is zero), None neither as far as can be told.
Parity: TypeAlias = Literal[-1, 0, 1] | None


def parity(graph: Graph, number: int) -> Parity:
    """The parity of the first output in the input of this number."""
    known: list[Parity] = [-1 if i == number else 1 for i in range(graph.n_inputs)]
    for node in graph.nodes:
        arguments = [_of_sum(linear, known) for linear in node.arguments]
        if node.unit in ("sin", "cos"):
            known.append(_of_wave(node.unit, node.arguments[0], known))
        else:
            known.append(_of_unit(node.unit, arguments))
    above, below = graph.outputs[0]
    return _product(_of_sum(above, known), _of_sum(below, known))


def _of_sum(linear: Linear, known: list[Parity]) -> Parity:
    found: Parity = 0
    for source, weight in linear.items():
        own = 1 if source == CONSTANT else known[source]
        if not weight or own == 0:
            continue
        if own is None or found not in (0, own):
            return None
        found = own
    return found


def _product(a: Parity, b: Parity) -> Parity:
    if a is None or b is None:
        return None
    return _SIGNS[a * b]


_SIGNS: Mapping[int, Parity] = {-1: -1, 0: 0, 1: 1}


def _of_unit(unit: str, arguments: list[Parity]) -> Parity:
    if any(one is None for one in arguments):
        return None
    if unit in _RULES:
        return _RULES[unit](*arguments)
    # Whatever a function does with what does not change, does not change.
    return 1 if all(one in (0, 1) for one in arguments) else None


def _of_wave(unit: str, argument: Linear, known: list[Parity]) -> Parity:
    """A sine of what is odd is odd, and even if it is shifted by a quarter wave."""
    shift = argument.get(CONSTANT, 0.0)
    rest = _of_sum({s: w for s, w in argument.items() if s != CONSTANT}, known)
    if rest is None:
        return None
    if rest != -1:
        return 1
    quarters = shift / (math.pi / 2)
    if abs(quarters - round(quarters)) > 1e-12:
        return None
    is_cosine = (round(quarters) + (unit == "cos")) % 2 == 1
    return 1 if is_cosine else -1


# A function that is odd itself keeps the parity of what it is of.
_RULES: Mapping[str, Callable[..., Parity]] = {
    **dict.fromkeys(("identity", "origin", "tanh", "asin", "atan"), lambda z: z),
    "multiply": _product,
    "divide": _product,
    "square": lambda z: 0 if z == 0 else 1,
}
