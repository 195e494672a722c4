"""The commands `reproduce ...`: the experiments of the paper, one command for each."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from eqlearn.cli.option_names import spelled_as_options
from eqlearn.cli.output import (
    Directory,
    Jobs,
    completing,
    end_at_once,
    how_to_resume,
    names,
    say,
    tell,
    whole_numbers,
)
from eqlearn.errors import must

reproduce_app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


@reproduce_app.callback(invoke_without_command=True)
def reproduce(context: typer.Context) -> None:
    """Do the experiments of the paper again.

    Every finished piece is kept, and the same command goes on from there.
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@reproduce_app.command()
@spelled_as_options(rollout_steps="--steps")
def control(
    quick: Annotated[
        bool,
        typer.Option("--quick", help="One experiment, one run, K = 2: two minutes."),
    ] = False,
    experiments: Annotated[
        int | None, typer.Option(metavar="N", help="Independent experiments; 5.")
    ] = None,
    runs: Annotated[
        int | None, typer.Option(metavar="N", help="Test runs of each; 10.")
    ] = None,
    rollouts: Annotated[
        str | None,
        typer.Option(metavar="K,...", help="Numbers of rollouts; 1,2,3,4,5."),
    ] = None,
    models: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL,...",
            help="Some of eql,mlp,true; all by default.",
            autocompletion=completing("eql", "mlp", "true"),
        ),
    ] = None,
    has_noise: Annotated[
        bool,
        typer.Option("--noise/--no-noise", help="Whether noise is tried too."),
    ] = True,
    sensor_noise: Annotated[
        str | None,
        typer.Option(metavar="SIGMA,...", help="On the states; 0.01,0.02,0.05."),
    ] = None,
    action_noise: Annotated[
        str | None,
        typer.Option(metavar="SIGMA,...", help="On the actions; 0.05,0.1,0.2."),
    ] = None,
    noise_rollouts: Annotated[
        int | None, typer.Option(metavar="K", help="Rollouts where there is noise; 3.")
    ] = None,
    time_limit: Annotated[
        str | None,
        typer.Option(
            "--time",
            metavar="TIME",
            help="To learn equations, at most: 90s, 2m; 5m.",
        ),
    ] = None,
    planner: Annotated[
        str | None,
        typer.Option(
            metavar="PLANNER",
            help="shooting, the paper's, cem or mppi, ours; shooting.",
            autocompletion=completing("shooting", "cem", "mppi"),
        ),
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option(metavar="N", help="Steps of a rollout, 0.02 s each; 1000."),
    ] = None,
    spread: Annotated[
        float | None,
        typer.Option(
            metavar="SIGMA", help="Of random actions, in units of the largest; 0.15."
        ),
    ] = None,
    learn_from_all: Annotated[
        bool,
        typer.Option(
            "--learn-from-all",
            help="Learn equations from the rollout that selects in the paper, too.",
        ),
    ] = False,
    jobs: Jobs = -1,
    out: Directory = Path("reproduced"),
) -> None:
    """Swing up a cart-pole with equations learned from random rollouts (section 5).

    The reward against the number K of rollouts, for EQL÷, a neural network and the true
    model, and robustness to noise. Writes control.md, .txt and .html, figures and
    swingup.gif; control.jsonl has every piece.
    """
    from dataclasses import replace

    from eqlearn.data.duration import seconds
    from eqlearn.reproduce.section5.control_experiments import QUICK, Extent, reproduce

    given: dict[str, Any] = {
        "experiments": experiments,
        "runs": runs,
        "rollouts": _counts("--rollouts", rollouts),
        "models": None if models is None else tuple(names([models])),
        "sensor_noise": _levels("--sensor-noise", sensor_noise, has_noise),
        "action_noise": _levels("--action-noise", action_noise, has_noise),
        "noise_rollouts": noise_rollouts,
        "time_limit": seconds(time_limit),
        "planner": planner,
        "rollout_steps": steps,
        "spread": spread,
        "selects": not learn_from_all,
    }
    wanted = {name: value for name, value in given.items() if value is not None}
    extent = replace(QUICK if quick else Extent(), **wanted)
    with _telling_what_is_left(out):
        written = reproduce(out, extent, jobs=jobs, tell=say)
    for path in written:
        say(str(path))


@contextmanager
def _telling_what_is_left(out: Path) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        tell(f"Interrupted. {how_to_resume(out)}")
        end_at_once()


def _counts(option: str, text: str | None) -> tuple[int, ...] | None:
    return None if text is None else whole_numbers(option, text, "1,2", 9)


def _levels(option: str, text: str | None, has_noise: bool) -> tuple[float, ...] | None:
    if not has_noise:
        return ()
    if text is None:
        return None
    try:
        return tuple(float(part) for part in text.split(",") if part)
    except ValueError:
        what = "standard deviations with commas between, like 0.01,0.02"
        raise must(option, what, text) from None


@reproduce_app.command()
@spelled_as_options(
    length="--length",
    initial="--initial",
    penalty="--penalty",
    depths="--depths",
    name="--problems",
    selection="--criteria",
)
def networks(
    problems: Annotated[
        str, typer.Option(metavar="PROBLEM,...", help="Problems of section 4.")
    ] = "division,F-1,F-2,F-3,F-4",
    length: Annotated[
        float,
        typer.Option(metavar="SHARE", help="Of the paper's epochs: 1, or 0.1."),
    ] = 1.0,
    seeds: Annotated[
        str, typer.Option(metavar="N,...", help="Draws of data and weights.")
    ] = "1",
    initial: Annotated[
        str,
        typer.Option(
            metavar="wide|released",
            help="How weights are drawn: ours, or as the authors' code does.",
            autocompletion=completing("wide", "released"),
        ),
    ] = "wide",
    penalty: Annotated[
        str,
        typer.Option(
            metavar="in_place|extra",
            help="Penalty epochs in the place of others, or as in the authors' code.",
            autocompletion=completing("in_place", "extra"),
        ),
    ] = "in_place",
    depths: Annotated[
        str | None,
        typer.Option(metavar="L,...", help="Some of 2,3,4; all by default."),
    ] = None,
    criteria: Annotated[
        str,
        typer.Option(
            metavar="CRITERION,...",
            help="What picks a network of each grid.",
            autocompletion=completing("v_int_s", "v_int_ex", "v_ranks"),
        ),
    ] = "v_int_s,v_int_ex",
    refine: Annotated[
        bool,
        typer.Option("--refine", help="Prune and refit the picks, and judge them."),
    ] = False,
    out: Directory = Path("reproduced"),
) -> None:
    """Train the paper's grids of 78 networks, hours each, in this process.

    Every network is a line of networks.jsonl when its training has ended; networks.md
    has what is picked of them.
    """
    from eqlearn.reproduce.jsonl import whole_lines
    from eqlearn.reproduce.section4.instances import selected, table, told
    from eqlearn.reproduce.section4.networks import train_networks, trainings
    from eqlearn.search.conclude.selection import check

    path, picked_by = out / "networks.jsonl", names([criteria])
    for criterion in picked_by:
        check(criterion, has_far=True)
    numbers = whole_numbers("--seeds", seeds, "1,2", 9)
    layers = None if depths is None else whole_numbers("--depths", depths, "2,3", 4)
    options = {"initial": initial, "penalty": penalty}
    wanted = trainings(names([problems]), numbers, length, **options)
    try:
        train_networks(wanted, path, depths=layers, tell=say)
        lines = list(whole_lines(path))
        for criterion in picked_by:
            for pick in selected(lines, criterion):
                say(told(pick, refine))
    except KeyboardInterrupt:
        tell(f"Interrupted. {how_to_resume(out)}")
        end_at_once()
    page = out / "networks.md"
    page.write_text(table(lines, picked_by).markdown(), encoding="utf-8")
    say(str(page))


#: Section 5, which has options of its own.
CONTROL = "control"
#: Experiments of section 4, and what each is about.
SECTION_4 = {
    "division": "A formula with a division (section 4.1).",
    "formulas": "Formulas F-1 to F-4 (section 4.2).",
    "random": "Random expressions RE2-1 to RE3-4 (section 4.3).",
    "pendulum": "The cart-pendulum, four outputs (section 4.4).",
}


Seeds = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=1, help="Independent runs; as in the paper, 10 or 3."
    ),
]
RunTime = Annotated[
    str | None,
    typer.Option(
        "--time",
        metavar="TIME",
        help="For one run; 60s or 3m. The paper's recipe has no limit, and trains for "
        "fewer epochs if it is given one.",
    ),
]
RecipeOption = Annotated[
    str,
    typer.Option(
        metavar="fast|paper|refined",
        help="How EQL÷ learns: in seconds, by the paper's grid of networks, or by that "
        "grid with its networks pruned and refitted.",
        autocompletion=completing("fast", "paper", "refined"),
    ),
]
Methods = Annotated[
    str | None,
    typer.Option(
        metavar="METHOD,...",
        help="Some of eqlearn (with another recipe eqlearn-paper, eqlearn-refined), "
        "eql, mlp, svr, pyoperon, gplearn, sindy, sindy-informed, zero; all by "
        "default.",
    ),
]


def _experiment(*experiments: str) -> Callable[..., None]:
    """Make the command that conducts some experiments."""

    @spelled_as_options()
    def command(
        seeds: Seeds = None,
        time_limit: RunTime = None,
        recipe: RecipeOption = "fast",
        methods: Methods = None,
        jobs: Jobs = -1,
        out: Directory = Path("reproduced"),
    ) -> None:
        from eqlearn.data.duration import seconds
        from eqlearn.reproduce.section4.results import reproduce

        with _telling_what_is_left(out):
            written = reproduce(
                [name for name in experiments if name != CONTROL],
                out,
                recipe=recipe,
                methods=None if methods is None else names([methods]),
                n_seeds=seeds,
                seconds=seconds(time_limit),
                jobs=jobs,
                tell=say,
            )
            if CONTROL in experiments:
                written += _swing_ups(out, jobs)
        for path in written:
            say(str(path))

    return command


def _swing_ups(out: Path, jobs: int) -> tuple[Path, ...]:
    # Not imported above: the other experiments do without Gymnasium.
    from eqlearn.reproduce.section5.control_experiments import reproduce

    return tuple(reproduce(out, jobs=jobs, tell=say))


for _name, _about in SECTION_4.items():
    _tail = (
        "Errors beside the paper's, slices far outside the data; runs.jsonl has all."
    )
    reproduce_app.command(_name, help=f"{_about} {_tail}")(_experiment(_name))
reproduce_app.command(
    "all", help="All experiments, the selection and the phases, then control: hours."
)(_experiment(*SECTION_4, "selection", "phases", CONTROL))
reproduce_app.command(
    "selection",
    help="How often each criterion picks the true formula, of all runs that are there "
    "(those of division and formulas are made if they are not), and the trade-off α.",
)(_experiment("selection"))
reproduce_app.command(
    "phases", help="Weights over the three phases of training (section 2.3)."
)(_experiment("phases"))
