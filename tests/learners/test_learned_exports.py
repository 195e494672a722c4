"""What can be had of learned equations: any candidate of them, and plots."""

from pathlib import Path

import numpy as np
import pytest

from eqlearn import EqlearnError, EquationLearner

RNG = np.random.default_rng(0)
X = RNG.uniform(1, 2, (80, 2))
Y = 3 * X[:, 0] / X[:, 1] + 0.01 * RNG.normal(size=80)


@pytest.fixture(scope="module")
def fitted() -> EquationLearner:
    return EquationLearner(n_jobs=1).fit(X, Y)


@pytest.fixture
def learner(fitted: EquationLearner, tmp_path: Path) -> EquationLearner:
    fitted.save(tmp_path / "model.json")
    return EquationLearner.load(tmp_path / "model.json")


def test_the_equation_comes_first_in_the_table(learner: EquationLearner) -> None:
    table = learner.equations_
    assert list(table.columns[:2]) == ["equation", "candidate"]
    assert table["candidate"].tolist() == list(range(1, len(table) + 1))
    assert table["equation"][0] == learner.equation_


def other(learner: EquationLearner) -> int:
    """The number of a candidate that reads otherwise than the chosen one."""
    texts = learner.equations_["equation"].tolist()
    return 1 + next(at for at, text in enumerate(texts) if text != texts[0])


def test_any_candidate_predicts(learner: EquationLearner) -> None:
    second = learner.model_.equations[1].snapped.evaluate(X)[0][:, 0]
    np.testing.assert_array_equal(learner.predict(X, candidate=2), second)
    np.testing.assert_array_equal(learner.predict(X, 1), learner.predict(X))


def test_any_candidate_can_be_written(learner: EquationLearner) -> None:
    number = other(learner)
    assert str(learner.sympy(number)) != str(learner.sympy())
    for form in (learner.latex, learner.python, learner.c, learner.latex_table):
        assert form(number) != form()
        assert form(1) == form()


def test_a_choice_stays(learner: EquationLearner, tmp_path: Path) -> None:
    before = learner.equation_
    number = other(learner)
    assert learner.choose(number) is learner
    assert learner.equation_ == learner.equations_["equation"][number - 1] != before
    assert "chosen by hand" in str(learner.verdict_[0])
    np.testing.assert_array_equal(learner.predict(X), learner.predict(X, number))
    learner.save(tmp_path / "mine.json")
    assert EquationLearner.load(tmp_path / "mine.json").equation_ == learner.equation_
    learner.choose(1)
    assert learner.equation_ == before
    assert "chosen by hand" not in str(learner.verdict_[0])
    assert learner.choose(number).choose().equation_ == before


def test_no_other_numbers(learner: EquationLearner) -> None:
    with pytest.raises(EqlearnError, match="`candidate` must be a number from 1 to"):
        learner.choose(0)
    with pytest.raises(EqlearnError, match="`candidate` must be one of 'y'; got 'z'"):
        learner.predict(X, {"z": 1})


def test_plots_are_public(learner: EquationLearner) -> None:
    assert learner.plot_front().get_axes()
    assert learner.plot_fit(X, Y).get_axes()[0].get_xlabel() == "measured y"
    (axis,) = learner.plot_residuals(X, Y, 2).get_axes()
    np.testing.assert_allclose(axis.lines[0].get_ydata(), Y - learner.predict(X, 2))
    assert len(learner.plot_slices(X, Y)) == 2


def test_plots_refuse_what_is_no_target(learner: EquationLearner) -> None:
    with pytest.raises(EqlearnError, match="`target` must be one of 'y'; got 'z'"):
        learner.plot_front("z")
    with pytest.raises(EqlearnError, match="`y` must be 80 rows of 1 targets"):
        learner.plot_fit(X, np.column_stack([Y, Y]))
