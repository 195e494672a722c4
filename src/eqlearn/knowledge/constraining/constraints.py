"""What is known of a target over the domain of use, as values."""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from eqlearn._types import Array

#: A bound of the value, the sign of a slope or of a curvature, a symmetry, a value at a
#: place, a limit at infinity, or that there is no infinite value.
ConstraintKind: TypeAlias = Literal[
    "bound", "slope", "curvature", "symmetry", "value", "limit", "finite"
]
KINDS_OF_CONSTRAINTS: tuple[ConstraintKind, ...] = get_args(ConstraintKind)


@dataclass(frozen=True)
class Constraint:
    """One thing that must hold, in the units of the data."""

    kind: ConstraintKind
    text: str  # as the user wrote it
    input: int | None = None  # that a slope, curvature, symmetry or limit is along
    sign: int = 1  # at least, increasing, convex, even, to +∞; -1 for the opposite
    value: float = 0.0  # of a bound, at a place, or at infinity
    at: tuple[tuple[int, float], ...] = ()  # the place: values of inputs
    within: tuple[tuple[int, float, float], ...] = ()  # other ranges than the domain's

    def box(self, low: Array, high: Array) -> tuple[Array, Array]:
        """Where it must hold: the domain of use, unless other ranges are given."""
        low, high = (np.array(ends, dtype=float) for ends in (low, high))
        for number, least, most in self.within:
            low[number], high[number] = least, most
        for number, place in self.at:
            low[number] = high[number] = place
        return low, high
