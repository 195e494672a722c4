"""Sums of simple terms for a rate: candidates beside those of the search.

Terms are monomials, and functions that laws of motion are full of, alone or times an
input: sines, roots, powers, saturations like z/(K + z). Sums of few of them are built
term by term, several at a time, by how well their effects explain what was measured.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy.optimize import minimize_scalar

from eqlearn._types import Array
from eqlearn.dynamics.candidates.best_sums import (
    SumOfTerms,
    best_sums,
    condensed,
    with_swaps,
)
from eqlearn.dynamics.candidates.grounds import Grounds
from eqlearn.dynamics.candidates.reshaping import Powers, monomials, put_monomial
from eqlearn.dynamics.settings import STANDARD_MOTION, Pursuit
from eqlearn.network.canonical import canonical
from eqlearn.network.draft import Draft
from eqlearn.network.graph import CONSTANT, Graph, Linear

#: A criterion that nothing has; a search by parabolas cannot bear infinite ones.
_HOPELESS = 1e100


@dataclass(frozen=True)
class RateTerm:
    """Something a rate may be a multiple of."""

    values: Array  # (N,)
    put: Callable[[Draft, dict[Powers, int]], int]  # makes it a feature of a draft
    price: float  # besides that of a constant


class _Words(NamedTuple):
    """What sums are made of, besides monomials: functions of some inputs."""

    kind: "_Kind | None"
    inputs: tuple[int, ...]
    has_scale: bool


def _vocabularies(n_inputs: int) -> Iterator[_Words]:
    """Functions of a kind together; with a scale, those of one input at a time.

    Waves both ways: where all inputs have them, they imitate each other.
    """
    together = tuple(range(n_inputs))
    alone = [(i,) for i in together]
    for kind, has_scale in _KINDS.items():
        if not has_scale:
            yield _Words(kind, together, has_scale)
        if has_scale or (kind is _waves and n_inputs > 1):
            yield from (_Words(kind, inputs, has_scale) for inputs in alone)


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
    plain = _plain(grounds, by)
    for words in _vocabularies(grounds.x.shape[1]):
        scales = _scales(grounds.x[:, words.inputs], by) if words.has_scale else (1.0,)
        same = [one for k in scales for one in _sums_of(plain, words, k, by)]
        if words.has_scale:
            same = _at_their_scales(plain, same, by)
        for one in _chosen(same, 1, by):
            if not any(_is_same(one.terms, other.terms) for other in found):
                found.append(one)
    found.sort(key=lambda one: one.criterion)
    return [_graph(grounds, one) for one in found[: by.n_candidates]]


def _scales(z: Array, by: Pursuit) -> Sequence[float]:
    """Where a function of an input may bend, in medians: all over the range of it."""
    size = np.abs(z) / _size(z)
    low = min(by.least_scale, float(np.quantile(size, by.low)))
    high = max(by.largest_scale, float(size.max()))
    n = 1 + int(np.ceil(np.log(high / low) / np.log(by.scale_step)))
    found: list[float] = np.geomspace(low, high, n).tolist()
    return found


def _chosen(same: list[_Found], n: int, by: Pursuit) -> list[_Found]:
    """The best sums of a kind, and the best of few terms: errors favour many.

    Of each number of terms `n` that differ in more than their scale.
    """
    ranked = sorted(same, key=lambda one: one.criterion)
    groups = [ranked, *([r for r in ranked if len(r.terms) == k] for k in by.few_terms)]
    best = dict[tuple[int, ...], _Found]()
    for group in groups:
        different = {one.places: one for one in reversed(group)}
        some = sorted(different.values(), key=lambda one: one.criterion)
        best |= {one.places: one for one in some[:n]}
    return list(best.values())


def _sums_of(plain: "_Plain", words: _Words, scale: float, by: Pursuit) -> list[_Found]:
    grounds = plain.grounds
    made = [make() for make in _functions_of(grounds.x, words, scale, by)]
    terms, A = [*plain.terms, *made], plain.A
    if made:
        own = grounds.effects(np.stack([term.values for term in made], axis=1))
        A = np.hstack([A, own])
    prices = np.array([term.price for term in terms])
    found = []
    ranked = best_sums(A, grounds.y, len(A), prices, by.most_terms, by)
    few = _few(ranked, by)
    if len(terms) > by.most_tripled and not words.has_scale:
        few += with_swaps(A, grounds.y, len(A), prices, few, by)
    for one in few:
        some, own = [terms[i] for i in one.places], A[:, list(one.places)]
        found.append(_Found(one.criterion, some, own, words, scale, one.places))
    return found


def _at_their_scales(plain: "_Plain", same: list[_Found], by: Pursuit) -> list[_Found]:
    """The best sums between the scales of the grid, where other terms may be best."""
    grounds = plain.grounds
    near = _chosen(same, by.n_scaled, by)
    found = [_at_its_scale(grounds, one, by) for one in near]
    found.sort(key=lambda one: one.criterion)
    scales = dict.fromkeys(one.scale for one in found[: by.n_scaled])
    again = [new for k in scales for new in _sums_of(plain, found[0].words, k, by)]
    return found + [_at_its_scale(grounds, one, by) for one in _chosen(again, 1, by)]


def _at_its_scale(grounds: Grounds, found: _Found, by: Pursuit) -> _Found:
    """The same sum where its functions bend best: between the scales of the grid."""
    n_plain = len(_monomials_of(grounds.x, by))
    is_plain = [place < n_plain for place in found.places]
    if all(is_plain):
        return found
    n, before = len(grounds.y), _left(found.A, grounds.y)

    def at(scale: float) -> _Found | None:
        terms = _functions_of(grounds.x, found.words, scale, by)
        places = [p - n_plain for p in found.places if p >= n_plain]
        if max(places) >= len(terms):
            return None  # an input whose range does not allow this scale
        made = iter([terms[place]() for place in places])
        some = [
            term if plain else next(made)
            for term, plain in zip(found.terms, is_plain, strict=True)
        ]
        new = [k for k, plain in enumerate(is_plain) if not plain]
        A = found.A.copy()
        A[:, new] = grounds.effects(np.stack([some[k].values for k in new], axis=1))
        if not np.isfinite(A).all():
            return None
        gained = n * float(np.log(_left(A, grounds.y) / before))
        criterion = found.criterion + gained
        return found._replace(criterion=criterion, terms=some, A=A, scale=scale)

    def worth(log_factor: float) -> float:
        one = at(found.scale * float(np.exp(log_factor)))
        return _HOPELESS if one is None else one.criterion

    options = {"maxiter": by.n_scalings, "xatol": by.scale_accuracy}
    ends = (-by.between, by.between)
    solved: Any = minimize_scalar(worth, bounds=ends, method="bounded", options=options)
    best = at(found.scale * float(np.exp(solved.x)))
    return found if best is None or best.criterion > found.criterion else best


def _left(A: Array, y: Array) -> float:
    """The squares that a sum of columns leaves."""
    return float(condensed(A, y)[-1, -1]) ** 2 + 1e-300


def _is_same(some: Sequence[RateTerm], others: Sequence[RateTerm]) -> bool:
    same_size = len(some) == len(others)
    return same_size and all(
        np.array_equal(a.values, b.values) for a, b in zip(some, others, strict=False)
    )


class _Plain(NamedTuple):
    """The monomials, which are terms of every sum, with their effects."""

    grounds: Grounds
    terms: list[RateTerm]
    A: Array  # (R, K)


def _plain(grounds: Grounds, by: Pursuit) -> _Plain:
    x = grounds.x
    terms = [
        RateTerm(
            np.prod(x[:, list(monomial)], axis=1) if monomial else np.ones(len(x)),
            partial(_put_product, monomial),
            by.product_price * max(len(monomial) - 1, 0),
        )
        for monomial in _monomials_of(x, by)
    ]
    A = grounds.effects(np.stack([term.values for term in terms], axis=1))
    return _Plain(grounds, terms, A)


def _monomials_of(x: Array, by: Pursuit) -> list[Powers]:
    n_inputs = x.shape[1]
    return monomials(n_inputs, 3 if n_inputs <= by.most_cubic else 2)


def _functions_of(
    x: Array, words: _Words, scale: float, by: Pursuit
) -> list[Callable[[], RateTerm]]:
    """What makes each function of the words, alone or times inputs."""
    n_inputs = x.shape[1]
    return [
        partial(_times, function, i, monomial, x, by)
        for i in (words.inputs if words.kind else ())
        for function in (words.kind(x[:, i], scale, by) if words.kind else ())
        for monomial in monomials(n_inputs, by.factors(n_inputs))
    ]


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


def _exponentials(z: Array, scale: float, by: Pursuit) -> Iterator[_Function]:
    for sign in (-1.0, 1.0):
        factor = sign / (scale * _size(z))
        if np.ptp(factor * z) < by.widest_exponent:
            yield _exponential(z, factor)


def _exponential(z: Array, factor: float) -> _Function:
    return _Function(np.exp(factor * z), lambda draft, i: draft.add("exp", {i: factor}))


def _roots(z: Array, scale: float, by: Pursuit) -> Iterator[_Function]:
    if np.all(z > 0):
        yield from (_unary(unit, z) for unit in ("sqrt", "log"))


def _magnitudes(z: Array, scale: float, by: Pursuit) -> Iterator[_Function]:
    """|z|, of which v |v| is the drag of what moves both ways."""
    if z.min() < 0.0 < z.max():
        yield _Function(np.abs(z), _put_magnitude)


def _put_magnitude(draft: Draft, i: int) -> int:
    return draft.add("sqrt", {put_monomial(draft, (i, i), {}): 1.0})


def _powers(z: Array, scale: float, by: Pursuit) -> Iterator[_Function]:
    away = np.all(np.abs(z) > by.least_denominator * _size(z))
    if away and np.ptp(np.sign(z)) == 0:
        yield from (_quotient(z**power, power, 0.0) for power in (1, 2, 3))


def _saturations(z: Array, scale: float, by: Pursuit) -> Iterator[_Function]:
    half_way = scale * _size(z)
    if np.all(z > -by.least_denominator * half_way):
        yield _quotient(z, 1, half_way)


def _steep(power: int) -> "_Kind":
    """Saturations by a power of an input, as genes are switched on or off."""

    def kind(z: Array, scale: float, by: Pursuit) -> Iterator[_Function]:
        if power % 2 == 0 or np.all(z > 0):
            yield _quotient(z**power, power, (scale * _size(z)) ** power)
            yield _rise(z, power, scale)

    return kind


def _size(z: Array) -> float:
    return float(np.median(np.abs(z))) + 1e-300


_Kind: TypeAlias = Callable[[Array, float, Pursuit], Iterator[_Function]]
#: Functions that are tried together, of one input each, and whether they have a scale;
#: with one scale at a time, for two of them would imitate any between.
_KINDS: dict[_Kind | None, bool] = {
    None: False,
    _waves: False,
    _bends: True,
    _exponentials: True,
    _roots: False,
    _magnitudes: False,
    _powers: False,
    _saturations: True,
    **dict.fromkeys((_steep(2), _steep(3), _steep(4)), True),
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


def _rise(z: Array, power: int, scale: float) -> _Function:
    """A power of the input / (constant + that power): one term, where 1 - ... is two.

    Of two terms that nearly cancel, neither is found alone.
    """
    constant = (scale * _size(z)) ** power

    def put(draft: Draft, i: int) -> int:
        above = put_monomial(draft, (i,) * power, {})
        return draft.add("divide", {above: 1.0}, {above: 1.0, CONSTANT: constant})

    return _Function(z**power / (z**power + constant), put)


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


def _few(ranked: list[SumOfTerms], by: Pursuit) -> list[SumOfTerms]:
    """The best of sums, and the best of some numbers of terms."""
    few = [
        next((one for one in ranked if len(one.places) == size), ranked[0])
        for size in by.few_terms
    ]
    return [*ranked[:1], *few]


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
