"""Whether a system leaves anything of the trajectories to explain."""

from collections.abc import Sequence

import numpy as np

from eqlearn._types import Array
from eqlearn.dynamics.choose.contest import Rival
from eqlearn.dynamics.follow.pieces import Pieces
from eqlearn.dynamics.follow.shooting import residuals
from eqlearn.dynamics.settings import Choosing
from eqlearn.dynamics.smooth.rate_rows import SmoothRun

#: Residuals, in spreads, below which they are what integration leaves.
_CLEAN = 1e-4
#: The least noise that residuals are compared with, in spreads.
_LEAST_NOISE = 1e-3


def excess(rival: Rival, pieces: Pieces, smooth: Sequence[SmoothRun]) -> Array:
    """Residuals of each measured state, in noise as the splines see it."""
    noise = np.sqrt(np.mean([one.noise**2 for one in smooth], axis=0))
    clean = _LEAST_NOISE * np.std(pieces.x, axis=0)
    found: Array = rival.followed.rms / np.maximum(
        noise[pieces.observed[: len(noise)]], clean
    )
    return found


def likeness(rival: Rival, pieces: Pieces) -> float:
    """How alike neighbouring residuals are, in standard errors, of the worst state."""
    left = residuals(rival.motion, pieces, rival.starts)
    if left is None:
        return 0.0
    clean = rival.followed.rms < _CLEAN * np.std(pieces.x, axis=0)
    inner = np.ones(len(left) - 1, dtype=bool)
    inner[pieces.first[1:-1] - 1] = False  # from piece to piece nothing is shared
    first, second = left[:-1][inner], left[1:][inner]
    alike = np.sum(first * second, axis=0) / np.sum(left**2, axis=0)
    return float(np.max(np.where(clean, 0.0, alike)) * np.sqrt(len(first)))


def leaves_nothing(
    rival: Rival, pieces: Pieces, smooth: Sequence[SmoothRun], by: Choosing
) -> bool:
    """Whether short formulas leave nothing but noise, so that no more is looked for."""
    longest = max(
        graph.n_parameters
        for state, graph in enumerate(rival.motion.graphs)
        if state not in rival.motion.known
    )
    return (
        longest <= by.short
        and float(excess(rival, pieces, smooth).max()) < by.explained
        and likeness(rival, pieces) < by.alike
    )
