"""Formulas ready to be written down: one graph for all targets, and the user's names.

Inside, inputs are numbers and x1, x2, ...; the user's names are met here, at the edge.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from eqlearn.errors import must
from eqlearn.network.graph import Graph
from eqlearn.network.transform import joined

#: Where formulas are compared when nobody says what the inputs are like.
DEFAULT_RANGE = (-2.0, 2.0)


@dataclass(frozen=True)
class Formulas:
    """One formula for each target, in the units of the data."""

    graph: Graph  # its outputs are the targets
    inputs: tuple[str, ...]
    targets: tuple[str, ...]
    ranges: tuple[tuple[float, float], ...]  # of each input, where forms are compared
    arranged: str | None = None  # how they are to be shown, one of the `ARRANGEMENTS`

    def rounded(self, digits: int) -> "Formulas":
        """Round all weights to significant digits, but not where inputs begin."""
        nodes = self.graph.nodes
        given = [node.unit == "origin" for node in nodes for _ in node.arguments]
        slots = self.graph.slots()
        for slot, linear in enumerate(slots):
            if slot >= len(given) or not given[slot]:
                slots[slot] = {s: float(f"{w:.{digits}g}") for s, w in linear.items()}
        return replace(self, graph=self.graph.with_slots(slots))


def formulas(
    graphs: Sequence[Graph],
    inputs: Sequence[str] | None = None,
    targets: Sequence[str] | None = None,
    ranges: Sequence[tuple[float, float]] | None = None,
) -> Formulas:
    """Put graphs of the same inputs and the names of their columns together.

    Any text is a name. Without names, inputs are x1, x2, ... and targets y1, y2, ...
    (one is y). `ranges` are (low, high) of each input.
    """
    if not graphs or len({graph.n_inputs for graph in graphs}) > 1:
        counts = [graph.n_inputs for graph in graphs]
        raise must("graphs", "one or more, of the same inputs", counts)
    graph = joined(graphs)
    n, m = graph.n_inputs, graph.n_outputs
    if targets is None:
        targets = ["y"] if m == 1 else [f"y{o + 1}" for o in range(m)]
    inputs = [f"x{i + 1}" for i in range(n)] if inputs is None else inputs
    ranges = [DEFAULT_RANGE] * n if ranges is None else ranges
    if len(ranges) != n:
        raise must("ranges", f"one (low, high) for each of the {n} inputs", len(ranges))
    return Formulas(
        _with_values(graph),
        _names("inputs", inputs, n),
        _names("targets", targets, m),
        tuple((float(low), float(high)) for low, high in ranges),
    )


def _names(parameter: str, names: Sequence[str], count: int) -> tuple[str, ...]:
    for name in names:
        if not isinstance(name, str):
            raise must(parameter, "text", name, "Name the columns by text.")
    if len(names) != count or len(set(names)) < count:
        raise must(parameter, f"{count} different names", list(names))
    return tuple(names)


def _with_values(graph: Graph) -> Graph:
    for (slot, _), weight in graph.connections():
        if not math.isfinite(weight):
            raise must("graphs", "of finite weights", weight, where=f"in slot {slot}")
    for o, (_, denominator) in enumerate(graph.outputs):
        if not any(denominator.values()):
            raise must(
                "graphs", "with denominators other than 0", 0, f"See target {o}."
            )
    return graph
