"""One target to be explained, and what all ways to explain it share."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from eqlearn._types import Array, Booleans
from eqlearn.equation.refine.tactics import Tactics
from eqlearn.knowledge.constraining.constraints import Constraint
from eqlearn.knowledge.measuring.dimensionless import GroupSet
from eqlearn.network.graph import Graph
from eqlearn.network.transform import from_origins, rescaled
from eqlearn.network.units import Unit, register
from eqlearn.search.one_thread import one_thread
from eqlearn.search.strategy import STANDARD, Strategy
from eqlearn.training.samples import FLOOR, Samples, samples

#: Units of the fast recipe; sums need none, cosines are shifted sines.
DEFAULT_UNITS = ("sin", "multiply")


@dataclass(frozen=True)
class Task:
    """One target in scaled units, with its rows in random order."""

    x: Array  # (N, D)
    y: Array  # (N, 1)
    low: Array  # (D,) domain of use
    high: Array
    x_scale: Array  # (D,) what the inputs were divided by
    y_scale: float = 1.0  # what the target was divided by
    origins: tuple[float, ...] = ()  # what was taken from the inputs before; none if ()
    n_far: int = 0  # rows in front that are outside the range of the others
    seed: int = 0
    weight: Array | None = None  # (N,) of the samples
    units: tuple[str, ...] = DEFAULT_UNITS  # that networks are made of
    own_units: tuple[Unit, ...] = ()  # of these, the user's, for other processes
    survey_units: tuple[str, ...] = ()  # of laws that are looked for directly
    strategy: Strategy = STANDARD
    constraints: tuple[Constraint, ...] = ()  # that formulas must keep
    group_sets: tuple[GroupSet, ...] = ()  # dimensionless groups of the inputs
    crowding: float = 0.0  # of rows whose errors belong together
    loss: str = "squared"  # of the final fits; the search before goes by squares

    @property
    def tactics(self) -> Tactics:
        """How formulas are refined."""
        tactics = self.strategy.tactics
        return tactics.crowded(self.crowding) if self.crowding else tactics

    def rows(self, n: int | None = None) -> Samples:
        """The first `n` rows.

        Without unlabelled points of the domain of use, which training has: a law may
        have a pole there, and a fit that must not would bend it.
        """
        n = len(self.x) if n is None else min(n, len(self.x))
        weight = None if self.weight is None else self.weight[:n]
        return samples(self.x[:n], self.y[:n], weight=weight, floor=FLOOR)

    def in_data_units(self, inputs: Iterable[int]) -> Samples:
        """All rows in the units of the data, with these inputs; the others are 0.

        They may be many: what is not written to takes no memory.
        """
        x = np.zeros(self.x.shape[::-1])
        for i in inputs:
            np.multiply(self.x[:, i], self.x_scale[i], out=x[i])
            if self.origins:
                x[i] += self.origins[i]
        return samples(x.T, self.y * self.y_scale, weight=self.weight)

    @property
    def n_held_out(self) -> int:
        """How many rows, the last ones, the paper's training does not see."""
        n = len(self.x) - self.n_far
        return max(1, round(self.strategy.rows.held_out * n))

    def first(self, n: int) -> "Task":
        """The task with its first `n` rows only."""
        weight = None if self.weight is None else self.weight[:n]
        return replace(self, x=self.x[:n], y=self.y[:n], weight=weight)

    def taken(self, rows: Booleans) -> "Task":
        """The task with these rows only."""
        weight = None if self.weight is None else self.weight[rows]
        n_far = int(np.sum(rows[: self.n_far]))
        x, y = self.x[rows], self.y[rows]
        return replace(self, x=x, y=y, weight=weight, n_far=n_far)

    def near(self) -> "Task":
        """The task without its far points."""
        weight = None if self.weight is None else self.weight[self.n_far :]
        x, y = self.x[self.n_far :], self.y[self.n_far :]
        return replace(self, x=x, y=y, weight=weight, n_far=0)

    def search_rows(self) -> Samples:
        """Rows that attempts are pruned and compared on.

        A far point counts no more than another: if the target is large there, formulas
        that are still wrong would bend to reach it and lose what was right of them.
        """
        n = self.strategy.rows.search
        if not self.n_far:
            return self.rows(n)
        weight = np.ones(len(self.x)) if self.weight is None else self.weight.copy()
        far, near = self.y[: self.n_far], self.y[self.n_far :]
        size = float(np.mean((far - near.mean()) ** 2))
        weight[: self.n_far] *= min(1.0, float(np.var(near)) / size) if size else 1.0
        return replace(self, weight=weight).rows(n)

    def in_units(self, graph: Graph) -> Graph:
        """A graph of the scaled data, written in the units of the data."""
        return from_origins(rescaled(graph, self.x_scale, [self.y_scale]), self.origins)

    def in_data_points(self, points: Array) -> Array:
        """Points (N, D) of the scaled inputs in the units of the data."""
        found: Array = points * self.x_scale
        return found + np.array(self.origins) if self.origins else found


@contextmanager
def numerical_context(task: Task) -> Iterator[None]:
    """Set a process up for numerical work on a task."""
    for own in task.own_units:  # a worker may know one of that name from before
        register(own)
    with one_thread(), np.errstate(all="ignore"):
        yield
