"""The paper's figure of the regularisation phases: networks watched in training."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from eqlearn.jobs.store import training_curves
from eqlearn.problems import problem
from eqlearn.report.plots import plot_phases
from eqlearn.search.attempts.grid_networks import Grid
from eqlearn.search.learn import learn
from eqlearn.search.request import Request

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: A few λ of the paper's range, on the division task: one layer of units is enough.
WATCHED = Grid(
    l1=(1e-6, 1e-5, 10**-4.5, 1e-4, 10**-3.5), depths=(2,), n_epochs=2000, refine=False
)
RUN = "phases-run"


def watched(out: Path, seed: int = 1) -> "Figure":
    """Train the networks, or go on training them, and plot their weights over time."""
    asked = problem("division")
    x, y = asked.sample(asked.n_seen, np.random.default_rng(seed))
    keep = out / RUN
    (found,) = learn(Request(x, y, seed=seed, recipe=WATCHED, jobs=1, run_dir=keep))
    if found.ended == "interrupt":
        raise KeyboardInterrupt  # half a training has not all phases
    return plot_phases(training_curves(out / RUN))
