"""One form for equal graphs: no dead or linear units, no arbitrary scales.

Different weights can mean the same function: a factor of a product can be scaled if the
product's users are scaled back, a sine's phase can be shifted by π, numerator and
denominator can be multiplied by one number. `compact` removes what does nothing, and
`normalise` chooses one of all equal sets of weights; neither changes an output.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from eqlearn._types import Array
from eqlearn.network.graph import (
    CONSTANT,
    COSINE,
    Connection,
    Graph,
    Linear,
    Node,
    Ties,
)
from eqlearn.network.kernels import evaluate, tape
from eqlearn.network.normal_units import (
    RULES,
    UnitForm,
    divided,
    normal_logarithm,
    with_lesser_constants,
)
from eqlearn.network.transform import multiplied_out
from eqlearn.network.units import unit


def canonical(graph: Graph, x: Array) -> Graph:
    """Bring a graph into the one form, over data `x` (D, N)."""
    tidy = _normalised_with_arcs(compact(graph), x)
    # Units that differed only by a sign, a scale or the order of factors are equal now.
    while _size(merged := compact(tidy)) < _size(tidy):
        tidy = _normalised_with_arcs(merged, x)
    return tidy


def _normalised_with_arcs(graph: Graph, x: Array) -> Graph:
    tidy = normalise(graph, x)
    chosen = with_lesser_constants(tidy)
    return tidy if chosen is tidy else normalise(chosen, x)


def _size(graph: Graph) -> tuple[int, int]:
    return len(graph.nodes), sum(map(len, graph.slots()))


def compact(graph: Graph) -> Graph:
    """Fold constants, linear units and equal units; drop what no output uses."""
    # What each old feature is, in terms of the new ones.
    meaning: list[Linear] = [{i: 1.0} for i in range(graph.n_inputs)]
    units = _Units(graph.n_inputs)
    for node in graph.nodes:
        arguments = [substituted(linear, meaning) for linear in node.arguments]
        meaning.append(units.put(node.unit, arguments))
    outputs = tuple(
        (substituted(a, meaning), substituted(b, meaning)) for a, b in graph.outputs
    )
    lifted = _with_lifted_quotients(Graph(graph.n_inputs, tuple(units.nodes), outputs))
    out = multiplied_out(lifted)
    # What has lost its constant may be a quotient alone, and part of a larger one.
    return _without_unused(out) if out == lifted else compact(out)


class _Units:
    """Units while a graph is made anew; each is there once."""

    def __init__(self, n_inputs: int) -> None:
        self.n_inputs = n_inputs
        self.nodes: list[Node] = []
        self._known: dict[object, int] = {}

    def put(self, unit: str, arguments: list[Linear]) -> Linear:
        """What a unit is as a linear combination, perhaps of itself alone."""
        if unit == "origin" and not self._has_origin(*arguments):
            return arguments[0]
        folded = _folded(unit, arguments)
        if folded is not None:
            return folded
        name, taken = _rewritten(unit, arguments)
        if name == "multiply":
            for own, other in (taken, taken[::-1]):
                quotient = _lone_quotient(own, self.nodes, self.n_inputs)
                if quotient is not None:  # (a / b) c is (a c) / b
                    return self._divided_product(own, quotient, other)
                if self._has_quotient_by(own, other):  # (a / b + c) b is a + c b
                    return self._sum_of_products(own, other)
        if name == "divide" and (whole := _whole_part(*taken)):
            rest = {s: w for s, w in taken[0].items() if s not in taken[1]}
            return _with_constant(self.put("divide", [rest, taken[1]]), whole)
        key = (name, tuple(tuple(sorted(linear.items())) for linear in taken))
        if key not in self._known:
            self._known[key] = self.n_inputs + len(self.nodes)
            self.nodes.append(Node(name, taken))
        return {self._known[key]: 1.0}

    def _has_origin(self, linear: Linear) -> bool:
        """Whether a sum is an input from somewhere: rewrites may put in what is not."""
        inputs = linear.keys() - {CONSTANT}
        return len(inputs) == 1 < len(linear) and max(inputs) < self.n_inputs

    def _has_quotient_by(self, own: Linear, other: Linear) -> bool:
        """Whether a sum has a quotient by this one feature among its terms."""
        if len(own) != 1 or CONSTANT in own or len(other) < 2:
            return False
        quotients = (
            _lone_quotient({source: 1.0}, self.nodes, self.n_inputs) for source in other
        )
        return any(
            q is not None and q.arguments[1].keys() == own.keys() for q in quotients
        )

    def _sum_of_products(self, own: Linear, other: Linear) -> Linear:
        total: dict[int, float] = {}
        for source, weight in other.items():
            for feature, one in self.put("multiply", [own, {source: weight}]).items():
                total[feature] = total.get(feature, 0.0) + one
        return {feature: weight for feature, weight in total.items() if weight != 0.0}

    def _divided_product(self, own: Linear, quotient: Node, other: Linear) -> Linear:
        ((_, weight),) = own.items()
        above = {s: weight * w for s, w in quotient.arguments[0].items()}
        if other.keys() == quotient.arguments[1].keys() and len(other) == 1:
            ((source, factor),) = other.items()  # (a / b) b is a
            share = factor / quotient.arguments[1][source]
            return {s: share * w for s, w in above.items()}
        product = self.put("multiply", [above, other])
        return self.put("divide", [product, quotient.arguments[1]])


def _with_lifted_quotients(graph: Graph) -> Graph:
    """An output that is one quotient, as a fraction; also one of two quotients."""
    nodes, outputs = list(graph.nodes), []
    for above, below in graph.outputs:
        # Without a denominator it has no value, and stays as it is.
        while (
            below
            and (quotient := _lone_quotient(above, graph.nodes, graph.n_inputs))
            is not None
        ):
            ((_, weight),) = above.items()
            above = {s: weight * w for s, w in quotient.arguments[0].items()}
            lower = quotient.arguments[1]
            if below.keys() == {CONSTANT}:
                below = {s: below[CONSTANT] * w for s, w in lower.items()}
            else:
                nodes.append(Node("multiply", (below, lower)))
                below = {graph.n_inputs + len(nodes) - 1: 1.0}
        outputs.append((above, below))
    return Graph(graph.n_inputs, tuple(nodes), tuple(outputs))


def _lone_quotient(linear: Linear, nodes: Sequence[Node], n_inputs: int) -> Node | None:
    """The quotient that a sum is, times a number, if it is one of something."""
    source = next(iter(linear), CONSTANT)
    if len(linear) != 1 or source < n_inputs:
        return None
    node = nodes[source - n_inputs]
    return node if node.unit == "divide" and node.arguments[1] else None


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
    if name == "identity" or (name == "origin" and CONSTANT not in arguments[0]):
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
        return divided(above, below[CONSTANT])
    if not above:
        return {}
    ratio = next(iter(above.values())) / below.get(next(iter(above)), math.inf)
    is_multiple = above.keys() == below.keys() and all(
        weight == ratio * below[source] for source, weight in above.items()
    )
    return {CONSTANT: ratio} if is_multiple else None


def _whole_part(above: Linear, below: Linear) -> float:
    """What a sum holds of the one feature that divides it: (a + c b) / b has c."""
    # Without a denominator, where terms cancelled, it is nowhere a number.
    source = next(iter(below), CONSTANT)
    if len(below) > 1 or source == CONSTANT or source not in above:
        return 0.0
    return above[source] / below[source]


def _with_constant(linear: Linear, constant: float) -> Linear:
    total = linear.get(CONSTANT, 0.0) + constant
    rest = {source: weight for source, weight in linear.items() if source != CONSTANT}
    return {CONSTANT: total, **rest} if total else rest


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

    What each unit leaves arbitrary is in `RULES`. Of each fraction the largest term of
    the denominator is fixed, such that the denominator is 1 on average over the data.
    """
    # By feature: the old one is so many times the new one, and so much more.
    factors = dict.fromkeys(range(CONSTANT, graph.n_inputs), 1.0)
    shifts: dict[int, float] = {}
    fixed: set[Connection] = set()
    turns: dict[int, float] = {}  # by slot: the sign a sine's argument was given
    nodes, slot = [], 0
    for k, node in enumerate(graph.nodes):
        arguments = [_restated(linear, factors, shifts) for linear in node.arguments]
        rule = RULES.get(node.unit, UnitForm)
        if rule is normal_logarithm and not _takes_a_shift(graph, graph.n_inputs + k):
            rule = UnitForm
        unit = rule(arguments)
        nodes.append(Node(node.unit, tuple(unit.arguments)))
        factors[graph.n_inputs + k] = unit.factor
        if unit.shift:
            shifts[graph.n_inputs + k] = unit.shift
        fixed |= {(slot + argument, source) for argument, source in unit.fixed}
        if unit.turn is not None:
            turns[slot] = unit.turn
        slot += len(arguments)
    outputs = tuple(
        (_restated(a, factors, shifts), _restated(b, factors, shifts))
        for a, b in graph.outputs
    )
    ties = {
        key: (lead, ratio * turns.get(key[0], 1.0) * turns.get(lead[0], 1.0))
        for key, (lead, ratio) in graph.ties.items()
    }
    scaled = Graph(graph.n_inputs, tuple(nodes), outputs, frozenset(fixed))
    tied = replace(scaled, ties=_still_tied(ties, scaled.slots(), fixed))
    return _with_unit_denominators(tied, x)


def _still_tied(ties: Ties, slots: Sequence[Linear], fixed: set[Connection]) -> Ties:
    """The ties, of squares between the weights that are free now.

    In other units another weight of both factors is the largest, and fixed.
    """
    found: dict[Connection, tuple[Connection, float]] = {}
    for follower, (lead, ratio) in ties.items():
        if follower not in fixed and lead not in fixed:
            found[follower] = lead, ratio
        elif slots[follower[0]] == slots[lead[0]]:
            for source in slots[lead[0]]:
                if (lead[0], source) not in fixed:
                    found[follower[0], source] = (lead[0], source), 1.0
    return found


def _restated(
    linear: Linear, factors: Mapping[int, float], shifts: Mapping[int, float]
) -> Linear:
    """A sum of the old features as one of the new."""
    restated = {source: weight * factors[source] for source, weight in linear.items()}
    moved = [weight * shifts[s] for s, weight in linear.items() if s in shifts]
    if moved:
        restated[CONSTANT] = restated.get(CONSTANT, 0.0) + sum(moved)
        if restated[CONSTANT] == 0.0:
            del restated[CONSTANT]
    return restated


def _takes_a_shift(graph: Graph, feature: int) -> bool:
    """Whether a constant beside this feature adds one parameter at most.

    An exponential makes a factor of it, and where there is one already it costs none.
    """
    exponents = {id(n.arguments[0]) for n in graph.nodes if n.unit == "exp"}
    users = [linear for linear in graph.slots() if feature in linear]
    new = [a for a in users if CONSTANT not in a and id(a) not in exponents]
    return len(new) <= 1


def displayed(graph: Graph, x: Array) -> Graph:
    """Normalise a graph such that denominators read 1 + ..., or have a weight 1."""
    graph = _with_ones_in_steps(normalise(graph, x))
    slots, fixed = graph.slots(), set(graph.fixed)
    for slot in range(graph.first_output_slot, len(slots), 2):
        numerator, denominator = slots[slot], slots[slot + 1]
        present = next(key for key in graph.fixed if key[0] == slot + 1)
        term = CONSTANT if CONSTANT in denominator else present[1]
        one = denominator[term]
        slots[slot] = divided(numerator, one)
        slots[slot + 1] = divided(denominator, one)
        fixed = fixed - {present} | {(slot + 1, term)}
    return graph.with_slots(slots, frozenset(fixed))


def _with_ones_in_steps(graph: Graph) -> Graph:
    """Steps beside something else as a/(1 + b exp(x)), not c/(d + exp(x))."""
    slots, fixed, below = graph.slots(), set(graph.fixed), 0
    exponentials = {
        k for k, node in enumerate(graph.nodes, graph.n_inputs) if node.unit == "exp"
    }
    tied = {key[0] for key in (*graph.ties, *(lead for lead, _ in graph.ties.values()))}
    for feature, node in enumerate(graph.nodes, graph.n_inputs):
        below += len(node.arguments)
        linear, slot = node.arguments[-1], below - 1
        one = linear.get(CONSTANT, 0.0)
        if node.unit != "divide" or one <= 0.0:
            continue
        users = [s for s, told in enumerate(slots) if feature in told]
        leads = {key for key in fixed if key[0] == slot}
        is_free = not tied & {slot, *users}
        is_free &= not any((s, feature) in fixed for s in users)
        if is_free and linear.keys() - {CONSTANT} <= exponentials and len(leads) == 1:
            slots[slot] = divided(linear, one)
            for s in users:
                slots[s] = {**slots[s], feature: slots[s][feature] / one}
            fixed = fixed - leads | {(slot, CONSTANT)}
    return graph.with_slots(slots, frozenset(fixed))


def _with_unit_denominators(graph: Graph, x: Array) -> Graph:
    """Scale every fraction, and fix the term of its denominator that counts most."""
    first = graph.first_output_slot
    outputs: tuple[tuple[Linear, Linear], ...]
    if all(b.keys() == {CONSTANT} for _, b in graph.outputs):
        outputs = tuple(
            (divided(a, b[CONSTANT]), {CONSTANT: 1.0}) for a, b in graph.outputs
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
            (divided(a, scale), divided(b, scale))
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
