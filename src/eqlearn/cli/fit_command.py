"""The commands `fit` and `demo`: from a table to a run."""

import re
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
    completing,
    end_at_once,
    how_to_resume,
    names,
    print_result,
    tell,
    whole_numbers,
)
from eqlearn.errors import must

_RANGE = re.compile(r"(?P<name>.+?)=(?P<low>[^=:,]+):(?P<high>[^=:,]+)(?:,|\Z)", re.S)
_RANGES = "NAME=LOW:HIGH with LOW below HIGH, like x1=-2:2 or x1=-2:2,x2=0:3"


@spelled_as_options(path="--out", form="--form")
def fit(
    table: Annotated[
        Path,
        typer.Argument(
            metavar="TABLE",
            help="CSV or TSV (also packed: .gz, .zip), Parquet, Feather, .npz or "
            ".xlsx; with names in the first row.",
        ),
    ],
    target: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME,...",
            help="Columns to find equations for (required); a comma in a name is "
            "written \\,.",
        ),
    ] = None,
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME,...", help="Columns to find them from; by default all others."
        ),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME,...", help="Columns that are not inputs."),
    ] = None,
    categories: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME,...",
            help="Inputs whose numbers stand for kinds; words always do.",
        ),
    ] = None,
    drop_missing: Annotated[
        bool, typer.Option("--drop-missing", help="Leave out rows with gaps.")
    ] = False,
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="A column that says how much each row counts: 1/sigma^2.",
        ),
    ] = None,
    groups: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="A column, such as a subject: one form for all groups of rows, with "
            "constants of each where they differ.",
        ),
    ] = None,
    extrapolation: Annotated[
        Path | None,
        typer.Option(
            metavar="FAR", help="A table of points outside the range of the others."
        ),
    ] = None,
    domain: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=LOW:HIGH,...",
            help="Where the equations will be used, for each input; by default twice "
            "the range of the data.",
        ),
    ] = None,
    guess: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FORMULA",
            help="A formula to begin with, like 'a*sin(b*x) + c', in which letters "
            "that are not columns are free; or the equations of a run or model file.",
        ),
    ] = None,
    constraint: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help="What must hold, like 'positive', 'increasing in x', 'f(0) = 0', "
            "'y <= 10': equations that break it come last, and a proof is tried.",
        ),
    ] = None,
    dimensions: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME:UNIT,...",
            help="Units of measure, like 'F: kg m/s^2, m: kg'; by default from headers "
            "like 'T [K]'. Dimensionless groups are tried first.",
        ),
    ] = None,
    constants: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME,...",
            help="Constants of nature that laws may have: c, g, R, k_B ..., or others "
            "like 'g = 9.81 m/s^2'. Needs units of measure.",
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            metavar="FORMULA",
            help="What is known of the equation, like 'A*exp(-f(x, z)) + g(x)': f and "
            "g are learned, single letters are free, numbers are given.",
        ),
    ] = None,
    functions: Annotated[
        str | None,
        typer.Option(
            metavar="FUNCTION,...",
            help="What formulas are made of, all of these by default: identity, sin, "
            "cos, multiply, divide, square, exp, log, sqrt, tanh, asin, acos, atan; "
            "paper is identity,sin,cos,multiply.",
            autocompletion=completing(
                *"acos asin atan cos divide exp identity log multiply paper".split(),
                *"sin sqrt square tanh".split(),
            ),
        ),
    ] = None,
    recipe: Annotated[
        str,
        typer.Option(
            metavar="fast|paper",
            help="Seconds to minutes, or the paper's grid of networks, pruned and "
            "refitted: hours.",
            autocompletion=completing("fast", "paper"),
        ),
    ] = "fast",
    depths: Annotated[
        str | None,
        typer.Option(
            "--depth",
            metavar="L,...",
            help="Layers of the paper's networks; by default 2,3,4.",
        ),
    ] = None,
    selection: Annotated[
        str,
        typer.Option(
            "--select",
            metavar="CRITERION",
            help="What picks the equation: information, v_int_s, v_int_ex (needs far "
            "points) or v_ranks.",
            autocompletion=completing("information", "v_int_s", "v_int_ex", "v_ranks"),
        ),
    ] = "information",
    loss: Annotated[
        str,
        typer.Option(
            metavar="squared|huber|absolute|relative",
            help="What residuals cost: huber and absolute are not moved by wild "
            "values; relative is for errors that grow with the value.",
            autocompletion=completing("squared", "huber", "absolute", "relative"),
        ),
    ] = "squared",
    time_limit: Annotated[
        str | None,
        typer.Option(
            "--time",
            metavar="TIME",
            help="How long at most: 90s, 5min, 2h. By default, until attempts agree.",
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, max=2**32 - 1, help="Another seed, other attempts."
        ),
    ] = 0,
    jobs: Jobs = -1,
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="A Dask scheduler to use instead."),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE", help="How much at most for all processes: 800M, 4G."
        ),
    ] = None,
    run_dir: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="RUN",
            help="Where the run is kept; for data.csv it is data-run, or data-run-2 "
            "where that has a run of other options.",
        ),
    ] = None,
    overwrite: Annotated[
        bool,
        typer.Option("--overwrite", help="Start again, whatever run is there."),
    ] = False,
    as_json: JsonOption = False,
    quiet: Quiet = False,
) -> int:
    """Learn the equation of each target in a table.

    Prints what was found and how far it can be trusted, and keeps it in a directory
    with report.html and model.json. Ctrl-C keeps the best so far, and the same command
    goes on from there.
    """
    from eqlearn.fit_table import fit_table, latest_directory

    try:
        run = fit_table(
            str(table),
            names(target or []),
            run_dir,
            inputs=None if inputs is None else names(inputs),
            exclude=names(exclude or []),
            categories=names(categories or []),
            drop_missing=drop_missing,
            weights=weights,
            groups=groups,
            extrapolation=None if extrapolation is None else str(extrapolation),
            domain=_ranges(domain or []),
            overwrite=overwrite,
            tell=lambda line: None if quiet else tell(f"Note: {line}"),
            seed=seed,
            jobs=jobs,
            guesses=guess or None,
            constraints=constraint or None,
            dimensions=dimensions or None,
            constants=names(constants) if constants else None,
            form=form,
            functions=_functions(functions),
            recipe=recipe,
            depths=_depths(depths),
            selection=selection,
            loss=loss,
            time_limit=time_limit,
            scheduler=scheduler,
            memory=memory,
            verbose=False if quiet else "1min",  # of lines in a log, where nobody waits
        )
    except KeyboardInterrupt:
        tell(f"Interrupted. {how_to_resume(run_dir or latest_directory(str(table)))}")
        end_at_once()
    print_result(run.model, run.findings, run.directory, as_json=as_json, quiet=quiet)
    return code_after_fit(run.model, run.directory)


@spelled_as_options(path="--out")
def demo() -> int:
    """Learn a known equation from noisy measurements."""
    from eqlearn.demo import DIRECTORY, run

    return code_after_fit(run(DIRECTORY), DIRECTORY)


def _functions(text: str | None) -> str | list[str] | None:
    return text if text in (None, "paper") else names([text])


def _depths(text: str | None) -> tuple[int, ...] | None:
    return None if text is None else whole_numbers("--depth", text, "2,3", 3)


def _ranges(texts: Sequence[str]) -> dict[str, tuple[float, float]]:
    found: dict[str, tuple[float, float]] = {}
    for text in texts:
        pairs = list(_RANGE.finditer(text))
        # Between two ranges there is nothing but a comma; a name may have more of them.
        if "".join(match[0] for match in pairs) != text or not pairs:
            raise must("--domain", _RANGES, text)
        for match in pairs:
            name, low, high = match["name"], *map(_end, (match["low"], match["high"]))
            if not -float("inf") < low < high < float("inf"):
                raise must("--domain", _RANGES, text)
            if name in found:
                raise must("--domain", "given once for each input", name, where="twice")
            found[name] = low, high
    return found


def _end(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")
