"""Known forms as text: what is unknown in them, and what is wrong with them."""

import numpy as np
import pytest

from eqlearn import EqlearnError
from eqlearn.equation.read.outer_form import outer_form

INPUTS = ["x", "z", "T [K]"]
X = np.array([[1.0, 2.0, 300.0], [3.0, 4.0, 400.0]])


def test_functions_that_are_not_known_are_to_be_learned() -> None:
    form = outer_form("A*exp(-f(x, z)) + g(x)", INPUTS)
    assert [(one.name, one.texts) for one in form.functions] == [
        ("f", ("x", "z")),
        ("g", ("x",)),
    ]
    assert form.letters == ("A",)


def test_letters_are_of_either_case_and_may_be_greek() -> None:
    form = outer_form("A + b*f(x) + lambda_1*π + Ω", INPUTS)
    assert form.letters == ("A", "b", "lambda_1", "Ω")


def test_a_form_is_computed_from_its_functions() -> None:
    form = outer_form("A*exp(-f(x)) + 2*z^2", INPUTS)
    found = form.values(X, {"A": 3.0}, {"f": np.array([0.0, 1.0])})
    np.testing.assert_allclose(found, [3 + 8, 3 * np.exp(-1) + 32])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sinh(x) + f(x)", np.sinh(X[:, 0])),
        ("cosh(x) + f(x)", np.cosh(X[:, 0])),
        ("tan(x) + f(x)", np.tan(X[:, 0])),
        ("ln(x) + f(x)", np.log(X[:, 0])),
        ("log10(x) + f(x)", np.log10(X[:, 0])),
        ("sqrt(x) + f(x)", np.sqrt(X[:, 0])),
        ("multiply(x, z) + f(x)", X[:, 0] * X[:, 1]),
        ("-x^2 + f(x)", -(X[:, 0] ** 2)),
        ("pi + f(x)", np.full(2, np.pi)),
        ("`T [K]`/100 + f(x)", X[:, 2] / 100),
        ("T_K/100 + f(x)", X[:, 2] / 100),
    ],
)
def test_known_functions_are_what_they_are(text: str, expected: np.ndarray) -> None:
    form = outer_form(text, INPUTS)
    np.testing.assert_allclose(form.values(X, {}, {"f": np.zeros(2)}), expected)


def test_a_function_may_be_of_a_formula() -> None:
    form = outer_form("f(x/z, sin(x))", INPUTS)
    (function,) = form.functions
    expected = np.stack([X[:, 0] / X[:, 1], np.sin(X[:, 0])], axis=1)
    np.testing.assert_allclose(form.arguments(function, X), expected)
    assert function.texts == ("(x / z)", "sin(x)")


def test_one_function_may_stand_in_several_places() -> None:
    assert len(outer_form("f(x)/(1 + f(x))", INPUTS).functions) == 1


MISTAKES = [
    ("", "must be a form like A\\*exp"),
    ("a*x + b", "given by `guesses`"),
    ("f(x", "a closing bracket is missing"),
    ("f(x))", "does not fit there"),
    ("f()", "a number, a name or a bracket is missing"),
    ("f(x) + $", "is no part of a formula"),
    ("f(y)", "must be one of .*got 'y' as an argument of f"),
    ("f(3)", "with columns as arguments of f"),
    ("f(a*x)", "got 'a' as an argument of f"),
    ("f(g(x))", "without g inside of f"),
    ("f(x) + f(z)", "one list of arguments for f"),
    ("f(x, x)", "different arguments of f"),
    ("f(x) + f", "with inputs of f wherever it stands"),
    ("sinn(x) + f(x)", "Did you mean 'sin'"),
    ("expo(x)", "Did you mean 'exp'"),
    ("z(x)", "with z as a column only"),
    ("sin(x, z) + f(x)", "with 1 argument of sin"),
    ("multiply(x) + f(x)", "with 2 arguments of multiply"),
    ("rate*f(x)", "constants are single letters"),
    ("f(x) + g(x) + h(x) + k(x) + q(z)", "at most 4 functions"),
    ("(" * 50 + "f(x)" + ")" * 50, "too many brackets"),
    ("f(x)" + " + x" * 700, "at most 2,000 letters"),
]


@pytest.mark.parametrize(("text", "words"), MISTAKES)
def test_a_mistake_gets_one_line(text: str, words: str) -> None:
    with pytest.raises(EqlearnError, match=words) as refused:
        outer_form(text, INPUTS)
    assert str(refused.value).startswith("`form` must be ")
    assert "\n" not in str(refused.value)
