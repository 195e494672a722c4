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
    """How far each power is from a multiple of 1/2, and where it is."""
    for k, node in enumerate(graph.nodes):
        if node.unit != "exp":
            continue
        for source, power in node.arguments[0].items():
            if _is_log(graph, source) and abs(power) <= _LARGEST:
                off = abs(power - round(2 * power) / 2)
                yield off, graph.n_inputs + k, source


def _is_log(graph: Graph, source: int) -> bool:
    is_unit = source >= graph.n_inputs
    return is_unit and graph.nodes[source - graph.n_inputs].unit == "log"


def _as_product(graph: Graph, feature: int, source: int) -> Graph:
    """The graph with one power out of the exponential, as a factor beside it."""
    draft = Draft(graph)
    (exponent,) = draft.nodes[feature - graph.n_inputs][1]
    power = round(2 * exponent.pop(source)) / 2
    (base,) = graph.nodes[source - graph.n_inputs].arguments
    exponent[CONSTANT] = exponent.get(CONSTANT, 0.0)
    if power:
        slots = set(range(len(graph.slots())))
        above, below = monomial_fraction(draft, [power], [dict(base)])
        own = {feature: 1.0}
        if below == ONE:
            product = draft.add("multiply", own, above)
        else:
            product = draft.add("divide", own, below)
        draft.replace(feature, {product: 1.0}, where=slots)
    changed = draft.freeze()
    assert changed is not None
    return changed
