"""What `eqlearn control` does: equations of motion of an environment, then control."""

import importlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from eqlearn._types import Array, Tell
from eqlearn.control import logs
from eqlearn.control.dynamics import learn_motion, learned_step
from eqlearn.control.film import write_gif
from eqlearn.control.mpc import Controller, ControlRun, control
from eqlearn.control.planning import ControlTask, Cost, Planner, planner
from eqlearn.control.rollouts import (
    Policy,
    Trajectory,
    bounds_of,
    checked_state,
    collect,
    renamed,
)
from eqlearn.errors import EqlearnError, must, printable
from eqlearn.model.model import Model, Origin
from eqlearn.run_directory import open_run, write_run

if TYPE_CHECKING:
    from eqlearn.control.rollouts import Env

#: The files of a run directory beside those that `fit` writes.
ROLLOUT, CONTROLLED, FILM = "rollout-{}.npz", "controlled.npz", "controlled.gif"


_LONGEST_REASON = 200
_FEWEST_SAMPLES = 10


@dataclass(frozen=True)
class ControlRequest:
    """All that a user can ask for; functions and files as texts."""

    env: str | None = None
    logs: tuple[str, ...] = ()  # files of trajectories, instead of random rollouts
    model: Path | None = None  # equations known already
    rollouts: int = 2
    rollout_steps: int = 1000
    spread: float = 0.15
    hold: int = 1  # steps for which a random action is held
    states: tuple[str, ...] | None = None  # names
    actions: tuple[str, ...] | None = None
    angles: tuple[str, ...] = ()
    dt: float | None = None
    state_of: str | None = None  # module:function
    cost: str | None = None  # module:function
    is_summed: bool = False
    planner: str = "mppi"
    horizon: int | None = None
    steps: int = 500
    seed: int = 0


@dataclass(frozen=True)
class Setting:
    """A request with everything in it found and checked."""

    request: ControlRequest
    env: "Env | None"
    state_of: Policy
    cost: Cost | None
    plan: Planner

    @property
    def dt(self) -> float | None:
        """Seconds a step, if the user says so."""
        return self.request.dt


def prepared(request: ControlRequest) -> Setting:
    """Find the environment and the functions of a request, before anything is done."""
    if request.env is None and not request.logs:
        hint = "Or name files by `logs`."
        raise must("env", "the id of a Gymnasium environment", None, hint)
    for name in ("rollouts", "rollout_steps", "steps", "hold"):
        if getattr(request, name) < 1:
            raise must(name, "at least 1", getattr(request, name))
    horizon = {} if request.horizon is None else {"horizon": request.horizon}
    with importing_from_here():
        plan = planner(request.planner, **horizon)
        env = None if request.env is None else _made(request.env)
        state_of: Policy = np.asarray
        if request.state_of is not None:
            state_of = function("state_of", request.state_of)
        cost = _cost(request)
    setting = Setting(request, env, state_of, cost, plan)
    if env is not None:
        _try(setting)
    return setting


def _try(setting: Setting) -> None:
    """Call the user's functions once, so that mistakes are found before a search."""
    n_states, n_actions = _sizes(setting)
    if setting.cost is None:
        return
    costs = setting.cost(np.zeros((3, n_states)), np.zeros((3, n_actions)))
    if np.shape(costs) != (3,):
        what = f"to costs (B,) of states (B, {n_states}) and actions (B, {n_actions})"
        got = f"shape {np.shape(costs)} for 3 rows"
        raise must("cost", f"a function {what}", got)


def _cost(request: ControlRequest) -> Cost | None:
    if request.cost is not None:
        return function("cost", request.cost)
    from eqlearn.control import swingup

    is_ours = request.env == swingup.ENV_ID and request.state_of is None
    return swingup.cost if is_ours else None


@contextmanager
def importing_from_here() -> Iterator[None]:
    """Let modules in the working directory be imported, as Python itself would."""
    sys.path.insert(0, os.getcwd())
    try:
        yield
    finally:
        sys.path.pop(0)


def function(name: str, text: str) -> Callable[..., Any]:
    """Import what is asked for as module:function, under the name of a parameter."""
    module, _, attribute = text.partition(":")
    if not (module and attribute):
        raise must(name, "module:function, like my_robot:cost", text)
    try:
        found = getattr(importlib.import_module(module), attribute, None)
    except Exception as error:  # a module of the user's may raise anything
        what = "in a module that can be imported"
        raise must(name, what, text, _told(error)) from error
    if not callable(found):
        hint = f"`{printable(module)}` has no function of this name."
        raise must(name, "module:function", text, hint)

    def guarded(*arguments: Array) -> Any:
        try:
            return found(*arguments)
        except Exception as error:
            what = "a function that ends without an error"
            raise must(name, what, text, _told(error)) from error

    return guarded


def _told(error: Exception) -> str:
    """An error that the user's code raised, as a sentence."""
    said = " ".join(f"{type(error).__name__}: {error}".split())
    return printable(said if said.endswith((".", "?")) else f"{said}.", _LONGEST_REASON)


def _made(env_id: str, **options: Any) -> "Env":
    # This import registers the swing-up, or says how to install Gymnasium.
    importlib.import_module("eqlearn.control.swingup")
    import gymnasium

    try:
        return gymnasium.make(env_id, **options)
    except Exception as error:  # an environment of the user's may raise anything
        what = "the id of a registered environment, or module:id to import it from"
        raise must("env", what, env_id, _told(error)) from error


def trajectories(setting: Setting) -> list[Trajectory]:
    """Read the logs, or let the environment move by random actions."""
    request = setting.request
    with importing_from_here():
        if request.logs:
            return [
                logs.read(
                    path, states=request.states, actions=request.actions, dt=request.dt
                )
                for path in request.logs
            ]
        found = collect(
            _env_of(setting),
            request.rollouts,
            request.rollout_steps,
            seed=request.seed,
            spread=request.spread,
            hold=request.hold,
            dt=setting.dt,
            state_of=setting.state_of,
        )
        return [renamed(run, request.states, request.actions) for run in found]


def _env_of(setting: Setting) -> "Env":
    if setting.env is None:
        raise must("env", "the id of a Gymnasium environment", None)
    return setting.env


def learn(
    setting: Setting,
    runs: Sequence[Trajectory],
    run_dir: Path,
    *,
    jobs: int = -1,
    **parameters: Any,
) -> Model:
    """Learn the equations of motion, and keep them as `fit` keeps a table's.

    `parameters` are further ones of `DynamicsLearner`.
    """
    from eqlearn.learners.dynamics_learner import DynamicsLearner

    request = setting.request
    n_samples = sum(len(run.actions) for run in runs)
    if n_samples < _FEWEST_SAMPLES:
        what = f"long enough for {_FEWEST_SAMPLES} samples"
        raise must("rollouts", what, n_samples)
    learner = learn_motion(
        DynamicsLearner(run_dir=run_dir, n_jobs=jobs, **parameters),
        runs,
        angles=request.angles,
    )
    if not request.logs:
        for number, run in enumerate(runs, start=1):
            logs.write(run_dir / ROLLOUT.format(number), run)
    origin = Origin(environment=request.env, logs=request.logs)
    model = replace(learner.model_, origin=origin)
    rows = learner.discovered_.rows
    return write_run(run_dir, model, rows.x, rows.rates, learner.courses_).model


def known_model(setting: Setting) -> Model | None:
    """Open the model that the request names, if it suits the environment."""
    path = setting.request.model
    if path is None:
        return None
    model = open_run(path)
    if setting.env is not None:
        n_states, n_actions = _sizes(setting)
        if (len(model.targets), len(model.inputs)) != (n_states, n_states + n_actions):
            what = f"of {n_states} states and {n_actions} actions, as the environment"
            got = f"{len(model.inputs)} inputs and {len(model.targets)} targets"
            raise must("model", what, got)
    return model


def _sizes(setting: Setting) -> tuple[int, int]:
    """How many numbers a state has, and an action."""
    env = _env_of(setting)
    with importing_from_here():
        n_actions = len(bounds_of(env).low)
        observation, _ = env.reset(seed=setting.request.seed)
        return len(checked_state(setting.state_of, observation)), n_actions


def drive(setting: Setting, model: Model, run_dir: Path, tell: Tell) -> ControlRun:
    """Control the environment with a model, and write what it did, with a film."""
    request = setting.request
    env, is_drawn = _drawing(setting, tell)
    if setting.cost is None:
        raise must("cost", "module:function", None)
    with importing_from_here():
        dt = collect(env, 1, 1, seed=0, dt=setting.dt, state_of=setting.state_of)[0].dt
        task = ControlTask(
            learned_step(model, dt),
            setting.cost,
            bounds_of(env),
            is_summed=request.is_summed,
        )
        controller = Controller(task, setting.plan, seed=request.seed)
        run = control(
            env,
            controller,
            request.steps,
            seed=request.seed,
            dt=dt,
            state_of=setting.state_of,
        )
    run_dir.mkdir(parents=True, exist_ok=True)
    named = renamed(run.trajectory, request.states, request.actions)
    logs.write(run_dir / CONTROLLED, named)
    if is_drawn:
        pictures: Any = env.render()
        write_gif(run_dir / FILM, pictures, dt)
    return replace(run, trajectory=named)


def _drawing(setting: Setting, tell: Tell) -> tuple["Env", bool]:
    """The environment with its pictures collected, if it can draw any."""
    env = _env_of(setting)
    if "rgb_array" not in env.metadata.get("render_modes", ()):
        return env, False
    from gymnasium.wrappers import RenderCollection

    try:
        with importing_from_here():
            drawn = _made(str(setting.request.env), render_mode="rgb_array")
            drawn.reset(seed=0)
            drawn.render()
    except EqlearnError as error:
        tell(f"no film: {error}")
    except Exception as error:  # whatever it draws with may be missing
        tell(f"no film: {_told(error)}")
    else:
        return RenderCollection(drawn), True
    return env, False
