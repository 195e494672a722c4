"""The program as a whole: help, errors, and arguments of any kind."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from command_lines import Command, check_mistake, in_process
from hostile_names import HOSTILE
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import eqlearn
from eqlearn import run_directory
from eqlearn.cli import main as cli
from eqlearn.cli import output
from eqlearn.cli.main import main
from eqlearn.errors import must
from eqlearn.network.units import FUNCTIONS
from eqlearn.search.conclude.selection import CRITERIA
from eqlearn.search.request import RECIPES

#: Command lines that cannot be carried out, and what the one line says.
MISTAKES = [
    ("fti", "No such command 'fti'. Did you mean 'fit'? See eqlearn --help."),
    ("--verison", "No such option: --verison"),
    ("demo now", "Got unexpected extra argument"),
]


@pytest.mark.parametrize(("line", "said"), MISTAKES, ids=[line for line, _ in MISTAKES])
def test_a_mistake_gets_one_line_and_leaves_nothing(
    line: str, said: str, here: Path, command: Command
) -> None:
    check_mistake(line, said, here, command)


def test_a_process_of_its_own_seldom_looks_for_garbage() -> None:
    lines = """
import gc, sys
from eqlearn.__main__ import main
sys.argv = ["eqlearn", "--version"]
try:
    main()
finally:
    print(gc.isenabled(), gc.get_threshold()[0] >= 10_000)
"""
    ended = subprocess.run(
        [sys.executable, "-c", lines], capture_output=True, check=True, text=True
    )
    assert ended.stdout.splitlines()[-1] == "True True"


def test_no_command_is_a_request_for_help(command: Command) -> None:
    code, out, err = command(*[])
    assert (code, err) == (0, "")
    for name in "fit show predict export report demo control reproduce".split():
        assert f"\n  {name} " in out
    for exit_code in (0, 1, 2, output.INTERNAL, output.INTERRUPTED):
        assert f"\n    {exit_code} " in out


def test_no_experiment_is_a_request_for_help(command: Command) -> None:
    code, out, err = command("reproduce")
    assert (code, err) == (0, "")
    assert "\n  division " in out


def test_version(command: Command) -> None:
    assert command("--version") == (0, f"eqlearn {eqlearn.__version__}\n", "")


def test_the_package_is_the_command_too() -> None:
    called = [sys.executable, "-m", "eqlearn", "--version"]
    said = subprocess.run(called, capture_output=True, text=True, check=True)
    assert said.stdout == f"eqlearn {eqlearn.__version__}\n"


def test_ctrl_c_while_the_program_loads_ends_it_silently(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text(
        "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n"
    )
    called = [sys.executable, "-m", "eqlearn", "--version"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    said = subprocess.run(called, capture_output=True, text=True, env=environment)
    assert (said.returncode, said.stderr) == (-signal.SIGINT, "")


def test_ctrl_c_while_options_are_read_is_an_interruption(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(**_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "app", interrupted)
    assert command("show run") == (output.INTERRUPTED, "", "")


def test_what_is_beside_the_data_is_not_run(tmp_path: Path) -> None:
    """R-21: a file there may be named like a module."""
    (tmp_path / "typer.py").write_text("raise SystemExit('sprung')")
    called = [sys.executable, "-m", "eqlearn", "--version"]
    said = subprocess.run(called, capture_output=True, text=True, cwd=tmp_path)
    assert (said.returncode, said.stderr) == (0, "")


def test_help_names_what_the_library_has(command: Command) -> None:
    text = " ".join(command("fit --help").out.split())
    for name in (*FUNCTIONS, *CRITERIA, *RECIPES):
        assert name in text


def test_an_error_of_the_library_is_one_line(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(directory: Path) -> None:
        raise must("n_layers", "at least 2", 1)

    stand_in = ModuleType("eqlearn.demo")
    monkeypatch.setattr(stand_in, "run", refuse, raising=False)
    monkeypatch.setattr(stand_in, "DIRECTORY", Path("demo"), raising=False)
    monkeypatch.setitem(sys.modules, "eqlearn.demo", stand_in)
    line = "Error: `n_layers` must be at least 2; got 1.\n"
    assert command("demo") == (2, "", line)


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (
            RuntimeError("one\ntwo \x1b[2J"),
            70,
            r"RuntimeError: one two \x1b[2J; please",
        ),
        (AssertionError(), 70, "Internal error: AssertionError; please report it"),
        (PermissionError(13, "Permission denied", "a"), 2, "Permission denied: a"),
        (
            OSError(28, "No space left on device"),
            2,
            "Error: No space left on device.\n",
        ),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_no_traceback_reaches_a_user(
    error: BaseException,
    code: int,
    said: str,
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(run: Path) -> None:
        raise error

    monkeypatch.setattr(run_directory, "open_run", fail)
    ended = command("show run")
    assert (ended.code, ended.out) == (code, "")
    assert said in ended.err
    assert len(ended.err.splitlines()) <= 1

    monkeypatch.setenv(cli.DEBUG, "1")
    shows = "Traceback" in command("show run").err
    assert shows == (code == output.INTERNAL)


def test_completion() -> None:
    words = {"COMP_WORDS": "eqlearn fit t.csv --functions sin,s", "COMP_CWORD": "4"}
    asked = {**os.environ, **words, "_EQLEARN_COMPLETE": "complete_bash"}
    process = in_process(env=asked)
    out, err = process.communicate()
    assert (out.split(), err) == (["sin,sin", "sin,sqrt", "sin,square"], "")


OPTIONS = (
    "--target --inputs --weights --extrapolation --domain --functions --recipe --depth"
)
OPTIONS += " --select --time --seed --jobs --scheduler --to --digits -o --output --json"
OPTIONS += " --quiet --help --version -- - --out"
VALUES = (
    "current voltage,resistance voltage=1:2 ohm.csv in.csv ohm-run plain broken.json"
)
VALUES += " fast paper 2,3 information v_int_ex 5m 0 -1 1 1e9 sin,multiply latex c"
WORDS = st.sampled_from(
    [*OPTIONS.split(), *VALUES.split(), "", "\0", "\ud800", *HOSTILE]
)


@pytest.fixture
def copied(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same files again: some commands may overwrite them."""
    shutil.copytree(folder, tmp_path / "copy")
    monkeypatch.chdir(tmp_path / "copy")


@pytest.mark.usefixtures("copied")
@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    first=st.sampled_from(["fit", "show", "predict", "export", "report"]),
    start=st.sampled_from([[], ["ohm.csv", "--target", "current"], ["ohm-run"]]),
    more=st.lists(WORDS | st.text(max_size=5), max_size=6),
)
def test_any_arguments_end_in_a_documented_code(
    first: str, start: list[str], more: list[str]
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise must("search", "left out", "a search")

    with pytest.MonkeyPatch.context() as patch:
        # Everything is checked as ever, but no search begins and no plot is drawn.
        patch.setattr("eqlearn.learners.learning.learn", refuse)
        patch.setattr("eqlearn.report.report_files.write_report", lambda *_, **__: ())
        patch.setattr("eqlearn.learners.given_inputs.check_scheduler", refuse)
        with pytest.raises(SystemExit) as stop:
            main([first, *start, *more])
    assert stop.value.code in (0, 1, 2)
