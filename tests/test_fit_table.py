"""From a table to a run directory, without a command line."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_lines import write_csv

from eqlearn.data.choose import ChosenColumns
from eqlearn.errors import EqlearnError
from eqlearn.fit_table import fit_table
from eqlearn.learners.table_learner import TableLearner
from eqlearn.run_directory import WrittenRun, open_run


@pytest.fixture
def table(tmp_path: Path) -> str:
    a, b = np.random.default_rng(0).uniform(1, 3, (2, 60))
    weights = {"w": np.r_[np.zeros(5), np.ones(55)], "bad": np.full(60, -1.0)}
    wrong = np.r_[np.full(5, 99.0), (a / b)[5:]]
    write_csv(tmp_path / "ohm.csv", a=a, b=b, y=wrong, z=a * b, **weights)
    return str(tmp_path / "ohm.csv")


def fitted(table: str, run_dir: Path, **changes: Any) -> WrittenRun:
    options = {"inputs": ["a", "b"], "weights": "w", "jobs": 1, **changes}
    return fit_table(table, ["y"], run_dir, **options)


def test_a_run_has_what_was_learned_and_from_what(table: str, tmp_path: Path) -> None:
    told: list[str] = []
    run = fitted(table, tmp_path / "run", domain={" a": (0.5, 9.0)}, tell=told.append)
    assert run.model.chosen[0].formula == "y = a/b"
    assert run.model.n_rows == 55  # those of no weight say nothing
    assert run.model.domain[0] == (0.5, 9.0)
    assert run.model.origin.table == table
    assert len(run.model.origin.sha256 or "") == 64
    assert [one.target for one in run.findings] == ["y"]
    assert open_run(tmp_path / "run").equations == run.model.equations
    assert told == []


def test_a_small_table_needs_no_library_that_takes_long_to_load(
    table: str, tmp_path: Path
) -> None:
    lines = f"""
import sys
from pathlib import Path
from eqlearn.fit_table import fit_table
fit_table({table!r}, ["z"], Path({str(tmp_path / "run")!r}), inputs=["a", "b"], jobs=1)
print([n for n in ("sklearn", "pandas", "scipy.stats", "jax") if n in sys.modules])
"""
    ended = subprocess.run(
        [sys.executable, "-c", lines], capture_output=True, check=True, text=True
    )
    assert ended.stdout == "[]\n"


@pytest.mark.parametrize("wrong", [np.inf, np.nan])
def test_far_points_are_finite(wrong: float) -> None:
    rows = np.random.default_rng(0).uniform(1, 2, (9, 2))
    near = ChosenColumns(rows, rows[:, :1], ("a", "b"), ("y",), ())
    far = replace(near, y=np.full((9, 1), wrong))
    with pytest.raises(EqlearnError, match="`extrapolation` must be far points of fin"):
        TableLearner().learned(near, far=far)


def test_weights_of_nothing_are_refused() -> None:
    near = ChosenColumns(np.ones((9, 1)), np.ones((9, 1)), ("a",), ("y",), ())
    with pytest.raises(EqlearnError, match="`sample_weight` must be above 0 in some"):
        TableLearner().learned(near, np.zeros(9))


def test_a_run_that_has_finished_says_so(table: str, tmp_path: Path) -> None:
    told: list[str] = []
    first = fitted(table, tmp_path / "run", tell=told.append)
    assert told == []
    again = fitted(table, tmp_path / "run", tell=told.append)
    assert told == [f"the run in {tmp_path / 'run'} had finished: " + _AGAIN]
    assert again.model.equations == first.model.equations
    # One that is begun anew has nothing to say of the one before.
    told.clear()
    fitted(table, tmp_path / "run", overwrite=True, tell=told.append)
    assert told == []


_AGAIN = "this is its result again"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"weights": "ww"}, "must be one of .* got 'ww'"),
        ({"weights": "bad"}, "`weight` must be finite and at least 0"),
        ({"inputs": ["c"]}, "must be one of .* got 'c'"),
        ({"domain": {"c": (0.0, 1.0)}}, "`domain` must be one of 'a', 'b'"),
        ({"functions": ["sine"]}, "`functions` must be one of"),
        ({"jobs": 0}, "`n_jobs` must be a number of processes"),
    ],
)
def test_the_library_speaks_of_parameters(
    changes: dict[str, Any], message: str, table: str, tmp_path: Path
) -> None:
    with pytest.raises(EqlearnError, match=message) as caught:
        fitted(table, tmp_path / "run", **changes)
    assert "--" not in str(caught.value)
    assert not (tmp_path / "run").exists()


def test_another_target_needs_another_directory(table: str, tmp_path: Path) -> None:
    fitted(table, tmp_path / "run", max_attempts=1)
    with pytest.raises(EqlearnError, match="`targets` must be y as before; got 'z'"):
        fit_table(table, ["z"], tmp_path / "run", inputs=["a", "b"])
    with pytest.raises(EqlearnError, match="`inputs` must be a, b as before; got"):
        fitted(table, tmp_path / "run", inputs=["a"])
