"""Laws of one or two features that were built by rule, each times a small monomial.

All features times all monomials are judged at once: by how much each explains, beside
a constant and what was picked before, follows from a few products of matrices.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array, Integers, Singles
from eqlearn.network.draft import Draft
from eqlearn.network.graph import Graph, Linear
from eqlearn.search.attempts.monomials import (
    ONE,
    Exponents,
    monomial_fraction,
    product,
    weighted_sum,
)
from eqlearn.search.survey.built import Shelf, shelf_of
from eqlearn.search.survey.dictionaries import (
    exponents_up_to,
    monomials,
    positive_rows,
)
from eqlearn.search.survey.pursuit import WeightedRows
from eqlearn.search.survey_strategy import Building

#: Monomials beside a feature: there are fewer for few inputs.
_MOST = 1000


class Outer(NamedTuple):
    """What stands beside a feature: a monomial, perhaps times or over another one."""

    exponents: Exponents
    other: int = 0  # its number on the shelf; 0 is none
    is_below: bool = False

    def price(self, shelf: Shelf) -> float:
        """What it costs in the rank of a term: as units do."""
        own = float(sum(map(abs, self.exponents))) + bool(self.other)
        return 1.4 * own + float(shelf.prices[self.other])

    def factors(self, draft: Draft, shelf: Shelf) -> tuple[Linear, Linear]:
        """Numerator and denominator."""
        above, below = monomial_fraction(draft, self.exponents)
        if self.other:
            other = shelf.feature(draft, self.other)
            if self.is_below:
                below = product(draft, [below, other])
            else:
                above = product(draft, [above, other])
        return above, below


class Picked(NamedTuple):
    """Columns by their numbers, each with that of its outer factor."""

    rank: float  # the criterion, as far as these terms differ in it
    left: float  # squared
    terms: tuple[tuple[int, int], ...]
    price: float  # of all terms


class Wanted(NamedTuple):
    """What laws are looked for."""

    n_terms: int  # beside a constant
    has_inputs: bool  # whether the inputs are there from the start
    in_logs: bool  # whether the target is a logarithm: then a law is a product


def built_laws(
    data: WeightedRows, scale: Array, wanted: Wanted, by: Building
) -> Iterator[Graph]:
    """Formulas of what is seen, the simplest of those that leave least first.

    Where the target is a logarithm, logarithms of the inputs are there from the start,
    and those of features are features: the law is then a product of their powers.
    """
    rows = _first(data, by.n_rows)
    with np.errstate(all="ignore"):
        shelf = _kept_shelf(rows.x.tobytes(), len(scale), scale.tobytes(), by)
        look = _Look.of(shelf, rows, wanted, by)
        for one in look.best(wanted.n_terms, by):
            yield look.graph(one)


@lru_cache(maxsize=1)
def _kept_shelf(x: bytes, n: int, scale: bytes, by: Building) -> Shelf:
    """The shelf of inputs, which is the same through every link."""
    values = np.frombuffer(x).reshape(n, -1)
    return shelf_of(values, np.frombuffer(scale), by)


def _first(data: WeightedRows, n: int) -> WeightedRows:
    x = np.ascontiguousarray(data.x[:, :n])
    return replace(data, x=x, y=data.y[:n], root=data.root[:n])


class _Look(NamedTuple):
    """A shelf, what may stand beside its features, and what is there from the start."""

    shelf: Shelf
    rows: WeightedRows
    columns: Array  # (K, N) features of the shelf, then logarithms of some
    logs: Integers  # of which features these are
    outers: list[Outer]
    beside: Array  # (M, N) their values, weighted and of unit size
    sizes: Array  # (M,) that they were divided by
    prices: Array  # (K,) of the columns
    prices_beside: Array  # (M,)
    inputs: list[int]  # that are there from the start
    logs_of: list[int]  # inputs whose logarithms are
    base: Array  # (N, p) weighted columns of a constant and of these

    @classmethod
    def of(
        cls, shelf: Shelf, rows: WeightedRows, wanted: Wanted, by: Building
    ) -> "_Look":
        """Lay out all columns."""
        positive, values = positive_rows(rows.x), shelf.values
        inputs = list(range(len(positive))) if wanted.has_inputs else []
        logs_of = [i for i, above in enumerate(positive) if above and wanted.in_logs]
        has_log = np.abs(np.sign(values).sum(axis=1)) == values.shape[1]
        has_log &= wanted.in_logs
        columns = np.concatenate([values, np.log(np.abs(values[has_log]))])
        outers = _outers(shelf, positive, by)[: by.most_outers[wanted.n_terms - 1]]
        beside = _values_of(outers, shelf, rows.x) * rows.root
        numbers = np.flatnonzero(np.isfinite(beside).all(axis=1)).tolist()
        outers, beside = [outers[k] for k in numbers], beside[numbers]
        sizes = np.sqrt(np.mean(beside**2, axis=1))
        known = [np.ones(len(rows.y)), *rows.x[inputs], *np.log(rows.x[logs_of])]
        return cls(
            shelf,
            rows,
            columns,
            np.flatnonzero(has_log),
            outers,
            beside / sizes[:, None],
            sizes,
            np.r_[shelf.prices, shelf.prices[has_log] + by.price_of_log],
            np.array([outer.price(shelf) for outer in outers]),
            inputs,
            logs_of,
            np.array(known).T * rows.root[:, None],
        )

    def best(self, n_terms: int, by: Building) -> list[Picked]:
        """What leaves least with so many terms."""
        size = np.sqrt(np.mean(self.columns**2, axis=1, keepdims=True))
        unit = (self.columns / size).astype(np.float32)
        found = [Picked(0.0, 0.0, (), 0.0)]
        for k in range(n_terms):
            n = by.n_kept if k == n_terms - 1 else by.n_beam
            more = [p for one in found for p in self._with_one_more(one, unit, n)]
            found = _distinct(sorted(more), n)
        return found

    def _picked(self, picked: Picked) -> Array:
        """The weighted columns of a pick, those of the start first."""
        terms = [self.columns[k] * self.beside[m] for k, m in picked.terms]
        values = np.array(terms).reshape(len(terms), len(self.base))
        return np.concatenate([self.base, values.T], axis=1)

    def _with_one_more(self, picked: Picked, unit: Singles, n: int) -> list[Picked]:
        """The picks with one term more, of the lowest rank."""
        columns = self._picked(picked)
        basis, _ = np.linalg.qr(columns / np.linalg.norm(columns, axis=0))
        left = self.rows.y - basis @ (basis.T @ self.rows.y)
        gain = self._gains(unit, basis, left)
        outer = np.argmax(gain, axis=1)
        best = np.take_along_axis(gain, outer[:, None], axis=1)[:, 0].astype(float)
        least = 1e-12 * float(self.rows.y @ self.rows.y)
        rest = np.maximum(float(left @ left) - best, least)
        prices = picked.price + self.prices + self.prices_beside[outer]
        rank = len(left) * np.log(rest) + prices
        first = np.argsort(rank)[: 4 * n].tolist()
        picks = [
            Picked(
                float(rank[k]),
                float(rest[k]),
                (*picked.terms, (k, int(outer[k]))),
                float(prices[k]),
            )
            for k in first
            if best[k] > 0.0
        ]
        return _distinct(picks, n)

    def _gains(self, unit: Singles, basis: Array, left: Array) -> Singles:
        """By how much each column beside each outer factor lessens what is left."""

        def along(direction: Array) -> Singles:
            return unit @ (self.beside * direction).T.astype(np.float32)

        length = unit**2 @ (self.beside**2).T.astype(np.float32)
        free = length.copy()
        for direction in basis.T:
            part = along(direction)
            part *= part
            free -= part
        gain = along(left)
        gain *= gain
        gain /= free
        # No column explains more than there is: such a one is nearly in the basis.
        most = np.float32(1.001 * float(left @ left))
        gain[~((free > 1e-5 * length) & (gain <= most))] = 0.0
        return gain

    def graph(self, picked: Picked) -> Graph:
        """The law as a formula, with the weights that fit best."""
        columns = self._picked(picked)
        size = np.linalg.norm(columns, axis=0)
        weights = np.linalg.lstsq(columns / size, self.rows.y, rcond=1e-12)[0] / size
        n_terms = len(picked.terms)
        weights[len(weights) - n_terms :] /= self.sizes[[m for _, m in picked.terms]]
        draft = Draft(Graph(len(self.rows.x), (), ()))
        plain: list[Linear] = [ONE, *({i: 1.0} for i in self.inputs)]
        logs = ({draft.add("log", {i: 1.0}): 1.0} for i in self.logs_of)
        terms = (self._term(draft, *term) for term in picked.terms)
        return weighted_sum(draft, [*plain, *logs, *terms], weights)

    def _term(self, draft: Draft, column: int, outer: int) -> Linear:
        n = len(self.shelf)
        if column < n:
            inner = self.shelf.feature(draft, column)
        else:
            feature = self.shelf.feature(draft, int(self.logs[column - n]))
            inner = {draft.add("log", feature): 1.0}
        above, below = self.outers[outer].factors(draft, self.shelf)
        top = product(draft, [above, inner])
        return top if below == ONE else {draft.add("divide", top, below): 1.0}


def _outers(shelf: Shelf, positive: Sequence[bool], by: Building) -> list[Outer]:
    """Monomials, smaller ones times or over a sum of inputs, or times a function.

    Those that cost least come first.
    """
    n = len(positive)
    size = by.sizes[min(n, len(by.sizes)) - 1]
    small = exponents_up_to(size - 1, positive, _MOST, halves=False)
    sums = range(n + 1, n + 1 + shelf.n_sums)
    bent = range(sums.stop, sums.stop + shelf.n_bent)
    alone = [Outer(e) for e in exponents_up_to(size, positive, _MOST)]
    with_sums = [
        Outer(e, k, is_below) for k in sums for is_below in (False, True) for e in small
    ]
    with_bent = [Outer(e, k) for k in bent for e in small]
    found = alone + with_sums + with_bent
    return sorted(found, key=lambda outer: outer.price(shelf))


def _values_of(outers: Sequence[Outer], shelf: Shelf, x: Array) -> Array:
    """Values (M, N) of what stands beside features."""
    values = monomials(x, [outer.exponents for outer in outers])
    sums = shelf.values[[outer.other for outer in outers]]
    below = np.array([outer.is_below for outer in outers])
    found: Array = np.where(below[:, None], values / sums, values * sums)
    return found


def _distinct(picks: Sequence[Picked], n: int) -> list[Picked]:
    """The first picks, of those that leave the same only one."""
    found: list[Picked] = []
    for one in picks:
        if len(found) == n:
            break
        if not found or abs(one.left - found[-1].left) > 1e-6 * abs(found[-1].left):
            found.append(one)
    return found
