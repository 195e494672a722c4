"""Measured trajectories cut into pieces, each followed from its own start."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.interpolate import CubicSpline

from eqlearn._types import Array, Booleans, Integers
from eqlearn.dynamics.settings import STANDARD_MOTION, Following
from eqlearn.dynamics.smooth.rate_rows import SmoothRun
from eqlearn.dynamics.smooth.trajectories import TimeSeries
from eqlearn.dynamics.step_rule import StepRule


@dataclass(frozen=True, eq=False)
class Pieces:
    """Pieces one after the other, and how exactly they are followed."""

    t: Array  # (N,)
    x: Array  # (N, S') the measured states
    observed: Booleans  # (S,) which states are measured
    first: Integers  # (G + 1,) where each piece begins
    starts: Array  # (G, S) first guesses of the initial states
    runs: tuple[TimeSeries, ...]  # that the pieces were cut from
    places: Integers  # (G, 2) run and row where each piece begins
    floor: Array  # (S',) errors of integration
    limit: Array  # (S,) beyond which a state is lost
    substeps: int = 1
    rule: StepRule = "flow"
    holds: bool = False  # whether inputs stay as they are from row to row

    @property
    def n_rows(self) -> int:
        """Rows of all pieces."""
        return len(self.t)

    def finer(self, substeps: int) -> "Pieces":
        """The same pieces, followed by shorter steps, if that is what they are."""
        return replace(self, substeps=substeps if self.rule == "flow" else 1)

    def by_rule(self, rule: StepRule, substeps: int = 1) -> "Pieces":
        """The same pieces, followed by other steps."""
        return replace(self, rule=rule).finer(substeps)

    @cached_property
    def driven(self) -> Array:
        """Inputs (N, 2·substeps + 1, A) on the way from each row to the next."""
        n_nodes = 2 * self.substeps + 1
        parts = np.arange(n_nodes) / (n_nodes - 1)
        n_inputs = self.runs[0].inputs.shape[1]
        found = np.zeros((self.n_rows, n_nodes, n_inputs))
        if not n_inputs:
            return found
        for g, (k, row) in enumerate(self.places):
            run, size = self.runs[k], self.first[g + 1] - self.first[g]
            rows = slice(self.first[g], self.first[g + 1])
            holds = self.holds or self.rule != "flow"
            found[rows] = _between(run, row, size, parts, holds)
        return found


def _between(run: TimeSeries, row: int, size: int, parts: Array, holds: bool) -> Array:
    """Inputs (size, nodes, A) after each of some rows: held, or on a cubic spline."""
    if holds:
        return np.repeat(run.inputs[row : row + size, None], len(parts), axis=1)
    steps = np.diff(run.t, append=run.t[-1])[row : row + size]
    times = run.t[row : row + size, None] + steps[:, None] * parts
    found: Array = CubicSpline(run.t, run.inputs)(times)
    return found


def cut(
    smooth: Sequence[SmoothRun],
    count: float,
    observed: Booleans,
    *,
    rule: StepRule = "flow",
    holds: bool = False,
    by: Following = STANDARD_MOTION.shooting,
) -> Pieces:
    """Cut trajectories so that the longest has about `count` pieces.

    Of very many rows only some are taken, evenly.
    """
    longest = min(max(len(one.states) for one in smooth), by.longest)
    places = _places(smooth, max(longest / count, 4.0))
    total = sum(size for _, _, size in places)
    every = max(1.0, total / by.most_rows)
    chosen = [places[int(i)] for i in np.arange(0, len(places), every)]
    measured = np.concatenate([one.run.states for one in smooth])
    reached = np.concatenate([one.states for one in smooth])
    return Pieces(
        t=np.concatenate([smooth[k].run.t[i : i + n] for k, i, n in chosen]),
        x=np.concatenate([smooth[k].run.states[i : i + n] for k, i, n in chosen]),
        observed=observed,
        first=np.cumsum([0] + [n for _, _, n in chosen]),
        starts=np.array([smooth[k].states[i] for k, i, _ in chosen]),
        runs=tuple(one.run for one in smooth),
        places=np.array([(k, i) for k, i, _ in chosen]),
        floor=by.state_floor * np.std(measured, axis=0),
        limit=by.blow_up * np.abs(reached).max(axis=0) + 10.0 * np.std(reached, axis=0),
        rule=rule,
        holds=holds,
    )


def _places(smooth: Sequence[SmoothRun], length: float) -> list[tuple[int, int, int]]:
    """Run, first row and number of rows of every piece."""
    places = []
    for k, one in enumerate(smooth):
        n = len(one.states)
        ends = np.linspace(0, n, max(1, round(n / length)) + 1).astype(int)
        places += [
            (k, int(a), int(b - a)) for a, b in zip(ends, ends[1:], strict=False)
        ]
    return places
