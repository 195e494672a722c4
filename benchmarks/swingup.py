"""Swing-up with learned equations: how often upright, from how much random motion.

    python -m benchmarks.swingup                     # 5 experiments x 10 test runs
    python -m benchmarks.swingup --experiments 1 --runs 2 --steps 500
    python -m benchmarks.swingup --steps 500         # 10 seconds of motion in all

Each experiment collects its own rollouts, learns the equations of motion and controls
the pole with them; the same test runs are made with the true model. A run of 10 seconds
is upright if cos θ > 0.95 throughout the last 2. One JSON line for each experiment goes
to benchmarks/results/swingup.jsonl.
"""

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from benchmarks.control_speed import N_STEPS, is_upright, swing_up
from eqlearn import EquationLearner
from eqlearn.control import swingup
from eqlearn.control.dynamics import dynamics_of, learn_dynamics
from eqlearn.control.planning import PathIntegral
from eqlearn.control.rollouts import collect, dynamics_data
from eqlearn.control.simulate import Step, stepper
from eqlearn.equation.formulas import formulas

RESULTS = Path("benchmarks/results/swingup.jsonl")


def experiment(
    seed: int, *, n_rollouts: int, n_steps: int, n_runs: int, seconds: float
) -> dict[str, Any]:
    """Learn from new rollouts, then swing up; the true model beside."""
    env = gymnasium.make(swingup.ENV_ID)
    data = dynamics_data(collect(env, n_rollouts, n_steps, seed=seed))
    start = time.perf_counter()
    learner = learn_dynamics(EquationLearner(time_limit=seconds), data)
    taken = time.perf_counter() - start
    graph = formulas([one.snapped for one in learner.model_.chosen]).graph
    learned = stepper(dynamics_of(graph, n_actions=1), swingup.DT)
    rng = np.random.default_rng([seed, 1])
    states = rng.uniform([-2, -3, -np.pi, -8], [2, 3, np.pi, 8], (2000, 4))
    actions = rng.uniform(-1, 1, (2000, 1))
    error = learned(states, actions) - swingup.step(states, actions)
    return {
        "seed": seed,
        "rollouts": n_rollouts,
        "steps": n_steps,
        "learning_seconds": round(taken, 1),
        "equations": learner.equation_.splitlines(),
        "largest_error_of_a_step": float(np.max(np.abs(error))),
        "learned": _runs(learned, seed, n_runs),
        "true": _runs(swingup.step, seed, n_runs),
    }


def _runs(step: Step, seed: int, n_runs: int) -> dict[str, Any]:
    plan = PathIntegral()
    runs = [swing_up(step, plan, 1000 * seed + k, N_STEPS) for k in range(n_runs)]
    return {
        "runs": n_runs,
        "upright": sum(map(is_upright, runs)),
        "mean_reward": round(
            float(np.mean([r.trajectory.total_reward for r in runs])), 1
        ),
        "milliseconds": round(
            1e3 * float(np.median([np.median(r.plan_seconds) for r in runs])), 2
        ),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--experiments", type=int, default=5)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--rollouts", type=int, default=1)
    parser.add_argument("--steps", type=int, default=1000, help="of 0.02 s each")
    parser.add_argument("--time", type=float, default=120, help="seconds to learn")
    parser.add_argument("--out", type=Path, default=RESULTS)
    chosen = parser.parse_args(arguments)
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    for seed in range(1, chosen.experiments + 1):
        line = experiment(
            seed,
            n_rollouts=chosen.rollouts,
            n_steps=chosen.steps,
            n_runs=chosen.runs,
            seconds=chosen.time,
        )
        with chosen.out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
        learned, true = line["learned"], line["true"]
        print(
            f"experiment {seed}: learned in {line['learning_seconds']} s, "
            f"upright {learned['upright']} of {learned['runs']} "
            f"(true model {true['upright']}), reward {learned['mean_reward']} "
            f"(true model {true['mean_reward']}), {learned['milliseconds']} ms a step",
            flush=True,
        )


if __name__ == "__main__":
    main()
