"""Formulas with a one in a logarithm: 1.7 log(1 + x/0.6), not 1.7 log(x + 0.6) + 0.87.

One form has a weight of 1 at an input. In the other, which has as many constants, that
beside the logarithm is nothing where people would leave it out.
"""

import math

from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.network.roots import is_tied


def with_ones_in_logs(graph: Graph) -> Graph | None:
    """The same formula with as many parameters; None if no logarithm has a shift."""
    found, slot = graph, 0
    for feature, node in enumerate(graph.nodes, graph.n_inputs):
        if node.unit == "log" and node.arguments[0].get(CONSTANT, 0.0) > 0.0:
            found = _with_one(found, slot, feature)
        slot += len(node.arguments)
    return None if found is graph else found


def _with_one(graph: Graph, slot: int, log: int) -> Graph:
    """The graph with the constant below a logarithm, whose sum is in `slot`, at 1."""
    slots = graph.slots()
    inner = {key for key in graph.fixed if key[0] == slot}
    users = [s for s, linear in enumerate(slots) if log in linear]
    if len(inner) != 1 or (slot, CONSTANT) in inner or len(users) != 1:
        return graph
    beside = users[0], CONSTANT
    if CONSTANT not in slots[users[0]] or beside in graph.fixed:
        return graph
    if is_tied(graph, slot, beside):
        return graph
    shift = slots[slot][CONSTANT]
    slots[slot] = {s: w / shift for s, w in slots[slot].items()} | {CONSTANT: 1.0}
    weight, constant = slots[users[0]][log], slots[users[0]][CONSTANT]
    told = constant + weight * math.log(shift)
    slots[users[0]] = {**slots[users[0]], CONSTANT: told}
    return graph.with_slots(slots, graph.fixed - inner | {(slot, CONSTANT)})
