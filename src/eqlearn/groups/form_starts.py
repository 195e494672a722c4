"""Forms to be tried in all groups: where they come from, and where their fits begin."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from eqlearn._types import Array
from eqlearn.groups.grouped_fit import GroupedRows
from eqlearn.model.prediction import parameters_of
from eqlearn.network.canonical import canonical, displayed
from eqlearn.network.graph import CONSTANT, Graph, Linear


@dataclass(frozen=True, eq=False)
class FormStart:
    """A form, and for each group what its target was divided by when it was found."""

    graph: Graph
    scales: Array  # (G,)

    def values(self) -> Array:
        """Constants (P, G) to begin with: what is above the fraction bar is scaled."""
        graph, first = self.graph, self.graph.first_output_slot
        values = np.repeat(parameters_of(graph)[:, None], len(self.scales), axis=1)
        for p, (slot, _) in enumerate(graph.parameters()):
            if slot == first:
                values[p] *= self.scales
        return values


@dataclass(frozen=True, eq=False)
class SearchedRows:
    """Rows that are searched for forms, and what their target was divided by."""

    rows: Array  # (N,) truth values
    scales: Array  # (G,)


def views(rows: GroupedRows, n_single: int, fewest: int) -> Iterator[SearchedRows]:
    """What is searched: groups of one size together, all as they are, some alone."""
    ones, every = np.ones(rows.n_groups), np.ones(len(rows.y), dtype=bool)
    yield SearchedRows(every, size_of_groups(rows))
    largest = np.argsort(-rows.counts, kind="stable")[:n_single]
    for group in largest:
        if rows.counts[group] >= fewest:
            yield SearchedRows(rows.labels == group, ones)
    yield SearchedRows(every, ones)


def size_of_groups(rows: GroupedRows) -> Array:
    """The usual size (G,) of the target in each group."""
    squares = np.bincount(rows.labels, rows.y**2, minlength=rows.n_groups)
    sizes = np.sqrt(squares / np.maximum(rows.counts, 1))
    return np.where(sizes > 0, sizes, 1.0)


def normal_forms(graph: Graph, x: Array) -> Iterator[Graph]:
    """A form in all ways in which one weight of its denominator can be 1.

    Which constants are shared depends on it: of V x / (K + x) either V and K differ
    between groups, or V alone, and V/K and 1/K if the denominator is 1 + x/K.
    """
    first = displayed(canonical(graph, x), x)
    yield first
    numerator, denominator = first.outputs[0]
    slot = first.first_output_slot
    kept = {key for key in first.fixed if key[0] not in (slot, slot + 1)}
    for source, weight in denominator.items():
        if source == CONSTANT or not weight or len(denominator) < 2:
            continue
        slots = first.slots()
        slots[slot] = _divided(numerator, weight)
        slots[slot + 1] = _divided(denominator, weight)
        fixed = frozenset(kept | {(slot + 1, source)})
        yield first.with_slots(slots, fixed)


def without_each(graph: Graph, x: Array) -> Iterator[Graph]:
    """The form without one of its constants, for each of them."""
    for key in graph.parameters():
        smaller = replace(graph.without({key}), fixed=frozenset(), ties={})
        if smaller.outputs[0][0] and any(smaller.outputs[0][1].values()):
            yield displayed(canonical(smaller, x), x)


def with_offset(graph: Graph) -> Graph | None:
    """The form and a constant, if it is no fraction and has none."""
    numerator, denominator = graph.outputs[0]
    if CONSTANT in numerator or denominator.keys() != {CONSTANT}:
        return None
    output = {**numerator, CONSTANT: 0.0}, denominator
    return replace(graph, outputs=(output,))


def pattern(graph: Graph) -> object:
    """What two graphs share that differ in constants only."""
    sums = tuple(frozenset(linear) for linear in graph.slots())
    return tuple(node.unit for node in graph.nodes), sums, graph.fixed


def _divided(linear: Linear, by: float) -> Linear:
    return {source: weight / by for source, weight in linear.items()}
