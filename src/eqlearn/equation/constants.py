"""The constants of a formula: standard errors, and snapping to simple values."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.criterion import EXACT, Scored, refit
from eqlearn.network.graph import Connection, Graph, sine_slots
from eqlearn.training.levenberg import Samples, inverse, normal_equations

#: Four standard errors must be below this share of the step of the grid.
LARGEST_SHARE = 0.35


@dataclass(frozen=True)
class Constant:
    """One parameter of a formula, with its standard error."""

    connection: Connection
    value: float
    error: float


def constants(graph: Graph, samples: Samples) -> list[Constant]:
    """All free parameters with standard errors from s² (J Jᵀ)⁻¹."""
    errors = standard_errors(graph, samples)
    slots = graph.slots()
    return [
        Constant((slot, source), slots[slot][source], float(error))
        for (slot, source), error in zip(graph.parameters(), errors, strict=True)
    ]


def standard_errors(graph: Graph, samples: Samples) -> Array:
    """Standard errors of the parameters, by the Gauss-Newton Hessian."""
    if not graph.n_parameters:
        return np.zeros(0)
    gram, _, sse = normal_equations(graph, samples)
    variance = sse / max(samples.n_residuals - len(gram), 1)
    return np.sqrt(np.maximum(np.diag(inverse(gram)), 0.0) * variance)


# Simple values are multiples of these, coarse grids first; π only inside sines.
_STEPS = tuple(Fraction(1, n) for n in (1, 2, 3, 4, 5, 6, 8, 10, 100))


def snap(found: Scored, samples: Samples, floor: float = EXACT) -> Scored:
    """Fix constants at simple values, the most certain first, if the criterion falls.

    Simple are small multiples of 1, 1/2, 1/3, ... and in the arguments of sines also
    of π, π/2, ... The graph must be in the units of the data: a constant is simple
    there or nowhere.
    """
    best, tried = found, set()
    while True:
        options = [
            option
            for option in _options(best.graph, samples)
            if (option[1], option[2]) not in tried
        ]
        if not options:
            return best
        _, key, value = min(options)
        tried.add((key, value))
        fixed = _fixed_at(best.graph, key, value)
        snapped = refit(fixed, samples, floor=floor, tolerance=1e-8)
        if snapped.bic < best.bic:
            best = snapped


def _options(graph: Graph, samples: Samples) -> list[tuple[float, Connection, float]]:
    """Simple values near a constant, with four errors as a share of the grid's step."""
    angles = sine_slots(graph)
    options = []
    for constant in constants(graph, samples):
        in_sine = constant.connection[0] in angles
        nearest = _nearest_simple(constant.value, constant.error, in_sine)
        if nearest is not None:
            share, value = nearest
            options.append((share, constant.connection, value))
    return options


def _nearest_simple(
    value: float, error: float, in_sine: bool
) -> tuple[float, float] | None:
    for step in _STEPS:
        for unit in (1.0, math.pi) if in_sine else (1.0,):
            size = float(step) * unit
            simple = round(value / size) * size
            share = 4 * error / size
            if simple and share < LARGEST_SHARE:
                # The odds of lying on the grid against anywhere between its points.
                most_errors = math.sqrt(2.0 * math.log(1.0 / max(share, 1e-6)))
                if abs(value - simple) <= most_errors * error + 1e-12 * abs(value):
                    return share, simple
    return None


def _fixed_at(graph: Graph, key: Connection, value: float) -> Graph:
    slots = graph.slots()
    slots[key[0]] = {**slots[key[0]], key[1]: value}
    for follower, (lead, ratio) in graph.ties.items():
        if lead == key:
            slot, source = follower
            slots[slot] = {**slots[slot], source: ratio * value}
    ties = {f: tie for f, tie in graph.ties.items() if tie[0] != key}
    fixed = graph.fixed | {key} | (graph.ties.keys() - ties.keys())
    return replace(graph.with_slots(slots, frozenset(fixed)), ties=ties)
