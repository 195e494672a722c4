import math

import pytest

from eqlearn.data.cells import advice, is_decimal_comma, is_missing, is_number, number


@pytest.mark.parametrize(
    ("cell", "value"),
    [("1", 1.0), (" -2.5e3 ", -2500.0), (".5", 0.5), ("5.", 5.0), ("+1E-2", 0.01)],
)
def test_numbers_are_read(cell: str, value: float) -> None:
    assert number(cell) == value


@pytest.mark.parametrize(
    "cell", ["", "1_000", "nan", "inf", "1,5", "0x10", "1e999", "٣", "1 2", "true"]
)
def test_what_python_would_take_or_guess_is_no_number(cell: str) -> None:
    assert math.isnan(number(cell))


def test_a_comma_is_a_decimal_sign_where_it_was_agreed_on() -> None:
    assert number("1,5", ",") == 1.5
    assert math.isnan(number("1.234,5", ","))  # thousands, or decimals?
    assert is_number("1,5", ".,") and not is_number("1,5", ".")
    assert is_decimal_comma("-0,5e3") and not is_decimal_comma("1,2,3")


@pytest.mark.parametrize(
    "cell", ["", " ", "NA", "n/a", "null", "-", "?", "#N/A", "<NA>"]
)
def test_words_for_nothing(cell: str) -> None:
    assert is_missing(cell)


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("1e999", "choose a larger unit"),
        ("NA", "Fill the cell in"),
        ("-inf", "Remove the row"),
        ("TRUE", "1 and 0"),
        ("1,234.5", "without separators"),
        ("1,5", "decimals after a point"),
        ("0xff", "in decimal"),
        ("1+2j", "real and imaginary"),
        ("2024-01-31", "seconds since the start"),
        ("12:30", "seconds since the start"),
        ("1d5", "exponent with e"),
        ("\u22125", "minus sign"),
        ("5 kg", "unit into the column's name"),
        ("# end", "Remove the comment"),
        ("1|2", "by commas"),
        ("word", "Correct the cell."),
    ],
)
def test_every_mistake_has_its_advice(cell: str, words: str) -> None:
    assert words in advice(cell)


def test_a_point_among_decimal_commas_is_named() -> None:
    assert "all decimals alike" in advice("1.5", ",")
