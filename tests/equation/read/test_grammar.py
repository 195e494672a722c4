"""The grammar of formulas: what each text means, and what is no formula."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eqlearn.equation.read.grammar import Parsed, parsed
from eqlearn.equation.read.starts import start_graphs
from eqlearn.errors import EqlearnError

X = np.array([[1.5, 0.5], [2.0, 0.75], [2.5, 1.25]])
A, B = X.T


def values(text: str) -> np.ndarray:
    (graph,) = start_graphs(text, ("x", "z"), X, np.random.default_rng(0))
    found: np.ndarray = graph.evaluate(X)[0][:, 0]
    return found


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("x", A),
        ("x + z", A + B),
        ("x - z - 1", A - B - 1),
        ("x - (z - 1)", A - B + 1),
        ("2*x", 2 * A),
        ("x*z", A * B),
        ("x/z", A / B),
        ("x/z/2", A / B / 2),
        ("x/(z*2)", A / B / 2),
        ("x*z + 3", A * B + 3),
        ("3 + x*z^2", 3 + A * B**2),
        ("-x^2", -(A**2)),
        ("(-x)^2", A**2),
        ("x^-1", 1 / A),
        ("x^-2", A**-2.0),
        ("x**3", A**3),
        ("x^0.5", np.sqrt(A)),
        ("x^1.5", A**1.5),
        ("x^z", A**B),
        ("2^x", 2**A),
        ("x^2^z", A ** (2**B)),
        ("x^0", A**0 + 0 * A),
        ("--x", A),
        ("+x - -z", A + B),
        ("1e-2*x", 0.01 * A),
        (".5*x + 5.", 0.5 * A + 5),
        ("pi*x", math.pi * A),
        ("sin(x) + cos(z)", np.sin(A) + np.cos(B)),
        ("tan(z)", np.tan(B)),
        ("exp(-x^2/2)", np.exp(-(A**2) / 2)),
        ("log(x) + ln(z)", np.log(A) + np.log(B)),
        ("log10(x)", np.log10(A)),
        ("sqrt(x)", np.sqrt(A)),
        ("tanh(x)", np.tanh(A)),
        ("sinh(x) + cosh(z)", np.sinh(A) + np.cosh(B)),
        ("atan(x)", np.arctan(A)),
        ("asin(z/2) + acos(z/2)", np.full(3, math.pi / 2)),
        ("sin(2) + x", math.sin(2) + A),
        ("`x` · z − 1", A * B - 1),
        ("  x\n*\tz ", A * B),
        ("square(x)", A**2),
    ],
)
def test_a_formula_means(text: str, meant: np.ndarray) -> None:
    np.testing.assert_allclose(values(text), meant, rtol=1e-12)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "got ''"),
        (" ", "got ' '"),
        (
            "x +",
            r"At letter 4: a number, a name or a bracket is missing before its end",
        ),
        ("x + * z", r"At letter 4: .* is missing before '\*'"),
        ("(x", "a closing bracket is missing"),
        ("sin(x", "a closing bracket is missing"),
        ("x)", r"At letter 2: '\)' does not fit there"),
        ("x z", "At letter 2: 'z' does not fit there"),
        ("2x", "At letter 2: 'x' does not fit there"),
        ("x = 2", "'=' is no part of a formula"),
        ("x; z", "';' is no part of a formula"),
        ("x.real", r"'.' is no part of a formula"),
        ("x[0]", r"'\[' is no part of a formula"),
        ("'x'", '"\'" is no part of a formula'),
        ("lambda: x", "':' is no part of a formula"),
        ("x^^2", r"missing before '\^'"),
        ("x,z", "',' does not fit there"),
        ("sin()", r"missing before '\)'"),
        ("sin(x, z)", "with 1 argument of sin"),
        ("multiply(x)", "with 2 arguments of multiply"),
        ("foo(x)", "`guesses` must be one of 'identity', .*; got 'foo' in 'foo"),
        ("__import__(x)", "got '__import__'"),
        ("eval(x)", "got 'eval'"),
        ("sine(x)", "Did you mean 'sin'"),
        ("X*z", "must be one of 'x', 'z'; got 'X' in 'X.z'. Did you mean 'x'"),
        ("speed*z", "got 'speed'"),
        ("sin*x", "got 'sin' in 'sin.x'"),
        ("log(-x)", "formulas that have values on the data; got 'log"),
        ("x/0", "formulas that have values on the data"),
        ("1e999*x", "formulas that have values on the data"),
        ("x^(0/0)", "formulas that have values on the data"),
        ("x^(1e308*1e308)", "formulas that have values on the data"),
        ("(" * 60 + "x" + ")" * 60, "too many brackets in each other"),
        ("x^" * 60 + "x", "too many powers in each other"),
        ("x+" * 2000 + "x", "formulas of at most 2,000 letters"),
    ],
)
def test_no_formula_gets_one_line(text: str, why: str) -> None:
    with pytest.raises(EqlearnError, match=why) as caught:
        values(text)
    assert str(caught.value).startswith("`guesses` must be ")
    assert str(caught.value).isprintable()


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="xz ab12.+-*/^(),sinexp`=é", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        assert isinstance(parsed(text), Parsed)
    except EqlearnError as error:
        assert str(error).startswith("`guesses` must be ")
