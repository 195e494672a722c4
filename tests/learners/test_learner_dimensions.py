"""What a search makes of dimensions, from headers to the report."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from eqlearn import EqlearnError, EquationLearner
from eqlearn.knowledge.measuring.dimensionless import GroupSet
from eqlearn.knowledge.measuring.dimensions import dimensions_of
from eqlearn.report.findings import findings, measured
from eqlearn.search.attempts.input_views import View
from eqlearn.search.prepare import tasks_of
from eqlearn.search.request import Request
from eqlearn.search.survey.looks import views_of
from eqlearn.search.survey.reductions import dimensionless_views

RNG = np.random.default_rng(0)
N = 150
V, T, MU = RNG.uniform(5, 40, N), RNG.uniform(0.5, 2, N), RNG.uniform(0.3, 0.9, N)
STOP = V * T + V**2 / (2 * MU * 9.80665)
INPUTS = {0, 1, 2}
TABLE = pd.DataFrame({"v [m/s]": V, "t [s]": T, "mu [1]": MU})


def learned(x: Any, y: Any, **options: Any) -> EquationLearner:
    return EquationLearner(n_jobs=1, max_attempts=8, **options).fit(x, y)


def task_of(y: Any, constants: Any = None) -> Any:
    known = dimensions_of("v: m/s, t: s, mu: 1, s: m", constants, ("v", "t", "mu"), "s")
    request = Request(TABLE.to_numpy(), y[:, None], dimensions=known)
    return tasks_of(request)[0]


def test_headers_give_dimensions_and_a_name_to_the_constant() -> None:
    learner = learned(TABLE, pd.Series(STOP, name="s [m]"), constants=["g"])
    np.testing.assert_allclose(learner.predict(TABLE), STOP, rtol=1e-6)
    reasons = " ".join(learner.verdict_[0].reasons)
    assert "Its dimensions match if its constants are in " in reasons
    assert "is 1/(2*g)." in reasons
    assert {"dimension", "si_value", "named"} <= set(learner.constants_.columns)
    assert learner.constants_.named.notna().any()
    assert learner.equations_["mismatched_dimensions"][0] == 0


def test_a_law_of_pure_numbers_says_so() -> None:
    y = pd.Series(0.5 * V * T, name="s [m]")
    learner = learned(TABLE[["v [m/s]", "t [s]"]], y)
    assert learner.verdict_[0].reasons[-1] == (
        "Its dimensions match: every constant is a pure number."
    )


def test_the_search_sees_groups_that_say_as_much_as_all_inputs() -> None:
    task = task_of(STOP, "g")
    views, are_sure = dimensionless_views(task)
    assert are_sure
    assert all(view.n_variables == 2 for view in views)
    assert min(view.n_variables for view in views_of(task, (0, 1, 2))) <= 2


def test_groups_that_do_not_say_all_are_not_believed() -> None:
    # Without g the only variable would be mu, and t/v matters too.
    task = task_of(STOP)
    assert task.group_sets[0] == GroupSet((1.0, 1.0, 0.0), ((0.0, 0.0, 1.0),))
    assert dimensionless_views(task) == ([], False)
    for view in views_of(task, (0, 1, 2)):
        assert {*view.inputs, *(view.units.used_inputs if view.units else ())} == INPUTS


def test_what_is_seen_of_a_task_has_other_inputs_and_knows_nothing() -> None:
    seen = View((0, 2)).of(task_of(STOP, "g"))
    assert seen.group_sets == () and seen.constraints == ()


def test_inputs_are_not_shifted_where_products_are_made_of_them() -> None:
    x = np.column_stack([RNG.uniform(300, 305, N), RNG.uniform(1, 2, N)])
    y = (8.314 * x[:, 0] / x[:, 1])[:, None]
    known = dimensions_of("T: K, V: m^3/mol, p: Pa", "R", ("T", "V"), ("p",))
    (plain,) = tasks_of(Request(x.copy(), y))
    (task,) = tasks_of(Request(x.copy(), y, dimensions=known))
    assert any(plain.origins) and not any(task.origins)
    assert task.group_sets == (GroupSet((1.0, -1.0), ()),)


def test_constants_are_told_in_si_units_where_the_table_has_others() -> None:
    x = pd.DataFrame({"v [km/h]": 3.6 * V, "mu [1]": MU})
    y = pd.Series(V**2 / (2 * MU * 9.80665), name="s [m]")
    learner = learned(x, y, constants="g")
    row = learner.constants_.iloc[0]
    assert (row.dimension, row.named) == ("s^2/m", "1/(2*g)")
    assert row.si_value == pytest.approx(1 / (2 * 9.80665), rel=1e-6)
    (finding,) = findings(learner.model_)
    assert "= 0.05099 s^2/m = 1/(2*g)" in measured(finding.constants[0])


def test_a_missing_constant_is_said() -> None:
    x = pd.DataFrame({"t [s]": T})
    learner = learned(x, pd.Series(4.9 * T**2, name="s [m]"))
    reasons = " ".join(learner.verdict_[0].reasons)
    assert "No product of inputs is in m: there must be such a constant." in reasons
    assert "are in m/s^2." in reasons


def test_they_are_kept_in_the_model_file(tmp_path: Path) -> None:
    x = pd.DataFrame({"t": T})
    given = {"t": "s", "s": "m"}
    learner = learned(x, pd.Series(4.9 * T**2, name="s"), dimensions=given)
    learner.save(tmp_path / "model.json")
    again = EquationLearner.load(tmp_path / "model.json")
    assert again.get_params()["dimensions"] == given
    assert list(again.constants_.dimension) == ["m/s^2"]


def test_without_dimensions_nothing_is_said() -> None:
    learner = learned(pd.DataFrame({"t": T}), 4.9 * T**2)
    assert "dimension" not in str(learner.verdict_[0])
    assert list(learner.constants_.columns)[-1] == "snapped"


def test_other_dimensions_are_another_run(tmp_path: Path) -> None:
    x, y = pd.DataFrame({"t": T}), pd.Series(4.9 * T**2, name="s")
    learned(x, y, dimensions="t: s, s: m", run_dir=tmp_path / "run")
    with pytest.raises(EqlearnError, match="dimensions"):
        learned(x, y, dimensions="t: s, s: km", run_dir=tmp_path / "run")


def test_a_mistake_is_said_before_the_search() -> None:
    with pytest.raises(EqlearnError, match="got 'none for y'"):
        learned(pd.DataFrame({"t": T}), T, dimensions="t: s")
