"""A system of equations of motion: one formula for the rate of each state."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from eqlearn._types import Array, Integers
from eqlearn.network.graph import CONSTANT, Connection, Graph, Linear, Node, Ties
from eqlearn.network.kernels import Tape, tape


class Laid(NamedTuple):
    """A system as arrays for compiled code."""

    tape: Tape
    unit_first: Integers  # (S + 1,) where each equation's units begin
    parameter_first: Integers  # (S + 1,) where each equation's parameters begin

    @property
    def structure(self) -> tuple[Any, ...]:
        """What compiled code reads."""
        tape = self.tape
        return (
            *(tape.codes, tape.first_slot, tape.pointer, tape.sources, tape.weights),
            *(tape.position, tape.ratio, self.unit_first, self.parameter_first),
        )


@dataclass(frozen=True, eq=False)
class Motion:
    """Formulas of the states' rates, in states and inputs; `known` ones stay."""

    graphs: tuple[Graph, ...]  # (S,), each of S + A inputs
    known: frozenset[int] = frozenset()

    @property
    def n_states(self) -> int:
        """How many states there are."""
        return len(self.graphs)

    @property
    def n_parameters(self) -> int:
        """Free constants of all equations."""
        return sum(graph.n_parameters for graph in self.graphs)

    @cached_property
    def laid(self) -> Laid:
        """The system as arrays for compiled code."""
        together = side_by_side(self.graphs)
        written = _by_equation(tape(together), together, self.graphs)
        units = np.cumsum([0] + [len(graph.nodes) for graph in self.graphs])
        parameters = np.cumsum([0] + [graph.n_parameters for graph in self.graphs])
        return Laid(written, units, parameters)

    @property
    def is_compiled(self) -> bool:
        """Whether there is compiled code for all its units."""
        return not self.laid.tape.others

    def values(self) -> Array:
        """The free constants, equation after equation."""
        return np.concatenate([_parameters(graph) for graph in self.graphs])

    def with_values(self, values: Array) -> "Motion":
        """The same forms with other constants."""
        first = self.laid.parameter_first
        graphs = tuple(
            _with_parameters(graph, values[a:b])
            for graph, a, b in zip(self.graphs, first, first[1:], strict=False)
        )
        return replace(self, graphs=graphs)

    def swapped(self, state: int, graph: Graph) -> "Motion":
        """The system with another formula for one state."""
        graphs = [graph if k == state else own for k, own in enumerate(self.graphs)]
        return replace(self, graphs=tuple(graphs))

    def rates(self, x: Array) -> Array:
        """Rates (N, S) for states and inputs (N, S + A)."""
        with np.errstate(all="ignore"):
            return np.concatenate([g.evaluate(x)[0] for g in self.graphs], axis=1)


def _by_equation(written: Tape, together: Graph, graphs: Sequence[Graph]) -> Tape:
    """The tape with parameters numbered equation after equation, not by slot."""
    ends = np.cumsum([graph.first_output_slot for graph in graphs])

    def equation(slot: int) -> int:
        first = together.first_output_slot
        if slot >= first:
            return (slot - first) // 2
        return int(np.searchsorted(ends, slot, side="right"))

    owners = [equation(slot) for slot, _ in together.parameters()]
    order = np.argsort(owners, kind="stable")
    rank = np.empty(len(owners) + 1, dtype=np.int64)
    rank[order], rank[-1] = np.arange(len(owners)), -1  # fixed ones stay at -1
    return written._replace(position=rank[written.position])


def held(graph: Graph) -> Graph:
    """A formula whose constants are given and not to be fitted."""
    return replace(graph, fixed=frozenset(key for key, _ in graph.connections()))


def _parameters(graph: Graph) -> Array:
    slots = graph.slots()
    return np.array([slots[slot][source] for slot, source in graph.parameters()])


def _with_parameters(graph: Graph, values: Array) -> Graph:
    places = {key: place for place, key in enumerate(graph.parameters())}
    weights = []
    for key, weight in graph.connections():
        lead, ratio = graph.ties.get(key, (key, 1.0))
        weights.append(ratio * values[places[lead]] if lead in places else weight)
    return graph.with_weights(np.array(weights))


def side_by_side(graphs: Sequence[Graph]) -> Graph:
    """One graph with all outputs; nothing is shared, so constants stay apart."""
    n_inputs, nodes, outputs = graphs[0].n_inputs, [], []
    fixed: set[Connection] = set()
    ties: dict[Connection, tuple[Connection, float]] = {}
    n_slots = sum(graph.first_output_slot for graph in graphs)
    slot_before = unit_before = 0
    for o, graph in enumerate(graphs):

        def source(old: int, shift: int = unit_before) -> int:
            return old if old < n_inputs else old + shift

        def moved(linear: Linear) -> Linear:
            return {source(old): weight for old, weight in linear.items()}  # noqa: B023

        def place(key: Connection, shift: int = slot_before) -> Connection:
            first = graph.first_output_slot  # noqa: B023
            slot, old = key
            is_unit = slot < first
            new = slot + shift if is_unit else n_slots + 2 * o + slot - first  # noqa: B023
            return new, source(old)  # noqa: B023

        nodes += [Node(n.unit, tuple(map(moved, n.arguments))) for n in graph.nodes]
        outputs += [(moved(a), moved(b)) for a, b in graph.outputs]
        fixed |= {place(key) for key in graph.fixed}
        ties |= {place(k): (place(lead), r) for k, (lead, r) in graph.ties.items()}
        slot_before += graph.first_output_slot
        unit_before += len(graph.nodes)
    shared: Ties = ties
    return Graph(n_inputs, tuple(nodes), tuple(outputs), frozenset(fixed), shared)


def constant_of(graph: Graph) -> bool:
    """Whether a formula says nothing but a number."""
    return not any(linear.keys() - {CONSTANT} for linear in graph.slots())
