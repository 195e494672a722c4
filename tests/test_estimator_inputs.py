"""What the front door does with what it is given, without a search."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from eqlearn.errors import EqlearnError
from eqlearn.estimator_inputs import (
    default_names,
    domain_of,
    given,
    in_one_line,
    kept_parameters,
    recipe_of,
    seed_of,
    target_names,
    units_of,
)
from eqlearn.network.units import PAPER_UNITS
from eqlearn.search.attempts.grid_networks import PAPER_DEPTHS, Grid
from eqlearn.search.task import DEFAULT_UNITS


class Learner:
    """Something that scikit-learn can tell the names of its inputs."""

    n_features_in_: int

    def __sklearn_tags__(self) -> Any:
        from eqlearn import EquationLearner

        return EquationLearner().__sklearn_tags__()


def test_data_become_tables_of_numbers_with_names() -> None:
    x = pd.DataFrame({"a": [1, 2, 3], "b": [4, 5, 6]})
    found = given(Learner(), x, pd.Series([1, 2, 3], name="y z"), None, None)
    assert (found.inputs, found.targets, found.is_flat) == (("a", "b"), ("y z",), True)
    assert found.x.dtype == found.y.dtype == float
    assert found.y.shape == (3, 1)
    assert found.weight is None and found.far is None


def test_rows_of_no_weight_are_left_out() -> None:
    x, y = np.arange(8.0).reshape(4, 2), np.arange(8.0).reshape(4, 2)
    found = given(Learner(), x, y, [1, 0, 2, 0], ([[9, 9]], [[1, 2]]))
    np.testing.assert_array_equal(found.x, x[[0, 2]])
    np.testing.assert_array_equal(found.y, y[[0, 2]])
    assert found.weight is not None and found.weight.tolist() == [1.0, 2.0]
    assert found.far is not None and found.far[1].tolist() == [[1.0, 2.0]]
    assert (found.targets, found.is_flat) == (("y1", "y2"), False)


@pytest.mark.parametrize(
    ("weight", "far", "message"),
    [
        ([1, -1, 1], None, "Negative values"),
        ([0, 0, 0], None, "non-zero"),
        (None, 3, "`extrapolation` must be a pair"),
        (None, ([[1.0]], [1.0, 2.0]), r"y of shape \(1, 1\); got \(2,"),
    ],
)
def test_other_data_are_refused(weight: Any, far: Any, message: str) -> None:
    with pytest.raises(EqlearnError, match=message):
        given(Learner(), [[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0], weight, far)


def test_names_of_columns_that_have_none() -> None:
    assert default_names("x", 3) == ("x1", "x2", "x3")
    assert target_names([1.0], (1,)) == ("y",)
    assert target_names([[1.0]], (1, 1)) == ("y",)
    assert target_names([[1.0, 2.0]], (1, 2)) == ("y1", "y2")


def test_a_domain_may_name_some_inputs() -> None:
    x = np.array([[1.0, -1.0], [3.0, 1.0]])
    assert domain_of(None, ["a", "b"], x).tolist() == [[0.5, 4.0], [-2.0, 2.0]]
    assert domain_of({"b": (0, 9)}, ["a", "b"], x).tolist() == [[0.5, 4.0], [0.0, 9.0]]
    assert domain_of([(1, 2), (3, 4)], ["a", "b"], x).tolist() == [[1, 2], [3, 4]]
    with pytest.raises(EqlearnError, match="`domain` must be one of 'a', 'b'; got 'c'"):
        domain_of({"c": (0, 1)}, ["a", "b"], x)


def test_a_seed_of_any_random_state() -> None:
    assert seed_of(np.int64(3)) == 3
    assert seed_of(np.random.RandomState(0)) == seed_of(np.random.RandomState(0))
    assert seed_of(None) >= 0
    with pytest.raises(EqlearnError, match="`random_state` must be an integer, a Ran"):
        seed_of("zero")


def test_functions_are_units_of_networks() -> None:
    assert units_of(None) == DEFAULT_UNITS
    assert units_of("paper") == PAPER_UNITS
    assert units_of(["sin", "exp"]) == ("sin", "exp")
    with pytest.raises(EqlearnError, match="`functions` must be one of"):
        units_of(["paper"])


def test_the_papers_recipe_is_a_grid() -> None:
    assert recipe_of("fast", None, None, 10) == "fast"
    found = recipe_of("paper", None, None, 3)
    assert isinstance(found, Grid)
    assert (found.depths, found.units, found.units_per_type) == (
        PAPER_DEPTHS,
        PAPER_UNITS,
        3,
    )
    assert recipe_of("paper", ["sin"], [2], 3) == Grid(
        depths=(2,), units=("sin",), units_per_type=3
    )


def test_a_file_keeps_the_parameters_of_the_science() -> None:
    given = {"functions": ["sin"], "n_jobs": 4, "run_dir": "x", "recipe": Grid()}
    assert kept_parameters({**given, "time_limit": float("inf"), "snap": True}) == {
        "functions": ["sin"],
        "snap": True,
    }


@pytest.mark.parametrize("kind", [ValueError, TypeError, OverflowError])
def test_errors_of_others_become_one_line(kind: type[Exception]) -> None:
    with pytest.raises(EqlearnError, match="^one$") as caught, in_one_line():
        raise kind("one\ntwo")
    assert isinstance(caught.value, TypeError) == (kind is TypeError)
