"""Whether the motion seen tells a form from others."""

import math
import threading
import time

import numpy as np

from eqlearn.dynamics.asked import Asked
from eqlearn.dynamics.candidates.known_rates import known_rates
from eqlearn.dynamics.choose.close_forms import CloseForms, close_forms
from eqlearn.dynamics.choose.contest import Contest
from eqlearn.dynamics.follow.follow_on import followed
from eqlearn.dynamics.follow.motion import Motion
from eqlearn.dynamics.follow.pieces import cut
from eqlearn.dynamics.readings import readings
from eqlearn.dynamics.smooth.trajectories import time_series
from eqlearn.network.canonical import canonical


def compared(
    start: float, noise: float, rate: str, seconds: float = math.inf
) -> CloseForms:
    """A pendulum from some angle, and how near other forms come to one for its rate."""
    x = np.random.default_rng(0).normal(size=(2, 50))
    true = known_rates({"q": "w", "w": "-4*sin(q) - 0.3*w"}, ("q", "w"), ())
    t = np.linspace(0, 8, 200)
    states = followed(Motion((true[0], true[1])), np.array([start, 0.0]), t)
    seen = states + noise * np.random.default_rng(1).normal(size=states.shape)
    read = readings(time_series(seen, t), Asked())
    contest = Contest(
        cut(read.smooth, 3, np.ones(2, bool)),
        read.rows.x.T,
        grounds=lambda state: read.grounds(state, Asked()),
    )
    own = known_rates({"q": "w", "w": rate}, ("q", "w"), ())
    rival = contest.entered(Motion((canonical(own[0], x), canonical(own[1], x))))
    assert rival is not None
    return close_forms(rival, contest, time.monotonic() + seconds)


def test_wide_motion_tells_a_sine_from_other_curves() -> None:
    found = compared(2.5, 0.02, "-4*sin(q) - 0.3*w")
    assert found.other[1] > 15
    assert found.curve[1] > 11.5
    assert found.free[1] > 20


def test_narrow_motion_does_not() -> None:
    found = compared(0.5, 0.02, "-4*sin(q) - 0.3*w")
    assert found.other[1] < 10
    assert found.free[1] < 2


def test_a_curve_that_imitates_the_law_is_close_to_others() -> None:
    found = compared(1.2, 0.02, "-4.1*q/(1 + 0.2*q*q) - 0.3*w")
    assert found.curve[1] < 10


def test_a_term_that_is_needed_is_far_from_gone() -> None:
    needed = compared(2.5, 0.02, "-4*sin(q) - 0.3*w")
    assert needed.shorter.get(1, np.inf) > 10
    idle = compared(2.5, 0.02, "-4*sin(q) - 0.3*w + 0.01*w*w")
    assert idle.shorter[1] < 10


def test_a_comparison_that_time_is_up_for_is_told() -> None:
    """R-22: in long logs it takes seconds for each state."""
    assert compared(2.5, 0.02, "-4*sin(q) - 0.3*w").late == set()
    found = compared(2.5, 0.02, "-4*sin(q) - 0.3*w", seconds=1e-3)
    assert found.late == {0, 1} and found.shorter == {}


def test_a_comparison_ends_in_time_in_other_threads() -> None:
    found: list[CloseForms] = []
    thread = threading.Thread(
        target=lambda: found.append(compared(2.5, 0.02, "-4*sin(q)", seconds=0.0))
    )
    thread.start()
    thread.join()
    assert found[0].late == {0, 1}
