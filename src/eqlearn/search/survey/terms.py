"""Terms that sums are made of: a monomial, perhaps times a function of another one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from eqlearn._types import Array
from eqlearn.network.draft import Draft
from eqlearn.network.graph import CONSTANT, COSINE, Graph, Linear
from eqlearn.search.attempts.monomials import (
    ONE,
    Exponents,
    monomial,
    monomial_fraction,
    product,
    weighted_sum,
)


@dataclass(frozen=True)
class Atom:
    """A function of a monomial, with a rate inside that is to be fitted."""

    kind: str
    of: Exponents
    rate: float = 1.0

    def values(self, x: Array) -> Array:
        """Its values at `x` (D, N)."""
        return self.values_of(monomial(x, self.of), self.rate)

    def values_of(self, inner: Array, rate: float) -> Array:
        """Its values where the monomial has values, at any rate."""
        return _KINDS[self.kind].values(inner, rate)

    def slopes_of(self, inner: Array, rate: float) -> Array:
        """By how much these change with the rate."""
        return _KINDS[self.kind].slopes(inner, rate)

    def feature(self, draft: Draft) -> Linear:
        """The atom as units of a formula."""
        above, below = monomial_fraction(draft, self.of)
        if below != ONE:
            above = {draft.add("divide", above, below): 1.0}
        return _KINDS[self.kind].feature(draft, above, self.rate)


@dataclass(frozen=True)
class _Kind:
    """What an atom computes, as values and as a feature."""

    values: Callable[[Array, float], Array]
    slopes: Callable[[Array, float], Array]
    feature: Callable[[Draft, Linear, float], Linear]


def _times(linear: Linear, rate: float) -> Linear:
    return {source: rate * weight for source, weight in linear.items()}


def _unit(name: str) -> Callable[[Draft, Linear, float], Linear]:
    return lambda draft, m, rate: {draft.add(name, _times(m, rate)): 1.0}


def _cosine(draft: Draft, m: Linear, rate: float) -> Linear:
    return {draft.add("sin", {**_times(m, rate), CONSTANT: COSINE}): 1.0}


def _power(draft: Draft, m: Linear, rate: float) -> Linear:
    return {draft.add("exp", {draft.add("log", m): rate}): 1.0}


def _shifted_log(draft: Draft, m: Linear, rate: float) -> Linear:
    return {draft.add("log", {**m, CONSTANT: rate}): 1.0}


_KINDS = {
    "log": _Kind(
        lambda m, rate: np.log(rate * m),
        lambda m, _: np.zeros_like(m),
        _unit("log"),
    ),
    "exp": _Kind(
        lambda m, rate: np.exp(rate * m),
        lambda m, rate: m * np.exp(rate * m),
        _unit("exp"),
    ),
    "sin": _Kind(
        lambda m, rate: np.sin(rate * m),
        lambda m, rate: m * np.cos(rate * m),
        _unit("sin"),
    ),
    "cos": _Kind(
        lambda m, rate: np.cos(rate * m), lambda m, rate: -m * np.sin(rate * m), _cosine
    ),
    "tanh": _Kind(
        lambda m, rate: np.tanh(rate * m),
        lambda m, rate: m / np.cosh(rate * m) ** 2,
        _unit("tanh"),
    ),
    "atan": _Kind(
        lambda m, rate: np.arctan(rate * m),
        lambda m, rate: m / (1.0 + (rate * m) ** 2),
        _unit("atan"),
    ),
    "power": _Kind(
        lambda m, rate: m**rate, lambda m, rate: np.log(m) * m**rate, _power
    ),
    "shifted log": _Kind(
        lambda m, rate: np.log(m + rate), lambda m, rate: 1.0 / (m + rate), _shifted_log
    ),
}
#: Kinds of atoms whose rate is not fitted.
WITHOUT_RATE = frozenset({"log"})


@dataclass(frozen=True)
class Summand:
    """A product of powers of inputs and of atoms."""

    exponents: Exponents
    atoms: tuple[Atom, ...] = ()

    def values(self, x: Array) -> Array:
        """Its values at `x` (D, N)."""
        values = monomial(x, self.exponents)
        for atom in self.atoms:
            values = values * atom.values(x)
        return values


def graph_of(terms: Sequence[Summand], weights: Array, n_inputs: int) -> Graph:
    """The sum of terms as a formula: one fraction, if some have negative powers."""
    draft = Draft(Graph(n_inputs, (), ()))
    rows = np.array([term.exponents for term in terms]).reshape(len(terms), n_inputs)
    below = np.maximum(-rows.min(axis=0), 0.0)
    known: dict[Atom, Linear] = {}
    features: list[Linear] = []
    for term, row in zip(terms, rows + below, strict=True):
        for atom in term.atoms:
            if atom not in known:
                known[atom] = atom.feature(draft)
        factors = [monomial_fraction(draft, row)[0], *map(known.get, term.atoms)]
        features.append(product(draft, [f for f in factors if f]))
    denominator = monomial_fraction(draft, below)[0]
    return weighted_sum(draft, features, weights, denominator)
