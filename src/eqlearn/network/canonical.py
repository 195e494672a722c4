"""One form for equal graphs: no dead or linear units, no arbitrary scales.

Different weights can mean the same function: a factor of a product can be scaled if the
product's users are scaled back, a sine's phase can be shifted by π, numerator and
denominator can be multiplied by one number. `compact` removes what does nothing, and
`normalise` chooses one of all equal sets of weights; neither changes an output.
"""

import math
from itertools import chain

import numpy as np

from eqlearn._types import Array
from eqlearn.network.graph import CONSTANT, COSINE, Connection, Graph, Linear, Node
from eqlearn.network.kernels import evaluate, tape
from eqlearn.network.units import unit

# A phase in (-π/2 + slack, π/2 + slack]: cosines, at π/2, are not at its edge.
_PHASE_SLACK = 0.3


def canonical(graph: Graph, x: Array) -> Graph:
    """Bring a graph into the one form, over data `x` (D, N)."""
    tidy = normalise(compact(graph), x)
    # Units that differed only by a sign, a scale or the order of factors are equal now.
    while len((merged := compact(tidy)).nodes) < len(tidy.nodes):
        tidy = normalise(merged, x)
    return tidy


def compact(graph: Graph) -> Graph:
    """Fold constants, linear units and equal units; drop what no output uses."""
    # What each old feature is, in terms of the new ones.
    meaning: list[Linear] = [{i: 1.0} for i in range(graph.n_inputs)]
    nodes: list[Node] = []
    known: dict[object, int] = {}
    for node in graph.nodes:
        arguments = [substituted(linear, meaning) for linear in node.arguments]
        folded = _folded(node.unit, arguments)
        if folded is None:
            name, taken = _rewritten(node.unit, arguments)
            key = (name, tuple(tuple(sorted(linear.items())) for linear in taken))
            if key not in known:
                known[key] = graph.n_inputs + len(nodes)
                nodes.append(Node(name, taken))
            folded = {known[key]: 1.0}
        meaning.append(folded)
    outputs = tuple(
        (substituted(a, meaning), substituted(b, meaning)) for a, b in graph.outputs
    )
    return _without_unused(Graph(graph.n_inputs, tuple(nodes), outputs))


def substituted(linear: Linear, meaning: list[Linear]) -> Linear:
    """Put what each feature means in the place of the features."""
    total: dict[int, float] = {}
    for source, weight in linear.items():
        terms = {CONSTANT: 1.0} if source == CONSTANT else meaning[source]
        for feature, factor in terms.items():
            total[feature] = total.get(feature, 0.0) + weight * factor
    return {feature: weight for feature, weight in total.items() if weight != 0.0}


def _folded(name: str, arguments: list[Linear]) -> Linear | None:
    """What a unit is as a linear combination, if it is one."""
    if name == "identity":
        return arguments[0]
    constants = [linear for linear in arguments if not (linear.keys() - {CONSTANT})]
    if len(constants) == len(arguments):
        # NumPy's numbers: Python's raise where 1/z or a power has no real value.
        values = [np.float64(linear.get(CONSTANT, 0.0)) for linear in arguments]
        with np.errstate(all="ignore"):
            return {CONSTANT: float(unit(name)(np, *values))}
    if name == "multiply" and constants:
        factor = constants[0].get(CONSTANT, 0.0)
        other = arguments[1] if arguments[0] is constants[0] else arguments[0]
        return {s: w * factor for s, w in other.items() if w * factor != 0.0}
    return None


def _rewritten(name: str, arguments: list[Linear]) -> tuple[str, tuple[Linear, ...]]:
    """Express cos by sin and square by multiply: fewer kinds to treat."""
    if name == "cos":
        shifted = {**arguments[0]}
        phase = shifted.pop(CONSTANT, 0.0) + COSINE
        return "sin", ({**shifted, CONSTANT: phase} if phase else shifted,)
    if name == "square":
        return "multiply", (arguments[0], arguments[0])
    return name, tuple(arguments)


def _without_unused(graph: Graph) -> Graph:
    used = set(graph.ancestors(chain.from_iterable(graph.outputs)))
    names = {i: i for i in [CONSTANT, *range(graph.n_inputs)]}
    for k in range(len(graph.nodes)):
        if graph.n_inputs + k in used:
            names[graph.n_inputs + k] = len(names) - 1

    def renamed(linear: Linear) -> Linear:
        return {names[source]: weight for source, weight in linear.items()}

    nodes = tuple(
        Node(node.unit, tuple(map(renamed, node.arguments)))
        for k, node in enumerate(graph.nodes)
        if graph.n_inputs + k in used
    )
    outputs = tuple((renamed(a), renamed(b)) for a, b in graph.outputs)
    return Graph(graph.n_inputs, nodes, outputs)


def normalise(graph: Graph, x: Array) -> Graph:
    """Fix what is arbitrary, and say in `fixed` which weights that were.

    The largest weight of a product's factor is 1; a sine's first weight is positive
    and its phase in a half circle about a little above 0; the constant of exp and the
    scale of sqrt are folded into their users; the largest term of a denominator is
    fixed such that the denominator is 1 on average over the data.
    """
    factors = dict.fromkeys(range(graph.n_inputs), 1.0)
    factors[CONSTANT] = 1.0
    fixed: set[Connection] = set()
    turned: dict[int, float] = {}  # the sign that a sine's argument was given
    nodes, slot = [], 0
    for k, node in enumerate(graph.nodes):
        arguments: list[Linear] = [
            {s: w * factors[s] for s, w in linear.items()} for linear in node.arguments
        ]
        factor = 1.0
        if node.unit == "multiply":
            scales = [linear[_leading(linear)] for linear in arguments]
            factor = math.prod(scales)
            arguments = [
                {s: w / scale for s, w in linear.items()}
                for linear, scale in zip(arguments, scales, strict=True)
            ]
            arguments.sort(key=lambda linear: (sorted(linear), sorted(linear.items())))
            for offset, linear in enumerate(arguments):
                fixed.add((slot + offset, _leading(linear)))
        elif node.unit == "sin":
            arguments[0], factor, turned[slot] = _folded_phase(arguments[0])
            if arguments[0].get(CONSTANT) == COSINE:
                fixed.add((slot, CONSTANT))
        elif node.unit == "exp" and abs(arguments[0].get(CONSTANT, 0.0)) < 50:
            factor = math.exp(arguments[0].get(CONSTANT, 0.0))
            arguments[0] = {s: w for s, w in arguments[0].items() if s != CONSTANT}
        elif node.unit == "sqrt":
            lead = _leading(arguments[0])
            scale = abs(arguments[0][lead])
            arguments[0] = {s: w / scale for s, w in arguments[0].items()}
            factor = math.sqrt(scale)
            fixed.add((slot, lead))
        factors[graph.n_inputs + k] = factor
        nodes.append(Node(node.unit, tuple(arguments)))
        slot += len(arguments)
    outputs = tuple(
        (
            {s: w * factors[s] for s, w in a.items()},
            {s: w * factors[s] for s, w in b.items()},
        )
        for a, b in graph.outputs
    )
    ties = {
        key: (lead, ratio * turned[key[0]] * turned[lead[0]])
        for key, (lead, ratio) in graph.ties.items()
    }
    scaled = Graph(graph.n_inputs, tuple(nodes), outputs, frozenset(fixed), ties)
    return _with_unit_denominators(scaled, x)


def _leading(linear: Linear) -> int:
    sources = sorted(linear.keys() - {CONSTANT})
    return max(sources, key=lambda source: abs(linear[source]))


def _folded_phase(linear: Linear) -> tuple[Linear, float, float]:
    """Make the first weight positive and the phase small.

    Return also the signs that the sine and its argument were given.
    """
    turn = sign = 1.0 if linear[min(linear.keys() - {CONSTANT})] > 0 else -1.0
    flipped = {source: sign * weight for source, weight in linear.items()}
    phase = flipped.pop(CONSTANT, 0.0)
    # An infinite phase has no turns to take back; the fit will see it.
    if phase not in (0.0, COSINE) and math.isfinite(phase):
        turns = math.ceil((phase - _PHASE_SLACK) / math.pi - 0.5)
        folded = phase - turns * math.pi
        # Exactly a cosine, up to the rounding of the turns just taken back.
        phase = COSINE if abs(folded - COSINE) < 1e-14 else folded
        sign = -sign if turns % 2 else sign
    folded_back = flipped if phase == 0.0 else {**flipped, CONSTANT: phase}
    return folded_back, sign, turn


def displayed(graph: Graph, x: Array) -> Graph:
    """Normalise a graph such that denominators read 1 + ..., or have a weight 1."""
    graph = normalise(graph, x)
    slots, fixed = graph.slots(), set(graph.fixed)
    for slot in range(graph.first_output_slot, len(slots), 2):
        numerator, denominator = slots[slot], slots[slot + 1]
        present = next(key for key in graph.fixed if key[0] == slot + 1)
        term = CONSTANT if CONSTANT in denominator else present[1]
        one = denominator[term]
        slots[slot] = {s: w / one for s, w in numerator.items()}
        slots[slot + 1] = {s: w / one for s, w in denominator.items()}
        fixed = fixed - {present} | {(slot + 1, term)}
    return graph.with_slots(slots, frozenset(fixed))


def _with_unit_denominators(graph: Graph, x: Array) -> Graph:
    if all(b.keys() == {CONSTANT} for _, b in graph.outputs):
        outputs: list[tuple[Linear, Linear]] = [
            ({s: w / b[CONSTANT] for s, w in a.items()}, {CONSTANT: 1.0})
            for a, b in graph.outputs
        ]
        leads = [CONSTANT] * graph.n_outputs
    else:
        values = evaluate(graph, tape(graph), x)
        size = np.sqrt(np.mean(values.features**2, axis=1))
        sizes = {CONSTANT: 1.0, **dict(enumerate(size.tolist()))}
        outputs, leads = [], []
        for o, (a, b) in enumerate(graph.outputs):
            d = values.slots[-2 * (graph.n_outputs - o) + 1]
            mean = float(np.mean(d))
            if abs(mean) < 0.1 * np.mean(np.abs(d)):  # it changes sign in the data
                mean = float(np.mean(np.abs(d)))
            mean = mean if math.isfinite(mean) and mean != 0.0 else 1.0
            outputs.append(
                (
                    {s: w / mean for s, w in a.items()},
                    {s: w / mean for s, w in b.items()},
                )
            )
            leads.append(max(b, key=lambda s: abs(b[s]) * sizes[s], default=CONSTANT))
    first = graph.first_output_slot
    fixed = graph.fixed | {(first + 2 * o + 1, lead) for o, lead in enumerate(leads)}
    return Graph(graph.n_inputs, graph.nodes, tuple(outputs), fixed, graph.ties)
