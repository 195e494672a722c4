from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from graphs import random_graph

from eqlearn import DynamicsLearner, EquationLearner
from eqlearn._types import Array
from eqlearn.control import swingup
from eqlearn.control.derivatives import DynamicsData, dynamics_data
from eqlearn.control.dynamics import (
    FIRST_PASS,
    dynamics_of,
    equations_of_motion,
    learn_averages,
    learn_dynamics,
    learn_motion,
    learned_step,
    rates_by,
)
from eqlearn.control.rollouts import Trajectory, collect, trajectory
from eqlearn.control.simulate import Dynamics, simulate
from eqlearn.equation.write.formulas import formulas
from eqlearn.errors import EqlearnError


def test_a_graph_becomes_a_function_of_state_and_action() -> None:
    rng = np.random.default_rng(0)
    for _ in range(30):
        graph = random_graph(rng, n_outputs=2)
        n_actions = graph.n_inputs - 2
        states, actions = rng.normal(size=(20, 2)), rng.normal(size=(20, n_actions))
        x = np.hstack([states, actions])
        with np.errstate(all="ignore"):
            expected = graph.evaluate(x)[0]
            found = dynamics_of(graph, n_actions)(states, actions)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_inputs_are_left_as_they_were_and_precision_is_kept() -> None:
    rng = np.random.default_rng(1)
    graph = random_graph(rng, n_outputs=2)
    states = rng.normal(size=(5, 2)).astype(np.float32)
    actions = rng.normal(size=(5, graph.n_inputs - 2)).astype(np.float32)
    before = states.copy(), actions.copy()
    with np.errstate(all="ignore"):
        dynamics: Any = dynamics_of(graph, graph.n_inputs - 2)
        found = dynamics(states, actions)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(states, before[0])
    np.testing.assert_array_equal(actions, before[1])


def test_a_graph_must_have_a_rate_for_each_state() -> None:
    graph = random_graph(np.random.default_rng(0), n_outputs=1)
    with pytest.raises(EqlearnError, match="one output for each of the"):
        dynamics_of(graph, 0)


def test_any_prediction_is_a_model() -> None:
    rates = rates_by(lambda x: x[:, :2] * x[:, 2:])
    states, action = np.ones((3, 4, 2)), np.full(1, 2.0)
    np.testing.assert_array_equal(rates(states, action), np.full((3, 4, 2), 2.0))


def test_equations_of_motion_are_learned_from_a_rollout() -> None:
    # A rigid pendulum without a cart: θ̈ = 3 g / (2 l) sin θ + 3 a / (m l²)
    rng = np.random.default_rng(0)
    states = rng.uniform([-3, -4], [3, 4], (300, 2))
    actions = rng.uniform(-2, 2, (300, 1))
    rates = np.stack(
        [states[:, 1], 15 * np.sin(states[:, 0]) + 3 * actions[:, 0]], axis=1
    )
    data = DynamicsData(
        states, actions, rates, ("th", "w", "u"), ("d(th)/dt", "d(w)/dt")
    )
    learner = learn_dynamics(EquationLearner(n_jobs=1), data)
    assert learner.equation_ == "d(th)/dt = w\nd(w)/dt = 3*u + 15*sin(th)"
    graph = formulas([one.snapped for one in learner.model_.chosen]).graph
    np.testing.assert_allclose(dynamics_of(graph, 1)(states, actions), rates)


def test_equations_of_motion_are_learned_from_noisy_sensors(tmp_path: Path) -> None:
    # A damped pendulum that is pushed at random, seen with an error of 0.01
    rng = np.random.default_rng(0)

    def rates(states: Array, actions: Array) -> Array:
        angle, spin = states[..., 0], states[..., 1]
        turn = -9 * np.sin(angle) - 0.3 * spin + 20 * actions[..., 0]
        return np.stack([spin, turn], axis=-1)

    actions = rng.normal(size=(1000, 1))
    true = simulate(rates, np.zeros(2), actions, 0.02)
    seen = true + rng.normal(0, 0.01, true.shape)
    run = trajectory(seen, actions, 0.02, None, ("th", "w"), ("u",))
    learner = EquationLearner(n_jobs=1, max_attempts=24, run_dir=tmp_path)
    found, data = learn_averages(learner, [run], window=15)
    motion = equations_of_motion(found.model_)
    anywhere = rng.uniform(-3, 3, (200, 2)), rng.uniform(-1, 1, (200, 1))
    np.testing.assert_allclose(motion(*anywhere), rates(*anywhere), atol=0.5)
    # Errors of single differences are 0.7.
    left = motion(data.states, data.actions) - data.derivatives
    assert np.sqrt(np.mean(left**2)) < 0.05
    assert (tmp_path / FIRST_PASS / "run.db").exists()
    # Both passes are kept: the same again takes no time, and changes nothing.
    again, _ = learn_averages(learner, [run], window=15)
    assert again.equation_ == found.equation_
    # In more attempts the first pass may find others: then the second is another.
    learn_averages(learner.set_params(max_attempts=32), [run], window=15)


#: A damped pendulum that is pushed: what it was learned from, and what it is.
PENDULUM = "dth/dt = w", "dw/dt = 20*u - w/4 - 9*sin(th)"


def pushed(rule: str, noise: float) -> tuple[Trajectory, Dynamics]:
    rng = np.random.default_rng(3)

    def rates(states: Array, actions: Array) -> Array:
        angle, spin = states[..., 0], states[..., 1]
        turn = -9 * np.sin(angle) - 0.25 * spin + 20 * actions[..., 0]
        return np.stack([spin, turn], axis=-1)

    actions = np.repeat(rng.normal(0, 0.4, (60, 1)), 5, axis=0)
    true = simulate(rates, np.array([0.4, 0.0]), actions, 0.04, rule)
    seen = true + rng.normal(0, noise, true.shape)
    return trajectory(seen, actions, 0.04, None, ("th", "w"), ("u",)), rates


@pytest.mark.parametrize(("rule", "found"), [("solve_ivp", "flow"), ("euler", "euler")])
def test_steps_are_taken_as_the_measured_system_takes_them(
    rule: str, found: str
) -> None:
    run, _ = pushed(rule, 0.0)
    learner = learn_motion(DynamicsLearner(time_limit="2min", max_attempts=8), [run])
    assert learner.step_rule_ == found
    assert learner.equation_ == "\n".join(PENDULUM)
    # Planning goes by the same steps.
    step, state = learned_step(learner.model_, run.dt), run.states[0]
    for action, later in zip(run.actions[:20], run.states[1:], strict=False):
        state = step(state, action)
        np.testing.assert_allclose(state, later, atol=1e-4)


def test_noisy_sensors_leave_the_form() -> None:
    run, rates = pushed("solve_ivp", 0.01)
    learner = learn_motion(DynamicsLearner(time_limit="2min", max_attempts=8), [run])
    assert learner.step_rule_ == "flow"
    motion = equations_of_motion(learner.model_)
    rng = np.random.default_rng(0)
    anywhere = rng.uniform(-3, 3, (200, 2)), rng.uniform(-1, 1, (200, 1))
    np.testing.assert_allclose(motion(*anywhere), rates(*anywhere), atol=0.3)


def test_rollouts_of_the_cart_pole_fit_together() -> None:
    env = gymnasium.make(swingup.ENV_ID)
    data = dynamics_data(collect(env, 1, 200, seed=0))
    true = swingup.dynamics(data.states, data.actions)
    np.testing.assert_allclose(data.derivatives, true, atol=1e-8)
