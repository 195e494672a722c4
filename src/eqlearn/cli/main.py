"""The commands: each is options, one call into the library, and printing.

Nothing heavy is imported before a command runs, so that `--help` answers at once.
"""

import json
import os
import signal
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eqlearn import __version__
from eqlearn.cli.control_command import HOW_TO, control
from eqlearn.cli.output import (
    EXIT_CODES,
    FOUND,
    INTERNAL,
    REFUSED,
    Jobs,
    Quiet,
    code_after_fit,
    completing,
    deliver,
    end_at_once,
    how_to_resume,
    names,
    say,
    tell,
    whole_numbers,
)
from eqlearn.cli.reproduce_command import reproduce_app
from eqlearn.equation.write.form_names import FORM_NAMES
from eqlearn.errors import EqlearnError, must

if TYPE_CHECKING:
    from eqlearn.model.model import Model

#: The variable whose presence lets tracebacks through.
DEBUG = "EQLEARN_DEBUG"

app = typer.Typer(
    epilog=EXIT_CODES,
    # Plain help: loading Rich for the boxes would cost as much as everything else.
    rich_markup_mode=None,
    # A traceback is for whoever mends the library: plain, and without the user's data.
    pretty_exceptions_enable=False,
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command line, by default the one this process was started with.

    Always ends in `SystemExit`, with one of the documented codes.
    """
    for stream in (sys.stdout, sys.stderr):
        # A name that the terminal's encoding lacks must not end the program.
        getattr(stream, "reconfigure", lambda **_: None)(errors="backslashreplace")
    is_own_process = arguments is None
    if is_own_process and not os.environ.get(DEBUG):
        _hush_libraries()
    code = _code_of(arguments)
    if is_own_process:
        # Only worker processes are waited for now: Ctrl-C may end that, in silence.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    raise SystemExit(code)


def _hush_libraries() -> None:
    """Keep what libraries say to programmers from this process and its workers."""
    warnings.simplefilter("ignore")
    os.environ["PYTHONWARNINGS"] = "ignore"
    sys.unraisablehook = lambda _: None


def _code_of(arguments: Sequence[str] | None) -> int:
    try:
        code = app(args=arguments, prog_name="eqlearn", standalone_mode=False)
    except typer.TyperException as error:
        return _refuse(_usage(error))
    except EqlearnError as error:
        return _refuse(str(error))
    except OSError as error:
        return _refuse(f"{error.strerror or error}: {error.filename or 'no file'}")
    except Exception as error:
        return _apologise(error)
    return int(code or FOUND)


def _refuse(line: str) -> int:
    tell(f"Error: {line}")
    return REFUSED


#: Options that were called otherwise once.
RENAMED = {"--units": "--functions"}


def _usage(error: typer.TyperException) -> str:
    """What Typer has to say, with where to read more, on one line."""
    former = getattr(error, "option_name", "")
    if former in RENAMED:
        return f"{former} is now {RENAMED[former]}."
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "eqlearn"
    said = " ".join(error.format_message().split()).rstrip(".")
    return f"{said}{'' if said.endswith('?') else '.'} See {command} --help."


def _apologise(error: Exception) -> int:
    if os.environ.get(DEBUG):
        import traceback

        traceback.print_exc()
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    how = "please report it with what EQLEARN_DEBUG=1 in front of the command shows"
    tell(f"Internal error: {' '.join(what.split())}; {how}.")
    return INTERNAL


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"eqlearn {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def options(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_print_version,
            is_eager=True,
            help="Print the version and exit.",
        ),
    ] = False,
) -> None:
    """Learn the equation behind data.

    Start with: eqlearn fit data.csv --target y
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


Run = Annotated[
    Path,
    typer.Argument(
        metavar="RUN", help="A directory that fit has made, or a model file."
    ),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print the result as one line of JSON.")
]


@app.command(epilog=EXIT_CODES)
def fit(
    table: Annotated[
        Path,
        typer.Argument(metavar="TABLE", help="CSV, TSV, Parquet or .npz; names first."),
    ],
    target: Annotated[
        list[str],
        typer.Option(
            metavar="NAME,...",
            help="Columns to find equations for; a comma in a name is written \\,.",
        ),
    ],
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME,...", help="Columns to find them in; by default all others."
        ),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="A column: how much each row counts."),
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
            metavar="NAME=LOW:HIGH",
            help="Where the equations will be used, for each input; by default twice "
            "the range of the data.",
        ),
    ] = None,
    functions: Annotated[
        str | None,
        typer.Option(
            metavar="FUNCTION,...",
            help="What formulas are made of: sin,multiply by default; also identity, "
            "cos, square, exp, log, sqrt, tanh; paper is identity,sin,cos,multiply.",
            autocompletion=completing(
                *"cos exp identity log multiply paper sin sqrt square tanh".split()
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
    depth: Annotated[
        str | None,
        typer.Option(
            metavar="L,...", help="Layers of the paper's networks; by default 2,3,4."
        ),
    ] = None,
    select: Annotated[
        str,
        typer.Option(
            metavar="CRITERION",
            help="What picks the equation: information, v_int_s, v_int_ex (needs far "
            "points) or v_ranks.",
            autocompletion=completing("information", "v_int_s", "v_int_ex", "v_ranks"),
        ),
    ] = "information",
    time: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="At most so long: 90s, 5m, 2h. By default, until attempts agree.",
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
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="RUN", help="Where the run is kept; for data.csv it is data-run."
        ),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Learn the equation of each target in a table.

    Prints what was found and how far it can be trusted, and keeps it in a directory
    with report.html and model.json. Ctrl-C keeps the best so far, and the same command
    goes on from there.
    """
    from eqlearn.run_directory import fit_table

    directory = Path(f"{table.stem}-run") if out is None else out
    try:
        model = fit_table(
            str(table),
            names(target),
            directory,
            inputs=None if inputs is None else names(inputs),
            weights=weights,
            extrapolation=None if extrapolation is None else str(extrapolation),
            domain=_ranges(domain or []),
            tell=lambda line: None if quiet else tell(f"Note: {line}"),
            functions=_functions(functions),
            recipe=recipe,
            depths=None if depth is None else whole_numbers("--depth", depth, "2,3", 3),
            selection=select,
            time_limit=time,
            random_state=seed,
            n_jobs=jobs,
            scheduler=scheduler,
            verbose=not quiet,
        )
    except KeyboardInterrupt:
        tell(f"Interrupted. {how_to_resume(directory)}")
        end_at_once()
    _print_result(model, directory, as_json=as_json, quiet=quiet)
    return code_after_fit(model, directory)


def _functions(text: str | None) -> str | list[str] | None:
    return text if text in (None, "paper") else names([text])


def _ranges(texts: Sequence[str]) -> dict[str, tuple[float, float]]:
    found: dict[str, tuple[float, float]] = {}
    for text in texts:
        name, _, ends = text.rpartition("=")
        try:
            low, high = map(float, ends.split(":"))
        except ValueError:
            low, high = 0.0, 0.0
        if not (name and -float("inf") < low < high < float("inf")):
            what = "NAME=LOW:HIGH with LOW below HIGH, like x1=-2:2"
            raise must("--domain", what, text)
        if name in found:
            raise must("--domain", "given once for each input", name, where="twice")
        found[name] = low, high
    return found


def _print_result(
    model: "Model", run: Path, *, as_json: bool, quiet: bool = False
) -> None:
    from eqlearn.report.text import summary

    text = summary(model).rstrip()
    report = (run if run.is_dir() else run.parent) / "report.html"
    if report.exists():
        text += f"\n\nReport: {report}"
    if not as_json:
        say(text)
        return
    for line in [] if quiet else text.split("\n"):
        tell(line)
    typer.echo(_json_line(model, run))


def _json_line(model: "Model", run: Path) -> str:
    """The result for programs: README.md describes it, and it only ever grows."""
    from eqlearn.equation.write.display import formula_text
    from eqlearn.report.findings import findings

    def by_target(value: Callable[[Any], Any]) -> dict[str, Any]:
        return {finding.target: value(finding) for finding in findings(model)}

    def formula(finding: Any) -> str:
        graph, target = finding.chosen.snapped, finding.target
        return formula_text(graph, model.inputs, target, None)[len(f"{target} = ") :]

    result = {
        "equations": by_target(formula),
        "run": str(run),
        "seconds": model.seconds,
        "validation_rms": by_target(lambda f: f.chosen.scores.get("validation_error")),
        "complexity": by_target(lambda f: f.chosen.complexity),
        "verdict": by_target(lambda f: f.verdict.kind),
    }
    return json.dumps(result)


@app.command()
def show(run: Run, as_json: Json = False) -> None:
    """Print what a run has found, and how far it can be trusted."""
    from eqlearn.run_directory import open_run

    _print_result(open_run(run), run, as_json=as_json, quiet=True)


@app.command()
def predict(
    run: Run,
    table: Annotated[
        Path,
        typer.Argument(
            metavar="TABLE", help="A table with columns named as the inputs."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where to write, by default CSV to stdout; its ending is the format.",
        ),
    ] = None,
) -> None:
    """Compute the targets of a run for the rows of a table.

    Writes the table with the predictions as its last columns: y_predicted for y.
    """
    from eqlearn.data.write_table import write_table
    from eqlearn.run_directory import csv_text, predict_table

    found, predicted = predict_table(run, str(table))
    for line in found.warnings:
        tell(f"Note: {line}")
    if output is None:
        deliver(csv_text(found, predicted))
    else:
        write_table(output, found, predicted)


@app.command()
def export(
    run: Run,
    to: Annotated[
        str,
        typer.Option(
            metavar="FORM",
            help=f"One of {', '.join(FORM_NAMES)}.",
            autocompletion=completing(*FORM_NAMES),
        ),
    ],
    digits: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=17,
            help="Round the constants; by default latex and mathml have 4 digits and "
            "the others all.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Where to write; by default stdout."
        ),
    ] = None,
) -> None:
    """Write the equations of a run as a formula or as source code."""
    from eqlearn.run_directory import export_run, write_text

    text = export_run(run, to, digits)
    if output is None:
        deliver(text)
    else:
        write_text(output, text)


@app.command()
def report(run: Run) -> None:
    """Write the report of a run again."""
    from eqlearn.run_directory import report_run

    for path in report_run(run):
        say(str(path))


@app.command()
def demo() -> int:
    """Learn a known equation from noisy measurements."""
    from eqlearn.demo import DIRECTORY, run

    return code_after_fit(run(DIRECTORY), DIRECTORY)


app.command(epilog=HOW_TO + EXIT_CODES)(control)
app.add_typer(reproduce_app, name="reproduce")
