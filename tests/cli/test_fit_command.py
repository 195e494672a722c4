"""`fit`: what it prints and leaves, what mistakes get, and how it is interrupted."""

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_lines import Command, check_mistake, in_process, write_csv
from patience import within
from table_cases import BINARY, TEXT, Case, put

from eqlearn.cli import output
from eqlearn.equation.prove.domain import domain_report
from eqlearn.run_directory import open_run

OHM = "fit ohm.csv --target current --out new"
SAME = "fit ohm.csv --out ohm-run"

#: Command lines that cannot be carried out, and what the one line says.
MISTAKES = [
    ("fit", "Missing argument 'TABLE'. See eqlearn fit --help."),
    ("fit ohm.csv", "for `ohm.csv`. There are voltage, resistance, current."),
    ("fit text.csv", "`--target` must be at least one column; got [] for `text.csv`"),
    ("fit text.csv --target z", "`--target` must be one of 'who', 'x', 'y'; got 'z' f"),
    ("fit text.csv --target y --weights w", "`--weights` must be one of 'who', "),
    ("fit ohm.csv --target", "Option '--target' requires an argument"),
    ("fit ohm.csv --traget current", "No such option: --traget (Possible options: "),
    ("fit ohm.csv in.csv --target current", "Got unexpected extra argument"),
    ("fit ohm.cvs --target current", "got none of this name. Did you mean `ohm.csv`?"),
    ("fit plain --target current", "`plain` must be a file; got a directory"),
    ("fit '' --target current", "`.` must be a file; got a directory"),
    ("fit ohm.csv --target curent", "got 'curent' for `ohm.csv`. Did you mean 'curre"),
    ("fit ohm.csv --target ''", "`--target` must be one of 'voltage', 'resistance', '"),
    ("fit ohm.csv --target current,current", "must be columns named once each"),
    ("fit ohm.csv --target current --target x", "`--target` must be one of"),
    ("fit ohm.csv --target current --inputs volt", "got 'volt' for `ohm.csv`. Did you"),
    ("fit ohm.csv --target current --inputs amps", "`--inputs` must be one of 'volt"),
    ("fit ohm.csv --target current --inputs current", "must be other columns than the"),
    ("fit ohm.csv --target voltage,resistance,current", "must have inputs beside the"),
    ("fit alone.csv --target y", "must have inputs beside the target; got no other"),
    ("fit few.csv --target y", "`few.csv` must have at least 5 rows; got 2. Measure"),
    ("fit huge.csv --target y", "in column `y`. Choose another unit."),
    ("fit text.csv --target y", "column `who`. Correct the cell, or leave out the col"),
    ("fit text.csv --target y", "leave out the column by `--exclude`."),
    ("fit text.csv --target who", "Correct the cell. Targets and weights are numbers."),
    ("fit text.csv --target y --inputs who", "the cell, or leave out the column.\n"),
    ("fit text.csv --target who", "a finite number in every cell; got 'person a' in r"),
    ("fit ohm.csv --target current --exclude volt", "`--exclude` must be one of 'volt"),
    ("fit ohm.csv --target current --exclude current", "must be columns that nothing "),
    ("fit ohm.csv --target current --exclude ''", "`--exclude` must be one of 'volta"),
    (
        "fit ohm.csv --target current --exclude voltage,resistance",
        "must have inputs beside the target",
    ),
    ("fit ohm.csv --target current --categories amps", "`--categories` must be one of"),
    ("fit ohm.csv --target current --categories current", "must be inputs; got 'curre"),
    (
        "fit ohm.csv --target current --categories voltage",
        "numbers or at most 20 different words; got 60 of them, such as",
    ),
    ("fit gaps.csv --target y", "remove the row. To leave such rows out, give `--drop"),
    (
        "fit weighted.csv --target y --weights y",
        "`--weights` must be a column that noth",
    ),
    ("fit weighted.csv --target y --weights ww", "`--weights` must be one of"),
    ("fit weighted.csv --target y --weights w", "`--weights` must be finite and at le"),
    ("fit weighted.csv --target y --weights zero", "`--weights` must be above 0 for s"),
    (f"{OHM} --extrapolation far.csv", "`far.csv` must be an existing file"),
    (
        f"{OHM} --extrapolation in.csv",
        "got no `current`. It has resistance, voltage; rename",
    ),
    (f"{OHM} --domain voltage", "`--domain` must be NAME=LOW:HIGH with LOW below HIGH"),
    (f"{OHM} --domain voltage=1", "`--domain` must be NAME=LOW:HIGH"),
    (f"{OHM} --domain voltage=a:b", "`--domain` must be NAME=LOW:HIGH"),
    (f"{OHM} --domain voltage=2:1", "`--domain` must be NAME=LOW:HIGH"),
    (f"{OHM} --domain voltage=0:inf", "`--domain` must be NAME=LOW:HIGH"),
    (f"{OHM} --domain voltage=nan:1", "`--domain` must be NAME=LOW:HIGH"),
    (f"{OHM} --domain =1:2", "`--domain` must be NAME=LOW:HIGH"),
    (f"{OHM} --domain voltage=1:2,3", "`--domain` must be NAME=LOW:HIGH"),
    (f"{OHM} --domain voltage=1:2,voltage=1:2", "must be given once for each input"),
    (f"{OHM} --domain voltge=1:2", "`--domain` must be one of 'voltage', 'resistance'"),
    (f"{OHM} --domain voltage=1:2 --domain voltage=1:3", "must be given once for each"),
    (
        f"{OHM} --guess 'a*'",
        "`--guess` must be a formula like a*sin(b*x) + c; got 'a*'",
    ),
    (f"{OHM} --guess volt*a", "got 'volt' in 'volt*a'. Did you mean 'voltage'?"),
    (f"{OHM} --guess 'y = a'", "`--guess` must be one of 'current'; got 'y' before"),
    (f"{OHM} --constraint smooth", '`--constraint` must be texts like "positive", '),
    (f"{OHM} --constraint 'increasing in volt'", "Did you mean 'voltage'?"),
    (f"{OHM} --constraint positive --constraint negative", "such that all can hold"),
    (f"{OHM} --dimensions 'voltage: V'", "`--dimensions` must be given for every colu"),
    (f"{OHM} --dimensions 'volt: V'", "Did you mean 'voltage'?"),
    (f"{OHM} --constants c", "Give the units of the columns by `--dimensions`, too."),
    (f"{OHM} --guess no.json", "model files that are there; got 'no.json'. Check"),
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
        "`--depth` must be an integer of at least 2 and at most 50; got 1.",
    ),
    (f"{OHM} --select v_int_z", "`--select` must be one of 'information', 'v_int_s'"),
    (f"{OHM} --select v_int_ex", "Give labelled far points by `--extrapolation`, or"),
    (f"{OHM} --time soon", '`--time` must be seconds, or a text like "90s" or "5min'),
    (f"{OHM} --time -5", '`--time` must be seconds, or a text like "90s" or "5min'),
    (f"{OHM} --time 0", "`--time` must be above 0 seconds, or None; got 0.0."),
    (f"{OHM} --seed one", "`--seed` must be a whole number from 0 to 4,294,967,295; "),
    (f"{OHM} --seed -1", "; got '-1'. See eqlearn fit --help."),
    (f"{OHM} --jobs 0", "`--jobs` must be a number of processes, or -1 for every core"),
    (f"{OHM} --jobs many", "`--jobs` must be a whole number from -1 to 1,024; got"),
    (f"{OHM} --scheduler nobody", "must be the address of a running Dask scheduler"),
    (f"{OHM} --scheduler tcp://127.0.0.1:1", "`--scheduler` must be the address of a"),
    ("fit ohm.csv --target current --out in.csv", "`--out` must be a place to write"),
    (f"{SAME} --target voltage", "`--target` must be current as before; got 'volt"),
    (
        f"{SAME} --target current --inputs voltage",
        "`--inputs` must be voltage, resistance as before; got 'voltage' for the run in"
        " ohm-run. Name another directory by `--out`. To replace that run, give `--ov",
    ),
    (
        f"{SAME} --target current --seed 1",
        "`--seed` must be 0 as before; got 1 for the run in ohm-run. Choose another "
        "directory, or the settings and data of this run. To replace that run, give `-",
    ),
]


@pytest.mark.parametrize(("line", "said"), MISTAKES, ids=[line for line, _ in MISTAKES])
def test_a_mistake_gets_one_line_and_leaves_nothing(
    line: str, said: str, here: Path, command: Command
) -> None:
    check_mistake(line, said, here, command)


# All that a command line can name: no shell passes a NUL on.
REFUSED = [case for case in TEXT + BINARY if case.refused and "\0" not in case.file]
#: Truth values are 1 and 0 here; the table is too short then.
READ_HERE = {"true"}


@pytest.mark.parametrize(
    "case",
    [case for case in REFUSED if case.only is None and case.name not in READ_HERE],
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


def test_the_same_command_goes_on(
    here: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = json.loads(command("show ohm-run --json").out)
    again: list[object] = []
    monkeypatch.setattr("eqlearn.jobs.serial.computed", again.append)
    # The default directory is the one that the fixture has named.
    code, out, err = command("fit ohm.csv --target current --jobs 1 --json --quiet")
    assert (code, err, again) == (0, "", [])
    after = json.loads(out)
    assert after.pop("seconds") == pytest.approx(before.pop("seconds"), abs=0.5)
    assert after == before


def test_a_second_command_is_never_refused(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    a, b = np.random.default_rng(0).uniform(1, 3, (2, 60))
    write_csv(tmp_path / "ohm.csv", a=a, b=b, y=a / b, z=a * b)
    fit = "fit ohm.csv --jobs 1 --json --quiet --exclude"

    def run_of(line: str) -> str:
        code, out, err = command(line)
        assert (code, err) == (0, "")
        return str(json.loads(out)["run"])

    first, second = f"{fit} z --target y", f"{fit} y --target z"
    assert run_of(first) == "ohm-run"
    assert run_of(second) == "ohm-run-2"
    assert run_of(f"{first} --seed 1") == "ohm-run-3"
    assert [run_of(first), run_of(second)] == ["ohm-run", "ohm-run-2"]  # they go on
    assert run_of(f"{second} --overwrite") == "ohm-run"
    assert open_run(tmp_path / "ohm-run").targets == ("z",)
    assert run_of(second) == "ohm-run"


def test_where_a_further_run_goes_is_said(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    a, b = np.random.default_rng(0).uniform(1, 3, (2, 60))
    write_csv(tmp_path / "ohm.csv", a=a, b=b, y=a / b)
    assert command("fit ohm.csv --target y --jobs 1").err.count("Note") == 0
    code, out, err = command("fit ohm.csv --target y --jobs 1 --seed 1")
    assert "Note: other runs of this table are kept; this one is in ohm-run-2" in err
    assert out.endswith("Report: ohm-run-2/report.html\n")


def test_overwriting_leaves_other_files_alone(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    a = np.random.default_rng(0).uniform(1, 3, 60)
    write_csv(tmp_path / "line.csv", a=a, y=2 * a)
    line = "fit line.csv --target y --jobs 1 --quiet --out mine"
    assert command(line).code == 0
    (tmp_path / "mine" / "notes.txt").write_text("keep me", "utf-8")
    assert command(f"{line} --seed 1 --overwrite").code == 0
    assert (tmp_path / "mine" / "notes.txt").exists()
    assert open_run(tmp_path / "mine").parameters["random_state"] == 1


def test_columns_are_left_out_and_rows_with_gaps(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    rows = [f"{i},{a},{2 * a},note {i}" for i, a in enumerate(rng.uniform(1, 3, 40))]
    rows[3], rows[7] = "3,NA,2.5,x", "7,1.5,,y"
    table = "\n".join(["id,a,y,note", *rows])
    (tmp_path / "gaps.csv").write_text(table, encoding="utf-8")
    line = "fit gaps.csv --target y --exclude id,note --drop-missing --jobs 1"
    code, out, err = command(line)
    assert code == 0
    assert out.startswith("y = 2*a\n")
    assert "Note: `gaps.csv`: 2 of 40 rows have gaps and are left out" in err
    assert open_run(tmp_path / "gaps-run").n_rows == 38
    report = (tmp_path / "gaps-run" / "report.md").read_text("utf-8")
    assert "2 of 40 rows have gaps and are left out" in report


def test_words_and_truth_values_are_inputs(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    x, kind = rng.uniform(1, 3, 90), rng.choice(["oak", "pine"], 90)
    is_wet = rng.choice([True, False], 90)
    y = x * (1 + 2 * (kind == "pine")) + 0.5 * is_wet
    cells = zip(x, kind, is_wet, y, strict=True)
    rows = [",".join(map(str, row)) for row in cells]
    table = "\n".join(["x,kind,wet,y", *rows])
    (tmp_path / "wood.csv").write_text(table, encoding="utf-8")
    code, out, err = command("fit wood.csv --target y --jobs 1 --json")
    assert code == 0
    assert "column `kind` has words; it becomes input `kind=pine`, which is 1" in err
    found = json.loads(out)
    assert found["names"] == {
        **{"x": "x", "wet": "wet", "y": "y"},
        "kind=pine": "kind_pine",
    }
    assert "kind_pine" in found["expressions"]["y"]
    assert found["validation_rms"]["y"] < 1e-9

    new = "note,kind,x,wet\nsome,pine,2,no\nmore,oak,2,yes\nhm,elm,1,no\n"
    (tmp_path / "new.csv").write_text(new, encoding="utf-8")
    code, out, err = command("predict wood-run new.csv")
    assert code == 0
    header, first, second, third = out.splitlines()
    assert header == "note,kind,x,wet,y_predicted"
    assert float(first.rpartition(",")[2]) == pytest.approx(6.0)
    assert float(second.rpartition(",")[2]) == pytest.approx(2.5)
    assert third == "hm,elm,1,no,nan"
    assert "words that were not learned from, such as 'elm': no prediction" in err


def test_a_guess_is_fitted_and_told(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    x, z = np.random.default_rng(0).uniform(0.5, 3, (2, 150))
    write_csv(tmp_path / "t.csv", x=x, z=z, y=np.tanh(x * z - 1) + np.log(x + z**2))
    guess = "tanh(a*x*z - b) + log(c*x + z^2)"
    line = ["fit", "t.csv", "--target", "y", "--jobs", "1", "--time", "20s", "--json"]
    code, out, _ = command(*line, "--guess", guess)
    assert code == 0
    assert json.loads(out)["validation_rms"]["y"] < 1e-9
    report = (tmp_path / "t-run" / "report.md").read_text("utf-8")
    assert guess in report
    code, out, _ = command(*line, "--guess", "t-run", "--seed", "1")
    assert json.loads(out)["run"] == "t-run-2"
    assert json.loads(out)["validation_rms"]["y"] < 1e-9


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
    arguments += ["--weights", "w", "--extrapolation", "far.csv"]
    arguments += ["--domain", "a=0.5:9,b,c=1:8"]
    arguments += ["--functions", "multiply", "--select", "v_int_ex", "--time", "5m"]
    arguments += ["--seed", "3", "--jobs", "1", "--out", "deep/run", "--json"]
    code, out, err = command("fit", *arguments)
    assert code == 0
    assert err.startswith("u = ")  # the summary, out of the way of the one line
    found = json.loads(out)
    assert found["equations"] == {"u": "a*b,c", "v, w": "a/b,c"}
    assert found["run"] == "deep/run"
    model = open_run(tmp_path / "deep" / "run")
    assert model.domain == ((0.5, 9.0), (1.0, 8.0))
    assert model.parameters["selection"] == "v_int_ex"
    assert model.chosen[0].scores["extrapolation_error"] < 1e-9
    assert model.origin.table == "two.csv"
    assert "two.csv" in (tmp_path / "deep/run/report.md").read_text(encoding="utf-8")


def test_a_fit_examines_the_domain_once(
    here: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    examined: list[object] = []

    def counted(*arguments: Any) -> Any:
        examined.append(arguments)
        return domain_report(*arguments)

    monkeypatch.setattr("eqlearn.report.findings.domain_report", counted)
    assert command("fit ohm.csv --target current --jobs 1 --json --quiet").code == 0
    assert len(examined) == 1


def test_nothing_found_is_an_exit_code(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    five, zero = np.full(20, 5.0), np.zeros(20)
    write_csv(tmp_path / "flat.csv", x=np.arange(20.0), k=zero, y=five)
    code, out, err = command("fit flat.csv --target y --jobs 1")
    assert code == output.NOTHING_FOUND
    assert "No equation was found." in out
    assert "Note: `flat.csv`: target `y` is constant" in err
    assert "Note: `flat.csv`: input `k` is constant" in err


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


def test_eight_planets_are_rows_enough(command: Command, tmp_path: Path) -> None:
    a = np.array([0.387, 0.723, 1.0, 1.524, 5.203, 9.537, 19.19, 30.07])
    years = [0.2408, 0.6152, 1.0, 1.881, 11.862, 29.457, 84.01, 164.79]
    write_csv(tmp_path / "planets.csv", a=a, T=np.array(years))
    table, run = str(tmp_path / "planets.csv"), str(tmp_path / "run")
    said = command("fit", table, "--target", "T", "--out", run, "--jobs", "1", "--json")
    found = json.loads(said.out)
    assert "a**(3/2)" in found["equations"]["T"]
    assert found["verdict"]["T"] == "plausible"


def test_an_interrupt_keeps_the_best_so_far(
    noisy: list[str], tmp_path: Path, command: Command
) -> None:
    process = in_process(*noisy, "--json")
    wait_for_search(tmp_path / "run", process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == output.INTERRUPTED
    (line,) = err.splitlines()
    assert line.startswith(
        "Interrupted; this is the best so far. The same command goes"
    )
    found = json.loads(out)
    assert "y" in found["equations"]
    assert (tmp_path / "run" / "report.html").exists()

    # The time that was worked before counts: nothing but the end is left to do.
    resumed = command(*noisy, "--json", "--time", f"{found['seconds'] + 0.5:.1f}s")
    assert resumed.code in (output.FOUND, output.NOTHING_FOUND)
    assert json.loads(resumed.out)["seconds"] > found["seconds"]


def test_a_second_interrupt_ends_at_once(noisy: list[str], tmp_path: Path) -> None:
    process = in_process(*noisy)
    wait_for_search(tmp_path / "run", process)
    with within(5):
        # More than twice if it is busy: of two that it has not yet seen, one is lost.
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
            time.sleep(0.3)
    out, err = process.communicate()
    # One that comes when Python is about to end, ends it.
    assert process.returncode in (output.INTERRUPTED, -signal.SIGINT)
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

    monkeypatch.setattr("eqlearn.fit_table.fit_table", interrupt)
    monkeypatch.setattr(os, "_exit", leave)
    line = "Interrupted. Nothing was begun.\n"
    assert command("fit none.csv --target y") == (output.INTERRUPTED, "", line)
