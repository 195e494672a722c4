"""Whether a plain sum of the inputs, or a constant, would do as well as an equation.

A reader who is shown a curve likes to know that a straight line is as good.
"""

from dataclasses import replace

import numpy as np

from eqlearn._types import Array
from eqlearn.model.model import Equation, Model, Outcome
from eqlearn.network.graph import CONSTANT, Graph, Linear

#: Times the error of the equation: as good as that for anyone who measures.
_AS_GOOD = 1.05
#: More inputs than these make no sum that anyone would call plain.
_MOST_INPUTS = 50


def with_plain_models_told(
    model: Model, x: Array, y: Array, weight: Array | None = None
) -> Model:
    """The model with a sentence for each equation that a plain one is as good as."""
    outcomes = tuple(
        _told(outcome, one, _plain_errors(one.graph, x, column, weight))
        for outcome, one, column in zip(model.outcomes, model.chosen, y.T, strict=True)
    )
    return replace(model, outcomes=outcomes)


def _told(outcome: Outcome, one: Equation, errors: dict[str, float]) -> Outcome:
    for what, error in errors.items():
        if error <= _AS_GOOD * one.rms:
            sentence = (
                f"{what} is as good on these rows: its error is {error:.3g}, that of "
                f"the equation {one.rms:.3g}."
            )
            verdict = outcome.verdict
            told = replace(verdict, reasons=(*verdict.reasons, sentence))
            return replace(outcome, verdict=told)
    return outcome


def _plain_errors(
    graph: Graph, x: Array, y: Array, weight: Array | None
) -> dict[str, float]:
    """The errors of plain models that are shorter than a formula."""
    if not graph.nodes and _is_constant(graph.outputs[0][1]):
        return {}  # it is one itself
    used = sorted(graph.used_inputs)
    found = {}
    if graph.n_parameters > 1 and used:
        found["A constant"] = _error(np.ones((len(x), 1)), y, weight)
    if graph.n_parameters > len(used) + 1 and len(used) <= _MOST_INPUTS:
        columns = np.column_stack([np.ones(len(x)), x[:, used]])
        found["A plain sum of the inputs"] = _error(columns, y, weight)
    return found


def _is_constant(linear: Linear) -> bool:
    return linear.keys() <= {CONSTANT}


def _error(columns: Array, y: Array, weight: Array | None) -> float:
    root = np.ones(len(y)) if weight is None else np.sqrt(weight / np.mean(weight))
    solved = np.linalg.lstsq(columns * root[:, None], y * root, rcond=None)[0]
    return float(np.sqrt(np.mean((root * (y - columns @ solved)) ** 2)))
