"""Powers that come out simple, written as products and roots: they cost no constant."""

from collections.abc import Iterator

from eqlearn.equation.refine.criterion import Scored, refit
from eqlearn.equation.refine.tactics import Tactics
from eqlearn.network.canonical import canonical
from eqlearn.network.draft import Draft
from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.search.attempts.monomials import ONE, monomial_fraction
from eqlearn.training.samples import Samples

# The largest power that is written as a product.
_LARGEST = 6.0


def with_simple_powers(found: Scored, data: Samples, tactics: Tactics) -> Scored:
    """Take powers for multiples of 1/2 as long as the criterion falls."""
    failed: set[tuple[int, int]] = set()
    while True:
        options = [o for o in _powers(found.graph) if (o[1], o[2]) not in failed]
        if not options:
            return found
        _, feature, source = min(options)
        simple = refit(
            canonical(_as_product(found.graph, feature, source), data.x), data, tactics
        )
        if simple.bic < found.bic:
            found, failed = simple, set()
        else:
            failed.add((feature, source))


def _powers(graph: Graph) -> Iterator[tuple[float, int, int]]:
    """How far each power of an input is from a multiple of 1/2, and where it is."""
    for k, node in enumerate(graph.nodes):
        if node.unit != "exp":
            continue
        for source, power in node.arguments[0].items():
            if _is_log_of_input(graph, source) and abs(power) <= _LARGEST:
                off = abs(power - round(2 * power) / 2)
                yield off, graph.n_inputs + k, source


def _is_log_of_input(graph: Graph, source: int) -> bool:
    if source < graph.n_inputs:
        return False
    node = graph.nodes[source - graph.n_inputs]
    if node.unit != "log":
        return False
    (argument,) = node.arguments
    return len(argument) == 1 and 0 <= next(iter(argument)) < graph.n_inputs


def _as_product(graph: Graph, feature: int, source: int) -> Graph:
    """The graph with one power out of the exponential, as a factor beside it."""
    draft = Draft(graph)
    (exponent,) = draft.nodes[feature - graph.n_inputs][1]
    power = round(2 * exponent.pop(source)) / 2
    ((i, scale),) = graph.nodes[source - graph.n_inputs].arguments[0].items()
    exponent[CONSTANT] = exponent.get(CONSTANT, 0.0)
    if power:
        exponents = [0.0] * graph.n_inputs
        exponents[i] = power
        slots = set(range(len(graph.slots())))
        above, below = monomial_fraction(
            draft,
            exponents,
            [{k: scale if k == i else 1.0} for k in range(graph.n_inputs)],
        )
        own = {feature: 1.0}
        if below == ONE:
            product = draft.add("multiply", own, above)
        else:
            product = draft.add("divide", own, below)
        draft.replace(feature, {product: 1.0}, where=slots)
    changed = draft.freeze()
    assert changed is not None
    return changed
