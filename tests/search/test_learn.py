import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from patience import within
from threadpoolctl import threadpool_info, threadpool_limits

import eqlearn.search.learn as search
from eqlearn import DynamicsLearner, EquationLearner
from eqlearn._types import Array
from eqlearn.dynamics import readings
from eqlearn.equation.write.symbolic import expressions, recognised
from eqlearn.errors import EqlearnError
from eqlearn.network import units
from eqlearn.network.graph import CONSTANT, Graph, Node
from eqlearn.network.units import register_unit
from eqlearn.problems import Learned, identified, problem
from eqlearn.search.attempts import relevant_inputs
from eqlearn.search.conclude import to_model
from eqlearn.search.learn import Found, learn
from eqlearn.search.prepare import tasks_of
from eqlearn.search.request import Request
from eqlearn.search.strategy import STANDARD


def formula(found: Found) -> str:
    return str(recognised(expressions(found.candidates[0].snapped)[0]))


@pytest.mark.parametrize("name", ["division", "F-3"])
def test_noisy_data_give_back_the_exact_formula(name: str) -> None:
    truth, rng = problem(name), np.random.default_rng(5)
    x, y = truth.sample(2000, rng)
    (found,) = learn(Request(x, y, seed=1))
    graph = found.candidates[0].snapped
    learned = Learned(
        lambda x: graph.evaluate(x)[0][:, 0], expressions(graph, truth.inputs)[0]
    )
    assert identified([learned], truth, rng).agreement == "identified"
    assert found.candidates[0].rms == pytest.approx(0.01, rel=0.1)


def test_the_same_seed_gives_the_same_formulas() -> None:
    x, y = problem("division").sample(400, np.random.default_rng(0))
    one, two = (learn(Request(x, y, seed=3))[0] for _ in range(2))
    assert one.candidates == two.candidates
    assert one.n_attempts == two.n_attempts


def test_what_is_known_from_before_is_no_attempts_witness() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(0.5, 2, (100, 2))
    y = np.sin(x[:, :1] * x[:, 1:]) + 0.01 * rng.normal(size=(100, 1))
    nodes = Node("multiply", ({0: 1.0}, {1: 1.0})), Node("sin", ({2: 1.0},))
    wave = Graph(2, nodes, (({3: 1.0}, {CONSTANT: 1.0}),))
    (alone,) = learn(Request(x, y, max_attempts=1))
    (found,) = learn(Request(x, y, guesses=[[wave]], max_attempts=1))
    assert formula(found) == "sin(x1*x2)"
    # The survey may find it, too, and is an attempt then.
    assert found.candidates[0].votes <= sum(one.votes for one in alone.candidates) - 1


def test_a_search_that_fails_is_not_one_that_finds_nothing(
    table: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: object) -> None:
        raise RuntimeError("out of order")

    x = np.random.default_rng(0).uniform(1, 2, (100, 1))
    monkeypatch.setattr("eqlearn.search.attempts.agenda.attempts", broken)
    monkeypatch.setattr("eqlearn.search.attempts.growths.grow", broken)
    monkeypatch.setattr("eqlearn.search.survey.survey.first", broken)
    monkeypatch.setattr("eqlearn.search.survey.survey.opening", broken)
    monkeypatch.setattr("eqlearn.search.survey.survey.looked", broken)
    with pytest.raises(EqlearnError, match="Every step .* RuntimeError: out of order"):
        learn(Request(x, np.sin(9 * x), jobs=1, max_attempts=8))


def test_a_unit_of_another_definition_is_another_run(
    table: None, tmp_path: Path
) -> None:
    x = np.random.default_rng(0).uniform(1, 2, (100, 1))

    def search(power: int) -> None:
        units._TABLE.pop("power", None)
        register_unit("power", lambda xp, z: z**power)
        learn(Request(x, x, jobs=1, max_attempts=1, units=("power",), run_dir=tmp_path))

    search(3)
    search(3)
    with pytest.raises(EqlearnError, match="`power` must be .* as before"):
        search(4)


def test_pure_noise_is_nothing() -> None:
    rng = np.random.default_rng(2)
    (found,) = learn(Request(rng.uniform(-1, 1, (200, 2)), rng.normal(size=(200, 1))))
    assert not found.is_something


def test_a_constant_target_is_its_constant() -> None:
    x = np.random.default_rng(0).uniform(-1, 1, (50, 2))
    (found,) = learn(Request(x, np.full((50, 1), 2.5)))
    assert float(formula(found)) == 2.5
    assert not found.is_something


def test_noise_free_laws_come_out_exactly() -> None:
    rng = np.random.default_rng(1)
    x = rng.uniform(0.5, 3, (200, 3))
    y = np.stack([x[:, 0] * x[:, 1] / (x[:, 0] + x[:, 1]), 2 / x[:, 2]], axis=1)
    reduced, inverse = learn(Request(x, y))
    assert formula(reduced) == "x1*x2/(x1 + x2)"
    assert formula(inverse) == "2/x3"
    assert reduced.candidates[0].rms < 1e-12


def test_scales_of_measure_do_not_matter() -> None:
    rng = np.random.default_rng(1)
    x = rng.uniform(1, 2, (200, 2)) * [1e-6, 1e6]
    (found,) = learn(Request(x, (3e4 * x[:, 0] / x[:, 1])[:, None]))
    assert formula(found) == "30000*x1/x2"


def test_a_pole_in_the_domain_of_use_is_reported() -> None:
    x = np.random.default_rng(0).uniform(1, 2, (100, 1))
    y = 1 / (x - 0.5)
    (safe,) = learn(Request(x, y, domain=[(0.8, 3.0)]))
    assert not safe.candidates[0].has_pole
    (unsafe,) = learn(Request(x, y, domain=[(0.0, 3.0)]))
    assert unsafe.candidates[0].has_pole


def test_units_of_the_users_own_are_used(table: None) -> None:
    register_unit("bell", lambda xp, z: xp.exp(-z * z))
    x = np.random.default_rng(0).uniform(-2, 2, (300, 1))
    y = 2 * np.exp(-((1.5 * x) ** 2)) + 0.001 * np.random.default_rng(1).normal(
        size=x.shape
    )
    (found,) = learn(Request(x, y, units=("sin", "multiply", "bell")))
    assert formula(found) == "2*exp(-2.25*x1**2)"


def test_far_points_are_never_left_out() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (500, 1))
    far = np.full((5, 1), 9.0)
    (task,) = tasks_of(
        Request(x, x, domain=None, seed=0, far=(far, far), units=("sin",))
    )
    rows = task.rows(10)
    assert np.sum(rows.x[0, :10] * task.x_scale[0] > 5) == 5
    assert task.high[0] * task.x_scale[0] == pytest.approx(9)


def test_far_points_count_no_more_than_others_where_attempts_are_compared() -> None:
    rng = np.random.default_rng(0)
    x, far = rng.uniform(-1, 1, (50, 1)), np.array([[9.0], [-9.0]])
    (task,) = tasks_of(
        Request(x, x, domain=None, seed=0, far=(far, far), units=("sin",))
    )
    rows = task.search_rows()
    weighted = (rows.root_weight * (rows.y[0] - task.y[2:].mean())) ** 2
    assert rows.y.shape == (1, 52)
    assert np.mean(weighted[:2]) == pytest.approx(np.mean(weighted[2:]))
    tame = tasks_of(Request(x, x, seed=0, far=(far, 0 * far), units=("sin",)))[
        0
    ].search_rows()
    np.testing.assert_allclose(tame.root_weight, tame.root_weight[0])


@pytest.mark.parametrize(
    ("x", "y", "options", "message"),
    [
        ([[1.0], [np.nan]], [[1.0]] * 2, {}, "got nan in row 1, column 0"),
        ([["a"]], [[1.0]], {}, "`x` must be a table of numbers; got 'list'"),
        ([[1.0]], [[1.0]], {"time_limit": 0}, "`time_limit` must be above 0"),
        ([[1.0]], [[1.0]], {"units": ["sine"]}, "Did you mean 'sin'"),
        ([[1.0]], [[1.0]], {"domain": [(1, 0)]}, "`domain` must be low <= high"),
        ([[1.0]], [[1.0]], {"far": ([[1.0, 2.0]], [[1.0]])}, "`far` must be points"),
    ],
)
def test_bad_requests_get_one_line(
    x: list[Any], y: list[Any], options: dict[str, object], message: str
) -> None:
    with pytest.raises(EqlearnError, match=message) as caught:
        learn(Request(x, y, **options))  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("scale", [1.0, 1e9])
def test_snapping_does_not_depend_on_the_unit_of_the_target(scale: float) -> None:
    x = np.random.default_rng(3).uniform(1, 2, (100, 2))
    (found,) = learn(Request(x, scale * 3 * x[:, :1] / x[:, 1:]))
    assert found.candidates[0].graph.n_parameters == 1
    assert found.candidates[0].snapped.n_parameters == 0


def test_no_other_units_come_in_than_were_asked_for() -> None:
    # A cosine as far as its sixth power: the sine that would be shorter is not wanted.
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (300, 1))
    y = np.cos(3 * x) + 0.01 * rng.normal(size=x.shape)
    (found,) = learn(Request(x, y, units=("multiply",), max_attempts=20))
    units = {node.unit for one in found.candidates for node in one.graph.nodes}
    assert units == {"multiply"}
    (found,) = learn(Request(x, y, max_attempts=20))
    assert {node.unit for node in found.candidates[0].graph.nodes} == {"sin"}


@pytest.mark.parametrize("noise", [0.0, 0.01])
@pytest.mark.parametrize(
    ("low", "high", "law", "says"),
    [
        ([0.0], [1.0], lambda x: 1 / (1.3 - x), "1.3 - x1"),
        ([-1.2], [1.2], lambda x: np.tan(x), "cos(x1)"),
        ([0.15, 0.05], [1.0, 0.1], lambda g, f: g * f / (g - f), "x1 - x2"),
    ],
)
def test_a_law_with_a_pole_in_the_domain_of_use_is_found_and_says_so(
    noise: float, low: list[float], high: list[float], law: Callable[..., Array],
    says: str,
) -> None:  # fmt: skip
    rng = np.random.default_rng(0)
    x = rng.uniform(low, high, (300, len(low)))
    y = law(*x.T)
    (found,) = learn(
        Request(x, (y + noise * np.std(y) * rng.normal(size=300))[:, None])
    )
    best = found.candidates[0]
    assert best.has_pole
    np.testing.assert_allclose(best.snapped.evaluate(x)[0][:, 0], y, rtol=0.03)
    assert len(best.graph.parameters()) <= 2, says


def test_a_pole_in_a_corner_is_seen() -> None:
    x = np.random.default_rng(0).uniform(0, 1, (300, 1))
    domain = np.array([[0.0, 1.3001]])
    (found,) = learn(Request(x, 1 / (1.3 - x), domain=domain))
    assert found.candidates[0].has_pole
    (found,) = learn(Request(x, 1 / (1.3 - x), domain=np.array([[0.0, 1.2999]])))
    assert not found.candidates[0].has_pole


def test_rows_of_hardly_any_weight_do_not_lead_astray() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(1, 3, (300, 2))
    y = x[:, :1] / (x[:, :1] + x[:, 1:])
    y[::5] += rng.normal(size=(60, 1))
    weight = np.where(np.arange(300) % 5, 1.0, 1e-9)
    (found,) = learn(Request(x, y, weight=weight))
    assert formula(found) == "x1/(x1 + x2)"


def test_equal_rows_of_a_small_table_count_once() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.uniform(-1, 1, (15, 5)), rng.normal(size=(15, 1))
    again = np.arange(45) % 15
    (task,) = tasks_of(Request(x[again], y[again], seed=0))
    assert len(task.x) == 15 and task.weight is not None
    np.testing.assert_allclose(task.weight, 1.0)
    (task,) = tasks_of(Request(x, y, seed=0))
    assert task.weight is None


def test_more_far_points_than_rows_leave_room_for_these() -> None:
    rng = np.random.default_rng(0)
    x, far = rng.uniform(-1, 1, (200, 1)), rng.uniform(2, 3, (1500, 1))
    (task,) = tasks_of(Request(x, x, seed=0, far=(far, far)))
    assert len(task.x) == 1700
    assert task.n_far == STANDARD.rows.far
    few = task.search_rows().labelled[0] * task.x_scale
    assert np.mean(few < 1) == pytest.approx(200 / 1700, abs=0.05)


@pytest.mark.parametrize("n", [2, 3])
def test_two_or_three_rows_have_a_mean(n: int) -> None:
    x = np.arange(float(n))[:, None]
    (found,) = learn(Request(x, 5 + x**2))
    assert not found.is_something
    assert found.candidates[0].graph.evaluate(x)[0][0, 0] == pytest.approx(
        np.mean(5 + x**2)
    )


def test_many_idle_inputs_do_no_harm() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (500, 50))
    y = x[:, [3]] * x[:, [7]] + 2 * x[:, [20]] + 0.01 * rng.normal(size=(500, 1))
    (found,) = learn(Request(x, y, max_attempts=24))
    assert formula(found) == "2*x21 + x4*x8"


def test_the_domain_of_use_is_that_of_the_rows_with_the_far_points_in_it() -> None:
    x = np.linspace(-1, 1, 101)[:, None]
    far = np.array([[-1.9], [2.5]])

    def domain(**options: Any) -> list[float]:
        (task,) = tasks_of(Request(x, x, far=(far, far), **options))
        return [float(end[0] * task.x_scale[0]) for end in (task.low, task.high)]

    # Twice the range of the rows: not that of the far points, which would be 4.4.
    assert domain() == pytest.approx([-2.0, 2.5])
    assert domain(domain=[(-3, 3)]) == pytest.approx([-3, 3])
    assert domain(recipe="paper") == pytest.approx([-2, 2])


@pytest.mark.parametrize("n_far", [40, STANDARD.rows.far + 100])
def test_rows_are_the_same_with_far_points_that_only_select(n_far: int) -> None:
    rng = np.random.default_rng(0)
    x, far = rng.uniform(-1, 1, (300, 2)), rng.uniform(1, 2, (n_far, 2))
    y, y_far = x[:, :1], 5 * far[:, :1]
    (without,) = tasks_of(Request(x, y, seed=3, recipe="paper"))
    (task,) = tasks_of(Request(x, y, seed=3, far=(far, y_far), recipe="paper"))
    assert task.n_far == min(n_far, STANDARD.rows.far)
    near = task.near()
    for name in ("x", "y", "low", "high", "x_scale", "y_scale"):
        np.testing.assert_array_equal(getattr(near, name), getattr(without, name))


def n_threads() -> set[int]:
    """Of all libraries of linear algebra."""
    found = threadpool_info()
    return {one["num_threads"] for one in found if one["user_api"] == "blas"}


class Enough(Exception):
    """What is raised when all was seen."""


@pytest.mark.parametrize(
    ("module", "name", "learner"),
    [
        (relevant_inputs, "significant_inputs", EquationLearner),
        (to_model, "verdict", EquationLearner),
        (readings, "rate_rows", DynamicsLearner),
    ],
)
def test_all_is_computed_with_one_thread(
    module: ModuleType, name: str, learner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-22: on a busy machine two wait for each other: 52 s for a limit of 4 s."""

    def watched(*_: Any, **__: Any) -> None:
        seen.append(n_threads())
        raise Enough

    seen: list[set[int]] = []
    monkeypatch.setattr(module, name, watched)
    x = np.linspace(1, 2, 30)
    with threadpool_limits(2, user_api="blas"), pytest.raises(Enough):
        learner(max_attempts=1).fit(x[:, None], 2 * x)
    assert seen == [{1}]


# An alarm while garbage is collected ends nothing there: the next one does.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    ("n_rows", "n_inputs", "seconds"), [(50, 200, 3), (300, 2000, 4), (2000, 8, 3)]
)
def test_many_inputs_do_not_outlast_the_time_limit(
    n_rows: int, n_inputs: int, seconds: float
) -> None:
    """R-22: neither the test of the inputs nor an attempt at all of them."""
    x = np.random.default_rng(0).uniform(1, 2, (n_rows, n_inputs))
    y = x[:, :1] * x[:, 1:2] + np.sin(3 * x[:, 2:3])
    learn(Request(x[:, :4], y, time_limit=3, jobs=1))  # to have it compiled
    with within(2 + 0.1 * seconds, after=seconds):
        (found,) = learn(Request(x, y, time_limit=seconds, jobs=1))
    assert found.candidates  # on a fast machine it may even be done


@pytest.mark.parametrize(("step", "ended"), [("tasks_of", "interrupt"), ("_found", "")])
def test_ctrl_c_before_and_after_the_search_loses_nothing(
    step: str, ended: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-9: whatever is under way, the best that is there is returned."""
    original = getattr(search, step)

    def interrupted(*arguments: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)  # the signal is there by then
        return original(*arguments)

    monkeypatch.setattr(search, step, interrupted)
    x = np.random.default_rng(0).uniform(1, 2, (30, 1))
    (found,) = learn(Request(x, 2 * x, jobs=1, max_attempts=8))
    assert found.candidates and found.ended == (ended or "finished")
