"""Command lines to be run, in this process or in one of its own, and how they ended."""

import csv
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from patience import within


class Outcome(NamedTuple):
    """What a command line ended with."""

    code: int
    out: str
    err: str


Command = Callable[..., Outcome]


def write_csv(path: Path, **columns: Any) -> None:
    with open(path, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(columns)
        rows.writerows(np.column_stack(list(columns.values())).tolist())


def all_files(folder: Path) -> dict[str, int]:
    """When each file was written last; that of a run's own database is no matter."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(p): p.stat().st_mtime_ns for p in files if p.stem != "run"}


def check_mistake(line: str, said: str, here: Path, command: Command) -> None:
    """Check that a mistake gets one line and exit code 2, and leaves no file."""
    before = all_files(here)
    with within(10):
        code, out, err = command(line)
    assert (code, out) == (2, "")
    assert err.startswith("Error: ")
    assert said in err
    assert err.endswith("\n")
    assert err.rstrip("\n").isprintable()  # one line, and no control character
    assert len(err) < 500
    assert all_files(here) == before


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
