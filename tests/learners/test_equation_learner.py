"""The front door, and what users complain about elsewhere."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sympy
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from eqlearn import EqlearnError, EquationLearner
from eqlearn._types import Array
from eqlearn.data.duration import seconds
from eqlearn.model.model import Json
from eqlearn.model.model_file import save
from eqlearn.search.attempts.grid_networks import Grid
from eqlearn.search.conclude.judged_rows import JudgedRows
from eqlearn.search.conclude.verdict import verdict
from eqlearn.search.strategy import STANDARD


def quick(**options: Any) -> EquationLearner:
    return EquationLearner(n_jobs=1, **options)


@pytest.fixture(scope="module")
def samples() -> tuple[Array, Array]:
    rng = np.random.default_rng(0)
    x = rng.uniform(1, 2, (120, 2))
    return x, 3 * x[:, 0] / x[:, 1]


@pytest.fixture(scope="module")
def noisy() -> tuple[Array, Array]:
    rng = np.random.default_rng(1)
    x = rng.uniform(-1, 1, (300, 2))
    y = x[:, 0] / (2 + x[:, 1]) + 0.01 * rng.normal(size=300)
    return x, y


@pytest.fixture(scope="module")
def learner(noisy: tuple[Array, Array]) -> EquationLearner:
    return quick().fit(*noisy)


def test_the_equation_can_be_read(learner: EquationLearner) -> None:
    assert learner.equation_ == "y = x1/(x2 + 2)"
    x1, x2 = sympy.symbols("x1 x2")
    assert sympy.simplify(learner.sympy() - x1 / (x2 + 2)) == 0
    assert learner.latex().startswith("y = ")
    assert r"\begin{tabular}" in learner.latex_table()
    assert learner._repr_latex_().startswith("$$y = ")
    assert learner.verdict_[0].kind == "trusted"
    assert not learner.interrupted_
    page = learner._repr_mimebundle_()["text/html"]
    assert "<math" in page and "can be trusted" in page
    assert "<math" not in EquationLearner()._repr_mimebundle_()["text/html"]


def test_every_form_computes_what_predict_does(
    learner: EquationLearner, noisy: tuple[Array, Array]
) -> None:
    x, _ = noisy
    expected = learner.predict(x)
    assert "double" in learner.c()
    assert "def predict(x1, x2)" in learner.python()
    import jax

    with jax.enable_x64(True):
        jax_values = np.asarray(learner.jax()(x)).reshape(-1)
    np.testing.assert_allclose(jax_values, expected, rtol=1e-12)
    torch = pytest.importorskip("torch")
    torch_values = learner.pytorch()(torch.as_tensor(x)).detach().numpy().reshape(-1)
    np.testing.assert_allclose(torch_values, expected, rtol=1e-12)


def test_the_table_of_equations_is_ranked(learner: EquationLearner) -> None:
    table = learner.equations_
    assert list(table["chosen"]).count(True) == 1
    assert table["chosen"].iloc[0]
    assert table["equation"].iloc[0] == learner.equation_
    assert table["rank_information"].is_monotonic_increasing
    assert {"validation_error", "complexity", "votes", "active_units"} <= set(table)
    assert table["validation_error"].iloc[0] == pytest.approx(0.01, rel=0.5)


def test_constants_have_errors_and_are_at_their_optimum(
    learner: EquationLearner, noisy: tuple[Array, Array]
) -> None:
    x, y = noisy
    table = learner.constants_
    assert (table["standard_error"] > 0).all()
    away = np.abs(table["value"] - table["snapped"]) / table["standard_error"]
    assert (away < 4).all()
    graph = learner.model_.chosen[0].graph
    best = np.sum((graph.evaluate(x)[0][:, 0] - y) ** 2)
    for key in graph.parameters():
        for factor in (0.999, 1.001):
            slots = graph.slots()
            slots[key[0]] = {**slots[key[0]], key[1]: slots[key[0]][key[1]] * factor}
            moved = graph.with_slots(slots).evaluate(x)[0][:, 0]
            assert np.sum((moved - y) ** 2) > best


def test_snapping_can_be_undone(noisy: tuple[Array, Array]) -> None:
    x, y = noisy
    plain = quick(snap=False).fit(x, y)
    assert plain.equation_ != "y = x1/(x2 + 2)"
    assert plain.score(x, y) >= quick().fit(x, y).score(x, y)


def test_names_of_columns_are_the_users() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.uniform(1, 2, (80, 3)), columns=["N", "my x", "exec"])
    y = (frame["N"] * frame["my x"] / frame["exec"]).rename("S")
    learner = quick().fit(frame, y)
    assert learner.equation_ == "S = N*my x/exec"
    np.testing.assert_allclose(learner.predict(frame), y)
    shuffled = frame[["exec", "N", "my x"]]
    with pytest.raises(ValueError, match="feature names"):
        learner.predict(shuffled)


def test_polars_tables_are_read() -> None:
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"a": rng.uniform(1, 2, 60), "b": rng.uniform(1, 2, 60)})
    learner = quick().fit(frame, frame["a"] * frame["b"])
    assert learner.equation_.endswith("= a*b")


def test_several_targets_at_once(samples: tuple[Array, Array]) -> None:
    x, y = samples
    table = pd.DataFrame({"u": y, "v": x[:, 0] * x[:, 1]})
    learner = quick().fit(x, table)
    assert learner.equation_ == "u = 3*x1/x2\nv = x1*x2"
    assert learner.predict(x).shape == (120, 2)
    assert len(learner.sympy()) == len(learner.verdict_) == 2


def test_sample_weights_are_honoured() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (200, 1))
    y = 2 * x[:, 0]
    y[:50] += 5.0
    weight = np.r_[np.zeros(50), np.ones(150)]
    assert quick().fit(x, y, sample_weight=weight).equation_ == "y = 2*x1"


def test_wild_values_do_not_move_a_robust_equation() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(1, 3, (150, 1))
    y = 2 * x[:, 0] + 1 + 0.01 * rng.standard_normal(150)
    y[:6] *= 10
    learner = EquationLearner(loss="huber", n_jobs=1, max_attempts=4).fit(x, y)
    assert learner.equation_ == "y = 2*x1 + 1"
    (said,) = learner.verdict_
    assert said.kind == "trusted"
    assert "6 rows do not follow" in said.reasons[-1]
    assert learner.model_.parameters["loss"] == "huber"


def test_far_points_are_reported(samples: tuple[Array, Array]) -> None:
    x, y = samples
    far = np.full((5, 2), 4.0) + np.random.default_rng(0).normal(size=(5, 2))
    learner = quick().fit(x, y, extrapolation=(far, 3 * far[:, 0] / far[:, 1]))
    assert learner.equations_["extrapolation_error"].iloc[0] < 1e-9
    assert "rank_v_int_ex" in learner.equations_


def test_poles_in_the_domain_are_reported(samples: tuple[Array, Array]) -> None:
    x, y = samples
    safe, unsafe = quick().fit(x, y), quick(domain={"x2": (-1, 2)}).fit(x, y)
    assert "no pole" in str(safe.domain_report_[0])
    assert unsafe.equations_["has_pole"].iloc[0]
    assert "no pole" not in str(unsafe.domain_report_[0])


def test_a_model_is_saved_and_loaded(
    learner: EquationLearner, noisy: tuple[Array, Array], tmp_path: Path
) -> None:
    learner.save(tmp_path / "model.json")
    again = EquationLearner.load(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict(noisy[0]), learner.predict(noisy[0]))
    assert again.equation_ == learner.equation_
    assert again.verdict_ == learner.verdict_
    pd.testing.assert_frame_equal(again.equations_, learner.equations_)
    pd.testing.assert_frame_equal(again.constants_, learner.constants_)


def test_a_run_is_resumed(noisy: tuple[Array, Array], tmp_path: Path) -> None:
    x, y = noisy
    by = {"run_dir": tmp_path / "run", "functions": "paper"}
    first = quick(max_attempts=1, **by).fit(x, y)
    second = quick(**by).fit(x, y)
    assert second.found_[0].n_attempts > first.found_[0].n_attempts == 1
    with pytest.raises(EqlearnError, match="`seed` must be 0 as before; got 1"):
        quick(random_state=1, **by).fit(x, y)


def test_warm_start_keeps_what_was_found(noisy: tuple[Array, Array]) -> None:
    x, y = noisy
    learner = quick(warm_start=True).fit(x, y)
    learner.set_params(max_attempts=1).fit(x[:100], y[:100])
    assert learner.equation_ == "y = x1/(x2 + 2)"
    with pytest.raises(EqlearnError, match="as in the `fit` before"):
        learner.fit(x[:, :1], y)


def test_dynamics_are_simulated() -> None:
    rng = np.random.default_rng(0)
    s = rng.uniform(-1, 1, (100, 2))
    learner = quick().fit(s, np.stack([s[:, 1], -4 * s[:, 0]], axis=1))
    path = learner.simulate([1.0, 0.0], dt=0.01, n_steps=100)
    assert path.shape == (101, 2)
    np.testing.assert_allclose(path[-1], [np.cos(2.0), -2 * np.sin(2.0)], atol=1e-6)
    with pytest.raises(EqlearnError, match="`n_steps` must be given"):
        learner.simulate([1.0, 0.0], dt=0.01)


def test_nothing_to_find_is_said_clearly() -> None:
    rng = np.random.default_rng(3)
    learner = quick(max_attempts=8)
    learner.fit(rng.uniform(-1, 1, (100, 2)), rng.normal(size=100))
    assert learner.verdict_[0].kind == "nothing"


def test_it_works_in_pipelines_and_grids(samples: tuple[Array, Array]) -> None:
    x, y = samples
    doubled = make_pipeline(FunctionTransformer(lambda x: 2 * x), quick()).fit(x, y)
    assert doubled[-1].equation_ == "y = 3*x1/x2"
    grid = GridSearchCV(quick(), {"max_attempts": [1, 4]}, cv=2).fit(x, y)
    assert grid.best_score_ == pytest.approx(1.0)
    assert clone(quick(time_limit="5m")).time_limit == "5m"


def test_the_papers_recipe_is_an_option(noisy: tuple[Array, Array]) -> None:
    grid = Grid(l1=(1e-4,), depths=(2,), n_epochs=20, units_per_type=2)
    learner = quick(recipe=grid).fit(*noisy)
    assert np.isfinite(learner.predict(noisy[0])).all()
    assert learner.found_[0].n_attempts == 1


def test_slices_are_plotted(
    learner: EquationLearner, noisy: tuple[Array, Array]
) -> None:
    axes = learner.plot_slices(*noisy)
    assert [axis.get_xlabel() for axis in axes] == ["x1", "x2"]


@pytest.mark.parametrize(
    ("text", "expected"), [("90s", 90), ("5m", 300), ("2h", 7200), ("1.5", 1.5)]
)
def test_times_may_be_written(text: str, expected: float) -> None:
    assert seconds(text) == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"time_limit": "soon"}, 'like "90s" or "5min"; got \'soon\''),
        ({"time_limit": -1}, "`time_limit` must be above 0"),
        ({"selection": "bic"}, "`selection` must be one of"),
        ({"loss": "cubed"}, "`loss` must be one of 'squared', 'huber'"),
        ({"loss": 2}, "`loss` must be the name of a loss"),
        ({"recipe": "slow"}, "`recipe` must be one of 'fast', 'paper'"),
        ({"functions": ["sine"]}, "`functions` must .* Did you mean 'sin'"),
        ({"functions": "sin"}, '`functions` must be a list of names, or "paper"'),
        ({"depths": (2,)}, "`depths` must be left out unless the recipe is the paper"),
        (
            {"recipe": "paper", "depths": (1, 2)},
            "`depths` must be an integer of at least 2",
        ),
        ({"scheduler": "nobody"}, "`scheduler` must be the address of a running Dask"),
        ({"domain": {"x3": (0, 1)}}, "`domain` must be one of 'x1', 'x2'"),
        ({"domain": [(0, 1)]}, "for each of the 2 inputs"),
        ({"n_jobs": 0}, "`n_jobs` must be a number of processes"),
        ({"max_attempts": 0}, "`max_attempts` must be an integer of at least 1"),
        ({"random_state": -1}, "`random_state` must be an integer of at least 0"),
    ],
)
def test_bad_settings_get_one_line(
    options: dict[str, Any], message: str, samples: tuple[Array, Array]
) -> None:
    with pytest.raises(EqlearnError, match=message) as caught:
        EquationLearner(**{"n_jobs": 1, **options}).fit(*samples)
    assert "\n" not in str(caught.value)


def test_numbers_may_be_those_of_numpy(samples: tuple[Array, Array]) -> None:
    numbers = {"n_jobs": 1, "max_attempts": 16, "random_state": 1}
    options: dict[str, Any] = {name: np.int64(n) for name, n in numbers.items()}
    learner = EquationLearner(**options)
    assert learner.fit(*samples).equation_ == "y = 3*x1/x2"


@pytest.mark.parametrize("y_far", [[1.0], [1.0, 2.0, 3.0, 4.0], [[1.0, 2.0]] * 2])
def test_far_points_must_be_as_many_as_their_targets(
    y_far: Any, samples: tuple[Array, Array]
) -> None:
    with pytest.raises(EqlearnError, match=r"`extrapolation` .* y of shape \(2, 1\)"):
        quick().fit(*samples, extrapolation=([[3, 3], [4, 4]], y_far))


def test_a_fit_that_fails_leaves_what_was_learned(samples: tuple[Array, Array]) -> None:
    x, y = samples
    learner = quick().fit(x, y)
    wide = np.hstack([x, x])
    with pytest.raises(EqlearnError):
        learner.set_params(selection="v_int_ex").fit(wide, y)
    assert learner.predict(x) == pytest.approx(y)
    with pytest.raises(ValueError, match="2 features"):
        learner.predict(wide)
    never = quick(selection="v_int_ex")
    with pytest.raises(EqlearnError):
        never.fit(x, y)
    with pytest.raises(NotFittedError):
        never.predict(x)


def test_rows_of_no_weight_say_nothing(samples: tuple[Array, Array]) -> None:
    x, y = samples
    outlier = np.vstack([x, [[1e6, -1e6]]]), np.append(y, 1e9)
    weight = np.append(np.ones(len(x)), 0.0)
    with_it, without = quick(max_attempts=1), quick(max_attempts=1)
    with_it.fit(*outlier, sample_weight=weight)
    without.fit(x, y, sample_weight=np.ones(len(x)))
    assert with_it.model_.ranges == without.model_.ranges
    assert with_it.model_.domain == without.model_.domain
    assert with_it.verdict_ == without.verdict_


def test_a_file_does_not_say_where_to_compute_or_write(
    tmp_path: Path, learner: EquationLearner
) -> None:
    elsewhere: dict[str, Json]
    elsewhere = {"scheduler": "tcp://example.org:1", "run_dir": "x", "n_jobs": 99}
    parameters: dict[str, Json] = {**elsewhere, "snap": False}
    save(tmp_path / "a.json", replace(learner.model_, parameters=parameters))
    loaded = EquationLearner.load(tmp_path / "a.json")
    assert (loaded.scheduler, loaded.run_dir, loaded.n_jobs) == (None, None, -1)
    assert not loaded.snap


def test_a_file_of_version_1_can_be_used() -> None:
    loaded = EquationLearner.load(
        Path(__file__).parents[1] / "model" / "version-1.json"
    )
    assert loaded.equation_.splitlines()[0] == "current = voltage/resistance"
    assert loaded.predict(pd.DataFrame({"voltage": [6.0], "resistance": [3.0]})).shape
    assert [one.kind for one in loaded.verdict_] == ["trusted", "trusted"]
    assert (loaded.max_attempts, loaded.time_limit) == (16, 20)
    assert loaded.functions == ["sin", "multiply"]
    assert not loaded.interrupted_


def test_simpler_forms_are_tried_where_the_data_are() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(12, 14, (60, 1))
    learner = quick(functions=["log", "multiply"], max_attempts=8).fit(
        x, np.log(x - 10)
    )
    (symbol,) = learner.sympy(simplify=True).free_symbols
    assert symbol.name == "x1"


def test_what_cannot_be_chosen_is_refused_before_the_search() -> None:
    x = np.random.default_rng(0).uniform(1, 2, (50, 1))
    with pytest.raises(EqlearnError, match="needs no far points"):
        EquationLearner(selection="v_int_ex", max_attempts=10**9).fit(x, x[:, 0])


@pytest.mark.parametrize("size", [1e-160, 1e160])
def test_numbers_beyond_computing_get_one_line(size: float) -> None:
    x = np.random.default_rng(0).uniform(1, 2, (50, 1))
    with pytest.raises(EqlearnError, match=r"`y` .* Choose another unit"):
        quick().fit(x, size * x[:, 0])


def test_the_verdict_is_of_the_formula_that_was_picked(
    learner: EquationLearner, noisy: tuple[Array, Array]
) -> None:
    ((found,), (x, y)) = learner.found_, noisy
    nothing = [not one.is_something for one in found.candidates].index(True)
    domain = np.stack([x.min(axis=0), x.max(axis=0)], axis=1)
    rows = JudgedRows.of(x, y, domain, STANDARD.judging)
    names = learner.model_.inputs
    kinds = [verdict(found, i, rows, names).kind for i in (0, nothing)]
    assert kinds == ["trusted", "nothing"]


def test_predictions_come_with_their_errors(
    learner: EquationLearner, noisy: tuple[Array, Array]
) -> None:
    x, y = noisy
    values, std, ends = learner.predict(x, return_std=True, return_interval=0.95)
    assert np.array_equal(values, learner.predict(x))
    assert std.shape == values.shape and ends.shape == (len(x), 2)
    # The noise, and little more where the rows are.
    rms = learner.model_.chosen[0].rms
    assert (std >= rms).all() and std.mean() < 1.2 * rms
    inside = (ends[:, 0] <= y) & (y <= ends[:, 1])
    assert 0.9 <= inside.mean() <= 1.0
    far = x + 20.0 * np.ptp(x, axis=0)
    assert learner.predict(far, return_std=True)[1].mean() > std.mean()
    with pytest.raises(EqlearnError, match="`return_interval` must be above 0 and "):
        learner.predict(x, return_interval=95)


def test_nothing_is_told_before_fit() -> None:
    with pytest.raises(NotFittedError):
        quick().predict([[1.0]])
    with pytest.raises(NotFittedError):
        quick().latex()


def test_the_graph_speaks_whatever_a_file_says(
    learner: EquationLearner, tmp_path: Path
) -> None:
    """R-29: the text of a formula in a file is not believed."""
    learner.save(tmp_path / "model.json")
    text = (tmp_path / "model.json").read_text()
    formula = learner.model_.chosen[0].formula
    assert formula in text
    (tmp_path / "model.json").write_text(text.replace(formula, "y = 0"))
    table = EquationLearner.load(tmp_path / "model.json").equations_
    pd.testing.assert_frame_equal(table, learner.equations_)
    assert table["equation"][0] == learner.equation_
