"""What a verdict looks at beside the formulas: the rows, and points of the domain."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.linalg import qr

from eqlearn._types import Array, Booleans, Integers
from eqlearn.data.scale import drawn_within
from eqlearn.network.graph import Graph
from eqlearn.search.keep.agreement import typical_spread
from eqlearn.search.verdict_strategy import Judging
from eqlearn.training.losses import relative_roots
from eqlearn.training.samples import Samples, samples

#: Rows of a large table whose values are computed at the same time.
_AT_ONCE = 2**16


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """Rows of one target, with points of the domain of use inside and outside them."""

    x: Array  # (N, D)
    y: Array  # (N,)
    weight: Array | None  # (N,), of mean 1
    spread: float  # of the target
    ranges: Array  # (2, D): the lowest and the highest of every input
    points: Array  # (K, D) of the domain of use
    numbers: Integers  # (N,) of the rows in the table, from 0
    far: tuple[Array, Array] | None = None  # labelled points (K, D) and (K,) far out

    @classmethod
    def of(
        cls, x: Array, y: Array, domain: Array, by: Judging, weight: Array | None = None
    ) -> "JudgedRows":
        """Take rows evenly from all, for a table may be sorted, and draw points."""
        few = np.linspace(0, len(x) - 1, min(len(x), by.most_rows)).astype(int)
        low, high = np.transpose(domain)
        rng = np.random.default_rng(0)
        drawn = drawn_within(low, high, by.n_points, x[few], rng)
        return cls(
            x[few],
            y[few],
            None if weight is None else weight[few] / np.mean(weight[few]),
            float(np.std(y)),
            np.stack([x.min(axis=0), x.max(axis=0)]),
            following(drawn, x[few], domain),
            few,
        )

    @property
    def root(self) -> Array:
        """Square roots of the weights."""
        ones: Array = np.ones(len(self.y))
        return ones if self.weight is None else np.sqrt(self.weight)

    @cached_property
    def samples(self) -> Samples:
        """The rows as fits take them."""
        return self.taken(np.arange(len(self.y)))

    def taken(self, rows: Integers) -> Samples:
        """Some of the rows."""
        weight = None if self.weight is None else self.weight[rows]
        return samples(self.x[rows], self.y[rows, None], weight=weight)

    @property
    def is_in_order(self) -> bool:
        """Whether these are all rows of the table, or nearly, one after the other."""
        return len(self.y) >= 0.8 * (int(self.numbers[-1]) + 1)

    def every(self, step: int) -> "JudgedRows":
        """The same with every so many rows only."""
        taken = np.arange(0, len(self.y), step)
        return self.without(np.setdiff1d(np.arange(len(self.y)), taken).tolist())

    def without(self, rows: Sequence[int]) -> "JudgedRows":
        """The same without some of the rows."""
        rest = np.setdiff1d(np.arange(len(self.y)), np.asarray(rows, int))
        x, y = self.x[rest], self.y[rest]
        return replace(
            self,
            x=x,
            y=y,
            weight=None if self.weight is None else self.weight[rest],
            spread=float(np.std(y)),
            ranges=np.stack([x.min(axis=0), x.max(axis=0)]),
            numbers=self.numbers[rest],
        )

    def relative_to(self, graph: Graph) -> "JudgedRows":
        """The same with weights that make residuals shares of a formula's values."""
        values = values_of(graph, self.x)
        if not np.isfinite(values).all():
            return self
        return replace(self, weight=np.square(relative_roots(values, self.root)))

    def in_units_of_spread(self) -> "JudgedRows":
        """The same with the target divided by its spread."""
        return replace(self, y=self.y / (self.spread or 1.0), spread=1.0)

    def in_domain(self, graph: Graph) -> "InDomain":
        """A formula at the points of the domain."""
        low, high = self.ranges
        used = sorted(graph.used_inputs)
        beyond = (self.points < low) | (self.points > high)
        values = values_of(graph, self.points)
        return InDomain(values, beyond[:, used].any(axis=1))


class InDomain(NamedTuple):
    """Values of a formula in the domain of use, and which of them are extrapolated."""

    values: Array
    is_outside: Booleans

    @property
    def spread(self) -> float:
        """The spread of most values there; 1 if there is none to divide by."""
        return typical_spread(self.values) or 1.0


def values_of(graph: Graph, x: Array) -> Array:
    """A formula's values (N,), not finite where it has none."""
    found: Array = np.empty(len(x))
    # Some rows at a time: all values on the way would take as much as the table.
    with np.errstate(all="ignore"):
        for first in range(0, len(x), _AT_ONCE):
            some = slice(first, first + _AT_ONCE)
            found[some] = graph.evaluate(x[some])[0][:, 0]
    return found


def high_quantile(off: Array) -> float:
    """The 90th percentile of distances; what has no value is infinitely far."""
    if not len(off):
        return 0.0
    finite = np.sort(np.where(np.isfinite(off), off, np.inf))
    return float(finite[int(np.ceil(0.9 * len(finite))) - 1])


#: Share of the largest that is rounding, and inputs beyond which none is looked for.
_ROUNDING, _MOST_BOUND = 1e-9, 200
#: Share of the points of a domain that must be left.
_FEWEST_WITHIN = 0.1


def following(points: Array, x: Array, domain: Array) -> Array:
    """Points (K, D) where inputs that are sums of others in every row are so, too.

    Those that this moves out of the domain (D, 2) are left out; if that would leave
    few, the domain knows nothing of the sums, and points stay as they are.
    """
    spread, middle = x.std(axis=0), x.mean(axis=0)
    moving = np.flatnonzero(spread > 0)
    if len(moving) < 2 or len(moving) > min(_MOST_BOUND, len(x) / 2):
        return points
    c = (x[:, moving] - middle[moving]) / spread[moving]
    _, triangle, order = qr(c, mode="economic", pivoting=True)
    sizes = np.abs(np.diag(triangle))
    n_free = int(np.sum(sizes > _ROUNDING * sizes[0]))
    free, bound = moving[order[:n_free]], moving[order[n_free:]]
    if not len(bound):
        return points
    slopes, *_ = np.linalg.lstsq(c[:, order[:n_free]], c[:, order[n_free:]], rcond=None)
    moved = points.copy()
    steps = (points[:, free] - middle[free]) / spread[free]
    moved[:, bound] = middle[bound] + spread[bound] * (steps @ slopes)
    low, high = np.transpose(domain)
    is_within = ((low <= moved) & (moved <= high)).all(axis=1)
    return moved[is_within] if is_within.mean() > _FEWEST_WITHIN else points
