import numpy as np
import pytest

from eqlearn.dynamics.smooth.trajectories import time_series
from eqlearn.errors import EqlearnError

X = np.arange(40.0).reshape(20, 2)


def test_a_step_makes_times() -> None:
    (run,) = time_series(X, 0.5)
    assert run.t.tolist() == [0.5 * k for k in range(20)]
    assert run.states.shape == (20, 2)
    assert run.inputs.shape == (20, 0)


def test_a_list_of_arrays_is_several_trajectories_and_a_list_of_rows_is_one() -> None:
    t = np.arange(20.0)
    assert len(time_series([X, X + 1], [t, t])) == 2
    assert len(time_series([X, X + 1], t)) == 2
    assert len(time_series(X.tolist(), t)) == 1


def test_gaps_split_a_trajectory_and_short_rests_are_left_out() -> None:
    x = X.copy()
    x[10, 1] = np.nan
    x[18, 0] = np.nan
    runs = time_series(x, 1.0)
    assert [run.t.tolist()[0] for run in runs] == [0.0]
    assert [len(run.t) for run in runs] == [10]


def test_of_motion_that_flows_rows_may_be_missing_and_pauses_split() -> None:
    x, t = np.arange(60.0)[:, None], 0.5 * np.arange(60.0)
    x[[3, 4, 9]] = np.nan
    t[30:] += 100.0
    first, second = time_series(x, t, flows=True)
    assert first.states[:, 0].tolist() == [*range(3), *range(5, 9), *range(10, 30)]
    assert second.t[0] == t[30]
    x[30:53] = np.nan
    assert len(time_series(x, t, flows=True)) == 1  # seven rows are none


def test_times_at_random_have_long_steps_that_are_no_pauses() -> None:
    rng, counts = np.random.default_rng(0), []
    for _ in range(20):
        t = np.sort(rng.uniform(0.0, 40.0, 260))
        counts.append(len(time_series(np.ones((260, 1)), t, flows=True)))
    assert np.mean(counts) < 1.5
    t = t[(t < 14.0) | (t > 19.0)]
    assert len(time_series(np.ones((len(t), 1)), t, flows=True)) == 2


def test_steps_that_grow_are_no_pauses() -> None:
    t = np.geomspace(0.01, 1000.0, 60)
    assert len(time_series(np.ones((60, 1)), t, flows=True)) == 1


@pytest.mark.parametrize(
    ("states", "t", "inputs", "said"),
    [
        (X, -1.0, None, "`t` must be times, or a step above 0"),
        (
            X,
            np.zeros(20),
            None,
            "growing from row to row; got 0.0 in trajectory 1",
        ),
        (X, np.arange(19.0), None, "one time for each of 20 rows"),
        (X, 1.0, np.zeros((19, 1)), "`inputs` must be of 20 rows"),
        ([X, X], [np.arange(20.0)], None, "one for each of 2 trajectories"),
        ([X, X[:, :1]], 1.0, None, "the same columns in all trajectories"),
        (X[:5], 1.0, None, "trajectories of at least 8 rows"),
        ("log", 1.0, None, "`states` must be numbers"),
        (np.full((20, 1), np.inf), 1.0, None, "finite, or NaN where missing"),
    ],
)
def test_what_cannot_be_a_trajectory_is_refused(
    states: object, t: object, inputs: object, said: str
) -> None:
    with pytest.raises(EqlearnError) as error:
        time_series(states, t, inputs)
    assert said in str(error.value)
