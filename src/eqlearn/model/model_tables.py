"""Equations as rows to be read: their errors and sizes, and their constants."""

from collections.abc import Sequence
from typing import Any

from eqlearn.model.group_constants import GroupConstant
from eqlearn.model.model import Equation, Model
from eqlearn.network.graph import CONSTANT, Graph


def equation_rows(equations: Sequence[Equation]) -> list[dict[str, Any]]:
    """Every equation with its errors, its size and what each criterion says.

    Without its text: that in a file may say something else than the graph.
    """
    return [_equation_row(equation) for equation in equations]


def _equation_row(equation: Equation) -> dict[str, Any]:
    scores = dict(equation.scores)
    return {
        "target": equation.target,
        "validation_error": scores.pop("validation_error", float("nan")),
        "extrapolation_error": scores.pop("extrapolation_error", float("nan")),
        "rms": equation.rms,
        "complexity": equation.complexity,
        "active_units": len(equation.graph.nodes),
        "votes": equation.votes,
        "information": equation.bic,
        **scores,
        "has_pole": equation.has_pole,
        "chosen": equation.is_chosen,
    }


def constant_rows(
    equations: Sequence[Equation], inputs: Sequence[str]
) -> list[dict[str, Any]]:
    """The fitted constants of equations: what each is the weight of, and how sure.

    `snapped` is the simple value that the data allow for a constant, or None.
    """
    return [
        {"target": equation.target, **row}
        for equation in equations
        for row in _constants_of(equation, inputs)
    ]


def _constants_of(equation: Equation, inputs: Sequence[str]) -> list[dict[str, Any]]:
    places = _places(equation.graph)
    features = _features(equation.graph, inputs)
    slots = equation.snapped.slots()
    # A graph keeps its slots when constants are snapped, unless a form became shorter.
    is_same = len(slots) == len(equation.graph.slots())
    rows = []
    for constant in equation.constants:
        slot, source = constant.connection
        is_fixed = is_same and constant.connection in equation.snapped.fixed
        rows.append(
            {
                "of": f"{features[source]} in {places[slot]}",
                "value": constant.value,
                "standard_error": constant.error,
                "snapped": slots[slot].get(source) if is_fixed else None,
            }
        )
    return rows


def _features(graph: Graph, inputs: Sequence[str]) -> dict[int, str]:
    names = {CONSTANT: "1"} | dict(enumerate(inputs))
    for k, node in enumerate(graph.nodes):
        names[graph.n_inputs + k] = f"{node.unit} {k + 1}"
    return names


def _places(graph: Graph) -> list[str]:
    places = []
    for k, node in enumerate(graph.nodes):
        places += [f"{node.unit} {k + 1}"] * len(node.arguments)
    for _ in graph.outputs:
        places += ["the numerator", "the denominator"]
    return places


def shown_constants(model: Model) -> tuple[GroupConstant, ...]:
    """The constants of groups that the chosen equations use."""
    if model.groups is None:
        return ()
    used = {model.inputs[i] for one in model.chosen for i in one.snapped.used_inputs}
    return tuple(one for one in model.groups.constants if one.name in used)


def group_rows(model: Model) -> list[dict[str, Any]]:
    """Each group with its number of rows, its constants and their standard errors.

    And with the error of the equations there: of several targets, of each.
    """
    groups = model.groups
    if groups is None:
        return []
    return [
        {
            groups.column: name,
            "rows": groups.n_rows[at],
            **{
                key: value
                for one in shown_constants(model)
                for key, value in (
                    (one.name, one.values[at]),
                    (f"{one.name}_error", one.errors[at]),
                )
            },
            **{
                "rms" if len(model.targets) == 1 else f"rms of {target}": errors[at]
                for target, errors in group_errors(model).items()
            },
        }
        for at, name in enumerate(groups.names)
    ]


def group_errors(model: Model) -> dict[str, tuple[float, ...]]:
    """The error of each chosen equation in each group, where it is known."""
    if model.groups is None or not model.groups.rms:
        return {}
    rows = zip(model.equations, model.groups.rms, strict=True)
    known = {one.target: errors for one, errors in rows if one.is_chosen}
    return {target: known[target] for target in model.targets}
