"""The constants of a formula: standard errors, and snapping to simple values."""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.refine.criterion import Scored, refit
from eqlearn.equation.refine.tactics import STANDARD, Snapping, Tactics
from eqlearn.model.model import Constant
from eqlearn.network.graph import CONSTANT, Connection, Graph, sine_slots
from eqlearn.training.levenberg import inverse, normal_equations
from eqlearn.training.samples import Samples


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
    return np.sqrt(np.maximum(np.diag(covariance(graph, samples)), 0.0))


def covariance(graph: Graph, samples: Samples) -> Array:
    """The covariance (P, P) of the parameters, s² (J Jᵀ)⁻¹."""
    if not graph.n_parameters:
        return np.zeros((0, 0))
    gram, _, sse = normal_equations(graph, samples)
    variance = sse / max(samples.n_residuals - len(gram), 1)
    known: Array = inverse(gram) * variance
    return known


def snap(found: Scored, samples: Samples, tactics: Tactics = STANDARD) -> Scored:
    """Fix constants at simple values, the most certain first, if the criterion falls.

    Simple are multiples of 1, 1/2, 1/3, ... and in the arguments of sines also of π,
    π/2, ... The graph must be in the units of the data: a constant is simple there or
    nowhere.
    """
    return snap_and_judge(found, samples, tactics).found


class Snapped(NamedTuple):
    """A formula with simple constants, and what being simple is worth."""

    found: Scored
    worth: float  # of the criterion


def snap_and_judge(
    found: Scored, samples: Samples, tactics: Tactics = STANDARD
) -> Snapped:
    """Snap constants, and tell by how much that makes a formula more likely.

    A simple constant is worth what it takes to tell a free one, but no more than the
    odds that it is not simple by chance, and none of what its term costs.
    """
    best = _without_shifts(found, samples, tactics)
    worth = 0.0 if best is found else found.bic - best.bic
    tried: set[tuple[Connection, float]] = set()
    for_term = 2.0 * math.log(tactics.criterion.n_alternatives)
    while True:
        options = [
            option
            for option in _options(best.graph, samples, tactics.snapping)
            if (option[1], option[2]) not in tried
        ]
        if not options:
            return Snapped(best, worth)
        odds, key, value = max(options)
        tried.add((key, value))
        fixed = fixed_at(best.graph, key, value)
        snapped = refit(fixed, samples, tactics, tolerance=1e-8)
        if snapped.bic < best.bic:
            won = best.bic - snapped.bic - for_term
            worth += min(won, 2.0 * math.log(odds))
            best = snapped


def _without_shifts(found: Scored, samples: Samples, tactics: Tactics) -> Scored:
    """Drop constants beside logarithms that are nothing in the units of the data.

    Of log(1 + x / 10) a search sees log(10 + x) - log 10: beside a factor that constant
    is a parameter, which only here can be told to be none.
    """
    best = found
    for slot, linear in enumerate(found.graph.slots()):
        logs = {
            source
            for source in linear
            if source >= found.graph.n_inputs
            and found.graph.nodes[source - found.graph.n_inputs].unit == "log"
        }
        key = slot, CONSTANT
        if logs and key in best.graph.parameters():
            without = refit(fixed_at(best.graph, key, 0.0), samples, tactics)
            best = without if without.bic < best.bic else best
    return best


def _options(
    graph: Graph, samples: Samples, by: Snapping
) -> list[tuple[float, Connection, float]]:
    """The odds for each constant that is most likely simple, and its value then."""
    angles = sine_slots(graph)
    options = []
    for constant in constants(graph, samples):
        slot, source = constant.connection
        odds, value = most_likely_simple(
            constant.value,
            constant.error,
            slot in angles,
            by,
            # In scaled units, a constant beside a logarithm has its scale in it: that
            # there is none only shows in the units of the data.
            may_vanish=source == CONSTANT,
        )
        if odds > by.least_odds:
            options.append((odds, constant.connection, value))
    return options


def gains_if_simple(graph: Graph, samples: Samples, by: Snapping) -> list[float]:
    """What the odds are worth, in the criterion, of each constant that may be simple.

    They are told one by one, by its error alone, before any is set.
    """
    return [2.0 * math.log(odds) for odds, _, _ in _options(graph, samples, by)]


def most_likely_simple(
    value: float,
    error: float,
    in_sine: bool,
    by: Snapping = STANDARD.snapping,
    *,
    may_vanish: bool = False,
) -> tuple[float, float]:
    """Find the simple value that is most likely meant, and the odds that one is.

    Before looking, one constant in two is taken to be simple. One that is not may lie
    anywhere between two points of a grid; one that is lies within its errors of a
    point. So a coarse grid convinces sooner, and no grid does whose step is a few
    errors.
    """
    kinds = [(1.0, by.shares), (math.pi, by.shares_of_pi)][: 1 + in_sine]
    error = max(error, by.precision * abs(value))
    best = 0.0, value
    for unit, (n, share) in ((u, one) for u, some in kinds for one in some):
        step = unit / n
        simple = round(value / step) * step
        if simple or may_vanish:
            z = (value - simple) / error
            density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi) / error
            best = max(best, (share / len(kinds) * step * density, simple))
    return best


def fixed_at(graph: Graph, key: Connection, value: float) -> Graph:
    """The formula with one of its constants set, and no longer free."""
    slots = graph.slots()
    slots[key[0]] = {**slots[key[0]], key[1]: value}
    for follower, (lead, ratio) in graph.ties.items():
        if lead == key:
            slot, source = follower
            slots[slot] = {**slots[slot], source: ratio * value}
    ties = {f: tie for f, tie in graph.ties.items() if tie[0] != key}
    fixed = graph.fixed | {key} | (graph.ties.keys() - ties.keys())
    return replace(graph.with_slots(slots, frozenset(fixed)), ties=ties)
