"""Whether a formula keeps a constraint: proved, nowhere seen broken, or broken.

What must not be negative is written as a formula of its own, which points search for
its smallest value and intervals bound from below: of a bound it is the distance to it,
of a slope or curvature the derivative.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.prove.domain import LARGEST_EXAMINED, N_BOXES, domain_report
from eqlearn.equation.prove.extremes import spread
from eqlearn.equation.prove.subgraph import part_of
from eqlearn.equation.write.names import visible
from eqlearn.knowledge.constraining.asymptotes import limit
from eqlearn.knowledge.constraining.constraint_checks import (
    CLOSE_TO_LIMIT,
    FITTED,
    ROUNDING,
    Breach,
    breach,
)
from eqlearn.knowledge.constraining.constraints import Constraint
from eqlearn.knowledge.constraining.slope_graphs import slope_graph
from eqlearn.knowledge.constraining.symmetries import parity
from eqlearn.network.graph import Graph

#: Broken somewhere; nowhere that was looked at; nowhere at all.
Keeping: TypeAlias = Literal["broken", "not proved", "proved"]
#: What is computed of a constraint: its keeping, and where it is broken.
_Judged: TypeAlias = tuple[Keeping, Breach | None]


@dataclass(frozen=True)
class KeptConstraint:
    """A constraint, and how a formula keeps it."""

    constraint: Constraint
    keeping: Keeping
    breach: Breach | None = None

    def in_words(self, names: Sequence[str]) -> str:
        """Say it in one sentence, with the names of the inputs."""
        start = f"Known and asked for, “{self.constraint.text}”"
        if self.keeping == "proved":
            return f"{start}: proved."
        if self.keeping == "not proved":
            return f"{start}: holds wherever it was looked at, but is not proved."
        assert self.breach is not None
        shown = [visible(name, number) for number, name in enumerate(names)]
        places = [
            f"{name} = {place:.4g}"
            for name, place in zip(shown, self.breach.point, strict=True)
        ]
        value = self.breach.found
        told = _FOUND[self.constraint.kind].format(value)
        found = "it has no value" if math.isnan(value) else told
        return f"{start}: violated at {', '.join(places[:8])}, where {found}."


_FOUND: Mapping[str, str] = {
    "bound": "it is {:.4g}",
    "finite": "it has no finite value",
    "slope": "its slope is {:.3g}",
    "curvature": "its curvature is {:.3g}",
    "symmetry": "it is {:.4g}",
    "value": "it is {:.4g}",
    "limit": "it is {:.4g}",
}


def judged_constraint(
    constraint: Constraint, graph: Graph, low: Array, high: Array
) -> KeptConstraint:
    """Judge how a formula of the data's units keeps a constraint over the domain."""

    def values_at(points: Array) -> Array:
        return graph.evaluate(points)[0][:, 0]

    found = breach(constraint, values_at, low, high)
    if found is not None:
        return KeptConstraint(constraint, "broken", found)
    if sum(map(len, graph.slots())) + graph.n_inputs > LARGEST_EXAMINED:
        return KeptConstraint(constraint, "not proved")
    size = _size(values_at, low, high)
    ends = constraint.box(low, high)
    with np.errstate(all="ignore"):
        keeping, found = _PROOFS[constraint.kind](constraint, graph, *ends, size)
    return KeptConstraint(constraint, keeping, found)


def _size(values_at: Callable[[Array], Array], low: Array, high: Array) -> float:
    with np.errstate(all="ignore"):
        values = np.abs(values_at(spread(low, high, 400)))
    values = values[np.isfinite(values)]
    return float(np.median(values)) if len(values) else 1.0


def _not_negative(
    quantity: Graph | None, low: Array, high: Array, least: float
) -> _Judged:
    """Judge whether the output of a graph is nowhere below zero, but for rounding."""
    if quantity is None:
        return "not proved", None
    part = part_of(quantity, low, high, quantity.outputs[0])
    value, point = part.smallest(lambda values: values[0])
    if value < -least:
        return "broken", Breach(-value, part.place(point), value)
    bound = part.bound(1, N_BOXES).lower
    return ("proved" if bound >= -least else "not proved"), None


def _is_defined(graph: Graph, low: Array, high: Array) -> bool:
    """Whether it is proved that the formula has a value everywhere."""
    (report,) = domain_report(graph, low, high)
    return report.is_safe


def _where_defined(judged: _Judged, graph: Graph, low: Array, high: Array) -> _Judged:
    """Take a proof back where the formula may have no value at all."""
    if judged[0] != "proved" or _is_defined(graph, low, high):
        return judged
    return "not proved", None


def _bound(
    c: Constraint, graph: Graph, low: Array, high: Array, size: float
) -> _Judged:
    quantity = _signed(_minus(graph, c.value), c.sign)
    keeping, found = _not_negative(quantity, low, high, ROUNDING * (size or 1.0))
    if found is not None:
        found = found._replace(found=c.value + c.sign * found.found)
    return _where_defined((keeping, found), graph, low, high)


def _slope(
    c: Constraint, graph: Graph, low: Array, high: Array, size: float
) -> _Judged:
    assert c.input is not None
    return _derivative(c, slope_graph(graph, c.input), graph, low, high, size, 1)


def _curvature(
    c: Constraint, graph: Graph, low: Array, high: Array, size: float
) -> _Judged:
    assert c.input is not None
    first = slope_graph(graph, c.input)
    second = None if first is None else slope_graph(first, c.input)
    return _derivative(c, second, graph, low, high, size, 2)


def _derivative(
    c: Constraint,
    quantity: Graph | None,
    graph: Graph,
    low: Array,
    high: Array,
    size: float,
    order: int,
) -> _Judged:
    assert c.input is not None
    width = float(high[c.input] - low[c.input]) or 1.0
    signed = None if quantity is None else _signed(quantity, c.sign)
    least = ROUNDING * (size or 1.0) / width**order
    keeping, found = _not_negative(signed, low, high, least)
    if found is not None:
        found = found._replace(found=c.sign * found.found)
    return _where_defined((keeping, found), graph, low, high)


def _symmetry(
    c: Constraint, graph: Graph, low: Array, high: Array, size: float
) -> _Judged:
    del low, high, size
    assert c.input is not None
    return ("proved" if parity(graph, c.input) in (0, c.sign) else "not proved"), None


def _value(
    c: Constraint, graph: Graph, low: Array, high: Array, size: float
) -> _Judged:
    """Bounds from both sides, for all values of the inputs that are not given."""
    least = FITTED * max(size, abs(c.value)) or FITTED
    off = _minus(graph, c.value)
    part = part_of(off, low, high, off.outputs[0])
    bounds = [part.bound(sign, N_BOXES).lower for sign in (1, -1)]
    is_close = min(bounds) >= -least
    return ("proved" if is_close else "not proved"), None


def _limit(
    c: Constraint, graph: Graph, low: Array, high: Array, size: float
) -> _Judged:
    assert c.input is not None
    ends = limit(graph, c.input, c.sign, low, high)
    if ends is None:
        return "not proved", None
    off = max(abs(end - c.value) for end in ends)
    if off <= CLOSE_TO_LIMIT * max(size, abs(c.value)):
        return "proved", None
    point = 0.5 * low + 0.5 * high
    point[c.input] = c.sign * math.inf
    worst = max(ends, key=lambda end: abs(end - c.value))
    return "broken", Breach(off, tuple(point.tolist()), worst)


def _finite(
    c: Constraint, graph: Graph, low: Array, high: Array, size: float
) -> _Judged:
    del c, size
    return ("proved" if _is_defined(graph, low, high) else "not proved"), None


def _minus(graph: Graph, value: float) -> Graph:
    """The formula less a number: (a - v b) / b."""
    above, below = graph.outputs[0]
    total = dict(above)
    for source, weight in below.items():
        total[source] = total.get(source, 0.0) - value * weight
    total = {source: weight for source, weight in total.items() if weight}
    return Graph(graph.n_inputs, graph.nodes, ((total, below),))


def _signed(graph: Graph, sign: int) -> Graph:
    above, below = graph.outputs[0]
    total = {source: sign * weight for source, weight in above.items()}
    return Graph(graph.n_inputs, graph.nodes, ((total, below),))


_PROOFS: Mapping[str, Callable[..., _Judged]] = {
    "bound": _bound,
    "slope": _slope,
    "curvature": _curvature,
    "symmetry": _symmetry,
    "value": _value,
    "limit": _limit,
    "finite": _finite,
}
