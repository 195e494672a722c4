"""Features that are built by rule: sums, quotients of sums, functions of both.

Sums of monomials cannot say log(z - d), (m + n)^p or √(1 - b²). So features are built
in stages, tens of thousands of them, and each is known by how it was made.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array, Booleans, Integers
from eqlearn.network.draft import Draft
from eqlearn.network.graph import CONSTANT, COSINE, Linear
from eqlearn.search.attempts.monomials import ONE
from eqlearn.search.survey_strategy import Building


class _Rule(NamedTuple):
    """How a feature is made of one or two others, as values and in a formula."""

    values: Callable[[Array, Array, Array], Array]
    feature: Callable[[Draft, Linear, Linear, float], Linear]


def _sum(a: Linear, b: Linear, sign: float) -> Linear:
    total = dict(a)
    for source, weight in b.items():
        total[source] = total.get(source, 0.0) + sign * weight
    return total


def _unit(name: str) -> _Rule:
    function: Callable[[Array], Array] = getattr(np, _NUMPY.get(name, name))
    return _Rule(
        lambda a, _, rate: function(rate * a),
        lambda d, a, _, rate: {d.add(name, {s: rate * w for s, w in a.items()}): 1.0},
    )


def _cosine(draft: Draft, a: Linear, _: Linear, rate: float) -> Linear:
    inner = {source: rate * weight for source, weight in a.items()}
    inner[CONSTANT] = inner.get(CONSTANT, 0.0) + COSINE
    return {draft.add("sin", inner): 1.0}


def _two_exponentials(sign: float) -> _Rule:
    """Half of exp(z) ± exp(-z)."""

    def feature(draft: Draft, a: Linear, _: Linear, rate: float) -> Linear:
        (up,) = _unit("exp").feature(draft, a, ONE, rate)
        (down,) = _unit("exp").feature(draft, a, ONE, -rate)
        return {up: 0.5, down: 0.5 * sign}

    return _Rule(
        lambda a, _, rate: (np.exp(rate * a) + sign * np.exp(-rate * a)) / 2, feature
    )


def _power(draft: Draft, a: Linear, b: Linear, rate: float) -> Linear:
    """a^(rate b), as people write interest and chances of n trials."""
    log: Linear = {draft.add("log", a): 1.0}
    exponent = draft.add("multiply", log, {s: rate * w for s, w in b.items()})
    return {draft.add("exp", {exponent: 1.0}): 1.0}


def _tangent(draft: Draft, a: Linear, _: Linear, rate: float) -> Linear:
    above = _unit("sin").feature(draft, a, ONE, rate)
    return {draft.add("divide", above, _cosine(draft, a, ONE, rate)): 1.0}


def _step(sign: float) -> _Rule:
    """1/(exp(z) ± 1)."""

    def feature(draft: Draft, a: Linear, _: Linear, rate: float) -> Linear:
        (exponential,) = _unit("exp").feature(draft, a, ONE, rate)
        return {draft.add("divide", ONE, {exponential: 1.0, CONSTANT: sign}): 1.0}

    return _Rule(lambda a, _, rate: 1.0 / (np.exp(rate * a) + sign), feature)


_NUMPY = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}
_RULES: dict[str, _Rule] = {
    "+": _Rule(lambda a, b, _: a + b, lambda d, a, b, _: _sum(a, b, 1.0)),
    "-": _Rule(lambda a, b, _: a - b, lambda d, a, b, _: _sum(a, b, -1.0)),
    "*": _Rule(
        lambda a, b, _: a * b, lambda d, a, b, _: {d.add("multiply", a, b): 1.0}
    ),
    "/": _Rule(lambda a, b, _: a / b, lambda d, a, b, _: {d.add("divide", a, b): 1.0}),
    **{name: _unit(name) for name in ("exp", "sin", "tanh", "log", "sqrt")},
    **{name: _unit(name) for name in ("asin", "acos", "atan")},
    "^": _Rule(lambda a, b, rate: np.exp(rate * b * np.log(a)), _power),
    "cos": _Rule(lambda a, _, rate: np.cos(rate * a), _cosine),
    "tan": _Rule(lambda a, _, rate: np.tan(rate * a), _tangent),
    "cosh": _two_exponentials(1.0),
    "sinh": _two_exponentials(-1.0),
    "fermi": _step(1.0),
    "bose": _step(-1.0),
}
_NAMES = tuple(_RULES)
#: What rules cost in the rank of a feature, as units do; others are functions.
_PRICES = {"+": 1.4, "-": 1.4, "*": 1.4, "/": 2.8}
_OF_FUNCTION, _OF_RATE = 4.6, 10.0


class Making(NamedTuple):
    """A rule that is applied to features, by their numbers."""

    rule: str
    a: Integers
    b: Integers | None = None
    rates: Array | float = 1.0  # inside of functions


@dataclass(frozen=True)
class Shelf:
    """Features with their values, and how each is made of earlier ones."""

    firsts: tuple[Linear, ...]  # 1, and the inputs in their own units
    n_sums: int  # that follow: of two inputs, or of one and 1
    n_bent: int  # that follow: functions of single inputs
    values: Array  # (K, N)
    rules: Integers  # (K,) by number; -1 of the first
    parts: Integers  # (K, 2) that a rule is applied to
    rates: Array  # (K,) inside of functions
    prices: Array  # (K,) in the rank of a feature: what is simple comes first

    def __len__(self) -> int:
        """How many features there are."""
        return len(self.values)

    def feature(self, draft: Draft, k: int) -> Linear:
        """A feature as units of a formula."""
        if self.rules[k] < 0:
            return self.firsts[k]
        a, b = (self.feature(draft, int(part)) for part in self.parts[k])
        rule = _RULES[_NAMES[int(self.rules[k])]]
        return rule.feature(draft, a, b, float(self.rates[k]))

    def grown(self, *makings: Making) -> tuple["Shelf", Integers]:
        """The shelf with all that says something new, and the numbers of these."""
        values, rules, parts = [self.values], [self.rules], [self.parts]
        rates, prices = [self.rates], [self.prices]
        for name, a, b, inside in makings:
            second = np.zeros_like(a) if b is None else b
            rate = np.broadcast_to(inside, a.shape).astype(float)
            made = _RULES[name].values(
                self.values[a], self.values[second], rate[:, None]
            )
            good = _says_something(made)
            values.append(made[good])
            parts.append(np.stack([a, second], axis=1)[good])
            rules.append(np.full(int(good.sum()), _NAMES.index(name)))
            rates.append(rate[good])
            own = _PRICES.get(name, _OF_FUNCTION)
            own += _OF_RATE * isinstance(inside, np.ndarray)
            # One that is used twice is there once.
            more = np.where(a == second, 0.0, self.prices[second])
            prices.append((self.prices[a] + more + own)[good])
        n, everything = len(self), np.concatenate(values)
        keep = _are_new(everything, n)
        grown = Shelf(
            self.firsts,
            self.n_sums,
            self.n_bent,
            everything[keep],
            np.concatenate(rules)[keep],
            np.concatenate(parts)[keep],
            np.concatenate(rates)[keep],
            np.concatenate(prices)[keep],
        )
        return grown, np.arange(n, len(grown))


_MARKS = np.random.default_rng(0).normal(size=1000)


def _are_new(values: Array, n_before: int) -> Booleans:
    """Whether features are those from before, or like none before but for a factor."""
    size = np.sqrt(np.einsum("kn,kn->k", values, values))
    marks = np.abs(values @ _MARKS[: values.shape[1]]) / size
    order = np.argsort(marks)
    kinds = np.empty(len(marks), int)
    kinds[order] = np.cumsum(np.diff(marks[order], prepend=-1.0) > 1e-10)
    _, first = np.unique(kinds, return_index=True)
    keep = np.zeros(len(values), bool)
    keep[first] = True
    keep[:n_before] = True
    return keep


# Of the length of a feature: next to a pole one row has it all.
_MOST_OF_ONE_ROW = 0.9


def _says_something(values: Array) -> Booleans:
    """Whether features are numbers, none of them huge beside the rest, and vary."""
    n = values.shape[1]
    size = np.sqrt(np.einsum("kn,kn->k", values, values) / n)
    spread = np.sqrt(np.maximum(size**2 - values.mean(axis=1) ** 2, 0.0))
    largest = np.maximum(values.max(axis=1), -values.min(axis=1))
    good: Booleans = (size > 1e-100) & (size < 1e100) & (spread > 1e-4 * size)
    good &= largest < _MOST_OF_ONE_ROW * math.sqrt(n) * size
    return good


def shelf_of(x: Array, scale: Array, by: Building) -> Shelf:
    """Build features of inputs `x` (D, N), which were divided by their `scale`."""
    n = len(x)
    firsts = (ONE, *({i: float(s)} for i, s in enumerate(scale)))
    values = np.concatenate([np.ones((1, x.shape[1])), x * scale[:, None]])
    no_parts, no_rule = np.zeros((n + 1, 2), int), np.full(n + 1, -1)
    shelf = Shelf(
        firsts, 0, 0, values, no_rule, no_parts, np.ones(n + 1), np.zeros(n + 1)
    )
    one, plain = np.arange(1), np.arange(1, n + 1)
    shelf, sums = shelf.grown(*_sums(shelf, np.r_[one, plain], by))
    shelf, bent = shelf.grown(*_of_inputs(shelf, plain, by))
    shelf = replace(shelf, n_sums=len(sums), n_bent=len(bent))
    i, j = np.triu_indices(n)
    shelf, products = shelf.grown(Making("*", plain[i], plain[j]))
    # Interest of a month is small beside 1, and adds up.
    none = np.zeros(n, int)
    shelf, more = shelf.grown(Making("+", none, plain), Making("-", none, plain))
    bases = np.r_[plain, sums, more]
    shelf, powers = shelf.grown(*_powers(shelf, bases, plain, by))
    with_one = _sums(shelf, np.r_[one, powers], by, only_first=True)
    shelf, _ = shelf.grown(*with_one)
    shelf, curved = shelf.grown(*_sums(shelf, np.r_[one, plain, products], by))
    shelf, norms = shelf.grown(_roots(shelf, _of_squares(shelf, curved)))
    simple = np.r_[plain, sums, norms][: by.most_simple]
    shelf, quotients = shelf.grown(*_quotients(simple, simple))
    pure = quotients[(shelf.parts[quotients] <= n).all(axis=1)]
    shelf, triples = shelf.grown(*_triples(shelf, products, plain))
    pure = np.r_[pure, triples]
    shelf, beside_one = shelf.grown(
        *_sums(shelf, np.r_[one, pure], by, only_first=True)
    )
    shelf, others = shelf.grown(*_quotients(curved, plain))
    shelf, roots = shelf.grown(_roots(shelf, np.r_[plain, pure]))
    inner = np.r_[simple, products, quotients, triples, beside_one, curved, others]
    rated = np.r_[plain, sums, products, pure, roots]
    functions = _functions(shelf, inner[: by.most_inner], by)
    at_rates = _at_rates(shelf, rated[: by.most_rated], by)
    i, j = np.triu_indices(len(bent))
    pairs = Making("*", bent[i], bent[j])
    return shelf.grown(*functions, *at_rates, pairs)[0]


def _of_squares(shelf: Shelf, sums: Integers) -> Integers:
    """The sums of two squares, or of one and 1."""
    a, b = shelf.parts[sums].T
    is_square = (shelf.parts[:, 0] == shelf.parts[:, 1]) & (shelf.rules >= 0)
    found: Integers = sums[is_square[b] & (is_square[a] | (a == 0))]
    return found


def _triples(
    shelf: Shelf, products: Integers, plain: Integers
) -> tuple[Making, Making, Making]:
    """Products of three inputs, and of two over a third, both ways."""
    a, b = (grid.ravel() for grid in np.meshgrid(products, plain, indexing="ij"))
    first, second = shelf.parts[a].T
    ordered = (first < second) & (second < b)
    apart = (first < second) & (first != b) & (second != b)
    over, under = Making("/", a[apart], b[apart]), Making("/", b[apart], a[apart])
    return Making("*", a[ordered], b[ordered]), over, under


def _powers(
    shelf: Shelf, bases: Integers, plain: Integers, by: Building
) -> tuple[Making, Making]:
    """Inputs, and sums of one and an input, to the power of another input."""
    of_one = (bases <= plain.max()) | (shelf.parts[bases, 0] == 0)
    told = bases[of_one & (shelf.values[bases].min(axis=1) > 0)]
    a, b = (grid.ravel() for grid in np.meshgrid(told, plain, indexing="ij"))
    apart = (a != b) & (shelf.parts[a, 1] != b)
    exponents = np.log(shelf.values[a]) * shelf.values[b]
    apart &= np.abs(exponents).max(axis=1) < by.most_exponent
    apart &= np.ptp(exponents, axis=1) > by.least_reach
    return Making("^", a[apart], b[apart]), Making("^", a[apart], b[apart], -1.0)


def _roots(shelf: Shelf, of: Integers) -> Making:
    return Making("sqrt", of[shelf.values[of].min(axis=1) > 0])


def _of_inputs(shelf: Shelf, plain: Integers, by: Building) -> list[Making]:
    """Functions of single inputs, angles in radians, degrees or turns."""
    spread = np.ptp(shelf.values[plain], axis=1)
    size = np.abs(shelf.values[plain]).max(axis=1)
    found = []
    for name in ("sin", "cos", "tan"):
        for natural in by.natural:
            turning = natural * spread
            told = (turning > by.least_reach) & (turning < by.most_turning)
            found.append(Making(name, plain[told], rates=natural))
    mild = plain[(spread > by.least_reach) & (size < by.most_exponent)]
    found += [Making("exp", mild, rates=sign) for sign in (1.0, -1.0)]
    positive = plain[shelf.values[plain].min(axis=1) > 0]
    return [*found, Making("log", positive)]


def _sums(
    shelf: Shelf, of: Integers, by: Building, *, only_first: bool = False
) -> tuple[Making, Making]:
    """Sums and differences of two features of like size, or of the first and others."""
    i, j = np.triu_indices(len(of), 1)
    if only_first:
        i, j = i[i == 0], j[i == 0]
    size = np.median(np.abs(shelf.values[of]), axis=1)
    alike = np.abs(np.log(size[i] / size[j])) < math.log(by.alike)
    a, b = of[i[alike]], of[j[alike]]
    return Making("+", a, b), Making("-", a, b)


def _quotients(first: Integers, second: Integers) -> tuple[Making, ...]:
    """Products and quotients, both ways, of every pair."""
    a, b = (grid.ravel() for grid in np.meshgrid(first, second, indexing="ij"))
    return Making("*", a, b), Making("/", a, b), Making("/", b, a)


def _functions(shelf: Shelf, inner: Integers, by: Building) -> list[Making]:
    """Functions of features as they are."""
    values = shelf.values[inner]
    low, high = values.min(axis=1), values.max(axis=1)
    reach = high - low
    positive, bends = inner[low > 0], reach > by.least_reach
    mild = inner[bends & (np.maximum(high, -low) < by.most_exponent)]
    turning = inner[bends & (reach < by.most_turning)]
    shares = inner[bends & (low > -1.0) & (high < 1.0)]
    return [
        Making("sqrt", positive),
        Making("log", positive),
        Making("*", inner, inner),
        Making("exp", mild, rates=-1.0),
        *(Making(name, mild) for name in ("exp", "tanh", "atan", "fermi", "bose")),
        *(Making(name, mild) for name in ("cosh", "sinh")),
        *(Making(name, turning) for name in ("sin", "cos")),
        *(Making(name, shares) for name in ("asin", "acos")),
    ]


def _at_rates(shelf: Shelf, rated: Integers, by: Building) -> list[Making]:
    """Functions of features whatever their units."""
    spread = np.ptp(shelf.values[rated], axis=1)
    rates = {
        "exp": by.rates,
        **dict.fromkeys(("sin", "cos"), by.turns),
        **dict.fromkeys(("tanh", "atan"), by.bends),
    }
    return [
        Making(
            name,
            np.repeat(rated, len(of_one)),
            rates=np.outer(1.0 / spread, of_one).ravel(),
        )
        for name, of_one in rates.items()
    ]
