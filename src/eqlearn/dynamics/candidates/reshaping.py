"""Other forms of a formula: a term less, a term more, a function as a polynomial."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.refine.rewrites import factors_of
from eqlearn.network.canonical import canonical
from eqlearn.network.draft import Draft
from eqlearn.network.graph import (
    CONSTANT,
    COSINE,
    Connection,
    Graph,
    Linear,
    Node,
    sine_slots,
)
from eqlearn.network.kernels import evaluate, tape

#: A monomial: the inputs whose product it is, one as often as its power.
Powers = tuple[int, ...]

#: A phase so near to a cosine's means one.
_NEAR_COSINE = 0.5
#: Units that are not smooth curves of one argument.
_BINARY = ("multiply", "divide")


def monomials(n_inputs: int, degree: int) -> list[Powers]:
    """All products of up to `degree` inputs, the empty one first."""
    sizes = range(degree + 1)
    return [m for d in sizes for m in combinations_with_replacement(range(n_inputs), d)]


def put_monomial(draft: Draft, of: Powers, products: dict[Powers, int]) -> int:
    """The feature that is a monomial, made if it is not there."""
    if len(of) < 2:
        return of[0] if of else CONSTANT
    if of not in products:
        before = put_monomial(draft, of[:-1], products)
        products[of] = draft.add("multiply", {before: 1.0}, {of[-1]: 1.0})
    return products[of]


def without(graph: Graph, keys: Collection[Connection], x: Array) -> Graph | None:
    """The formula with some connections less; None if nothing is left, or all is.

    A phase near a cosine's becomes exactly that.
    """
    slots, angles, gone = graph.slots(), sine_slots(graph), set(keys)
    for slot, source in keys:
        phase = slots[slot].get(CONSTANT, 0.0)
        is_phase = slot in angles and source == CONSTANT
        if is_phase and 0.0 < abs(phase - COSINE) < _NEAR_COSINE:
            slots[slot] = {**slots[slot], CONSTANT: COSINE}
            gone.discard((slot, source))
    less = graph.with_slots(slots).without(gone)
    if any(not denominator for _, denominator in less.outputs):
        return None
    less = canonical(less, x)
    is_smaller = less.n_parameters < graph.n_parameters
    return less if is_smaller and not less.is_empty else None


def removable(graph: Graph) -> list[Connection]:
    """Fixed connections whose term could go as well: others share the sum."""
    slots = graph.slots()
    found = []
    for slot, source in sorted(graph.fixed):
        others = slots[slot].keys() - {source}
        is_inside = slot < graph.first_output_slot
        if (others - {CONSTANT}) if is_inside else others:
            found.append((slot, source))
    return found


def softened(graph: Graph, x: Array) -> Iterator[Graph]:
    """The formula with functions of one argument as polynomials of degree 1 to 3.

    Over a short way a sine or an exponential imitates a parabola well enough for rates;
    trajectories tell them apart.
    """
    values = evaluate(graph, tape(graph), x)
    slot = 0
    for k, node in enumerate(graph.nodes):
        feature = graph.n_inputs + k
        if node.unit not in _BINARY:
            z, y = values.slots[slot], values.features[feature]
            if np.isfinite(z).all() and np.isfinite(y).all():
                for degree in (1, 2, 3):
                    softer = _as_polynomial(graph, feature, node, z, y, degree)
                    if softer is not None:
                        yield canonical(softer, x)
        slot += len(node.arguments)


def _as_polynomial(
    graph: Graph, feature: int, node: Node, z: Array, y: Array, degree: int
) -> Graph | None:
    draft, inside = Draft(graph), node.arguments[0]
    weights = np.polynomial.Polynomial.fit(z, y, degree).convert().coef
    instead: dict[int, float] = {CONSTANT: float(weights[0])}
    for source, weight in inside.items():
        instead[source] = instead.get(source, 0.0) + float(weights[1]) * weight
    power: Linear = inside
    for weight in weights[2:]:
        power = {draft.add("multiply", power, inside): 1.0}
        (made,) = power
        instead[made] = float(weight)
    draft.replace(feature, instead)
    return draft.freeze()


def waved(graph: Graph, x: Array) -> Iterator[Graph]:
    """The formula with squares as cosines, and cubes beside their roots as sines.

    Of an angle that stays small, a series is all that rates show.
    """
    for slot, linear in enumerate(graph.slots()):
        if len(linear) == 1 and slot < graph.first_output_slot:
            continue  # a factor of a product, which would be another one
        for source in linear:
            factors = factors_of(graph, source) if source >= graph.n_inputs else []
            if len(set(factors)) == 1 and 0 <= factors[0] < graph.n_inputs:
                wave = _as_wave(graph, slot, source, factors)
                if wave is not None:
                    yield canonical(wave, x)


def _as_wave(graph: Graph, slot: int, source: int, factors: list[int]) -> Graph | None:
    draft, angle = Draft(graph), factors[0]
    linear = draft.slots()[slot]
    if len(factors) == 2:
        weight = linear.pop(source)
        cosine = draft.add("sin", {angle: 1.0, CONSTANT: COSINE})
        linear[cosine] = -2.0 * weight
        linear[CONSTANT] = linear.get(CONSTANT, 0.0) + 2.0 * weight
        return draft.freeze()
    if len(factors) == 3 and linear.get(angle, 0.0) * linear[source] < 0:
        del linear[source]
        linear[draft.add("sin", {angle: 1.0})] = linear.pop(angle)
        return draft.freeze()
    return None


class Letters(NamedTuple):
    """What monomials are made of: inputs, and sines and cosines of angles.

    The letters after the inputs are sine and cosine of the first angle, and so on.
    """

    n_inputs: int
    angles: tuple[int, ...] = ()

    def monomials(self, degree: int) -> list[Powers]:
        """Products of letters; an angle itself is none once its sine is there.

        Squares of sines are none either: they are 1 less those of cosines. Sine times
        cosine counts once: it is the sine of twice the angle.
        """
        every = monomials(self.n_inputs + 2 * len(self.angles), degree)
        sines = range(self.n_inputs, self.n_inputs + 2 * len(self.angles), 2)
        usable = [
            one
            for one in every
            if not set(one) & set(self.angles)
            and all(one.count(sine) < 2 for sine in sines)
        ]
        twice = [
            (*one[:-1], sine, sine + 1)
            for sine in sines
            for one in usable
            if len(one) == degree and one[-1] == sine and sine + 1 not in one
        ]
        return usable + twice

    def wave(self, letter: int) -> Node:
        """The unit that a letter after the inputs stands for."""
        angle, is_cosine = divmod(letter - self.n_inputs, 2)
        inside: Linear = {self.angles[angle]: 1.0}
        return Node("sin", ({**inside, CONSTANT: COSINE} if is_cosine else inside,))


def angles_of(graph: Graph) -> set[int]:
    """Inputs whose sines the formula has."""
    slots = graph.slots()
    sources = {source for slot in sine_slots(graph) for source in slots[slot]}
    return {source for source in sources if 0 <= source < graph.n_inputs}


def with_natural_angles(graph: Graph, near: float) -> Graph:
    """The formula with angles in its sines as they are: weights near 1 become 1."""
    slots, fixed = graph.slots(), set(graph.fixed)
    for slot in sine_slots(graph):
        linear = dict(slots[slot])
        for source, weight in linear.items():
            is_near = abs(abs(weight) - 1.0) < near
            if 0 <= source < graph.n_inputs and is_near:
                linear[source] = float(np.sign(weight))
                fixed.add((slot, source))
        slots[slot] = linear
    ties = {key: lead for key, lead in graph.ties.items() if key not in fixed}
    return replace(graph.with_slots(slots), fixed=frozenset(fixed), ties=ties)


def extended(
    graph: Graph, some: Sequence[Powers], letters: Letters | None = None
) -> tuple[Graph, list[Connection]]:
    """The formula with monomials of weight 0 above and below, and where they are.

    Nothing else changes, so the slopes by these weights tell what each would do.
    """
    first = graph.first_output_slot
    letters = letters or Letters(graph.n_inputs)
    sources, new = _products(some, graph.n_features, letters)
    n_slots = first + sum(len(node.arguments) for node in new)
    fixed = {(s if s < first else s + n_slots - first, f) for s, f in graph.fixed}
    slot = first
    for node in new:
        for linear in node.arguments:
            fixed |= {(slot, source) for source in linear}
            slot += 1
    above, below = (dict(linear) for linear in graph.outputs[0])
    added: list[Connection] = []
    for part, linear in ((0, above), (1, below)):
        for source in sources:
            if source not in linear:
                linear[source] = 0.0
                added.append((n_slots + part, source))
    ties = {key: lead for key, lead in graph.ties.items() if key[0] < first}
    nodes = (*graph.nodes, *new)
    return Graph(
        graph.n_inputs, nodes, ((above, below),), frozenset(fixed), ties
    ), added


def _products(
    some: Sequence[Powers], n_features: int, letters: Letters
) -> tuple[list[int], list[Node]]:
    """The feature of each monomial, and the units that are to be added for them."""
    nodes: list[Node] = []
    known: dict[Powers, int] = {}

    def put(of: Powers) -> int:
        if not of:
            return CONSTANT
        if len(of) == 1 and of[0] < letters.n_inputs:
            return of[0]
        if of not in known:
            if len(of) == 1:
                node = letters.wave(of[0])
            else:
                node = Node("multiply", ({put(of[:-1]): 1.0}, {put(of[-1:]): 1.0}))
            nodes.append(node)
            known[of] = n_features + len(nodes) - 1
        return known[of]

    return [put(one) for one in some], nodes
