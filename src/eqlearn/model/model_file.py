"""The model file: everything that was learned, as JSON for people and programs.

Opening someone's file must never run code: it is read as plain data, checked against
a schema, and its graphs are built node by node from the table of units. The formulas
written out in it are for the reader and are not read.
"""

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from eqlearn._types import Array
from eqlearn.data.write_table import beside
from eqlearn.errors import EqlearnError, must
from eqlearn.model import strict_json
from eqlearn.model.file_schema import (
    FORMAT,
    LARGEST_FILE,
    VERSION,
    ConstantRow,
    EquationRow,
    File,
    GroupsRow,
    OriginRow,
    OutcomeRow,
    validated,
)
from eqlearn.model.group_constants import GroupConstant, Groups
from eqlearn.model.model import (
    Constant,
    Equation,
    Json,
    Model,
    Origin,
    Outcome,
    Verdict,
)
from eqlearn.network import document as graphs
from eqlearn.network.graph import CONSTANT, Graph

#: Data are smaller than 1e75, and their domain of use is hardly larger.
_LARGEST_END = 1e80


def save(path: str | os.PathLike[str], model: Model) -> None:
    """Write a model file, whole or not at all."""
    path = _as_text(path)
    content = to_bytes(model)
    # What could not be read again is not written.
    if to_bytes(from_bytes(content)) != content:
        raise must("model", "the same when it is read again", model)
    if len(content) > LARGEST_FILE:
        raise must("model", f"at most {LARGEST_FILE} bytes as a file", len(content))
    try:
        with beside(path, follow=False) as file:
            file.write(content)
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        reason = error.strerror if isinstance(error, OSError) else error
        raise must("path", "a place to write", _end(path), f"{reason}.") from error


def check_can_be_saved(
    inputs: Sequence[str],
    targets: Sequence[str],
    domain: Array,
    parameters: Mapping[str, Json],
) -> None:
    """Refuse before a search what no file could hold after it.

    Where the formulas are still unknown, constants stand for them.
    """
    for name, value in parameters.items():
        try:
            strict_json.from_bytes(strict_json.to_bytes({name: value}))
        except EqlearnError as error:
            what = "a value that a model file can hold"
            raise must(name, what, value, str(error)) from error
    if len(inputs) > graphs.MOST_INPUTS:
        what = f"a table of at most {graphs.MOST_INPUTS:,} inputs"
        raise must("X", what, len(inputs), "Leave out those that cannot matter.")
    ends = tuple((float(low), float(high)) for low, high in domain)
    constant = Graph(len(inputs), (), (({CONSTANT: 1.0}, {CONSTANT: 1.0}),))
    facts: Any = {"complexity": 0, "votes": 0, "has_pole": False, "is_chosen": True}
    model = Model(
        inputs=tuple(inputs),
        targets=tuple(targets),
        equations=tuple(
            Equation(one, constant, constant, (), rms=0.0, bic=0.0, **facts)
            for one in targets
        ),
        domain=ends,
        ranges=ends,
        n_rows=0,
        outcomes=tuple(Outcome(Verdict("nothing"), "finished", 0) for _ in targets),
        parameters=parameters,
    )
    from_bytes(to_bytes(model))


def load(path: str | os.PathLike[str]) -> Model:
    """Read a model file; a bad one is refused in one line that names the place."""
    path = _as_text(path)
    if not os.path.lexists(path.split("\0")[0]):
        hint = "There is no file of this name."
        raise must("path", "a model file", _end(path), hint)
    try:
        return from_bytes(_read(Path(path)))
    except EqlearnError as error:
        raise must("path", "a model file", _end(path), str(error)) from error


def schema() -> dict[str, Any]:
    """The JSON schema of the model file."""
    return File.model_json_schema()


def to_bytes(model: Model) -> bytes:
    """The content of a model file."""
    return strict_json.to_bytes(to_document(model))


def from_bytes(content: bytes) -> Model:
    """The model that the content of a file describes."""
    return from_document(strict_json.from_bytes(content))


def _as_text(path: object) -> str:
    try:
        return os.fsdecode(path)  # type: ignore[arg-type]
    except TypeError as error:
        raise must("path", "the name of a file", path) from error


def _end(text: str) -> str:
    """The end of a path, which names the file, where the whole is too long to show."""
    return text if len(text) <= 70 else f"…{text[-70:]}"


def _read(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise must("path", "a file", _end(str(path)))
        with open(path, "rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise must("path", "readable", _end(str(path)), f"{error.strerror}.") from error
    if len(content) > LARGEST_FILE:
        raise must("size", f"at most {LARGEST_FILE} bytes", path.stat().st_size)
    return content


def to_document(model: Model) -> dict[str, Any]:
    """Write a model as JSON-able values."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "inputs": model.inputs,
        "targets": model.targets,
        "equations": [_equation_document(equation) for equation in model.equations],
        "outcomes": [
            {**vars(one), "verdict": vars(one.verdict)} for one in model.outcomes
        ],
        "domain": model.domain,
        "ranges": model.ranges,
        "n_rows": model.n_rows,
        "seconds": model.seconds,
        "is_flat": model.is_flat,
        "parameters": dict(model.parameters),
        "origin": {name: fact for name, fact in vars(model.origin).items() if fact},
        "versions": dict(model.versions),
        # Only where there are any: programs from before know no such part.
        **({"categories": dict(model.categories)} if model.categories else {}),
        **({"groups": _groups_document(model.groups)} if model.groups else {}),
    }


def _groups_document(groups: Groups) -> dict[str, Any]:
    constants = [
        {**vars(one), "errors": [_or_null(error) for error in one.errors]}
        for one in groups.constants
    ]
    rms = [[_or_null(error) for error in errors] for errors in groups.rms]
    document = {**vars(groups), "constants": constants}
    del document["rms"]
    return {**document, **({"rms": rms} if rms else {})}


def _equation_document(equation: Equation) -> dict[str, Any]:
    names = graphs.feature_names(equation.graph)
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
        "covariance": equation.covariance,
        "graph": graphs.to_document(equation.graph),
        "snapped": graphs.to_document(equation.snapped),
    }


def _or_null(number: float) -> float | None:
    return None if number == math.inf else number  # NaN stays, and is refused


def from_document(document: Any) -> Model:
    """Build the model that JSON-able values describe, each part checked."""
    if not isinstance(document, dict):
        raise must("content", "an object", type(document).__name__)
    file = validated(document)
    for name, names in (("inputs", file.inputs), ("targets", file.targets)):
        if len(set(names)) < len(names):
            raise must(name, "different from each other", names)
    if len(file.outcomes) != len(file.targets):
        what = f"one for each of {len(file.targets)} targets"
        raise must("outcomes", what, len(file.outcomes))
    n_inputs = len(file.inputs)
    model = Model(
        inputs=tuple(file.inputs),
        targets=tuple(file.targets),
        equations=tuple(
            _equation(row, n_inputs, f"equations[{k}]")
            for k, row in enumerate(file.equations)
        ),
        domain=_ends("domain", file.domain, n_inputs),
        ranges=_ends("ranges", file.ranges, n_inputs),
        n_rows=file.n_rows,
        outcomes=tuple(map(_outcome, file.outcomes)),
        seconds=float(file.seconds),
        is_flat=file.is_flat,
        parameters=file.parameters,
        origin=_origin(file.origin),
        versions=file.versions,
        categories={name: tuple(words) for name, words in file.categories.items()},
        groups=None if file.groups is None else _groups(file.groups),
    )
    _check_targets(model)
    _check_groups(model)
    return model


def _check_targets(model: Model) -> None:
    chosen = [e.target for e in model.equations if e.is_chosen]
    if sorted(chosen) != sorted(model.targets):
        raise must("equations", "with one chosen for each target", chosen)
    for k, equation in enumerate(model.equations):
        if equation.target not in model.targets:
            raise must(f"equations[{k}].target", "one of the targets", equation.target)


def _groups(row: GroupsRow) -> Groups:
    constants = tuple(
        GroupConstant(
            one.name,
            one.target,
            tuple(one.values),
            _finite_or_not(one.errors),
        )
        for one in row.constants
    )
    rms = tuple(map(_finite_or_not, row.rms))
    return Groups(row.column, tuple(row.names), tuple(row.n_rows), constants, rms)


def _finite_or_not(errors: Sequence[float | None]) -> tuple[float, ...]:
    return tuple(math.inf if error is None else error for error in errors)


def _check_groups(model: Model) -> None:
    groups = model.groups
    if groups is None:
        return
    if len(set(groups.names)) < len(groups.names):
        raise must("groups.names", "different from each other", groups.names)
    if (
        tuple(one.name for one in groups.constants)
        != model.inputs[len(model.measured) :]
    ):
        names = [one.name for one in groups.constants]
        raise must("groups.constants", "the last of the inputs", names)
    n = len(groups.names)
    for one in groups.constants:
        if {len(one.values), len(one.errors), len(groups.n_rows)} != {n}:
            raise must("groups", f"of a value for each of {n} groups", len(one.values))
    if groups.rms and {
        *map(len, groups.rms),
        len(groups.rms) - len(model.equations),
    } != {n, 0}:
        what = f"an error for each equation in each of {n} groups"
        raise must("groups.rms", what, len(groups.rms))


def _origin(row: OriginRow) -> Origin:
    lists = {"logs": tuple(row.logs), "notes": tuple(row.notes)}
    return Origin(**{**dict(row), **lists})


def _outcome(row: OutcomeRow) -> Outcome:
    reasons, advice = tuple(row.verdict.reasons), tuple(row.verdict.advice)
    verdict = Verdict(row.verdict.kind, reasons, advice)
    return Outcome(verdict, row.ended, row.n_attempts)


def _ends(
    name: str, rows: list[list[float]], n_inputs: int
) -> tuple[tuple[float, float], ...]:
    if len(rows) != n_inputs:
        raise must(name, f"one [low, high] for each of {n_inputs} inputs", len(rows))
    for i, (low, high) in enumerate(rows):
        if not -_LARGEST_END <= low <= high <= _LARGEST_END:
            what = f"[low, high] with low <= high, both within ±{_LARGEST_END}"
            raise must(f"{name}[{i}]", what, [low, high])
    return tuple((float(low), float(high)) for low, high in rows)


def _equation(row: EquationRow, n_inputs: int, place: str) -> Equation:
    graph = _graph(row.graph, n_inputs, f"{place}.graph")
    return Equation(
        target=row.target,
        graph=graph,
        snapped=_graph(row.snapped, n_inputs, f"{place}.snapped"),
        constants=_constants(row.constants, graph, f"{place}.constants"),
        rms=math.inf if row.rms is None else float(row.rms),
        bic=math.inf if row.bic is None else float(row.bic),
        complexity=row.complexity,
        votes=row.votes,
        has_pole=row.has_pole,
        is_chosen=row.is_chosen,
        formula=row.formula,
        covariance=_covariance(row, graph, f"{place}.covariance"),
        scores={name: float(score) for name, score in row.scores.items()},
    )


def _covariance(
    row: EquationRow, graph: Graph, place: str
) -> tuple[tuple[float, ...], ...]:
    n = graph.n_parameters
    if row.covariance and [len(one) for one in row.covariance] != [n] * n:
        raise must(place, f"{n} rows of {n} numbers, or none", len(row.covariance))
    return tuple(tuple(map(float, one)) for one in row.covariance)


def _graph(document: dict[str, Any], n_inputs: int, place: str) -> Graph:
    graph = graphs.from_document(document, place)
    if graph.n_inputs != n_inputs:
        raise must(f"{place}.inputs", f"{n_inputs}, as the model", graph.n_inputs)
    if graph.n_outputs != 1:
        raise must(f"{place}.outputs", "one formula", graph.n_outputs)
    if not any(graph.outputs[0][1].values()):
        raise must(f"{place}.outputs[0].denominator", "other than 0", 0)
    return graph


def _constants(
    rows: list[ConstantRow], graph: Graph, place: str
) -> tuple[Constant, ...]:
    weights = dict(graph.connections())
    numbers = {name: number for number, name in graphs.feature_names(graph).items()}
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
