"""The commands `show`, `predict`, `export` and `report`: what to do with a run."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from eqlearn.cli.option_names import spelled_as_options
from eqlearn.cli.output import JsonOption, completing, deliver, print_result, say, tell
from eqlearn.equation.write.form_names import FORM_NAMES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eqlearn._types import Array
    from eqlearn.data.table import Table

RunArgument = Annotated[
    Path,
    typer.Argument(
        metavar="RUN", help="A directory that fit has made, or a model file."
    ),
]


@spelled_as_options()
def show(run: RunArgument, as_json: JsonOption = False) -> None:
    """Print what a run has found, and how far it can be trusted."""
    from eqlearn.report.findings import findings
    from eqlearn.run_directory import open_run

    model = open_run(run)
    print_result(model, findings(model), run, as_json=as_json, quiet=True)


@spelled_as_options()
def predict(
    run: RunArgument,
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
    interval: Annotated[
        float | None,
        typer.Option(
            metavar="PERCENT",
            min=1.0,
            max=99.9,
            help="Add y_low and y_high: so many per cent of new measurements should "
            "lie between them.",
        ),
    ] = None,
) -> None:
    """Compute the targets of a run for the rows of a table.

    Writes the table with the predictions as its last columns: y_predicted for y.
    """
    from eqlearn.data.write_table import write_table
    from eqlearn.run_directory import predict_table

    level = None if interval is None else interval / 100
    found, predicted = predict_table(run, str(table), level)
    for line in found.warnings:
        tell(f"Note: {line}")
    if output is None:
        deliver(_csv_text(found, predicted))
    else:
        write_table(output, found, predicted)


@spelled_as_options()
def export(
    run: RunArgument,
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
    from eqlearn.run_directory import export_run

    text = export_run(run, to, digits)
    if output is None:
        deliver(text)
    else:
        _write_text(output, text)


@spelled_as_options()
def report(run: RunArgument) -> None:
    """Write the report of a run again."""
    from eqlearn.run_directory import report_run

    for path in report_run(run):
        say(str(path))


def _csv_text(table: "Table", extra: "Mapping[str, Array]") -> str:
    """A table with further columns as CSV."""
    from eqlearn.data.write_table import write_table

    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        write_table(path, table, extra)
        # As bytes: a name may have line ends of its own, which must stay as they are.
        return path.read_bytes().decode("utf-8")


def _write_text(path: Path, text: str) -> None:
    """Write a file, whole or not at all."""
    from eqlearn.data.write_table import replacing

    with replacing(str(path)) as file:
        file.write(text.encode())
