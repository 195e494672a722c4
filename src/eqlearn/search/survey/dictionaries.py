"""Dictionaries that sums are picked from: monomials, and atoms times monomials."""

import itertools
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from eqlearn._types import Array
from eqlearn.search.attempts.monomials import Exponents
from eqlearn.search.survey.pursuit import Dictionary, WeightedRows
from eqlearn.search.survey.terms import Atom, Summand

# Powers by what they count in the size of a monomial.
_POWERS: tuple[tuple[float, int], ...] = (
    (0.0, 0),
    *((1.0, 1), (-1.0, 1), (0.5, 2), (-0.5, 2)),
    *((2.0, 2), (-2.0, 2), (1.5, 3), (-1.5, 3)),
    *((sign * k, k) for k in range(3, 13) for sign in (1.0, -1.0)),
)


# Columns of a dictionary, and so half a gigabyte at most.
_MOST = 80_000


def exponents_up_to(
    size: int, positive: Sequence[bool], most: int, halves: bool = True
) -> list[Exponents]:
    """All exponents of inputs up to a size, the smallest first.

    Only of a positive input there are negative and half powers.
    """
    found: list[tuple[int, Exponents]] = [(0, ())]
    for is_positive in positive:
        powers = [
            (power, cost)
            for power, cost in _POWERS
            if is_positive or (power >= 0 and float(power).is_integer())
            if halves or float(power).is_integer()
        ]
        found = [
            (total + cost, (*exponents, power))
            for total, exponents in found
            for power, cost in powers
            if total + cost <= size
        ]
    found.sort(key=lambda one: (one[0], tuple(-e for e in one[1])))
    return [exponents for _, exponents in found[:most]]


def monomials(x: Array, exponents: Sequence[Exponents]) -> Array:
    """Values (K, N) of monomials at `x` (D, N)."""
    with np.errstate(all="ignore"):
        size = np.exp(np.array(exponents) @ np.log(np.maximum(np.abs(x), 1e-300)))
    odd = np.array(exponents) % 2 == 1
    negative = (odd.astype(int) @ (x < 0).astype(int)) % 2 == 1
    values: Array = np.where(negative, -size, size)
    return values


def positive_rows(x: Array) -> list[bool]:
    """Which inputs, the rows of `x`, are above zero."""
    return [bool(row.min() > 0) for row in x]


def sums(
    data: WeightedRows, size: int, largest_beside_log: float = 2.0, halves: bool = True
) -> Dictionary:
    """Monomials up to a size, and small ones times the logarithm of an input."""
    positive = positive_rows(data.x)
    exponents = exponents_up_to(size, positive, _MOST, halves)
    values = monomials(data.x, exponents)
    terms = [Summand(e) for e in exponents]
    blocks = [values]
    sizes = [sum(map(abs, e)) for e in exponents]
    small = [k for k, own in enumerate(sizes) if own <= largest_beside_log]
    for i, is_positive in enumerate(positive):
        if is_positive:
            log = data.logarithm(i)
            blocks.append(values[small] * log.values(data.x))
            terms += [Summand(exponents[k], (log,)) for k in small]
    return Dictionary.of(terms, np.concatenate(blocks), data.root)


def whole_sums(data: WeightedRows, size: int) -> Dictionary:
    """Monomials with whole powers up to a size, and logarithms, times an input each."""
    return sums(data, size, largest_beside_log=1.0, halves=False)


def _only(n: int, i: int, power: float = 1.0) -> Exponents:
    return tuple(power if j == i else 0.0 for j in range(n))


def plain_terms(size: int, positive: Sequence[bool]) -> list[Summand]:
    """Monomials with whole powers up to a size."""
    return [Summand(e) for e in exponents_up_to(size, positive, _MOST, halves=False)]


# The largest power, up or down, of a single input.
_MOST_OF_ONE = 4


def small_terms(degree: int, data: WeightedRows) -> list[Summand]:
    """Products of inputs up to a degree, 1/x, log x and log x times other inputs.

    Of degree one there are no products of two, nor of a logarithm with anything.
    Of a single input there are more powers: they are few all the same.
    """
    positive, n = positive_rows(data.x), len(data.x)
    if n == 1:
        lowest = -_MOST_OF_ONE if positive[0] else 0
        terms = [Summand((float(power),)) for power in range(lowest, _MOST_OF_ONE + 1)]
        log = data.logarithm(0)
        return terms + [
            Summand((power,), (log,)) for power in (0.0, 1.0) if positive[0]
        ]
    terms = [Summand(e) for e in _products(n, degree)]
    terms += [Summand(_only(n, i, -1.0)) for i in range(n) if positive[i]]
    for i in (i for i, is_positive in enumerate(positive) if is_positive):
        log = data.logarithm(i)
        terms.append(Summand((0.0,) * n, (log,)))
        if degree > 1:
            with_log = [j for j in range(n) if n <= 5 or j == i]
            terms += [Summand(_only(n, j), (log,)) for j in with_log]
    return terms


def _products(n: int, degree: int) -> list[Exponents]:
    return [
        tuple(float(chosen.count(i)) for i in range(n))
        for size in range(degree + 1)
        for chosen in itertools.combinations_with_replacement(range(n), size)
    ]


def arguments(positive: Sequence[bool]) -> list[Exponents]:
    """Small monomials that stand inside of functions: x, x², 1/x, xy, x/y, xy/z."""
    n = len(positive)
    found = [_only(n, i, power) for i in range(n) for power in (1.0, 2.0, -1.0)]
    for i, j in itertools.combinations(range(n), 2):
        for powers in ((1, 1), (1, -1), (-1, 1), (2, -1), (-1, 2), (2, -2), (-2, 2)):
            found.append(_placed(n, (i, j), powers))
    for three in itertools.combinations(range(n), 3):
        for signs in itertools.product((1, -1), repeat=3):
            if max(signs) > 0:
                found.append(_placed(n, three, signs))
    return [
        e for e in found if all(p >= 0 or ok for p, ok in zip(e, positive, strict=True))
    ]


def _placed(n: int, places: Sequence[int], powers: Sequence[int]) -> Exponents:
    found = [0.0] * n
    for place, power in zip(places, powers, strict=True):
        found[place] = float(power)
    return tuple(found)


_DOUBLING = np.array([0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
#: Rates that atoms of a kind begin with, for values m of a spread.
_RATES: dict[str, Callable[[Array, float], Array]] = {
    "exp": lambda m, spread: np.r_[-_DOUBLING[:-1], _DOUBLING[:-1]] / spread,
    "sin": lambda m, spread: np.arange(1.0, 26.0, 1.4) / spread,
    "cos": lambda m, spread: np.arange(1.0, 26.0, 1.4) / spread,
    "tanh": lambda m, spread: _DOUBLING / spread,
    "atan": lambda m, spread: _DOUBLING / spread,
    "power": lambda m, spread: np.array([-2.5, -1.5, -0.7, -0.3, 0.3, 0.7, 1.5, 2.5]),
    "shifted log": lambda m, spread: np.geomspace(0.03, 10, 8) * spread - m.min(),
}
# Kinds whose arguments have no powers but 1 and -1.
_OF_SMALL = frozenset({"shifted log"})


def atoms_of(kind: str, data: WeightedRows) -> Iterator[Atom]:
    """Atoms of a kind for all arguments, with rates on a coarse grid."""
    positive = positive_rows(data.x)
    for exponents in arguments(positive):
        with np.errstate(all="ignore"):
            m = monomials(data.x, [exponents])[0]
        spread = float(np.ptp(m))
        if not 0 < spread < 300 * float(np.median(np.abs(m))):
            continue
        rates = _RATES[kind](m, spread)
        if kind in _OF_SMALL and max(map(abs, exponents)) > 1:
            continue
        if kind == "power" and (sum(map(abs, exponents)) > 1 or m.min() <= 0):
            continue
        for rate in rates.tolist():
            yield Atom(kind, exponents, rate)


def atomic(
    kinds: Sequence[str], data: WeightedRows, outer: int, size: int
) -> Dictionary:
    """Monomials up to a size, and atoms times monomials up to the size `outer`."""
    positive = positive_rows(data.x)
    plain = exponents_up_to(size, positive, _MOST, halves=False)
    beside = exponents_up_to(outer, positive, _MOST, halves=False)
    outers = monomials(data.x, beside)
    terms, blocks = [Summand(e) for e in plain], [monomials(data.x, plain)]
    for i, is_positive in enumerate(positive):
        if is_positive:
            log = data.logarithm(i)
            blocks.append(outers * log.values(data.x))
            terms += [Summand(e, (log,)) for e in beside]
    for kind in kinds:
        for atom in atoms_of(kind, data):
            with np.errstate(all="ignore"):
                values = atom.values(data.x)
            blocks.append(outers * values)
            terms += [Summand(e, (atom,)) for e in beside]
    return Dictionary.of(terms, np.concatenate(blocks), data.root)


def damped_waves(data: WeightedRows) -> Dictionary:
    """Falling exponentials times sines and cosines."""
    one = (0.0,) * len(data.x)
    falling = [atom for atom in atoms_of("exp", data) if atom.rate < 0]
    waves = [atom for kind in ("sin", "cos") for atom in atoms_of(kind, data)]
    fall = np.array([atom.values(data.x) for atom in falling])
    wave = np.array([atom.values(data.x) for atom in waves])
    values = (fall[:, None, :] * wave).reshape(-1, data.x.shape[1])
    terms = [Summand(one, (a, b)) for a in falling for b in waves]
    return Dictionary.of(terms, values, data.root)
