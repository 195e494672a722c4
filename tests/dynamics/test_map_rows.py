"""Noise of maps, which no spline tells, and chaotic maps that were measured with it."""

import numpy as np
import pytest

from eqlearn import DynamicsLearner
from eqlearn._types import Array
from eqlearn.dynamics.smooth.map_rows import noise_of_map
from eqlearn.dynamics.smooth.trajectories import TimeSeries, time_series


def logistic(noise: float) -> Array:
    """A chaotic course: what is off doubles in two steps."""
    x = [0.31]
    for _ in range(299):
        x.append(3.72 * x[-1] * (1.0 - x[-1]))
    return np.array(x) + noise * np.random.default_rng(0).normal(size=300)


def delayed(noise: float) -> Array:
    """A map of two steps back, of which one state does not tell."""
    x = [0.3, 0.35]
    for _ in range(398):
        x.append(2.2 * x[-1] * (1.0 - x[-2]))
    return np.array(x) + noise * np.random.default_rng(0).normal(size=400)


def runs(x: Array) -> list[TimeSeries]:
    return time_series(x, 1.0)


@pytest.mark.parametrize("noise", [0.002, 0.01, 0.02])
def test_noise_is_told_from_chaos(noise: float) -> None:
    assert noise_of_map(runs(logistic(noise))) == pytest.approx(noise, rel=0.15)
    assert np.all(noise_of_map(runs(logistic(0.0))) < 1e-3)


def test_noise_is_told_where_a_map_has_come_to_rest_or_inputs_stand_still() -> None:
    rng = np.random.default_rng(1)
    states, inputs = 2.0 + 0.05 * rng.normal(size=(200, 1)), np.ones((200, 1))
    run = TimeSeries(np.arange(200.0), states, inputs)
    assert noise_of_map([run]) == pytest.approx(0.05, rel=0.2)
    still = run._replace(states=np.ones((200, 1)))
    assert np.all(noise_of_map([still]) == 0.0)


@pytest.mark.parametrize("noise", [0.002, 0.01])
def test_a_chaotic_map_is_learned_from_noisy_rows(noise: float) -> None:
    found = DynamicsLearner(discrete=True, n_jobs=1).fit(logistic(noise), 1.0)
    (law,) = found.model_.chosen
    x = np.linspace(0.3, 0.9, 50)
    assert law.graph.evaluate(x[:, None])[0][:, 0] == pytest.approx(
        3.72 * x * (1 - x), abs=0.01
    )
    assert found.verdict_[0].kind == "trusted"


def test_what_one_state_does_not_tell_is_not_believed() -> None:
    found = DynamicsLearner(discrete=True, n_jobs=1).fit(delayed(0.005), 1.0)
    # Whether some imitation is found in time, or nothing, depends on the machine.
    (verdict,) = found.verdict_
    assert verdict.kind in ("doubtful", "nothing")
    assert any("A state or an input may be missing" in one for one in verdict.advice)
