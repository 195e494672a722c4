"""Bells with their top: 4 exp(-(x - 1.3)²/2), not 1.7 exp(1.3 x - x²/2).

A search finds x and x² in an exponent. Both forms have as many constants, but people
ask where the top is, how high, and how well that is known.
"""

import math
from dataclasses import replace

from eqlearn.network.graph import CONSTANT, Connection, Graph, Linear, Node
from eqlearn.network.roots import in_front

# Of the height: beyond, the place of the top is told by nothing in the data.
_LARGEST_EXPONENT = 50.0


def with_tops(graph: Graph) -> Graph | None:
    """The same formula with as many parameters; None if it has no bell."""
    found = apart = _with_own_squares(graph)
    for feature, slot in _exponentials(apart):
        found = _with_top(found, feature, slot)
    return None if found is apart else found


def _exponentials(graph: Graph) -> list[tuple[int, int]]:
    """Their features, and the slots of their exponents."""
    slot, found = 0, []
    for feature, node in enumerate(graph.nodes, graph.n_inputs):
        if node.unit == "exp":
            found.append((feature, slot))
        slot += len(node.arguments)
    return found


def _with_own_squares(graph: Graph) -> Graph:
    """The graph with x² once for each exponent: two bells have two tops."""
    for feature, slot in reversed(_exponentials(graph)):
        slots = graph.slots()
        squares = {s: told for s in slots[slot] if (told := _squared(graph, s))}
        if len(squares) != 1:  # no bell, or one in two inputs
            continue
        ((square, (_, first, constants)),) = squares.items()
        n_users = sum(square in linear for linear in slots)
        if constants == (0.0, 0.0) and n_users > 1:
            graph = _with_own_square(graph, feature, slot, (square, first))
    return graph


def _with_own_square(
    graph: Graph, bell: int, slot: int, shared: tuple[int, int]
) -> Graph:
    """The graph with a square of its own before the exponential in `slot`.

    What is shared is a square, and the slot of its first factor.
    """
    square, first = shared

    def place(feature: int) -> int:
        return feature + 1 if feature >= bell else feature

    def moved(key: Connection) -> Connection:
        number, source = key
        if number == slot and source == square:
            return slot + 2, bell
        return number + 2 * (number >= slot), place(source)

    def renamed(linear: Linear, own: int) -> Linear:
        return {own if s == square else place(s): w for s, w in linear.items()}

    k = bell - graph.n_inputs
    told = graph.nodes[square - graph.n_inputs]
    after = [
        Node(
            node.unit,
            tuple(renamed(a, square if number else bell) for a in node.arguments),
        )
        for number, node in enumerate(graph.nodes[k:])
    ]
    copied = {
        (slot + s - first, of) for s, of in graph.fixed if s in (first, first + 1)
    }
    return Graph(
        graph.n_inputs,
        (*graph.nodes[:k], told, *after),
        tuple((renamed(a, square), renamed(b, square)) for a, b in graph.outputs),
        frozenset(set(map(moved, graph.fixed)) | copied),
        {moved(key): (moved(lead), ratio) for key, (lead, ratio) in graph.ties.items()},
    )


def _with_top(graph: Graph, bell: int, slot: int) -> Graph:
    """The graph with the exponent k (x² + d x) in a slot as k (x - m)²."""
    exponent, front = graph.slots()[slot], in_front(graph, bell)
    squares = {s: told for s in exponent if (told := _squared(graph, s)) is not None}
    if front is None or len(squares) != 1:
        return graph
    ((square, (source, first, constants)),) = squares.items()
    bend, slope = exponent[square], exponent.get(source, 0.0)
    top = -(slope / bend + sum(constants)) / 2
    raised = bend * (math.prod(constants) - top**2)
    is_used_once = sum(square in linear for linear in graph.slots()) == 1
    is_bell = bend < 0.0 and exponent.keys() == {square, *exponent.keys() & {source}}
    if not (is_used_once and is_bell and top and abs(raised) < _LARGEST_EXPONENT):
        return graph
    slots = graph.slots()
    slots[first], slots[first + 1] = ({source: 1.0, CONSTANT: -top} for _ in range(2))
    slots[slot] = {square: bend}
    slots[front[0]] = {
        **slots[front[0]],
        front[1]: slots[front[0]][front[1]] * math.exp(raised),
    }
    ends = (first, source), (first + 1, source)
    ties = {**graph.ties, (first + 1, CONSTANT): ((first, CONSTANT), 1.0)}
    fixed = (graph.fixed - {(slot, square)}) | {*ends}
    found = replace(graph.with_slots(slots, frozenset(fixed)), ties=ties)
    return found if found.n_parameters == graph.n_parameters else graph


def _squared(graph: Graph, feature: int) -> tuple[int, int, tuple[float, float]] | None:
    """Of (x + a) (x + b): x, the slot of the first factor, and both constants."""
    if feature < graph.n_inputs:
        return None
    node = graph.nodes[feature - graph.n_inputs]
    slot = sum(len(n.arguments) for n in graph.nodes[: feature - graph.n_inputs])
    sources = [_lone_source(linear) for linear in node.arguments]
    if node.unit != "multiply" or None in sources or len(set(sources)) > 1:
        return None
    first, second = (linear.get(CONSTANT, 0.0) for linear in node.arguments)
    is_tied = any(key[0] in (slot, slot + 1) for key in graph.ties)
    return None if is_tied else (sources[0] or 0, slot, (first, second))


def _lone_source(linear: Linear) -> int | None:
    """What a factor x + a is of, if the weight of x is 1."""
    sources = linear.keys() - {CONSTANT}
    if len(sources) != 1:
        return None
    (source,) = sources
    return source if linear[source] == 1.0 else None
