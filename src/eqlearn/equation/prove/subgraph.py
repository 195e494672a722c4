"""Parts of a formula over a domain: searched by points, bounded by boxes."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.prove.bounds import Bound, minimum
from eqlearn.equation.prove.extremes import smallest, spread
from eqlearn.network.graph import CONSTANT, Graph, Linear, Node

#: A numerator and a denominator.
Fraction: TypeAlias = tuple[Linear, Linear]


class Part(NamedTuple):
    """Some fractions of a graph, with only the inputs and units they depend on."""

    graph: Graph
    inputs: list[int]
    low: Array
    high: Array
    middle: Array  # of the whole domain

    @property
    def size(self) -> int:
        """How many inputs and connections it has."""
        return len(self.inputs) + sum(map(len, self.graph.slots()))

    def values(self, x: Array) -> Array:
        """Compute the fractions (M, N) for inputs (N, D); infinite ones are NaN."""
        with np.errstate(all="ignore"):
            values, _ = self.graph.evaluate(x)
        return np.where(np.isfinite(values), values, np.nan).T

    def place(self, x: Array) -> tuple[float, ...]:
        """The point of the whole domain for one of the part."""
        point = self.middle.copy()
        point[self.inputs] = x
        return tuple(point.tolist())

    def spread(self) -> Array:
        """Points all over the domain, (N, D)."""
        return spread(self.low, self.high)

    def smallest(self, of: Callable[[Array], Array]) -> tuple[float, Array]:
        """Search for the smallest value, and its point, of something made of them."""
        return smallest(lambda x: of(self.values(x)), self.low, self.high)

    def bound(self, sign: int, n_boxes: int) -> Bound:
        """Bound the first fraction, or its negative, from below."""
        graph = _negated(self.graph) if sign < 0 else self.graph
        return minimum(graph, self.low, self.high, n_boxes=n_boxes)


def _negated(graph: Graph) -> Graph:
    (a, b), *rest = graph.outputs
    minus = {source: -weight for source, weight in a.items()}
    return Graph(graph.n_inputs, graph.nodes, ((minus, b), *rest))


def part_of(graph: Graph, low: Array, high: Array, *outputs: Fraction) -> Part:
    """Cut fractions out of a graph, over the domain from `low` to `high`."""
    kept = graph.ancestors(linear for pair in outputs for linear in pair)
    numbers = {CONSTANT: CONSTANT} | {old: new for new, old in enumerate(kept)}
    inputs = [number for number in kept if number < graph.n_inputs]

    def moved(linear: Linear) -> Linear:
        return {numbers[source]: weight for source, weight in linear.items()}

    units = [graph.nodes[n - graph.n_inputs] for n in kept[len(inputs) :]]
    nodes = tuple(Node(u.unit, tuple(map(moved, u.arguments))) for u in units)
    pairs = tuple((moved(a), moved(b)) for a, b in outputs)
    middle = 0.5 * low + 0.5 * high
    return Part(
        Graph(len(inputs), nodes, pairs), inputs, low[inputs], high[inputs], middle
    )
