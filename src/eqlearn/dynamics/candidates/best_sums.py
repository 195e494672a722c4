"""Sums of few columns: the best of each number, built up several at a time."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array
from eqlearn.dynamics.settings import Pursuit

_TINY = 1e-12
#: Of a term's length: what must be new in it beside the terms that are there.
_NEW = 1e-3


class SumOfTerms(NamedTuple):
    """Columns that add up to something, and how well."""

    places: tuple[int, ...]
    criterion: float


def best_sums(
    A: Array, y: Array, n: int, prices: Array, most_terms: int, by: Pursuit
) -> list[SumOfTerms]:
    """Sums of columns for what n rows say, the best first.

    Those of each number of terms that are best go on to be longer.
    """
    A, y = _shortened(A, y)
    beam: list[SumOfTerms] = [SumOfTerms((), np.inf)]
    found: dict[tuple[int, ...], float] = {}
    for size in range(1, most_terms + 1):
        if size == 2:
            # Of two terms that do it together, neither need be good alone.
            longer = _pairs(A, y, n, prices, by)
        elif size == 3 and A.shape[1] <= by.most_tripled:
            longer = _triples(A, y, n, prices, by)
        else:
            longer = {
                tuple(sorted((*one.places, place))): criterion
                for one in beam
                for place, criterion in _extensions(A, y, n, prices, one.places, by)
            }
        best = sorted(longer.items(), key=lambda item: item[1])[: by.width]
        beam = [SumOfTerms(*item) for item in best]
        found |= dict(best)
    return [SumOfTerms(*i) for i in sorted(found.items(), key=lambda item: item[1])]


def _shortened(A: Array, y: Array) -> tuple[Array, Array]:
    """Columns of length 1, in as few rows as tell all of them."""
    A = A / (np.linalg.norm(A, axis=0) + 1e-300)
    if len(y) > A.shape[1] + 1:
        together = condensed(A, y)
        return together[:, :-1], together[:, -1]
    return A, y


def with_swaps(
    A: Array, y: Array, n: int, prices: Array, some: list[SumOfTerms], by: Pursuit
) -> list[SumOfTerms]:
    """Sums whose terms are swapped for others, one at a time, as long as that helps.

    Of many terms that imitate each other, those of a law need not be best on the way.
    """
    A, y = _shortened(A, y)
    return [_swapped(A, y, n, prices, one, by) for one in some]


def _swapped(
    A: Array, y: Array, n: int, prices: Array, one: SumOfTerms, by: Pursuit
) -> SumOfTerms:
    few = replace(by, width=1)
    for _ in range(by.n_swaps):
        new = one
        for place in one.places:
            rest = tuple(other for other in one.places if other != place)
            for better, criterion in _extensions(A, y, n, prices, rest, few):
                if criterion < new.criterion:
                    new = SumOfTerms(tuple(sorted((*rest, better))), criterion)
        if new is one:
            break
        one = new
    return one


def _pairs(
    A: Array, y: Array, n: int, prices: Array, by: Pursuit
) -> dict[tuple[int, ...], float]:
    """The best of all pairs of columns, each of length 1."""
    alike, along = A.T @ A, A.T @ y
    free = 1.0 - alike**2
    both = along[:, None] ** 2 - 2 * np.outer(along, along) * alike + along**2
    gain = np.where(free > _NEW**2, both / np.maximum(free, _NEW**2), 0.0)
    criterion = _criterion(y @ y - gain, y, n, 2, prices[:, None] + prices, by)
    criterion[np.tril_indices(len(along))] = np.inf
    order = np.argsort(criterion, axis=None)[: by.width]
    pairs = zip(*np.unravel_index(order, criterion.shape), strict=True)
    return {(int(i), int(j)): float(criterion[i, j]) for i, j in pairs}


def _triples(
    A: Array, y: Array, n: int, prices: Array, by: Pursuit
) -> dict[tuple[int, ...], float]:
    """The best of all triples of columns, each of length 1, by sweeping out two."""
    alike, along = A.T @ A, A.T @ y
    i, j = np.triu_indices(len(along), 1)
    free = 1.0 - alike[i] ** 2  # (P, K) of each column beside the first
    rest = along - alike[i] * along[i, None]
    beside = alike[j] - alike[i, j][:, None] * alike[i]
    own = 1.0 - alike[i, j] ** 2
    told = own > _NEW**2
    share = rest[np.arange(len(i)), j] / np.maximum(own, _NEW**2)
    both = along[i] ** 2 + share * rest[np.arange(len(i)), j]
    free = free - beside**2 / np.maximum(own, _NEW**2)[:, None]
    rest = rest - beside * share[:, None]
    new = (free > _NEW**2) & told[:, None]
    gain = both[:, None] + np.where(new, rest**2 / np.maximum(free, _NEW**2), 0.0)
    cost = (prices[i] + prices[j])[:, None] + prices
    criterion = _criterion(y @ y - gain, y, n, 3, cost, by)
    last = np.arange(len(along)) > j[:, None]  # each triple once
    criterion[~(new & last)] = np.inf
    width = min(by.width, criterion.size - 1)
    order = np.argpartition(criterion, width, axis=None)[: by.width]
    places = zip(*np.unravel_index(order, criterion.shape), strict=True)
    found = {
        (int(i[pair]), int(j[pair]), int(k)): float(criterion[pair, k])
        for pair, k in places
    }
    return {places: worth for places, worth in found.items() if np.isfinite(worth)}


def _criterion(
    left: Array, y: Array, n: int, n_terms: int, prices: Array, by: Pursuit
) -> Array:
    """The criterion of sums that leave so much of the squares."""
    square = left / n + _TINY * float(y @ y) / n
    cost = n_terms * (np.log(n) + by.term_price) + prices
    found: Array = n * np.log(np.maximum(square, 1e-300)) + cost
    return found


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
    cost = sum(prices[list(places)]) + prices
    criterion = _criterion(left @ left - gain, y, n, len(places) + 1, cost, by)
    order = np.argsort(criterion)[: by.width]
    return [(int(i), float(criterion[i])) for i in order if gain[i] > 0]


def condensed(A: Array, y: Array) -> Array:
    """All that least squares knows of rows, in as many as there are columns."""
    found: Array = np.linalg.qr(np.column_stack([A, y]), mode="reduced")[1]
    return found
