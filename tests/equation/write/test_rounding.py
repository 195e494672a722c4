"""R-27: formulas in which rounding decides are written, and it is said."""

import numpy as np
import pytest

from eqlearn.equation.write.export import FORMS, export, export_text
from eqlearn.equation.write.form_names import FORM_NAMES
from eqlearn.equation.write.formulas import Formulas, formulas
from eqlearn.network.graph import CONSTANT, Graph, Linear, Node

ONE: Linear = {CONSTANT: 1.0}
TODAY = 1.7e9  # seconds since 1970


def parabola() -> Formulas:
    """A parabola around today, multiplied out: terms of 1e18 cancel."""
    square = Node("square", ({0: 1.0},))
    terms = {1: 1.0, 0: -2 * TODAY - 2.468, CONSTANT: (TODAY + 1.234) ** 2 + 3.3}
    graph = Graph(1, (square,), ((terms, ONE),))
    return formulas([graph], ["t"], ["y"], [(TODAY, TODAY + 100)])


@pytest.mark.parametrize("form", [form for form in FORM_NAMES if form in FORMS])
def test_no_formula_is_called_a_bug_because_it_is_rounded(
    form: str, caplog: pytest.LogCaptureFixture
) -> None:
    if form == "torch":
        pytest.importorskip("torch")
    export(parabola(), form)
    export_text(parabola(), form)
    for line in caplog.messages:
        assert "Subtract a constant from inputs" in line and "\n" not in line
    assert bool(caplog.messages) == (form in ("sympy", "latex", "mathml"))


@pytest.mark.parametrize("form", ["sympy", "latex", "mathml", "python", "c"])
def test_no_formula_is_called_a_bug_because_sympy_takes_it_apart(
    form: str, caplog: pytest.LogCaptureFixture
) -> None:
    """SymPy writes e^(a - b log t) as e^a t^-b, infinity by zero."""
    rate = TODAY / 20
    decay = {CONSTANT: rate * float(np.log(TODAY)), 1: -rate}
    graph = Graph(
        1, (Node("log", ({0: 1.0},)), Node("exp", (decay,))), (({2: 1.0}, ONE),)
    )
    export(formulas([graph], ["t"], ["y"], [(TODAY, TODAY + 100)]), form)
    is_sympy = form in ("sympy", "latex", "mathml")
    assert ("compute it by evalf" in caplog.text) == is_sympy


def test_nothing_is_said_of_a_formula_that_keeps_its_digits(
    caplog: pytest.LogCaptureFixture,
) -> None:
    wave = Graph(1, (Node("sin", ({0: 3.3},)),), (({1: 2.0, 0: 0.1}, ONE),))
    for form in ("sympy", "python", "c"):
        export(formulas([wave]), form)
    assert caplog.messages == []
    assert np.isfinite(wave.evaluate(np.ones((1, 1)))[0]).all()


def test_of_a_formula_that_is_zero_nothing_is_lost(
    caplog: pytest.LogCaptureFixture,
) -> None:
    export(formulas([Graph(1, (), (({0: 0.0}, ONE),))]), "sympy")
    assert caplog.messages == []
