"""The experiments of section 5: equations of motion from rollouts, then control.

Every finished piece is one line of `control.jsonl`. What is there is not done again.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from eqlearn import __version__
from eqlearn._types import Array, Tell
from eqlearn.control import logs, swingup
from eqlearn.control.derivatives import DynamicsData, dynamics_data
from eqlearn.control.dynamics import equations_of_motion, learn_averages, rates_by
from eqlearn.control.mpc import ControlRun
from eqlearn.control.neural import fit_network
from eqlearn.control.planning import planner
from eqlearn.control.rollouts import Trajectory, collect
from eqlearn.control.simulate import Dynamics, stepper
from eqlearn.errors import must, unknown
from eqlearn.reproduce.commit import commit
from eqlearn.reproduce.jsonl import Line, append_line, number, whole_lines
from eqlearn.reproduce.section5.control_equations import (
    coefficients,
    largest_deviation,
    largest_errors,
)
from eqlearn.reproduce.section5.control_selection import selected_by

#: The file of finished pieces.
LINES = "control.jsonl"
#: Spread of random actions in the paper: rollouts to train on, the one to select by.
TRAINING_SPREAD, SELECTION_SPREAD = 0.15, 0.25
#: Digits of numbers in the lines.
DIGITS = 6
#: Steps that derivatives are averaged over where sensors are noisy.
WINDOW = 15


@dataclass(frozen=True)
class Extent:
    """How much is measured; by default what the paper reports, and the noise levels."""

    experiments: int = 5
    runs: int = 10  # of the controlled system, for each experiment
    rollouts: tuple[int, ...] = (1, 2, 3, 4, 5)
    sensor_noise: tuple[float, ...] = (0.01, 0.02, 0.05)
    action_noise: tuple[float, ...] = (0.05, 0.1, 0.2)
    noise_rollouts: int = 3  # of the experiments with noise
    models: tuple[str, ...] = ("eql", "mlp", "true")
    time_limit: float = 300.0  # seconds to learn the equations; most end earlier
    planner: str = "shooting"  # the paper's
    n_steps: int = 500  # of a run, 10 seconds
    rollout_steps: int = 1000  # 20 seconds
    spread: float = TRAINING_SPREAD  # of the random actions, in units of the largest
    selects: bool = True  # by the last rollout; else equations are learned from it, too


#: Enough to see all of it, in two minutes.
QUICK = Extent(1, 1, (2,), (), (), time_limit=80.0)


@dataclass(frozen=True)
class Piece:
    """One model in one experiment: what it learns from, and how it is tested."""

    model: str
    experiment: int
    rollouts: int  # none for the true model
    sensor_noise: float
    action_noise: float
    runs: int
    n_steps: int
    planner: str
    rollout_steps: int
    time_limit: float  # for learning equations
    spread: float = TRAINING_SPREAD
    selects: bool = True  # of one rollout nothing is left to select by

    @property
    def data_name(self) -> str:
        """A name for what is learned from, and so for what is learned."""
        name = f"k{self.rollouts}-e{self.experiment}"
        name += f"-n{self.rollout_steps}" if self.rollout_steps != 1000 else ""
        name += f"-a{self.spread:g}" if self.spread != TRAINING_SPREAD else ""
        name += "" if self.selects else "-all"
        for kind in ("sensor", "action"):
            noise = getattr(self, f"{kind}_noise")
            name += f"-{kind}{noise:g}" if noise else ""
        return name

    def __str__(self) -> str:
        parts = [NAMES[self.model]]
        parts += [f"K = {self.rollouts}"] if self.rollouts else []
        for kind in ("sensor", "action"):
            noise = getattr(self, f"{kind}_noise")
            parts += [f"{kind} noise {noise:g}"] if noise else []
        return ", ".join([*parts, f"experiment {self.experiment}"])


def reproduce(
    out: Path,
    extent: Extent | None = None,
    *,
    jobs: int = -1,
    tell: Tell = lambda line: None,
) -> tuple[Path, ...]:
    """Do what is not done yet, then write tables, figures and an animation.

    Parameters
    ----------
    out : Path
        The directory of all results, made if it is not there.
    extent : Extent, optional
        How much is measured.
    jobs : int
        Processes that learn; -1 is one for every core.
    tell : callable
        Called with a line whenever a piece is finished.
    """
    from eqlearn.jobs.backends import n_processes
    from eqlearn.reproduce.section5.control_results import write_results

    n_processes(jobs)  # refused now rather than when the first piece begins
    wanted = pieces(extent or Extent())
    out.mkdir(parents=True, exist_ok=True)
    lines = read_lines(out / LINES)
    n_left = sum(piece not in lines for piece in wanted)
    tell(f"{len(wanted)} pieces, {len(wanted) - n_left} of them are done.")
    for piece in wanted:
        if piece not in lines:
            line = perform(piece, out, jobs)
            append_line(out / LINES, line)
            lines[piece] = line
            tell(told(line))
    return write_results(out, [lines[piece] for piece in wanted])


def pieces(extent: Extent) -> list[Piece]:
    """List what belongs to an extent, in the order in which it is done."""
    _check(extent)
    found = []
    for experiment in range(1, extent.experiments + 1):
        for model, rollouts, sensor, action in _questions(extent):
            piece = Piece(
                model,
                experiment,
                rollouts if model != "true" else 0,
                sensor,
                action,
                extent.runs,
                extent.n_steps,
                extent.planner,
                extent.rollout_steps if model != "true" else 0,
                extent.time_limit if model == "eql" else 0.0,
                extent.spread if model != "true" else TRAINING_SPREAD,
                extent.selects or model != "eql" or rollouts == 1,
            )
            found.append(piece)
    return list(dict.fromkeys(found))


def _questions(extent: Extent) -> Iterator[tuple[str, int, float, float]]:
    for rollouts in extent.rollouts:
        for model in extent.models:
            yield model, rollouts, 0.0, 0.0
    noises = [(noise, 0.0) for noise in (0.0, *extent.sensor_noise) if noise]
    noises += [(0.0, noise) for noise in extent.action_noise]
    for sensor, action in [(0.0, 0.0), *noises] if noises else []:
        for model in extent.models:
            if model != "mlp":
                yield model, extent.noise_rollouts, sensor, action


def _check(extent: Extent) -> None:
    for name in ("experiments", "runs", "n_steps", "rollout_steps", "noise_rollouts"):
        if getattr(extent, name) < 1:
            raise must(name, "at least 1", getattr(extent, name))
    if not extent.rollouts or min(extent.rollouts) < 1:
        raise must("rollouts", "numbers of rollouts, 1 or more", extent.rollouts)
    if not 0 < extent.spread < float("inf"):
        raise must("spread", "a positive standard deviation", extent.spread)
    for name in ("sensor_noise", "action_noise"):
        if any(not 0 <= noise < float("inf") for noise in getattr(extent, name)):
            raise must(name, "standard deviations, 0 or more", getattr(extent, name))
    if not extent.time_limit > 0:
        raise must("time_limit", "a positive number of seconds", extent.time_limit)
    for model in extent.models:
        if model not in MODELS:
            raise unknown("models", model, MODELS)
    planner(extent.planner)


def perform(piece: Piece, out: Path, jobs: int) -> Line:
    """Learn a model of the cart-pole, then swing the pole up with it."""
    code = commit()  # what is imported now; it may change while this runs
    dynamics, facts = MODELS[piece.model](piece, out, jobs)
    model = stepper(dynamics, swingup.DT)
    noise = {"sensor_noise": piece.sensor_noise, "action_noise": piece.action_noise}
    plan = planner(piece.planner)
    seeds = [1000 * piece.experiment + number for number in range(piece.runs)]
    with threadpool_limits(limits=1):  # times are those of one core
        runs = [
            swingup.swing_up(model, plan, piece.n_steps, seed=seed, **noise)
            for seed in seeds
        ]
    if piece.model == "eql" and not any(noise.values()):
        _keep(out, piece, "controlled", runs[0].trajectory)
    return {
        "piece": asdict(piece),
        "upright": sum(map(swingup.is_upright, runs)),
        "rewards": [round(run.trajectory.total_reward, 2) for run in runs],
        "milliseconds": round(1e3 * _median_seconds(runs), 3),
        **facts,
        "version": __version__,
        "commit": code,
    }


def _median_seconds(runs: list[ControlRun]) -> float:
    return float(np.median(np.concatenate([run.plan_seconds for run in runs])))


def _equations(piece: Piece, out: Path, jobs: int) -> tuple[Dynamics, Line]:
    from eqlearn.learners.equation_learner import EquationLearner

    rollouts = rollouts_of(piece)
    if not any([piece.sensor_noise, piece.action_noise]):
        _keep(out, piece, "training", rollouts[0])
    learner = EquationLearner(
        time_limit=piece.time_limit,
        n_jobs=jobs,
        random_state=piece.experiment,
        run_dir=out / "learning" / piece.data_name,
    )
    *others, last = rollouts
    # Our criterion needs no rollout of its own: equations may be learned from all.
    is_apart = piece.selects and bool(others)
    learned_from = others if is_apart else rollouts
    learner, seen = learn_averages(learner, learned_from, window=_window(piece))
    if learner.interrupted_:
        raise KeyboardInterrupt  # what was found so far is no result of the experiment
    if is_apart:
        learner.model_ = selected_by(learner, seen, _data([last], piece))
    learner.save(out / "learning" / piece.data_name / "model.json")
    dynamics = equations_of_motion(learner.model_)
    found = coefficients(dynamics)
    facts = {
        "seconds": round(learner.model_.seconds, 1),
        "equations": learner.equation_.splitlines(),
        "verdicts": [one.kind for one in learner.verdict_],
        "coefficients": {name: number(value, DIGITS) for name, value in found.items()},
        "largest_deviation": number(largest_deviation(found), DIGITS),
    }
    return dynamics, {**facts, **_errors(dynamics)}


def _network(piece: Piece, out: Path, jobs: int) -> tuple[Dynamics, Line]:
    del out, jobs
    *rollouts, last = rollouts_of(piece)
    if not rollouts:
        first, last = _cut(last)
        rollouts = [first]
    start = time.perf_counter()
    data = _data(rollouts, piece), _data([last], piece)
    dynamics = rates_by(fit_network(*data, seed=piece.experiment))
    seconds = time.perf_counter() - start
    return dynamics, {"seconds": round(seconds, 1), **_errors(dynamics)}


def _truth(piece: Piece, out: Path, jobs: int) -> tuple[Dynamics, Line]:
    del piece, out, jobs
    return swingup.dynamics, {}


#: How each model is made, by its name.
MODELS: dict[str, Callable[[Piece, Path, int], tuple[Dynamics, Line]]] = {
    "eql": _equations,
    "mlp": _network,
    "true": _truth,
}
NAMES = {"eql": "EQL÷", "mlp": "MLP", "true": "true model"}


def rollouts_of(piece: Piece) -> list[Trajectory]:
    """Return the rollouts of an experiment: K - 1 to train on and one to select by.

    With K = 1 there is one to train on. Those of a greater K begin with those of a
    smaller one.
    """
    import gymnasium  # `swingup`, imported above, says so if it is missing

    env = gymnasium.make(
        swingup.ENV_ID,
        sensor_noise=piece.sensor_noise,
        action_noise=piece.action_noise,
        max_episode_steps=piece.rollout_steps,
    )
    n_training, seed = max(piece.rollouts - 1, 1), 100 * piece.experiment
    spread = piece.spread
    found = collect(env, n_training, piece.rollout_steps, seed=seed, spread=spread)
    if piece.rollouts > 1:
        seed += 1
        spread *= SELECTION_SPREAD / TRAINING_SPREAD
        found += collect(env, 1, piece.rollout_steps, seed=seed, spread=spread)
    return found


def _data(rollouts: list[Trajectory], piece: Piece) -> DynamicsData:
    return dynamics_data(rollouts, window=_window(piece))


def _window(piece: Piece) -> int:
    return WINDOW if piece.sensor_noise else 1


def _cut(run: Trajectory) -> tuple[Trajectory, Trajectory]:
    """Four fifths of a rollout to train on, the end of it to select by."""
    at = len(run.actions) * 4 // 5

    def part(start: int, end: int) -> Trajectory:
        return replace(
            run,
            states=run.states[start : end + 1],
            actions=run.actions[start:end],
            rewards=run.rewards[start:end],
        )

    return part(0, at), part(at, len(run.actions))


def _errors(dynamics: Dynamics) -> Line:
    errors = largest_errors(dynamics)
    return {
        "largest_errors": {
            name: number(error, DIGITS) for name, error in errors.items()
        }
    }


def _keep(out: Path, piece: Piece, kind: str, run: Trajectory) -> None:
    path = trajectory_path(out, piece, kind)
    path.parent.mkdir(exist_ok=True)
    logs.write(path, run)


def trajectory_path(out: Path, piece: Piece, kind: str) -> Path:
    """Where the first training or controlled trajectory of a piece is kept."""
    return out / "trajectories" / f"{piece.data_name}-{piece.planner}-{kind}.npz"


def told(line: Line) -> str:
    """Say in one line how a piece ended."""
    rewards: Array = np.array(line["rewards"])
    learned = f"learned in {line['seconds']} s, " if "seconds" in line else ""
    return (
        f"{piece_of(line)}: {learned}upright {line['upright']} of {len(rewards)}, "
        f"reward {rewards.mean():.1f}, {line['milliseconds']:.1f} ms a step"
    )


def piece_of(line: Line) -> Piece:
    """The piece that a line is about."""
    asked = line["piece"]
    # Lines that do not say are of equations that were learned from every rollout.
    selects = asked.get("model") != "eql" or asked.get("rollouts") == 1
    known = {"spread": TRAINING_SPREAD, "selects": selects, **asked}
    return Piece(**{field.name: known[field.name] for field in fields(Piece)})


def read_lines(path: Path) -> dict[Piece, Line]:
    """Read the lines of all finished pieces."""
    found: dict[Piece, Line] = {}
    for line in whole_lines(path):
        try:
            found[piece_of(line)] = line
        except (KeyError, TypeError):
            continue
    return found
