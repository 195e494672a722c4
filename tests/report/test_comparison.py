"""Two runs side by side: errors on the same rows, and where equations part."""

from dataclasses import replace

import numpy as np
import pytest
from line_models import line, model

from eqlearn.errors import EqlearnError
from eqlearn.report.comparison import comparison, differences

ONE = replace(model(), equations=(line("y", 1.0, is_chosen=True),), targets=("y",))
OTHER = replace(ONE, equations=(line("y", 3.0, is_chosen=True),), domain=((0.0, 0.5),))
X = np.array([[1.0], [2.0]])


def test_errors_are_on_the_same_rows() -> None:
    (row,) = differences((ONE, OTHER), X, X)
    assert row.errors[0] == 0.0
    assert row.errors[1] == pytest.approx(np.sqrt(2**2 / 2 + 4**2 / 2))
    assert row.apart == row.errors[1]


def test_they_part_where_both_will_be_used() -> None:
    (row,) = differences((ONE, OTHER), X, X)
    assert 0.49 < row.at["x"] <= 0.5
    assert row.farthest == pytest.approx(2 * row.at["x"])


def test_it_is_said_in_words() -> None:
    lines = comparison(differences((ONE, OTHER), X, X)).splitlines()
    assert lines[:4] == [
        "  one: y = x",
        "       error 0 on 2 rows; complexity 1",
        "other: y = 3*x",
        "       error 3.16 on 2 rows; complexity 1",
    ]
    assert lines[4] == "On these rows they differ by 3.16 (root mean square)."
    assert lines[5].startswith(
        "In the domain of use they differ most, by 1, at x = 0.5"
    )


def test_other_inputs_and_targets_are_refused() -> None:
    renamed = replace(OTHER, inputs=("t",))
    with pytest.raises(EqlearnError, match="of the inputs x; got 't'"):
        differences((ONE, renamed), X, X)
    z = replace(OTHER, targets=("z",), equations=(line("z", 1.0, is_chosen=True),))
    with pytest.raises(EqlearnError, match="of one of the targets y; got 'z'"):
        differences((ONE, z), X, X)
