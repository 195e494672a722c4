"""The rows that second-order training fits, laid out as the kernels read them."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array, Booleans

#: Of log and sqrt, for data of unit size: formulas that are still wrong must have a
#: value too.
FLOOR = 1e-9


class Samples(NamedTuple):
    """Data, samples along the last axis; columns beyond those of `y` are unlabelled.

    Unlabelled points come from the domain of use: denominators must be positive there.
    """

    x: Array  # (D, N)
    y: Array  # (M, Q) with Q ≤ N
    root_weight: Array  # (Q,) square roots of the samples' weights
    floor: float = 0.0  # log and sqrt go on linearly below it; 0: have no value

    @property
    def n_residuals(self) -> int:
        """How many numbers are to be explained."""
        return int(self.y.size)

    @property
    def n_labelled(self) -> int:
        """How many samples there are targets for."""
        return int(self.y.shape[1])

    @property
    def labelled(self) -> Array:
        """The inputs that there are targets for, (D, Q)."""
        return self.x[:, : self.n_labelled]

    def chunks(self, n: int) -> Iterator["Samples"]:
        """Cut into pieces of `n` labelled samples; the last has the unlabelled ones.

        Each piece is copied when its turn comes: all at once would double the memory.
        """
        n_labelled = self.n_labelled
        if n_labelled <= n:
            yield self
            return
        bounds = [*range(0, n_labelled, n), n_labelled]
        stops = [*bounds[1:-1], self.x.shape[1]]
        for start, stop in zip(bounds[:-1], stops, strict=True):
            yield Samples(
                np.ascontiguousarray(self.x[:, start:stop]),
                np.ascontiguousarray(self.y[:, start:stop]),
                self.root_weight[start:stop],
                self.floor,
            )

    def taken(self, rows: Booleans) -> "Samples":
        """Only these labelled samples, and no unlabelled points."""
        return Samples(
            np.ascontiguousarray(self.labelled[:, rows]),
            np.ascontiguousarray(self.y[:, rows]),
            self.root_weight[rows],
            self.floor,
        )

    def first(self, n: int) -> "Samples":
        """Only the first `n` labelled samples, and all unlabelled points."""
        n_labelled = self.y.shape[1]
        if n >= n_labelled:
            return self
        columns = np.r_[0:n, n_labelled : self.x.shape[1]]
        return Samples(
            np.ascontiguousarray(self.x[:, columns]),
            np.ascontiguousarray(self.y[:, :n]),
            self.root_weight[:n],
            self.floor,
        )


def samples(
    x: Array,
    y: Array,
    *,
    points: Array | None = None,
    weight: Array | None = None,
    floor: float = 0.0,
) -> Samples:
    """Lay out x (N, D), y (N, M) and unlabelled points (K, D) for the kernels."""
    inputs = x if points is None else np.concatenate([x, points])
    root = np.ones(len(x)) if weight is None else np.sqrt(weight)
    return Samples(
        np.ascontiguousarray(inputs.T, dtype=float),
        np.ascontiguousarray(np.transpose(y), dtype=float),
        root,
        floor,
    )
