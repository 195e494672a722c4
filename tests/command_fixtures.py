"""Tables, runs and files that only look like some, for all commands."""

import shlex
from pathlib import Path

import numpy as np
import pytest
from command_lines import Command, Outcome, write_csv

from eqlearn.cli.main import main

ROBOT = """
import numpy as np
number = 3
def two(observation):
    return np.zeros((2, 2))
def wrong(observation):
    return observation[9]
"""


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


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables, a run of one of them, and files that only look like some."""
    folder = tmp_path_factory.mktemp("cli")
    rng = np.random.default_rng(0)
    a, b = rng.uniform(1, 3, (2, 60))
    write_csv(folder / "ohm.csv", voltage=a, resistance=b, current=a / b)
    write_csv(folder / "in.csv", resistance=b[:5], voltage=a[:5])
    write_csv(folder / "one.csv", voltage=a[:5])
    write_csv(folder / "few.csv", x=[1.0, 2.0], y=[1.0, 2.0])
    write_csv(folder / "huge.csv", x=a, y=1e300 * b)
    write_csv(folder / "alone.csv", y=a)
    write_csv(folder / "weighted.csv", a=a, y=2 * a, w=-b, zero=0 * b)
    people = "".join(f"person {chr(97 + i)},{i},{2 * i}\n" for i in range(25))
    (folder / "text.csv").write_text(f"who,x,y\n{people}", encoding="utf-8")
    (folder / "gaps.csv").write_text("x,y\n1,2\n,4\n" * 20, encoding="utf-8")
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
