"""Rows of maps: each state with the next one, and the noise that both have."""

from collections.abc import Sequence

import numpy as np
from scipy.spatial import cKDTree

from eqlearn._types import Array
from eqlearn.dynamics.smooth.rate_rows import RateRows, SmoothRun
from eqlearn.dynamics.smooth.trajectories import TimeSeries

#: Rows that a plane is laid through: for each of its weights at least, and of all
#: rows, because noise hides how steep it is among the very nearest.
_A_WEIGHT, _NEAR = 3, 1 / 12
#: Squares of how steep planes are, in units of chance: less is no slope at all.
_STEEP = 2.5
#: Rows about which planes are laid, at most.
_MOST_PLANES = 500
#: Of a column's spread: a column that hardly changes tells no rows apart.
_STILL = 1e-9


def mapped_runs(runs: Sequence[TimeSeries]) -> tuple[SmoothRun, ...]:
    """Trajectories of a map, which has no course between its steps.

    The next state is its rate.
    """
    noise = noise_of_map(runs)
    found = []
    for run in runs:
        later = np.concatenate([run.states[1:], run.states[-1:]])
        errors, freedom = np.zeros_like(later), float(len(later))
        found.append(SmoothRun(run, run.states, later, errors, noise, freedom))
    return tuple(found)


def map_rows(
    smooth: Sequence[SmoothRun], rng: np.random.Generator, most: int
) -> RateRows:
    """All rows but the last of each trajectory, or as many as a search looks at."""
    x = np.concatenate([np.hstack([o.states, o.run.inputs])[:-1] for o in smooth])
    rates = np.concatenate([one.rates[:-1] for one in smooth])
    some = rng.permutation(len(x))[:most]
    return RateRows(x[np.sort(some)], rates[np.sort(some)])


def noise_of_map(runs: Sequence[TimeSeries]) -> Array:
    """Noise (S,) of measured states: what planes through near rows leave of the next.

    That is the noise of the next state and, as steep as the plane is, of this one. It
    counts the noise of other states as well, and is rather too large.
    """
    x = np.concatenate([np.hstack([run.states, run.inputs])[:-1] for run in runs])
    later = np.concatenate([run.states[1:] for run in runs])
    spread = np.std(x, axis=0)
    moves = np.flatnonzero(spread > _STILL * (np.abs(x).max(axis=0) + 1e-300))
    z = x[:, moves] / spread[moves]
    n_near = max(_A_WEIGHT * (z.shape[1] + 1), round(_NEAR * len(z)))
    if len(z) <= n_near or not len(moves):
        return np.zeros(later.shape[1])
    about = z[np.linspace(0, len(z) - 1, min(len(z), _MOST_PLANES)).astype(int)]
    planes = [
        _plane(z[near], later[near]) for near in cKDTree(z).query(about, n_near)[1]
    ]
    left, steep, told = (np.mean(one, axis=0) for one in zip(*planes, strict=True))
    own = np.zeros(later.shape[1])
    for place, source in enumerate(moves[moves < len(own)]):
        if told[place, source] > _STEEP:
            own[source] = max(steep[place, source], 0.0) / spread[source] ** 2
    found: Array = np.sqrt(left / (1.0 + own))
    return found


def _plane(z: Array, later: Array) -> tuple[Array, Array, Array]:
    """The variance (S,) that a plane leaves, and squares (M, S) of how steep it is.

    Of the latter, less what chance makes of them, and in units of that.
    """
    design = np.column_stack([np.ones(len(z)), z - z.mean(axis=0)])
    weights, *_ = np.linalg.lstsq(design, later, rcond=None)
    free = len(z) - design.shape[1]
    variance = np.sum((later - design @ weights) ** 2, axis=0) / free
    inverse = np.diag(np.linalg.pinv(design.T @ design))[1:]
    squares, chance = weights[1:] ** 2, np.outer(inverse, variance)
    return variance, squares - chance, squares / (chance + 1e-300)
