"""Normal equations of constants that groups share and of those that each has alone.

Their matrix is an arrowhead: groups touch each other only by what they share. So each
is solved by itself, and the work grows with the number of groups, not with its cube.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array, Integers

#: Directions in which a scaled matrix is smaller than this tell nothing of a step, and
#: nothing of an error.
_LEAST_OF_STEP, _LEAST_OF_ERROR = 1e-15, 1e-12


class Arrowhead(NamedTuple):
    """The equations in units in which every constant matters as much as every other."""

    varies: tuple[bool, ...]  # which of the P constants are K of each group; S are not
    own: Array  # (G, K, K)
    between: Array  # (G, K, S)
    shared: Array  # (S, S)
    right: tuple[Array, Array]  # (G, K) and (S,)
    scales: tuple[Array, Array]  # (G, K) and (S,)

    @property
    def is_finite(self) -> bool:
        """Whether every number in it is one."""
        return all(np.isfinite(part).all() for part in (*self[1:4], *self.right))

    def step(self, damping: float) -> Array:
        """The damped solution (P, G); what nothing depends on does not move."""
        own = _inverse(self.own + damping * np.eye(self.own.shape[1]), _LEAST_OF_STEP)
        solved = own @ self.between
        left = self.shared + damping * np.eye(len(self.shared))
        left = left - np.einsum("gks,gkt->st", self.between, solved)
        right = self.right[1] - np.einsum("gks,gk->s", solved, self.right[0])
        of_shared = _inverse(left, _LEAST_OF_STEP) @ right
        of_own = np.einsum("gkl,gl->gk", own, self.right[0]) - solved @ of_shared
        return self._by_constant(
            np.where(self.scales[0] > 0, of_own / _above(self.scales[0]), 0.0),
            np.where(self.scales[1] > 0, of_shared / _above(self.scales[1]), 0.0),
        )

    def errors(self, variance: float) -> Array:
        """Standard errors (P, G) of the constants; infinite where nothing tells."""
        own = _inverse(self.own, _LEAST_OF_ERROR)
        solved = own @ self.between
        left = self.shared - np.einsum("gks,gkt->st", self.between, solved)
        inverse = _inverse(left, _LEAST_OF_ERROR)
        of_own = np.einsum("gkk->gk", own)
        of_own = of_own + np.einsum("gks,st,gkt->gk", solved, inverse, solved)
        return self._by_constant(
            _root_over(variance * of_own, self.scales[0]),
            _root_over(variance * np.diag(inverse), self.scales[1]),
        )

    def _by_constant(self, own: Array, shared: Array) -> Array:
        found = np.empty((len(self.varies), len(own)))
        is_own = np.array(self.varies, dtype=bool)
        found[is_own], found[~is_own] = own.T, shared[:, None]
        return found


def arrowhead(
    slopes: Array, residual: Array, varies: Sequence[bool], labels: Integers, n: int
) -> Arrowhead:
    """The equations of slopes (P, N) of constants in rows of n labelled groups."""
    sums = np.array(
        [[np.bincount(labels, a * b, minlength=n) for b in slopes] for a in slopes]
    ).reshape(len(slopes), len(slopes), n)
    rights = np.array([np.bincount(labels, a * residual, minlength=n) for a in slopes])
    own, rest = np.flatnonzero(varies), np.flatnonzero(~np.array(varies, dtype=bool))
    by_group = sums.transpose(2, 0, 1)
    matrices = (
        by_group[:, own[:, None], own],
        by_group[:, own[:, None], rest],
        by_group[:, rest[:, None], rest].sum(axis=0),
    )
    scales = (
        np.sqrt(np.einsum("gkk->gk", matrices[0])),
        np.sqrt(np.diag(matrices[2])),
    )
    a, b = map(_above, scales)
    return Arrowhead(
        tuple(varies),
        matrices[0] / (a[:, :, None] * a[:, None, :]),
        matrices[1] / (a[:, :, None] * b),
        matrices[2] / (b[:, None] * b),
        (rights[own].T / a, rights[rest].sum(axis=1) / b),
        scales,
    )


def _root_over(squares: Array, scale: Array) -> Array:
    root = np.sqrt(np.maximum(squares, 0.0))
    return np.where(scale > 0, root / _above(scale), np.inf)


def _above(scale: Array) -> Array:
    return np.maximum(scale, 1e-150)


def _inverse(matrices: Array, least: float) -> Array:
    """Invert symmetric matrices (..., K, K) but for directions smaller than `least`."""
    sizes, axes = np.linalg.eigh(matrices)
    known = sizes > least
    inverse = np.where(known, 1.0 / np.where(known, sizes, 1.0), 0.0)
    found: Array = (axes * inverse[..., None, :]) @ axes.swapaxes(-1, -2)
    return found
