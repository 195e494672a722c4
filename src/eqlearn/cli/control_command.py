"""The command `control`: equations of motion from an environment, then control."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eqlearn.cli.option_names import spelled_as_options
from eqlearn.cli.output import (
    FOUND,
    Directory,
    Jobs,
    Quiet,
    code_after_fit,
    completing,
    end_at_once,
    how_to_resume,
    names,
    say,
    tell,
)

if TYPE_CHECKING:
    from eqlearn.control_session import Setting
    from eqlearn.model.model import Model

#: How to use it, below its options.
HOW_TO = """\b
The first thing to try:
  eqlearn control eqlearn/CartPoleSwingUp-v0

\b
An environment of your own needs a Box of actions. Put its cost into a file
beside you, here robot.py, which may also register the environment:
  def cost(states, actions):  # many at once, one row each
      return states[:, 0] ** 2 - np.cos(states[:, 1])
Then:
  eqlearn control robot:Robot-v0 --cost robot:cost --states x,theta
Where an observation is no state, as (cos, sin) of an angle, --state-of names
a function that makes one of it.

\b
From the log of a machine, without an environment:
  eqlearn control --log log.csv --states x,v --actions force
A log without actions, or at uneven times, is one for eqlearn dynamics.

"""

#: The planners, named here because a list of them should not load the library.
PLANNERS = ("shooting", "cem", "mppi")


@spelled_as_options(data="ENV", model="--model", path="--model")
def control(
    env: Annotated[
        str | None,
        typer.Argument(
            metavar="ENV", help="The id of a Gymnasium environment, or module:id."
        ),
    ] = None,
    cost: Annotated[
        str | None,
        typer.Option(
            metavar="MODULE:FUNCTION",
            help="States (B, S) and actions (B, A) to costs (B,); the lowest is "
            "wanted. Known for eqlearn/CartPoleSwingUp-v0.",
        ),
    ] = None,
    state_of: Annotated[
        str | None,
        typer.Option(
            metavar="MODULE:FUNCTION",
            help="An observation to a state; by default they are the same.",
        ),
    ] = None,
    states: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...", help="Names of the states, or their columns in logs."
        ),
    ] = None,
    actions: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...", help="Names of the actions, or their columns in logs."
        ),
    ] = None,
    angles: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...", help="States that jump by a full turn, in radians."
        ),
    ] = None,
    rollouts: Annotated[
        int, typer.Option(metavar="K", help="Random rollouts to learn from.")
    ] = 2,
    rollout_steps: Annotated[
        int, typer.Option(metavar="N", help="Steps of each rollout.")
    ] = 1000,
    spread: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            help="Standard deviation of the random actions, in half the width of "
            "their bounds.",
        ),
    ] = 0.15,
    hold: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Steps for which a random action is held; more of them, more motion.",
        ),
    ] = 1,
    log: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="A trajectory to learn from instead: a row a step, with a column "
            "time unless --dt is given. May be given again.",
        ),
    ] = None,
    dt: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", help="A step, if the environment does not tell."
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(metavar="RUN", help="Equations learned before: only control."),
    ] = None,
    steps: Annotated[
        int, typer.Option(metavar="N", help="Steps to control for.")
    ] = 500,
    planner: Annotated[
        str,
        typer.Option(
            metavar="PLANNER",
            help="mppi, cem or shooting, the paper's.",
            autocompletion=completing(*PLANNERS),
        ),
    ] = "mppi",
    horizon: Annotated[
        int | None, typer.Option(metavar="N", help="Steps to look ahead; 50.")
    ] = None,
    summed: Annotated[
        bool,
        typer.Option(
            "--summed", help="Add costs up on the way; else the end of it counts."
        ),
    ] = False,
    time_limit: Annotated[
        str | None,
        typer.Option(
            "--time", metavar="TIME", help="Learn for at most so long: 90s, 5m, 2h."
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, max=2**31 - 1, help="Another seed, other rollouts."
        ),
    ] = 0,
    jobs: Jobs = -1,
    run_dir: Directory = Path("control-run"),
    quiet: Quiet = False,
) -> int:
    """Learn how an environment moves, in equations, then control it.

    Random rollouts become equations, which are printed and kept as fit keeps them. If
    there is a cost, a planner then drives the environment with them: the reward is
    printed, controlled.npz and controlled.gif are written.
    """
    from eqlearn.control_session import ControlRequest, known_model, prepared

    tell_note = _silent if quiet else _tell_note
    request = ControlRequest(
        env=env,
        logs=tuple(log or ()),
        model=model,
        rollouts=rollouts,
        rollout_steps=rollout_steps,
        spread=spread,
        states=_listed(states),
        actions=_listed(actions),
        angles=_listed(angles) or (),
        hold=hold,
        dt=dt,
        state_of=state_of,
        cost=cost,
        is_summed=summed,
        planner=planner,
        horizon=horizon,
        steps=steps,
        seed=seed,
    )
    setting = prepared(request)
    code, equations = FOUND, known_model(setting)
    if equations is None:
        equations = _learned(
            setting, run_dir, time_limit=time_limit, jobs=jobs, verbose=not quiet
        )
        code = code_after_fit(equations, run_dir)
    say("\n".join(_equations(equations)))
    if model is None:
        say(f"Report: {run_dir / 'report.html'}")
    if setting.env is None:
        tell_note("there is no environment to control")
    elif setting.cost is None:
        tell_note("no cost is known: give --cost MODULE:FUNCTION to control")
    elif code == FOUND:
        _drive(setting, equations, run_dir, tell_note)
    return code


def _listed(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(names([text]))


def _tell_note(line: str) -> None:
    tell(f"Note: {line}")


def _silent(line: str) -> None:
    del line


def _learned(
    setting: "Setting", run_dir: Path, *, jobs: int, **parameters: object
) -> "Model":
    from eqlearn.control_session import learn, trajectories

    try:
        return learn(setting, trajectories(setting), run_dir, jobs=jobs, **parameters)
    except KeyboardInterrupt:
        tell(f"Interrupted. {how_to_resume(run_dir)}")
        end_at_once()


def _equations(model: "Model") -> list[str]:
    from eqlearn.equation.write.display import formula_text

    return [formula_text(one.snapped, model.inputs, one.target) for one in model.chosen]


def _drive(
    setting: "Setting", model: "Model", run_dir: Path, tell_note: Callable[[str], None]
) -> None:
    import numpy as np

    from eqlearn.control_session import CONTROLLED, FILM, drive

    (run_dir / FILM).unlink(missing_ok=True)
    run = drive(setting, model, run_dir, tell_note)
    say(
        f"Controlled for {len(run.trajectory.actions)} steps: reward "
        f"{run.trajectory.total_reward:.1f}, "
        f"{1e3 * float(np.median(run.plan_seconds)):.1f} ms a step."
    )
    for name in (CONTROLLED, FILM):
        if (run_dir / name).exists():
            say(str(run_dir / name))
