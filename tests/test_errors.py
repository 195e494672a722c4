import doctest
import pickle
from typing import Any

import numpy as np
import pytest

from eqlearn import errors
from eqlearn.errors import EqlearnError, malformed, must, printable, unknown


def test_the_pattern() -> None:
    error = must("l1", "at least 0", -1.0, "Leave it out for 1e-4.")
    assert str(error) == "`l1` must be at least 0; got -1.0. Leave it out for 1e-4."


def test_a_bad_cell_is_named_by_its_place() -> None:
    error = must("X", "finite", np.float64("nan"), where="in row 3, column 1")
    assert str(error) == "`X` must be finite; got nan in row 3, column 1."


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("sin", "'sin'"),
        (None, "None"),
        (np.int64(3), "3"),
        (np.array(0.5), "0.5"),
        (np.zeros((4, 2)), "an array of shape (4, 2)"),
        ("two\nlines", r"'two\nlines'"),
    ],
)
def test_values_are_shown_on_one_line(value: object, shown: str) -> None:
    assert f"; got {shown}." in str(must("x", "other", value))


def test_a_long_value_is_cut() -> None:
    assert len(str(must("x", "shorter", list(range(1000))))) < 120


@pytest.mark.parametrize(
    ("got", "hint"),
    [
        ("sine", " Did you mean 'sin'?"),
        ("SIN", " Did you mean 'sin'?"),
        ("gamma", ""),
        (3, ""),
    ],
)
def test_an_unknown_name_gets_the_nearest(got: object, hint: str) -> None:
    expected = f"`unit` must be one of 'cos', 'sin', 'tanh'; got {got!r}.{hint}"
    assert str(unknown("unit", got, ["cos", "sin", "tanh"])) == expected


def test_a_column_may_be_meant_without_its_unit() -> None:
    columns = ["T [K]", "p [Pa]", "Total mass"]
    assert str(unknown("target", "T", columns)).endswith("Did you mean 'T [K]'?")
    assert "Did you" not in str(unknown("target", "T", [*columns, "T [R]"]))


def test_names_that_differ_in_case_are_all_listed() -> None:
    assert "one of 'X', 'x'; got" in str(unknown("target", "y", ["X", "x"]))


def test_a_list_is_not_cut_by_one_name() -> None:
    names = [f"x{at}" for at in range(13)]
    assert "'x11', 'x12'; got" in str(unknown("target", "y", names))
    assert "'x11' or 2 more; got" in str(unknown("target", "y", [*names, "x13"]))


def test_a_long_list_of_names_is_cut() -> None:
    error = unknown("target", "y", [f"x{at}" * 100 for at in range(1000)], where="here")
    assert "or 988 more; got 'y' here." in str(error)
    assert len(str(error)) < 1200


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        ({}, "got 2. Do this."),
        ({"row": 1234}, "got 2 in row 1,234. Do this."),
        ({"column": "`x`"}, "got 2 in column `x`. Do this."),
        ({"row": 3, "column": "`x`"}, "got 2 in row 3, column `x`. Do this."),
    ],
)
def test_a_malformed_file(place: dict[str, Any], shown: str) -> None:
    error = malformed("a\nb.csv", "have 3", "2", "Do this.", **place)
    assert str(error) == rf"`a\nb.csv` must have 3; {shown}"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Δx <b>", "Δx <b>"),
        ("\x1b[2J\r\n\t", r"\x1b[2J\r\n\t"),
        ("\u202e\u200b\udc80", r"\u202e\u200b\udc80"),
        ("n" * 61, "n" * 59 + "…"),
        ("n" * 60, "n" * 60),
    ],
)
def test_text_from_files_is_made_harmless(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_the_error_survives_the_way_between_processes() -> None:
    error = pickle.loads(pickle.dumps(must("x", "other", 1)))
    assert isinstance(error, EqlearnError)
    assert str(error) == "`x` must be other; got 1."


def test_the_examples_are_true() -> None:
    assert doctest.testmod(errors).failed == 0
