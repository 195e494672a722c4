"""What formulas cost before anything is seen."""

import numpy as np

from eqlearn.dynamics.candidates.known_rates import known_rates
from eqlearn.dynamics.choose.contest import Contest
from eqlearn.dynamics.follow.motion import Motion
from eqlearn.dynamics.follow.pieces import cut
from eqlearn.dynamics.smooth.rate_rows import smooth_run
from eqlearn.dynamics.smooth.trajectories import time_series
from eqlearn.network.canonical import canonical

NAMES = ("x", "y")


def test_factors_and_divisors_cost_something() -> None:
    """Of two rates of hares that follow as well, the odd one was ahead by 0.8."""
    t = np.linspace(0.0, 5.0, 50)
    smooth = [smooth_run(run) for run in time_series(np.stack([t, t**2], 1) + 1.0, t)]
    pieces = cut(smooth, 1, np.ones(2, bool))
    contest = Contest(pieces, pieces.x.T)

    def price(rate: str) -> float:
        graph = canonical(known_rates({"x": rate}, NAMES, ())[0], pieces.x.T)
        return contest.price(Motion((graph,)), 50)

    law = price("0.9*x - 0.35*x*y")
    assert price("(0.72*x - 0.043*x*y**3)/y") - law > 2.0
    assert price("0.9*x - 0.35*x*y*y") > law
