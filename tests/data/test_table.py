from typing import Any

import numpy as np
import pytest

from eqlearn.data.table import (
    check_memory,
    checked_domain,
    checked_samples,
    checked_weight,
    chosen_columns,
    column_of,
)
from eqlearn.errors import EqlearnError


def test_columns_are_found_by_name_blanks_and_accents_forgiven() -> None:
    names = ["x", " y ", "gro\u0308ße"]
    assert [column_of(names, name) for name in ("x", "y", "größe")] == [0, 1, 2]


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("z", "`column` must be one of 'x', 'x '; got 'z'"),
        (" x", "`column` must be the name of one column, exactly one of"),
    ],
)
def test_a_column_that_is_not_there_or_not_clear_is_named(
    wanted: str, message: str
) -> None:
    with pytest.raises(EqlearnError, match=message):
        column_of(["x", "x "], wanted)


def test_chosen_columns_keep_the_order_of_the_file() -> None:
    assert chosen_columns("a.csv", list("abcdefghi"), ["i", "b", "i"]) == [1, 8]
    assert chosen_columns("a.csv", ["x", "y"], None) == [0, 1]


def test_lists_become_arrays_of_floats() -> None:
    x, y = checked_samples([[1], [2]], [[3], [4]])
    assert x.dtype == y.dtype == np.float64
    low, high = checked_domain([(0, 1), (2, 2)], 2)
    assert (low.tolist(), high.tolist()) == ([0.0, 2.0], [1.0, 2.0])
    assert checked_weight([0, 2], 2).tolist() == [0.0, 2.0]


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda: checked_samples([[1.0]], [[1.0], [2.0]]), "`y` must be as long as x"),
        (lambda: checked_samples([[np.nan]], [[1.0]]), "`x` must be finite everywhere"),
        (lambda: checked_samples([1.0], [[1.0]]), "a table of samples by columns"),
        (lambda: checked_samples([["a"]], [[1.0]]), "`x` must be a table of numbers"),
        (lambda: checked_samples([[1e80]], [[1.0]]), "Choose another unit"),
        (lambda: checked_weight([1.0], 2), "one number for each of the 2 samples"),
        (lambda: checked_weight([1.0, -1.0], 2), "got -1.0 in row 1"),
        (lambda: checked_weight([0.0, 0.0], 2), "above 0 for some samples"),
        (lambda: checked_domain([(0, 1)], 2), "for each of the 2 inputs"),
        (lambda: checked_domain([(1, 0)], 1), "low <= high, both within"),
        (lambda: check_memory("a.csv", 2**60), "fit three times into the memory"),
    ],
)
def test_what_cannot_be_learned_from_is_refused(check: Any, message: str) -> None:
    with pytest.raises(EqlearnError, match=message):
        check()
