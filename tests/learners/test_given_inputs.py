"""What the front door does with what it is given, without a search."""

import time
import warnings
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars
import pytest
from scipy import sparse

from eqlearn import EquationLearner
from eqlearn.errors import EqlearnError
from eqlearn.learners.given_inputs import (
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
from eqlearn.search.learn import MOMENT
from eqlearn.search.request import Request


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
    # Not that the domain is too large, of which nobody has said anything.
    with pytest.raises(
        EqlearnError, match=r"^`X` must be .*; got .*e\+150 in column `a"
    ):
        domain_of(None, ["a", "b"], x * [1e150, 1.0])


def test_a_seed_of_any_random_state() -> None:
    assert seed_of(np.int64(3)) == 3
    assert seed_of(np.random.RandomState(0)) == seed_of(np.random.RandomState(0))
    assert seed_of(None) >= 0
    with pytest.raises(EqlearnError, match="`random_state` must be an integer, a Ran"):
        seed_of("zero")


def test_functions_are_units_of_networks() -> None:
    assert units_of(None) is None
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
        "guesses": None,
    }


@pytest.mark.parametrize("kind", [ValueError, TypeError, OverflowError])
def test_errors_of_others_become_one_line(kind: type[Exception]) -> None:
    with pytest.raises(EqlearnError, match="^one$") as caught, in_one_line():
        raise kind("one\ntwo")
    assert isinstance(caught.value, TypeError) == (kind is TypeError)


NAN = float("nan")
ROWS = [[1.0], [2.0], [3.0]]


@pytest.mark.parametrize(
    ("x", "y"),
    [
        (ROWS, [NAN] * 3),
        (ROWS, ["a", "b", "c"]),
        ([["a"]] * 3, [1.0] * 3),
        ([[NAN]] * 3, [1.0] * 3),
        (np.zeros((0, 1)), []),
        ([[1.0, 2.0]] * 3, [1.0] * 3),
        ([1.0, 2.0], [1.0, 2.0]),
        (None, [1.0]),
        (ROWS, None),
        (ROWS, [[1.0, 2.0], [3.0]]),
        (ROWS, 5),
        (ROWS, sparse.csr_matrix([[1.0], [2.0], [3.0]])),
        (ROWS, np.array(["2020-01-01"] * 3, dtype="datetime64[s]")),
    ],
)
def test_far_points_that_are_none_are_refused_in_one_line(x: Any, y: Any) -> None:
    with pytest.raises(EqlearnError) as caught:
        given(Learner(), ROWS, [1.0, 2.0, 3.0], None, (x, y))
    assert "\n" not in str(caught.value)


def test_of_far_points_it_is_said_that_it_is_them() -> None:
    for far in (([[NAN]], [1.0]), ([[1.0]], [2j]), ([[1.0]], ["a"])):
        with pytest.raises(EqlearnError, match="`extrapolation`"):
            given(Learner(), ROWS, [1.0, 2.0, 3.0], None, far)


@pytest.mark.parametrize(
    "parameter",
    [
        {"depths": [2.5]},
        {"depths": ["a"]},
        {"depths": [10**9]},
        {"depths": []},
        {"units_per_type": 0},
        {"units_per_type": 10**9},
    ],
)
def test_networks_that_cannot_be_are_refused_before_the_search(
    parameter: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "eqlearn.learners.learning.learn", lambda *_: pytest.fail("searched")
    )
    (name,) = parameter
    with pytest.raises(EqlearnError, match=f"`{name}` must be"):
        EquationLearner(recipe="paper", **parameter).fit(ROWS * 5, [1.0, 2.0, 3.0] * 5)


def test_masked_values_are_missing() -> None:
    x = np.ma.masked_equal([[1, 2], [3, 99], [5, 6]], 99)
    with pytest.raises(EqlearnError, match="contains NaN"):
        given(Learner(), x, [1.0, 2.0, 3.0], None, None)
    y = np.ma.array([1.0, 2.0, 99.0], mask=[False, False, True])
    with pytest.raises(EqlearnError, match="contains NaN"):
        given(Learner(), ROWS, y, None, None)
    with pytest.raises(EqlearnError, match="contains NaN"):
        given(Learner(), ROWS, [1.0, 2.0, 3.0], y, None)
    rows = [np.ma.array([1.0, 2.0], mask=[False, True])] * 3
    with pytest.raises(EqlearnError, match="contains NaN"):
        given(Learner(), rows, [1.0, 2.0, 3.0], None, None)
    whole = np.ma.array([[1], [2], [3]])
    assert given(Learner(), whole, [1, 2, 3], None, None).x.tolist() == ROWS


DAYS = pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03"])


@pytest.mark.parametrize(
    "times",
    [
        DAYS.to_numpy()[:, None],
        (DAYS - DAYS[0]).to_numpy()[:, None],
        pd.DataFrame({"a": [1, 2, 3], "t": DAYS}),
        pd.DataFrame({"t": DAYS.tz_localize("UTC")}),
        polars.DataFrame({"t": list(DAYS)}),
        [[np.datetime64("2020-01-01")]] * 3,
        np.array([[np.datetime64("2020-01-01", "ns")]] * 3, dtype=object),
        np.array([[1], [np.timedelta64(5, "ns")], [2]], dtype=object),
    ],
)
def test_times_are_no_numbers(times: Any) -> None:
    with pytest.raises(EqlearnError, match="seconds since the first"):
        given(Learner(), times, [1.0, 2.0, 3.0], None, None)
    with pytest.raises(EqlearnError, match="seconds since the first"):
        given(Learner(), ROWS, DAYS.to_series(), None, None)


@pytest.mark.parametrize("kind", ["X", "y"])
def test_what_is_sparse_is_refused_with_what_to_do(kind: str) -> None:
    column = sparse.csr_matrix(np.ones((3, 1)))
    x, y = (column, [1, 2, 3]) if kind == "X" else (ROWS, column)
    with pytest.raises(EqlearnError, match=f"`{kind}` must be a dense array") as caught:
        given(Learner(), x, y, None, None)
    assert isinstance(caught.value, TypeError)


def test_weights_that_make_others_nothing_are_said() -> None:
    with pytest.warns(UserWarning, match="the smallest count for nothing"):
        given(Learner(), ROWS, [1, 2, 3], [1e-300, 1.0, 1e300], None)


@pytest.mark.parametrize("kind", [list, np.array])
def test_whole_numbers_that_lose_digits_are_said(kind: Any) -> None:
    long = kind([2**60, 2**60 + 1, 2**60 + 2])
    with pytest.warns(UserWarning, match="`y`: numbers beyond 2.53 are rounded"):
        given(Learner(), ROWS, long, None, None)
    with pytest.warns(UserWarning, match="`y`: numbers beyond 2.53 are rounded"):
        given(Learner(), ROWS, kind([-(2**60), 0, 1]), None, None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        given(Learner(), ROWS, kind([2**53, -(2**53), 1]), None, None)


def test_inputs_that_hardly_differ_are_said() -> None:
    with pytest.warns(UserWarning, match="`x1` is near 1e.09 .* subtract its smallest"):
        given(Learner(), [[1e9], [1e9 + 1], [1e9 + 2]], [1, 2, 3], None, None)


@pytest.mark.parametrize("run_dir", ["a\0b", 5, b"run", "", "\ud800"])
def test_a_directory_that_cannot_be_is_refused(run_dir: Any) -> None:
    learner = EquationLearner(run_dir=run_dir)
    with pytest.raises(EqlearnError, match="`run_dir` must be the path"):
        learner.fit(ROWS * 5, [1.0, 2.0, 3.0] * 5)


@pytest.mark.parametrize(
    "parameter",
    [
        {"random_state": 2**70},
        {"max_attempts": 10**20},
        {"time_limit": 10**30},
        {"domain": [(-1e308, 1e308)]},
        {"domain": [("a", "b")]},
    ],
)
def test_what_could_not_be_saved_is_refused_before_the_search(
    parameter: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-24: a search is for nothing if its model cannot be kept."""
    monkeypatch.setattr(
        "eqlearn.learners.learning.learn", lambda *_: pytest.fail("searched")
    )
    (name,) = parameter
    with pytest.raises(EqlearnError, match=f"`{name}` must be") as caught:
        EquationLearner(**parameter).fit(ROWS * 5, [1.0, 2.0, 3.0] * 5)
    assert "\n" not in str(caught.value)


def test_what_checks_take_is_part_of_a_time_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """R-22: telling wild values apart takes seconds in a large table."""
    asked: list[float | None] = []

    def slow(*_: object) -> None:
        time.sleep(0.2)

    def kept(request: Request, *_: object) -> None:
        asked.append(request.time_limit)
        raise EqlearnError("enough")

    monkeypatch.setattr("eqlearn.learners.learning.typical_rows", slow)
    monkeypatch.setattr("eqlearn.learners.learning.learn", kept)
    for limit in (60.0, 0.1, None):
        with pytest.raises(EqlearnError, match="enough"):
            EquationLearner(time_limit=limit).fit(ROWS * 5, [1.0, 2.0, 3.0] * 5)
    assert asked[0] is not None and asked[0] < 59.8
    assert asked[1:] == [MOMENT, None]


def test_too_many_inputs_are_refused_before_the_search() -> None:
    x = np.random.default_rng(0).uniform(size=(20, 12_000))
    with pytest.raises(EqlearnError, match="at most 10,000 inputs; got 12000"):
        EquationLearner(time_limit=1).fit(x, x[:, 0])


@pytest.mark.parametrize(
    "x", [[[NAN]], [["a"]], [], [[1.0, 2.0]], None, [1.0], sparse.csr_matrix([[1.0]])]
)
def test_predictions_for_what_is_no_table_are_refused_in_one_line(x: Any) -> None:
    learner = EquationLearner.load(
        Path(__file__).parents[1] / "model" / "version-1.json"
    )
    learner.n_features_in_ = 1
    del learner.feature_names_in_
    with pytest.raises(EqlearnError) as caught:
        learner.predict(x)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "name",
    [*("functions", "domain", "recipe", "depths", "units_per_type", "selection")]
    + [*("time_limit", "max_attempts", "n_jobs", "scheduler", "random_state")],
)
@pytest.mark.parametrize(
    "value", [2.5, NAN, b"x", [[1]], [None], {"a": 1}, object(), 1j, 10**400, ROWS]
)
def test_parameters_of_another_kind_are_refused_in_one_line(
    name: str, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "eqlearn.learners.learning.learn", lambda *_: pytest.skip("is one")
    )
    with pytest.raises(EqlearnError) as caught:
        EquationLearner(**{name: value}).fit(ROWS * 5, [1.0, 2.0, 3.0] * 5)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["snap", "warm_start", "verbose"])
@pytest.mark.parametrize("value", [[], None, np.eye(2), object(), 2.5])
def test_switches_of_another_kind_are_refused(name: str, value: Any) -> None:
    with pytest.raises(EqlearnError, match=f"^`{name}` must be True"):
        EquationLearner(**{name: value}).fit(ROWS * 5, [1.0, 2.0, 3.0] * 5)


@pytest.mark.parametrize(
    "weight", [NAN, 2.0 + 1j, Decimal("NaN"), 10**400, [NAN] * 3, "a", [[1.0]]]
)
def test_weights_that_are_none_are_refused_in_one_line(weight: Any) -> None:
    with pytest.raises(EqlearnError) as caught:
        given(Learner(), np.eye(3), [1.0, 2.0, 3.0], weight, None)
    assert "\n" not in str(caught.value) and "reduction" not in str(caught.value)


@pytest.mark.parametrize("weight", [2**70, Fraction(1, 3), True])
def test_one_weight_may_stand_for_all(weight: Any) -> None:
    found = given(Learner(), np.eye(3), [1.0, 2.0, 3.0], weight, None)
    assert found.weight is not None and found.weight.dtype == np.float64


def test_settings_of_numpys_types_are_kept_as_pythons() -> None:
    kept = kept_parameters({"snap": np.False_, "random_state": np.int64(3)})
    assert kept["snap"] is False and kept["random_state"] == 3


#: What is no path, no form, no column and no table.
NONSENSE = (None, 2.5, [[1]], {"a": 1}, object(), 1j, np.eye(2), np.ma.masked)


@pytest.mark.parametrize("value", NONSENSE)
@pytest.mark.parametrize(
    ("method", "name"),
    [
        *[("save", "path"), ("load", "path"), ("export", "form")],
        *[("plot_fit", "y"), ("plot_slices", "y"), ("plot_residuals", "y")],
        *[("plot_fit", "target"), ("plot_front", "target"), ("score", "y")],
        *[("latex", "arranged"), ("predict", "return_interval"), ("simulate", "state")],
    ],
)
def test_methods_refuse_what_they_cannot_use_in_one_line(
    method: str, name: str, value: Any
) -> None:
    """R-5: not only `fit` is given anything."""
    learner = EquationLearner.load(
        Path(__file__).parents[1] / "model" / "version-1.json"
    )
    rows = np.ones((4, learner.n_features_in_))
    usual: dict[str, dict[str, Any]] = {
        "plot_fit": {"X": rows, "y": rows[:, 0]},
        "plot_slices": {"X": rows, "y": rows[:, 0]},
        "plot_residuals": {"X": rows, "y": rows[:, 0]},
        "predict": {"X": rows},
        "score": {"X": rows},
        "simulate": {"dt": 0.1, "n_steps": 2},
    }
    if value is None and (method, name) in NONE_IS_ALLOWED:
        pytest.skip("None is the default")
    with warnings.catch_warnings(), pytest.raises(EqlearnError) as caught:
        warnings.simplefilter("ignore")
        getattr(learner, method)(**{**usual.get(method, {}), name: value})
    assert "\n" not in str(caught.value)


NONE_IS_ALLOWED = (
    *[("plot_fit", "target"), ("plot_front", "target"), ("latex", "arranged")],
    ("predict", "return_interval"),
)


def test_columns_that_are_missing_are_named_in_one_line() -> None:
    lines = "The feature names should match those that were passed during fit.\n"
    lines += "Feature names seen at fit time, yet now missing:\n- a\n- b\n"
    with pytest.raises(EqlearnError, match="yet now missing: a, b$"), in_one_line():
        raise ValueError(lines)
