"""Sums of simple terms for a rate: candidates beside those of the search.

Terms are monomials, and functions that laws of motion are full of, alone or times an
input: sines, roots, powers, saturations like z/(K + z). Sums of few of them are built
term by term, several at a time, by how well their effects explain what was measured.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np

from eqlearn._types import Array
from eqlearn.dynamics.candidates.grounds import Grounds
from eqlearn.dynamics.candidates.reshaping import Powers, monomials, put_monomial
from eqlearn.dynamics.settings import STANDARD_MOTION, Pursuit
from eqlearn.network.canonical import canonical
from eqlearn.network.draft import Draft
from eqlearn.network.graph import CONSTANT, Graph, Linear

_TINY = 1e-12
#: Of a term's length: what must be new in it beside the terms that are there.
_NEW = 1e-3


@dataclass(frozen=True)
class RateTerm:
    """Something a rate may be a multiple of."""

    values: Array  # (N,)
    put: Callable[[Draft, dict[Powers, int]], int]  # makes it a feature of a draft
    price: float  # besides that of a constant


class SumOfTerms(NamedTuple):
    """Columns that add up to something, and how well."""

    places: tuple[int, ...]
    criterion: float


class _Words(NamedTuple):
    """What sums are made of, besides monomials: functions of some inputs."""

    kind: "_Kind | None"
    inputs: tuple[int, ...]
    has_scale: bool


def _vocabularies(n_inputs: int) -> Iterator[_Words]:
    """Functions of a kind together; with a scale, those of one input at a time."""
    together = tuple(range(n_inputs))
    for kind, has_scale in _KINDS.items():
        for inputs in [(i,) for i in together] if has_scale else [together]:
            yield _Words(kind, inputs, has_scale)


class _Found(NamedTuple):
    criterion: float
    terms: list[RateTerm]
    A: Array  # (R, K) the effects of the terms
    words: _Words
    scale: float
    places: tuple[int, ...]  # of the terms among all of these words


def pursued(grounds: Grounds, by: Pursuit = STANDARD_MOTION.pursuit) -> list[Graph]:
    """The best sums of few terms for the rate of a state, of every kind of term."""
    found: list[_Found] = []
    for words in _vocabularies(grounds.x.shape[1]):
        scales = by.scales if words.has_scale else (1.0,)
        same = [one for k in scales for one in _sums_of(grounds, words, k, by)]
        for one in _chosen(same, by):
            if words.has_scale:
                one = _at_its_scale(grounds, one, by)
            if not any(_is_same(one.terms, other.terms) for other in found):
                found.append(one)
    found.sort(key=lambda one: one.criterion)
    return [_graph(grounds, one) for one in found[: by.n_candidates]]


def _chosen(same: list[_Found], by: Pursuit) -> list[_Found]:
    """The best sums of a kind, and the best of few terms: errors favour many."""
    ranked = sorted(same, key=lambda one: one.criterion)
    best = ranked[: by.n_of_a_kind]
    for size in by.few_terms:
        best += [one for one in ranked if len(one.terms) == size][:1]
    return best


def _sums_of(
    grounds: Grounds, words: _Words, scale: float, by: Pursuit
) -> list[_Found]:
    terms = list(_terms(grounds.x, words, scale, by))
    A = grounds.effects(np.stack([term.values for term in terms], axis=1))
    prices = np.array([term.price for term in terms])
    found = []
    ranked = best_sums(A, grounds.y, len(A), prices, by.most_terms, by)
    for one in _few(ranked, by):
        some, own = [terms[i] for i in one.places], A[:, list(one.places)]
        found.append(_Found(one.criterion, some, own, words, scale, one.places))
    return found


def _at_its_scale(grounds: Grounds, found: _Found, by: Pursuit) -> _Found:
    """The same sum where its functions bend best: between the scales of the grid."""
    n, best = len(grounds.y), found
    before = _left(found.A, grounds.y)
    for factor in by.between:
        scale = factor * found.scale
        terms = list(_terms(grounds.x, found.words, scale, by))
        some = [terms[i] for i in found.places if i < len(terms)]
        if len(some) < len(found.places):
            continue  # an input whose range does not allow this scale
        A = grounds.effects(np.stack([term.values for term in some], axis=1))
        gained = n * float(np.log(_left(A, grounds.y) / before))
        if found.criterion + gained < best.criterion:
            criterion = found.criterion + gained
            best = found._replace(criterion=criterion, terms=some, A=A, scale=scale)
    return best


def _left(A: Array, y: Array) -> float:
    """The squares that a sum of columns leaves."""
    return float(_condensed(A, y)[-1, -1]) ** 2 + 1e-300


def _condensed(A: Array, y: Array) -> Array:
    """All that least squares knows of rows, in as many as there are columns."""
    found: Array = np.linalg.qr(np.column_stack([A, y]), mode="reduced")[1]
    return found


def _is_same(some: Sequence[RateTerm], others: Sequence[RateTerm]) -> bool:
    same_size = len(some) == len(others)
    return same_size and all(
        np.array_equal(a.values, b.values) for a, b in zip(some, others, strict=False)
    )


def _terms(x: Array, words: _Words, scale: float, by: Pursuit) -> Iterator[RateTerm]:
    """Monomials, and functions of one kind, alone or times inputs."""
    n_inputs = x.shape[1]
    degree = 3 if n_inputs <= by.most_cubic else 2
    for monomial in monomials(n_inputs, degree):
        yield RateTerm(
            np.prod(x[:, list(monomial)], axis=1) if monomial else np.ones(len(x)),
            partial(_put_product, monomial),
            by.product_price * max(len(monomial) - 1, 0),
        )
    for i in words.inputs if words.kind else ():
        for function in words.kind(x[:, i], scale, by) if words.kind else ():
            for monomial in monomials(n_inputs, by.factors(n_inputs)):
                yield _times(function, i, monomial, x, by)


def _put_product(monomial: Powers, draft: Draft, made: dict[Powers, int]) -> int:
    return put_monomial(draft, monomial, made)


class _Function(NamedTuple):
    """A function of one input, as numbers and as units."""

    values: Array
    put: Callable[[Draft, int], int]


def _waves(z: Array, scale: float, by: Pursuit) -> Iterator[_Function]:
    yield from (_unary(unit, z) for unit in ("sin", "cos"))
    yield _Function(np.sin(z) * np.cos(z), _put_sine_times_cosine)


def _put_sine_times_cosine(draft: Draft, i: int) -> int:
    parts = [{draft.add(unit, {i: 1.0}): 1.0} for unit in ("sin", "cos")]
    return draft.add("multiply", *parts)


def _bends(z: Array, scale: float, by: Pursuit) -> Iterator[_Function]:
    factor = 1.0 / (scale * _size(z))
    values = np.tanh(factor * z)
    yield _Function(values, lambda draft, i: draft.add("tanh", {i: factor}))


def _roots(z: Array, scale: float, by: Pursuit) -> Iterator[_Function]:
    if np.all(z > 0):
        yield from (_unary(unit, z) for unit in ("sqrt", "log"))


def _powers(z: Array, scale: float, by: Pursuit) -> Iterator[_Function]:
    away = np.all(np.abs(z) > by.least_denominator * _size(z))
    if away and np.ptp(np.sign(z)) == 0:
        yield from (_quotient(z**power, power, 0.0) for power in (1, 2, 3))


def _saturations(z: Array, scale: float, by: Pursuit) -> Iterator[_Function]:
    half_way = scale * _size(z)
    if np.all(z > -by.least_denominator * half_way):
        yield _quotient(z, 1, half_way)


def _steep_saturations(z: Array, scale: float, by: Pursuit) -> Iterator[_Function]:
    yield _quotient(z**2, 2, (scale * _size(z)) ** 2)


def _size(z: Array) -> float:
    return float(np.median(np.abs(z))) + 1e-300


_Kind: TypeAlias = Callable[[Array, float, Pursuit], Iterator[_Function]]
#: Functions that are tried together, of one input each, and whether they have a scale;
#: with one scale at a time, for two of them would imitate any between.
_KINDS: dict[_Kind | None, bool] = {
    None: False,
    _waves: False,
    _bends: True,
    _roots: False,
    _powers: False,
    _saturations: True,
    _steep_saturations: True,
}


def _unary(unit: str, z: Array) -> _Function:
    function = {"sin": np.sin, "cos": np.cos, "sqrt": np.sqrt, "log": np.log}
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
    function: _Function, i: int, monomial: Powers, x: Array, by: Pursuit
) -> RateTerm:
    """A function of an input times a monomial, which may be 1."""

    def put(draft: Draft, made: dict[Powers, int]) -> int:
        own = function.put(draft, i)
        if not monomial:
            return own
        other = put_monomial(draft, monomial, made)
        return draft.add("multiply", {own: 1.0}, {other: 1.0})

    values = function.values * np.prod(x[:, list(monomial)], axis=1)
    price = by.function_price + by.product_price * len(monomial)
    return RateTerm(values, put, price)


def best_sums(
    A: Array, y: Array, n: int, prices: Array, most_terms: int, by: Pursuit
) -> list[SumOfTerms]:
    """Sums of columns for what n rows say, the best first.

    Those of each number of terms that are best go on to be longer.
    """
    A = A / (np.linalg.norm(A, axis=0) + 1e-300)
    if len(y) > A.shape[1] + 1:
        together = _condensed(A, y)
        A, y = together[:, :-1], together[:, -1]
    beam: list[SumOfTerms] = [SumOfTerms((), np.inf)]
    found: dict[tuple[int, ...], float] = {}
    for _ in range(most_terms):
        longer: dict[tuple[int, ...], float] = {}
        for one in beam:
            for place, criterion in _extensions(A, y, n, prices, one.places, by):
                longer[tuple(sorted((*one.places, place)))] = criterion
        best = sorted(longer.items(), key=lambda item: item[1])[: by.width]
        beam = [SumOfTerms(*item) for item in best]
        found |= dict(best)
    return [SumOfTerms(*i) for i in sorted(found.items(), key=lambda item: item[1])]


def _few(ranked: list[SumOfTerms], by: Pursuit) -> list[SumOfTerms]:
    """The best of sums, and the best of some numbers of terms."""
    few = [
        next((one for one in ranked if len(one.places) == size), ranked[0])
        for size in by.few_terms
    ]
    return [*ranked[: by.n_of_a_kind], *few]


def _extensions(
    A: Array, y: Array, n: int, prices: Array, places: tuple[int, ...], by: Pursuit
) -> list[tuple[int, float]]:
    """The terms that reduce the error most beside those that are there, in n rows."""
    left, new = y, A
    if places:
        Q = np.linalg.qr(A[:, list(places)])[0]
        left, new = y - Q @ (Q.T @ y), A - Q @ (Q.T @ A)
    size = np.linalg.norm(new, axis=0)
    gain = np.where(size > _NEW, (new.T @ left) ** 2 / (size**2 + 1e-300), 0.0)
    square = (left @ left - gain) / n + _TINY * float(y @ y) / n
    cost = (len(places) + 1) * (np.log(n) + by.term_price)
    cost = cost + sum(prices[list(places)]) + prices
    criterion = n * np.log(np.maximum(square, 1e-300)) + cost
    order = np.argsort(criterion)[: by.width]
    return [(int(i), float(criterion[i])) for i in order if gain[i] > 0]


def _graph(grounds: Grounds, found: _Found) -> Graph:
    weights = np.linalg.lstsq(found.A, grounds.y, rcond=None)[0]
    draft = Draft(Graph(grounds.x.shape[1], (), (({}, {CONSTANT: 1.0}),)))
    made: dict[Powers, int] = {}
    for term, weight in zip(found.terms, weights, strict=True):
        numerator = draft.outputs[0][0]
        source = term.put(draft, made)
        numerator[source] = numerator.get(source, 0.0) + float(weight)
    graph = draft.freeze()
    assert graph is not None  # terms use only what stands before them
    return canonical(graph, grounds.x.T)
