import builtins
import keyword
import math
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eqlearn.equation.write.formulas import formulas
from eqlearn.equation.write.names import (
    _C_WORDS,
    identifiers,
    latex_name,
    markup_name,
    visible,
)
from eqlearn.equation.write.source import c_source
from eqlearn.network.graph import CONSTANT, Graph


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
    assert markup_name("a\"'&", 0) == "a&quot;&#x27;&amp;"


@pytest.mark.parametrize(
    ("compiler", "language", "standard"),
    [("gcc", "c", "c99"), ("gcc", "c", "gnu17"), ("g++", "c++", "gnu++20")],
)
def test_no_column_is_called_like_a_word_of_the_compiler(
    compiler: str, language: str, standard: str, tmp_path: Path
) -> None:
    """R-29: every macro of math.h, and every keyword of C."""
    gcc = [shutil.which(compiler) or "", f"-std={standard}"]
    if not gcc[0]:
        pytest.skip(f"NO C COMPILER: {compiler} is missing")
    listed = subprocess.run(
        [*gcc, "-dM", "-E", "-D_GNU_SOURCE", "-x", language, "-"],
        input="#include <math.h>",
        capture_output=True,
        text=True,
        check=True,
    )
    macros = re.findall(r"#define (\w+) ", listed.stdout)
    words = [*{*macros, *_C_WORDS, "math_errhandling", *dir(math), *dir(builtins)}]
    sums = Graph(
        len(words), (), (({i: 1.0 for i in range(len(words))}, {CONSTANT: 1.0}),)
    )
    text = c_source(formulas([sums], words))
    (tmp_path / "formula.c").write_text(text, encoding="utf-8")
    command = [*gcc, "-x", language, "-c", "formula.c"]
    subprocess.run(command, cwd=tmp_path, check=True)
