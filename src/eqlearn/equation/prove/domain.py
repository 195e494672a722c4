"""What is guaranteed of a formula in the domain of use: no pole, and how large it gets.

The paper penalises poles where training looks. Here a finished formula is examined:
points are searched for a pole, and intervals prove that there is none.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.prove.extremes import spread, zeros_between
from eqlearn.equation.prove.subgraph import Fraction, Part, part_of
from eqlearn.equation.write.names import visible
from eqlearn.errors import must
from eqlearn.network.graph import CONSTANT, Graph, Linear, Node
from eqlearn.network.units import unit

#: How many boxes each proof may take: some tenths of a second.
N_BOXES = 4_000
#: Along how many lines a zero of the denominator is looked for.
N_LINES = 64
#: Inputs and connections of the largest formula that is examined; others get a glance.
LARGEST_EXAMINED = 200
MOST_EXAMINED = 12  # quotients, logarithms and roots, each with a proof of its own
_N_GLANCES = 64
#: Inputs of a point that are named.
_MOST_NAMED = 12
#: A denominator that falls to this share of its largest value touches zero.
TOUCHES = 1e-12
#: A numerator that falls to this share of its largest value is zero.
VANISHES = 1e-9
#: Where its sign changes, a continuous denominator is at most this share of its size at
#: the ends of the line.
CONTINUOUS = 1e-6

PoleVerdict = Literal["proved", "pole found", "not decided"]

_ONE: Linear = {CONSTANT: 1.0}


class Extreme(NamedTuple):
    """The smallest or largest value found, where, and the bound proved for all values.

    The value is NaN if there is none anywhere; a bound of 0, ∞ or -∞ says nothing.
    """

    value: float
    point: tuple[float, ...]
    bound: float


class Pole(NamedTuple):
    """A point where the denominator is zero, up to rounding.

    Of several it is the one with the largest numerator, so `is_removable` (0/0, with a
    limit) speaks for all that were found.
    """

    point: tuple[float, ...]
    numerator: float
    is_removable: bool


class Argument(NamedTuple):
    """What must stay above zero for a unit to be defined.

    Of log and sqrt it is the argument, of asin and acos its distance from -1 and 1, and
    of a quotient the size of what is divided by.
    """

    unit: str
    smallest: Extreme

    @property
    def is_proved(self) -> bool:
        """Whether the unit is defined in the whole domain."""
        # A root is defined at zero, which a sum of squares may reach.
        reaches = self.unit in _DEFINED_AT_ZERO and self.smallest.bound == 0
        return self.smallest.bound > 0 or reaches


_DEFINED_AT_ZERO = ("sqrt", "asin", "acos")


@dataclass(frozen=True)
class OutputReport:
    """What is known of one output for all inputs of the domain.

    `denominator` is the smallest size of the denominator and `sign` its sign, 0 if it
    changes. `output` is the largest size of the output, ∞ at a pole. What is proved is
    proved wherever the `arguments` allow a value at all.
    """

    domain: tuple[tuple[float, float], ...]
    used: tuple[int, ...]  # the inputs it depends on
    verdict: PoleVerdict
    sign: int
    denominator: Extreme
    is_constant: bool  # the denominator depends on no input
    pole: Pole | None
    output: Extreme
    arguments: tuple[Argument, ...]

    @property
    def has_pole(self) -> bool:
        """Whether a denominator, of the output or inside, is zero somewhere."""
        inside = (a.smallest.value for a in self.arguments if a.unit == "divide")
        return self.pole is not None or any(value <= 0 for value in inside)

    @property
    def is_safe(self) -> bool:
        """Whether it is proved that there is a value in the whole domain."""
        is_defined = all(a.is_proved for a in self.arguments)
        return self.verdict == "proved" and is_defined and self.is_finite

    @property
    def is_finite(self) -> bool:
        """Whether it is proved that nothing on the way grows beyond all numbers."""
        return math.isfinite(self.output.bound)

    def in_words(self, names: Sequence[str]) -> str:
        """Say it in one line, with the names of the inputs."""
        shown = [visible(name, number) for number, name in enumerate(names)]
        is_inside = self.has_pole and self.pole is None
        about = _about_inner_pole if is_inside else _WORDS[self.verdict]
        pieces = [about(self, shown)]
        about_inside = (_about_argument(self, a, shown) for a in self.arguments)
        pieces += dict.fromkeys(about_inside)  # each once
        if self.verdict == "proved" and not self.is_finite:
            pieces.append(_about_size(self, shown))
        return "; ".join(pieces)

    def __str__(self) -> str:
        return self.in_words([f"x{d + 1}" for d in range(len(self.domain))])


def domain_report(
    graph: Graph, low: Array, high: Array, *, n_boxes: int = N_BOXES
) -> tuple[OutputReport, ...]:
    """Examine each output for all inputs between `low` and `high`.

    Parameters
    ----------
    graph : Graph
        The formula, in the units of the data.
    low, high : array of shape (D,)
        The domain of use; an input may have a single value.
    n_boxes : int
        How many boxes each proof may take, about. There is no limit in seconds, so
        that the answer is the same on every machine.
    """
    low, high = _checked(graph, low, high)
    if n_boxes < 1:
        raise must("n_boxes", "at least 1", n_boxes)
    return tuple(_report(graph, pair, low, high, n_boxes) for pair in graph.outputs)


def _checked(graph: Graph, low: Array, high: Array) -> tuple[Array, Array]:
    ends = []
    for name, given in (("low", low), ("high", high)):
        end = np.asarray(given, dtype=float)
        if end.shape != (graph.n_inputs,):
            raise must(name, f"of shape ({graph.n_inputs},), one per input", end)
        if not np.all(np.isfinite(end)):
            raise must(name, "finite", end.tolist(), "Give every input a range.")
        ends.append(end)
    for number, (least, most) in enumerate(zip(*ends, strict=True)):
        if least > most:
            where = f"for input {number + 1}"
            raise must("high", f"at least `low`, {least:g}", most, where=where)
    return ends[0], ends[1]


def _report(
    graph: Graph, output: Fraction, low: Array, high: Array, n_boxes: int
) -> OutputReport:
    a, b = output
    cut = partial(part_of, graph, low, high)
    both, divisor = cut((a, _ONE), (b, _ONE)), cut((b, _ONE))
    n_inside = sum(_may_be_undefined(node) for node in _nodes_of(graph, output))
    if both.size > LARGEST_EXAMINED or n_inside > MOST_EXAMINED:
        return _glance(both, divisor, low, high, n_inside)
    sign, denominator, zeros = _denominator(both, divisor, n_boxes)
    pole = _worst(both, zeros) if len(zeros) else None
    verdict: PoleVerdict = "proved" if denominator.bound > 0 else "not decided"
    return OutputReport(
        domain=tuple(zip(low.tolist(), high.tolist(), strict=True)),
        used=tuple(both.inputs),
        verdict="pole found" if pole else verdict,
        sign=sign,
        denominator=denominator,
        is_constant=not divisor.inputs,
        pole=pole,
        output=_output(cut(output), verdict, pole, n_boxes),
        arguments=tuple(_arguments(graph, output, cut, n_boxes)),
    )


def _glance(
    both: Part, divisor: Part, low: Array, high: Array, n_inside: int
) -> OutputReport:
    """Report on what no search finds, but a file may hold; little is known of it."""
    points = spread(both.low, both.high, _N_GLANCES)
    a, b = both.values(points)
    is_constant = not divisor.inputs
    with np.errstate(all="ignore"):
        output = _most(both, points, np.abs(a / b))
    denominator = _most(both, points, -np.abs(b))
    denominator = denominator._replace(value=abs(denominator.value))
    signs = set(np.sign(b[np.isfinite(b)]).tolist())
    is_proved = is_constant and denominator.value > 0 and not n_inside
    bound = denominator.value if is_proved else 0.0
    return OutputReport(
        domain=tuple(zip(low.tolist(), high.tolist(), strict=True)),
        used=tuple(both.inputs),
        verdict="proved" if bound > 0 else "not decided",
        sign=int(signs.pop()) if len(signs) == 1 else 0,
        denominator=denominator._replace(bound=bound),
        is_constant=is_constant,
        pole=None,
        output=output,
        arguments=(),
    )


def _most(both: Part, points: Array, values: Array) -> Extreme:
    """The largest of the finite values, and where it is taken."""
    known = np.where(np.isfinite(values), values, -math.inf)
    best = int(np.argmax(known))
    value = float(known[best]) if math.isfinite(known[best]) else math.nan
    return Extreme(value, both.place(points[best]), math.inf)


def _denominator(both: Part, divisor: Part, n_boxes: int) -> tuple[int, Extreme, Array]:
    """The sign of the denominator, its smallest size, and the zeros (K, D) found."""
    points = both.spread()
    b = both.values(points)[1]
    above, below, none = points[b > 0], points[b < 0], points[:0]
    if len(above) and len(below):
        return _crossed(both, below, above)
    sign = -1 if len(below) else 1
    value, point = both.smallest(lambda values: sign * values[1])
    extreme = Extreme(value, both.place(point), 0.0)
    if math.isnan(value):
        return 0, extreme, none
    if value > 0:
        bound = divisor.bound(sign, n_boxes)
        if bound.lower > 0:
            return sign, extreme._replace(bound=bound.lower), none
        if bound.upper < 0:
            value = bound.upper
            point = np.array(divisor.place(bound.point))[both.inputs]
    if value < 0:
        others = above if sign > 0 else below
        if not len(others):  # it has a value hardly anywhere, and that was found late
            return 0, Extreme(abs(value), both.place(point), 0.0), none
        ends = point[None], others
        return _crossed(both, *ends[::sign])
    touches = value <= TOUCHES * np.abs(b[np.isfinite(b)]).max(initial=0.0)
    return sign, extreme, point[None] if touches else none


def _crossed(both: Part, below: Array, above: Array) -> tuple[int, Extreme, Array]:
    """Find zeros on lines between points where the denominator has opposite signs."""
    ends = [
        points[np.linspace(0, len(points) - 1, N_LINES).astype(int)]
        for points in (below, above)
    ]
    zeros = zeros_between(lambda x: both.values(x)[1], *ends)
    sizes = [np.abs(both.values(points)[1]) for points in (zeros, *ends)]
    # It may also jump, or not be defined between the points.
    is_zero = sizes[0] <= CONTINUOUS * np.maximum(sizes[1], sizes[2])
    if not is_zero.any():
        value, point = both.smallest(lambda values: np.abs(values[1]))
        return 0, Extreme(value, both.place(point), 0.0), zeros[:0]
    zeros, size = zeros[is_zero], sizes[0][is_zero]
    least = int(np.argmin(size))
    return 0, Extreme(float(size[least]), both.place(zeros[least]), 0.0), zeros


def _worst(both: Part, zeros: Array) -> Pole:
    """The zero of the denominator where the numerator is largest."""
    a = both.values(zeros)[0]
    worst = int(np.argmax(np.nan_to_num(np.abs(a), nan=0.0)))
    points = both.spread()
    sizes = np.abs(both.values(points)[0])
    largest = sizes[np.isfinite(sizes)].max(initial=0.0)
    vanishes = abs(a[worst]) <= VANISHES * largest
    # Where the numerator is zero too, it may still fall too slowly, as in sin(x) / x².
    lines = points[:N_LINES] - zeros[worst]
    far, near = (_typical_ratio(both, zeros[worst] + h * lines) for h in (1e-3, 1e-5))
    is_removable = bool(vanishes and near <= 10 * far)
    return Pole(both.place(zeros[worst]), float(a[worst]), is_removable)


def _typical_ratio(both: Part, points: Array) -> float:
    with np.errstate(all="ignore"):
        sizes = np.abs(np.divide(*both.values(points)))
    sizes = sizes[np.isfinite(sizes)]
    return float(np.median(sizes)) if len(sizes) else math.nan


def _output(
    part: Part, verdict: PoleVerdict, pole: Pole | None, n_boxes: int
) -> Extreme:
    """The largest size of the output."""
    if pole and not pole.is_removable:
        return Extreme(math.inf, pole.point, math.inf)
    value, point = part.smallest(lambda values: -np.abs(values[0]))
    extreme = Extreme(abs(value), part.place(point), math.inf)
    if verdict != "proved":
        return extreme
    half = max(n_boxes // 2, 1)
    lowest, minus_highest = (part.bound(sign, half).lower for sign in (1, -1))
    return extreme._replace(bound=-min(lowest, minus_highest))


def _arguments(
    graph: Graph, output: Fraction, cut: Callable[[Fraction], Part], n_boxes: int
) -> Iterable[Argument]:
    for node in _nodes_of(graph, output):
        for linear in _must_be_positive(node, cut):
            part = cut((linear, _ONE))
            value, point = part.smallest(lambda values: values[0])
            bound = part.bound(1, n_boxes).lower if value >= 0 else -math.inf
            yield Argument(node.unit, Extreme(value, part.place(point), bound))


def _nodes_of(graph: Graph, output: Fraction) -> list[Node]:
    """The units that an output depends on."""
    n = graph.n_inputs
    return [graph.nodes[k - n] for k in graph.ancestors(output) if k >= n]


def _may_be_undefined(node: Node) -> bool:
    """Whether a unit has no value for some arguments."""
    return bool(unit(node.unit).positive) or node.unit in ("asin", "acos", "divide")


def _must_be_positive(node: Node, cut: Callable[[Fraction], Part]) -> list[Linear]:
    """What has to stay above zero, or at it, for a unit to have a value."""
    if unit(node.unit).positive:
        return [*node.arguments]
    if node.unit in ("asin", "acos"):
        (z,) = node.arguments
        one = 1.0 + z.get(CONSTANT, 0.0), 1.0 - z.get(CONSTANT, 0.0)
        return [
            {**_negative(z, -1.0), CONSTANT: one[0]},
            {**_negative(z), CONSTANT: one[1]},
        ]
    if node.unit == "divide":
        below = node.arguments[1]
        part = cut((below, _ONE))
        seen = part.values(part.spread())[0]
        is_mostly_below = np.sum(seen < 0) > np.sum(seen > 0)
        return [_negative(below) if is_mostly_below else below]
    return []


def _negative(linear: Linear, factor: float = 1.0) -> Linear:
    return {source: -factor * weight for source, weight in linear.items()}


def _about_proof(report: OutputReport, names: Sequence[str]) -> str:
    if report.is_constant:
        return "no pole: the denominator is constant (proved)"
    bound = _rounded_down(report.denominator.bound)
    stays = f"above {bound:g}" if report.sign > 0 else f"below {-bound:g}"
    ranges = _listed([_range(names[d], *report.domain[d]) for d in report.used])
    return f"no pole: the denominator stays {stays} for all {ranges} (proved)"


def _about_pole(report: OutputReport, names: Sequence[str]) -> str:
    assert report.pole is not None
    where = f"the denominator is 0{_at(report, report.pole.point, names)}"
    if report.pole.is_removable:
        return f"0/0: {where}, and so is the numerator"
    return f"pole: {where}, where the numerator is {report.pole.numerator:.3g}"


def _about_inner_pole(report: OutputReport, names: Sequence[str]) -> str:
    del report, names  # the argument that is zero is named beside this
    return "pole: a denominator inside is 0"


def _about_doubt(report: OutputReport, names: Sequence[str]) -> str:
    value, point, _ = report.denominator
    if math.isnan(value):
        return "not decided: the denominator has no value anywhere we looked"
    where = _at(report, point, names)
    return (
        f"not decided: the smallest denominator found is {value:.3g}{where}, but "
        "smaller ones are not ruled out"
    )


_WORDS: dict[PoleVerdict, Callable[[OutputReport, Sequence[str]], str]] = {
    "proved": _about_proof,
    "pole found": _about_pole,
    "not decided": _about_doubt,
}


def _about_size(report: OutputReport, names: Sequence[str]) -> str:
    value, point, _ = report.output
    found = f"{value:.3g} is reached{_at(report, point, names)}"
    return f"values may be too large to compute: {found}"


def _about_argument(
    report: OutputReport, argument: Argument, names: Sequence[str]
) -> str:
    value, point, bound = argument.smallest
    start = _CALLED.get(argument.unit, f"the argument of {argument.unit}")
    if argument.is_proved:
        return f"{start} never falls below {_rounded_down(bound):g} (proved)"
    return f"{start} falls to {value:.3g}{_at(report, point, names)}"


_CALLED = {
    "divide": "what is divided by inside",
    "asin": "the distance of asin's argument from -1 and 1",
    "acos": "the distance of acos's argument from -1 and 1",
}


def _at(report: OutputReport, point: Sequence[float], names: Sequence[str]) -> str:
    places = []
    for d in report.used:
        # A zero found by bisection is not worth its digits: 1e-30 in [-1, 1] is 0.
        is_zero = abs(point[d]) < TOUCHES * max(map(abs, report.domain[d]))
        places.append(f"{names[d]} = {0 if is_zero else point[d]:.6g}")
    return f" at {_listed(places)}" if places else ""


def _listed(parts: Sequence[str]) -> str:
    more = len(parts) - _MOST_NAMED
    return ", ".join(parts[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _range(name: str, low: float, high: float) -> str:
    return f"{name} in [{low:.6g}, {high:.6g}]"


def _rounded_down(value: float) -> float:
    """Keep a bound true when it is shown with three digits."""
    return float(Context(prec=3, rounding=ROUND_FLOOR).create_decimal(value))
