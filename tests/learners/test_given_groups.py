"""Groups: one form for all, constants of each where they differ."""

import time
from collections.abc import Iterator
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from patience import within

from eqlearn import EqlearnError, EquationLearner
from eqlearn.groups import form_starts, group_search
from eqlearn.learners.given_groups import taken_groups
from eqlearn.model import model_file

TIMES = np.array([0.25, 0.5, 1, 2, 3, 5, 8, 12, 16, 24.0])
AMOUNTS = np.array([5.0, 7.0, 8.0, 11.0])
RATES = np.array([0.1, 0.25, 0.15, 0.3])
SUBJECTS = ["ann", "bob", "eve", "joe"]


def table(noise: float = 0.02) -> tuple[pd.DataFrame, pd.Series]:
    group = np.repeat(np.arange(4), len(TIMES))
    t = np.tile(TIMES, 4)
    y = AMOUNTS[group] * np.exp(-RATES[group] * t) + 1.5
    y += noise * np.random.default_rng(0).normal(size=len(y))
    X = pd.DataFrame({"t": t, "subject": [SUBJECTS[i] for i in group]})
    return X, pd.Series(y, name="c")


X, Y = table()


def learn(**options: Any) -> EquationLearner:
    return EquationLearner(n_jobs=1, **options)


@pytest.fixture(scope="module", autouse=True)
def curves_only() -> Iterator[None]:
    """Forms come from usual curves and guesses: searches are tested elsewhere."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(group_search, "views", lambda *rows: iter(()))
        yield


@pytest.fixture(scope="module")
def learner() -> EquationLearner:
    return learn().fit(X, Y, groups="subject")


def test_one_form_has_letters_for_what_differs(learner: EquationLearner) -> None:
    assert learner.equation_.startswith("c = a*exp(-b*t) + 1.")


def test_each_group_has_its_constants(learner: EquationLearner) -> None:
    assert list(learner.groups_.index) == SUBJECTS
    np.testing.assert_allclose(learner.groups_["a"], AMOUNTS, rtol=0.02)
    np.testing.assert_allclose(learner.groups_["b"], RATES, rtol=0.05)


def test_each_constant_has_its_error(learner: EquationLearner) -> None:
    off = (learner.groups_["a"] - AMOUNTS) / learner.groups_["a_error"]
    assert (np.abs(off) < 4).all()
    assert (learner.groups_["b_error"] > 0).all()


def test_each_group_has_its_error(learner: EquationLearner) -> None:
    off = np.reshape(learner.predict(X) - Y, (4, -1))
    np.testing.assert_allclose(learner.groups_["rms"], np.sqrt(np.mean(off**2, axis=1)))


def test_of_one_group_the_error_is_its_own(learner: EquationLearner) -> None:
    (error,) = learner.of_group("eve").equations_["rms"][:1]
    assert error == learner.groups_.loc["eve", "rms"]


def test_a_new_group_has_its_error(learner: EquationLearner) -> None:
    t = pd.DataFrame({"t": [1.0, 2.0, 4.0, 8.0]})
    y = 6.0 * np.exp(-0.2 * t["t"]) + 1.5
    more = copy(learner)
    more.add_group("kim", t, y + [0.1, -0.1, 0.1, -0.1])
    left = more.predict(t, groups="kim") - y - [0.1, -0.1, 0.1, -0.1]
    assert more.groups_.loc["kim", "rms"] == pytest.approx(np.sqrt(np.mean(left**2)))


def test_a_run_with_groups_is_a_guess_for_others(learner: EquationLearner) -> None:
    other = learn(guesses=[learner], max_attempts=1)
    assert other.fit(X, Y, groups="subject").equation_ == learner.equation_
    alone = pd.DataFrame({"t": np.linspace(0.25, 24.0, 40)})
    plain = learn(guesses=[learner], max_attempts=1)
    plain.fit(alone, 8.0 * np.exp(-0.15 * alone["t"]) + 1.5)
    assert "8*exp(-0.15*t)" in plain.equation_


def test_errors_of_groups_are_saved(learner: EquationLearner, tmp_path: Path) -> None:
    learner.save(tmp_path / "model.json")
    again = EquationLearner.load(tmp_path / "model.json")
    pd.testing.assert_frame_equal(again.groups_, learner.groups_)


def test_constants_of_groups_have_dimensions() -> None:
    options: dict[str, Any] = {"dimensions": "c: mg/L, t: h", "n_jobs": 1}
    learner = EquationLearner(**options).fit(X, Y, groups="subject")
    said = "match if a is in kg/m^3, b is in 1/s and its constants are in kg/m^3."
    assert said in " ".join(learner.verdict_[0].reasons)
    assert learner.constants_["dimension"].tolist() == ["kg/m^3"]


def test_a_form_that_keeps_what_is_known_comes_first() -> None:
    broken = learn(constraints=["increasing in t"]).fit(X, Y, groups="subject")
    assert broken.verdict_[0].kind == "doubtful"
    kept = learn(constraints=["decreasing in t", "y >= 0"]).fit(X, Y, groups="subject")
    assert kept.equations_["broken_constraints"][0] == 0
    assert "proved" in kept.constraints_["kept"].tolist()


def test_groups_have_their_numbers_of_rows(learner: EquationLearner) -> None:
    assert list(learner.groups_["rows"]) == [10] * 4


def test_what_is_shared_is_a_constant_like_others(learner: EquationLearner) -> None:
    (row,) = learner.constants_.to_dict("records")
    assert row["value"] == pytest.approx(1.5, abs=0.05)


def test_the_verdict_says_what_differs(learner: EquationLearner) -> None:
    said = "One form for 4 groups by subject: a, b differ between them, 1 constant is "
    assert learner.verdict_[0].reasons[0] == f"{said}the same in all."


def test_prediction_takes_the_group_from_its_column(learner: EquationLearner) -> None:
    assert np.sqrt(np.mean((learner.predict(X) - Y) ** 2)) < 0.03
    shuffled = X.iloc[::-1]
    np.testing.assert_allclose(learner.predict(shuffled), learner.predict(X)[::-1])


def test_prediction_takes_a_group_for_each_row(learner: EquationLearner) -> None:
    found = learner.predict(X[["t"]], groups=list(X.subject))
    np.testing.assert_allclose(found, learner.predict(X))


def test_prediction_takes_one_group_for_all_rows(learner: EquationLearner) -> None:
    found = learner.predict(pd.DataFrame({"t": [0.0]}), groups="joe")
    assert found[0] == pytest.approx(12.5, abs=0.2)


def test_one_group_for_all_is_meant_though_there_is_a_column(
    learner: EquationLearner,
) -> None:
    found = learner.predict(X.iloc[:1], groups="joe")
    alone = learner.predict(X[["t"]].iloc[:1], groups="joe")
    np.testing.assert_allclose(found, alone)


def test_intervals_know_of_the_errors_of_groups(learner: EquationLearner) -> None:
    values, ends = learner.predict(X, return_interval=0.95)
    inside = (ends[:, 0] <= Y) & (Y <= ends[:, 1])
    assert np.mean(inside) > 0.85
    std = learner.predict(X, return_std=True)[1]
    assert (std > learner.model_.chosen[0].rms).all()


def test_a_new_group_says_what_it_needs(learner: EquationLearner) -> None:
    with pytest.raises(EqlearnError, match="needs its own a, b: give some rows"):
        learner.predict(X[["t"]], groups=["zoe"] * len(X))


def test_a_name_that_is_nearly_one_is_guessed(learner: EquationLearner) -> None:
    with pytest.raises(EqlearnError, match="Did you mean 'bob'"):
        learner.predict(X[["t"]], groups="bobb")


def test_a_new_group_is_told_by_a_few_rows() -> None:
    fresh = learn().fit(X, Y, groups="subject")
    few = pd.DataFrame({"t": [0.5, 4.0, 10.0]})
    y = 6.0 * np.exp(-0.2 * few.t) + 1.5
    fresh.add_group("zoe", few, y)
    zoe = fresh.groups_.loc["zoe"]
    assert zoe["a"] == pytest.approx(6.0, rel=0.05)
    assert zoe["b"] == pytest.approx(0.2, rel=0.05)
    assert fresh.predict(few, groups="zoe") == pytest.approx(y.to_numpy(), abs=0.1)
    with pytest.raises(EqlearnError, match="the name of a new group"):
        fresh.add_group("zoe", few, y)
    with pytest.raises(EqlearnError, match="at least 2 rows, for a, b"):
        fresh.add_group("kim", few[:1], y[:1])


def test_one_group_alone_is_a_plain_equation(learner: EquationLearner) -> None:
    ann = learner.of_group("ann")
    rows = X[X.subject == "ann"][["t"]]
    np.testing.assert_allclose(ann.predict(rows), learner.predict(rows, groups="ann"))
    assert {symbol.name for symbol in ann.sympy().free_symbols} == {"t"}


def test_sympy_has_the_letters(learner: EquationLearner) -> None:
    assert {one.name for one in learner.sympy().free_symbols} == {"t", "a", "b"}


@pytest.mark.parametrize(
    ("form", "line"),
    [
        ("python", "# bob: a = "),
        ("c", "// bob: a = "),
        ("matlab", "% bob: a = "),
        ("julia", "# bob: a = "),
        ("fortran", "! bob: a = "),
        ("modelica", "// bob: a = "),
        ("latex", "% bob: a = "),
        ("sympy", "# bob: a = "),
        ("mathml", "<!-- bob: a = "),
        ("json", '"subject": "bob"'),
    ],
)
def test_every_export_has_the_table(
    learner: EquationLearner, form: str, line: str
) -> None:
    assert line in learner.export(form)


def test_the_function_of_an_export_takes_the_constants(
    learner: EquationLearner,
) -> None:
    bob = learner.groups_.loc["bob"]
    rows = np.column_stack([TIMES, np.full(10, bob["a"]), np.full(10, bob["b"])])
    expected = learner.predict(pd.DataFrame({"t": TIMES}), groups="bob")
    np.testing.assert_allclose(learner.numpy()(rows)[:, 0], expected)


def test_a_model_file_keeps_groups(learner: EquationLearner, tmp_path: Path) -> None:
    learner.save(tmp_path / "model.json")
    again = EquationLearner.load(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict(X), learner.predict(X))
    pd.testing.assert_frame_equal(again.groups_, learner.groups_)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"names": ["ann", "ann", "eve", "joe"]}, "different from each other"),
        (
            {"constants": [{"name": "q", "target": "c", "values": [], "errors": []}]},
            "q",
        ),
        ({"n_rows": [1]}, "a value for each of 4 groups"),
        ({"column": 3}, "string"),
    ],
)
def test_a_file_of_groups_that_do_not_fit_is_refused(
    learner: EquationLearner, change: dict[str, Any], words: str
) -> None:
    document = model_file.to_document(learner.model_)
    import json

    plain = json.loads(json.dumps(document))
    plain["groups"] |= change
    with pytest.raises(EqlearnError, match=words):
        model_file.from_document(plain)


def test_plots_take_the_column(learner: EquationLearner) -> None:
    assert learner.plot_fit(X, Y) is not None
    assert learner.plot_slices(X, Y) is not None


def test_rows_that_weigh_nothing_are_in_no_group() -> None:
    weight = np.where(X.subject == "eve", 0.0, 1.0)
    found = learn().fit(X, Y, groups="subject", sample_weight=weight)
    assert list(found.groups_.index) == ["ann", "bob", "joe"]


def test_groups_may_be_numbers_and_have_no_name() -> None:
    numbers = np.repeat([1.0, 2.0, 3.0, 4.0], len(TIMES))
    found = learn().fit(X[["t"]], Y, groups=numbers)
    assert found.model_.groups is not None
    assert found.model_.groups.names == ("1", "2", "3", "4")
    assert found.groups_.index.name == "group"
    by_whole = found.predict(X[["t"]].iloc[:2], groups=[3, 3])
    by_float = found.predict(X[["t"]].iloc[:2], groups=[3.0, 3.0])
    np.testing.assert_array_equal(by_whole, by_float)


def test_a_guess_is_tried_in_all_groups() -> None:
    group = np.repeat(np.arange(4), len(TIMES))
    y = AMOUNTS[group] * np.tanh(0.3 * X.t) * np.exp(-0.05 * X.t)
    found = learn(guesses=["a*tanh(b*t)*exp(-c*t)"]).fit(X, y, groups="subject")
    np.testing.assert_allclose(found.predict(X), y, atol=1e-5)
    np.testing.assert_allclose(found.groups_["a"], AMOUNTS, rtol=1e-4)


def test_two_targets_have_constants_of_their_own() -> None:
    group = np.repeat(np.arange(4), len(TIMES))
    both = pd.DataFrame({"c": Y, "d": 2 * X.t + RATES[group]})
    found = learn().fit(X, both, groups="subject")
    constants = found.model_.groups.constants  # type: ignore[union-attr]
    names = [one.name for one in constants]
    assert len(set(names)) == len(names)
    assert {one.target for one in constants} == {"c", "d"}
    values = found.predict(X)
    np.testing.assert_allclose(values[:, 1], both.d, atol=1e-6)


def test_groups_that_are_alike_share_everything() -> None:
    found = learn().fit(X, (2 * X.t + 1).to_numpy(), groups="subject")
    assert found.equation_ == "y = 2*t + 1"
    assert found.verdict_[0].reasons[0].endswith("are the same in all of them.")
    np.testing.assert_allclose(found.predict(X), 2 * X.t + 1)


def test_groups_of_a_polars_table() -> None:
    polars = pytest.importorskip("polars")
    found = learn().fit(polars.DataFrame(X.to_dict("list")), Y, groups="subject")
    assert list(found.groups_.index) == SUBJECTS


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ("sex", "must be one of 't', 'subject'; got 'sex'"),
        (["a"] * 40, "of at least two groups"),
        (["a", "b"], "as long as `X`, 40 rows; got 2"),
        (list(range(40)), "groups of several rows each; got '40 groups of 40 rows'"),
        ([None] + ["a", "b"] * 19 + ["a"], "known in every row; got 'a gap' in row 1"),
        ([float("nan")] + ["a", "b"] * 19 + ["a"], "known in every row"),
        (["  "] + ["a", "b"] * 19 + ["a"], "known in every row"),
        (np.zeros((40, 2)), "in one dimension; got \\(40, 2\\)"),
        (3, "a group for each row, or the name of a column"),
        ({"a": 1}, "a group for each row, or the name of a column"),
        (b"subject", "a group for each row, or the name of a column"),
    ],
)
def test_groups_that_cannot_be_used_are_refused(groups: Any, words: str) -> None:
    with pytest.raises(EqlearnError, match=words) as refused:
        learn().fit(X, Y, groups=groups)
    assert "\n" not in str(refused.value)


def test_a_column_of_an_array_has_no_name() -> None:
    with pytest.raises(EqlearnError, match="a list where `X` has no column names"):
        learn().fit(X[["t"]].to_numpy(), Y, groups="subject")


def test_inputs_are_needed_beside_the_groups() -> None:
    with pytest.raises(EqlearnError, match="other columns beside the groups"):
        learn().fit(X[["subject"]], Y, groups="subject")


def test_far_points_belong_to_no_group() -> None:
    with pytest.raises(EqlearnError, match="Put far points among the rows"):
        learn().fit(X, Y, groups="subject", extrapolation=([[1.0]], [1.0]))


def test_the_papers_recipe_has_no_groups() -> None:
    with pytest.raises(EqlearnError, match="`recipe` must be 'fast' where|fast where"):
        learn(recipe="paper").fit(X, Y, groups="subject")


def test_prediction_without_a_group_says_what_is_missing(
    learner: EquationLearner,
) -> None:
    with pytest.raises(EqlearnError, match="given, by subject"):
        learner.predict(X[["t"]])
    with pytest.raises(EqlearnError, match="as long as `X`"):
        learner.predict(X[["t"]], groups=["ann"])


def test_a_model_without_groups_refuses_them() -> None:
    t = X[["t"]]
    plain = learn(functions=["multiply"], max_attempts=1).fit(t, 2 * t.t)
    with pytest.raises(EqlearnError, match="given where groups were learned"):
        plain.predict(t, groups="ann")
    with pytest.raises(EqlearnError, match="learned without groups"):
        plain.of_group("ann")
    with pytest.raises(EqlearnError, match="a model with groups"):
        plain.add_group("ann", t, 2 * t.t)
    with pytest.raises(AttributeError, match="without groups"):
        _ = plain.groups_


def test_the_column_of_groups_is_no_input() -> None:
    rest, taken = taken_groups(X, "subject")
    assert list(rest.columns) == ["t"]
    assert taken is not None and taken.names == tuple(SUBJECTS)


def test_the_same_seed_gives_the_same_answer() -> None:
    found = [learn().fit(X, Y, groups="subject") for _ in range(2)]
    assert found[0].model_.equations == found[1].model_.equations
    assert found[0].model_.groups == found[1].model_.groups


def test_searches_find_what_no_usual_curve_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two inputs: forms come from searches alone, and no clock decides."""
    monkeypatch.setattr(group_search, "views", form_starts.views)
    rng = np.random.default_rng(3)
    rows = pd.DataFrame(rng.uniform(1, 2, (48, 2)), columns=["x", "z"])
    group = np.repeat(np.arange(3), 16)
    y = np.array([2.0, 3.0, 5.0])[group] * rows.x * rows.z
    found = learn(functions=["multiply"], max_attempts=1)
    found.fit(rows, y.to_numpy(), groups=list(group))
    assert found.equation_ == "y = a*x*z"
    assert found.groups_["a"].tolist() == pytest.approx([2.0, 3.0, 5.0])


def test_a_warm_start_after_groups_begins_anew() -> None:
    found = learn(warm_start=True).fit(X, Y, groups="subject")
    before = found.equation_
    assert found.fit(X, Y, groups="subject").equation_ == before


def test_every_candidate_has_constants_of_its_own() -> None:
    group = np.repeat(np.arange(4), len(TIMES))
    noise = np.random.default_rng(4).normal(size=len(X))
    y = AMOUNTS[group] * X.t / (6 + X.t) + 0.3 * noise
    found = learn().fit(X, y.to_numpy(), groups="subject")
    for number, rms in enumerate(found.equations_["rms"], 1):
        error = found.predict(X, number) - y
        assert np.sqrt(np.mean(error**2)) == pytest.approx(rms, rel=1e-6)
    chosen = found.sympy(len(found.equations_))
    assert found.export("python", len(found.equations_))
    assert chosen.free_symbols


def test_hostile_names_of_groups_do_no_harm(
    learner: EquationLearner, tmp_path: Path
) -> None:
    from dataclasses import replace

    from eqlearn.report.report_files import write_report

    model = learner.model_
    assert model.groups is not None
    names = ("*/ evil", "--> <script>x</script>", "a\nint evil;", "\x1b[2J")
    groups = replace(model.groups, names=names, column="<b>who</b>\n# x")
    hostile = EquationLearner()
    hostile.model_ = hostile._as_found = replace(model, groups=groups)
    for form in ("c", "python", "mathml", "fortran", "latex"):
        for line in hostile.export(form).splitlines():
            assert "\x1b" not in line
            assert not line.startswith("int evil")
    assert "*/" not in hostile.export("c").partition("Constants by")[2]
    x = np.column_stack([TIMES] + [np.ones(10)] * len(groups.constants))
    write_report(tmp_path, hostile.model_, x, x[:, :1])
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<script>x" not in page and "<b>who" not in page


def test_a_time_limit_is_kept_with_hundreds_of_groups(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """R-22: fits in all groups end in time; one after the other they take minutes."""
    monkeypatch.setattr(group_search, "views", form_starts.views)
    rng = np.random.default_rng(0)
    x, groups = rng.uniform(1, 5, (4000, 2)), np.repeat(np.arange(400), 10)
    y = (1 + groups / 10) * x[:, 0] * np.exp(-x[:, 1]) + groups
    y += 0.01 * rng.normal(size=4000)
    with within(3.2, time.process_time):
        learner = learn(time_limit=1).fit(x, y, groups=groups)
    assert len(learner.groups_) == 400
