"""The dimension of every constant of a formula: the one that makes both sides match.

Where the scale of a sum is set by the form, by a weight that is no parameter, all that
is added to it has its dimension; what functions are of has none. Constants of groups,
which are the last inputs of a formula, get their dimensions likewise.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from eqlearn.knowledge.measuring.measures import PURE, Measure
from eqlearn.network.graph import CONSTANT, Connection, Graph, Linear

#: Powers that were fitted, as fractions that can be added up.
_MOST_DENOMINATOR = 1000
_HALF, _TWO, _MINUS = Fraction(1, 2), Fraction(2), Fraction(-1)


class InferredDimensions(NamedTuple):
    """What the constants of a formula are measured in, and what does not match."""

    measures: Mapping[Connection, Measure]  # of parameters, where it can be told
    mismatches: tuple[str, ...]
    of_groups: Mapping[int, Measure]  # of constants of groups, by number of input


class _Feature(NamedTuple):
    measure: Measure
    is_log: bool = False  # the logarithm of what is measured so
    letter: int | None = None  # the constant of a group that it is multiplied with


def constant_dimensions(
    graph: Graph, inputs: Sequence[Measure], target: Measure
) -> InferredDimensions:
    """Infer the dimensions of the constants of a formula in the units of the data.

    Inputs beyond those that are measured are constants of groups.
    """
    return _Inference(graph, inputs).of(target)


class _Inference:
    def __init__(self, graph: Graph, inputs: Sequence[Measure]) -> None:
        self._graph = graph
        self._features = [_Feature(one) for one in inputs]
        letters = range(len(inputs), graph.n_inputs)
        self._features += [_Feature(PURE, letter=number) for number in letters]
        self._letters: dict[int, Measure] = {}
        self._measures: dict[Connection, Measure] = {}
        self._mismatches: list[str] = []
        self._free = set(graph.parameters())

    def of(self, target: Measure) -> InferredDimensions:
        slot = 0
        for node in self._graph.nodes:
            slots = range(slot, slot + len(node.arguments))
            pairs = list(zip(slots, node.arguments, strict=True))
            self._features.append(self._unit(node.unit, pairs))
            slot += len(node.arguments)
        above, below = self._graph.outputs[0]
        divisor = self._sum(slot + 1, below, None)
        self._sum(slot, above, target.times(divisor))
        return InferredDimensions(
            self._measures, tuple(dict.fromkeys(self._mismatches)), self._letters
        )

    def _unit(self, unit: str, pairs: list[tuple[int, Linear]]) -> _Feature:
        if unit == "exp":
            return _Feature(self._exponential(*pairs[0]))
        if unit == "log":
            (slot, linear) = pairs[0]
            is_free = all((slot, source) in self._free for source in linear)
            return _Feature(self._sum(slot, linear, PURE if is_free else None), True)
        if unit == "multiply":
            return self._product(pairs)
        if unit in _ALGEBRAIC:
            taken = [self._sum(slot, linear, None) for slot, linear in pairs]
            return _Feature(_ALGEBRAIC[unit](*taken))
        for slot, linear in pairs:
            self._sum(slot, linear, PURE)
        return _Feature(PURE)

    def _product(self, pairs: list[tuple[int, Linear]]) -> _Feature:
        """Of a product with the constant of a group, the other factor is known."""
        total, letter = PURE, None
        for slot, linear in pairs:
            own = self._letter_alone(linear) if letter is None else None
            if own is None:
                total = total.times(self._sum(slot, linear, None))
                continue
            letter = own.letter
            total = total.times(own.measure)
        return _Feature(total, letter=letter)

    def _letter_alone(self, linear: Linear) -> _Feature | None:
        """A constant of a group, or a product with one, if nothing is added to it."""
        if len(linear) != 1 or CONSTANT in linear:
            return None
        (source,) = linear
        one = self._features[source]
        is_open = one.letter is not None and one.letter not in self._letters
        return one if is_open else None

    def _exponential(self, slot: int, linear: Linear) -> Measure:
        """Of powers, which are exponentials of logarithms, the dimension is known."""
        total, rest = PURE, {}
        for source, weight in linear.items():
            if source != CONSTANT and self._features[source].is_log:
                power = Fraction(weight).limit_denominator(_MOST_DENOMINATOR)
                total = total.times(self._features[source].measure, power)
                self._note(slot, source, PURE)
            else:
                rest[source] = weight
        self._sum(slot, rest, PURE)
        return total

    def _sum(self, slot: int, linear: Linear, required: Measure | None) -> Measure:
        """The measure of a sum; its weights get what is missing in their terms."""
        total = self._leading(slot, linear) if required is None else required
        for source in linear:
            one = _Feature(PURE) if source == CONSTANT else self._features[source]
            if one.letter is not None:
                missing = total.times(one.measure, _MINUS)
                known = self._letters.setdefault(one.letter, missing)
                one = _Feature(one.measure.times(known))
            if one.is_log and not one.measure.is_pure:
                if CONSTANT not in linear:
                    self._mismatches.append(f"the logarithm of {one.measure}")
                self._note(slot, source, total)
                continue
            self._note(slot, source, total.times(one.measure, _MINUS))
        return total

    def _leading(self, slot: int, linear: Linear) -> Measure:
        fixed = [source for source in linear if (slot, source) not in self._free]
        others = [source for source in linear if source != CONSTANT]
        for source in (*fixed, *others):
            if source == CONSTANT:
                return PURE
            one = self._features[source]
            if one.letter is None:
                return PURE if one.is_log else one.measure
            if one.letter in self._letters:
                return one.measure.times(self._letters[one.letter])
        return PURE

    def _note(self, slot: int, source: int, own: Measure) -> None:
        if (slot, source) in self._free:
            self._measures[slot, source] = own
        elif not own.is_pure and (slot, source) not in self._graph.ties:
            self._mismatches.append(f"{own} where there is a pure number")


_ALGEBRAIC: Mapping[str, Callable[..., Measure]] = {
    "identity": lambda z: z,
    "origin": lambda z: z,
    "divide": lambda a, b: a.times(b, _MINUS),
    "square": lambda z: PURE.times(z, _TWO),
    "sqrt": lambda z: PURE.times(z, _HALF),
}
