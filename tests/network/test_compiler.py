"""R-20: where nothing can be written but the results, everything works."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import eqlearn

#: Root is let write anywhere, unless it gives up that power.
POWERLESS = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")


@pytest.fixture(scope="module")
def run() -> Iterator[Callable[..., str]]:
    """A command with a package and a home that are read-only; what it printed."""
    is_root = os.getuid() == 0
    if is_root and not shutil.which("setpriv"):
        pytest.skip("root can write anywhere")
    root = Path(tempfile.mkdtemp(prefix="container-"))
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(eqlearn.__file__).parent, root / "eqlearn", ignore=ignored)
    for name in ("home", "work"):
        (root / name).mkdir()
    x = np.linspace(1, 5, 40)
    rows = np.stack([x, 3 / x], axis=1)
    np.savetxt(root / "data.csv", rows, delimiter=",", header="x,y", comments="")
    closed = [root / "home", root / "eqlearn", *(root / "eqlearn").rglob("*/")]
    for folder in closed:
        folder.chmod(0o555)

    def ran(*arguments: str) -> str:
        environment = {
            "PYTHONPATH": str(root),
            "HOME": str(root / "home"),
            "PATH": os.environ["PATH"],
        }
        done = subprocess.run(
            [*POWERLESS * is_root, sys.executable, "-P", "-m", "eqlearn", *arguments],
            cwd=root / "work",
            env=environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    yield ran
    for folder in closed:
        folder.chmod(0o755)
    shutil.rmtree(root)


def test_all_commands_work_where_nothing_else_can_be_written(
    run: Callable[..., str],
) -> None:
    said = run("fit", "../data.csv", "--target", "y", "--out", "run", "--jobs", "2")
    assert "y = 3/x" in said
    assert said.count("Compiled code cannot be kept") == 1
    for command in (["show", "run"], ["predict", "run", "../data.csv"]):
        assert "cannot be kept" not in run(*command)
    assert "double" in run("export", "run", "--to", "c")
    assert "Matplotlib" not in said + run("report", "run")
