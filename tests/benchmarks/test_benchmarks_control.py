import re

import numpy as np
import pytest

from benchmarks import control_speed
from eqlearn.control import swingup
from eqlearn.control.dynamics import dynamics_of


def test_the_graph_is_the_true_equations() -> None:
    rng = np.random.default_rng(0)
    states, actions = rng.normal(0, 3, (50, 4)), rng.uniform(-1, 1, (50, 1))
    found = dynamics_of(control_speed.true_graph(), 1)(states, actions)
    true = swingup.dynamics(states, actions)
    np.testing.assert_allclose(found, true, rtol=1e-12, atol=1e-12)


def test_all_models_are_timed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    few = {**control_speed.MODELS, "mlp": lambda: control_speed.network(50)}
    monkeypatch.setattr(control_speed, "MODELS", few)
    monkeypatch.setattr(control_speed, "N_STEPS", 2)
    code = control_speed.main(["--steps", "2", "--runs", "1"])
    assert code in (0, 1)
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines[:3]] == ["true", "learned", "mlp"]
    assert all(re.search(r"\d ms a step, 1000 look-aheads x 25", x) for x in lines[:3])
    assert all("upright 0 of 1" in line for line in lines[3:])
