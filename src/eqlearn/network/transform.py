"""Graphs made of other graphs: in other units of measure, or several as one."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain

import numpy as np

from eqlearn._types import Numbers
from eqlearn.network.graph import CONSTANT, Connection, Graph, Linear, Node


def rescaled(graph: Graph, x_scale: Numbers, y_scale: Numbers) -> Graph:
    """Fold scales into the weights: the graph of y · y_scale as a function of x.

    `graph` takes inputs divided by `x_scale` (D,) and gives outputs divided by
    `y_scale` (M,).
    """
    divisors = dict(enumerate(np.asarray(x_scale, dtype=float).tolist()))

    def folded(linear: Linear, factor: float = 1.0) -> Linear:
        return {s: w * factor / divisors.get(s, 1.0) for s, w in linear.items()}

    slots = [folded(linear) for linear in graph.slots()]
    first = graph.first_output_slot
    for o, factor in enumerate(np.asarray(y_scale, dtype=float).tolist()):
        numerator = graph.outputs[o][0]
        slots[first + 2 * o] = folded(numerator, factor)
    return graph.with_slots(slots)


def joined(graphs: Sequence[Graph]) -> Graph:
    """One graph with the outputs of all; equal units are shared, unused ones dropped.

    No constant is folded and no sum turned around, so that the numbers stay the same.
    """
    n_inputs = graphs[0].n_inputs
    nodes: list[Node] = []
    known: dict[object, int] = {}
    outputs: list[tuple[Linear, Linear]] = []
    for graph in graphs:
        used = set(graph.ancestors(chain.from_iterable(graph.outputs)))
        numbers = {i: i for i in range(CONSTANT, n_inputs)}

        for k, node in enumerate(graph.nodes):
            if n_inputs + k not in used:
                continue
            arguments = tuple(_moved(linear, numbers) for linear in node.arguments)
            key = node.unit, tuple(tuple(linear.items()) for linear in arguments)
            if key not in known:
                known[key] = n_inputs + len(nodes)
                nodes.append(Node(node.unit, arguments))
            numbers[n_inputs + k] = known[key]
        outputs += [(_moved(a, numbers), _moved(b, numbers)) for a, b in graph.outputs]
    return Graph(n_inputs, tuple(nodes), tuple(outputs))


def with_inputs(graph: Graph, numbers: Mapping[int, int], n_inputs: int) -> Graph:
    """The same formula of a table that has its inputs in other places, or more."""
    more = n_inputs - graph.n_inputs
    moved = {CONSTANT: CONSTANT, **numbers}
    moved |= {i: i + more for i in range(graph.n_inputs, graph.n_features)}
    slots: list[Linear] = [_moved(linear, moved) for linear in graph.slots()]
    renumbered = replace(graph, n_inputs=n_inputs, fixed=frozenset(), ties={})
    return renumbered.with_slots(slots)


def _moved(linear: Linear, numbers: Mapping[int, int]) -> Linear:
    moved: dict[int, float] = {}
    for source, weight in linear.items():  # two of them may have become one unit
        moved[numbers[source]] = moved.get(numbers[source], 0.0) + weight
    return moved


def from_origins(graph: Graph, origins: Sequence[float]) -> Graph:
    """The graph of x - origin as one of x, each origin that is not 0 a unit of its own.

    It is shown as it stands, (x - 1990), and never multiplied out.
    """
    starts = {i: start for i, start in enumerate(origins) if start}
    starts = {i: start for i, start in starts.items() if i in graph.used_inputs}
    if not starts:
        return graph
    place = {i: graph.n_inputs + k for k, i in enumerate(starts)}

    def moved(source: int) -> int:
        is_unit = source >= graph.n_inputs
        return source + len(starts) if is_unit else place.get(source, source)

    slots: list[Linear] = [
        {moved(source): weight for source, weight in linear.items()}
        for linear in graph.slots()
    ]
    inside = graph.with_slots(slots)
    units = [
        Node("origin", ({i: 1.0, CONSTANT: -start},)) for i, start in starts.items()
    ]
    ties = {
        (slot + len(units), moved(source)): ((lead + len(units), moved(of)), ratio)
        for (slot, source), ((lead, of), ratio) in graph.ties.items()
    }
    nodes = (*units, *inside.nodes)
    return Graph(graph.n_inputs, nodes, inside.outputs, ties=ties)


def to_origins(graph: Graph, origins: Sequence[float]) -> Graph:
    """The graph of x as one of x - origin, for inputs that are not yet taken so."""
    slots: list[Linear] = []
    for linear in graph.slots():
        more = sum(w * origins[s] for s, w in linear.items() if 0 <= s < len(origins))
        constant = linear.get(CONSTANT, 0.0) + more
        rest = {s: w for s, w in linear.items() if s != CONSTANT}
        slots.append({**rest, CONSTANT: constant} if constant else rest)
    return graph.with_slots(slots)


def multiplied_out(graph: Graph) -> Graph:
    """The graph with z + (c + u) z as (1 + c) z + u z, wherever z is beside a product.

    The constant c and the weight of z would say the same, and no pruning could tell.
    """
    slots, slot = graph.slots(), 0
    held = {*graph.fixed, *graph.ties, *(lead for lead, _ in graph.ties.values())}
    for k, node in enumerate(graph.nodes):
        if node.unit == "multiply":
            for z, factor in ((slot, slot + 1), (slot + 1, slot)):
                _move_constant(slots, graph.n_inputs + k, z, factor, held)
        slot += len(node.arguments)
    return graph.with_slots(slots)


_ROUNDING = 1e-12


def _move_constant(
    slots: list[Linear], product: int, z: int, factor: int, held: Set[Connection]
) -> None:
    """Move the constant of a factor out of a product, if z is in every sum with it."""
    constant = slots[factor].get(CONSTANT, 0.0)
    if constant == 0.0 or len(slots[factor]) == 1 or len(slots[z]) != 1:
        return
    ((source, weight),) = slots[z].items()
    users = [number for number, linear in enumerate(slots) if product in linear]
    if source == CONSTANT or not all(source in slots[number] for number in users):
        return
    slots[factor] = {s: w for s, w in slots[factor].items() if s != CONSTANT}
    for number in users:
        before, more = slots[number][source], slots[number][product] * constant * weight
        total = before + more
        # What is left of two that are opposite is their rounding errors.
        is_nothing = abs(total) <= _ROUNDING * max(abs(before), abs(more))
        told = {**slots[number], source: total}
        if is_nothing and (number, source) not in held:
            del told[source]
        slots[number] = told
