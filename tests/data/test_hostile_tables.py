"""Whatever is given: an equation, or one line that says what is wrong."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eqlearn import EqlearnError, EquationLearner

NUMBERS = st.one_of(
    st.floats(-10, 10),
    st.floats(),
    st.sampled_from([0.0, 1.0, np.nan, np.inf, 1e-300, 1e300, -1e-30, 5]),
    st.integers(-3, 3),
)
ANYTHING = st.one_of(NUMBERS, st.none(), st.text(max_size=3), st.booleans())


@st.composite
def columns(draw: st.DrawFn, n_rows: int) -> list[Any]:
    """A column: mostly of numbers, some of them constant, huge, missing or text."""
    kind = draw(st.sampled_from(["smooth", "smooth", "numbers", "anything", "one"]))
    if kind == "smooth":
        rng = np.random.default_rng(draw(st.integers(0, 99)))
        size = 10.0 ** draw(st.sampled_from([0, 0, 0, -6, 6, -160, 160]))
        return list(size * rng.uniform(-1, 1, n_rows))
    if kind == "one":
        return [draw(ANYTHING)] * n_rows
    values = NUMBERS if kind == "numbers" else ANYTHING
    return draw(st.lists(values, min_size=n_rows, max_size=n_rows))


@st.composite
def frames(draw: st.DrawFn) -> tuple[pd.DataFrame, pd.DataFrame]:
    n_rows = draw(st.integers(0, 12))
    names = draw(st.lists(st.text(max_size=4), max_size=5))
    table = pd.DataFrame({i: draw(columns(n_rows)) for i in range(len(names))})
    table.columns = pd.Index(names)
    n_inputs = draw(st.integers(0, len(names)))
    return table.iloc[:, :n_inputs], table.iloc[:, n_inputs:]


PAIRS = st.lists(st.tuples(NUMBERS, NUMBERS), max_size=3)
ARGUMENTS: dict[str, st.SearchStrategy[Any]] = {
    "functions": st.lists(
        st.sampled_from(["sin", "log", "exp", "sine", "", 3]), max_size=3
    ),
    "domain": st.one_of(PAIRS, st.dictionaries(st.sampled_from(["x1", "a"]), NUMBERS)),
    "recipe": st.sampled_from(["fast", "slow", None, 3]),
    "selection": st.sampled_from(["information", "v_int_s", "v_int_ex", "bic", None]),
    "time_limit": st.sampled_from([0.1, "1s", "soon", 0, -1, np.nan, np.inf, [1]]),
    "max_attempts": st.sampled_from([1, 2, 0, 2.5, "1", np.int64(2), None]),
    "n_jobs": st.sampled_from([1, None, 0, 1.5, "all"]),
    "random_state": st.sampled_from([0, -1, None, "a", 2.5, np.int64(3)]),
    "snap": st.booleans(),
}


def fitted(x: Any, y: Any, **options: Any) -> EquationLearner | None:
    """Fit; what is refused is refused in one line of our own."""
    arguments = {"n_jobs": 1, "max_attempts": 1, **options}
    try:
        learner = EquationLearner(**arguments).fit(x, y)
    except EqlearnError as error:
        assert "\n" not in str(error)
        return None
    assert learner.equation_.count(" = ") >= 1
    return learner


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(frames())
def test_any_frame_gives_an_equation_or_one_line(
    frame: tuple[pd.DataFrame, pd.DataFrame],
) -> None:
    x, y = frame
    learner = fitted(x, y)
    if learner is not None:
        assert len(learner.predict(x)) == len(x)


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.fixed_dictionaries({}, optional=ARGUMENTS))
def test_any_arguments_give_an_equation_or_one_line(options: dict[str, Any]) -> None:
    x = np.linspace(1, 2, 20)[:, np.newaxis]
    fitted(x, 3 * x[:, 0] + 1, **options)
