from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from eqlearn.control import swingup
from eqlearn.control.logs import read, write
from eqlearn.control.rollouts import Trajectory, collect, trajectory
from eqlearn.errors import EqlearnError


def swinging(n_steps: int) -> Trajectory:
    return collect(gymnasium.make(swingup.ENV_ID), 1, n_steps, seed=3)[0]


@pytest.mark.parametrize("ending", ["csv", "npz"])
def test_files_give_back_what_was_written(ending: str, tmp_path: Path) -> None:
    run = swinging(30)
    write(tmp_path / f"run.{ending}", run)
    found = read(tmp_path / f"run.{ending}")
    np.testing.assert_array_equal(found.states, run.states)
    np.testing.assert_array_equal(found.actions, run.actions)
    np.testing.assert_array_equal(found.rewards, run.rewards)
    assert found.dt == pytest.approx(run.dt, rel=1e-12)
    assert found.state_names == run.state_names
    assert found.action_names == run.action_names


@pytest.mark.parametrize("ending", ["csv", "npz"])
def test_a_link_in_the_place_of_a_log_is_replaced(ending: str, tmp_path: Path) -> None:
    """R-29: who plants one does not choose what is overwritten."""
    (tmp_path / "victim").write_text("kept")
    path = tmp_path / f"run.{ending}"
    path.symlink_to(tmp_path / "victim")
    write(path, swinging(5))
    assert (tmp_path / "victim").read_text() == "kept" and not path.is_symlink()
    assert len(read(path).states) == 6


def test_unknown_rewards_are_not_written(tmp_path: Path) -> None:
    write(tmp_path / "run.csv", trajectory(np.eye(3), np.ones((2, 1)), 0.5))
    header = (tmp_path / "run.csv").read_text().splitlines()[0]
    assert header == "time,state:s0,state:s1,state:s2,action:a0"
    assert np.isnan(read(tmp_path / "run.csv").rewards).all()


def log(folder: Path, text: str) -> Path:
    path = folder / "log.csv"
    path.write_text(text)
    return path


LOG = "t,angle,note,speed,motor\n0.5,1,2,3,9\n0.6,4,5,6,8\n0.7,7,8,9,7\n"


def test_any_log_is_read_by_the_names_of_its_columns(tmp_path: Path) -> None:
    path = log(tmp_path, LOG)
    run = read(path, states=["speed", "angle"], actions=["motor"], time="t")
    np.testing.assert_array_equal(run.states, [[3, 1], [6, 4], [9, 7]])
    np.testing.assert_array_equal(run.actions, [[9], [8]])
    assert run.dt == pytest.approx(0.1)
    assert run.state_names == ("speed", "angle")
    untimed = read(path, states=["speed"], actions=["motor"], dt=2.0)
    assert untimed.dt == 2.0


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (LOG, {"states": ["angel"], "actions": ["motor"], "dt": 1}, "mean 'angle'"),
        (LOG, {"time": "t"}, "`states` must be names of columns"),
        (LOG, {"states": ["angle"], "time": "t"}, "`actions` must be names of columns"),
        (LOG, {"states": ["angle"], "actions": ["motor"]}, "'time'"),
        (LOG.replace("0.7", "0.9"), {}, "`time` must be evenly spaced; got .* row 1 "),
        (LOG.replace("0.7", "0.5"), {}, "`time` must be evenly spaced"),
        (LOG.replace("0.6", "x"), {}, "must hold a finite number in every cell"),
        (LOG[:37], {}, "`time` must be a column of at least two times"),
    ],
)
def test_a_log_that_cannot_be_read_gets_one_line(
    text: str, options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    options = options or {"states": ["angle"], "actions": ["motor"], "time": "t"}
    with pytest.raises(EqlearnError, match=message) as caught:
        read(log(tmp_path, text), **options)
    assert "\n" not in str(caught.value)


def test_a_place_that_cannot_be_written_gets_one_line(tmp_path: Path) -> None:
    run = trajectory(np.zeros((3, 1)), np.zeros((2, 1)), 0.1)
    with pytest.raises(EqlearnError, match="`path` must be one of '.csv', '.npz'"):
        write(tmp_path / "run.xls", run)
    with pytest.raises(EqlearnError, match="`path` must be a file that can be writt"):
        write(tmp_path / "nowhere" / "run.csv", run)
