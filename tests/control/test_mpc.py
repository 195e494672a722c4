import time
from typing import Any

import gymnasium
import numpy as np
import pytest

from eqlearn._types import Array
from eqlearn.control import swingup
from eqlearn.control.mpc import Controller, control
from eqlearn.control.planning import (
    PLANNERS,
    ActionPlan,
    ControlTask,
    Planner,
    Shooting,
    bounds,
    planner,
)
from eqlearn.control.rollouts import bounds_of
from eqlearn.errors import EqlearnError

TASK = ControlTask(swingup.step, swingup.cost, bounds(-1, 1))


@pytest.fixture
def env() -> "gymnasium.Env[Any, Any]":
    return gymnasium.make(swingup.ENV_ID)


@pytest.mark.parametrize("name", PLANNERS)
def test_the_true_model_swings_up_and_stays_there(
    name: str, env: "gymnasium.Env[Any, Any]"
) -> None:
    controller = Controller(TASK, planner(name, n_lookaheads=600), seed=1)
    run = control(env, controller, 500, seed=1)
    assert swingup.seconds_upright(run.trajectory.rewards) >= 2
    assert run.trajectory.total_reward > 360
    assert run.n_safe == 0


def test_a_run_is_a_trajectory_of_the_environment(
    env: "gymnasium.Env[Any, Any]",
) -> None:
    run = control(env, Controller(TASK, Shooting(50)), 20, seed=3)
    states, actions = run.trajectory.states, run.trajectory.actions
    assert (states.shape, actions.shape) == ((21, 4), (20, 1))
    np.testing.assert_array_equal(swingup.step(states[:-1], actions), states[1:])
    np.testing.assert_array_equal(run.trajectory.rewards, np.cos(states[1:, 2]))
    assert run.trajectory.state_names == swingup.STATE_NAMES


def test_a_run_can_be_repeated(env: "gymnasium.Env[Any, Any]") -> None:
    controller = Controller(TASK, Shooting(50), seed=5)
    first, second = (control(env, controller, 20, seed=3) for _ in range(2))
    np.testing.assert_array_equal(first.trajectory.states, second.trajectory.states)


def test_thinking_is_timed(env: "gymnasium.Env[Any, Any]") -> None:
    def slow_once(states: Array, actions: Array) -> Array:
        if len(calls) == 1:
            time.sleep(0.05)
        calls.append(1)
        return swingup.step(states, actions)

    calls: list[int] = []
    task = TASK._replace(step=slow_once)
    run = control(env, Controller(task, Shooting(5, 1, 1)), 4, seed=0)
    assert run.plan_seconds.shape == (4,)
    assert run.plan_seconds[1] > 0.05
    assert run.share_in_time <= 0.75


class Echo(Planner):
    """Plans 1, 2, 3, or what it is given."""

    def search(
        self, task: ControlTask, state: Array, rng: np.random.Generator, previous: Any
    ) -> ActionPlan:
        return ActionPlan(
            np.array([[1.0], [2.0], [3.0]]) if previous is None else previous, 0
        )


@pytest.mark.parametrize(("is_warm", "taken"), [(True, [1, 2, 3, 3]), (False, [1] * 4)])
def test_a_warm_start_is_what_is_left_of_the_plan(
    is_warm: bool, taken: list[int]
) -> None:
    task = TASK._replace(bounds=bounds(0, 3))
    controller = Controller(task, Echo(1, 3, 1), is_warm=is_warm)
    assert [controller.act(np.zeros(4)).item() for _ in range(4)] == taken
    controller.reset()
    assert controller.act(np.zeros(4)).item() == 1


def test_a_model_that_is_lost_for_a_while_does_not_stop_the_loop(
    env: "gymnasium.Env[Any, Any]",
) -> None:
    n_calls = 0

    def lost_at_first(states: Array, actions: Array) -> Array:
        nonlocal n_calls
        n_calls += 1
        return np.where(n_calls <= 10, np.nan, swingup.step(states, actions))

    controller = Controller(TASK._replace(step=lost_at_first), Shooting(20, 5))
    with pytest.warns(RuntimeWarning, match="the safe action"):
        run = control(env, controller, 10, seed=0)
    assert run.n_safe == 2
    np.testing.assert_array_equal(run.trajectory.actions[:2], 0)
    assert (run.trajectory.actions[2:] != 0).all()


def test_a_sensor_that_fails_for_a_while_does_not_stop_the_loop(
    env: "gymnasium.Env[Any, Any]",
) -> None:
    seen: list[Array] = []

    def failing(observation: Array) -> Array:
        seen.append(observation)
        return np.where(3 <= len(seen) <= 5, np.nan, observation)

    with pytest.warns(RuntimeWarning, match=r"from state \[nan"):
        run = control(
            env, Controller(TASK, Shooting(20, 5)), 10, seed=0, state_of=failing
        )
    assert run.n_safe == 3
    np.testing.assert_array_equal(
        np.flatnonzero(run.trajectory.actions == 0), [2, 3, 4]
    )


def test_another_environment_needs_a_model_and_a_reading_of_its_observations() -> None:
    env = gymnasium.make("Pendulum-v1")
    controller = Controller(
        ControlTask(pendulum_step, pendulum_cost, bounds_of(env), is_summed=True),
        planner("mppi", n_lookaheads=300, horizon=20, hold=4),
    )
    run = control(env, controller, 100, seed=0, state_of=angle_and_spin)
    assert run.trajectory.dt == 0.05
    assert (np.cos(run.trajectory.states[-20:, 0]) > 0.95).all()


def angle_and_spin(observation: Array) -> Array:
    return np.array([np.arctan2(observation[1], observation[0]), observation[2]])


def pendulum_step(states: Array, actions: Array) -> Array:
    spin = states[:, 1] + (15 * np.sin(states[:, 0]) + 3 * actions[:, 0]) * 0.05
    spin = np.clip(spin, -8, 8)
    return np.stack([states[:, 0] + 0.05 * spin, spin], axis=1)


def pendulum_cost(states: Array, actions: Array) -> Array:
    return np.asarray(0.1 * states[:, 1] ** 2 - 10 * np.cos(states[:, 0]))


def test_an_environment_with_a_choice_of_actions_gets_one_line() -> None:
    env = gymnasium.make("CartPole-v1")
    with pytest.raises(EqlearnError, match="`env` must be an environment with a Box"):
        control(env, Controller(TASK), 5)
