"""Dimensions of a model: of its constants, and whether its equations match."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from eqlearn.errors import printable
from eqlearn.knowledge.known import known_by
from eqlearn.knowledge.measuring.constant_dimensions import constant_dimensions
from eqlearn.knowledge.measuring.dimensionless import has_its_dimension
from eqlearn.knowledge.measuring.dimensions import Dimensions
from eqlearn.knowledge.measuring.measures import Measure
from eqlearn.knowledge.measuring.named_values import named_value
from eqlearn.model.model import Constant, Equation, Model, Outcome
from eqlearn.network.graph import Graph

#: What equations are marked with, beside their errors.
MISMATCHES = "mismatched_dimensions"


def with_dimensions_told(model: Model, known: Dimensions | None) -> Model:
    """The model with what dimensions say of its chosen equations in their verdicts.

    All equations are marked with how much in them does not match.
    """
    if known is None:
        return model
    pairs = zip(model.outcomes, model.chosen, strict=True)
    outcomes = tuple(
        _told(outcome, one, known, number, model.inputs)
        for number, (outcome, one) in enumerate(pairs)
    )
    numbers = {name: number for number, name in enumerate(model.targets)}
    marked = tuple(_marked(e, known, numbers[e.target]) for e in model.equations)
    return replace(model, outcomes=outcomes, equations=marked)


def _as_fitted(graph: Graph, known: Dimensions) -> Graph:
    """The formula with its simple constants free; by group they were set for good."""
    if graph.n_inputs == len(known.inputs):
        return graph
    weights = dict(graph.connections())
    kept = frozenset(key for key in graph.fixed if abs(weights[key]) == 1.0)
    return replace(graph, fixed=kept)


def _marked(one: Equation, known: Dimensions, number: int) -> Equation:
    found = constant_dimensions(
        _as_fitted(one.graph, known), known.inputs, known.targets[number]
    )
    scores = {**one.scores, MISMATCHES: float(len(found.mismatches))}
    return replace(one, scores=scores)


def dimension_rows(model: Model) -> list[Mapping[str, Any]]:
    """For each constant of the chosen equations, its dimension, SI value and name.

    Empty if no dimensions are known.
    """
    known = known_by(model).dimensions
    if known is None:
        return []
    return [
        row for n, one in enumerate(model.chosen) for row in _rows_of(one, known, n)
    ]


def _rows_of(one: Equation, known: Dimensions, number: int) -> list[Mapping[str, Any]]:
    found = constant_dimensions(
        _as_fitted(one.graph, known), known.inputs, known.targets[number]
    )
    return [
        _row(constant, found.measures.get(constant.connection), known)
        for constant in one.constants
    ]


def _row(
    constant: Constant, own: Measure | None, known: Dimensions
) -> Mapping[str, Any]:
    if own is None:
        return {"dimension": "?", "si_value": None, "named": None}
    name = named_value(constant.value, constant.error, own, known.constants)
    size = constant.value * own.size
    return {"dimension": str(own) or "1", "si_value": size, "named": name}


def _told(
    outcome: Outcome,
    one: Equation,
    known: Dimensions,
    number: int,
    names: Sequence[str],
) -> Outcome:
    verdict = outcome.verdict
    if verdict.kind == "nothing":
        return outcome
    sentences = _sentences(one, known, number, names)
    told = replace(verdict, reasons=(*verdict.reasons, *sentences))
    return replace(outcome, verdict=told)


def _sentences(
    one: Equation, known: Dimensions, number: int, names: Sequence[str]
) -> Sequence[str]:
    target = known.targets[number]
    found = constant_dimensions(_as_fitted(one.graph, known), known.inputs, target)
    if found.mismatches:
        listed = ", ".join(found.mismatches[:3])
        return [f"Its dimensions do not match: it has {listed}."]
    shown = dict.fromkeys(
        str(own) for own in found.measures.values() if not own.is_pure
    )
    of_groups = [
        f"{printable(names[at])} is in {own}"
        for at, own in sorted(found.of_groups.items())
        if not own.is_pure
    ]
    if not shown and not of_groups:
        return ["Its dimensions match: every constant is a pure number."]
    others = [f"its constants are in {', '.join(shown)}"] if shown else []
    needed = " and ".join([", ".join(of_groups)] * bool(of_groups) + others)
    sentences = [f"Its dimensions match if {printable(needed, 200)}."]
    rows = _rows_of(one, known, number)
    for constant, row in zip(one.constants, rows, strict=True):
        if row["named"]:
            value = f"{constant.value:.4g}"
            sentences.append(f"Its constant {value} is {row['named']}.")
    if not of_groups and not has_its_dimension(known, number):
        sentences.append(
            f"No product of inputs is in {str(target) or 'pure numbers'}: there must "
            "be such a constant."
        )
    return sentences
