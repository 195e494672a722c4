"""Structural moves on series: powers of an input that are the first terms of something.

A trend beside waves is found as a polynomial, which fits any trend within the data.
"""

from collections.abc import Iterator

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.refine.hill_climb import Proposal, Seen
from eqlearn.equation.refine.rewrites import factors_of
from eqlearn.network.draft import Draft
from eqlearn.network.graph import CONSTANT, Graph, Linear

# Rates of exponentials that are tried, over the range of the input.
_RATES = np.array([s * r for r in (0.25, 0.5, 1.0, 2.0, 4.0, 8.0) for s in (1.0, -1.0)])


def exponentials_for_powers(seen: Seen) -> Iterator[Proposal]:
    """Put c + a exp(k x) in the place of all powers of x in a sum, the higher ones too.

    The rate is the one with which it comes closest to what these powers say.
    """
    graph = seen.graph
    for output, (above, _) in enumerate(graph.outputs):
        for i, powers in _powers(graph, above).items():
            if len(powers) < 2:
                continue
            said = sum(above[s] * seen.features[s] for s in powers)
            x = seen.features[i]
            left, rate = min(
                (_left(np.exp(rate * x), said), rate)
                for rate in (_RATES / np.ptp(x)).tolist()
            )
            if not np.isfinite(left):
                continue
            draft = Draft(graph)
            size = float(np.exp(rate * x).max())
            exponential = draft.add("exp", {i: rate})
            slope, offset = np.polyfit(np.exp(rate * x) / size, said, 1)
            kept = {s: w for s, w in above.items() if s not in powers}
            kept[exponential] = float(slope) / size
            kept[CONSTANT] = kept.get(CONSTANT, 0.0) + float(offset)
            draft.outputs[output] = (kept, dict(graph.outputs[output][1]))
            yield Proposal("exponential", draft.freeze())


def _powers(graph: Graph, above: Linear) -> dict[int, list[int]]:
    """Of each input, the terms of a sum that are powers of it alone."""
    found: dict[int, list[int]] = {}
    for source in above:
        factors = set(factors_of(graph, source))
        if len(factors) == 1 and (factor := factors.pop()) < graph.n_inputs:
            found.setdefault(factor, []).append(source)
    return found


def _left(exponential: Array, said: Array) -> float:
    """What a straight line of an exponential leaves of what the powers say."""
    about, around = exponential - exponential.mean(), said - said.mean()
    size = float(about @ about)
    if not 0.0 < size < np.inf:
        return np.inf
    rest = around - about * float(about @ around) / size
    return float(rest @ rest)
