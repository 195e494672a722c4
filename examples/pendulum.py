"""Another environment: Gymnasium's pendulum, from random motion to the upright.

    python examples/pendulum.py

Its observations are (cos θ, sin θ, θ̇); a function makes states (θ, θ̇) of them. The
equations of motion are learned from random rollouts, and a cost says what is wanted.
"""

from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from eqlearn import EquationLearner
from eqlearn.control.derivatives import dynamics_data
from eqlearn.control.dynamics import equations_of_motion, learn_dynamics
from eqlearn.control.mpc import Controller, control
from eqlearn.control.planning import ControlTask, PathIntegral
from eqlearn.control.rollouts import bounds_of, collect, renamed
from eqlearn.control.simulate import stepper

Array = NDArray[np.float64]

STATES, ACTIONS = ("theta", "theta_dot"), ("torque",)


@dataclass(frozen=True)
class Settings:
    n_rollouts: int = 3  # of 10 seconds each, the longest that this environment lasts
    spread: float = 0.5  # of the random torques, in units of the strongest
    time_limit: float = 60.0  # seconds to learn
    horizon: int = 20  # steps of 0.05 seconds to look ahead
    n_steps: int = 200
    seed: int = 0


def state_of(observation: Array) -> Array:
    return np.array([np.arctan2(observation[1], observation[0]), observation[2]])


def cost(states: Array, actions: Array) -> Array:
    """Upright, at rest, and without much effort."""
    effort = 0.01 * actions[:, 0] ** 2
    return 1 - np.cos(states[:, 0]) + 0.05 * states[:, 1] ** 2 + effort


def main(settings: Settings | None = None) -> tuple[Any, float]:
    chosen = settings or Settings()
    env = gymnasium.make("Pendulum-v1")

    # Random motion. The angle jumps from π to -π, which its derivative must not see.
    rollouts = collect(
        env,
        chosen.n_rollouts,
        seed=chosen.seed,
        spread=chosen.spread,
        state_of=state_of,
    )
    named = [renamed(run, STATES, ACTIONS) for run in rollouts]
    data = dynamics_data(named, angles=["theta"])

    # The environment stops a pendulum that turns faster than 8; that is no equation.
    is_free = np.abs(data.states[:, 1] + 0.05 * data.derivatives[:, 1]) < 8
    data = data._replace(
        states=data.states[is_free],
        actions=data.actions[is_free],
        derivatives=data.derivatives[is_free],
    )
    learner = EquationLearner(time_limit=chosen.time_limit, random_state=chosen.seed)
    learn_dynamics(learner, data)
    print(learner.equation_)

    # Plan with what was learned, act, look, plan anew.
    step = stepper(equations_of_motion(learner.model_), named[0].dt)
    task = ControlTask(step, cost, bounds_of(env), is_summed=True)
    planner = PathIntegral(horizon=chosen.horizon, hold=4)
    controller = Controller(task, planner, seed=chosen.seed)
    run = control(env, controller, chosen.n_steps, seed=chosen.seed, state_of=state_of)
    upright = float(np.mean(np.cos(run.trajectory.states[-50:, 0]) > 0.95))
    print(f"reward {run.trajectory.total_reward:.1f}; upright for", end=" ")
    print(f"{100 * upright:.0f} % of the last 50 steps")
    return learner, upright


if __name__ == "__main__":
    main()
