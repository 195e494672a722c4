"""Rates that depend on each other: sums in which other rates are factors of terms.

Laws of machines are sums only as M(q) r = f: the acceleration of a cart depends on that
of its pole, and the other way round. Solved for the rates they are long fractions, of
which no part is good alone; term by term, multiples of other rates included, they are
short sums. So is a fraction N/(1 + d) of one rate, as N - d r.

What is multiplied is not the measured rate, whose errors would lead astray, but one
that a sum of all terms gives, and then that of the best equations so far.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple, TypeAlias

import numpy as np

from eqlearn._types import Array
from eqlearn.dynamics.candidates.alphabet import (
    Alphabet,
    Angle,
    LetterSum,
    monomial_values,
    plus,
    put_polynomial,
    values_of,
)
from eqlearn.dynamics.candidates.best_sums import SumOfTerms, best_sums
from eqlearn.dynamics.candidates.grounds import Grounds
from eqlearn.dynamics.candidates.reshaping import Powers, with_natural_angles
from eqlearn.dynamics.settings import STANDARD_MOTION, Coupling
from eqlearn.network.canonical import canonical
from eqlearn.network.draft import Draft
from eqlearn.network.graph import CONSTANT, Graph

#: A rate as a function of letters.
_Rate: TypeAlias = Callable[[Array], Array]
#: Numerator and denominator.
_Fraction: TypeAlias = tuple[LetterSum, LetterSum]


class _Relation(NamedTuple):
    """A rate as a sum: terms without a rate, and multiples of rates by state."""

    plain: LetterSum
    multiples: Mapping[int, LetterSum]
    n_terms: int
    criterion: float


class _Solved(NamedTuple):
    """Relations of some states, solved for the rates, and how good these are."""

    alphabet: Alphabet
    fractions: Mapping[int, _Fraction]
    is_coupled: bool  # whether rates depend on each other, all around
    n_terms: int
    criterion: float


def coupled_sums(
    grounds: Mapping[int, Grounds],
    by: Coupling = STANDARD_MOTION.coupling,
    is_over: Callable[[], bool] = lambda: False,
) -> list[dict[int, Graph]]:
    """Systems of fractions that are such sums once they are multiplied out, by state.

    They have none for states whose rate is another state. Where rates that do not
    depend on each other explain as much, there are no systems: others look for those.
    """
    grounds = {k: one for k, one in grounds.items() if not _is_plain(k, one, by)}
    if not grounds:
        return []
    n_inputs = next(iter(grounds.values())).x.shape[1]

    def solved(*angles: Angle, rounds: int = 1) -> list[_Solved]:
        if is_over():
            return []
        seen = _Seen.of(Alphabet(n_inputs, angles), grounds, by)
        return _solutions(seen, rounds, by)

    found, best = solved(), dict[int, float]()
    for i in range(n_inputs):
        new = solved((i,))
        found += new
        best[i] = min((one.criterion for one in new), default=np.inf)
    likely = sorted(best, key=lambda i: best[i])[:2]
    if len(likely) == 2:
        one, other = sorted(likely)
        found += [*solved((one,), (other,)), *solved((one,), (other,), (one, other))]
    first = min(found, key=lambda one: one.criterion, default=None)
    if first is None or not first.is_coupled:
        return []
    found += solved(*first.alphabet.angles, rounds=by.rounds)
    return [
        {k: _graph(f, one.alphabet, grounds[k].x.T) for k, f in one.fractions.items()}
        for one in _best_of_each_length(found, by)[: by.n_candidates]
        if one.is_coupled
    ]


def _best_of_each_length(found: Sequence[_Solved], by: Coupling) -> list[_Solved]:
    """The best systems, and the best of each smaller number of terms.

    Noise, and what sums leave in its absence, favour long ones.
    """
    ranked = sorted(found, key=lambda one: one.criterion)
    kept: dict[int, dict[object, _Solved]] = {}
    for one in ranked:
        same = kept.setdefault(one.n_terms, {})
        if one.n_terms <= ranked[0].n_terms and len(same) < by.n_alike:
            form = tuple(frozenset(p) for pair in one.fractions.values() for p in pair)
            same.setdefault(form, one)
    every = [one for same in kept.values() for one in same.values()]
    return sorted(every, key=lambda one: one.criterion)


def _is_plain(state: int, grounds: Grounds, by: Coupling) -> bool:
    """Whether a rate is another state, as that of a position is the velocity."""
    monomials = Alphabet(grounds.x.shape[1]).monomials(2)
    A = grounds.effects(_columns(monomials, grounds.x))
    ranked = _best_sums(A, grounds, _prices(monomials), by)
    (place,) = next(one.places for one in ranked if len(one.places) == 1)
    column = A[:, place]
    left = grounds.y - column * (column @ grounds.y) / (column @ column)
    is_all = np.linalg.norm(left) < by.plain * np.linalg.norm(grounds.y)
    is_state = len(monomials[place]) == 1 and monomials[place] != (state,)
    return is_state and (is_all or len(ranked[0].places) == 1)


class _Seen(NamedTuple):
    """What terms of an alphabet come to, for each state."""

    alphabet: Alphabet
    grounds: Mapping[int, Grounds]
    letters: Mapping[int, Array]  # (N, L)
    monomials: list[Powers]
    effects: Mapping[int, Array]  # (R, K) of the monomials
    factors: list[Powers]  # of rates

    @classmethod
    def of(
        cls, alphabet: Alphabet, grounds: Mapping[int, Grounds], by: Coupling
    ) -> "_Seen":
        """All of that for the highest degree that is not too much."""
        monomials = _few_monomials(alphabet, by.degrees, by.most_terms)
        letters = {k: alphabet.values(one.x) for k, one in grounds.items()}
        effects = {
            k: one.effects(_columns(monomials, letters[k]))
            for k, one in grounds.items()
        }
        most = by.most_factors // len(grounds)
        factors = _few_monomials(alphabet, by.factor_degrees, most)
        return cls(alphabet, grounds, letters, monomials, effects, factors)


def _few_monomials(
    alphabet: Alphabet, degrees: Sequence[int], most: int
) -> list[Powers]:
    """Those of the highest degree that are not too many."""
    for degree in degrees:
        found = alphabet.monomials(degree)
        if len(found) <= most:
            break
    return found


def _columns(monomials: Sequence[Powers], letters: Array) -> Array:
    return np.stack([monomial_values(one, letters) for one in monomials], axis=1)


def _solutions(seen: _Seen, rounds: int, by: Coupling) -> list[_Solved]:
    """Systems of equations whose relations are short, the best first."""
    rates = {k: _rate_of_all(seen, k) for k in seen.grounds}
    found: list[_Solved] = []
    for _ in range(rounds):
        for kind in _KINDS:
            if kind.with_others and len(seen.grounds) == 1:
                continue
            relations = {k: _relations(seen, k, rates, kind, by) for k in seen.grounds}
            found += _combined(seen, relations, by)
        found.sort(key=lambda one: one.criterion)
        if found:
            rates = {k: _rate_of(*f) for k, f in found[0].fractions.items()}
    return _best_of_each_length(found, by)


class _Kind(NamedTuple):
    """Which rates are factors of terms: the rate itself, those of other states."""

    with_own: bool
    with_others: bool


_KINDS = tuple(_Kind(*one) for one in product((False, True), repeat=2))


def _rate_of_all(seen: _Seen, state: int) -> _Rate:
    """What all terms together make of a rate, but for what noise would decide."""
    A, y = seen.effects[state], seen.grounds[state].y
    size = np.linalg.norm(A, axis=0) + 1e-300
    u, s, vt = np.linalg.svd(A / size, full_matrices=False)
    s = s[s > _TOLD * s[0]]
    along = (u.T @ y)[: len(s)]
    left = np.maximum(y @ y - np.cumsum(along**2), _TOLD**2 * (y @ y))
    spare = len(y) - np.arange(1, len(s) + 1)
    n = 1 + int(np.argmin(left / spare**2))  # as by leaving out row by row
    weights = vt[:n].T @ (along[:n] / s[:n]) / size
    return lambda letters: _columns(seen.monomials, letters) @ weights


#: Of the clearest direction of all columns: what is less clear is rounding.
_TOLD = 1e-9


def _rate_of(above: LetterSum, below: LetterSum) -> _Rate:
    return lambda letters: values_of(above, letters) / values_of(below, letters)


class _Term(NamedTuple):
    """A monomial, by itself or as a factor of a rate, and the mean it is less of."""

    monomial: Powers
    rate: int | None = None
    mean: float = 0.0


def _relations(
    seen: _Seen, state: int, rates: Mapping[int, _Rate], kind: _Kind, by: Coupling
) -> list[_Relation]:
    """The best sums of each number of terms for the rate of a state."""
    grounds, letters = seen.grounds[state], seen.letters[state]
    A, terms = [seen.effects[state]], [_Term(one) for one in seen.monomials]
    for other, rate in rates.items():
        own = other == state
        if not (kind.with_own if own else kind.with_others):
            continue
        factors = [one for one in seen.factors if one or not own]
        values = _columns(factors, letters)
        # A factor of the rate itself is less its mean: 1 + d is never about 0.
        means = values.mean(axis=0) if own else np.zeros(len(factors))
        A.append(grounds.effects((values - means) * rate(letters)[:, None]))
        pairs = zip(factors, means.tolist(), strict=True)
        terms += [_Term(factor, other, mean) for factor, mean in pairs]
    every = np.hstack(A)
    if not np.isfinite(every).all():
        return []
    prices = _prices(
        [(0, *t.monomial) if t.rate is not None else t.monomial for t in terms]
    )
    found: dict[int, list[_Relation]] = {}
    for one in _best_sums(every, grounds, prices, by):
        same = found.setdefault(len(one.places), [])
        if len(same) < by.n_alike:
            places = list(one.places)
            weights = np.linalg.lstsq(every[:, places], grounds.y, rcond=None)[0]
            some = [terms[place] for place in places]
            same.append(_relation(some, weights.tolist(), one.criterion))
    return [one for same in found.values() for one in same]


def _prices(monomials: Sequence[Powers]) -> Array:
    return np.array([_PRODUCT * max(len(one) - 1, 0) for one in monomials])


#: What each factor of a term costs, which doubles what there is to pick: 2 log 2.
_PRODUCT = 2 * np.log(2)


def _best_sums(
    A: Array, grounds: Grounds, prices: Array, by: Coupling
) -> list[SumOfTerms]:
    """Sums of columns, none of which need say more than grounds can tell."""
    pursuit = replace(STANDARD_MOTION.pursuit, width=by.width, term_price=by.term_price)
    off = by.told * np.linalg.norm(grounds.y)
    y, A = np.append(grounds.y, off), np.vstack([A, np.zeros(A.shape[1])])
    return best_sums(A, y, len(y), prices, by.most_length, pursuit)


def _relation(
    terms: Sequence[_Term], weights: Sequence[float], criterion: float
) -> _Relation:
    plain: dict[Powers, float] = {}
    multiples: dict[int, dict[Powers, float]] = {}
    for term, weight in zip(terms, weights, strict=True):
        part = plain if term.rate is None else multiples.setdefault(term.rate, {})
        part[term.monomial] = part.get(term.monomial, 0.0) + weight
        if term.mean:
            part[()] = part.get((), 0.0) - weight * term.mean
    return _Relation(plain, multiples, len(terms), criterion)


def _combined(
    seen: _Seen, relations: Mapping[int, Sequence[_Relation]], by: Coupling
) -> Iterator[_Solved]:
    """Systems of relations, one for each state, solved for their rates.

    Of each number of terms, those are tried whose relations are best one by one.
    """
    kept = [sorted(some, key=lambda r: r.criterion) for some in relations.values()]
    n = max(1, int(by.most_combined ** (1 / len(kept))))
    by_length: dict[int, list[tuple[_Relation, ...]]] = {}
    for some in product(*(one[:n] for one in kept)):
        by_length.setdefault(sum(one.n_terms for one in some), []).append(some)
    for same in by_length.values():
        same.sort(key=lambda some: sum(one.criterion for one in some))
        for some in same[: by.n_alike]:
            system = dict(zip(relations, some, strict=True))
            fractions = _rates(system, seen.alphabet)
            solved = None if fractions is None else _judged(fractions, system, seen, by)
            if solved is not None:
                yield solved


def _judged(
    fractions: Mapping[int, _Fraction],
    system: Mapping[int, _Relation],
    seen: _Seen,
    by: Coupling,
) -> _Solved | None:
    """How well rates explain what was measured; None if one of them has a pole."""
    criterion, n_terms = 0.0, sum(one.n_terms for one in system.values())
    for state, (above, below) in fractions.items():
        grounds, letters = seen.grounds[state], seen.letters[state]
        under = values_of(below, letters)
        if np.ptp(np.sign(under)) or len(above) + len(below) > by.most_in_fraction:
            return None
        rate = values_of(above, letters) / under
        left = grounds.y - grounds.effects(rate[:, None])[:, 0]
        square = left @ left + by.told**2 * (grounds.y @ grounds.y)
        n = len(left)
        price = (np.log(n) + by.term_price) * system[state].n_terms
        criterion += n * float(np.log(square / n + 1e-300)) + price
    is_coupled = _are_coupled(system, seen.alphabet)
    return _Solved(seen.alphabet, fractions, is_coupled, n_terms, criterion)


def _rates(
    system: Mapping[int, _Relation], alphabet: Alphabet
) -> dict[int, _Fraction] | None:
    """The rates of relations, by Cramer's rule; None if there are none."""
    states = list(system)
    matrix = [[_entry(system[k], k, j) for j in states] for k in states]
    right = [system[k].plain for k in states]
    below = _determinant(matrix, alphabet)
    found = {}
    for place, state in enumerate(states):
        changed = [
            [right[row] if column == place else one for column, one in enumerate(line)]
            for row, line in enumerate(matrix)
        ]
        found[state] = (_determinant(changed, alphabet), below)
    return found if all(a and b for a, b in found.values()) else None


def _are_coupled(system: Mapping[int, _Relation], alphabet: Alphabet) -> bool:
    """Whether more divides the rates than what each of them is multiplied by itself."""
    states = list(system)
    alone: LetterSum = {(): 1.0}
    for k in states:
        alone = alphabet.times(alone, _entry(system[k], k, k))
    matrix = [[_entry(system[k], k, j) for j in states] for k in states]
    return bool(plus(_determinant(matrix, alphabet), alone, -1.0))


def _entry(relation: _Relation, state: int, other: int) -> LetterSum:
    """What the rate of another state is multiplied by, all rates on the left."""
    one: LetterSum = {(): 1.0} if state == other else {}
    return plus(one, relation.multiples.get(other, {}), -1.0)


def _determinant(
    matrix: Sequence[Sequence[LetterSum]], alphabet: Alphabet
) -> LetterSum:
    if not matrix:
        return {(): 1.0}
    total: LetterSum = {}
    for column, entry in enumerate(matrix[0]):
        if entry:
            rest = [[*line[:column], *line[column + 1 :]] for line in matrix[1:]]
            part = alphabet.times(entry, _determinant(rest, alphabet))
            total = plus(total, part, -1.0 if column % 2 else 1.0)
    return total


def _graph(fraction: _Fraction, alphabet: Alphabet, x: Array) -> Graph:
    draft = Draft(Graph(alphabet.n_inputs, (), (({}, {CONSTANT: 1.0}),)))
    above, below = (dict(put_polynomial(p, alphabet, draft)) for p in fraction)
    draft.outputs[0] = (above, below)
    graph = draft.freeze()
    assert graph is not None  # products use only what stands before them
    return with_natural_angles(canonical(graph, x), _EXACTLY)


#: From 1: weights of angles in waves, which are 1 or -1.
_EXACTLY = 1e-6
