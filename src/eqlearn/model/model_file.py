"""The model file: everything that was learned, as JSON for people and programs.

Opening someone's file must never run code: it is read as plain data, checked against
a schema, and its graphs are built node by node from the table of units. The formulas
written out in it are for the reader and are not read.
"""

import json
import math
import os
import re
from collections import Counter
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from pydantic import BaseModel, ConfigDict, FailFast, Field, JsonValue, ValidationError

from eqlearn.data.write_table import beside
from eqlearn.errors import EqlearnError, must
from eqlearn.model.model import Constant, Equation, Model
from eqlearn.network.document import (
    MOST_INPUTS,
    MOST_OUTPUTS,
    MOST_UNITS,
    feature_names,
    from_document,
    to_document,
)
from eqlearn.network.graph import Graph

#: What the file says of itself; the version changes when older programs must refuse.
FORMAT = "eqlearn model"
VERSION = 1
LARGEST_FILE = 4 * 2**20  # bytes; a model of ten targets takes some 50 kB
MOST_EQUATIONS = 2_000
_DEEPEST = 32
_LONGEST_INTEGER = 16  # digits with a sign, all that a float can tell apart
_LONGEST_TEXT = 100_000
_MOST_FACTS = 1_000
_MOST_KEYS = 1 + MOST_INPUTS + MOST_UNITS  # weights of one linear combination
_WIDTH = 88


def save(path: str | os.PathLike[str], model: Model) -> None:
    """Write a model file, whole or not at all."""
    text = _text(model)
    # What could not be read again is not written.
    if _text(_model(text)) != text:
        raise must("model", "the same when it is read again", model)
    if len(text) > LARGEST_FILE:
        raise must("model", f"at most {LARGEST_FILE} bytes as a file", len(text))
    try:
        with beside(path) as file:
            file.write(text.encode())
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        reason = error.strerror if isinstance(error, OSError) else error
        raise must("path", "a place to write", _end(path), f"{reason}.") from error


def load(path: str | os.PathLike[str]) -> Model:
    """Read a model file; a bad one is refused in one line that names the place."""
    try:
        return _model(_read(Path(path)))
    except EqlearnError as error:
        raise must("path", "a model file", _end(path), str(error)) from error


def schema() -> dict[str, Any]:
    """The JSON schema of the model file."""
    return _File.model_json_schema()


def _end(path: str | os.PathLike[str]) -> str:
    """The end of a path, which names the file, where the whole is too long to show."""
    text = os.fspath(path)
    return text if len(text) <= 70 else f"…{text[-70:]}"


def _text(model: Model) -> str:
    document = {
        "format": FORMAT,
        "version": VERSION,
        "inputs": list(model.inputs),
        "targets": list(model.targets),
        "equations": [_equation_document(equation) for equation in model.equations],
        "domain": [list(ends) for ends in model.domain],
        "ranges": [list(ends) for ends in model.ranges],
        "n_rows": model.n_rows,
        "settings": dict(model.settings),
        "versions": dict(model.versions),
    }
    try:
        compact = json.dumps(document, allow_nan=False, default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        hint = "Use finite numbers, text, lists and dictionaries."
        raise must("model", "of values that JSON has", str(error), hint) from error
    _refuse_deep(compact)
    # Through the text, in which tuples and arrays have become lists.
    return _laid_out(json.loads(compact)) + "\n"


def _plain(value: object) -> object:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"no {type(value).__name__}")


def _or_null(number: float) -> float | None:
    return None if number == math.inf else number  # no number at all is a mistake


def _equation_document(equation: Equation) -> dict[str, Any]:
    names = feature_names(equation.graph)
    return {
        "target": equation.target,
        "formula": equation.formula,
        "is_chosen": equation.is_chosen,
        # A formula of too many parameters for its rows has an infinite criterion.
        "rms": _or_null(equation.rms),
        "bic": _or_null(equation.bic),
        "complexity": equation.complexity,
        "votes": equation.votes,
        "has_pole": equation.has_pole,
        "scores": dict(equation.scores),
        "constants": [
            {
                "connection": [constant.connection[0], names[constant.connection[1]]],
                "value": constant.value,
                # Data that do not determine a constant leave its error infinite.
                "error": constant.error if math.isfinite(constant.error) else None,
            }
            for constant in equation.constants
        ],
        "graph": to_document(equation.graph),
        "snapped": to_document(equation.snapped),
    }


def _laid_out(value: Any, indent: int = 0) -> str:
    """JSON with what fits into a line on one line."""
    line = json.dumps(value)
    if len(line) + indent <= _WIDTH or not isinstance(value, list | dict):
        return line
    if isinstance(value, list):
        rows = [_laid_out(item, indent + 1) for item in value]
    else:
        rows = [
            f"{json.dumps(key)}: {_laid_out(item, indent + 1)}"
            for key, item in value.items()
        ]
    pad = "\n" + " " * indent
    return f"{line[0]}{pad} {f',{pad} '.join(rows)}{pad}{line[-1]}"


def _read(path: Path) -> str:
    try:
        if not path.is_file():
            raise must("path", "a file", _end(path))
        with open(path, "rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise must("path", "readable", _end(path), f"{error.strerror}.") from error
    if len(content) > LARGEST_FILE:
        raise must("size", f"at most {LARGEST_FILE} bytes", path.stat().st_size)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        where = f"at byte {error.start}"
        raise must("content", "text in UTF-8", content[:8], where=where) from error


def _model(text: str) -> Model:
    data = _plain_data(text)
    if not isinstance(data, dict):
        raise must("content", "an object", type(data).__name__)
    version = data.get("version")
    if data.get("format") == FORMAT and type(version) is int and version > VERSION:
        raise must("version", f"at most {VERSION}", version, "Update eqlearn.")
    try:
        file = _File.model_validate(data)
    except ValidationError as error:
        raise _first_of(error) from error
    return _checked(file)


def _plain_data(text: str) -> Any:
    _refuse_deep(text)
    try:
        return json.loads(
            text,
            object_pairs_hook=_without_duplicates,
            parse_int=_integer,
            parse_float=_finite,
            parse_constant=_finite,
        )
    except json.JSONDecodeError as error:
        where = f"in line {error.lineno}, column {error.colno}"
        raise must("content", "JSON", error.msg, where=where) from error


# Possessive, so that a string that never ends is read once only.
_STRING_OR_BRACKET = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[{]|[\]}]', re.DOTALL)
_STEPS = {"[": 1, "{": 1, "]": -1, "}": -1}


def _refuse_deep(text: str) -> None:
    """Refuse nesting that would exhaust the stack of whoever reads it."""
    depth = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        depth += _STEPS.get(match[0], 0)
        if depth > _DEEPEST:
            where = f"at character {match.start()}"
            raise must("nesting", f"at most {_DEEPEST} deep", depth, where=where)


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(pairs) > _MOST_KEYS:
        raise must("keys", f"at most {_MOST_KEYS} in one object", len(pairs))
    if len(found) < len(pairs):
        ((twice, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise must("keys", "different from each other", twice, "It is there twice.")
    return found


def _integer(digits: str) -> int:
    if len(digits) > _LONGEST_INTEGER:
        what = f"of at most {_LONGEST_INTEGER} digits"
        raise must("integers", what, f"{digits[:8]}… of {len(digits)}")
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise must("numbers", "finite", digits)
    return number


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


_Text: TypeAlias = Annotated[str, Field(max_length=_LONGEST_TEXT)]
_Ends: TypeAlias = Annotated[list[float], Field(min_length=2, max_length=2)]
_Ranges: TypeAlias = Annotated[list[_Ends], Field(max_length=MOST_INPUTS), FailFast()]


class _ConstantRow(_Strict):
    connection: Annotated[list[int | str], Field(min_length=2, max_length=2)]
    value: float
    error: Annotated[float, Field(ge=0)] | None


class _EquationRow(_Strict):
    target: _Text
    formula: Annotated[str, Field(max_length=LARGEST_FILE)]
    is_chosen: bool
    rms: Annotated[float, Field(ge=0)] | None
    bic: float | None
    complexity: Annotated[int, Field(ge=0)]
    votes: Annotated[int, Field(ge=0)]
    has_pole: bool
    scores: Annotated[dict[_Text, float], Field(max_length=_MOST_FACTS)]
    constants: Annotated[list[_ConstantRow], FailFast()]
    graph: dict[str, Any]
    snapped: dict[str, Any]


class _File(_Strict):
    """A model of eqlearn."""

    format: Literal["eqlearn model"]
    version: Annotated[int, Field(ge=VERSION, le=VERSION)]  # True is no version
    inputs: Annotated[list[_Text], Field(max_length=MOST_INPUTS), FailFast()]
    targets: Annotated[
        list[_Text], Field(min_length=1, max_length=MOST_OUTPUTS), FailFast()
    ]
    equations: Annotated[
        list[_EquationRow], Field(max_length=MOST_EQUATIONS), FailFast()
    ]
    domain: _Ranges
    ranges: _Ranges
    n_rows: Annotated[int, Field(ge=0)]
    settings: Annotated[dict[_Text, JsonValue], Field(max_length=_MOST_FACTS)]
    versions: Annotated[dict[_Text, _Text], Field(max_length=_MOST_FACTS)]


# How pydantic's kinds of errors end the sentence "it must be ...".
_MUST_BE = {"missing": "present", "extra_forbidden": "absent"}


def _first_of(errors: ValidationError) -> EqlearnError:
    first = errors.errors(include_url=False, include_context=False)[0]
    place = "".join(
        f".{step}" if str(step).isidentifier() else f"[{step!r}]"
        for step in first["loc"]
    )
    what = _MUST_BE.get(first["type"], first["msg"].removeprefix("Input should be "))
    got = None if first["type"] == "missing" else first["input"]
    return must(place.removeprefix(".")[:100], what, got)


def _checked(file: _File) -> Model:
    """Build the model of a file whose every part has the right form."""
    for name, names in (("inputs", file.inputs), ("targets", file.targets)):
        if len(set(names)) < len(names):
            raise must(name, "different from each other", names)
    model = Model(
        tuple(file.inputs),
        tuple(file.targets),
        tuple(
            _equation(row, len(file.inputs), f"equations[{k}]")
            for k, row in enumerate(file.equations)
        ),
        _ends("domain", file.domain, len(file.inputs)),
        _ends("ranges", file.ranges, len(file.inputs)),
        file.n_rows,
        file.settings,
        file.versions,
    )
    chosen = [e.target for e in model.equations if e.is_chosen]
    if sorted(chosen) != sorted(model.targets):
        raise must("equations", "with one chosen for each target", chosen)
    for k, equation in enumerate(model.equations):
        if equation.target not in model.targets:
            raise must(f"equations[{k}].target", "one of the targets", equation.target)
    return model


def _ends(
    name: str, rows: list[list[float]], n_inputs: int
) -> tuple[tuple[float, float], ...]:
    if len(rows) != n_inputs:
        raise must(name, f"one [low, high] for each of {n_inputs} inputs", len(rows))
    for i, (low, high) in enumerate(rows):
        if low > high:
            raise must(f"{name}[{i}]", "[low, high] with low <= high", [low, high])
    return tuple((float(low), float(high)) for low, high in rows)


def _equation(row: _EquationRow, n_inputs: int, place: str) -> Equation:
    graph = _graph(row.graph, n_inputs, f"{place}.graph")
    return Equation(
        row.target,
        graph,
        _graph(row.snapped, n_inputs, f"{place}.snapped"),
        _constants(row.constants, graph, f"{place}.constants"),
        math.inf if row.rms is None else float(row.rms),
        math.inf if row.bic is None else float(row.bic),
        row.complexity,
        row.votes,
        row.has_pole,
        row.is_chosen,
        row.formula,
        {name: float(score) for name, score in row.scores.items()},
    )


def _graph(document: dict[str, Any], n_inputs: int, place: str) -> Graph:
    graph = from_document(document, place)
    if graph.n_inputs != n_inputs:
        raise must(f"{place}.inputs", f"{n_inputs}, as the model", graph.n_inputs)
    if graph.n_outputs != 1:
        raise must(f"{place}.outputs", "one formula", graph.n_outputs)
    if not any(graph.outputs[0][1].values()):
        raise must(f"{place}.outputs[0].denominator", "other than 0", 0)
    return graph


def _constants(
    rows: list[_ConstantRow], graph: Graph, place: str
) -> tuple[Constant, ...]:
    weights = dict(graph.connections())
    numbers = {name: number for number, name in feature_names(graph).items()}
    found = []
    for k, row in enumerate(rows):
        slot, name = row.connection
        connection: Any = slot, numbers.get(str(name))
        if weights.get(connection) != row.value:
            what = "a connection of the graph, with its weight"
            raise must(f"{place}[{k}]", what, [slot, name, row.value])
        error = math.inf if row.error is None else float(row.error)
        found.append(Constant(connection, float(row.value), error))
    return tuple(found)
