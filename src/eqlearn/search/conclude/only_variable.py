"""The one variable of a formula: its only input, or the one product they come in.

5 t/√(R² + t²) is a curve of t/R alone, and other curves of it are its rivals as those
of a single input are.
"""

from typing import NamedTuple

import numpy as np

from eqlearn._types import Array
from eqlearn.network.graph import Graph, Node

#: Step of the logarithm by which slopes are told, and how closely powers are told.
_STEP, _CLOSE = 1e-4, 1e-3
#: Powers beyond which a product is none that people write, with the smallest at one.
_LARGEST = 4
#: Rows that slopes are told at: it takes as many evaluations as there are inputs.
_N_ROWS = 200


class OnlyVariable(NamedTuple):
    """A variable as a formula has it."""

    nodes: tuple[Node, ...]  # that make it of the inputs
    source: int  # the feature that it is
    column: Array  # (N,) its values at the rows


def only_variable(graph: Graph, x: Array) -> OnlyVariable | None:
    """What the formula is a curve of at inputs (N, D); None if there is more than one.

    Inputs that are not positive everywhere come in no product here.
    """
    used = sorted(graph.used_inputs)
    if len(used) == 1:
        return OnlyVariable((), used[0], x[:, used[0]])
    if not used or not (x[:, used] > 0).all():
        return None
    powers = _powers(graph, x[:_N_ROWS], used)
    if powers is None:
        return None
    nodes, source = _product(graph.n_inputs, dict(zip(used, powers, strict=True)))
    return OnlyVariable(nodes, source, np.prod(x[:, used] ** powers, axis=1))


def _powers(graph: Graph, x: Array, used: list[int]) -> list[int] | None:
    """Whole powers of the inputs in a product that alone decides the value."""
    with np.errstate(all="ignore"):
        slopes = np.stack([_slope(graph, x, i) for i in used], axis=1)
    size = np.abs(slopes).max(axis=1)
    telling = size > _CLOSE * np.max(size)
    if not np.isfinite(slopes).all() or not telling.any():
        return None
    shares = slopes[telling] / slopes[telling][:, :1]
    usual = np.median(shares, axis=0)
    powers = usual / np.abs(usual).min()
    whole = np.round(powers)
    is_one = np.all(np.abs(shares - usual) <= _CLOSE * np.abs(usual))
    is_whole = np.all(np.abs(powers - whole) <= _CLOSE)
    if not (is_one and is_whole and np.abs(whole).max() <= _LARGEST):
        return None
    return [int(power) for power in whole]


def _slope(graph: Graph, x: Array, i: int) -> Array:
    """By how much the value changes with the logarithm of an input."""

    def value(step: float) -> Array:
        moved = x.copy()
        moved[:, i] *= np.exp(step)
        return graph.evaluate(moved)[0][:, 0]

    return value(_STEP) - value(-_STEP)


def _product(n_inputs: int, powers: dict[int, int]) -> tuple[tuple[Node, ...], int]:
    """Nodes that multiply inputs, and divide them, and the feature they end in."""
    nodes: list[Node] = []

    def joined(unit: str, one: int, other: int) -> int:
        nodes.append(Node(unit, ({one: 1.0}, {other: 1.0})))
        return n_inputs + len(nodes) - 1

    def multiplied(sources: list[int]) -> int:
        product, *others = sources
        for source in others:
            product = joined("multiply", product, source)
        return product

    sign = 1 if any(power > 0 for power in powers.values()) else -1
    above = [i for i, power in powers.items() for _ in range(max(0, sign * power))]
    below = [i for i, power in powers.items() for _ in range(max(0, -sign * power))]
    source = multiplied(above)
    if below:
        source = joined("divide", source, multiplied(below))
    return tuple(nodes), source
