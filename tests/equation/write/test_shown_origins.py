"""How formulas are shown in which an input is taken from somewhere."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from formulas import formula, multiply
from hostile_names import HOSTILE

from eqlearn.equation.write.display import formula_text, latex, mathml, to_sympy
from eqlearn.equation.write.export import export_text
from eqlearn.equation.write.formulas import formulas
from eqlearn.network.graph import CONSTANT, Graph, Node


def of(start: float) -> Graph:
    """50 + 2 (x - start) + 3 (x - start)²."""
    shifted = Node("origin", ({0: 1.0, CONSTANT: -start},))
    square = multiply({1: 1.0}, {1: 1.0})
    return formula(1, {CONSTANT: 50.0, 1: 2.0, 2: 3.0}, shifted, square)


SINCE_1990 = formulas([of(1990.0)], ["year"], ["people"])


def text_of(math_ml: str) -> str:
    return "".join(ET.fromstring(math_ml).itertext())


def test_text_leaves_the_origin_together() -> None:
    shown = formula_text(of(1990.0), ["year"], "people")
    assert shown == "people = 3*(year - 1990)**2 + 2*(year - 1990) + 50"


def test_rounding_errors_of_scales_are_not_shown() -> None:
    shown = formula_text(of(1990.0000000000002), ["year"], "people")
    assert "(year - 1990)" in shown


def test_an_origin_below_zero_is_added() -> None:
    assert "(T + 273.15)" in formula_text(of(-273.15), ["T"], "y")


def test_latex_has_the_origin_in_brackets() -> None:
    shown = latex(SINCE_1990)
    assert r"\left(year - 1990\right)^{2}" in shown.replace(r"\mathrm{year}", "year")
    assert "1990" not in shown.replace("- 1990", "")


def test_mathml_has_the_origin_in_brackets() -> None:
    shown = text_of(mathml(SINCE_1990))
    assert shown.count("(year - 1990)") == 2
    assert shown.startswith("people=")


def test_two_inputs_from_somewhere_keep_their_names() -> None:
    first = Node("origin", ({1: 1.0, CONSTANT: -100.0},))
    second = Node("origin", ({0: 1.0, CONSTANT: -7.0},))
    graph = formula(2, {2: 1.0, 3: 5.0}, first, second)
    shown = formula_text(graph, ["a", "b"], "y")
    assert "5*(a - 7)" in shown and "(b - 100)" in shown


@pytest.mark.parametrize("name", HOSTILE)
def test_any_name_can_stand_in_brackets(name: str) -> None:
    one = formulas([of(1990.0)], [name], ["y"])
    assert "1990" in latex(one)
    assert "1990" in text_of(mathml(one))
    assert "1990" in str(to_sympy(one, to_show=True)[0])


def test_what_is_computed_with_has_the_input_alone() -> None:
    (expression,) = to_sympy(SINCE_1990)
    assert {symbol.name for symbol in expression.free_symbols} == {"year"}
    year = next(iter(expression.free_symbols))
    assert expression.subs(year, 1992) == 50 + 4 + 12


def test_exported_code_computes_the_same() -> None:
    namespace: dict[str, object] = {}
    exec(export_text(SINCE_1990, "python"), namespace)
    predict = namespace["predict"]
    assert callable(predict)
    years = np.array([1990.0, 1992.0, 2000.0])
    np.testing.assert_allclose(predict(years), [50.0, 66.0, 370.0])


def test_where_an_input_begins_is_not_rounded() -> None:
    # x - 123500 would be another law.
    rounded = formulas([of(123456.0)]).rounded(2)
    x = np.array([[123456.0], [123458.0]])
    np.testing.assert_allclose(rounded.graph.evaluate(x)[0][:, 0], [50.0, 66.0])
    assert formulas([of(3.0)]).rounded(1).graph.outputs[0][0][CONSTANT] == 50.0
