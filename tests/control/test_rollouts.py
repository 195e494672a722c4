from typing import Any

import gymnasium
import numpy as np
import pytest

from eqlearn.control import swingup
from eqlearn.control.derivatives import dynamics_data
from eqlearn.control.rollouts import (
    Trajectory,
    collect,
    renamed,
    rollout,
    trajectory,
)
from eqlearn.errors import EqlearnError


def swinging(n_steps: int = 200, **options: Any) -> Trajectory:
    env = gymnasium.make(swingup.ENV_ID, **options)
    return collect(env, 1, n_steps, seed=3)[0]


def test_a_rollout_has_one_state_more_than_actions() -> None:
    run = swinging(50)
    assert run.states.shape == (51, 4)
    assert run.actions.shape == (50, 1)
    assert run.rewards.shape == (50,)
    assert run.dt == 0.02
    assert run.state_names == swingup.STATE_NAMES
    np.testing.assert_array_equal(
        swingup.step(run.states[:-1], run.actions), run.states[1:]
    )
    assert run.total_reward == pytest.approx(np.cos(run.states[1:, 2]).sum())


def test_actions_are_normal_and_cut_at_the_bounds() -> None:
    env = gymnasium.make(swingup.ENV_ID)
    (calm,) = collect(env, seed=0)
    assert len(calm.actions) == 1000
    assert calm.actions.std() == pytest.approx(0.15, rel=0.1)
    assert calm.actions.mean() == pytest.approx(0, abs=0.02)
    (wild,) = collect(env, seed=0, spread=2.0)
    assert (np.abs(wild.actions) == 1).mean() == pytest.approx(0.617, abs=0.05)


def test_actions_can_be_held() -> None:
    env = gymnasium.make(swingup.ENV_ID)
    (run,) = collect(env, n_steps=30, seed=0, hold=10)
    assert len(np.unique(run.actions)) == 3
    np.testing.assert_array_equal(run.actions[:10], run.actions[0, 0])


def test_rollouts_differ_and_can_be_repeated() -> None:
    env = gymnasium.make(swingup.ENV_ID)
    first, second = collect(env, 2, 5, seed=1)
    again, _ = collect(env, 2, 5, seed=1)
    np.testing.assert_array_equal(first.states, again.states)
    assert (first.states != second.states).all()
    assert (first.actions != second.actions).all()


def test_an_episode_that_ends_gives_a_shorter_rollout() -> None:
    env = gymnasium.make(swingup.ENV_ID, max_episode_steps=7)
    assert len(collect(env, n_steps=20, seed=0)[0].actions) == 7
    env = gymnasium.make(swingup.ENV_ID, track_length=0.1)
    assert len(rollout(env, lambda state: np.ones(1), 500, seed=0).actions) < 50


def test_other_environments_need_no_change() -> None:
    (run,) = collect(gymnasium.make("Pendulum-v1"), n_steps=300, seed=0, spread=0.5)
    assert run.states.shape == (201, 3)
    assert run.dt == 0.05
    assert run.state_names == ("s0", "s1", "s2")
    assert run.actions.std() == pytest.approx(1.0, rel=0.2)  # half of bounds of ±2


def test_an_environment_that_does_not_tell_its_step_is_told() -> None:
    env = gymnasium.make("MountainCarContinuous-v0")
    with pytest.raises(EqlearnError, match="`dt` must be the seconds that a step take"):
        collect(env, seed=0)
    assert collect(env, n_steps=5, seed=0, dt=1.0)[0].dt == 1.0


def test_names_are_the_environments_where_they_fit() -> None:
    env = gymnasium.make(swingup.ENV_ID)
    (run,) = collect(
        env, n_steps=5, seed=0, state_of=lambda observation: observation[2:]
    )
    assert run.state_names == ("s0", "s1")
    assert run.action_names == ("action",)


def test_states_and_actions_get_the_names_that_one_gives_them() -> None:
    run = swinging(5)
    found = renamed(run, ("a", "b", "c", "d"))
    assert found.state_names == ("a", "b", "c", "d")
    assert found.action_names == run.action_names
    assert renamed(run, action_names=["push"]).action_names == ("push",)
    with pytest.raises(EqlearnError, match="`states` must be 4 different names"):
        renamed(run, ("a", "b"))


def test_a_failing_sensor_does_not_lose_the_run_but_teaches_nothing() -> None:
    env = gymnasium.make(swingup.ENV_ID)
    (run,) = collect(env, n_steps=5, seed=0, state_of=lambda o: np.full(2, np.nan))
    assert np.isnan(run.states).all()
    with pytest.raises(EqlearnError, match="`states` must be finite everywhere"):
        dynamics_data([run])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"states": np.zeros((2, 1))}, "`states` must be one row more than actions, 3"),
        ({"states": np.zeros(3)}, "`states` must be a table of samples by columns"),
        (
            {"actions": [[0.0], [np.nan]]},
            "`actions` must be finite everywhere; got nan",
        ),
        ({"dt": 0.0}, "`dt` must be a positive number of seconds; got 0.0"),
        ({"rewards": [1.0]}, "`rewards` must be one number an action, 2"),
        ({"state_names": ["x", "y"]}, "`state_names` must be 1 different names"),
    ],
)
def test_a_trajectory_is_checked(change: dict[str, Any], message: str) -> None:
    right: dict[str, Any] = {
        "states": np.zeros((3, 1)),
        "actions": np.zeros((2, 1)),
        "dt": 0.1,
    }
    with pytest.raises(EqlearnError, match=message):
        trajectory(**(right | change))


def test_wrong_requests_get_one_line() -> None:
    env = gymnasium.make(swingup.ENV_ID)
    for options in ({"spread": -1.0}, {"hold": 0}, {"n_steps": 0}):
        (name,) = options
        with pytest.raises(EqlearnError, match=f"`{name}` must be "):
            collect(env, seed=0, **options)
    with pytest.raises(EqlearnError, match="`state_of` must be a function to a list"):
        collect(env, seed=0, state_of=lambda observation: np.zeros((2, 2)))
