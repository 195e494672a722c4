"""Formulas with the scale of a root inside of it: √(a² + b² - 2ab), not 1.4 √(a²/2 …).

One form has the largest weight below a root at 1, and the scale in front of it. Which
of the two people would write depends on where the simple numbers are.
"""

from eqlearn.network.graph import Connection, Graph


def with_scales_in_roots(graph: Graph) -> Graph | None:
    """The same formula with as many parameters; None if no root has a scale."""
    found, slot = graph, 0
    for feature, node in enumerate(graph.nodes, graph.n_inputs):
        if node.unit == "sqrt" and len(node.arguments[0]) > 1:
            found = _moved_inside(found, slot, feature)
        slot += len(node.arguments)
    return None if found is graph else found


def _moved_inside(graph: Graph, slot: int, root: int) -> Graph:
    """The graph with what stands in front of a root, whose sum is in `slot`, below."""
    front = in_front(graph, root)
    inner = {key for key in graph.fixed if key[0] == slot}
    if front is None or len(inner) != 1 or is_tied(graph, slot, front):
        return graph
    slots = graph.slots()
    scale = slots[front[0]][front[1]]
    slots[slot] = {s: w * scale**2 for s, w in slots[slot].items()}
    slots[front[0]] = {**slots[front[0]], front[1]: 1.0 if scale > 0 else -1.0}
    return graph.with_slots(slots, graph.fixed - inner | {front})


def in_front(graph: Graph, feature: int) -> Connection | None:
    """The free weight of a feature, or of the product that it is a factor of."""
    users = [s for s, linear in enumerate(graph.slots()) if feature in linear]
    if len(users) != 1:
        return None
    key = users[0], feature
    if key not in graph.fixed:
        return key
    owner = _owner(graph, users[0])
    is_alone = len(graph.slots()[users[0]]) == 1
    return None if owner is None or not is_alone else in_front(graph, owner)


def _owner(graph: Graph, slot: int) -> int | None:
    """The product or quotient that a slot is a factor of, or above in."""
    first = 0
    for feature, node in enumerate(graph.nodes, graph.n_inputs):
        place = slot - first
        if 0 <= place < len(node.arguments):
            is_factor = node.unit == "multiply" or (node.unit, place) == ("divide", 0)
            return feature if is_factor else None
        first += len(node.arguments)
    return None


def is_tied(graph: Graph, slot: int, other: Connection) -> bool:
    """Whether a weight in a slot, or another one, is tied to a third."""
    keys = {*graph.ties, *(lead for lead, _ in graph.ties.values())}
    return other in keys or any(key[0] == slot for key in keys)
