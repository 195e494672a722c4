"""A network written connection by connection: only what is alive of it.

Training and pruning leave few weights; a graph holds just these, as units in an order
in which each uses only earlier ones. Networks of every architecture become graphs, and
formulas are read off graphs.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from eqlearn._types import Array, Numbers
from eqlearn.network.architecture import Architecture
from eqlearn.network.forward import unpack
from eqlearn.network.units import unit

#: The source of a bias: the constant feature 1.
CONSTANT = -1
#: The phase that makes a sine a cosine; exactly this value is not a parameter.
COSINE = math.pi / 2

#: Σ weight · feature, by the feature's number: inputs first, then units in order.
Linear: TypeAlias = Mapping[int, float]
#: A connection: the slot it enters and the feature it comes from.
Connection: TypeAlias = tuple[int, int]
#: For tied connections, the one that leads and the ratio of the weights.
Ties: TypeAlias = Mapping[Connection, tuple[Connection, float]]


@dataclass(frozen=True)
class Node:
    """One unit with the linear combination that feeds each of its arguments."""

    unit: str
    arguments: tuple[Linear, ...]


@dataclass(frozen=True)
class Graph:
    """Units in topological order, and a numerator and denominator for each output.

    Slots number the places that receive a linear combination: the arguments of the
    units in order, then numerator and denominator of each output. `fixed` connections
    are not parameters: the scale of a product's factor or of a fraction is arbitrary,
    so one weight of each is set, and constants can be snapped to round values. Nor are
    tied ones: their weight is that of another connection times a ratio.
    """

    n_inputs: int
    nodes: tuple[Node, ...]
    outputs: tuple[tuple[Linear, Linear], ...]
    fixed: frozenset[Connection] = frozenset()
    ties: Ties = field(default_factory=dict)

    @property
    def n_outputs(self) -> int:
        """Number of outputs."""
        return len(self.outputs)

    @property
    def n_features(self) -> int:
        """Inputs and units together."""
        return self.n_inputs + len(self.nodes)

    @property
    def first_output_slot(self) -> int:
        """Where the numerators and denominators begin, after the units' arguments."""
        return sum(len(node.arguments) for node in self.nodes)

    @property
    def used_inputs(self) -> frozenset[int]:
        """The inputs that something is connected to."""
        sources = {source for linear in self.slots() for source in linear}
        return frozenset(sources & set(range(self.n_inputs)))

    @property
    def is_empty(self) -> bool:
        """Whether no output has a numerator."""
        return not any(numerator for numerator, _ in self.outputs)

    def sums(self) -> Iterator[Linear]:
        """What is fed into something as a sum of several features, less constants."""
        for linear in self.slots():
            terms = {source: w for source, w in linear.items() if source != CONSTANT}
            if len(terms) > 1:
                yield terms

    def slots(self) -> list[Linear]:
        """All linear combinations, by slot."""
        arguments = [linear for node in self.nodes for linear in node.arguments]
        return arguments + [linear for output in self.outputs for linear in output]

    def connections(self) -> Iterator[tuple[Connection, float]]:
        """All connections with their weights, slot after slot."""
        for slot, linear in enumerate(self.slots()):
            for source, weight in linear.items():
                yield (slot, source), weight

    def parameters(self) -> list[Connection]:
        """The connections that are free to be fitted."""
        bound = self.fixed | self.ties.keys()
        return [key for key, _ in self.connections() if key not in bound]

    @property
    def n_parameters(self) -> int:
        """How many weights are free."""
        return len(self.parameters())

    def ancestors(self, linears: Iterable[Linear]) -> list[int]:
        """The features on which linear combinations depend, in order."""
        used = {source for linear in linears for source in linear}
        for feature in range(self.n_features - 1, self.n_inputs - 1, -1):
            if feature in used:
                for linear in self.nodes[feature - self.n_inputs].arguments:
                    used.update(linear)
        return sorted(used - {CONSTANT})

    def with_slots(
        self, slots: list[Linear], fixed: frozenset[Connection] | None = None
    ) -> "Graph":
        """Put other linear combinations into the same units."""
        pieces = iter(slots)
        nodes = tuple(
            Node(node.unit, tuple(next(pieces) for _ in node.arguments))
            for node in self.nodes
        )
        outputs = tuple((next(pieces), next(pieces)) for _ in self.outputs)
        kept = self.fixed if fixed is None else fixed
        return Graph(self.n_inputs, nodes, outputs, kept, self.ties)

    def with_weights(self, weights: Numbers) -> "Graph":
        """Set the weights of all connections, in the order of `connections`."""
        values = iter(np.asarray(weights).tolist())
        return self.with_slots(
            [{source: next(values) for source in linear} for linear in self.slots()]
        )

    def without(self, gone: set[Connection]) -> "Graph":
        """Drop connections."""
        slots: list[Linear] = [
            {source: w for source, w in linear.items() if (slot, source) not in gone}
            for slot, linear in enumerate(self.slots())
        ]
        ties = {
            key: (lead, ratio)
            for key, (lead, ratio) in self.ties.items()
            if key not in gone and lead not in gone
        }
        return replace(self.with_slots(slots, self.fixed - gone), ties=ties)

    def evaluate(self, x: Array) -> tuple[Array, Array]:
        """Outputs and denominators, both (N, M), for inputs (N, D)."""
        features = [np.asarray(column, dtype=float) for column in np.transpose(x)]

        def combine(linear: Linear) -> Array:
            total = np.full(len(x), float(linear.get(CONSTANT, 0.0)))
            for source, weight in linear.items():
                if source != CONSTANT:
                    total += weight * features[source]
            return total

        for node in self.nodes:
            arguments = [combine(linear) for linear in node.arguments]
            features.append(unit(node.unit)(np, *arguments))
        ratios = [(combine(a), combine(b)) for a, b in self.outputs]
        denominators = np.stack([b for _, b in ratios], axis=1)
        return np.stack([a / b for a, b in ratios], axis=1), denominators


def from_network(architecture: Architecture, weights: Numbers) -> Graph:
    """Write a network as a graph of its non-zero weights.

    Without division the denominators are the constant 1.
    """
    layers = unpack(architecture, np.asarray(weights, dtype=float))
    visible = list(range(architecture.n_inputs))
    nodes: list[Node] = []
    for blocks, (W, w0) in zip(architecture.hidden, layers[:-1], strict=True):
        combinations = iter(
            [_linear(row, w, visible) for row, w in zip(W, w0, strict=True)]
        )
        first = architecture.n_inputs + len(nodes)
        for block in blocks:
            arguments = [
                [next(combinations) for _ in range(block.count)]
                for _ in range(block.definition.arity)
            ]
            nodes += [Node(block.unit, taken) for taken in zip(*arguments, strict=True)]
        new = list(range(first, architecture.n_inputs + len(nodes)))
        visible = visible + new if architecture.skip else new
    W, w0 = layers[-1]
    rows = [_linear(row, w, visible) for row, w in zip(W, w0, strict=True)]
    numerators = rows[: architecture.n_outputs]
    if not architecture.division:
        ones: list[Linear] = [{CONSTANT: 1.0}] * architecture.n_outputs
        rows = numerators + ones
    outputs = tuple(zip(numerators, rows[architecture.n_outputs :], strict=True))
    return Graph(architecture.n_inputs, tuple(nodes), outputs)


def sine_slots(graph: Graph) -> set[int]:
    """The slots that are arguments of sines."""
    slots, slot = set(), 0
    for node in graph.nodes:
        if node.unit == "sin":
            slots.add(slot)
        slot += len(node.arguments)
    return slots


def _linear(row: Array, bias: float, sources: list[int]) -> Linear:
    linear = {s: float(w) for s, w in zip(sources, row, strict=True) if w != 0}
    if bias != 0:
        linear[CONSTANT] = float(bias)
    return linear
