"""Tied frequencies and factors: constants that are equal, or double, within errors.

Noise lets frequencies drift apart that are one and the same in the law, and so do the
two factors of a square. A tie saves a parameter, so the criterion tells a formula with
one frequency from an imitation, and (x - p)² does not pay for p twice.
"""

import math
from collections.abc import Iterator
from dataclasses import replace

from eqlearn.equation.refine.criterion import Scored, refit
from eqlearn.equation.refine.tactics import STANDARD, SharedFrequencies, Tactics
from eqlearn.network.graph import CONSTANT, Connection, Graph, sine_slots
from eqlearn.training.levenberg import inverse, normal_equations
from eqlearn.training.samples import Samples


def tie(found: Scored, samples: Samples, tactics: Tactics = STANDARD) -> Scored:
    """Tie factors of squares, and weights of sines on one feature.

    Each tie must make the criterion fall.
    """
    by, failed = tactics.shared_frequencies, set()
    best = _with_squares(found, samples, tactics)
    while True:
        for _, key, lead, ratio in sorted(_near_ratios(best.graph, samples, by)):
            if (key, lead, ratio) in failed:
                continue
            graph = _with_tie(best.graph, key, lead, ratio)
            tied = refit(graph, samples, tactics, tolerance=1e-7)
            if tied.bic < best.bic:
                best = tied
                break
            failed.add((key, lead, ratio))
            if len(failed) >= by.n_tried * (1 + len(best.graph.ties)):
                return best
        else:
            return best


def _with_squares(found: Scored, samples: Samples, tactics: Tactics) -> Scored:
    """Tie the factors of products that may be squares, all constants of one at once."""
    best = found
    for first in _square_slots(found.graph, tactics.shared_frequencies):
        graph = best.graph
        bound = graph.fixed | graph.ties.keys()
        for source in graph.slots()[first]:
            lead, key = (first, source), (first + 1, source)
            if lead not in bound and key not in bound:
                graph = _with_tie(graph, key, lead, 1.0)
        if graph.n_parameters < best.graph.n_parameters:
            tied = refit(graph, samples, tactics, tolerance=1e-7)
            best = tied if tied.bic < best.bic else best
    return best


def _square_slots(graph: Graph, by: SharedFrequencies) -> Iterator[int]:
    """The first slots of products whose factors are about the same."""
    slots, slot = graph.slots(), 0
    for node in graph.nodes:
        if node.unit == "multiply":
            a, b = slots[slot], slots[slot + 1]
            if a.keys() == b.keys() and all(
                abs(a[s] - b[s]) <= by.largest_share * abs(a[s]) for s in a
            ):
                yield slot
        slot += len(node.arguments)


def _near_ratios(
    graph: Graph, samples: Samples, by: SharedFrequencies
) -> Iterator[tuple[float, Connection, Connection, float]]:
    """Pairs of frequencies with their distance from a simple ratio, in errors."""
    keys = graph.parameters()
    slots = graph.slots()
    frequencies = [
        place
        for place, (slot, source) in enumerate(keys)
        if slot in sine_slots(graph) and source != CONSTANT
    ]
    if len(frequencies) < 2:
        return
    gram, _, sse = normal_equations(graph, samples)
    variance = sse / max(samples.n_residuals - len(keys), 1)
    covariance = variance * inverse(gram)
    for a in frequencies:
        for b in frequencies:
            (slot, source), (other_slot, other) = keys[a], keys[b]
            if a == b or source != other:
                continue
            v, w = slots[slot][source], slots[other_slot][other]
            for ratio in by.ratios:
                if abs(ratio) == 1.0 and a < b:
                    continue  # the same tie seen from the other side
                spread = (
                    covariance[a, a]
                    + ratio**2 * covariance[b, b]
                    - 2 * ratio * covariance[a, b]
                )
                apart = abs(v - ratio * w)
                errors = apart / math.sqrt(max(spread, 1e-300))
                if errors < by.most_errors and apart < by.largest_share * abs(v):
                    yield errors, keys[a], keys[b], ratio


def _with_tie(graph: Graph, key: Connection, lead: Connection, ratio: float) -> Graph:
    slots = graph.slots()
    weight = ratio * slots[lead[0]][lead[1]]
    slots[key[0]] = {**slots[key[0]], key[1]: weight}
    # Whatever followed the newly tied connection now follows its leader.
    ties = {
        follower: (lead, factor * ratio) if leader == key else (leader, factor)
        for follower, (leader, factor) in graph.ties.items()
    }
    return replace(graph.with_slots(slots), ties={**ties, key: (lead, ratio)})
