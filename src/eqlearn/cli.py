"""The commands: each is options, one call into the library, and printing.

Nothing heavy is imported before a command runs, so that `--help` answers at once.
"""

from collections.abc import Sequence
from typing import Annotated

import typer

from eqlearn import __version__
from eqlearn.errors import EqlearnError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    # Plain help: loading Rich for the boxes would cost as much as everything else.
    rich_markup_mode=None,
    # A traceback is for whoever mends the library: plain, and without the user's data.
    pretty_exceptions_enable=False,
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command line, by default the one this process was started with.

    Always ends in `SystemExit`: 0 for success, 2 for a request that cannot be
    carried out, whether Typer or the library refuses it.
    """
    try:
        app(args=arguments, prog_name="eqlearn")
    except EqlearnError as error:
        typer.echo(f"Error: {error}", err=True)
        raise SystemExit(2) from None


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"eqlearn {__version__}")
        raise typer.Exit


@app.callback()
def options(
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
    """Learn the equation behind data."""


@app.command()
def demo() -> None:
    """Learn a known equation from noisy measurements."""
    from eqlearn.demo import run

    run()
