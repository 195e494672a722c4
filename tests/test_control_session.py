"""`eqlearn control` with an environment that is nobody's but the user's."""

import sys
from collections.abc import Iterator
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from PIL import Image

from eqlearn.cli.main import main
from eqlearn.control import logs
from eqlearn.control_session import ControlRequest, prepared
from eqlearn.model.model import Origin
from eqlearn.run_directory import open_run

# A cart on a rail: ẍ = 2 a, and no friction.
ROBOT = """
import gymnasium
import numpy as np

class Cart(gymnasium.Env):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 10}
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,))
    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (2,), np.float64)

    def __init__(self, render_mode=None):
        self.render_mode = render_mode

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = self.np_random.uniform(-0.1, 0.1, 2)
        return self.state, {}

    def step(self, action):
        x, v = self.state
        self.state = np.array([x + 0.1 * v, v + 0.2 * float(action[0])])
        return self.state, -abs(x - 1), False, False, {}

    def render(self):
        picture = np.zeros((20, 40, 3), np.uint8)
        picture[:, int(np.clip(20 + 10 * self.state[0], 0, 39))] = 255
        return picture

class Blind(Cart):
    def render(self):
        raise ImportError("no paint")

for name, kind in (("Cart-v0", Cart), ("Blind-v0", Blind)):
    gymnasium.register(name, entry_point=kind)

def cost(states, actions):
    return (states[:, 0] - 1) ** 2 + 0.1 * states[:, 1] ** 2

def late(states, actions):
    return states[:, 7]

def flat(states, actions):
    return 0.0
"""

OPTIONS = "--rollout-steps 80 --states x,v --actions push --dt 0.1 --jobs 1 --quiet"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "my_robot.py").write_text(ROBOT, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.modules.pop("my_robot", None)
    for name in ("Cart-v0", "Blind-v0"):
        gymnasium.registry.pop(name, None)


def run(line: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        main(line.split())
    assert isinstance(stop.value.code, int)
    return stop.value.code, *capsys.readouterr()


def test_an_environment_of_ones_own_is_learned_and_controlled(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = "my_robot:Cart-v0 --cost my_robot:cost --steps 60 --horizon 20"
    code, out, err = run(f"control {wanted} {OPTIONS} --out run", capsys)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[:2] == ["dx/dt = v", "dv/dt = 2*push"]
    assert lines[2] == "Report: run/report.html"
    assert lines[3].startswith("Controlled for 60 steps: reward -")
    assert lines[4:] == ["run/controlled.npz", "run/controlled.gif"]

    controlled = logs.read(here / "run/controlled.npz")
    assert controlled.state_names == ("x", "v")
    assert np.abs(controlled.states[-10:, 0] - 1).max() < 0.2
    with Image.open(here / "run/controlled.gif") as film:
        assert film.size == (40, 20)
    model = open_run(here / "run")
    assert model.origin == Origin(environment="my_robot:Cart-v0")
    assert (here / "run/report.html").exists()

    # What was learned once drives again, and another directory is left as it was.
    again = f"control {wanted} --model run --dt 0.1 --quiet --out again"
    code, out, err = run(again, capsys)
    assert (code, err) == (0, "")
    assert {path.name for path in (here / "again").iterdir()} == {
        "controlled.npz",
        "controlled.gif",
    }

    # Rollouts are logs, from which the same is learned without the environment.
    code, out, err = run(
        "control --log run/rollout-1.npz --log run/rollout-2.npz --jobs 1 --out log",
        capsys,
    )
    assert code == 0
    assert out.splitlines()[:2] == lines[:2]
    assert "Note: there is no environment to control" in err


def test_without_a_cost_there_is_no_control(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = OPTIONS.replace(" --quiet", "")
    code, out, err = run(f"control my_robot:Cart-v0 {options} --out run", capsys)
    assert code == 0
    assert "dv/dt = 2*push" in out
    assert "Controlled" not in out
    assert err.endswith(
        "Note: no cost is known: give --cost MODULE:FUNCTION to control\n"
    )
    assert not (here / "run/controlled.npz").exists()


def test_without_pictures_there_is_no_film(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = OPTIONS.replace(" --quiet", " --cost my_robot:cost --steps 3 --out run")
    code, out, err = run(f"control my_robot:Blind-v0 {options}", capsys)
    assert code == 0
    assert "Note: no film: ImportError: no paint." in err
    assert out.endswith("run/controlled.npz\n")
    assert not (here / "run/controlled.gif").exists()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("late", "got 'my_robot:late'. IndexError: index 7 is out of bounds"),
        ("flat", "`--cost` must be a function to costs (B,) of states (B, 2) and acti"),
    ],
)
def test_a_cost_is_tried_before_anything_is_learned(
    name: str, said: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = f"control my_robot:Cart-v0 --cost my_robot:{name} {OPTIONS} --out run"
    code, out, err = run(line, capsys)
    assert (code, out) == (2, "")
    assert said in err
    assert len(err.splitlines()) == 1
    assert not (here / "run").exists()


def test_the_working_directory_is_left_as_it_was(here: Path) -> None:
    before = list(sys.path)
    prepared(ControlRequest(env="my_robot:Cart-v0", dt=0.1))
    assert sys.path == before
