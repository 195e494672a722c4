"""How equations are compared: the Bayesian information criterion of a fitted graph."""

import math
from typing import NamedTuple

from eqlearn.network.graph import Graph
from eqlearn.training.levenberg import Samples

#: Mean squared residual, for a target of unit size, that counts as none at all.
EXACT = 1e-22


class Scored(NamedTuple):
    """A graph at its optimum, with its squared error and criterion."""

    graph: Graph
    sse: float
    bic: float


def complexity(graph: Graph) -> int:
    """Count units and connections: the size of the formula that is read off."""
    return len(graph.nodes) + sum(len(linear) for linear in graph.slots())


def bic(sse: float, n: int, n_parameters: int, floor: float = EXACT) -> float:
    """N log(SSE/N) + p log N; smaller is better.

    The floor is the mean squared residual below which nothing more is explained:
    without noise every imitation could be improved for ever.
    """
    if not math.isfinite(sse):
        return math.inf
    return n * math.log(sse / n + floor) + n_parameters * math.log(n)


def score(graph: Graph, sse: float, samples: Samples, floor: float = EXACT) -> Scored:
    """Attach the criterion to a fitted graph."""
    n = samples.n_residuals
    return Scored(graph, sse, bic(sse, n, graph.n_parameters, floor))


def sse_to_reach(best: float, n: int, n_parameters: int, floor: float = EXACT) -> float:
    """Return the squared error at which the criterion would equal `best`."""
    exponent = (best - n_parameters * math.log(n)) / n
    return n * (math.exp(min(exponent, 700.0)) - floor)
