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

NOBODY = 65534
AS_NOBODY = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")


@pytest.fixture(scope="module")
def run() -> Iterator[Callable[..., str]]:
    """A command with another user's package and no home; what it printed."""
    if os.getuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("only root can be another user")
    # Not among the temporary files of the tests, which only their owner may reach.
    root = Path(tempfile.mkdtemp(prefix="container-"))
    root.chmod(0o755)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(eqlearn.__file__).parent, root / "eqlearn", ignore=ignored)
    work = root / "work"
    work.mkdir()
    os.chown(work, NOBODY, NOBODY)
    x = np.linspace(1, 5, 40)
    rows = np.stack([x, 3 / x], axis=1)
    np.savetxt(root / "data.csv", rows, delimiter=",", header="x,y", comments="")

    def ran(*arguments: str) -> str:
        environment = {
            "PYTHONPATH": str(root),
            "HOME": "/nonexistent",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PATH": os.environ["PATH"],
        }
        done = subprocess.run(
            [*AS_NOBODY, sys.executable, "-P", "-m", "eqlearn", *arguments],
            cwd=work,
            env=environment,
            capture_output=True,
            text=True,
        )
        if done.stderr.startswith("setpriv:"):
            pytest.skip("another user cannot reach this Python")
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    yield ran
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
