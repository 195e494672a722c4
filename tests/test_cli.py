import sys
from types import ModuleType

import pytest

import eqlearn
from eqlearn.cli import main
from eqlearn.errors import must


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert isinstance(stop.value.code, int)
    return stop.value.code


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--version") == 0
    assert capsys.readouterr().out == f"eqlearn {eqlearn.__version__}\n"


def test_help_lists_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--help") == 0
    assert "demo" in capsys.readouterr().out


def test_unknown_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("dmeo") == 2
    assert "dmeo" in capsys.readouterr().err


def test_an_error_of_the_library_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise must("n_layers", "at least 2", 1)

    stand_in = ModuleType("eqlearn.demo")
    monkeypatch.setattr(stand_in, "run", refuse, raising=False)
    monkeypatch.setitem(sys.modules, "eqlearn.demo", stand_in)

    assert run("demo") == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == "Error: `n_layers` must be at least 2; got 1.\n"
