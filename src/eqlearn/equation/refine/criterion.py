"""How equations are compared: an information criterion of a fitted graph.

The Bayesian criterion N log(SSE/N) + p log N, extended for having looked: a term that
was picked from K possible ones costs 2 log K more, or one in fifty of those tried on
200 rows of noise would be found worth its parameter.
"""

from typing import Any, NamedTuple

from eqlearn.equation.refine.tactics import STANDARD, Tactics
from eqlearn.network.document import from_document, to_document
from eqlearn.network.graph import Graph
from eqlearn.training.levenberg import fit
from eqlearn.training.samples import Samples


class Scored(NamedTuple):
    """A graph at its optimum, with its squared error and criterion."""

    graph: Graph
    sse: float
    bic: float

    def to_document(self) -> dict[str, Any]:
        """The formula with its criterion, as JSON can hold it."""
        return {**self._asdict(), "graph": to_document(self.graph)}

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> "Scored":
        """Read what `to_document` wrote."""
        return cls(**{**document, "graph": from_document(document["graph"])})


def complexity(graph: Graph) -> int:
    """Count units and connections: the size of the formula that is read off."""
    return len(graph.nodes) + sum(len(linear) for linear in graph.slots())


def score(
    graph: Graph, sse: float, samples: Samples, tactics: Tactics = STANDARD
) -> Scored:
    """Attach the criterion to a fitted graph."""
    n, criterion = samples.n_residuals, tactics.criterion
    charge = criterion.charge(graph)
    return Scored(graph, sse, criterion.bic(sse, n, graph.n_parameters, charge))


def refit(
    graph: Graph,
    samples: Samples,
    tactics: Tactics = STANDARD,
    *,
    n_iterations: int = 20,
    tolerance: float = 1e-5,
) -> Scored:
    """Fit a graph and attach the criterion."""
    fitted = fit(graph, samples, n_iterations=n_iterations, tolerance=tolerance)
    return score(fitted.graph, fitted.sse, samples, tactics)


def is_exact(found: Scored, samples: Samples, tactics: Tactics = STANDARD) -> bool:
    """Tell whether nothing is left to explain."""
    return found.sse / samples.n_residuals < tactics.criterion.nothing_left
