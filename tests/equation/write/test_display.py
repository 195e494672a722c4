"""Formulas as one expression: how deep they may be, and with how many digits."""

import re

import numpy as np
import pytest
import sympy
from formulas import formula, multiply, sine

from eqlearn.equation.write.display import (
    MOST_NESTED,
    formula_text,
    latex,
    mathml,
    to_sympy,
)
from eqlearn.equation.write.export import export
from eqlearn.equation.write.formulas import formulas
from eqlearn.errors import EqlearnError
from eqlearn.network.graph import CONSTANT, Node

DEEP = MOST_NESTED + 5


def test_a_high_power_is_one_product_however_many_factors_it_has() -> None:
    # x, x x, (x x) x, ...: the units are inside one another, the formula is x^26.
    factors = [multiply({0: 1.0}, {k: 1.0}) for k in range(DEEP)]
    power = formulas([formula(1, {DEEP: 1.0}, *factors)], inputs=["x"])
    (expression,) = to_sympy(power)
    assert expression == sympy.Symbol("x") ** (DEEP + 1)


def test_functions_within_functions_are_refused_beyond_what_can_be_read() -> None:
    sines = [sine({k: 1.0}) for k in range(DEEP)]
    with pytest.raises(EqlearnError, match=f"at most {MOST_NESTED} deep"):
        to_sympy(formulas([formula(1, {DEEP: 1.0}, *sines)], inputs=["x"]))


def test_constants_that_a_printer_multiplies_have_as_many_digits_as_others() -> None:
    # 1.812 (0.00318 x + 0.4321) / (0.7123 x + 1.234): the factor goes into the sum.
    above, below = {0: 0.00318, CONSTANT: 0.4321}, {0: 0.7123, CONSTANT: 1.234}
    inside = [Node("divide", (above, below)), Node("atan", ({1: 1.812},))]
    one = formulas([formula(1, {2: 1.0}, *inside)], inputs=["x"])
    numbers = re.findall(r"\d+\.\d+", mathml(one, 4))
    assert numbers == ["0.005762", "0.783", "0.7123", "1.234"]


def test_a_falling_exponential_is_no_fraction_and_its_e_a_letter() -> None:
    # 2 + 3 exp(-0.5 x), in the order that every other form has.
    falling = Node("exp", ({0: -0.5},))
    one = formulas([formula(1, {1: 3.0, CONSTANT: 2.0}, falling)], inputs=["x"])
    shown = mathml(one, 4)
    assert "mfrac" not in shown
    letters = re.sub(r"<.*?>|\u2062", "", shown)
    assert letters == "y=2+3e-0.5x"


#: P (1 + r)^n, as it is found.
INTEREST = formula(
    3,
    {6: 1.0},
    Node("log", ({1: 1.0, CONSTANT: 1.0},)),
    multiply({2: 1.0}, {3: 1.0}),
    Node("exp", ({4: 1.0},)),
    multiply({0: 1.0}, {5: 1.0}),
)


def test_a_power_reads_as_one_in_every_form(caplog: pytest.LogCaptureFixture) -> None:
    words = ["P", "r", "n"]
    assert formula_text(INTEREST, words, "A") == "A = P*(r + 1)**n"
    one = formulas([INTEREST], words, ["A"])
    assert latex(one) == r"A = P \left(r + 1\right)^{n}"
    letters = re.sub(r"<.*?>|\u2062", "", mathml(one))
    assert letters == "A=P(r+1)n"
    (expression,) = export(one, "sympy")  # which compares values, too
    assert str(expression) == "P*(r + 1)**n"
    # Of a negative base there is no real power; more digits do not help.
    assert not caplog.records
    x = np.array([[2.0, 0.5, 3.0]])
    assert expression.subs(dict(zip(words, x[0], strict=True))) == pytest.approx(
        INTEREST.evaluate(x)[0].item()
    )


def test_whether_powers_are_written_as_one_is_told_by_ranges() -> None:
    # 0.023 x^2 (z/x^3)^0.4
    powers = (
        multiply({0: 1.0}, {0: 1.0}),
        multiply({2: 1.0}, {0: 1.0}),
        Node("divide", ({1: 1.0}, {3: 1.0})),
        Node("log", ({4: 1.0},)),
        Node("exp", ({5: 0.4},)),
        multiply({2: 1.0}, {6: 1.0}),
    )
    of_two = formula(2, {7: 0.023}, *powers)
    words = ["Re", "Pr"]
    positive = formulas([of_two], words, ["Nu"], [(1e4, 1e5), (0.7, 10.0)])
    shown = latex(positive, 4)
    assert shown == r"\mathrm{Nu} = 0.023 \mathrm{Re}^{0.8} \mathrm{Pr}^{0.4}"
    any_sign = formulas([of_two], words, ["Nu"])
    assert "left(" in latex(any_sign, 4)


def test_a_column_without_a_name_is_not_left_out_of_a_formula() -> None:
    product = formula(2, {2: 1.0}, multiply({0: 2.0}, {1: 1.0}))
    assert formula_text(product, ["", "x"], "y") == "y = 2*x*⟨1⟩"
