"""Every command: what it prints and leaves when all is well, and what mistakes get.

A mistake gets one line on the standard error and exit code 2, and leaves no file.
"""

import csv
import json
import math
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pytest
import sympy
from hostile_names import HOSTILE
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from table_cases import BINARY, TEXT, Case, put

import eqlearn
from eqlearn import run_directory as runs
from eqlearn.cli import main as cli
from eqlearn.cli import output as cli_output
from eqlearn.cli.main import main
from eqlearn.data.read import read_table
from eqlearn.equation.write.form_names import FORM_NAMES
from eqlearn.errors import must
from eqlearn.network.units import UNITS
from eqlearn.search.conclude.selection import CRITERIA
from eqlearn.search.learn import RECIPES


class Outcome(NamedTuple):
    """What a command line ended with."""

    code: int
    out: str
    err: str


Command = Callable[..., Outcome]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Run a command line, given as one text or as its arguments."""

    def run(*arguments: str) -> Outcome:
        words = shlex.split(arguments[0]) if len(arguments) == 1 else arguments
        with pytest.raises(SystemExit) as stop:
            main(words)
        assert isinstance(stop.value.code, int)
        return Outcome(stop.value.code, *capsys.readouterr())

    return run


def write_csv(path: Path, **columns: Any) -> None:
    with open(path, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(columns)
        rows.writerows(np.column_stack(list(columns.values())).tolist())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables, a run of one of them, and files that only look like some."""
    folder = tmp_path_factory.mktemp("cli")
    rng = np.random.default_rng(0)
    a, b = rng.uniform(1, 3, (2, 60))
    write_csv(folder / "ohm.csv", voltage=a, resistance=b, current=a / b)
    write_csv(folder / "in.csv", resistance=b[:5], voltage=a[:5])
    write_csv(folder / "few.csv", x=[1.0, 2.0], y=[1.0, 2.0])
    write_csv(folder / "huge.csv", x=a, y=1e300 * b)
    write_csv(folder / "alone.csv", y=a)
    write_csv(folder / "weighted.csv", a=a, y=2 * a, w=-b, zero=0 * b)
    (folder / "text.csv").write_text("who,x,y\n" + "me,1,2\n" * 20, encoding="utf-8")
    (folder / "broken.json").write_text('{"format": "eqlearn model"', encoding="utf-8")
    (folder / "robot.py").write_text(ROBOT, encoding="utf-8")
    (folder / "broken.py").write_text("raise RuntimeError('not today')", "utf-8")
    (folder / "plain").mkdir()
    with pytest.raises(SystemExit) as stop:
        arguments = [str(folder / "ohm.csv"), "--target", "current", "--jobs", "1"]
        main(["fit", *arguments, "--out", str(folder / "ohm-run"), "--quiet"])
    assert stop.value.code == 0
    return folder


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder)
    return folder


def all_files(folder: Path) -> dict[str, int]:
    """When each file was written last; that of a run's own database is no matter."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(p): p.stat().st_mtime_ns for p in files if p.stem != "run"}


OHM = "fit ohm.csv --target current --out new"
PENDULUM = "control Pendulum-v1 --rollout-steps 20 --out new"
AGAIN = "reproduce control --out new"
DIVISION = "reproduce division --out new"
ROBOT = """
import numpy as np
number = 3
def two(observation):
    return np.zeros((2, 2))
def wrong(observation):
    return observation[9]
"""

#: Command lines that cannot be carried out, and what the one line says.
MISTAKES = [
    ("fti", "No such command 'fti'. Did you mean 'fit'? See eqlearn --help."),
    ("--verison", "No such option: --verison"),
    ("fit", "Missing argument 'TABLE'. See eqlearn fit --help."),
    ("fit ohm.csv", "Missing option '--target'. See eqlearn fit --help."),
    ("fit ohm.csv --target", "Option '--target' requires an argument"),
    ("fit ohm.csv --traget current", "No such option: --traget (Possible options: --t"),
    ("fit ohm.csv in.csv --target current", "Got unexpected extra argument"),
    ("fit ohm.cvs --target current", "got none of this name. Did you mean `ohm.csv`?"),
    ("fit plain --target current", "`plain` must be a file; got a directory"),
    ("fit '' --target current", "`.` must be a file; got a directory"),
    ("fit ohm.csv --target curent", "got 'curent' for `ohm.csv`. Did you mean 'curre"),
    ("fit ohm.csv --target ''", "`target` must be one of 'voltage', 'resistance', 'cu"),
    ("fit ohm.csv --target current,current", "must be columns named once each"),
    ("fit ohm.csv --target current --target x", "`target` must be one of"),
    ("fit ohm.csv --target current --inputs volt", "got 'volt' for `ohm.csv`. Did you"),
    ("fit ohm.csv --target current --inputs current", "must be other columns than the"),
    ("fit ohm.csv --target voltage,resistance,current", "must have inputs beside the"),
    ("fit alone.csv --target y", "must have inputs beside the target; got no other"),
    ("fit few.csv --target y", "`few.csv` must have at least 10 rows; got 2. Measure"),
    ("fit huge.csv --target y", "in column `y`. Choose another unit."),
    ("fit text.csv --target y", "or leave the column out. Name those to use by --inp"),
    ("fit weighted.csv --target y --weights ww", "`--weights` must be one of"),
    ("fit weighted.csv --target y --weights w", "`--weights` must be finite and at le"),
    ("fit weighted.csv --target y --weights zero", "`--weights` must be above 0 for s"),
    ("fit weighted.csv --target y --weights y", "`target` must be one of 'a', 'w', 'z"),
    (f"{OHM} --extrapolation far.csv", "`far.csv` must be an existing file"),
    (f"{OHM} --extrapolation in.csv", "got 'current' for `in.csv`"),
    (f"{OHM} --domain voltage", "`--domain` must be NAME=LOW:HIGH with LOW below HIGH"),
    (f"{OHM} --domain voltage=1", "`--domain` must be NAME=LOW:HIGH"),
    (f"{OHM} --domain voltage=a:b", "`--domain` must be NAME=LOW:HIGH"),
    (f"{OHM} --domain voltage=2:1", "`--domain` must be NAME=LOW:HIGH"),
    (f"{OHM} --domain voltage=0:inf", "`--domain` must be NAME=LOW:HIGH"),
    (f"{OHM} --domain voltage=nan:1", "`--domain` must be NAME=LOW:HIGH"),
    (f"{OHM} --domain =1:2", "`--domain` must be NAME=LOW:HIGH"),
    (f"{OHM} --domain voltge=1:2", "`--domain` must be one of 'voltage', 'resistance'"),
    (f"{OHM} --domain voltage=1:2 --domain voltage=1:3", "must be given once for each"),
    (f"{OHM} --functions sine", "`--functions` must be one of 'identity', 'sin', 'co"),
    (f"{OHM} --functions ''", "`--functions` must be one of"),
    (f"{OHM} --functions sin,paper", "`--functions` must be one of"),
    (f"{OHM} --units sin", "Error: --units is now --functions."),
    (
        f"{OHM} --recipe fsat",
        "`--recipe` must be one of 'fast', 'paper'; got 'fsat'. D",
    ),
    (
        f"{OHM} --depth 3",
        "`--depth` must be left out unless the recipe is the paper's;",
    ),
    (f"{OHM} --recipe paper --depth two", "`--depth` must be whole numbers with comm"),
    (f"{OHM} --recipe paper --depth 2,", "`--depth` must be whole numbers with comm"),
    (
        f"{OHM} --recipe paper --depth 1",
        "`--depth` must be at least 2 layers; got [1].",
    ),
    (f"{OHM} --select v_int_z", "`--select` must be one of 'information', 'v_int_s'"),
    (f"{OHM} --select v_int_ex", "got 'v_int_ex'. Give labelled far points, or"),
    (f"{OHM} --time soon", '`--time` must be seconds, or a text like "90s" or "5m"'),
    (f"{OHM} --time -5", '`--time` must be seconds, or a text like "90s" or "5m"'),
    (f"{OHM} --time 0", "`--time` must be above 0 seconds, or None; got 0.0."),
    (f"{OHM} --seed one", "Invalid value for '--seed'"),
    (f"{OHM} --seed -1", "Invalid value for '--seed'"),
    (f"{OHM} --jobs 0", "`--jobs` must be a number of processes, or -1 for every core"),
    (f"{OHM} --jobs many", "Invalid value for '--jobs'"),
    (f"{OHM} --scheduler nobody", "must be the address of a running Dask scheduler"),
    (f"{OHM} --scheduler tcp://127.0.0.1:1", "`--scheduler` must be the address of a"),
    ("fit ohm.csv --target current --out in.csv", "`--out` must be a place to write"),
    ("fit ohm.csv --target voltage", "`--target` must be current as before; got 'volt"),
    (
        "fit ohm.csv --target current --inputs voltage",
        "`--inputs` must be voltage, resistance as before; got 'voltage' for the run in"
        " ohm-run. Name another directory by --out.",
    ),
    ("fit ohm.csv --target current --seed 1", "`--seed` must be 0 as before; got 1 fo"),
    ("show", "Missing argument 'RUN'. See eqlearn show --help."),
    ("show ohmrun", "`ohmrun` must be a run directory or a model file; got none of th"),
    ("show nowhere/run", "got none of this name. Check the path."),
    ("show plain", "`plain` must be the directory of a run; got one without model.jso"),
    ("show ohm.csv", "`RUN` must be a model file; got 'ohm.csv'. `content` must be JS"),
    ("show broken.json", "`RUN` must be a model file; got 'broken.json'."),
    ("predict ohm-run", "Missing argument 'TABLE'. See eqlearn predict --help."),
    ("predict ohm-rum in.csv", "got none of this name. Did you mean `ohm-run`?"),
    ("predict ohm-run in.cvs", "got none of this name. Did you mean `in.csv`?"),
    ("predict ohm-run few.csv", "got 'voltage' for `few.csv`."),
    ("predict ohm-run in.csv -o out.xls", "`out.xls` must end in one of .csv"),
    ("predict ohm-run in.csv -o no/out.csv", "`no/out.csv` must be writable; got No s"),
    ("predict ohm-run in.csv -o plain", "`plain` must end in one of .csv"),
    ("export ohm-run", "Missing option '--to'. See eqlearn export --help."),
    ("export ohm-run --to latx", "got 'latx'. Did you mean 'latex'?"),
    ("export ohm-run --to c --digits 0", "Invalid value for '--digits'"),
    ("export ohm-run --to c -o plain", "`plain` must be a file; got a directory"),
    ("export ohm-run --to c -o no/law.c", "`no/law.c` must be writable"),
    ("export broken.json --to c", "`RUN` must be a model file"),
    ("report plain", "`plain` must be the directory of a run"),
    ("report", "Missing argument 'RUN'. See eqlearn report --help."),
    ("demo now", "Got unexpected extra argument"),
    ("control", "`ENV` must be the id of a Gymnasium environment; got None. Or name"),
    ("control Pendulm-v1", "Did you mean: `Pendulum`?"),
    ("control 'x y'", "`ENV` must be the id of a registered environment, or module:id"),
    ("control '\x1b[2J'", r"got '\x1b[2J'. Error: Malformed"),
    ("control no:Robot-v0", "ModuleNotFoundError: No module named 'no'."),
    ("control broken:Robot-v0", "RuntimeError: not today."),
    ("control CartPole-v1", "`ENV` must be an environment with a Box of actions; got"),
    (f"{PENDULUM} --cost robot", "`--cost` must be module:function, like my_robot:c"),
    (f"{PENDULUM} --cost robto:cost", "`--cost` must be in a module that can be impor"),
    (f"{PENDULUM} --cost broken:cost", "got 'broken:cost'. RuntimeError: not today."),
    (f"{PENDULUM} --cost robot:number", "`robot` has no function of this name."),
    (f"{PENDULUM} --state-of robot:two", "`--state-of` must be a function to a list "),
    (f"{PENDULUM} --state-of robot:wrong", "got 'robot:wrong'. IndexError: index 9 i"),
    (f"{PENDULUM} --states a,b", "`--states` must be 3 different names; got ('a', 'b"),
    (f"{PENDULUM} --angles theta", "`--angles` must be one of 's0', 's1', 's2'"),
    (f"{PENDULUM} --window 4", "`--window` must be an odd number of steps, 1 or more"),
    (f"{PENDULUM} --spread -1", "`--spread` must be a standard deviation, 0 or more"),
    (f"{PENDULUM} --dt 0", "`--dt` must be a positive number of seconds; got 0.0."),
    (f"{PENDULUM} --rollouts 0", "`--rollouts` must be at least 1; got 0."),
    (f"{PENDULUM} --rollout-steps 4", "`--rollouts` must be long enough for 10 sample"),
    (f"{PENDULUM} --steps 0", "`--steps` must be at least 1; got 0."),
    (f"{PENDULUM} --planner mpp", "got 'mpp'. Did you mean 'mppi'?"),
    (f"{PENDULUM} --horizon 0", "`--horizon` must be an integer of at least 1; got 0"),
    (f"{PENDULUM} --time soon", '`--time` must be seconds, or a text like "90s"'),
    (f"{PENDULUM} --jobs 0", "`--jobs` must be a number of processes, or -1 for ever"),
    (f"{PENDULUM} --model ohm-rum", "got none of this name. Did you mean `ohm-run`?"),
    (f"{PENDULUM} --model ohm-run", "`--model` must be of 3 states and 1 actions, as "),
    ("control Pendulum-v1 --out in.csv", "`--out` must be a place to write"),
    ("control --log none.csv", "`none.csv` must be an existing file"),
    ("control --log in.csv", "`--states` must be names of columns; got []. None is "),
    ("control --log in.csv --states voltage --actions x --dt 1", "must be one of"),
    ("reproduce contrl", "No such command 'contrl'. Did you mean 'control'? See eqle"),
    (f"{AGAIN} --experiments 0", "`--experiments` must be at least 1; got 0."),
    (f"{AGAIN} --sensor-noise a", "`--sensor-noise` must be standard deviations with"),
    (f"{AGAIN} --action-noise -1", "`--action-noise` must be standard deviations, 0 o"),
    (f"{AGAIN} --noise-rollouts 0", "`--noise-rollouts` must be at least 1; got 0."),
    (f"{AGAIN} --spread 0", "`--spread` must be a positive standard deviation; got 0."),
    (f"{AGAIN} --runs 0", "`--runs` must be at least 1; got 0."),
    (f"{AGAIN} --steps 0", "`--steps` must be at least 1; got 0."),
    (f"{AGAIN} --rollouts 0", "`--rollouts` must be numbers of rollouts, 1 or more"),
    (f"{AGAIN} --rollouts 1,b", "`--rollouts` must be whole numbers with commas betw"),
    (f"{AGAIN} --models svm", "`--models` must be one of 'eql', 'mlp', 'true'; got 's"),
    (f"{AGAIN} --planner cme", "got 'cme'. Did you mean 'cem'?"),
    (f"{AGAIN} --time 0", "`--time` must be a positive number of seconds; got 0.0."),
    (f"{AGAIN} --jobs 0", "`--jobs` must be a number of processes, or -1 for every c"),
    ("reproduce control --quick --out in.csv", "File exists: in.csv"),
    (f"{DIVISION} --seeds 0", "Invalid value for '--seeds': Input should be gr"),
    (f"{DIVISION} --time soon", '`--time` must be seconds, or a text like "90s"'),
    (f"{DIVISION} --recipe slow", "`--recipe` must be one of 'fast', 'paper', 'ref"),
    (f"{DIVISION} --methods eureqa", "`--methods` must be one of 'eqlearn', 'eql', 'm"),
    (f"{DIVISION} --jobs 0", "`--jobs` must be a number of processes, or -1 for every"),
    ("reproduce divison", "No such command 'divison'. Did you mean 'division'? See"),
    ("reproduce division --out in.csv", "File exists: in.csv"),
]


@pytest.mark.parametrize(("line", "said"), MISTAKES, ids=[line for line, _ in MISTAKES])
def test_a_mistake_gets_one_line_and_leaves_nothing(
    line: str, said: str, here: Path, command: Command
) -> None:
    before, start = all_files(here), time.perf_counter()
    code, out, err = command(line)
    assert (code, out) == (2, "")
    assert err.startswith("Error: ")
    assert said in err
    assert err.endswith("\n")
    assert err.rstrip("\n").isprintable()  # one line, and no control character
    assert len(err) < 500
    assert all_files(here) == before
    assert time.perf_counter() - start < 10


def test_there_are_enough_mistakes() -> None:
    assert len(MISTAKES) >= 60


# All that a command line can name: no shell passes a NUL on.
REFUSED = [case for case in TEXT + BINARY if case.refused and "\0" not in case.file]


@pytest.mark.parametrize(
    "case",
    [case for case in REFUSED if case.only is None],
    ids=lambda case: case.name,
)
def test_an_odd_table_gets_one_line(
    case: Case, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = command("fit", put(case, tmp_path), "--target", "y")
    assert (code, out) == (2, "")
    assert err.startswith("Error: ")
    assert re.search(case.refused, err)
    assert err.rstrip("\n").isprintable()
    assert not list(tmp_path.glob("*-run"))


def test_no_command_is_a_request_for_help(command: Command) -> None:
    code, out, err = command(*[])
    assert (code, err) == (0, "")
    for name in "fit show predict export report demo control reproduce".split():
        assert f"\n  {name} " in out
    for exit_code in (0, 1, 2, cli_output.INTERNAL, cli_output.INTERRUPTED):
        assert f"\n    {exit_code} " in out


def test_version(command: Command) -> None:
    assert command("--version") == (0, f"eqlearn {eqlearn.__version__}\n", "")


def test_the_package_is_the_command_too() -> None:
    called = [sys.executable, "-m", "eqlearn", "--version"]
    said = subprocess.run(called, capture_output=True, text=True, check=True)
    assert said.stdout == f"eqlearn {eqlearn.__version__}\n"


def test_help_names_what_the_library_has(command: Command) -> None:
    text = " ".join(command("fit --help").out.split())
    for name in (*UNITS, *CRITERIA, *RECIPES):
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

    monkeypatch.setattr(runs, "open_run", fail)
    ended = command("show run")
    assert (ended.code, ended.out) == (code, "")
    assert said in ended.err
    assert len(ended.err.splitlines()) <= 1

    monkeypatch.setenv(cli.DEBUG, "1")
    shows = "Traceback" in command("show run").err
    assert shows == (code == cli_output.INTERNAL)


def test_fit_leaves_a_run_and_show_tells_of_it(here: Path, command: Command) -> None:
    assert {"model.json", "sample.npz", "report.html", "report.md", "run.db"} <= {
        path.name for path in (here / "ohm-run").iterdir()
    }
    code, out, err = command("show ohm-run")
    assert (code, err) == (0, "")
    assert out.startswith("current = voltage/resistance\n")
    assert out.endswith("Report: ohm-run/report.html\n")
    assert command("show ohm-run/model.json") == (0, out, "")


def test_the_same_command_goes_on(
    here: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = json.loads(command("show ohm-run --json").out)
    again: list[object] = []
    monkeypatch.setattr("eqlearn.jobs.backends.computed", again.append)
    # The default directory is the one that the fixture has named.
    code, out, err = command("fit ohm.csv --target current --jobs 1 --json --quiet")
    assert (code, err, again) == (0, "", [])
    after = json.loads(out)
    assert after.pop("seconds") == pytest.approx(before.pop("seconds"), abs=0.5)
    assert after == before


def test_json_is_one_line_as_documented(here: Path, command: Command) -> None:
    code, out, err = command("show ohm-run --json")
    assert (code, err, out.count("\n")) == (0, "", 1)
    found = json.loads(out)
    assert 0 < found.pop("seconds") < 60
    assert found.pop("validation_rms")["current"] < 1e-12
    assert found == {
        "equations": {"current": "voltage/resistance"},
        "run": "ohm-run",
        "complexity": {"current": 2},
        "verdict": {"current": "trusted"},
    }


def test_every_option_at_once(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    a, b = rng.uniform(1, 3, (2, 60))
    unused = {"w": rng.integers(1, 3, 60), "noise": rng.normal(size=60)}

    def columns(a: np.ndarray, b: np.ndarray) -> dict[str, np.ndarray]:
        return {"a": a, "b,c": b, "u": a * b, "v, w": a / b}

    write_csv(tmp_path / "two.csv", **columns(a, b), **unused)
    write_csv(tmp_path / "far.csv", **columns(4 * a[:4], b[:4]))
    arguments = ["two.csv", "--target", r"u,v\, w", "--inputs", r"a,b\,c"]
    arguments += ["--weights", "w", "--extrapolation", "far.csv", "--domain", "a=0.5:9"]
    arguments += ["--functions", "multiply", "--select", "v_int_ex", "--time", "5m"]
    arguments += ["--seed", "3", "--jobs", "1", "--out", "deep/run", "--json"]
    code, out, err = command("fit", *arguments)
    assert code == 0
    assert err.startswith("u = ")  # the summary, out of the way of the one line
    found = json.loads(out)
    assert found["equations"] == {"u": "a*b,c", "v, w": "a/b,c"}
    assert found["run"] == "deep/run"
    model = runs.open_run(tmp_path / "deep" / "run")
    assert model.domain[0] == (0.5, 9.0)
    assert model.parameters["selection"] == "v_int_ex"
    assert model.chosen[0].scores["extrapolation_error"] < 1e-9
    assert model.origin.table == "two.csv"
    assert "two.csv" in (tmp_path / "deep/run/report.md").read_text(encoding="utf-8")


def test_nothing_found_is_an_exit_code(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    five, zero = np.full(20, 5.0), np.zeros(20)
    write_csv(tmp_path / "flat.csv", x=np.arange(20.0), k=zero, y=five)
    code, out, err = command("fit flat.csv --target y --jobs 1")
    assert code == cli_output.NOTHING_FOUND
    assert "No equation was found." in out
    assert "Note: `flat.csv`: target `y` is constant" in err
    assert "Note: `flat.csv`: input `k` is constant" in err


def test_a_large_table_leaves_a_sample() -> None:
    x = np.arange(6000.0).reshape(3000, 2)
    kept = runs.sampled(x)
    assert len(kept) == runs.MOST_SAMPLED
    assert np.all(np.diff(kept) > 0)
    assert kept[-1] > 2900
    assert len(runs.sampled(x[:10])) == 10


def test_predict_adds_columns_at_the_end(here: Path, command: Command) -> None:
    code, out, err = command("predict ohm-run in.csv")
    assert (code, err) == (0, "")
    names, *rows = csv.reader(out.splitlines())
    assert names == ["resistance", "voltage", "current_predicted"]
    for row in rows:
        resistance, voltage, predicted = map(float, row)
        assert math.isclose(predicted, voltage / resistance, rel_tol=1e-12)
    assert command("predict ohm-run in.csv -o out.parquet") == (0, "", "")
    written = read_table(here / "out.parquet")
    assert list(written.names) == names
    np.testing.assert_array_equal(written.values, np.array(rows, dtype=float))


def test_predict_needs_numbers_in_the_inputs_only(
    here: Path, command: Command, tmp_path: Path
) -> None:
    table = tmp_path / "new.csv"
    table.write_text("who,voltage,resistance,current\nme,6,3,\nyou,1,0,?\n", "utf-8")
    code, out, err = command(f"predict ohm-run {table}")
    assert code == 0
    assert out.splitlines()[:2] == [
        "voltage,resistance,current_predicted",
        "6.0,3.0,2.0",
    ]
    left_out, pole = err.splitlines()
    assert left_out.endswith("columns that no equation needs are left out")
    assert pole.endswith("no finite prediction for 1 rows, the first is data row 2")


@pytest.fixture(scope="module")
def wave(folder: Path) -> Path:
    """A run whose formula has a function and constants of many digits."""
    rng = np.random.default_rng(0)
    x, numpy = rng.uniform(-1, 1, (2, 60))
    columns = {"x": x, "numpy.y": numpy, "z": np.sin(1.2345 * x) * numpy}
    write_csv(folder / "wave.csv", **columns)
    arguments = [str(folder / "wave.csv"), "--target", "z", "--jobs", "1", "--quiet"]
    with pytest.raises(SystemExit) as stop:
        main(["fit", *arguments, "--out", str(folder / "wave-run")])
    assert stop.value.code == 0
    return folder / "wave-run"


X = np.linspace(-1, 1, 7)
LAW = np.sin(1.2345 * X) * (X + 2)


def exported(command: Command, run: Path, form: str, *more: str) -> str:
    code, out, err = command("export", str(run), "--to", form, *more)
    assert (code, err) == (0, "")
    assert out.endswith("\n")
    assert not out.endswith("\n\n")
    return out


def test_export_to_sympy(wave: Path, command: Command) -> None:
    legend, line = exported(command, wave, "sympy").splitlines()
    assert legend == "# numpy_y: column 'numpy.y'"
    formula = sympy.sympify(line)
    values = sympy.lambdify(sympy.symbols("x numpy_y"), formula)(X, X + 2)
    np.testing.assert_allclose(values, LAW, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("form", ["python", "jax", "torch"])
def test_export_to_python(form: str, wave: Path, command: Command) -> None:
    source = exported(command, wave, form)
    assert "# numpy_y: column 'numpy.y'" in source
    if form == "torch":
        torch = pytest.importorskip("torch")
        inputs = torch.tensor(X), torch.tensor(X + 2)
    else:
        inputs = X, X + 2
    names: dict[str, Any] = {}
    exec(source, names)
    np.testing.assert_allclose(np.asarray(names["predict"](*inputs)), LAW, rtol=1e-5)


def test_export_to_what_is_read(wave: Path, command: Command, tmp_path: Path) -> None:
    assert exported(command, wave, "latex").startswith("z = ")
    assert "1.234" in exported(command, wave, "latex")
    assert "1.2" in exported(command, wave, "latex", "--digits", "2")
    assert exported(command, wave, "mathml").startswith("<math ")
    assert json.loads(exported(command, wave, "json"))["inputs"] == ["x", "numpy.y"]
    source = exported(command, wave, "c")
    assert "void predict(const double *inputs, double *outputs)" in source
    file = str(tmp_path / "law.c")
    assert command("export", str(wave), "--to", "c", "-o", file) == (0, "", "")
    assert Path(file).read_text(encoding="utf-8") == source


def test_report_is_written_again(here: Path, command: Command) -> None:
    (here / "ohm-run" / "report.html").unlink()
    code, out, err = command("report ohm-run")
    assert (code, err) == (0, "")
    assert "ohm-run/report.html" in out.splitlines()
    assert all((here / line).exists() for line in out.splitlines())


def test_a_model_file_alone_has_no_rows_to_report(
    here: Path, command: Command, tmp_path: Path
) -> None:
    model = (here / "ohm-run" / "model.json").read_bytes()
    (tmp_path / "mine.json").write_bytes(model)
    assert command(f"show {tmp_path / 'mine.json'}").code == 0
    code, out, err = command(f"report {tmp_path / 'mine.json'}")
    assert (code, out) == (2, "")
    assert "sample.npz` must be an existing file" in err


def test_a_model_file_that_was_tampered_with_is_refused(
    here: Path, command: Command, tmp_path: Path
) -> None:
    document = json.loads((here / "ohm-run" / "model.json").read_text("utf-8"))
    document["outcomes"][0]["verdict"]["kind"] = "certain"
    (tmp_path / "model.json").write_text(json.dumps(document), encoding="utf-8")
    for line in (f"show {tmp_path}", f"report {tmp_path}", f"show {tmp_path} --json"):
        code, out, err = command(line)
        assert (code, out) == (2, "")
        assert "`outcomes[0].verdict.kind` must be 'trusted', 'plausible'" in err


def test_hostile_names_come_through(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = [name for name in HOSTILE if "\0" not in name]
    target = names.pop(0)
    x = np.random.default_rng(0).uniform(1, 2, (90, len(names)))
    columns = [*x.T, x[:, 0] * x[:, names.index("\x1b[2J\x1b]0;title\x07")]]
    table = pa.table([pa.array(column) for column in columns], names=[*names, target])
    parquet.write_table(table, "odd.parquet")

    option = target.replace(",", "\\,")
    code, out, err = command("fit", "odd.parquet", "--target", option, "--jobs", "1")
    assert code == 0
    assert all(line.isprintable() for line in (out + err).splitlines())
    shown = command("show", "odd-run").out
    assert shown == out

    code, out, err = command("predict", "odd-run", "odd.parquet")
    assert code == 0
    header, first, *_ = csv.reader(out.splitlines(keepends=True))
    assert header == [*names, target, f"{target}_predicted"]
    assert math.isclose(float(first[-1]), float(first[-2]), rel_tol=1e-9)

    for form in FORM_NAMES:
        code, out, err = command("export", "odd-run", "--to", form)
        assert (code, err) == (0, "")
        assert "\x1b" not in out
    assert set(os.listdir()) == {"odd.parquet", "odd-run"}  # nothing was `touch`ed


def test_a_terminal_gets_no_escape_sequences(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cli_output.deliver("\x1b[2J\n")
    assert capsys.readouterr().out == "\x1b[2J\n"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    cli_output.deliver("\x1b[2J\n")
    assert capsys.readouterr().out == "\\x1b[2J\n"


def in_process(
    *arguments: str, env: dict[str, str] | None = None
) -> "subprocess.Popen[str]":
    code = "from eqlearn.cli.main import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=env,
    )


def wait_for_search(run: Path, process: "subprocess.Popen[str]") -> None:
    while not (run / "run.db-wal").exists() and process.poll() is None:
        time.sleep(0.02)
    time.sleep(0.5)


@pytest.fixture
def noisy(tmp_path: Path) -> list[str]:
    """A search that would go on for minutes."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (300, 3))
    y = np.sin(3 * x[:, 0]) / (1.5 + x[:, 1]) + np.tanh(x[:, 2] * x[:, 0])
    y += rng.normal(size=300)
    write_csv(tmp_path / "noisy.csv", a=x[:, 0], b=x[:, 1], c=x[:, 2], y=y)
    arguments = [str(tmp_path / "noisy.csv"), "--target", "y", "--jobs", "1"]
    return ["fit", *arguments, "--out", str(tmp_path / "run"), "--quiet"]


def test_an_interrupt_keeps_the_best_so_far(
    noisy: list[str], tmp_path: Path, command: Command
) -> None:
    process = in_process(*noisy, "--json")
    wait_for_search(tmp_path / "run", process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == cli_output.INTERRUPTED
    (line,) = err.splitlines()
    assert line.startswith(
        "Interrupted; this is the best so far. The same command goes"
    )
    found = json.loads(out)
    assert "y" in found["equations"]
    assert (tmp_path / "run" / "report.html").exists()

    # The time that was worked before counts: nothing but the end is left to do.
    resumed = command(*noisy, "--json", "--time", f"{found['seconds'] + 0.5:.1f}s")
    assert resumed.code in (cli_output.FOUND, cli_output.NOTHING_FOUND)
    assert json.loads(resumed.out)["seconds"] > found["seconds"]


def test_a_second_interrupt_ends_at_once(noisy: list[str], tmp_path: Path) -> None:
    process = in_process(*noisy)
    wait_for_search(tmp_path / "run", process)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert time.monotonic() - start < 5
    assert process.returncode == cli_output.INTERRUPTED
    assert out == ""
    line = (
        f"Interrupted. The same command goes on from what is in {tmp_path / 'run'}.\n"
    )
    assert err == line


def test_an_abrupt_end_waits_for_nobody(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    def leave(code: int) -> None:
        raise SystemExit(code)

    monkeypatch.setattr(runs, "fit_table", interrupt)
    monkeypatch.setattr(os, "_exit", leave)
    line = "Interrupted. Nothing was begun.\n"
    assert command("fit none.csv --target y") == (cli_output.INTERRUPTED, "", line)


def test_completion() -> None:
    words = {"COMP_WORDS": "eqlearn fit t.csv --functions sin,s", "COMP_CWORD": "4"}
    asked = {**os.environ, **words, "_EQLEARN_COMPLETE": "complete_bash"}
    process = in_process(env=asked)
    out, err = process.communicate()
    assert (out.split(), err) == (["sin,sin", "sin,sqrt", "sin,square"], "")


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (["a"], ["a"]),
        (["a,b", "c"], ["a", "b", "c"]),
        ([r"a\,b,c"], ["a,b", "c"]),
        (["\\"], ["\\"]),
        (["a\nb"], ["a\nb"]),
        ([""], [""]),
    ],
)
def test_lists_of_names(texts: list[str], names: list[str]) -> None:
    assert cli_output.names(texts) == names


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
        patch.setattr("eqlearn.estimator.learn", refuse)
        patch.setattr("eqlearn.report.report_files.write_report", lambda *_, **__: ())
        patch.setattr("eqlearn.estimator_inputs.check_scheduler", refuse)
        with pytest.raises(SystemExit) as stop:
            main([first, *start, *more])
    assert stop.value.code in (0, 1, 2)
