"""Rates that are given as text, such as `v` or `-9.81*sin(q)`: read, never run."""

import ast
from collections.abc import Mapping, Sequence

from eqlearn.errors import EqlearnError, must, unknown
from eqlearn.network.draft import Draft
from eqlearn.network.graph import CONSTANT, Graph, Linear
from eqlearn.network.units import UNITS

_MOST_POWER = 12


def known_rates(
    texts: Mapping[str, str], states: Sequence[str], inputs: Sequence[str]
) -> dict[int, Graph]:
    """The graph of each rate that is given, by the number of its state."""
    found = {}
    for state, text in texts.items():
        if state not in states:
            raise unknown("known", state, states)
        found[list(states).index(state)] = _rate(text, (*states, *inputs))
    return found


def _rate(text: str, names: Sequence[str]) -> Graph:
    reader = _Reader(names)
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise _refused(text) from error
    try:
        reader.draft.outputs[0][0].update(reader.linear(tree))
    except RecursionError as error:
        raise _refused(text) from error
    graph = reader.draft.freeze()
    if graph is None or graph.is_empty:
        raise _refused(text)
    return graph


def _refused(text: str) -> EqlearnError:
    return must("known", "a formula of states and inputs, like -9.81*sin(q)", text)


class _Reader:
    """Goes through the syntax of a formula and puts units into a draft."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self.draft = Draft(Graph(len(names), (), (({}, {CONSTANT: 1.0}),)))

    def linear(self, node: ast.expr) -> Linear:
        """What a part of a formula is, as a sum of features."""
        match node:
            case ast.Constant(value=int() | float() as value):
                return {CONSTANT: float(value)}
            case ast.Name(id=name):
                if name not in self.names:
                    raise unknown("known", name, self.names)
                return {self.names.index(name): 1.0}
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return _scaled(self.linear(inner), -1.0)
            case ast.BinOp(left=left, op=operator, right=right):
                return self._combined(operator, left, right)
            case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]):
                if name not in UNITS or UNITS[name].arity != 1:
                    raise unknown(
                        "known", name, [n for n, u in UNITS.items() if u.arity == 1]
                    )
                return {self.draft.add(name, self.linear(inner)): 1.0}
        raise _refused(ast.unparse(node))

    def _combined(
        self, operator: ast.operator, left: ast.expr, right: ast.expr
    ) -> Linear:
        a, b = self.linear(left), self.linear(right)
        if isinstance(operator, ast.Add | ast.Sub):
            return _added(a, b, -1.0 if isinstance(operator, ast.Sub) else 1.0)
        if isinstance(operator, ast.Mult):
            return self._product(a, b)
        if isinstance(operator, ast.Div):
            if set(b) == {CONSTANT} and b[CONSTANT]:
                return _scaled(a, 1.0 / b[CONSTANT])
            return {self.draft.add("divide", a, b): 1.0}
        power = b.get(CONSTANT, 0.0)
        is_whole = set(b) == {CONSTANT} and power in range(1, _MOST_POWER + 1)
        if isinstance(operator, ast.Pow) and is_whole:
            found = a
            for _ in range(int(power) - 1):
                found = self._product(found, a)
            return found
        raise _refused(f"{ast.unparse(left)} ... {ast.unparse(right)}")

    def _product(self, a: Linear, b: Linear) -> Linear:
        for one, other in ((a, b), (b, a)):
            if set(one) == {CONSTANT}:
                return _scaled(other, one[CONSTANT])
        return {self.draft.add("multiply", a, b): 1.0}


def _scaled(linear: Linear, factor: float) -> Linear:
    return {source: weight * factor for source, weight in linear.items()}


def _added(a: Linear, b: Linear, sign: float) -> Linear:
    total = dict(a)
    for source, weight in b.items():
        total[source] = total.get(source, 0.0) + sign * weight
    return total
