"""R-31: where warnings are errors, and where assertions and docstrings are left out."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import numpy as np
from eqlearn import EquationLearner
rng = np.random.default_rng(0)
x = rng.uniform(1, 2, (60, 2))
y = 3 * x[:, 0] / x[:, 1] + 0.01 * rng.normal(size=60)
learner = EquationLearner(n_jobs=1, max_attempts=16).fit(x, y)
assert learner.found_[0].failures == ()
if learner.found_[0].failures:
    raise SystemExit(str(learner.found_[0].failures))
learner.sympy(), learner.latex(), learner.c(), learner.python(), learner.equations_
learner.constants_, learner.domain_report_
learner.save("model.json")
print(EquationLearner.load("model.json").equation_)
"""
OPTIONS = (["-W", "error"], ["-OO"], ["-OO", "-W", "error"])


@pytest.mark.parametrize("options", OPTIONS)
def test_the_library_works(options: list[str], tmp_path: Path) -> None:
    command = [sys.executable, *options, "-c", PROGRAM]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("y = ") and "x1" in ran.stdout


def test_the_commands_work(tmp_path: Path) -> None:
    rows = [f"{1 + i / 40},{3 / (1 + i / 40)}" for i in range(40)]
    (tmp_path / "data.csv").write_text("\n".join(["x,y", *rows]))
    for line in (
        "fit data.csv --target y --jobs 1 --quiet",
        "show data-run",
        "predict data-run data.csv",
        "report data-run",
        "export data-run --to c",
    ):
        command = [sys.executable, *OPTIONS[-1], "-m", "eqlearn", *line.split()]
        ran = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
        assert (ran.returncode, ran.stderr) == (0, "")
