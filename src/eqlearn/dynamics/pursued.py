"""Sums of simple terms for a rate: candidates beside those of the search.

Terms are monomials, and functions that laws of motion are full of, alone or times an
input: sines, roots, powers, saturations like z/(K + z). Sums of few of them are built
term by term, several at a time, by how well their effects explain what was measured.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array
from eqlearn.dynamics.grounds import Grounds
from eqlearn.dynamics.reshaping import Monomial, monomials, put_monomial
from eqlearn.dynamics.settings import STANDARD_MOTION, Pursuit
from eqlearn.network.canonical import canonical
from eqlearn.network.draft import Draft
from eqlearn.network.graph import CONSTANT, Graph, Linear

_TINY = 1e-12
#: Of a term's length: what must be new in it beside the terms that are there.
_NEW = 1e-3


@dataclass(frozen=True)
class Term:
    """Something a rate may be a multiple of."""

    values: Array  # (N,)
    put: Callable[[Draft, dict[Monomial, int]], int]  # makes it a feature of a draft
    price: float  # besides that of a constant


class _Sum(NamedTuple):
    places: tuple[int, ...]
    criterion: float


def pursued(grounds: Grounds, by: Pursuit = STANDARD_MOTION.pursuit) -> list[Graph]:
    """The best sums of few terms for the rate of a state, of every kind of term."""
    found: list[_Found] = []
    for kind in (None, *_KINDS):
        terms = list(_terms(grounds.x, kind, by))
        A = grounds.effects(np.stack([term.values for term in terms], axis=1))
        prices = np.array([term.price for term in terms])
        for one in _best_sums(A, grounds.y, prices, by):
            some = [terms[i] for i in one.places]
            if not any(_is_same(some, other.terms) for other in found):
                found.append(_Found(one.criterion, some, A[:, list(one.places)]))
    return [_graph(grounds, one) for one in found]


class _Found(NamedTuple):
    criterion: float
    terms: list[Term]
    A: Array  # (R, K) the effects of the terms


def _is_same(some: Sequence[Term], others: Sequence[Term]) -> bool:
    same_size = len(some) == len(others)
    return same_size and all(
        np.array_equal(a.values, b.values) for a, b in zip(some, others, strict=False)
    )


def _terms(x: Array, kind: str | None, by: Pursuit) -> Iterator[Term]:
    """Monomials, and functions of one kind, alone or times an input."""
    n_inputs = x.shape[1]
    degree = 3 if kind is None and n_inputs <= by.most_cubic else 2
    for monomial in monomials(n_inputs, degree):
        yield Term(
            np.prod(x[:, list(monomial)], axis=1) if monomial else np.ones(len(x)),
            partial(_put_product, monomial),
            by.product_price * max(len(monomial) - 1, 0),
        )
    for i in range(n_inputs if kind is not None else 0):
        for function in _KINDS[str(kind)](x[:, i], by):
            for monomial in monomials(n_inputs, by.factors(n_inputs)):
                yield _times(function, i, monomial, x, by)


def _put_product(monomial: Monomial, draft: Draft, made: dict[Monomial, int]) -> int:
    return put_monomial(draft, monomial, made)


class _Function(NamedTuple):
    """A function of one input, as numbers and as units."""

    values: Array
    put: Callable[[Draft, int], int]


def _waves(z: Array, by: Pursuit) -> Iterator[_Function]:
    yield from (_unary(unit, z) for unit in ("sin", "cos"))


def _bends(z: Array, by: Pursuit) -> Iterator[_Function]:
    yield _unary("tanh", z)


def _roots(z: Array, by: Pursuit) -> Iterator[_Function]:
    if np.all(z > 0):
        yield from (_unary(unit, z) for unit in ("sqrt", "log"))


def _powers(z: Array, by: Pursuit) -> Iterator[_Function]:
    away = np.all(np.abs(z) > by.least_denominator * np.median(np.abs(z)))
    if away and np.ptp(np.sign(z)) == 0:
        yield from (_quotient(z**power, power, 0.0) for power in (1, 2, 3))


def _saturations(z: Array, by: Pursuit) -> Iterator[_Function]:
    size = float(np.median(np.abs(z))) + 1e-300
    for share in by.half_ways:
        if np.all(z > -by.least_denominator * share * size):
            yield _quotient(z, 1, share * size)


def _steep_saturations(z: Array, by: Pursuit) -> Iterator[_Function]:
    size = float(np.median(np.abs(z))) + 1e-300
    for share in by.half_ways:
        yield _quotient(z**2, 2, (share * size) ** 2)


#: Functions that are tried together: of one input each, where its range allows them.
_KINDS: dict[str, Callable[[Array, Pursuit], Iterator[_Function]]] = {
    "waves": _waves,
    "bends": _bends,
    "roots": _roots,
    "powers": _powers,
    "saturations": _saturations,
    "steep saturations": _steep_saturations,
}


def _unary(unit: str, z: Array) -> _Function:
    function = {"sin": np.sin, "cos": np.cos, "tanh": np.tanh}
    function |= {"sqrt": np.sqrt, "log": np.log}
    return _Function(function[unit](z), lambda draft, i: draft.add(unit, {i: 1.0}))


def _quotient(values: Array, power: int, constant: float) -> _Function:
    """1 / (constant + power of the input)."""

    def put(draft: Draft, i: int) -> int:
        below: Linear = {put_monomial(draft, (i,) * power, {}): 1.0}
        if constant:
            below = {**below, CONSTANT: constant}
        return draft.add("divide", {CONSTANT: 1.0}, below)

    return _Function(1.0 / (values + constant), put)


def _times(
    function: _Function, i: int, monomial: Monomial, x: Array, by: Pursuit
) -> Term:
    """A function of an input times a monomial, which may be 1."""

    def put(draft: Draft, made: dict[Monomial, int]) -> int:
        own = function.put(draft, i)
        if not monomial:
            return own
        other = put_monomial(draft, monomial, made)
        return draft.add("multiply", {own: 1.0}, {other: 1.0})

    values = function.values * np.prod(x[:, list(monomial)], axis=1)
    price = by.function_price + by.product_price * len(monomial)
    return Term(values, put, price)


def _best_sums(A: Array, y: Array, prices: Array, by: Pursuit) -> list[_Sum]:
    """The best sums; those of each number of terms that are best go on to be longer."""
    A = A / (np.linalg.norm(A, axis=0) + 1e-300)
    beam: list[_Sum] = [_Sum((), np.inf)]
    found: dict[tuple[int, ...], float] = {}
    for _ in range(by.most_terms):
        longer: dict[tuple[int, ...], float] = {}
        for one in beam:
            for place, criterion in _extensions(A, y, prices, one.places, by):
                longer[tuple(sorted((*one.places, place)))] = criterion
        best = sorted(longer.items(), key=lambda item: item[1])[: by.width]
        beam = [_Sum(*item) for item in best]
        found |= dict(best)
    ranked = sorted(found.items(), key=lambda item: item[1])
    return [_Sum(*item) for item in ranked[: by.n_of_a_kind]]


def _extensions(
    A: Array, y: Array, prices: Array, places: tuple[int, ...], by: Pursuit
) -> list[tuple[int, float]]:
    """The terms that reduce the error most beside those that are there."""
    n, left, new = len(y), y, A
    if places:
        Q = np.linalg.qr(A[:, list(places)])[0]
        left, new = y - Q @ (Q.T @ y), A - Q @ (Q.T @ A)
    size = np.linalg.norm(new, axis=0)
    gain = np.where(size > _NEW, (new.T @ left) ** 2 / (size**2 + 1e-300), 0.0)
    square = (left @ left - gain) / n + _TINY * float(np.mean(y**2))
    cost = (len(places) + 1) * (np.log(n) + by.term_price)
    cost = cost + sum(prices[list(places)]) + prices
    criterion = n * np.log(np.maximum(square, 1e-300)) + cost
    order = np.argsort(criterion)[: by.width]
    return [(int(i), float(criterion[i])) for i in order if gain[i] > 0]


def _graph(grounds: Grounds, found: _Found) -> Graph:
    weights = np.linalg.lstsq(found.A, grounds.y, rcond=None)[0]
    draft = Draft(Graph(grounds.x.shape[1], (), (({}, {CONSTANT: 1.0}),)))
    made: dict[Monomial, int] = {}
    for term, weight in zip(found.terms, weights, strict=True):
        numerator = draft.outputs[0][0]
        source = term.put(draft, made)
        numerator[source] = numerator.get(source, 0.0) + float(weight)
    graph = draft.freeze()
    assert graph is not None  # terms use only what stands before them
    return canonical(graph, grounds.x.T)
