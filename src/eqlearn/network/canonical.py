"""One form for equal graphs: no dead or linear units, no arbitrary scales.

Different weights can mean the same function: a factor of a product can be scaled if the
product's users are scaled back, a sine's phase can be shifted by π, numerator and
denominator can be multiplied by one number. `compact` removes what does nothing, and
`normalise` chooses one of all equal sets of weights; neither changes an output.
"""

import math
from collections.abc import Callable, Mapping
from itertools import chain
from typing import NamedTuple

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
    if name == "divide":
        return _folded_quotient(*arguments)
    return None


def _folded_quotient(above: Linear, below: Linear) -> Linear | None:
    """A quotient with a constant below, or of a sum by itself, is linear."""
    if below.keys() == {CONSTANT}:
        return _divided(above, below[CONSTANT])
    if not above:
        return {}
    ratio = next(iter(above.values())) / below.get(next(iter(above)), math.inf)
    is_multiple = above.keys() == below.keys() and all(
        weight == ratio * below[source] for source, weight in above.items()
    )
    return {CONSTANT: ratio} if is_multiple else None


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

    What each unit leaves arbitrary is in `_RULES`. Of each fraction the largest term of
    the denominator is fixed, such that the denominator is 1 on average over the data.
    """
    # By feature: the old one is so many times the new one.
    factors = dict.fromkeys(range(CONSTANT, graph.n_inputs), 1.0)
    fixed: set[Connection] = set()
    turns: dict[int, float] = {}  # by slot: the sign a sine's argument was given
    nodes, slot = [], 0
    for k, node in enumerate(graph.nodes):
        arguments = [_multiplied(linear, factors) for linear in node.arguments]
        unit = _RULES.get(node.unit, _Normal)(arguments)
        nodes.append(Node(node.unit, tuple(unit.arguments)))
        factors[graph.n_inputs + k] = unit.factor
        fixed |= {(slot + argument, source) for argument, source in unit.fixed}
        if unit.turn is not None:
            turns[slot] = unit.turn
        slot += len(arguments)
    outputs = tuple(
        (_multiplied(a, factors), _multiplied(b, factors)) for a, b in graph.outputs
    )
    ties = {
        key: (lead, ratio * turns[key[0]] * turns[lead[0]])
        for key, (lead, ratio) in graph.ties.items()
    }
    scaled = Graph(graph.n_inputs, tuple(nodes), outputs, frozenset(fixed), ties)
    return _with_unit_denominators(scaled, x)


def _multiplied(linear: Linear, factors: Mapping[int, float]) -> Linear:
    return {source: weight * factors[source] for source, weight in linear.items()}


def _divided(linear: Linear, by: float) -> Linear:
    return {source: weight / by for source, weight in linear.items()}


class _Normal(NamedTuple):
    """The arguments of a unit in their one form, and what is to be known about them."""

    arguments: list[Linear]
    factor: float = 1.0  # the unit as it was is so many times the new one
    fixed: tuple[Connection, ...] = ()  # numbers of arguments, and sources
    turn: float | None = None  # of a sine: the sign its argument was given


def _normal_product(arguments: list[Linear]) -> _Normal:
    """The largest weight of each factor is 1, and the factors are in order."""
    scales = [linear[_leading(linear)] for linear in arguments]
    factors = [_divided(a, scale) for a, scale in zip(arguments, scales, strict=True)]
    factors.sort(key=lambda linear: (sorted(linear), sorted(linear.items())))
    fixed = tuple((place, _leading(linear)) for place, linear in enumerate(factors))
    return _Normal(factors, math.prod(scales), fixed)


def _normal_quotient(arguments: list[Linear]) -> _Normal:
    """The largest weight above and below is 1."""
    leads = [_leading_or_constant(linear) for linear in arguments]
    pairs = list(zip(arguments, leads, strict=True))
    above, below = (linear[lead] for linear, lead in pairs)
    scaled = [_divided(linear, linear[lead]) for linear, lead in pairs]
    return _Normal(scaled, above / below, tuple(enumerate(leads)))


def _normal_sine(arguments: list[Linear]) -> _Normal:
    """The first weight is positive and the phase in a half circle a little above 0."""
    argument, sign, turn = _folded_phase(arguments[0])
    is_cosine = argument.get(CONSTANT) == COSINE
    return _Normal([argument], sign, ((0, CONSTANT),) if is_cosine else (), turn)


def _normal_exponential(arguments: list[Linear]) -> _Normal:
    """The constant becomes a factor, unless that would be out of all proportion."""
    constant = arguments[0].get(CONSTANT, 0.0)
    if not abs(constant) < 50:
        return _Normal(arguments)
    varying = {s: w for s, w in arguments[0].items() if s != CONSTANT}
    return _Normal([varying], math.exp(constant))


def _normal_root(arguments: list[Linear]) -> _Normal:
    """The largest weight is 1 or -1."""
    lead = _leading(arguments[0])
    scale = abs(arguments[0][lead])
    return _Normal([_divided(arguments[0], scale)], math.sqrt(scale), ((0, lead),))


#: How a unit's arbitrary scales and signs are chosen; other units have none.
_RULES: dict[str, Callable[[list[Linear]], _Normal]] = {
    "multiply": _normal_product,
    "divide": _normal_quotient,
    "sin": _normal_sine,
    "exp": _normal_exponential,
    "sqrt": _normal_root,
}


def _leading(linear: Linear) -> int:
    sources = sorted(linear.keys() - {CONSTANT})
    return max(sources, key=lambda source: abs(linear[source]))


def _leading_or_constant(linear: Linear) -> int:
    return CONSTANT if linear.keys() == {CONSTANT} else _leading(linear)


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
        slots[slot] = _divided(numerator, one)
        slots[slot + 1] = _divided(denominator, one)
        fixed = fixed - {present} | {(slot + 1, term)}
    return graph.with_slots(slots, frozenset(fixed))


def _with_unit_denominators(graph: Graph, x: Array) -> Graph:
    """Scale every fraction, and fix the term of its denominator that counts most."""
    first = graph.first_output_slot
    outputs: tuple[tuple[Linear, Linear], ...]
    if all(b.keys() == {CONSTANT} for _, b in graph.outputs):
        outputs = tuple(
            (_divided(a, b[CONSTANT]), {CONSTANT: 1.0}) for a, b in graph.outputs
        )
        leads = [CONSTANT] * graph.n_outputs
    else:
        values = evaluate(graph, tape(graph), x)
        scales = [_typical(d) for d in values.slots[first + 1 :: 2]]
        size = np.sqrt(np.mean(values.features**2, axis=1))
        sizes = {CONSTANT: 1.0, **dict(enumerate(size.tolist()))}
        leads = [
            max(b, key=lambda s: abs(b[s]) * sizes[s], default=CONSTANT)
            for _, b in graph.outputs
        ]
        outputs = tuple(
            (_divided(a, scale), _divided(b, scale))
            for (a, b), scale in zip(graph.outputs, scales, strict=True)
        )
    fixed = graph.fixed | {(first + 2 * o + 1, lead) for o, lead in enumerate(leads)}
    return Graph(graph.n_inputs, graph.nodes, outputs, fixed, graph.ties)


def _typical(denominator: Array) -> float:
    """The mean of a denominator (N,), or that of its size where the sign changes."""
    mean, size = float(np.mean(denominator)), np.mean(np.abs(denominator))
    if abs(mean) < 0.1 * size:
        mean = float(size)
    return mean if math.isfinite(mean) and mean != 0.0 else 1.0
