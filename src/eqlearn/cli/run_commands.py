"""The commands `show`, `predict`, `export`, `report` and `compare`: using runs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eqlearn.cli.option_names import spelled_as_options
from eqlearn.cli.output import (
    JsonOption,
    completing,
    deliver,
    names,
    print_result,
    say,
    tell,
)
from eqlearn.equation.write.form_names import FORM_NAMES
from eqlearn.errors import must

if TYPE_CHECKING:
    from eqlearn.model.by_hand import CandidateChoice

RunArgument = Annotated[
    Path,
    typer.Argument(
        metavar="RUN", help="A directory that fit has made, or a model file."
    ),
]
CandidateOption = Annotated[
    str | None,
    typer.Option(
        metavar="N",
        help="Another candidate than the chosen one, by its number in eqlearn show; of "
        "several targets y=2,z=1.",
    ),
]
GroupOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Of a run by groups, the equations of one."),
]

ArrangedOption = Annotated[
    str | None,
    typer.Option(
        metavar="HOW",
        help="Equations expanded, factored, as one fraction, or with the whole part "
        "split off: expanded, factored, fraction or split.",
        autocompletion=completing("expanded", "factored", "fraction", "split"),
    ),
]


@spelled_as_options(groups="--group")
def show(
    run: RunArgument,
    group: GroupOption = None,
    arranged: ArrangedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print what a run has found, and how far it can be trusted."""
    from eqlearn.report.findings import findings
    from eqlearn.run_directory import open_group

    model = open_group(run, group)
    if arranged is not None:
        from eqlearn.report.text import arranged_equations

        say(arranged_equations(model, arranged))
        return
    known = findings(model)
    print_result(model, known, run, as_json=as_json, quiet=True)
    if not as_json:
        from eqlearn.report.text import front

        say(f"\n{front(model, known).rstrip()}")


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
    candidate: CandidateOption = None,
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
    from eqlearn.data.write_table import csv_text, write_table
    from eqlearn.run_directory import predict_table

    level = None if interval is None else interval / 100
    found, predicted = predict_table(run, str(table), _choice(candidate), level)
    for line in found.warnings:
        tell(f"Note: {line}")
    if output is None:
        deliver(csv_text(found, predicted))
    else:
        write_table(output, found, predicted)


@spelled_as_options(groups="--group")
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
    candidate: CandidateOption = None,
    group: GroupOption = None,
    arranged: ArrangedOption = None,
) -> None:
    """Write the equations of a run as a formula or as source code."""
    from eqlearn.run_directory import export_run

    text = export_run(run, to, digits, _choice(candidate), group, arranged)
    if output is None:
        deliver(text)
    else:
        _write_text(output, text)


@spelled_as_options()
def report(run: RunArgument, candidate: CandidateOption = None) -> None:
    """Write the report of a run again."""
    from eqlearn.run_directory import report_run

    for path in report_run(run, _choice(candidate)):
        say(str(path))


@spelled_as_options(other="OTHER")
def compare(
    one: RunArgument,
    other: Annotated[
        Path, typer.Argument(metavar="OTHER", help="Another, of the same inputs.")
    ],
    table: Annotated[
        Path | None,
        typer.Option(
            metavar="TABLE", help="Compare on its rows; by default on those of both."
        ),
    ] = None,
) -> None:
    """Compare two runs: errors on the same rows, and where they part."""
    from eqlearn.compare_runs import compare_runs
    from eqlearn.report.comparison import comparison

    say(comparison(compare_runs(one, other, table)).rstrip())


def _choice(text: str | None) -> "CandidateChoice | None":
    """A number, or numbers by target: y=2,z=1."""
    if text is None:
        return None
    if text.isdecimal():
        return int(text)
    pairs = [part.rpartition("=") for part in names([text])]
    if not all(target and number.isdecimal() for target, _, number in pairs):
        what = "a number of eqlearn show, or one for each target, like y=2,z=1"
        raise must("--candidate", what, text)
    return {target: int(number) for target, _, number in pairs}


def _write_text(path: Path, text: str) -> None:
    """Write a file, whole or not at all."""
    from eqlearn.data.write_table import replacing

    with replacing(str(path)) as file:
        file.write(text.encode())
