"""Without an extra, whatever needs it says in one line how to install it."""

import shutil
import sys
from pathlib import Path

import pytest
from command_lines import Command

from eqlearn import EqlearnError, EquationLearner

#: What is missing, the command that needs it, and the extra that has it.
NEEDS = [
    ("pyarrow", "fit table.parquet --target y", "eqlearn[parquet]"),
    ("pyarrow", "fit table.feather --target y", "eqlearn[parquet]"),
    ("pyarrow", "predict ohm-run in.csv -o out.parquet", "eqlearn[parquet]"),
    ("openpyxl", "fit table.xlsx --target y", "eqlearn[excel]"),
    ("gymnasium", "control eqlearn/CartPoleSwingUp-v0", "eqlearn[control]"),
    ("gymnasium", "reproduce control --quick", "eqlearn[control]"),
]
#: By which formats are told.
BEGINNINGS = {"parquet": b"PAR1", "feather": b"ARROW1", "xlsx": b"PK\3\4"}


@pytest.mark.parametrize(("package", "line", "extra"), NEEDS)
def test_what_is_missing_is_named_in_one_line(
    package: str,
    line: str,
    extra: str,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: Command,
) -> None:
    _leave_out(package, monkeypatch)
    monkeypatch.chdir(tmp_path)
    shutil.copytree(folder / "ohm-run", tmp_path / "ohm-run")
    shutil.copy(folder / "in.csv", tmp_path)
    for ending, first in BEGINNINGS.items():
        (tmp_path / f"table.{ending}").write_bytes(first + b"\0" * 60)
    code, out, err = command(line)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert f'pip install "{extra}"' in err


def test_without_pytorch_its_export_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _leave_out("torch", monkeypatch)
    learner = EquationLearner.load(folder / "ohm-run" / "model.json")
    with pytest.raises(EqlearnError, match=r'Run pip install "eqlearn\[torch\]"'):
        learner.pytorch()


def _leave_out(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a package missing, also for modules of ours that have it already."""
    for name in list(sys.modules):
        if name.split(".")[0] == package:
            monkeypatch.setitem(sys.modules, name, None)
        if name.startswith(("eqlearn.control.swingup", "eqlearn.reproduce.section5")):
            monkeypatch.delitem(sys.modules, name)
            # `from room import module` asks the room before it looks for a file.
            room, _, module = name.rpartition(".")
            monkeypatch.delattr(f"{room}.{module}", raising=False)
    monkeypatch.setitem(sys.modules, package, None)
