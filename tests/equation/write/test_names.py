import keyword
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eqlearn.equation.write.names import identifiers, latex_name, markup_name, visible


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("speed", "speed"),
        ("Temp. (°C)", "Temp_C"),
        ("2nd", "x1_2nd"),
        ("", "x1"),
        ("größe", "gr_e"),
        ("_hidden_", "hidden"),
        ("lambda", "lambda_"),  # a keyword of Python
        ("double", "double_"),  # of C
        ("u1", "u1_"),  # what units are called
        ("M_PI", "M_PI_"),  # a constant of math.h
        ("a" * 40, "a" * 31),
    ],
)
def test_names_become_identifiers(name: str, found: str) -> None:
    assert identifiers([name]) == [found]


def test_equal_identifiers_are_numbered() -> None:
    assert identifiers(["a b", "a-b", "a_b"], taken=["a_b"]) == [
        "a_b_2",
        "a_b_3",
        "a_b_4",
    ]


@given(st.lists(st.text(max_size=12), max_size=8))
def test_identifiers_are_valid_and_different_whatever_the_names(
    names: list[str],
) -> None:
    found = identifiers(names)
    assert len(set(found)) == len(names)
    for word in found:
        assert re.fullmatch("[A-Za-z][A-Za-z0-9_]*", word)
        assert not keyword.iskeyword(word)


@pytest.mark.parametrize(
    ("name", "shown"),
    [("größe", "größe"), ("", "⟨3⟩"), ("  ", "⟨3⟩"), ("a\x1b[31m", "a\\x1b[31m")],
)
def test_names_are_shown_without_control_characters(name: str, shown: str) -> None:
    assert visible(name, 2) == shown


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("x", "x"),
        ("x12", "x_{12}"),
        ("speed", r"\mathrm{speed}"),
        ("a_b", r"\mathrm{a\_b}"),
        ("x-y", r"\mathrm{x\mbox{-}y}"),
        (r"\input", r"\mathrm{\backslash{}input}"),
        ("100%", r"\mathrm{100\%}"),
    ],
)
def test_names_in_latex(name: str, written: str) -> None:
    assert latex_name(name, 0) == written


def test_names_in_markup_close_no_tag_and_no_quote() -> None:
    assert markup_name("</mi>", 0) == "&lt;/mi&gt;"
    assert markup_name("a\"'&", 0) == "a&quot;&#39;&amp;"
