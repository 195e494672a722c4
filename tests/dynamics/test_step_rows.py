import numpy as np
import pytest

from eqlearn._types import Array
from eqlearn.control.simulate import simulate
from eqlearn.dynamics.settings import STANDARD_MOTION
from eqlearn.dynamics.smooth.step_rows import (
    likelier_rule,
    noise_of_steps,
    step_rows,
    steps_of,
)
from eqlearn.dynamics.smooth.trajectories import TimeSeries

BY = STANDARD_MOTION.smoothing


def pendulum(states: Array, actions: Array) -> Array:
    angle, spin = states[..., 0], states[..., 1]
    turn = -9 * np.sin(angle) - 0.25 * spin + 20 * actions[..., 0]
    return np.stack([spin, turn], axis=-1)


def moved(method: str, noise: float = 0.0) -> TimeSeries:
    """A pendulum that is pushed anew at every step."""
    rng = np.random.default_rng(1)
    actions = rng.normal(0, 0.4, (400, 1))
    states = simulate(pendulum, np.array([0.5, 0.0]), actions, 0.03, method)
    seen = states + rng.normal(0, noise, states.shape)
    t = 0.03 * np.arange(len(states), dtype=np.float64)
    return TimeSeries(t, seen, np.vstack([actions, actions[-1:]]))


@pytest.mark.parametrize(
    ("method", "rule"), [("solve_ivp", "flow"), ("euler", "euler")]
)
def test_rows_have_the_rates_of_their_states_and_inputs(method: str, rule: str) -> None:
    run = moved(method)
    assert likelier_rule([run], BY) == rule
    (steps,) = steps_of([run], "euler" if rule == "euler" else "flow")
    mean = steps.gains / steps.dt[:, None]
    true = pendulum(steps.x[:, :2], steps.x[:, 2:])
    # Of Euler's steps to all digits, of others as far as a parabola tells their middle.
    atol = 1e-9 if rule == "euler" else 2e-3 * float(np.std(true))
    np.testing.assert_allclose(mean, true, atol=atol)


def test_the_middle_of_a_step_is_better_than_the_mean_of_its_ends() -> None:
    run = moved("solve_ivp")
    (steps,) = steps_of([run], "flow")
    plain = (run.states[1:] + run.states[:-1])[:, 1] / 2
    mean = steps.gains[:, 0] / steps.dt
    better, worse = np.std(mean - steps.x[:, 1]), np.std(mean - plain)
    assert better < 0.1 * worse


def test_noise_is_told_from_jumps() -> None:
    assert noise_of_steps([moved("solve_ivp", 0.02)]) == pytest.approx(0.02, rel=0.15)
    assert np.all(noise_of_steps([moved("solve_ivp")]) < 1e-3)
    assert likelier_rule([moved("solve_ivp", 0.05)], BY) is None


def test_wide_windows_leave_linear_laws_exact_at_uneven_times() -> None:
    rng = np.random.default_rng(0)
    t = np.cumsum(rng.uniform(0.01, 0.03, 300))
    inputs, states = rng.normal(size=(300, 1)), np.zeros((300, 1))
    for n in range(299):  # dx/dt = 3 u, whose jumps no spline would follow
        states[n + 1] = states[n] + 3 * inputs[n] * (t[n + 1] - t[n])
    steps = steps_of([TimeSeries(t, states, inputs)], "flow")
    rows = step_rows(steps, np.array([0.02]), rng, BY)
    assert len(rows.x) < 200  # noise asks for windows
    spread = float(np.std(rows.rates))
    np.testing.assert_allclose(
        rows.rates[:, 0], 3 * rows.x[:, 1], atol=6 * BY.floor * spread
    )


def test_noise_is_told_where_a_parabola_misses_more_than_that() -> None:
    """Of pendulums that swing far it was 0, so that no equation ever was enough."""
    rng = np.random.default_rng(2)
    actions = np.repeat(rng.normal(0, 0.1, (80, 1)), 10, axis=0)
    states = simulate(pendulum, np.array([2.5, 0.0]), actions, 0.02, "solve_ivp")
    seen = states + rng.normal(0, 0.01, states.shape)
    t = 0.02 * np.arange(len(states), dtype=np.float64)
    run = TimeSeries(t, seen, np.vstack([actions, actions[-1:]]))
    assert noise_of_steps([run]) == pytest.approx(0.01, rel=0.3)
