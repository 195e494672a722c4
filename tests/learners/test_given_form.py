"""Known forms, as users give them: what is learned, and what is refused."""

import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command_lines import Command, check_mistake
from patience import within

from eqlearn import EqlearnError, EquationLearner

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.uniform(0.5, 3.0, (120, 2)), columns=["x", "z"])
A, B = X.to_numpy().T


def learn(form: Any, **options: Any) -> EquationLearner:
    # Without noise a search ends when nothing is left, long before this time.
    return EquationLearner(form=form, n_jobs=1, time_limit=120, **options)


CASES = [
    ("tanh(f(x, z))", np.tanh(0.3 * A * B - 0.5), "y = tanh(0.3*x*z - 1/2)"),
    ("2.5*exp(-f(x))", 2.5 * np.exp(-0.3 * A**2), "y = 2.5*exp(-0.3*x**2)"),
    ("f(x)/(1 + f(x))*z", 2 * A**2 / (1 + 2 * A**2) * B, "y = 2*x**2*z/(2*x**2 + 1)"),
    ("x^p + f(z)", A**1.7 + 2 * B, "y = x**1.7 + 2*z"),
    ("z*exp(-f(x/z))", B * np.exp(-2 * A / B), "y = z*exp(-2*x/z)"),
]


@pytest.mark.parametrize(("form", "y", "equation"), CASES)
def test_the_functions_of_a_form_are_learned(form: str, y: Any, equation: str) -> None:
    assert learn(form).fit(X, y).equation_ == equation


def test_two_functions_are_learned() -> None:
    y = (1 + A**2) * (2 + B)
    learner = learn("f(x)*g(z)").fit(X, y)
    np.testing.assert_allclose(learner.predict(X), y, rtol=1e-6)
    far = pd.DataFrame({"x": [9.0], "z": [7.0]})
    assert learner.predict(far)[0] == pytest.approx(82 * 9, rel=1e-4)


@pytest.fixture(scope="module")
def learner() -> EquationLearner:
    return learn("2.5*exp(-f(x))").fit(X, 2.5 * np.exp(-0.3 * A**2))


def test_given_numbers_are_no_constants(learner: EquationLearner) -> None:
    assert learner.constants_["value"].tolist() == pytest.approx([-0.3])


def test_the_verdict_names_the_form(learner: EquationLearner) -> None:
    said = "It has the form that was given, 2.5*exp(-f(x))."
    assert learner.verdict_[0].reasons[0] == said


@pytest.mark.parametrize("form", ["python", "c", "julia", "latex", "sympy", "json"])
def test_it_is_exported_as_any_other(learner: EquationLearner, form: str) -> None:
    assert learner.export(form)


def test_it_is_saved_with_its_form(learner: EquationLearner, tmp_path: Path) -> None:
    learner.save(tmp_path / "model.json")
    again = EquationLearner.load(tmp_path / "model.json")
    assert again.form == "2.5*exp(-f(x))"
    np.testing.assert_array_equal(again.predict(X), learner.predict(X))


def test_forms_by_target() -> None:
    both = pd.DataFrame({"u": A**1.7 + 2 * B, "v": 2.5 * np.exp(-0.3 * A**2)})
    forms = {"u": "x^p + f(z)", "v": "v = 2.5*exp(-f(x))"}
    found = learn(forms).fit(X, both)
    assert found.equation_ == "u = x**1.7 + 2*z\nv = 2.5*exp(-0.3*x**2)"


def test_far_points_choose_and_are_not_fitted() -> None:
    far = pd.DataFrame({"x": [4.0, 5.0], "z": [1.0, 1.0]})
    y_far = 2.5 * np.exp(-0.3 * far.x**2)
    found = learn("2.5*exp(-f(x))", selection="v_int_ex")
    found.fit(X, 2.5 * np.exp(-0.3 * A**2), extrapolation=(far, y_far))
    assert found.equations_["extrapolation_error"][0] < 1e-9


def test_a_callback_hears_of_whole_formulas() -> None:
    heard: list[str] = []
    found = learn(
        "2.5*exp(-f(x))", callback=lambda best: heard.extend(best.equations.values())
    )
    found.fit(X, 2.5 * np.exp(-0.3 * A**2))
    assert all(isinstance(one, str) for one in heard)


Y = 2.5 * np.exp(-0.3 * A**2)
REFUSED = [
    ("a*x + b", {}, {}, "given by `guesses`"),
    ("w = f(x)", {}, {}, "must be 'y'|one of 'y'"),
    (3, {}, {}, "or one for each target by name"),
    ({"q": "f(x)"}, {}, {}, "got 'q'"),
    ({}, {}, {}, "given for every target, y too"),
    ({"y": 3}, {}, {}, "must be a form like"),
    ("f(q)", {}, {}, "got 'q' as an argument of f"),
    ("f(x)", {"recipe": "paper"}, {}, "fast where a form is given"),
    ("f(x)", {"guesses": ["a*x"]}, {}, "left out where a form is given"),
    ("f(x)", {"warm_start": True}, {}, "left out where a form is given"),
    ("f(x)", {}, {"groups": ["a", "b"] * 60}, "given without groups"),
    ("f(x) + K + 1/K", {}, {}, "with K once, or as a factor everywhere"),
]


@pytest.mark.parametrize(("form", "options", "how", "words"), REFUSED)
def test_what_cannot_be_used_is_refused(
    form: Any, options: dict[str, Any], how: dict[str, Any], words: str
) -> None:
    with pytest.raises(EqlearnError, match=words) as refused:
        learn(form, **options).fit(X, Y, **how)
    assert "\n" not in str(refused.value)


def write_table(path: Path) -> None:
    pd.DataFrame({"x": A, "z": B, "y": Y}).to_csv(path, index=False)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_table(tmp_path / "data.csv")
    return tmp_path


def test_a_form_on_the_command_line(here: Path, command: Command) -> None:
    options = "--target y --form '2.5*exp(-f(x))' --jobs 1 --quiet --time 2min"
    found = command(f"fit data.csv {options}")
    assert found.code == 0 and "y = 2.5*exp(-0.3*x**2)" in found.out
    report = (here / "data-run" / "report.md").read_text(encoding="utf-8")
    assert "2.5*exp(-f(x))" in report
    assert command(f"fit data.csv {options}").code == 0  # goes on
    assert not (here / "data-run-2").exists()


MISTAKES = [
    ("--form 'a*x'", "`--form` must be a form like A*exp(-f(x)) + c"),
    ("--form 'f(q)'", "`--form` must be one of"),
    ("--form 'f(x'", "At letter 4: a closing bracket is missing"),
    ("--form 'sinn(x)'", "Did you mean 'sin'?"),
    ("--form 'f(x)' --guess 'a*x'", "`--guess` must be left out where a form is given"),
    ("--form 'f(x)' --groups z", "`--form` must be given without groups"),
    ("--form 'f(x)' --recipe paper", "`--recipe` must be fast where a form is given"),
]


@pytest.mark.parametrize(("options", "said"), MISTAKES)
def test_a_mistake_gets_one_line(
    options: str, said: str, here: Path, command: Command
) -> None:
    check_mistake(f"fit data.csv --target y {options}", said, here, command)


def test_a_form_and_units_of_measure_go_together() -> None:
    options = {"dimensions": "x: m, z: kg, y: s", "constants": ["g"]}
    y = pd.Series(2 * np.pi * np.sqrt(A / 9.80665), name="y")
    learner = learn("a*sqrt(f(x))", **options).fit(X, y)
    said = " ".join(learner.verdict_[0].reasons)
    assert "Its dimensions match if its constants are in s/m^(1/2)." in said


def test_constraints_are_about_the_whole_form_and_not_its_functions() -> None:
    # Of exp(-f(x)), f(x) = 0.3*x^2 grows though the target falls.
    known = ["decreasing in x", "y <= 2.5"]
    learner = learn("2.5*exp(-f(x))", constraints=known, domain={"x": (0, 5)})
    learner.fit(X[["x"]], 2.5 * np.exp(-0.3 * A**2))
    assert learner.equation_ == "y = 2.5*exp(-0.3*x**2)"
    assert learner.constraints_["kept"].tolist() == ["proved", "proved"]


def test_of_formulas_in_a_form_those_come_last_that_break_a_constraint() -> None:
    noisy = A + 0.4 + 0.002 * RNG.normal(size=len(A))
    learner = learn("f(x)", constraints=["y >= 0.4"], domain={"x": (-1, 5)})
    learner.fit(X[["x"]], noisy)
    broken = learner.equations_["broken_constraints"].tolist()
    assert broken == sorted(broken)


def test_a_long_table_does_not_outlast_the_time_limit() -> None:
    """R-22: functions are searched on some of the rows."""
    rng = np.random.default_rng(0)
    x, z = rng.uniform(0.0, [[3.0], [2.0]], (2, 100_000))
    y = 2 * np.exp(-(x * z + 0.3 * z**2)) + np.sin(x) + 0.01 * rng.normal(size=len(x))
    learner = EquationLearner(n_jobs=1, time_limit=5, form="A*exp(-f(x, z)) + g(x)")
    with within(7.5, time.process_time):
        learner.fit(pd.DataFrame({"x": x, "z": z}), y)
