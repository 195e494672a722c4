import json
from typing import Any

import numpy as np
import pytest
from graphs import JSON, TIED, random_graph
from hypothesis import given, settings
from hypothesis import strategies as st

from eqlearn.errors import EqlearnError
from eqlearn.network.document import from_document, to_document
from eqlearn.network.graph import CONSTANT, Graph, Node
from eqlearn.network.units import register_unit

DOCUMENT = {
    "inputs": 2,
    "units": [
        {"unit": "sin", "arguments": [{"x2": 1.0, "1": 0.5}]},
        {"unit": "multiply", "arguments": [{"x1": 1.0, "1": 1.0}, {"u1": 1.0}]},
    ],
    "outputs": [
        {"numerator": {"x1": 2.0, "u1": 3.0}, "denominator": {"1": 4.0, "u2": 1.0}}
    ],
    "fixed": [[1, "x1"], [2, "u1"], [4, "1"]],
    "ties": [{"connection": [4, "u2"], "lead": [3, "x1"], "ratio": 0.5}],
}


def test_a_document_reads_like_the_formula() -> None:
    assert to_document(TIED) == DOCUMENT
    assert from_document(DOCUMENT) == TIED


@given(seed=st.integers(0, 2**32), n_outputs=st.integers(1, 3), untidy=st.booleans())
def test_every_graph_comes_back_through_json(
    seed: int, n_outputs: int, untidy: bool
) -> None:
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, n_outputs=n_outputs, untidy=untidy)
    back = from_document(json.loads(json.dumps(to_document(graph))))
    assert back == graph
    # Weights are set by the order of the connections, so it must come back, too.
    assert list(back.connections()) == list(graph.connections())


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_come_back_bit_by_bit(weight: float) -> None:
    graph = Graph(1, (), (({0: weight}, {CONSTANT: 1.0}),))
    back = from_document(json.loads(json.dumps(to_document(graph))))
    assert back.outputs[0][0][0].hex() == weight.hex()


def test_weights_of_numpy_become_plain_numbers() -> None:
    graph = Graph(1, (), (({0: np.float64(0.1)}, {CONSTANT: 1.0}),))
    weight = to_document(graph)["outputs"][0]["numerator"]["x1"]
    assert type(weight) is float


@pytest.mark.parametrize("weight", [float("nan"), float("inf")])
def test_what_could_not_be_read_again_is_not_written(weight: float) -> None:
    graph = Graph(1, (), (({0: weight}, {CONSTANT: 1.0}),))
    with pytest.raises(EqlearnError, match="of finite weights"):
        to_document(graph)


def test_units_of_the_user_are_known_once_registered(table: None) -> None:
    graph = Graph(1, (Node("bell", ({0: 1.0},)),), (({1: 2.0}, {CONSTANT: 1.0}),))
    document = to_document(graph)
    with pytest.raises(EqlearnError, match="Register it before reading"):
        from_document(document)
    register_unit("bell", lambda xp, z: xp.exp(-z * z))
    assert from_document(document) == graph


BAD = {
    "no object": ([], "an object with inputs, units, outputs"),
    "a field missing": ({"inputs": 1}, "an object with inputs, units, outputs"),
    "a field too many": ({**DOCUMENT, "code": "1"}, "an object with"),
    "inputs as text": ({**DOCUMENT, "inputs": "2"}, "graph.inputs"),
    "inputs as truth": ({**DOCUMENT, "inputs": True}, "graph.inputs"),
    "too many inputs": ({**DOCUMENT, "inputs": 10**9}, "graph.inputs"),
    "units no list": ({**DOCUMENT, "units": {}}, "graph.units"),
    "too many units": ({**DOCUMENT, "units": [{}] * 10_001}, "0 to 10000 items"),
    "no outputs": ({**DOCUMENT, "outputs": []}, "1 to 1000 items"),
    "fixed no list": ({**DOCUMENT, "fixed": 0, "ties": []}, "graph.fixed"),
    "ties no list": ({**DOCUMENT, "fixed": [], "ties": ""}, "graph.ties"),
}
BAD_NODES = {
    "unknown unit": ({"unit": "os.system", "arguments": [{}]}, "a known unit"),
    "unit no text": ({"unit": ["sin"], "arguments": [{}]}, "the name of a unit"),
    "wrong arity": ({"unit": "multiply", "arguments": [{}]}, "a list of 2 items"),
    "later unit": ({"unit": "sin", "arguments": [{"u3": 1.0}]}, "earlier features"),
    "itself": ({"unit": "sin", "arguments": [{"u2": 1.0}]}, "earlier features"),
    "no such input": ({"unit": "sin", "arguments": [{"x3": 1.0}]}, "earlier"),
    "another digit": ({"unit": "sin", "arguments": [{"x١": 1.0}]}, "earlier"),
    "a number as name": ({"unit": "sin", "arguments": [{1: 1.0}]}, "earlier"),
    "no weights": ({"unit": "sin", "arguments": [[1.0]]}, "weights by the name"),
    "NaN": ({"unit": "sin", "arguments": [{"x1": float("nan")}]}, "a finite number"),
    "infinity": ({"unit": "sin", "arguments": [{"x1": -float("inf")}]}, "a finite"),
    "text": ({"unit": "sin", "arguments": [{"x1": "1.0"}]}, "a finite number"),
    "truth": ({"unit": "sin", "arguments": [{"x1": True}]}, "a finite number"),
    "huge": ({"unit": "sin", "arguments": [{"x1": 10**400}]}, "a finite number"),
}
BAD_LINKS: dict[str, tuple[str, Any, str]] = {
    "no such slot": ("fixed", [[5, "x1"]], "slot below 5"),
    "a negative slot": ("fixed", [[-1, "x1"]], "slot below 5"),
    "truth as slot": ("fixed", [[True, "x1"]], "slot below 5"),
    "no such feature": ("fixed", [[0, "x7"]], "made of earlier features"),
    "no pair": ("fixed", [0], "slot below 5"),
    "a list as feature": ("fixed", [[0, []]], "slot below 5"),
    "too many": ("fixed", [[1, "x1"]] * 30, "a list of 0 to 25 items"),
    "a tie to nothing": (
        "ties",
        [{"connection": [4, "u2"], "lead": [0, "x1"], "ratio": 1.0}],
        "between connections of the graph",
    ),
    "a tie to itself": (
        "ties",
        [{"connection": [4, "u2"], "lead": [4, "u2"], "ratio": 1.0}],
        "tied to nothing itself",
    ),
    "a ratio of NaN": (
        "ties",
        [{"connection": [4, "u2"], "lead": [3, "x1"], "ratio": float("nan")}],
        r"ties\[0\].ratio` must be a finite number",
    ),
}


@pytest.mark.parametrize(("document", "message"), BAD.values(), ids=BAD)
def test_what_is_no_document_is_refused(document: object, message: str) -> None:
    _refused(document, message)


@pytest.mark.parametrize(("node", "message"), BAD_NODES.values(), ids=BAD_NODES)
def test_bad_nodes_are_refused_by_their_place(node: object, message: str) -> None:
    units: list[object] = [*DOCUMENT["units"]]  # type: ignore[misc]
    units[1] = node
    error = _refused({**DOCUMENT, "units": units}, message)
    assert "graph.units[1]" in error


@pytest.mark.parametrize(("field", "value", "message"), BAD_LINKS.values())
def test_fixed_and_tied_connections_must_exist(
    field: str, value: object, message: str
) -> None:
    error = _refused({**DOCUMENT, field: value}, message)
    assert f"graph.{field}" in error


def test_whole_numbers_written_by_hand_are_weights() -> None:
    document = {**DOCUMENT, "outputs": [{"numerator": {}, "denominator": {"1": 4}}]}
    document |= {"fixed": [], "ties": []}
    weight = from_document(document).outputs[0][1][CONSTANT]
    assert type(weight) is float and weight == 4.0


@given(field=st.sampled_from(sorted(DOCUMENT)), value=JSON)
@settings(max_examples=300)
def test_whatever_a_field_holds_it_is_a_graph_or_one_line(
    field: str, value: object
) -> None:
    try:
        graph = from_document({**DOCUMENT, field: value})
    except EqlearnError as error:
        assert "\n" not in str(error)
    else:
        assert from_document(to_document(graph)) == graph


def _refused(document: object, message: str) -> str:
    with pytest.raises(EqlearnError, match=message) as caught:
        from_document(document)
    assert "\n" not in str(caught.value)
    return str(caught.value)
