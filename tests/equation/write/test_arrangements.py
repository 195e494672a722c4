"""One equation in several forms."""

from pathlib import Path

import numpy as np
import pytest
import sympy
from line_models import model

from eqlearn import EqlearnError, EquationLearner
from eqlearn.equation.write.arrangements import ARRANGEMENTS, arranged_exactly
from eqlearn.equation.write.display import formula_text, latex, mathml, to_sympy
from eqlearn.equation.write.export import export, export_text
from eqlearn.equation.write.formulas import Formulas, formulas
from eqlearn.equation.write.simplify import rearranged
from eqlearn.network.graph import CONSTANT, Graph, Node
from eqlearn.report.text import arranged_equations

x, y = sympy.symbols("x y")

#: What is asked, how, and what it is then.
CASES = [
    (x * (y + 1.5), "expanded", x * y + 3 * x / 2),
    (x * y + 1.5 * x, "factored", x * (2 * y + 3) / 2),
    (1 + 1 / x, "fraction", (x + 1) / x),
    ((x + 1) / x, "split", 1 + 1 / x),
    ((2.5 * x + 1) / (x + 3), "split", sympy.Rational(5, 2) - 13 / (2 * x + 6)),
    ((x**2 + 1) / (x + 1), "split", x - 1 + 2 / (x + 1)),
    (2.25 * x**2 + 3.0 * x + 1, "factored", (3 * x + 2) ** 2 / 4),
    ((x + y) ** 2, "expanded", x**2 + 2 * x * y + y**2),
    (x**2 - y**2, "factored", (x - y) * (x + y)),
    (x / y + y / x, "fraction", (x**2 + y**2) / (x * y)),
    (sympy.exp(-x) * (1 + sympy.exp(x)), "expanded", 1 + sympy.exp(-x)),
    (x * sympy.sin(y) + x, "factored", x * (sympy.sin(y) + 1)),
    (x + 1, "split", x + 1),
    (x * y, "expanded", x * y),
]


@pytest.mark.parametrize(("expression", "how", "expected"), CASES)
def test_an_equation_in_another_form(
    expression: sympy.Expr, how: str, expected: sympy.Expr
) -> None:
    assert arranged_exactly(expression, how) == expected


@pytest.mark.parametrize("how", ARRANGEMENTS)
@pytest.mark.parametrize(
    "expression",
    [
        (0.3172 * x + 1.22334) / (0.98234 * x + y),
        0.123456789 * x + x * y,
        (1.234567 + sympy.exp(-0.71 * x)) / (2.1 + sympy.exp(-0.71 * x)),
        sympy.log(0.37 * x + y) * (x + 0.1111),
    ],
)
def test_all_forms_compute_the_same(expression: sympy.Expr, how: str) -> None:
    found = arranged_exactly(expression, how)
    for point in ({x: 1.3, y: 0.7}, {x: 0.2, y: 2.9}):
        expected = float(expression.subs(point))
        assert float(found.subs(point)) == pytest.approx(expected, rel=1e-12)


def test_digits_do_not_become_huge_whole_numbers() -> None:
    found = arranged_exactly(0.123456789 * x + x * y, "factored")
    assert found == x * (y + 0.123456789)


#: 2 x1 (x2 + 1.5)
PRODUCT = Graph(
    2,
    (Node("multiply", ({0: 2.0}, {1: 1.0, CONSTANT: 1.5})),),
    (({2: 1.0}, {CONSTANT: 1.0}),),
)


def of_product(how: str | None) -> Formulas:
    from dataclasses import replace

    return replace(formulas([PRODUCT], ["a", "b"], ["y"]), arranged=how)


def test_a_form_of_a_graph_in_a_line() -> None:
    assert formula_text(PRODUCT, ["a", "b"], "y") == "y = 2*a*(b + 1.5)"
    text = formula_text(PRODUCT, ["a", "b"], "y", arranged="expanded")
    assert text == "y = 2*a*b + 3*a"


def test_a_form_in_sympy_latex_and_mathml() -> None:
    a, b = sympy.symbols("a b")
    assert to_sympy(of_product("expanded")) == (2 * a * b + 3 * a,)
    assert latex(of_product("expanded")) == "y = 2 a b + 3 a"
    assert mathml(of_product("expanded")).count("<mo>+</mo>") == 1


def test_a_form_is_checked_like_any_export() -> None:
    assert export(of_product("factored"), "latex")
    assert export_text(of_product("expanded"), "sympy") == "2*a*b + 3*a\n"


@pytest.mark.parametrize("form", ["python", "c", "julia", "json", "jax"])
def test_programs_have_one_form(form: str) -> None:
    with pytest.raises(EqlearnError, match="sympy, latex, mathml for an arrangement"):
        export_text(of_product("expanded"), form)


def test_what_is_no_arrangement_is_refused() -> None:
    with pytest.raises(EqlearnError, match="Did you mean 'factored'"):
        rearranged(x, "factord")


def test_what_takes_too_long_stays_as_it_is() -> None:
    found, note = rearranged((x + y) ** 7, "expanded", 0.001)
    assert found == (x + y) ** 7
    assert note == "not expanded: it takes more than 0.001 s"


def test_a_learner_has_its_equation_in_all_forms(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).uniform(1, 2, (60, 2))
    learner = EquationLearner(n_jobs=1, max_attempts=8).fit(
        rows, (rows[:, 0] + 2) / rows[:, 1]
    )
    x1, x2 = sympy.symbols("x1 x2")
    assert learner.sympy(arranged="expanded") == x1 / x2 + 2 / x2
    assert learner.sympy(arranged="fraction") == (x1 + 2) / x2
    assert learner.latex(arranged="expanded").count(r"\frac") == 2
    assert "x1/x2" in learner.export("sympy", arranged="expanded")
    with pytest.raises(EqlearnError, match="`arranged` must be one of"):
        learner.sympy(arranged="shorter")


def test_show_has_a_line_for_each_target() -> None:
    shown = arranged_equations(model(), "expanded")
    assert len(shown.splitlines()) == len(model().targets)
    with pytest.raises(EqlearnError, match="`arranged` must be one of"):
        arranged_equations(model(), "nicer")
