"""What each unit leaves arbitrary, and how that is chosen: scales, signs, phases."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from eqlearn.network.graph import CONSTANT, COSINE, Connection, Graph, Linear

# A phase in (-π/2 + slack, π/2 + slack]: cosines, at π/2, are not at its edge.
_PHASE_SLACK = 0.3


class UnitForm(NamedTuple):
    """The arguments of a unit in their one form, and what is to be known about them."""

    arguments: list[Linear]
    factor: float = 1.0  # the unit as it was is so many times the new one
    shift: float = 0.0  # and so much more
    fixed: tuple[Connection, ...] = ()  # numbers of arguments, and sources
    turn: float | None = None  # of a sine: the sign its argument was given


def _normal_product(arguments: list[Linear]) -> UnitForm:
    """The largest weight of each factor is 1, and the factors are in order."""
    scales = [linear[_leading(linear)] for linear in arguments]
    factors = [divided(a, scale) for a, scale in zip(arguments, scales, strict=True)]
    factors.sort(key=lambda linear: (sorted(linear), sorted(linear.items())))
    fixed = tuple((place, _leading(linear)) for place, linear in enumerate(factors))
    return UnitForm(factors, math.prod(scales), fixed=fixed)


def _normal_quotient(arguments: list[Linear]) -> UnitForm:
    """The largest weight above and below is 1."""
    if not all(arguments):  # nothing above or below: the fit will see it
        return UnitForm(arguments)
    leads = [_leading_or_constant(linear) for linear in arguments]
    pairs = list(zip(arguments, leads, strict=True))
    above, below = (linear[lead] for linear, lead in pairs)
    scaled = [divided(linear, linear[lead]) for linear, lead in pairs]
    return UnitForm(scaled, above / below, fixed=tuple(enumerate(leads)))


def _normal_sine(arguments: list[Linear]) -> UnitForm:
    """The first weight is positive and the phase in a half circle a little above 0."""
    argument, sign, turn = _folded_phase(arguments[0])
    is_cosine = argument.get(CONSTANT) == COSINE
    fixed = ((0, CONSTANT),) if is_cosine else ()
    return UnitForm([argument], sign, fixed=fixed, turn=turn)


def _normal_exponential(arguments: list[Linear]) -> UnitForm:
    """The constant becomes a factor, unless that would be out of all proportion."""
    constant = arguments[0].get(CONSTANT, 0.0)
    if not abs(constant) < 50:
        return UnitForm(arguments)
    varying = {s: w for s, w in arguments[0].items() if s != CONSTANT}
    return UnitForm([varying], math.exp(constant))


def _normal_root(arguments: list[Linear]) -> UnitForm:
    """The largest weight is 1 or -1."""
    lead = _leading(arguments[0])
    scale = abs(arguments[0][lead])
    if not 0.0 < scale < math.inf:  # the fit will see it
        return UnitForm(arguments)
    scaled = divided(arguments[0], scale)
    return UnitForm([scaled], math.sqrt(scale), fixed=((0, lead),))


def normal_logarithm(arguments: list[Linear]) -> UnitForm:
    """The largest weight is 1 or -1; the logarithm of the scale goes to the users."""
    lead = _leading(arguments[0])
    scale = abs(arguments[0][lead])
    if not 0.0 < scale < math.inf:
        return UnitForm(arguments)
    scaled = divided(arguments[0], scale)
    return UnitForm([scaled], shift=math.log(scale), fixed=((0, lead),))


def _normal_origin(arguments: list[Linear]) -> UnitForm:
    """The input has the weight 1, and where it begins is given."""
    lead = _leading(arguments[0])
    scale = arguments[0][lead]
    fixed = tuple((0, source) for source in arguments[0])
    return UnitForm([divided(arguments[0], scale)], scale, fixed=fixed)


#: How a unit's arbitrary scales and signs are chosen; other units have none.
RULES: dict[str, Callable[[list[Linear]], UnitForm]] = {
    "multiply": _normal_product,
    "divide": _normal_quotient,
    "sin": _normal_sine,
    "exp": _normal_exponential,
    "sqrt": _normal_root,
    "log": normal_logarithm,
    "origin": _normal_origin,
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


def divided(linear: Linear, by: float) -> Linear:
    """A sum with each weight divided by a number."""
    return {source: weight / by for source, weight in linear.items()}


#: asin and acos of the same add up to it, so that one of them would be enough.
_QUARTER = math.pi / 2
_OTHER_ARC = {"asin": "acos", "acos": "asin"}
#: Units whose constant is no more of a parameter, or one of many equal ones.
_TAKE_ANY_CONSTANT = ("exp", "sin")


def with_lesser_constants(graph: Graph) -> Graph:
    """Write asin(u) for π/2 - acos(u), or so, wherever that takes less of a constant.

    Else a constant would be fitted for nothing. An arc with several users is left: what
    one of them gains, others may lose.
    """
    arcs = [k for k, node in enumerate(graph.nodes) if node.unit in _OTHER_ARC]
    if not arcs:
        return graph
    slots, nodes = graph.slots(), list(graph.nodes)
    open_slots = [
        name not in _TAKE_ANY_CONSTANT
        for node in nodes
        for name in [node.unit] * len(node.arguments)
    ]
    open_slots += [True] * (len(slots) - len(open_slots))
    for k in arcs:
        feature = graph.n_inputs + k
        users = [slot for slot, linear in enumerate(slots) if feature in linear]
        if len(users) != 1 or not open_slots[users[0]]:
            continue
        linear = slots[users[0]]
        weight, constant = linear[feature], linear.get(CONSTANT, 0.0)
        if abs(constant + _QUARTER * weight) < abs(constant):
            constant += _QUARTER * weight
            rest = {s: w for s, w in linear.items() if s != CONSTANT}
            turned = {**rest, feature: -weight}
            slots[users[0]] = {**turned, CONSTANT: constant} if constant else turned
            nodes[k] = replace(nodes[k], unit=_OTHER_ARC[nodes[k].unit])
    found = replace(graph, nodes=tuple(nodes)).with_slots(slots, graph.fixed)
    return graph if found == graph else found
