"""A normal form of formulas made of sums, products, quotients, sines and cosines.

With sin z = (exp(iz) - exp(-iz)) / 2i every such formula is a fraction of two sums of
waves c · Π xⱼⁿʲ · exp(iA), where A is such a sum again. Products of sines become sums
by themselves, so equal formulas get equal forms, and no simplifier that might hang is
needed. Inputs are measured so that each runs from -1 to 1 over its range: then a
constant is as large as the difference it makes.
"""

import cmath
import math
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

import sympy

#: Powers of the inputs, one each.
Monomial = tuple[int, ...]
#: What a coefficient stands before: a monomial and the terms of A in exp(iA).
Wave: TypeAlias = tuple[Monomial, "Exponent"]
#: A in exp(iA), as waves with the real and imaginary parts of their coefficients.
Exponent: TypeAlias = tuple[tuple[Wave, tuple[float, float]], ...]
Sum: TypeAlias = dict[Wave, complex]
WaveFraction: TypeAlias = tuple[Sum, Sum]
#: The (low, high) of every input by name.
InputRanges = Mapping[str, tuple[float, float]]

#: Constants agree when they differ by at most half a unit of the third decimal.
TOLERANCE = 5e-4

_MOST_WORK = 300_000  # about two seconds; random expressions take up to 70 000
_HIGHEST_POWER = 16
_ROUNDING = 1e-12  # of the largest constant: the remainder of a cancellation


class NoNormalForm(Exception):
    """The formula has other functions in it, or grows too long when multiplied out."""


class _Work:
    """Counts steps rather than seconds, so that the answer is the same everywhere."""

    def __init__(self) -> None:
        self.left = _MOST_WORK

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise NoNormalForm("too long when multiplied out")


def fraction(
    expression: sympy.Expr, ranges: InputRanges, output_unit: float = 1.0
) -> WaveFraction:
    """Return numerator and denominator of an expression of inputs with given ranges.

    The largest constant of the denominator becomes 1, for a/b = (ca)/(cb).
    """
    numerator, denominator = _read(expression, ranges, _Work())
    if not denominator:
        raise NoNormalForm("division by zero")
    largest = max(denominator.values(), key=abs)
    return (
        _scaled(numerator, 1 / (largest * output_unit)),
        _scaled(denominator, 1 / largest),
    )


def agree(first: WaveFraction, second: WaveFraction) -> bool:
    """Tell whether two fractions are the same function, constants to three decimals."""
    work = _Work()
    left = _product(first[0], second[1], work)
    right = _product(second[0], first[1], work)
    return _vanishes([*left.items(), *_scaled(right, -1).items()], work)


def hidden_layers(expression: sympy.Expr, ranges: InputRanges) -> int:
    """Count the hidden layers with which a network can express a formula.

    A layer takes a sine or multiplies two features, so factors that need d₁, d₂, …
    layers are multiplied in d layers when Σ 2^dⱼ ≤ 2^d. The last division is free.
    """
    return max(map(_depth, fraction(expression, ranges)))


def _depth(terms: Iterable[Wave]) -> int:
    return max((_wave_depth(wave) for wave in terms), default=0)


def _wave_depth(wave: Wave) -> int:
    monomial, exponent = wave
    load = sum(monomial)
    if exponent:
        load += 2 ** (1 + _depth(inner for inner, _ in exponent))
    return math.ceil(math.log2(load)) if load else 0


def _read(node: sympy.Expr, ranges: InputRanges, work: _Work) -> WaveFraction:
    """Read an expression from its leaves upward."""
    none = _no_powers(ranges)
    if node.is_number:
        return _constant(_value(node), none), _constant(1, none)
    if node.is_Symbol:
        return _input(node.name, ranges), _constant(1, none)
    if node.func not in _READERS:
        raise NoNormalForm(f"no rule for {node.func.__name__}")
    return _READERS[node.func](node, ranges, work)


def _read_sum(node: sympy.Expr, ranges: InputRanges, work: _Work) -> WaveFraction:
    total: WaveFraction = ({}, _constant(1, _no_powers(ranges)))
    for part in node.args:
        total = _sum_of_fractions(total, _read(part, ranges, work), work)
    return total


def _read_product(node: sympy.Expr, ranges: InputRanges, work: _Work) -> WaveFraction:
    top = bottom = _constant(1, _no_powers(ranges))
    for part in node.args:
        over, under = _read(part, ranges, work)
        top, bottom = _product(top, over, work), _product(bottom, under, work)
    return top, bottom


def _read_power(node: sympy.Expr, ranges: InputRanges, work: _Work) -> WaveFraction:
    if not (node.exp.is_Integer and abs(node.exp) <= _HIGHEST_POWER):
        raise NoNormalForm(f"the power {node.exp}")
    over, under = _read(node.base, ranges, work)
    top = bottom = _constant(1, _no_powers(ranges))
    for _ in range(abs(int(node.exp))):
        top, bottom = _product(top, over, work), _product(bottom, under, work)
    return (top, bottom) if node.exp > 0 else (bottom, top)


def _read_sine(node: sympy.Expr, ranges: InputRanges, work: _Work) -> WaveFraction:
    forward, backward = _waves(node.args[0], ranges, work)
    waves = _sum(_scaled(forward, -0.5j), _scaled(backward, 0.5j))
    return waves, _constant(1, _no_powers(ranges))


def _read_cosine(node: sympy.Expr, ranges: InputRanges, work: _Work) -> WaveFraction:
    forward, backward = _waves(node.args[0], ranges, work)
    waves = _sum(_scaled(forward, 0.5), _scaled(backward, 0.5))
    return waves, _constant(1, _no_powers(ranges))


_READERS: dict[type, Callable[[sympy.Expr, InputRanges, _Work], WaveFraction]] = {
    sympy.Add: _read_sum,
    sympy.Mul: _read_product,
    sympy.Pow: _read_power,
    sympy.sin: _read_sine,
    sympy.cos: _read_cosine,
}


def _waves(argument: sympy.Expr, ranges: InputRanges, work: _Work) -> tuple[Sum, Sum]:
    """Return exp(iA) and exp(-iA); the constant in A becomes a phase."""
    still = (_no_powers(ranges), ())
    top, bottom = _read(argument, ranges, work)
    if set(bottom) != {still}:
        raise NoNormalForm("a quotient inside a sine or cosine")
    moving = _scaled(top, 1 / bottom[still])
    phase = moving.pop(still, 0)
    return (
        {(still[0], _exponent(moving)): cmath.exp(1j * phase)},
        {(still[0], _exponent(_scaled(moving, -1))): cmath.exp(-1j * phase)},
    )


def _no_powers(ranges: InputRanges) -> Monomial:
    return (0,) * len(ranges)


def _input(name: str, ranges: InputRanges) -> Sum:
    alone = tuple(int(other == name) for other in ranges)
    low, high = ranges[name]
    centre, half = (low + high) / 2, (high - low) / 2
    return {(alone, ()): half, **_constant(centre, _no_powers(ranges))}


def _value(node: sympy.Expr) -> complex:
    try:
        value = complex(node)
    except TypeError as error:
        raise NoNormalForm(f"{node} is not a number") from error
    if not cmath.isfinite(value):
        raise NoNormalForm(f"{node} is not finite")
    return value


def _constant(value: complex, none: Monomial) -> Sum:
    return {(none, ()): value} if value else {}


def _exponent(terms: Sum) -> Exponent:
    # Rounded, so that πx + πx and 2πx are one exponent; + 0.0 turns -0.0 into 0.0.
    rounded = (
        (wave, (round(c.real, 9) + 0.0, round(c.imag, 9) + 0.0))
        for wave, c in terms.items()
    )
    return tuple(sorted(term for term in rounded if any(term[1])))


def _scaled(terms: Sum, factor: complex) -> Sum:
    return {wave: factor * c for wave, c in terms.items()}


def _sum(first: Sum, second: Sum) -> Sum:
    total = dict(first)
    for wave, c in second.items():
        total[wave] = total.get(wave, 0) + c
    return _without_remainders(total, max(_largest(first), _largest(second)))


def _sum_of_fractions(
    first: WaveFraction, second: WaveFraction, work: _Work
) -> WaveFraction:
    if first[1] == second[1]:
        return _sum(first[0], second[0]), first[1]
    left = _product(first[0], second[1], work)
    right = _product(second[0], first[1], work)
    return _sum(left, right), _product(first[1], second[1], work)


def _product(first: Sum, second: Sum, work: _Work) -> Sum:
    work.spend(len(first) * len(second))
    total: Sum = {}
    for (powers, exponent), c in first.items():
        for (more_powers, more_exponent), d in second.items():
            monomial = tuple(map(sum, zip(powers, more_powers, strict=True)))
            wave = (monomial, _joined(exponent, more_exponent))
            total[wave] = total.get(wave, 0) + c * d
    return _without_remainders(total, _largest(first) * _largest(second))


def _largest(terms: Sum) -> float:
    return max(map(abs, terms.values()), default=0.0)


def _without_remainders(terms: Sum, size: float) -> Sum:
    return {wave: c for wave, c in terms.items() if abs(c) > _ROUNDING * size}


def _joined(first: Exponent, second: Exponent) -> Exponent:
    if not (first and second):
        return first or second
    return _exponent(_sum(_terms(first), _terms(second)))


def _terms(exponent: Exponent) -> Sum:
    return {wave: complex(*c) for wave, c in exponent}


def _vanishes(terms: list[tuple[Wave, complex]], work: _Work) -> bool:
    """Tell whether terms cancel once waves that agree are taken together."""
    gathered: list[tuple[Wave, complex]] = []
    for wave, c in sorted(terms, key=lambda term: -abs(term[1])):
        for i, (other, total) in enumerate(gathered):
            if wave[0] == other[0] and _same_exponent(wave[1], other[1], work):
                gathered[i] = (other, total + c)
                break
        else:
            gathered.append((wave, c))
    # a·sin z is two waves of size a/2
    return all(abs(c) * (2 if w[1] else 1) <= TOLERANCE for w, c in gathered)


def _same_exponent(first: Exponent, second: Exponent, work: _Work) -> bool:
    if first == second:
        return True
    work.spend(len(first) + len(second))
    difference = [*_terms(first).items(), *_scaled(_terms(second), -1).items()]
    return _vanishes(difference, work)
