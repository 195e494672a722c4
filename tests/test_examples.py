"""The examples run, and do what they promise."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_the_pendulum_swings_up(capsys: pytest.CaptureFixture[str]) -> None:
    pendulum = load("pendulum")
    _, upright = pendulum.main()
    assert upright == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("d(theta)/dt = ")
    assert lines[1].startswith("d(theta_dot)/dt = ")
    assert lines[-1].endswith("upright for 100 % of the last 50 steps")
