"""How fast 1000 look-aheads over 25 steps are on one core, and how well they control.

    python -m benchmarks.control_speed [--runs 50] [--planner mppi] [--equations RUN]

The task is the swing-up. In one call: the true equations of motion in plain NumPy, the
same as a learned graph (or those of a run, by `--equations`), and the neural network of
`eqlearn reproduce control`. A time is the median over the steps of a run, planning
included: drawing the actions, following the model, comparing the costs. The best of
several runs counts, because the machine may be busy with something else. With `--runs`
each model also swings up that often with the planner's own settings, from another start
each time: upright means cos θ > 0.95 for the last 2 of 10 seconds, and a pole upright
throughout would get a reward of 500. The exit code tells whether the learned equations
take less than 2 ms a step.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import gymnasium
import numpy as np
from threadpoolctl import threadpool_limits

from eqlearn.control import swingup
from eqlearn.control.derivatives import dynamics_data
from eqlearn.control.dynamics import dynamics_of, equations_of_motion, rates_by
from eqlearn.control.neural import fit_network
from eqlearn.control.planning import PLANNERS, Planner, Shooting, planner
from eqlearn.control.rollouts import collect
from eqlearn.control.simulate import Dynamics, StepFunction, stepper
from eqlearn.model.model_file import load
from eqlearn.network.graph import CONSTANT, Graph, Node

TIMED = Shooting(n_lookaheads=1000, horizon=25, hold=5)
MAX_MILLISECONDS = 2.0
N_STEPS = 500


class Result(NamedTuple):
    """How a model fared in some runs with one planner."""

    model: str
    milliseconds: float
    n_runs: int
    n_upright: int
    mean_reward: float
    least_reward: float


def true_graph() -> Graph:
    """Write the true equations as the learner finds them, with sines only."""
    body = swingup.CartPole()
    mass = body.cart + body.pole
    share, push = body.pole / mass, body.force / mass
    length, gravity = body.half_length, body.gravity
    # The denominator 1 - ¾ μ cos² θ is below · (1 - ratio · cos 2θ).
    below = 1 - 0.375 * share
    x_dot, theta, theta_dot, action = 1, 2, 3, 4
    quarter = np.pi / 2
    nodes = (
        Node("sin", ({theta: 1.0},)),  # 5: sin θ
        Node("sin", ({theta: 1.0, CONSTANT: quarter},)),  # 6: cos θ
        Node("sin", ({theta: 2.0},)),  # 7: sin 2θ
        Node("sin", ({theta: 2.0, CONSTANT: quarter},)),  # 8: cos 2θ
        Node("multiply", ({theta_dot: 1.0}, {theta_dot: 1.0})),  # 9: θ̇²
        Node("multiply", ({9: 1.0}, {5: 1.0})),  # 10: θ̇² sin θ
        Node("multiply", ({9: 1.0}, {7: 1.0})),  # 11: θ̇² sin 2θ
        Node("multiply", ({action: 1.0}, {6: 1.0})),  # 12: a cos θ
    )
    denominator = {CONSTANT: 1.0, 8: -0.375 * share / below}
    speeding = {action: push, 10: share * length, 7: -0.375 * share * gravity}
    turning = {
        5: 0.75 * gravity / length,
        12: -0.75 * push / length,
        11: -0.375 * share,
    }
    one = {CONSTANT: 1.0}
    return Graph(
        5,
        nodes,
        (
            ({x_dot: 1.0}, one),
            ({term: value / below for term, value in speeding.items()}, denominator),
            ({theta_dot: 1.0}, one),
            ({term: value / below for term, value in turning.items()}, denominator),
        ),
    )


def network(n_steps: int = 1000) -> Dynamics:
    env = gymnasium.make(swingup.ENV_ID)
    train, check = (dynamics_data([run]) for run in collect(env, 2, n_steps, seed=1))
    return rates_by(fit_network(train, check, seed=0))


# Each row makes a model when asked for it.
MODELS: dict[str, Callable[[], Dynamics]] = {
    "true": lambda: swingup.dynamics,
    "learned": lambda: dynamics_of(true_graph(), n_actions=1),
    "mlp": network,
}


def measure(
    model: str, step: StepFunction, plan: Planner, n_runs: int, n_steps: int
) -> Result:
    with threadpool_limits(limits=1):
        seeds = range(n_runs)
        runs = [swingup.swing_up(step, plan, n_steps, seed=seed) for seed in seeds]
    rewards = [run.trajectory.total_reward for run in runs]
    return Result(
        model,
        min(1e3 * float(np.median(run.plan_seconds)) for run in runs),
        n_runs,
        sum(swingup.is_upright(run) for run in runs),
        float(np.mean(rewards)),
        min(rewards),
    )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", choices=MODELS, action="append")
    parser.add_argument("--equations", type=Path, help="model.json of a run")
    parser.add_argument("--planner", choices=PLANNERS, default="mppi")
    parser.add_argument("--runs", type=int, default=0)
    parser.add_argument("--steps", type=int, default=100, help="of each timed run")
    chosen = parser.parse_args(arguments)
    models = {name: MODELS[name]() for name in chosen.model or MODELS}
    if chosen.equations is not None:
        models["learned"] = equations_of_motion(load(chosen.equations))
    steps = {name: stepper(model, swingup.DT) for name, model in models.items()}
    timed = {n: measure(n, step, TIMED, 5, chosen.steps) for n, step in steps.items()}
    for name, result in timed.items():
        print(
            f"{name}: {result.milliseconds:.2f} ms a step, "
            f"{TIMED.n_lookaheads} look-aheads x {TIMED.horizon}"
        )
    for name, step in steps.items() if chosen.runs else ():
        plan = planner(chosen.planner)
        result = measure(name, step, plan, chosen.runs, N_STEPS)
        print(
            f"{name}, {plan}: upright {result.n_upright} of {result.n_runs}, reward "
            f"{result.mean_reward:.1f} (least {result.least_reward:.1f}), "
            f"{result.milliseconds:.2f} ms a step"
        )
    learned = timed.get("learned")
    return int(learned is not None and learned.milliseconds > MAX_MILLISECONDS)


if __name__ == "__main__":
    raise SystemExit(main())
