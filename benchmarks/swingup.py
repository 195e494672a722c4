"""Swing-up of cart-poles that move as machines do, with equations learned from them.

Ten plants with other masses, lengths, frictions and motors, integrated finely
(Runge-Kutta, ten steps in each of 0.02 s). Random pushes of 15 % of the motor, each
held for 0.2 s, move a plant for twice 20 s; its equations are learned from that, and
the pole is swung up with them from five starts. It may be broken off and goes on:

    python -m benchmarks.swingup
    python -m benchmarks.swingup --plant 0 3 --noise 0.01 --redo
    python -m benchmarks.swingup --table

A line in benchmarks/results/swingup.jsonl is one plant at one noise of its sensors,
when it is learned from and when it is controlled; the newest counts. Upright means
cos θ > 0.95 for the last 2 of 10 s. Forms are judged as benchmarks.dynamics does.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from benchmarks.motions.entry import System
from benchmarks.motions.judging import Law
from eqlearn.control import swingup
from eqlearn.control.dynamics import learn_motion, learned_step
from eqlearn.control.rollouts import Trajectory, collect
from eqlearn.control.swingup import CartPole
from eqlearn.equation.write.display import to_sympy
from eqlearn.equation.write.formulas import formulas
from eqlearn.problems.true_form import has_true_form
from eqlearn.reproduce.commit import commit
from eqlearn.reproduce.jsonl import Line, append_line, number, whole_lines
from eqlearn.reproduce.subprocesses import clock, count_work_only
from eqlearn.reproduce.text_tables import TextTable

RESULTS = Path("benchmarks/results/swingup.jsonl")
NOISES = (0.0, 0.01)
SUBSTEPS, HOLD, N_ROLLOUTS, N_STEPS = 10, 10, 2, 1000
KEY = ("plant", "noise")


def _plants(n: int) -> tuple[CartPole, ...]:
    """Plants drawn at random, once; the true model swings each of them up."""
    draw, found = np.random.default_rng(22).uniform, []
    for _ in range(n):
        cart, pole, half_length = draw(0.5, 2.0), draw(0.1, 0.5), draw(0.3, 0.8)
        force, cart_friction, pole_friction = (
            draw(8, 16),
            draw(0.05, 0.5),
            draw(0.002, 0.02),
        )
        found.append(
            CartPole(
                9.81,
                round(cart, 2),
                round(pole, 2),
                round(half_length, 2),
                round(force, 1),
                round(cart_friction, 2),
                round(pole_friction, 3),
            )
        )
    return tuple(found)


PLANTS = _plants(10)


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the runs that are missing, then print the table."""
    options = _parser().parse_args(arguments)
    if clock() == "processor":
        count_work_only()
    known = {} if options.redo else newest(options.out)
    for noise in () if options.table else options.noise:
        for plant in options.plant:
            if (plant, noise) not in known:
                line = swung(plant, noise, options.runs, options.time)
                append_line(options.out, line)
                print(_said(line), flush=True)
    print(table(list(newest(options.out).values())).text())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.swingup",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    every = range(len(PLANTS))
    add("--plant", type=int, nargs="+", choices=every, default=list(every))
    add("--noise", type=float, nargs="+", default=list(NOISES))
    add("--runs", type=int, default=5, help="swing-ups of each plant")
    add("--time", type=float, default=90.0, help="seconds to learn, at most")
    add("--redo", action="store_true", help="repeat runs that are in the file")
    add("--table", action="store_true", help="print the table of the file, run nothing")
    add("--out", type=Path, default=RESULTS, help=f"results, {RESULTS} by default")
    return parser


def newest(path: Path) -> dict[tuple[Any, ...], Line]:
    """The newest line of each plant at each noise."""
    return {tuple(line[name] for name in KEY): line for line in whole_lines(path)}


def swung(plant: int, noise: float, n_runs: int, time_limit: float) -> Line:
    """Learn the equations of one plant and swing its pole up with them."""
    from eqlearn import DynamicsLearner

    body = PLANTS[plant]
    options: dict[str, Any] = {
        "body": body,
        "substeps": SUBSTEPS,
        "sensor_noise": noise,
    }
    env = gymnasium.make(swingup.ENV_ID, **options)
    rollouts = collect(env, N_ROLLOUTS, N_STEPS, seed=plant, hold=HOLD)
    begin, work = time.perf_counter(), time.process_time()
    learner = learn_motion(DynamicsLearner(time_limit=time_limit), rollouts)
    seconds, core = time.perf_counter() - begin, time.process_time() - work
    step = learned_step(learner.model_, swingup.DT)
    runs = [
        swingup.swing_up(step, seed=1000 * plant + n, **options) for n in range(n_runs)
    ]
    angles = np.concatenate([run.states[:, 2] for run in rollouts]) - np.pi
    return {
        "plant": plant,
        "noise": noise,
        "commit": commit(),
        "widest": number(np.abs(angles).max()),
        "step_rule": learner.step_rule_,
        "form": true_forms(body, learner, rollouts),
        "verdict": [one.kind for one in learner.verdict_],
        "upright": [bool(swingup.is_upright(run)) for run in runs],
        "rewards": [round(run.trajectory.total_reward, 1) for run in runs],
        "seconds": number(seconds),
        "core_seconds": number(core),
        "equations": learner.equation_.split("\n"),
    }


def true_forms(
    body: CartPole, learner: Any, rollouts: Sequence[Trajectory]
) -> list[bool]:
    """Whether each learned rate is the true one but for its constants."""
    rates = true_rates(body)
    names = (*swingup.STATE_NAMES, *swingup.ACTION_NAMES)
    system = System("cart-pole", rates, (), (), 0.0, 0, swingup.ACTION_NAMES)
    visited = np.concatenate(
        [np.hstack([run.states[:-1], run.actions]) for run in rollouts]
    )
    shown = formulas([one.graph for one in learner.model_.chosen], names)
    return [
        bool(has_true_form(one, Law(system, k, visited), np.random.default_rng(0)))  # type: ignore[arg-type]
        for k, one in enumerate(to_sympy(shown))
    ]


def true_rates(body: CartPole) -> dict[str, str]:
    """The equations of motion of a cart-pole as texts, by state."""
    mass = body.cart + body.pole
    lever, inertia = body.pole * body.half_length / mass, body.half_length * 4 / 3
    drag = body.pole_friction / (body.pole * body.half_length)
    push = (
        f"({body.force / mass}*action + {lever}*theta_dot**2*sin(theta)"
        f" - {body.cart_friction / mass}*x_dot)"
    )
    below = f"({inertia} - {lever}*cos(theta)**2)"
    turn = f"({body.gravity}*sin(theta) - cos(theta)*{push} - {drag}*theta_dot)/{below}"
    return {
        "x": "x_dot",
        "x_dot": f"{push} - {lever}*cos(theta)*{turn}",
        "theta": "theta_dot",
        "theta_dot": turn,
    }


def _said(line: Line) -> str:
    up, n = sum(line["upright"]), len(line["upright"])
    head = f"plant {line['plant']} noise {line['noise']:<5} {line['core_seconds']:5.1f}"
    marks = "".join(str(int(one)) for one in line["form"])
    wrong = [] if all(line["form"]) else line["equations"]
    return "\n    ".join([f"{head} s  form {marks}  upright {up} of {n}", *wrong])


def table(lines: list[Line]) -> TextTable:
    """Counts by noise."""
    header = (
        *("sensor noise", "plants", "upright", "true form", "median s of a core"),
        *("angles within", "commits"),
    )
    rows = []
    for noise in sorted({line["noise"] for line in lines}):
        some = [line for line in lines if line["noise"] == noise]
        runs = [one for line in some for one in line["upright"]]
        rows.append(
            (
                f"{noise:g}",
                str(len(some)),
                f"{sum(runs)} of {len(runs)}",
                f"{sum(all(line['form']) for line in some)} of {len(some)}",
                f"{np.median([line['core_seconds'] for line in some]):.0f}",
                f"{min(line['widest'] for line in some):.2f} to "
                f"{max(line['widest'] for line in some):.2f}",
                ", ".join(sorted({line["commit"] for line in some})),
            )
        )
    note = (
        "upright: cos θ > 0.95 for the last 2 of 10 s; angles from hanging, in radians"
    )
    return TextTable("Swing-up of plants that move finely", header, rows, [note])


if __name__ == "__main__":
    main()
