"""What is searched: a law, how noisily and how often it is measured, and its truth."""

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from eqlearn._types import Array
from eqlearn.problems.definition import Box, Problem, widened, within

#: Whether formulas of the library can say a law.
Vocabulary = Literal["inside", "outside"]
NOISES = (0.0, 0.01, 0.05, 0.1)
FEWEST_ROWS, MOST_ROWS = 50, 2000
#: Values of a hidden input over which the truth is averaged.
_N_HIDDEN = 101


@dataclass(frozen=True)
class TrustLaw:
    """A law, where it is measured, and what the table lacks or has too much."""

    name: str
    vocabulary: Vocabulary
    formula: Callable[..., Any]  # of a namespace and the inputs
    ranges: dict[str, tuple[float, float]]
    n_hidden: int = 0  # the last inputs, which the table does not have
    trap: Callable[[Array, Array, np.random.Generator], Array] | None = None
    limits: dict[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def box(self) -> Box:
        """The ranges of the inputs that are measured."""
        return tuple(self.ranges.values())

    def truth(self, x: Array) -> Array:
        """The mean of the target (N,) where the visible inputs are `x`.

        Columns beyond those of the law are traps, which it does not depend on.
        """
        n_seen = len(self.ranges) - self.n_hidden
        seen = [np.asarray(column) for column in x.T[:n_seen]]
        with np.errstate(all="ignore"):
            if not self.n_hidden:
                return np.broadcast_to(self.formula(np, *seen), len(x)).astype(float)
            low, high = self.box[-1]
            hidden = low + (high - low) * (np.arange(_N_HIDDEN) + 0.5) / _N_HIDDEN
            values = self.formula(np, *(c[:, None] for c in seen), hidden[None, :])
            return np.asarray(np.mean(values, axis=1), float)

    def problem(self) -> Problem | None:
        """The law as a problem that forms can be compared with, if it is one."""
        if self.vocabulary == "outside" or self.n_hidden:
            return None
        limits = tuple(self.limits.get(n, (-np.inf, np.inf)) for n in self.ranges)
        outer = within(widened(self.box, 2.0), limits)
        names = tuple(self.ranges)
        return Problem(self.name, names, ("y",), self.formula, self.box, outer)


@dataclass(frozen=True)
class TrustCase:
    """One search."""

    law: TrustLaw
    noise: float  # in shares of the spread
    seconds: float
    is_unseen: bool = False

    @property
    def key(self) -> tuple[str, float, float]:
        """What tells it from others."""
        return self.law.name, self.noise, self.seconds

    def rng(self) -> np.random.Generator:
        """All that is random of it."""
        return np.random.default_rng([zlib.crc32(self.law.name.encode()), self._place])

    @property
    def _place(self) -> int:
        return NOISES.index(self.noise)

    def rows(self) -> tuple[Array, Array]:
        """Measure the law: inputs (N, D) and the target (N,)."""
        law, rng = self.law, self.rng()
        n = round(float(np.exp(rng.uniform(*np.log([FEWEST_ROWS, MOST_ROWS])))))
        low, high = np.transpose(law.box)
        x = rng.uniform(low, high, (n, len(low)))
        with np.errstate(all="ignore"):
            exact = np.broadcast_to(law.formula(np, *x.T), n).astype(float)
        y = exact + self.noise * np.std(exact) * rng.standard_normal(n)
        seen = x[:, : x.shape[1] - law.n_hidden]
        if law.trap is not None:
            seen = np.column_stack([seen, law.trap(seen, y, rng)])
        return seen, y
