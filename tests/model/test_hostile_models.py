"""R-26: files that are valid, and made to do harm: refused or handled, and soon."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_lines import Command
from patience import within

from eqlearn.data.table import Table
from eqlearn.data.write_table import write_table
from eqlearn.model.model_file import load, to_document

HERE = Path(__file__).parent
HUGE = 1.7976931348623157e308
#: Seconds that each may take.
LONGEST_LOAD, LONGEST_REPORT = 2.0, 10.0


def graph(
    units: list[dict[str, Any]], numerator: dict[str, float], n_inputs: int = 1
) -> dict[str, Any]:
    output = {"numerator": numerator, "denominator": {"1": 1.0}}
    parts = {"units": units, "outputs": [output], "fixed": [], "ties": []}
    return {"inputs": n_inputs, **parts}


def document(of: dict[str, Any], n_equations: int = 1) -> dict[str, Any]:
    """A model of this graph, many times over."""
    found = json.loads(json.dumps(to_document(load(HERE / "version-1.json"))))
    n, target = of["inputs"], found["targets"][0]
    facts = {"graph": of, "snapped": of, "constants": [], "target": target}
    row = {**found["equations"][0], **facts, "is_chosen": True}
    return {
        **found,
        "targets": [target],
        "outcomes": found["outcomes"][:1],
        "equations": [row] + [{**row, "is_chosen": False}] * (n_equations - 1),
        "inputs": [f"c{i}" for i in range(n)],
        "domain": [[1.0, 2.0]] * n,
        "ranges": [[1.0, 2.0]] * n,
    }


def nested(depth: int) -> dict[str, Any]:
    chain = ["x1", *(f"u{k + 1}" for k in range(depth))]
    units = [{"unit": "exp", "arguments": [{name: 0.5}]} for name in chain[:-1]]
    return graph(units, {chain[-1]: 1.0})


def doubled(depth: int) -> dict[str, Any]:
    chain = ["x1", *(f"u{k + 1}" for k in range(depth))]
    units = [
        {"unit": "multiply", "arguments": [{name: 0.5, "1": 1.0}, {name: 0.7}]}
        for name in chain[:-1]
    ]
    return graph(units, {chain[-1]: 1.0})


def divided(depth: int) -> dict[str, Any]:
    chain = ["x1", *(f"u{k + 1}" for k in range(depth))]
    units = [
        {"unit": "divide", "arguments": [{name: 1.0, "1": 1.0}, {name: 1.0, "1": -0.3}]}
        for name in chain[:-1]
    ]
    return graph(units, {chain[-1]: 1.0})


def waves(n: int, n_inputs: int = 1) -> dict[str, Any]:
    units = [
        {"unit": "sin", "arguments": [{f"x{1 + k % n_inputs}": 1.0 + k}]}
        for k in range(n)
    ]
    return graph(units, {f"u{k + 1}": 1.0 for k in range(n)}, n_inputs)


HANDLED: dict[str, Callable[[], dict[str, Any]]] = {
    "nested": lambda: document(nested(400)),
    "doubled": lambda: document(doubled(60)),
    "divided": lambda: document(divided(40)),
    "wide": lambda: document(waves(2000)),
    "many": lambda: document(waves(39), 300),
    "inputs": lambda: document(waves(300, 9000), 3),
    "linear": lambda: document(
        graph([], {f"x{i + 1}": 1.0 for i in range(9000)}, 9000), 2
    ),
    "huge weights": lambda: document(
        graph(
            [
                {"unit": "exp", "arguments": [{"x1": 1e300}]},
                {"unit": "square", "arguments": [{"u1": 1e308}]},
            ],
            {"u2": 1e308},
        )
    ),
}
REFUSED: dict[str, Callable[[], dict[str, Any]]] = {
    "no inputs": lambda: document(graph([], {"1": 1.0}, 0)),
    "domain": lambda: {**document(waves(1)), "domain": [[-HUGE, HUGE]]},
    "ranges": lambda: {**document(waves(1)), "ranges": [[-HUGE, HUGE]]},
}


@pytest.mark.parametrize("name", HANDLED)
def test_what_is_too_large_to_be_read_is_handled(
    name: str, tmp_path: Path, command: Command
) -> None:
    content = HANDLED[name]()
    (tmp_path / "model.json").write_text(json.dumps(content))
    with within(LONGEST_LOAD):
        model = load(tmp_path / "model.json")
    x = np.linspace(1, 2, 20)
    names = (*(f"x{i + 1}" for i in range(len(model.inputs))), "y1")
    sample = str(tmp_path / "sample.npz")
    write_table(sample, Table(names, np.repeat(x[:, None], len(names), 1), sample))
    for arguments in (f"show {tmp_path}", f"report {tmp_path}"):
        with within(LONGEST_REPORT):
            code, _, err = command(arguments)
        assert (code, err) == (0, "")
    for form in ("sympy", "c", "python"):
        code, _, err = command(f"export {tmp_path} --to {form}")
        assert code in (0, 2) and len(err.splitlines()) == (code == 2)


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_search_could_have_written_is_refused(
    name: str, tmp_path: Path, command: Command
) -> None:
    (tmp_path / "model.json").write_text(json.dumps(REFUSED[name]()))
    code, out, err = command(f"show {tmp_path}")
    assert (code, out) == (2, "") and len(err.splitlines()) == 1
    assert "should" not in err
