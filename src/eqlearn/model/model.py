"""What was learned, as values: a model, its equations and their constants."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from eqlearn._types import Array
from eqlearn.network.graph import Connection, Graph


@dataclass(frozen=True)
class Constant:
    """One parameter of a formula, with its standard error."""

    connection: Connection
    value: float
    error: float


@dataclass(frozen=True)
class Equation:
    """A formula for one target, in the units of the data."""

    target: str
    graph: Graph  # as fitted
    snapped: Graph  # with simple constants where the data allow them
    constants: tuple[Constant, ...]  # of `graph`, with standard errors
    rms: float  # of the residuals
    bic: float
    complexity: int
    votes: int  # restarts that ended in this formula
    has_pole: bool  # a denominator changes sign in the domain of use
    is_chosen: bool  # one for each target
    formula: str = ""  # for the reader of the file
    scores: Mapping[str, float] = field(default_factory=dict)  # further ones, by name


@dataclass(frozen=True)
class Model:
    """What was learned from a table: names, equations, and where they came from."""

    inputs: tuple[str, ...]
    targets: tuple[str, ...]
    equations: tuple[Equation, ...]  # of all targets, the best first
    domain: tuple[tuple[float, float], ...]  # of use: (low, high) of each input
    ranges: tuple[tuple[float, float], ...]  # of the data, likewise
    n_rows: int
    settings: Mapping[str, Any] = field(default_factory=dict)  # whatever JSON can hold
    versions: Mapping[str, str] = field(default_factory=dict)  # of programs used

    @property
    def chosen(self) -> tuple[Equation, ...]:
        """The chosen equation of each target, in their order."""
        by_target = {e.target: e for e in self.equations if e.is_chosen}
        return tuple(by_target[target] for target in self.targets)

    def predict(self, x: Array, *, snapped: bool = True) -> Array:
        """Targets (N, M) for inputs (N, D), by the chosen equations."""
        graphs = [e.snapped if snapped else e.graph for e in self.chosen]
        return np.concatenate([graph.evaluate(x)[0] for graph in graphs], axis=1)
