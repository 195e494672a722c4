"""Guesses: what they may be, and what a search makes of them."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from line_models import model

from eqlearn import EqlearnError, EquationLearner
from eqlearn.learners.given_guesses import guessed_graphs, kept_guesses
from eqlearn.model import model_file

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.uniform(0.5, 3, (150, 2)), columns=["x", "z"])
#: A law that the search alone does not find in seconds.
LAW = np.tanh(X.x * X.z - 1) + np.log(X.x + X.z**2)


def learned(y: Any, guesses: Any, **options: Any) -> EquationLearner:
    settings = {"n_jobs": 1, "time_limit": 20, **options}
    return EquationLearner(guesses=guesses, **settings).fit(X, y)


def graphs(guesses: Any, targets: tuple[str, ...] = ("y",)) -> list[list[Any]]:
    return guessed_graphs(guesses, ("x", "z"), targets, X.to_numpy(), 0)


def test_a_guess_of_the_right_form_is_fitted() -> None:
    learner = learned(LAW, ["tanh(a*x*z - b) + log(c*x + z^2)"])
    np.testing.assert_allclose(learner.predict(X), LAW, atol=1e-9)
    far = pd.DataFrame({"x": [9.0], "z": [7.0]})
    assert learner.predict(far)[0] == pytest.approx(1 + np.log(9 + 49))


def test_a_guess_with_a_term_too_many_is_pruned() -> None:
    y = np.tanh(X.x * X.z - 1)
    learner = learned(y, ["tanh(a*x*z - b) + c*x + d*z"])
    assert learner.equation_ in ("y = tanh(x*z - 1)", "y = tanh(z*x - 1)")


def test_a_wrong_guess_does_no_harm() -> None:
    y = 2 * X.x / X.z
    assert learned(y, ["a*exp(b*x)*sin(c*z)"]).equation_ == "y = 2*x/z"


def test_only_letters_are_free_in_a_guess_as_it_is_written() -> None:
    first = graphs(["a*acos(sin(x)*sin(z) + b)"])[0][0]
    weights = dict(first.connections())
    assert len(first.parameters()) == 2
    assert {weights[key] for key in first.fixed} == {1.0}


ARC = np.arccos(np.sin(X.x) * np.sin(X.z) + np.cos(X.x) ** 2 * np.cos(X.z))
GIVEN = [
    ("k*acos(sin(x)*sin(z) + cos(x)*cos(z)*cos(x))", 6371 * ARC, 1),
    ("(x - z)/log(x/z)", (X.x - X.z) / np.log(X.x / X.z), 0),
]


@pytest.mark.parametrize(("guess", "law", "n_free"), GIVEN, ids=["arc", "mean"])
def test_what_is_given_in_a_guess_stays_if_it_is_right(
    guess: str, law: Any, n_free: int
) -> None:
    y = law + 0.01 * np.std(law) * np.random.default_rng(1).normal(size=len(X))
    found = learned(y, [guess], max_attempts=1)
    assert len(found.constants_) == n_free
    np.testing.assert_allclose(found.predict(X), law, rtol=0.01)


def test_a_number_that_is_only_near_is_freed() -> None:
    y = np.sin(2.13 * X.x) + X.z
    found = learned(y, ["a*sin(2*x) + z"], max_attempts=1)
    np.testing.assert_allclose(found.predict(X), y, atol=1e-8)


def test_the_same_guess_gives_the_same_answer() -> None:
    y = np.exp(-((X.x - 1.3) ** 2)) + 0.01 * RNG.normal(size=len(X))
    guesses = ["a*exp(-(x - m)^2/s^2)"]
    first, second = (learned(y, guesses, max_attempts=4) for _ in range(2))
    assert first.model_.equations == second.model_.equations


def test_a_guess_is_no_vote() -> None:
    learner = learned(LAW, ["tanh(a*x*z - b) + log(c*x + z^2)"], max_attempts=1)
    assert learner.equations_["votes"][0] == 0


def test_guesses_are_kept_with_the_model(tmp_path: Path) -> None:
    learner = learned(2 * X.x, ["a*x"])
    learner.save(tmp_path / "model.json")
    assert EquationLearner.load(tmp_path / "model.json").guesses == ["a*x"]
    assert learner.model_.parameters["guesses"] == ["a*x"]


def test_equations_of_another_model_are_guesses(tmp_path: Path) -> None:
    learner = learned(LAW, ["tanh(a*x*z - b) + log(c*x + z^2)"])
    learner.save(tmp_path / "model.json")
    # Columns are found by name, in whatever place.
    frame = X[["z", "x"]].assign(w=1.0)
    for guess in (learner, learner.model_, str(tmp_path / "model.json"), tmp_path):
        again = EquationLearner(n_jobs=1, guesses=guess, time_limit=20)
        again.fit(frame, 3 * LAW)
        np.testing.assert_allclose(again.predict(frame), 3 * LAW, atol=1e-9)


def test_guesses_are_for_all_targets_or_for_one() -> None:
    both = ("y", "w")
    assert [len(some) for some in graphs(["x"], both)] == [1, 1]
    assert [len(some) for some in graphs({"w": ["x", "z"]}, both)] == [0, 2]
    assert [len(some) for some in graphs(["w = x", "y = z", "x*z"], both)] == [2, 2]
    assert [len(some) for some in graphs("x")] == [1]
    assert graphs(None, both) == [[], []]


@pytest.mark.parametrize(
    ("guesses", "message"),
    [
        (7, "`guesses` must be a list of formulas, each a formula like"),
        ([7], "`guesses` must be a formula like .*, or a model; got 7"),
        ([""], "`guesses` must be a formula like"),
        (["q = x"], "must be one of 'y'; got 'q' before the = in 'q = x'"),
        ({"q": ["x"]}, "`guesses` must be one of 'y'; got 'q'"),
        (["nowhere.json"], "or paths of runs and model files that are there; got 'now"),
        ([Path("nowhere")], "or paths of runs and model files that are there; got 'n"),
        (
            ["nowhere/"],
            "or paths of runs and model files that are there; got 'nowhere'",
        ),
        (["x**"], "a number, a name or a bracket is missing"),
        ([model()], "must be one of 'y', 'z'; got 'q' as the target of a model"),
    ],
)
def test_other_guesses_get_one_line(guesses: Any, message: str) -> None:
    target = "q" if message.endswith("of a model") else "y"
    with pytest.raises(EqlearnError, match=message):
        graphs(guesses, (target,))


def test_a_model_of_other_inputs_is_refused(tmp_path: Path) -> None:
    other = EquationLearner(n_jobs=1).fit(pd.DataFrame({"u": X.x}), 2 * X.x)
    model_file.save(tmp_path / "model.json", other.model_)
    with pytest.raises(EqlearnError, match="models of the inputs x, z; got 'one of u'"):
        graphs([tmp_path])


def test_what_is_kept_of_guesses() -> None:
    assert kept_guesses(None) is None
    assert kept_guesses("x") == "x"
    assert kept_guesses(["x", Path("run"), model()]) == ["x", "run", "a model"]
    assert kept_guesses({"y": ["x"]}) == {"y": ["x"]}
