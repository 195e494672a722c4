"""Tied frequencies: constants that are equal, or double, within their errors.

Noise lets frequencies drift apart that are one and the same in the law. A tie saves a
parameter, so the criterion tells a formula with one frequency from an imitation.
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
    """Tie weights of sines on one feature as long as the criterion falls."""
    by, best, failed = tactics.shared_frequencies, found, set()
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
