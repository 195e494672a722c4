"""All that a learner was told before it saw the data, read and checked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eqlearn.errors import EqlearnError
from eqlearn.knowledge.constraining.constraint_text import (
    constraints_of,
    kept_constraints,
)
from eqlearn.knowledge.constraining.constraints import Constraint
from eqlearn.knowledge.measuring.dimensions import (
    Dimensions,
    dimensions_of,
    kept_dimensions,
)
from eqlearn.model.model import Model


@dataclass(frozen=True)
class Known:
    """What is known of the columns, and of the targets."""

    constraints: tuple[tuple[Constraint, ...], ...]  # for each target
    dimensions: Dimensions | None


def known_of(
    parameters: Mapping[str, Any], inputs: Sequence[str], targets: Sequence[str]
) -> Known:
    """Read what is known from the parameters of a learner, or of a model file."""
    given, constants = parameters.get("dimensions"), parameters.get("constants")
    return Known(
        tuple(constraints_of(parameters.get("constraints"), inputs, targets)),
        dimensions_of(given, constants, inputs, targets),
    )


def known_by(model: Model) -> Known:
    """What a model says was known; a file of a stranger may say what cannot be read."""
    try:
        return known_of(model.parameters, model.measured, model.targets)
    except EqlearnError:
        return Known(((),) * len(model.targets), None)


def kept_knowledge(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that say what is known, as a model file keeps them."""
    kept = {
        "constraints": kept_constraints,
        "dimensions": kept_dimensions,
        "constants": kept_dimensions,
    }
    return {name: kept[name](parameters[name]) for name in kept if name in parameters}
