"""What trajectories say of rates: smooth courses, rows for a search, sums of terms."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from eqlearn.dynamics.asked import Asked
from eqlearn.dynamics.candidates.grounds import (
    Grounds,
    grounds_of_rates,
    grounds_of_states,
    grounds_of_steps,
)
from eqlearn.dynamics.smooth.map_rows import map_rows, mapped_runs
from eqlearn.dynamics.smooth.rate_rows import RateRows, SmoothRun, rate_rows, smooth_run
from eqlearn.dynamics.smooth.step_rows import (
    Steps,
    likelier_rule,
    noise_of_steps,
    step_rows,
    steps_of,
)
from eqlearn.dynamics.smooth.trajectories import TimeSeries
from eqlearn.dynamics.step_rule import StepRule


class Readings(NamedTuple):
    """Trajectories as a search sees them, and how their system goes from row to row."""

    smooth: tuple[SmoothRun, ...]
    rows: RateRows
    rule: StepRule
    steps: tuple[Steps, ...] = ()  # none if rows are rates of splines
    other_rule: StepRule | None = None  # where steps alone cannot tell

    def grounds(self, state: int, asked: Asked) -> Grounds:
        """What sums of terms for a state's rate are judged on."""
        by, n_measured = asked.settings.pursuit, self.smooth[0].run.states.shape[1]
        if self.rule == "map" or state >= n_measured:
            return grounds_of_rates(self.rows, state)
        if self.steps:
            extent = (by.n_pieces, by.most_rows)
            return grounds_of_steps(self.smooth, self.steps, state, *extent)
        return grounds_of_states(self.smooth, state, by.n_pieces, by.most_rows)

    def other_rows(self, rng: np.random.Generator, asked: Asked) -> RateRows:
        """The same rows with other noise added, where noise is added at all."""
        by = asked.settings.smoothing
        if self.rule == "map":
            return self.rows
        if self.steps:
            return step_rows(self.steps, self.smooth[0].noise, rng, by)
        return rate_rows(self.smooth, rng, by)


def readings(runs: Sequence[TimeSeries], asked: Asked) -> Readings:
    """Smooth trajectories and make rows of them."""
    rng, by = np.random.default_rng(asked.seed), asked.settings.smoothing
    if asked.rule == "map":
        smooth = mapped_runs(runs)
        return Readings(smooth, map_rows(smooth, rng, by.most_kept), "map")
    smooth = tuple(
        smooth_run(run, second_order=asked.second_order, by=by) for run in runs
    )
    jumps = asked.holds and runs[0].inputs.shape[1] > 0
    if asked.second_order or not (jumps or asked.rule != "flow"):
        return Readings(smooth, rate_rows(smooth, rng, by), "flow")
    noise = noise_of_steps(runs)
    smooth = tuple(one._replace(noise=noise) for one in smooth)
    likelier = asked.rule or likelier_rule(runs, by)
    rule = likelier or "flow"
    steps = steps_of(runs, rule)
    rows = step_rows(steps, noise, rng, by)
    return Readings(smooth, rows, rule, steps, None if likelier else "euler")
