"""Forms that are hardly the first terms of a series: what imitations look like."""

from collections.abc import Sequence

import numpy as np

from eqlearn._types import Array
from eqlearn.network.graph import CONSTANT, Graph, Linear

#: Powers by input.
_Powers = dict[int, frozenset[int]]
_NONE = frozenset((0,))
_PRODUCTS = ("multiply", "divide")


def is_plain(graph: Graph) -> bool:
    """Whether a formula has no sums, or is nothing but one of inputs.

    No input may be inside a function and elsewhere, too: exp(-u/2)/u is how
    1/(e^u - 1) begins.
    """
    if not graph.nodes:
        return True
    return all(len(linear) == 1 for linear in graph.slots()) and _is_bent_once(graph)


def _is_bent_once(graph: Graph) -> bool:
    """Whether each function has its inputs for itself."""
    used, functions = _factors(graph)
    for function in functions:
        inside = set(graph.ancestors(graph.nodes[function].arguments))
        if inside & used:
            return False
        used |= inside
    return True


def _factors(graph: Graph) -> tuple[set[int], set[int]]:
    """The inputs and the functions, by their nodes, that a product is made of."""
    inputs: set[int] = set()
    functions: set[int] = set()
    ahead = [
        source for output in graph.outputs for linear in output for source in linear
    ]
    while ahead:
        source = ahead.pop()
        node = source - graph.n_inputs
        if 0 <= source < graph.n_inputs:
            inputs.add(source)
        elif node >= 0 and graph.nodes[node].unit in _PRODUCTS:
            ahead += [s for linear in graph.nodes[node].arguments for s in linear]
        elif node >= 0:
            functions.add(node)
    return inputs, functions


def is_bent(graph: Graph, x: Array, least: float) -> bool:
    """Whether each function of a formula bends by more than that share of its variance.

    Where it does not, others begin in the same way: exp(u), 1/(1 - u), 1 + u.
    """
    n, ends = graph.n_inputs, list[tuple[Linear, Linear]]()
    for feature, node in enumerate(graph.nodes, n):
        if node.unit not in (*_PRODUCTS, "origin"):
            ends += [(node.arguments[0], {CONSTANT: 1.0})]
            ends += [({feature: 1.0}, {CONSTANT: 1.0})]
    if not ends:
        return True
    with np.errstate(all="ignore"):
        values = Graph(n, graph.nodes, tuple(ends)).evaluate(x)[0].T
        straight = [
            np.asarray(np.corrcoef(one))[0, 1] ** 2
            for one in values.reshape(-1, 2, len(x))
        ]
    return float(np.max(np.nan_to_num(straight))) <= 1.0 - least


def has_single_powers(graph: Graph) -> bool:
    """Whether a fraction has every input in one power only, wherever it is.

    Series have more: l + l³/6 for an arc sine, n r + n² r²/2 for a power.
    """
    if not all(node.unit in _PRODUCTS for node in graph.nodes):
        return False
    known: dict[int, _Powers] = {i: {i: frozenset((1,))} for i in range(graph.n_inputs)}
    for feature, node in enumerate(graph.nodes, graph.n_inputs):
        first, second = (_of_sum(linear, known) for linear in node.arguments)
        known[feature] = {
            i: frozenset(
                p + q for p in first.get(i, _NONE) for q in second.get(i, _NONE)
            )
            for i in first.keys() | second.keys()
        }
    sums = [_of_sum(linear, known) for output in graph.outputs for linear in output]
    return all(len(powers - _NONE) == 1 for powers in _united(sums).values())


def _of_sum(linear: Linear, known: dict[int, _Powers]) -> _Powers:
    # A constant has no inputs.
    return _united([known.get(source, {}) for source in linear])


def _united(terms: Sequence[_Powers]) -> _Powers:
    """All powers of each input; none of those that not all terms have."""
    inputs = {i for powers in terms for i in powers}
    return {
        i: frozenset(p for powers in terms for p in powers.get(i, _NONE))
        for i in inputs
    }
