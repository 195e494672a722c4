"""A trained network as the paper judges it: its values at θ = 1e-4, and its size s."""

from itertools import chain

from eqlearn._types import Array
from eqlearn.network.forward import TEST_THRESHOLD
from eqlearn.network.graph import CONSTANT, Graph, Linear


def thresholded(graph: Graph, x: Array) -> Array:
    """Outputs (N, M) with the division of Eq. 3 at θ = 1e-4: 0 at forbidden values.

    The threshold is for the network's own denominators: a graph whose fractions were
    brought to another scale, as canonical ones are, has others.
    """
    outputs, denominators = graph.evaluate(x)
    outputs[~(denominators > TEST_THRESHOLD)] = 0.0
    return outputs


def connected_units(graph: Graph) -> int:
    """Count units on a way from an input to an output: s of the paper.

    What is fed by constants alone is a constant, and no more connected than one that
    no output uses.
    """
    alive = set(range(graph.n_inputs))
    for k, node in enumerate(graph.nodes):
        if any(_sources(linear) & alive for linear in node.arguments):
            alive.add(graph.n_inputs + k)
    used = set(graph.ancestors(chain.from_iterable(graph.outputs)))
    return len((alive & used).difference(range(graph.n_inputs)))


def active_units(graph: Graph, threshold: float = 0.1) -> int:
    """Count units as the authors' code does, to compare with its sizes.

    A unit counts if the weights of each of its arguments add up to more than the
    threshold, and those into it times those out of it to more than its square.
    Identity units never count.
    """
    outgoing: dict[int, float] = {}
    for (_, source), weight in graph.connections():
        outgoing[source] = outgoing.get(source, 0.0) + abs(weight)
    n_active = 0
    for k, node in enumerate(graph.nodes):
        sums = [sum(abs(a[s]) for s in _sources(a)) for a in node.arguments]
        out = outgoing.get(graph.n_inputs + k, 0.0)
        is_fed = len(sums) == 1 or min(sums) > threshold
        is_active = is_fed and sum(sums) * out > threshold**2
        n_active += is_active and node.unit != "identity"
    return n_active


def _sources(linear: Linear) -> set[int]:
    return set(linear) - {CONSTANT}
