"""The slope of a formula by one input, as a formula: rules of differentiation.

Sums and what is multiplied by a constant are put together on the way, so that the slope
of x / (1 + x) has 1 above, not 1 + x - x: intervals would not see that x cancels.
"""

from collections.abc import Callable, Mapping

from eqlearn.network.draft import Draft
from eqlearn.network.graph import CONSTANT, Graph, Linear

_NOTHING: Linear = {}
_ONE: Linear = {CONSTANT: 1.0}


def slope_graph(graph: Graph, number: int) -> Graph | None:
    """The slope of the first output by the input of this number.

    None if there is a unit in it whose slope is not known, as a user's.
    """
    draft = Draft(Graph(graph.n_inputs, graph.nodes, ()))
    slopes = [_ONE if i == number else _NOTHING for i in range(graph.n_inputs)]
    for k, node in enumerate(graph.nodes):
        inner = [_of(linear, slopes) for linear in node.arguments]
        if not any(inner):
            slopes.append(_NOTHING)
            continue
        if node.unit not in _RULES:
            return None
        own: Linear = {graph.n_inputs + k: 1.0}
        slopes.append(_RULES[node.unit](draft, own, node.arguments, inner))
    above, below = graph.outputs[0]
    rise, fall = _of(above, slopes), _of(below, slopes)
    if fall:
        change = _times(draft, rise, below)
        rise = _plus(change, _times(draft, above, fall), -1.0)
        below = _times(draft, below, below)
    draft.outputs = [(dict(rise), dict(below))]
    return draft.freeze()


def _of(linear: Linear, slopes: list[Linear]) -> Linear:
    total: Linear = {}
    for source, weight in linear.items():
        if source != CONSTANT:
            total = _plus(total, slopes[source], weight)
    return total


def _plus(a: Linear, b: Linear, weight: float = 1.0) -> Linear:
    total = dict(a)
    for source, one in b.items():
        total[source] = total.get(source, 0.0) + weight * one
    return {source: one for source, one in total.items() if one}


def _times(draft: Draft, a: Linear, b: Linear) -> Linear:
    if not a or not b:
        return _NOTHING
    for one, other in ((a, b), (b, a)):
        if one.keys() == {CONSTANT}:
            return {source: one[CONSTANT] * weight for source, weight in other.items()}
    return {draft.add("multiply", a, b): 1.0}


def _over(draft: Draft, a: Linear, b: Linear) -> Linear:
    if b.keys() == {CONSTANT}:
        return {source: weight / b[CONSTANT] for source, weight in a.items()}
    return {draft.add("divide", a, b): 1.0}


# Each takes the draft, the unit itself as a feature, its arguments and their slopes.
_Rule = Callable[[Draft, Linear, tuple[Linear, ...], list[Linear]], Linear]


def _product(
    draft: Draft, own: Linear, z: tuple[Linear, ...], dz: list[Linear]
) -> Linear:
    del own
    first, second = _times(draft, dz[0], z[1]), _times(draft, z[0], dz[1])
    return _plus(first, second)


def _quotient(
    draft: Draft, own: Linear, z: tuple[Linear, ...], dz: list[Linear]
) -> Linear:
    if not dz[1]:
        return _over(draft, dz[0], z[1])
    del own
    change = _plus(_times(draft, dz[0], z[1]), _times(draft, z[0], dz[1]), -1.0)
    return _over(draft, change, _times(draft, z[1], z[1])) if change else _NOTHING


def _arc(sign: float) -> _Rule:
    def rule(
        draft: Draft, own: Linear, z: tuple[Linear, ...], dz: list[Linear]
    ) -> Linear:
        del own
        square = {draft.add("square", z[0]): -1.0, CONSTANT: 1.0}
        root = {draft.add("sqrt", square): sign}
        return _over(draft, dz[0], root)

    return rule


def _atan(draft: Draft, own: Linear, z: tuple[Linear, ...], dz: list[Linear]) -> Linear:
    del own
    return _over(draft, dz[0], {draft.add("square", z[0]): 1.0, CONSTANT: 1.0})


def _tanh(draft: Draft, own: Linear, z: tuple[Linear, ...], dz: list[Linear]) -> Linear:
    del z
    outer = {draft.add("square", own): -1.0, CONSTANT: 1.0}
    return _times(draft, outer, dz[0])


_RULES: Mapping[str, _Rule] = {
    "identity": lambda draft, own, z, dz: dz[0],
    "origin": lambda draft, own, z, dz: dz[0],
    "sin": lambda draft, own, z, dz: _times(
        draft, {draft.add("cos", z[0]): 1.0}, dz[0]
    ),
    "cos": lambda draft, own, z, dz: _times(
        draft, {draft.add("sin", z[0]): -1.0}, dz[0]
    ),
    "multiply": _product,
    "square": lambda draft, own, z, dz: _times(draft, _plus(z[0], z[0]), dz[0]),
    "exp": lambda draft, own, z, dz: _times(draft, own, dz[0]),
    "log": lambda draft, own, z, dz: _over(draft, dz[0], z[0]),
    "sqrt": lambda draft, own, z, dz: _over(draft, dz[0], _plus(own, own)),
    "tanh": _tanh,
    "divide": _quotient,
    "asin": _arc(1.0),
    "acos": _arc(-1.0),
    "atan": _atan,
}
