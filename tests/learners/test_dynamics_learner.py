"""`DynamicsLearner`: from trajectories to equations of motion, end to end."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from scipy.integrate import solve_ivp

from eqlearn import DynamicsLearner, EqlearnError, EquationLearner
from eqlearn.dynamics.smooth.trajectories import time_series
from eqlearn.learners.dynamics_learner import _as_meant

T = np.linspace(0.0, 10.0, 200)
STARTS = ((2.5, 0.0), (-1.0, 4.0))


def pendulum(noise: float = 0.01) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    runs = []
    for start in STARTS:
        rate = lambda t, s: [s[1], -0.3 * s[1] - 4 * np.sin(s[0])]  # noqa: E731
        states = solve_ivp(rate, (0, 10), start, t_eval=T, rtol=1e-9, atol=1e-9).y.T
        runs.append(states + noise * rng.normal(size=states.shape))
    return runs


@pytest.fixture(scope="module")
def learner() -> DynamicsLearner:
    names = ["q", "w"]
    return DynamicsLearner().fit(pendulum(), T, state_names=names)


def test_the_equations_are_found(learner: DynamicsLearner) -> None:
    assert learner.equation_ == "dq/dt = w\ndw/dt = -0.3*w - 4*sin(q)"
    assert [verdict.kind for verdict in learner.verdict_] == ["trusted", "trusted"]
    assert "is followed to" in str(learner.verdict_[0])


def test_constants_have_the_errors_of_the_trajectories(
    learner: DynamicsLearner,
) -> None:
    table = learner.constants_.set_index("of")
    row = table.loc["w in the numerator"].iloc[-1]
    assert abs(row["value"] + 0.3) < 4 * row["standard_error"] < 0.01


def test_rates_and_motion_are_computed(learner: DynamicsLearner) -> None:
    rates = learner.predict([[1.0, 2.0]])
    assert rates == pytest.approx(np.array([[2.0, -0.6 - 4 * np.sin(1.0)]]))
    exact = pendulum(0.0)[0]
    assert learner.simulate(STARTS[0], T) == pytest.approx(exact, abs=1e-4)
    assert learner.score(exact, T) > 0.9999


def test_it_is_saved_exported_and_loaded(
    learner: DynamicsLearner, tmp_path: Path
) -> None:
    learner.save(tmp_path / "model.json")
    again = DynamicsLearner.load(tmp_path / "model.json")
    assert again.equation_ == learner.equation_
    assert again.simulate(STARTS[0], T) == pytest.approx(learner.simulate(STARTS[0], T))
    assert "sin" in learner.latex()
    assert "def " in learner.python()


def test_a_model_of_something_else_is_refused(tmp_path: Path) -> None:
    x = np.linspace(1.0, 2.0, 20)[:, None]
    EquationLearner(max_attempts=1).fit(x, 2 * x[:, 0]).save(tmp_path / "other.json")
    with pytest.raises(EqlearnError, match="must be a model of motion"):
        DynamicsLearner.load(tmp_path / "other.json")


def test_known_rates_stay_and_names_come_from_a_table() -> None:
    tables = [pandas.DataFrame(run, columns=["q", "w"]) for run in pendulum()]
    found = DynamicsLearner(known={"q": "w"}, time_limit=6).fit(tables, T)
    assert found.equation_.startswith("dq/dt = w\ndw/dt = ")
    assert str(found.verdict_[0]).endswith("It was given.")


def test_velocities_are_estimated_from_positions_alone() -> None:
    positions = [run[:, :1] for run in pendulum(0.002)]
    found = DynamicsLearner(second_order=True).fit(positions, T, state_names=["q"])
    lines = found.equation_.split("\n")
    assert lines[0] == "dq/dt = q_dot"
    assert "sin(q)" in lines[1].replace("1.0*", "")
    assert found.score(positions, T) > 0.99


def test_a_map_is_learned() -> None:
    x = [0.3]
    for _ in range(150):
        x.append(3.7 * x[-1] * (1 - x[-1]))
    found = DynamicsLearner(discrete=True).fit(np.array(x), 1.0, state_names=["x"])
    assert found.equation_.startswith("x[k+1] = ")
    assert found.predict([[0.5]]) == pytest.approx(np.array([[0.925]]), rel=1e-6)


def test_what_does_not_fit_is_refused(learner: DynamicsLearner) -> None:
    with pytest.raises(EqlearnError, match="`states` must be of 2 columns"):
        learner.predict([[1.0]])
    with pytest.raises(EqlearnError, match="`inputs` must be 200 rows of 0 numbers"):
        learner.simulate(STARTS[0], T, np.zeros((200, 1)))
    with pytest.raises(EqlearnError, match="False for a map"):
        DynamicsLearner(second_order=True, discrete=True).fit(pendulum()[0], T)
    with pytest.raises(EqlearnError, match="`known` must be one of"):
        DynamicsLearner(known={"z": "w"}).fit(pendulum()[0], T)
    with pytest.raises(EqlearnError, match="`x0` must be of finite numbers"):
        learner.simulate([0.0, np.nan], T)
    with pytest.raises(EqlearnError, match="`t` must be of finite numbers"):
        learner.simulate(STARTS[0], [0.0, np.inf])


def test_a_state_that_never_changes_is_refused() -> None:
    """It has no rate to learn, and fits to it would divide by nothing."""
    states = np.c_[np.exp(-T), np.full(len(T), 3.0)]
    said = (
        "`states` must be of columns that change; got '3 in every row' of `lid`. Give"
    )
    with pytest.raises(EqlearnError, match=said):
        DynamicsLearner().fit(states, T, state_names=["level", "lid"])


def test_masked_states_are_missing_and_times_are_numbers() -> None:
    """R-25: what is behind a mask is no measurement, and a date no number."""
    rows = np.arange(30.0)[:, None]
    states = np.ma.masked_array(np.where(rows == 14, 1e9, rows), mask=rows == 14)
    runs = time_series(*_as_meant(states, 0.1, None))
    assert [len(run.t) for run in runs] == [14, 15]
    several = _as_meant([states, states], 0.1, None)
    assert [len(run.t) for run in time_series(*several)] == [14, 15, 14, 15]
    days = np.arange(30).astype("datetime64[D]")
    with pytest.raises(EqlearnError, match=r"^`t` must be of numbers; got 'datetime64"):
        DynamicsLearner().fit(np.ones((30, 1)), days)


@pytest.mark.parametrize("value", ["a", None, [[1], [2, 3]], object(), 1j, np.eye(5)])
@pytest.mark.parametrize("method", ["predict", "simulate", "score"])
def test_methods_refuse_what_they_cannot_use_in_one_line(
    learner: DynamicsLearner, method: str, value: Any
) -> None:
    times = {} if method == "predict" else {"t": T}
    with pytest.raises(EqlearnError) as caught:
        getattr(learner, method)(value, **times)
    assert "\n" not in str(caught.value)


def test_other_equations_have_other_forms_not_other_constants(
    learner: DynamicsLearner,
) -> None:
    for target in ("dq/dt", "dw/dt"):
        some = [one for one in learner.model_.equations if one.target == target]
        forms = [
            (tuple(node.unit for node in one.graph.nodes), one.graph.fixed)
            + tuple(key for key, _ in one.graph.connections())
            for one in some
        ]
        assert len(set(forms)) == len(forms)
