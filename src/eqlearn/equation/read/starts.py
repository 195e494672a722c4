"""From a formula as a user wrote it to graphs where fits begin.

Numbers are where a fit begins. Letters that are no columns are free: they begin at
several places, each of the size of what it is added to or multiplied with.
"""

import math
import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.read.grammar import LIKE, Parsed, parsed
from eqlearn.equation.write.names import identifiers
from eqlearn.errors import must, unknown
from eqlearn.network.graph import CONSTANT, Graph, Linear, Node
from eqlearn.network.units import UNITS, unit

#: Where fits of a formula with free letters begin, and of one with free frequencies:
#: a fit finds a frequency only from within about half a wave over all of the data.
N_STARTS, N_OF_WAVES = 48, 128
#: Functions and operators of all starts together: a formula of hundreds begins at fewer
#: places, in a second or two.
_MOST_PARTS = 20_000
#: Rows that sizes are measured on.
_N_ROWS = 400
#: How far letters begin from the size of what is beside them, as powers of ten, and
#: up to how many radians inside a sine.
_SPREAD, _RADIANS = 1.0, 60.0
#: By how much letters are moved to see which weights follow.
_NUDGE = 1e-4
#: Names of numbers.
NUMBERS = {"pi": math.pi, "π": math.pi}
_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi rho "
    "sigma tau phi chi psi omega α β γ δ ε ζ η θ κ λ μ ν ξ ρ σ τ φ χ ψ ω"
).split()
_LETTER = re.compile(rf"([A-Za-z]|{'|'.join(_GREEK)})(_?\d{{1,3}})?")


def start_graphs(
    text: str, inputs: Sequence[str], x: Array, rng: np.random.Generator
) -> list[Graph]:
    """The graphs (of one output) that fits of a formula begin with, in data units.

    `x` (N, D) are rows of the inputs. A name is a column, or what is written for it in
    programs; other letters, like a, K or k1, are free. Weights that no letter makes are
    `fixed`: they are right as they stand, if the formula is.
    """
    tree = parsed(text)
    columns = columns_by_name(inputs)
    letters = sorted({name for name in tree.names() if name not in columns})
    letters = [name for name in letters if name not in NUMBERS]
    for name in letters:
        is_column = name.lower() in (column.lower() for column in columns)
        is_mistyped = name != name.lower() and is_column
        if is_mistyped or not _LETTER.fullmatch(name):
            raise unknown("guesses", name, columns, where=f"in {text!r}")
    _check_functions(text, tree)
    rows = np.asarray(x, dtype=float)[:_N_ROWS]
    waving = sorted({name for name in _inside_waves(tree) if name in letters})
    n_most = (N_OF_WAVES if waving else N_STARTS) if letters else 1
    draws = _draws(letters, waving, rng)
    built = (_held(tree, columns, values, rows) for values in draws)
    # Some begin where a logarithm or a root has no value: others are tried instead.
    n_tries = min(4 * n_most, 1 + _MOST_PARTS // (1 + sum(1 for _ in tree.functions())))
    found = [graph for graph in islice(built, n_tries) if graph is not None]
    if not found:
        hint = "Check logarithms, roots and divisions for these inputs."
        raise must("guesses", "formulas that have values on the data", text, hint)
    return found[:n_most]


def _held(
    tree: Parsed,
    columns: Mapping[str, int],
    letters: Mapping[str, float],
    rows: Array,
) -> Graph | None:
    """A formula in which the weights that follow no letter are fixed."""
    graph = _Building(columns, letters, rows).graph(tree)
    moved = {
        name: value * (1.0 + _NUDGE * (k + 1))
        for k, (name, value) in enumerate(letters.items())
    }
    other = _Building(columns, moved, rows).graph(tree) if graph and letters else graph
    if graph is None or other is None:
        return graph
    weights, changed = dict(graph.connections()), dict(other.connections())
    if weights.keys() != changed.keys():
        return graph
    return replace(
        graph, fixed=frozenset(k for k, w in weights.items() if w == changed[k])
    )


def composed_graph(
    tree: Parsed,
    columns: Mapping[str, int],
    letters: Mapping[str, float],
    rows: Array,
    functions: Mapping[str, Graph],
) -> Graph | None:
    """A formula that has formulas in it, by their names; None if it has no values.

    Letters have just these values, whatever is beside them.
    """
    used = list(tree.functions())
    repeated = {name for name in functions if used.count(name) > 1}
    return _Composing(columns, letters, rows[:_N_ROWS], functions, repeated).graph(tree)


def columns_by_name(inputs: Sequence[str]) -> dict[str, int]:
    """Where columns are, by their names and by what is written for these.

    A column `T [K]` is T, too, unless another is.
    """
    numbers = range(len(inputs))
    without_unit = [name.partition("[")[0].strip() for name in inputs]
    short = {
        name: at for at, name in enumerate(without_unit) if without_unit.count(name) < 2
    }
    safe = dict(zip(identifiers(inputs), numbers, strict=True))
    return {**short, **safe, **dict(zip(inputs, numbers, strict=True))}


def known_functions() -> tuple[str, ...]:
    """The names of functions that formulas may use."""
    return (*UNITS, *(name for name in _OPERATIONS if name not in _BINARY))


def _draws(
    letters: Sequence[str], waving: Sequence[str], rng: np.random.Generator
) -> Iterator[Mapping[str, float]]:
    """Values for free letters: first 1 for each, then of all sizes and both signs.

    Every other time those inside sines are drawn evenly: there they are hard to find.
    """
    yield dict.fromkeys(letters, 1.0)
    while letters:
        for is_even in (False, True):
            sizes = 10.0 ** rng.uniform(-_SPREAD, _SPREAD, len(letters))
            signs = rng.choice([-1.0, 1.0, 1.0], len(letters))
            values = dict(zip(letters, (sizes * signs).tolist(), strict=True))
            radians = rng.uniform(0.0, _RADIANS, len(waving)).tolist()
            yield values | dict(zip(waving, radians if is_even else (), strict=False))


def _inside_waves(tree: Parsed, is_inside: bool = False) -> Iterator[str]:
    """Names inside the arguments of functions that oscillate."""
    if tree.kind == "name" and is_inside:
        yield tree.text
    waves = tree.text == "tan" or (tree.text in UNITS and unit(tree.text).oscillates)
    for argument in tree.arguments:
        yield from _inside_waves(argument, is_inside or waves)


@dataclass(frozen=True)
class _Value:
    """What a part of a formula is: a sum of features."""

    linear: Linear
    is_free: bool = False  # made of letters and numbers only, with a letter in it

    @property
    def constant(self) -> float | None:
        """The number that it is, if it is one."""
        if self.linear.keys() <= {CONSTANT}:
            return self.linear.get(CONSTANT, 0.0)
        return None


class _Building:
    """A graph while it is built, with the values of its features on some rows."""

    def __init__(
        self,
        columns: Mapping[str, int],
        letters: Mapping[str, float],
        rows: Array,
        functions: Mapping[str, Graph] | None = None,
        repeated: Container[str] = (),
    ) -> None:
        self._columns, self._letters = columns, letters
        self._functions, self._repeated = functions or {}, repeated
        self._known: dict[str, _Value] = {}  # functions that are in it already
        self._n_inputs = rows.shape[1]
        self._nodes: list[Node] = []
        self._values = list(rows.T)

    def graph(self, tree: Parsed) -> Graph | None:
        """The whole formula; None if it has no value on most rows."""
        with np.errstate(all="ignore"):
            value = self._of(tree)
            if np.mean(np.isfinite(self._on_rows(value.linear))) < 0.5:
                return None
        output = dict(value.linear), {CONSTANT: 1.0}
        return Graph(self._n_inputs, tuple(self._nodes), (output,))

    def _of(self, tree: Parsed) -> _Value:
        if tree.kind == "number":
            return _Value({CONSTANT: tree.value})
        if tree.kind == "name":
            return self._named(tree.text)
        if tree.text in self._functions:
            return self._embedded(tree)
        arguments = [self._of(one) for one in tree.arguments]
        operation = _OPERATIONS.get(tree.text)
        if operation is not None:
            return operation(self, *arguments)
        return self.unit(tree.text, *arguments)

    def _embedded(self, tree: Parsed) -> _Value:
        """The value of a function that is a formula itself, of these arguments.

        One that is used several times is a unit, so that all use the same.
        """
        if tree.text in self._known:
            return self._known[tree.text]
        inner = self._functions[tree.text]
        places = dict(enumerate(self._of(one).linear for one in tree.arguments))
        places[CONSTANT] = {CONSTANT: 1.0}

        def outside(linear: Linear) -> Linear:
            total: dict[int, float] = {}
            for source, weight in linear.items():
                for place, factor in places[source].items():
                    total[place] = total.get(place, 0.0) + weight * factor
            return total

        for k, node in enumerate(inner.nodes):
            made = self.unit(node.unit, *(_Value(outside(a)) for a in node.arguments))
            places[inner.n_inputs + k] = made.linear
        ((numerator, denominator),) = inner.outputs
        found = self.divide(_Value(outside(numerator)), _Value(outside(denominator)))
        if tree.text in self._repeated and found.constant is None:
            found = self.unit("identity", found)
        self._known[tree.text] = found
        return found

    def _named(self, name: str) -> _Value:
        if name in self._columns:
            return _Value({self._columns[name]: 1.0})
        if name in NUMBERS:
            return _Value({CONSTANT: NUMBERS[name]})
        return _Value({CONSTANT: self._letters[name]}, is_free=True)

    def unit(self, name: str, *arguments: _Value) -> _Value:
        """A unit of these arguments; of numbers, a number."""
        numbers = [one.constant for one in arguments]
        if all(number is not None for number in numbers):
            value = float(unit(name)(np, *(np.float64(n) for n in numbers)))
            return _Value({CONSTANT: value}, any(one.is_free for one in arguments))
        linears = tuple(one.linear for one in arguments)
        self._nodes.append(Node(name, linears))
        self._values.append(unit(name)(np, *map(self._on_rows, linears)))
        return _Value({self._n_inputs + len(self._nodes) - 1: 1.0})

    def _on_rows(self, linear: Linear) -> Array:
        total = np.full(len(self._values[0]), linear.get(CONSTANT, 0.0))
        for source, weight in linear.items():
            if source != CONSTANT:
                total = total + weight * self._values[source]
        return total

    def size(self, value: _Value) -> float:
        """The usual size of a part of the formula on the rows."""
        numbers = self._on_rows(value.linear)
        numbers = numbers[np.isfinite(numbers)]
        size = float(np.sqrt(np.mean(numbers**2))) if len(numbers) else 1.0
        return size if math.isfinite(size) and size > 0 else 1.0

    def add(self, a: _Value, b: _Value, sign: float = 1.0) -> _Value:
        """The sum of two parts, or their difference; a letter gets the other's size."""
        if a.is_free != b.is_free and None in (a.constant, b.constant):
            if a.is_free:
                a = _scaled(a, self.size(b))
            else:
                b = _scaled(b, self.size(a))
        total = dict(a.linear)
        for source, weight in b.linear.items():
            total[source] = total.get(source, 0.0) + sign * weight
        is_constant = a.constant is not None and b.constant is not None
        total = {source: weight for source, weight in total.items() if weight}
        return _Value(total, is_constant and (a.is_free or b.is_free))

    def subtract(self, a: _Value, b: _Value) -> _Value:
        """The difference of two parts."""
        return self.add(a, b, -1.0)

    def multiply(self, a: _Value, b: _Value) -> _Value:
        """The product of two parts; what a letter multiplies comes to its own size."""
        for own, other in ((a, b), (b, a)):
            factor = own.constant
            if factor is not None:
                is_free = own.is_free and other.constant is None
                size = self.size(other) if is_free else 1.0
                scaled = _scaled(other, factor / size)
                return _Value(scaled.linear, _is_free_number(scaled, a, b))
        return self.unit("multiply", a, b)

    def divide(self, a: _Value, b: _Value) -> _Value:
        """The quotient of two parts."""
        divisor = b.constant
        if divisor is None:
            return self.unit("divide", a, b)
        inverse = 1.0 / divisor if divisor else math.nan
        return self.multiply(a, _Value({CONSTANT: inverse}, b.is_free))

    def power(self, base: _Value, exponent: _Value) -> _Value:
        """A power: by products where the exponent is whole, else by a logarithm."""
        number = exponent.constant
        if number is None or exponent.is_free:
            return self.unit("exp", self.multiply(exponent, self.unit("log", base)))
        if number == 0.5:
            return self.unit("sqrt", base)
        if not float(number).is_integer() or abs(number) > MOST_FACTORS:
            log = self.unit("log", base)
            return self.unit("exp", _scaled(log, number))
        found = _Value({CONSTANT: 1.0})
        for _ in range(abs(int(number))):
            found = self.multiply(found, base)
        return found if number >= 0 else self.divide(_Value({CONSTANT: 1.0}), found)

    def tan(self, z: _Value) -> _Value:
        """The tangent."""
        return self.divide(self.unit("sin", z), self.unit("cos", z))

    def sinh(self, z: _Value) -> _Value:
        """The hyperbolic sine."""
        grows, falls = self.unit("exp", z), self.unit("exp", _scaled(z, -1.0))
        return _scaled(self.subtract(grows, falls), 0.5)

    def cosh(self, z: _Value) -> _Value:
        """The hyperbolic cosine."""
        grows, falls = self.unit("exp", z), self.unit("exp", _scaled(z, -1.0))
        return _scaled(self.add(grows, falls), 0.5)

    def natural_logarithm(self, z: _Value) -> _Value:
        """The natural logarithm by its other name."""
        return self.unit("log", z)

    def logarithm_of_ten(self, z: _Value) -> _Value:
        """The logarithm to base ten."""
        return _scaled(self.unit("log", z), 1.0 / math.log(10.0))


class _Composing(_Building):
    """A graph whose letters are known: no size of anything changes them."""

    def size(self, value: _Value) -> float:
        """Of no matter."""
        del value
        return 1.0

    def power(self, base: _Value, exponent: _Value) -> _Value:
        """A power, whose base is one unit: its constants stand in one place."""
        times = exponent.constant
        is_whole = (
            times is not None and not exponent.is_free and float(times).is_integer()
        )
        if not is_whole or base.constant is not None or abs(times or 0) < 2:
            return super().power(base, exponent)
        if times == 2:
            return self.unit("square", base)
        return super().power(self.unit("identity", base), exponent)


#: Factors of the largest power that is written as a product.
MOST_FACTORS = 8


def _scaled(value: _Value, factor: float) -> _Value:
    linear = {source: factor * weight for source, weight in value.linear.items()}
    return _Value(linear, value.is_free)


def _is_free_number(product: _Value, a: _Value, b: _Value) -> bool:
    return product.constant is not None and (a.is_free or b.is_free)


#: What is no unit of its own, with the number of arguments: operators and functions.
_OPERATIONS: Mapping[str, Callable[..., _Value]] = {
    "+": _Building.add,
    "-": _Building.subtract,
    "*": _Building.multiply,
    "/": _Building.divide,
    "^": lambda self, base, exponent: self.power(base, exponent),
    "tan": _Building.tan,
    "sinh": _Building.sinh,
    "cosh": _Building.cosh,
    "ln": _Building.natural_logarithm,
    "log10": _Building.logarithm_of_ten,
}
_BINARY = frozenset("+-*/^")


def _check_functions(text: str, tree: Parsed) -> None:
    if tree.kind == "call" and tree.text not in _BINARY:
        if tree.text not in known_functions():
            where = f"in {text!r}"
            raise unknown("guesses", tree.text, known_functions(), where=where)
        arity = unit(tree.text).arity if tree.text in UNITS else 1
        if len(tree.arguments) != arity:
            what = f"{LIKE}, with {arity} argument{'s' * (arity > 1)} of {tree.text}"
            raise must("guesses", what, text)
    for argument in tree.arguments:
        _check_functions(text, argument)
