"""A graph as a document: plain dictionaries and lists that JSON can hold.

Features are named as in a formula: "1" is the constant, "x1", "x2", ... are the inputs
and "u1", "u2", ... the units. Reading trusts nothing: a graph that comes out is one.
"""

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from eqlearn.errors import EqlearnError, must
from eqlearn.network.graph import CONSTANT, Connection, Graph, Linear, Node
from eqlearn.network.units import UNITS

#: No formula is larger; a document that claims to be is refused before it is built.
MOST_INPUTS = 10_000
MOST_UNITS = 10_000
MOST_OUTPUTS = 1_000
# Not every whole number beyond this is exactly a float.
_LARGEST_INTEGER = 2**53


def feature_names(graph: Graph) -> dict[int, str]:
    """What each feature is called in a document, the constant included."""
    names = {CONSTANT: "1"}
    names |= {i: f"x{i + 1}" for i in range(graph.n_inputs)}
    names |= {graph.n_inputs + k: f"u{k + 1}" for k in range(len(graph.nodes))}
    return names


def to_document(graph: Graph) -> dict[str, Any]:
    """Write a graph down, such that `from_document` gives back an equal one."""
    names = feature_names(graph)

    def written(linear: Linear) -> dict[str, float]:
        for source, weight in linear.items():
            if not math.isfinite(weight):
                where = f"for {names[source]}"
                raise must("graph", "of finite weights", weight, where=where)
        return {names[source]: float(weight) for source, weight in linear.items()}

    def pair(connection: Connection) -> list[Any]:
        return [connection[0], names[connection[1]]]

    return {
        "inputs": graph.n_inputs,
        "units": [
            {"unit": node.unit, "arguments": [written(a) for a in node.arguments]}
            for node in graph.nodes
        ],
        "outputs": [
            {"numerator": written(a), "denominator": written(b)}
            for a, b in graph.outputs
        ],
        "fixed": [pair(connection) for connection in sorted(graph.fixed)],
        "ties": [
            {"connection": pair(key), "lead": pair(lead), "ratio": float(ratio)}
            for key, (lead, ratio) in graph.ties.items()
        ],
    }


def from_document(document: object, place: str = "graph") -> Graph:
    """Build the graph of a document, checking every part of it.

    `place` is where the document is, for the message of an error.
    """
    parts = _fields(document, ("inputs", "units", "outputs", "fixed", "ties"), place)
    n_inputs = parts["inputs"]
    if type(n_inputs) is not int or not 0 <= n_inputs <= MOST_INPUTS:
        what = f"a whole number from 0 to {MOST_INPUTS}"
        raise must(f"{place}.inputs", what, n_inputs)
    # Units join as they are read, so that a unit can only be named by later ones.
    numbers = {**_input_numbers(n_inputs)}
    nodes = []
    units = _items(parts["units"], f"{place}.units", MOST_UNITS)
    for k, row in enumerate(units):
        nodes.append(_node(row, numbers, f"{place}.units[{k}]"))
        numbers[f"u{k + 1}"] = n_inputs + k
    outputs = tuple(
        _output(row, numbers, f"{place}.outputs[{o}]")
        for o, row in enumerate(
            _items(parts["outputs"], f"{place}.outputs", MOST_OUTPUTS, least=1)
        )
    )
    slots = Graph(n_inputs, tuple(nodes), outputs).slots()
    fixed = _fixed(parts["fixed"], slots, numbers, f"{place}.fixed")
    ties = _ties(parts["ties"], slots, numbers, f"{place}.ties")
    return Graph(n_inputs, tuple(nodes), outputs, fixed, ties)


@lru_cache(maxsize=8)
def _input_numbers(n_inputs: int) -> dict[str, int]:
    return {"1": CONSTANT, **{f"x{i + 1}": i for i in range(n_inputs)}}


def _node(row: object, numbers: Mapping[str, int], place: str) -> Node:
    parts = _fields(row, ("unit", "arguments"), place)
    name = parts["unit"]
    if type(name) is not str:
        raise must(f"{place}.unit", "the name of a unit", name)
    if name not in UNITS:
        hint = "Register it before reading, if it is one of yours."
        raise must(f"{place}.unit", "a known unit", name, hint)
    arity = UNITS[name].arity
    arguments = _items(parts["arguments"], f"{place}.arguments", arity, least=arity)
    return Node(
        name,
        tuple(
            _linear(linear, numbers, f"{place}.arguments[{j}]")
            for j, linear in enumerate(arguments)
        ),
    )


def _output(
    row: object, numbers: Mapping[str, int], place: str
) -> tuple[Linear, Linear]:
    parts = _fields(row, ("numerator", "denominator"), place)
    return (
        _linear(parts["numerator"], numbers, f"{place}.numerator"),
        _linear(parts["denominator"], numbers, f"{place}.denominator"),
    )


def _linear(value: object, numbers: Mapping[str, int], place: str) -> Linear:
    if type(value) is not dict:
        raise must(place, "weights by the name of a feature", value)
    linear = {}
    for name, weight in value.items():
        if name not in numbers:
            raise _no_feature(name, place)
        linear[numbers[name]] = _number(weight, place, name)
    return linear


def _no_feature(name: object, place: str) -> EqlearnError:
    hint = "A unit uses the constant 1, inputs x1, x2, ... and units before it."
    return must(place, "made of earlier features", name, hint)


def _number(value: object, place: str, name: str) -> float:
    if type(value) is float and math.isfinite(value):
        return value
    if type(value) is int and abs(value) <= _LARGEST_INTEGER:
        return float(value)
    raise must(f"{place}.{name}", "a finite number", value)


def _fixed(
    value: object, slots: list[Linear], numbers: Mapping[str, int], place: str
) -> frozenset[Connection]:
    rows = _items(value, place, len(slots) * len(numbers))
    return frozenset(
        _connection(row, slots, numbers, f"{place}[{k}]") for k, row in enumerate(rows)
    )


def _ties(
    value: object, slots: list[Linear], numbers: Mapping[str, int], place: str
) -> dict[Connection, tuple[Connection, float]]:
    ties: dict[Connection, tuple[Connection, float]] = {}
    for k, row in enumerate(_items(value, place, len(slots) * len(numbers))):
        at = f"{place}[{k}]"
        parts = _fields(row, ("connection", "lead", "ratio"), at)
        key = _connection(parts["connection"], slots, numbers, f"{at}.connection")
        lead = _connection(parts["lead"], slots, numbers, f"{at}.lead")
        for slot, source in (key, lead):
            if source not in slots[slot]:
                raise must(at, "between connections of the graph", row)
        ties[key] = lead, _number(parts["ratio"], at, "ratio")
    # A leader that followed another would leave no parameter to be fitted.
    for k, (key, (lead, _)) in enumerate(ties.items()):
        if lead in ties:
            raise must(f"{place}[{k}].lead", "tied to nothing itself", (key, lead))
    return ties


def _connection(
    value: object, slots: list[Linear], numbers: Mapping[str, int], place: str
) -> Connection:
    match value:
        case [int(slot), str(name)] if 0 <= slot < len(slots) and slot is not True:
            if name not in numbers:
                raise _no_feature(name, place)
            return slot, numbers[name]
    raise must(place, f"[slot below {len(slots)}, name of a feature]", value)


def _fields(value: object, names: tuple[str, ...], place: str) -> dict[str, Any]:
    if type(value) is not dict or value.keys() != set(names):
        got = sorted(map(str, value)) if type(value) is dict else value
        raise must(place, f"an object with {', '.join(names)}", got)
    return value


def _items(value: object, place: str, most: int, *, least: int = 0) -> list[object]:
    if type(value) is not list:
        raise must(place, "a list", value)
    if not least <= len(value) <= most:
        count = str(least) if least == most else f"{least} to {most}"
        raise must(place, f"a list of {count} items", len(value))
    return value
