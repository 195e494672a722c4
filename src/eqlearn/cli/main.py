"""The program: its commands, and how any of them ends.

Nothing heavy is imported before a command runs, so that `--help` answers at once.
"""

import logging
import os
import signal
import sys
import warnings
from collections.abc import Sequence
from typing import Annotated

import typer

from eqlearn import __version__
from eqlearn.cli.control_command import HOW_TO, control
from eqlearn.cli.dynamics_command import dynamics
from eqlearn.cli.fit_command import demo, fit
from eqlearn.cli.output import EXIT_CODES, FOUND, INTERNAL, INTERRUPTED, REFUSED, tell
from eqlearn.cli.reproduce_command import reproduce_app
from eqlearn.cli.run_commands import compare, export, predict, report, show
from eqlearn.errors import EqlearnError, must

#: If this variable is set in the environment, tracebacks are printed.
DEBUG = "EQLEARN_DEBUG"

app = typer.Typer(
    epilog=EXIT_CODES,
    # Plain help: loading Rich to draw boxes would take as long as all the rest.
    rich_markup_mode=None,
    # A traceback is for developers: plain, and without the user's data.
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
        # All that is left is to wait for worker processes: Ctrl-C ends that silently.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    raise SystemExit(code)


def _hush_libraries() -> None:
    """Silence warnings meant for programmers, in this process and its workers."""
    warnings.simplefilter("ignore")
    os.environ["PYTHONWARNINGS"] = "ignore"
    # Of a home that cannot be written to; it works all the same.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    sys.unraisablehook = lambda _: None


def _code_of(arguments: Sequence[str] | None) -> int:
    try:
        code = app(args=arguments, prog_name="eqlearn", standalone_mode=False)
    except typer.TyperException as error:
        return _refuse(_usage(error))
    except EqlearnError as error:
        return _refuse(str(error))
    except OSError as error:
        where = f": {error.filename}" if error.filename else "."
        return _refuse(f"{error.strerror or error}{where}")
    except KeyboardInterrupt:  # before a command has begun, such as among its options
        return INTERRUPTED
    except Exception as error:
        return _apologise(error)
    return int(code or FOUND)


def _refuse(line: str) -> int:
    tell(f"Error: {line}")
    return REFUSED


#: Options by their former names.
RENAMED = {"--units": "--functions"}


def _usage(error: typer.TyperException) -> str:
    """What Typer has to say, with where to read more, on one line."""
    former = getattr(error, "option_name", "")
    if former in RENAMED:
        return f"{former} is now {RENAMED[former]}."
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "eqlearn"
    said = _no_number(error) or error.format_message()
    said = " ".join(said.split()).rstrip(".")
    return f"{said}{'' if said.endswith('?') else '.'} See {command} --help."


def _no_number(error: typer.TyperException) -> str:
    """What is wrong with the number of an option; nothing of other mistakes."""
    option = getattr(error, "param", None)
    refusals = getattr(error.__cause__, "errors", None)
    if option is None or not callable(refusals):
        return ""
    (refused,) = refusals()[:1]
    low, high = getattr(option, "min", None), getattr(option, "max", None)
    is_whole = isinstance(low, int) or refused["type"].startswith("int_")
    what = "a whole number" if is_whole else "a number"
    if low is not None:
        least = f"{low:,.12g}"
        what += f" of at least {least}" if high is None else f" from {least} to "
        what += "" if high is None else f"{high:,.12g}"
    return str(must(option.opts[0], what, refused["input"]))


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


app.command(epilog=EXIT_CODES)(fit)
app.command(epilog=EXIT_CODES)(dynamics)
for _command in (show, predict, export, report, compare, demo):
    app.command()(_command)
app.command(epilog=HOW_TO + EXIT_CODES)(control)
app.add_typer(reproduce_app, name="reproduce")
