"""`fit` with what is known: constraints and dimensions, from options to reports."""

from pathlib import Path

import numpy as np
import pytest
from command_lines import Command, write_csv


def test_a_constraint_is_proved_and_told(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    x = np.random.default_rng(0).uniform(0.5, 3, 60)
    write_csv(tmp_path / "t.csv", x=x, y=2 * x + 1)
    line = ("fit", "t.csv", "--target", "y", "--jobs", "1", "--constraint")
    code, out, _ = command(*line, "increasing in x", "--constraint", "y >= 1")
    assert code == 0
    assert "“increasing in x”: proved." in " ".join(out.split())
    for name in ("report.md", "report.html"):
        assert "increasing in x" in (tmp_path / "t-run" / name).read_text()


def test_dimensions_are_told(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    t = np.random.default_rng(0).uniform(0.5, 3, 60)
    write_csv(tmp_path / "fall.csv", **{"t [s]": t, "s": 4.903325 * t**2})
    line = ("fit", "fall.csv", "--target", "s", "--jobs", "1", "--constants", "g")
    code, out, _ = command(*line, "--dimensions", "s: m")
    assert code == 0
    assert "m/s^2 = g/2" in out
    assert "m/s^2 = g/2" in (tmp_path / "fall-run" / "report.html").read_text()
    assert "s: m" in (tmp_path / "fall-run" / "report.md").read_text()
