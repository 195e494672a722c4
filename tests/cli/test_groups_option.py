"""`--groups` and `--group` on the command line."""

import json
import math
from pathlib import Path

import pytest
from command_lines import Command, check_mistake

from eqlearn.groups import group_search

SUBJECTS = ("ann", "bob", "eve")
TIMES = (0.0, 1.0, 2.0, 3.0, 5.0, 8.0, 12.0)
AMOUNTS = {"ann": 5.0, "bob": 8.0, "eve": 12.0}


def write_kinetics(path: Path, gap: bool = False) -> None:
    lines = ["subject,t,y,row"]
    for name in SUBJECTS:
        for t in TIMES:
            y = AMOUNTS[name] * math.exp(-0.25 * t)
            lines.append(f"{name},{t},{y!r},{len(lines)}")
    if gap:
        lines[3] = ",2.0,3.0,3"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


OPTIONS = "--target y --groups subject --exclude row --jobs 1 --quiet"


@pytest.fixture(autouse=True)
def curves_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forms come from usual curves: searches are tested elsewhere."""
    monkeypatch.setattr(group_search, "views", lambda *rows: iter(()))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(here: Path, command: Command) -> Path:
    write_kinetics(here / "kin.csv")
    assert command(f"fit kin.csv {OPTIONS}").code == 0
    return here / "kin-run"


def test_groups_from_the_first_command_to_the_last(
    run: Path, here: Path, command: Command
) -> None:
    shown = command("show kin-run").out
    assert "y = a*exp(-t/4)" in shown
    assert "subject  rows  a" in shown and "bob      7" in shown
    told = json.loads(command("show kin-run --json").out)
    assert [row["subject"] for row in told["groups"]] == list(SUBJECTS)
    assert told["groups"][1]["a"] == pytest.approx(8.0)
    assert "y = 8*exp(-t/4)" in command("show kin-run --group bob").out
    exported = command("export kin-run --to python").out
    assert "# eve: a = 1" in exported
    alone = command("export kin-run --to python --group eve").out
    assert "eve" not in alone and "def predict" in alone
    predicted = command("predict kin-run kin.csv").out.splitlines()
    assert predicted[0] == "subject,t,y,row,y_predicted"
    cells = predicted[-1].split(",")
    assert float(cells[-1]) == pytest.approx(float(cells[2]), abs=1e-6)
    report = (run / "report.html").read_text(encoding="utf-8")
    assert "Constants by subject" in report
    markdown = (run / "report.md").read_text(encoding="utf-8")
    assert "### Constants by subject" in markdown
    # The same command goes on; one without groups is another run.
    assert command(f"fit kin.csv {OPTIONS}").code == 0
    assert not (here / "kin-run-2").exists()
    plain = OPTIONS.replace("--groups subject", "--inputs t").replace(
        "--exclude row", "--functions multiply"
    )
    assert command(f"fit kin.csv {plain}").code in (0, 1)
    assert (here / "kin-run-2").exists()


def test_rows_without_a_group_are_left_out_on_request(
    here: Path, command: Command
) -> None:
    write_kinetics(here / "gaps.csv", gap=True)
    found = command(f"fit gaps.csv {OPTIONS}")
    assert found.code == 2 and "give `--drop-missing`" in found.err
    assert command(f"fit gaps.csv {OPTIONS} --drop-missing").code == 0
    assert "ann      6" in command("show gaps-run").out


MISTAKES = [
    ("fit kin.csv --target y --groups subjet", "Did you mean 'subject'?"),
    ("fit kin.csv --target y --groups y", "a column that nothing else names; got 'y'"),
    (
        "fit kin.csv --target y --groups t --inputs t",
        "that nothing else names; got 't'",
    ),
    (
        "fit kin.csv --target y --groups row --exclude subject",
        "groups of several rows each; got '21 gr",
    ),
    (
        "fit kin.csv --target y --groups subject --recipe paper",
        "`--recipe` must be fast where there are groups; got 'paper'",
    ),
    (
        "fit kin.csv --target y --groups subject --extrapolation kin.csv",
        "`--extrapolation` must be left out where there are groups",
    ),
]


@pytest.mark.parametrize(("line", "said"), MISTAKES)
def test_a_mistake_gets_one_line(
    line: str, said: str, here: Path, command: Command
) -> None:
    write_kinetics(here / "kin.csv")
    check_mistake(line, said, here, command)


def test_mistakes_with_a_run(run: Path, here: Path, command: Command) -> None:
    (here / "new.csv").write_text("subject,t\nzoe,1\n", encoding="utf-8")
    (here / "no.csv").write_text("t\n1\n", encoding="utf-8")
    said = "A new group needs its own a: give some rows of it to add_group."
    check_mistake("predict kin-run new.csv", said, here, command)
    check_mistake("predict kin-run no.csv", "subject", here, command)
    check_mistake("show kin-run --group zoe", "got 'zoe'", here, command)
    check_mistake(
        "export kin-run --to c --group bo", "Did you mean 'bob'", here, command
    )
    assert run.is_dir()


def test_arrangements_on_the_command_line(
    run: Path, here: Path, command: Command
) -> None:
    assert command("show kin-run --arranged expanded").out == "y = a*exp(-t/4)\n"
    exported = command("export kin-run --to sympy --arranged factored").out
    assert exported.startswith("a*exp(-")
    said = "`--arranged` must be one of 'expanded', 'factored', 'fraction', 'split'"
    check_mistake("show kin-run --arranged nice", said, here, command)
    said = "`--to` must be sympy, latex, mathml for an arrangement; got 'c'"
    check_mistake("export kin-run --to c --arranged split", said, here, command)
    assert run.is_dir()


def test_runs_by_groups_are_not_compared(
    run: Path, here: Path, command: Command
) -> None:
    said = "must be learned without groups, to be compared; got 'kin-run'"
    check_mistake("compare kin-run kin-run", said, here, command)
    assert run.is_dir()
