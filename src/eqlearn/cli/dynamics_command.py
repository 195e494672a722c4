"""The command `dynamics`: from logs of motion to its equations."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from eqlearn.cli.option_names import spelled_as_options
from eqlearn.cli.output import (
    Jobs,
    JsonOption,
    Quiet,
    code_after_fit,
    end_at_once,
    how_to_resume,
    names,
    print_result,
    tell,
)
from eqlearn.errors import must


@spelled_as_options(
    path="--out",
    t="--time",
    time="--time",
    time_limit="--limit",
    known="--known",
    second_order="--second-order",
    state_names="--states",
    trajectory="--trajectory",
)
def dynamics(
    logs: Annotated[
        list[Path],
        typer.Argument(
            metavar="LOG...",
            help="CSV, TSV, Parquet or .npz, a row for each time; one or several.",
        ),
    ],
    time: Annotated[str, typer.Option(metavar="NAME", help="The column of times.")],
    states: Annotated[
        list[str], typer.Option(metavar="NAME,...", help="Columns of measured states.")
    ],
    inputs: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME,...", help="Columns of known inputs."),
    ] = None,
    trajectory: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="A column that tells trajectories apart."),
    ] = None,
    second_order: Annotated[
        bool,
        typer.Option(
            "--second-order",
            help="States are positions; their velocities are estimated.",
        ),
    ] = False,
    discrete: Annotated[
        bool,
        typer.Option("--discrete", help="Learn a map from each row to the next."),
    ] = False,
    hold: Annotated[
        bool,
        typer.Option("--hold", help="Inputs stay as they are from row to row."),
    ] = False,
    known: Annotated[
        list[str] | None,
        typer.Option(
            metavar="STATE=RATE", help='A rate that is known, like "x = v"; repeatable.'
        ),
    ] = None,
    functions: Annotated[
        str | None,
        typer.Option(metavar="FUNCTION,...", help="What formulas are made of."),
    ] = None,
    time_limit: Annotated[
        str | None,
        typer.Option(
            "--limit",
            metavar="TIME",
            help="At most about so long: 90s, 5m. By default 5 s for each state.",
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, max=2**32 - 1, help="Another seed, other attempts."
        ),
    ] = 0,
    jobs: Jobs = 1,
    run_dir: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="RUN",
            help="Where the run is kept; for log.csv it is log-run.",
        ),
    ] = None,
    as_json: JsonOption = False,
    quiet: Quiet = False,
) -> int:
    """Learn equations of motion from logs: the rate of every state.

    States are smoothed, never differenced; steps may be uneven and rows missing.
    Equations are compared, and their constants fitted, by how they follow the log.
    """
    from eqlearn.dynamics_table import dynamics_table

    run_dir = Path(f"{logs[0].stem}-run") if run_dir is None else run_dir
    try:
        run = dynamics_table(
            [str(log) for log in logs],
            run_dir,
            time=time,
            states=names(states),
            inputs=names(inputs or []),
            trajectory=trajectory,
            tell=lambda line: None if quiet else tell(f"Note: {line}"),
            seed=seed,
            jobs=jobs,
            second_order=second_order,
            discrete=discrete,
            hold_inputs=hold,
            known=_known(known or []),
            functions=None if functions is None else names([functions]),
            time_limit=time_limit,
            verbose=not quiet,
        )
    except KeyboardInterrupt:
        tell(f"Interrupted. {how_to_resume(run_dir)}")
        end_at_once()
    print_result(run.model, run.findings, run_dir, as_json=as_json, quiet=quiet)
    return code_after_fit(run.model, run_dir)


def _known(texts: Sequence[str]) -> dict[str, str]:
    found = {}
    for text in texts:
        state, sign, rate = text.partition("=")
        if not (sign and state.strip() and rate.strip()):
            raise must("--known", 'STATE=RATE, like "x = v"', text)
        found[state.strip()] = rate.strip()
    return found
