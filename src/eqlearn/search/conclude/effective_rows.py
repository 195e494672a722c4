"""How many rows count: errors of successive rows may belong together."""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array
from eqlearn.search.conclude.judged_rows import values_of
from eqlearn.search.keep.final_fits import Candidate
from eqlearn.search.learn import Found
from eqlearn.search.related_rows import UNRELATED, Relation, relation_of
from eqlearn.search.strategy import STANDARD, Strategy

#: Times the pick may change what rows count by, before it is left.
_MOST_ROUNDS = 8
#: Share of the rows that makes no difference.
_CLOSE = 0.02


def effective_rows(residual: Array) -> float:
    """How many independent rows tell as much as these, in the order they were measured.

    All of them, unless successive ones are alike beyond doubt.
    """
    n = len(residual)
    return relation_of(np.zeros((n, 1)), residual).counted(n)


def relation_left_by(
    one: Candidate, x: Array, y: Array, weight: Array | None
) -> Relation:
    """How errors of rows in the order they were measured are related."""
    residual = y - values_of(one.graph, x)
    if not np.isfinite(residual).all() or len(y) < 3:
        return UNRELATED
    return relation_of(x, residual if weight is None else residual * np.sqrt(weight))


def recounted(
    found: Found,
    x: Array,
    y: Array,
    weight: Array | None = None,
    strategy: Strategy = STANDARD,
) -> Found:
    """Candidates compared by as many rows as count, with errors of constants to match.

    The formula that is ahead tells how far errors are related; if by fewer rows another
    is ahead, that one tells. Where the first leaves unrelated errors, nothing changes.
    """
    n = min(len(y), strategy.rows.prune)
    spread = float(np.std(y)) or 1.0
    exact = strategy.tactics.criterion.exact
    now = Counted(found, n / (1.0 + found.crowding * n))
    for _ in range(_MOST_ROUNDS):
        best = now.found.candidates[0]
        crowding = relation_left_by(best, x, y, weight).crowding(len(y))
        n_rows = n / (1.0 + crowding * n)
        if not best.is_something or abs(n_rows - now.n_rows) < _CLOSE * now.n_rows:
            break
        now = now.by_rows(n_rows, spread, exact)
    if now.n_rows > (1.0 - _CLOSE) * n:
        return now.found
    crowding = 1.0 / now.n_rows - 1.0 / n
    errors = math.sqrt(1.0 + crowding * len(y))
    candidates = tuple(_with_errors(one, errors) for one in now.found.candidates)
    return replace(now.found, candidates=candidates, crowding=crowding)


class Counted(NamedTuple):
    """Candidates whose criterion counts so many rows."""

    found: Found
    n_rows: float

    def by_rows(self, n_rows: float, spread: float, exact: float) -> "Counted":
        """The same by another number of rows, in order of the criterion."""

        def by_fewer(one: Candidate) -> Candidate:
            left = math.log((one.rms / spread) ** 2 + exact)
            size = one.graph.n_parameters * math.log(self.n_rows / n_rows)
            bic = one.bic - (self.n_rows - n_rows) * left - size
            return replace(one, bic=bic)

        candidates = sorted(map(by_fewer, self.found.candidates), key=lambda c: c.bic)
        return Counted(replace(self.found, candidates=tuple(candidates)), n_rows)


def _with_errors(one: Candidate, times: float) -> Candidate:
    wider = tuple(replace(c, error=c.error * times) for c in one.constants)
    return replace(one, constants=wider)
