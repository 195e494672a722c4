"""`dynamics`: what it prints and leaves, and what mistakes get."""

import json
from pathlib import Path

import numpy as np
import pytest
from command_lines import Command, check_mistake, write_csv

from eqlearn.run_directory import open_run, report_run

T = np.linspace(0.0, 6.0, 90)


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Decay towards an input, in one log of two trajectories, with a gap."""
    rng = np.random.default_rng(0)
    x = np.concatenate([3 * np.exp(-0.5 * T), -2 * np.exp(-0.5 * T)])
    x += 0.01 * rng.normal(size=len(x))
    run = np.repeat([1.0, 2.0], len(T))
    write_csv(tmp_path / "log.csv", time=np.tile(T, 2), run=run, level=x)
    text = (tmp_path / "log.csv").read_text("utf-8").split("\n")
    text[40] = ",".join([*text[40].split(",")[:2], ""])
    (tmp_path / "gaps.csv").write_text("\n".join(text), "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


LINE = "dynamics {} --time time --states level --trajectory run --limit 60s"


def test_a_log_becomes_an_equation_and_a_report(logs: Path, command: Command) -> None:
    code, out, _ = command(f"{LINE.format('log.csv')} --json --quiet")
    assert code == 0
    result = json.loads(out)
    assert result["equations"] == {"dlevel/dt": "-level/2"}
    assert result["verdict"] == {"dlevel/dt": "trusted"}
    page = (logs / "log-run" / "report.html").read_text("utf-8")
    # The equation and its verdict come first.
    assert page.index(">trusted<") < page.index("Motion, measured and simulated")
    assert (logs / "log-run" / "portrait.png").exists()
    assert open_run(logs / "log-run").targets == ("dlevel/dt",)
    before = page.count("<figure>")
    report_run(logs / "log-run")
    page = (logs / "log-run" / "report.html").read_text("utf-8")
    assert page.count("<figure>") == before


def test_gaps_are_left_out_and_told(logs: Path, command: Command) -> None:
    code, out, err = command(LINE.format("gaps.csv"))
    assert code == 0
    assert out.startswith("dlevel/dt = -level/2")
    assert "1 row with gaps left out" in err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("dynamics", "Missing argument 'LOG...'"),
        ("dynamics log.csv", "Missing option '--time'"),
        ("dynamics log.csv --time t --states level", "`--time` must be one of 'time',"),
        (
            "dynamics log.csv --time time --states levl --trajectory run",
            "Did you mean 'level'?",
        ),
        (
            "dynamics log.csv --time time --states level",
            "must have each time once; got 0 twice. Name the column of traj",
        ),
        (f"{LINE.format('log.csv')} --known level", "must be STATE=RATE"),
        (f"{LINE.format('log.csv')} --known level=x", "`--known` must be one of"),
        (f"{LINE.format('log.csv')} --limit soon", "`--limit` must be seconds"),
        (
            "dynamics log.csv --time time --states time --trajectory run",
            "`--states` must be columns other than time and inputs",
        ),
        (
            "dynamics log.csv --time time --states level --trajectory who",
            "`--trajectory` must be one of 'time', 'run', ",
        ),
    ],
)
def test_a_mistake_gets_one_line(
    logs: Path, command: Command, line: str, said: str
) -> None:
    check_mistake(line, said, logs, command)
