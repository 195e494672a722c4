"""A formula with one of its inputs bent, or its value: what any nearby law looks like.

(1 + r)^n is exp(n r) with r bent a little. Who looked for neither curve by its name has
a rival all the same, which costs one constant more.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from eqlearn._types import Array
from eqlearn.network.graph import CONSTANT, Connection, Graph, Linear, Node

#: How far it is bent before it is fitted: this share at its usual size.
_START = 0.01


def bent_forms(graph: Graph, x: Array) -> Iterator[Graph]:
    """The formula with each of its inputs (N, D) bent, and with its value bent.

    Where an input is zero, or at its origin, nothing changes: laws seldom do there.
    """
    starts = {
        source: -node.arguments[0].get(CONSTANT, 0.0)
        for node in graph.nodes
        if node.unit == "origin"
        for source in node.arguments[0].keys() - {CONSTANT}
    }
    for source in sorted(graph.used_inputs):
        start = starts.get(source, 0.0)
        yield with_bent_input(graph, source, start, _size(x[:, source] - start))
    with np.errstate(all="ignore"):
        values = graph.evaluate(x)[0][:, 0]
    if np.isfinite(values).all():
        yield with_bent_value(graph, _size(values))


def _size(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2))) or 1.0


def with_bent_input(graph: Graph, source: int, start: float, size: float) -> Graph:
    """The formula of x + δ (x - start)² in the place of an input x."""
    first, n_new, n_slots = graph.n_inputs, 2, 3
    bent = first + 1

    def place(feature: int) -> int:
        if feature == source:
            return bent
        return feature + n_new if feature >= first else feature

    def moved(key: Connection) -> Connection:
        return key[0] + n_slots, place(key[1])

    def renamed(linear: Linear) -> Linear:
        return {place(feature): weight for feature, weight in linear.items()}

    away = {source: 1.0, CONSTANT: -start} if start else {source: 1.0}
    before = (
        Node("multiply", (away, dict(away))),
        Node("identity", ({source: 1.0, first: _START / size},)),
    )
    after = (Node(n.unit, tuple(map(renamed, n.arguments))) for n in graph.nodes)
    known = {(slot, s) for slot in (0, 1) for s in away} | {(2, source)}
    return Graph(
        graph.n_inputs,
        (*before, *after),
        tuple((renamed(a), renamed(b)) for a, b in graph.outputs),
        frozenset(known | {moved(key) for key in graph.fixed}),
        {moved(key): (moved(lead), ratio) for key, (lead, ratio) in graph.ties.items()},
    )


def with_bent_value(graph: Graph, size: float) -> Graph:
    """The formula f + δ f² of a formula f."""
    ((numerator, denominator),) = graph.outputs
    value, end = graph.n_features, graph.first_output_slot
    itself: Linear = {value: 1.0}
    nodes = (
        Node("divide", (numerator, denominator)),
        Node("multiply", (itself, itself)),
    )
    whole: Linear = {value: 1.0, value + 1: _START / size}
    known = {(end + 2, value), (end + 3, value), (end + 4, value), (end + 5, CONSTANT)}
    # What led to the output leads to the quotient, under the same numbers.
    return replace(
        graph,
        nodes=(*graph.nodes, *nodes),
        outputs=((whole, {CONSTANT: 1.0}),),
        fixed=graph.fixed | known,
    )
