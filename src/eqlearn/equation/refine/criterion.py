"""How equations are compared: an information criterion of a fitted graph.

The Bayesian criterion N log(SSE/N) + p log N, extended for having looked: a term that
was picked from K possible ones costs 2 log K more, or one in fifty of those tried on
200 rows of noise would be found worth its parameter.
"""

import math
from typing import NamedTuple

from eqlearn.network.graph import Graph
from eqlearn.training.levenberg import fit
from eqlearn.training.samples import Samples

#: Mean squared residual, for a target of unit size, that counts as none at all.
EXACT = 1e-22


class Scored(NamedTuple):
    """A graph at its optimum, with its squared error and criterion."""

    graph: Graph
    sse: float
    bic: float


#: How many terms each one of a formula was picked from, about.
N_ALTERNATIVES = 30.0


def cost(n: int) -> float:
    """What a parameter costs when `n` numbers are explained."""
    return math.log(n) + 2.0 * math.log(N_ALTERNATIVES)


def most_parameters(n: int) -> int:
    """Formulas with more parameters retell the data instead of explaining them."""
    return max(1, n // 4)


def complexity(graph: Graph) -> int:
    """Count units and connections: the size of the formula that is read off."""
    return len(graph.nodes) + sum(len(linear) for linear in graph.slots())


def bic(sse: float, n: int, n_parameters: int, floor: float = EXACT) -> float:
    """N log(SSE/N) + p (log N + 2 log K); smaller is better.

    The floor is the mean squared residual below which nothing more is explained:
    without noise every imitation could be improved for ever.
    """
    if not math.isfinite(sse) or n_parameters > most_parameters(n):
        return math.inf
    return n * math.log(sse / n + floor) + n_parameters * cost(n)


def score(graph: Graph, sse: float, samples: Samples, floor: float = EXACT) -> Scored:
    """Attach the criterion to a fitted graph."""
    n = samples.n_residuals
    return Scored(graph, sse, bic(sse, n, graph.n_parameters, floor))


def refit(
    graph: Graph,
    samples: Samples,
    *,
    floor: float = EXACT,
    n_iterations: int = 20,
    tolerance: float = 1e-5,
) -> Scored:
    """Fit a graph and attach the criterion."""
    fitted = fit(graph, samples, n_iterations=n_iterations, tolerance=tolerance)
    return score(fitted.graph, fitted.sse, samples, floor)


def sse_to_reach(best: float, n: int, n_parameters: int, floor: float = EXACT) -> float:
    """Return the squared error at which the criterion would equal `best`."""
    exponent = (best - n_parameters * cost(n)) / n
    return n * (math.exp(min(exponent, 700.0)) - floor)
