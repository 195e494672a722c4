"""How fast 1000 look-aheads over 25 steps are on one core, and how well they control.

    python -m benchmarks.control_speed [--runs 50] [--planner mppi]

The task is the swing-up. A time is the median over the steps of a run, planning
included: drawing the actions, following the model, comparing the costs. The best of
several runs counts, because the machine may be busy with something else. With `--runs`
each model also swings up that often with the planner's own settings, from another start
each time: upright means cos θ > 0.95 for the last 2 of 10 seconds, and a pole upright
throughout would get a reward of 500.
"""

import argparse
from collections.abc import Callable
from typing import NamedTuple

import gymnasium
import numpy as np
from threadpoolctl import threadpool_limits

from eqlearn.control import swingup
from eqlearn.control.mpc import Controller, Run, control
from eqlearn.control.planning import PLANNERS, Planner, Shooting, Task, bounds, planner
from eqlearn.control.simulate import Step

TIMED = Shooting(n_lookaheads=1000, horizon=25, hold=5)
MAX_MILLISECONDS = 2.0
N_STEPS = 500
N_STEPS_UPRIGHT = 100


class Result(NamedTuple):
    """How a model fared in some runs with one planner."""

    model: str
    milliseconds: float
    n_runs: int
    n_upright: int
    mean_reward: float
    least_reward: float


# Each row makes the step function of a model when asked for it.
MODELS: dict[str, Callable[[], Step]] = {"true": lambda: swingup.step}


def measure(model: str, step: Step, plan: Planner, n_runs: int, n_steps: int) -> Result:
    with threadpool_limits(limits=1):
        runs = [swing_up(step, plan, seed, n_steps) for seed in range(n_runs)]
    rewards = [run.trajectory.total_reward for run in runs]
    return Result(
        model,
        min(1e3 * float(np.median(run.plan_seconds)) for run in runs),
        n_runs,
        sum(is_upright(run) for run in runs),
        float(np.mean(rewards)),
        min(rewards),
    )


def swing_up(step: Step, plan: Planner, seed: int, n_steps: int) -> Run:
    task = Task(step, swingup.cost, bounds(-1, 1))
    env = gymnasium.make(swingup.ENV_ID)
    return control(env, Controller(task, plan, seed=seed), n_steps, seed=seed)


def is_upright(run: Run) -> bool:
    return bool(np.all(run.trajectory.rewards[-N_STEPS_UPRIGHT:] > swingup.UPRIGHT))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", choices=MODELS, action="append")
    parser.add_argument("--planner", choices=PLANNERS, default="mppi")
    parser.add_argument("--runs", type=int, default=0)
    chosen = parser.parse_args(arguments)
    steps = {name: MODELS[name]() for name in chosen.model or MODELS}
    timed = [measure(name, step, TIMED, 5, 100) for name, step in steps.items()]
    for result in timed:
        print(
            f"{result.model}: {result.milliseconds:.2f} ms a step, "
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
    return int(any(result.milliseconds > MAX_MILLISECONDS for result in timed))


if __name__ == "__main__":
    raise SystemExit(main())
