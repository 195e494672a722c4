"""What a search makes of constraints, from the constructor to the report."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tasks import task_of

from eqlearn import EqlearnError, EquationLearner
from eqlearn.equation.refine.criterion import refit
from eqlearn.knowledge.constraining.constraint_text import constraints_of
from eqlearn.network.graph import CONSTANT, Graph, Linear
from eqlearn.search.keep.kept_constraints import anchored, mended, n_broken
from eqlearn.search.keep.pool import Pool
from eqlearn.search.task import Task

RNG = np.random.default_rng(3)
X = pd.DataFrame({"x": RNG.uniform(0.2, 2, 60)})
LAW = 2 * X.x.to_numpy() + 1
ONE: Linear = {CONSTANT: 1.0}
LINE = Graph(1, (), (({0: 1.0, CONSTANT: 0.1}, ONE),))


def learned(y: Any, constraints: Any, **options: Any) -> EquationLearner:
    settings: dict[str, Any] = {"n_jobs": 1, "max_attempts": 8, **options}
    return EquationLearner(constraints=constraints, **settings).fit(X, y)


def task_knowing(*texts: str) -> Task:
    x = X.to_numpy()
    task = task_of(x, 3 * x[:, 0] + 0.05)
    (known,) = constraints_of(texts, ("x",), ("y",))
    return replace(task, constraints=known)


def test_a_formula_that_breaks_one_comes_after_all_that_keep_it() -> None:
    task = task_knowing("f(0) = 0")
    pool, data = Pool(task), task.search_rows()
    better, worse = (
        refit(Graph(1, (), ((above, ONE),)), data, task.tactics)
        for above in ({0: 1.0, CONSTANT: 0.1}, {0: 1.0})
    )
    assert better.bic < worse.bic
    pool.add(worse)
    pool.add(better)
    assert n_broken(pool.best.graph, task) == 0
    assert n_broken(pool.entries[-1].found.graph, task) == 1


def test_a_term_is_left_out_to_keep_a_constraint() -> None:
    task = task_knowing("f(0) = 0")
    data = task.search_rows()
    found = mended(refit(LINE, data, task.tactics), task, data)
    assert found is not None
    assert found.graph.outputs[0][0].keys() == {0}


def test_a_constant_is_moved_to_keep_a_constraint() -> None:
    task = task_knowing("f(0) = 1")
    data = task.search_rows()
    found = mended(refit(LINE, data, task.tactics), task, data)
    assert found is not None
    value = found.graph.evaluate(np.zeros((1, 1)))[0][0, 0] * task.y_scale
    assert value == pytest.approx(1.0, abs=1e-4)


def test_what_keeps_everything_is_not_mended() -> None:
    task = task_knowing("increasing")
    data = task.search_rows()
    assert mended(refit(LINE, data, task.tactics), task, data) is None


def test_places_to_go_through_are_rows_that_count_for_much() -> None:
    task = task_knowing("f(0) = 1", "increasing")
    data = task.search_rows()
    held = anchored(data, task, in_units=False)
    assert held.n_labelled == data.n_labelled + 1
    assert held.root_weight[-1] > 1e3
    assert anchored(data, task_knowing("positive"), in_units=False) is data


def test_the_answer_keeps_what_is_known_and_says_so() -> None:
    y = 3 * X.x + 0.5 * X.x**2 + 0.1 * RNG.normal(size=len(X))
    learner = learned(y.to_numpy(), ["f(0) = 0", "increasing in x"])
    assert abs(learner.predict(pd.DataFrame({"x": [0.0]}))[0]) < 1e-3
    reasons = " ".join(learner.verdict_[0].reasons)
    assert "“f(0) = 0”: proved." in reasons
    assert "“increasing in x”: proved." in reasons
    assert learner.equations_["broken_constraints"][0] == 0
    assert list(learner.constraints_.kept) == ["proved", "proved"]


def test_where_nothing_keeps_it_the_best_is_marked() -> None:
    learner = learned(LAW, ["f(0) = 0", "y <= 3 for x=0.5:2", "f(2) = 4"])
    (verdict,) = learner.verdict_
    if learner.equations_["broken_constraints"][0]:
        assert verdict.kind in ("doubtful", "nothing")
        assert "No equation was found that keeps all that is known." in verdict.reasons
        assert "violated at x = " in " ".join(verdict.reasons)
    else:  # an odd formula that goes through all of it
        assert "violated" not in " ".join(verdict.reasons)


def test_an_exact_law_that_keeps_all_is_found_as_before() -> None:
    learner = learned(LAW, ["positive", "increasing in x", "y >= 1"])
    assert learner.equation_ == "y = 2*x + 1"
    assert all(learner.constraints_.kept == "proved")


def test_without_constraints_nothing_is_said() -> None:
    learner = learned(LAW, None)
    assert "Known" not in " ".join(learner.verdict_[0].reasons)
    assert "broken_constraints" not in learner.equations_
    assert learner.constraints_.empty


def test_they_are_kept_in_the_model_file(tmp_path: Path) -> None:
    learner = learned(LAW, ("positive",))
    learner.save(tmp_path / "model.json")
    again = EquationLearner.load(tmp_path / "model.json")
    assert again.get_params()["constraints"] == ["positive"]
    assert list(again.constraints_.kept) == ["proved"]
    assert again.verdict_ == learner.verdict_


def test_another_constraint_is_another_run(tmp_path: Path) -> None:
    learned(LAW, "positive", run_dir=tmp_path / "run")
    with pytest.raises(EqlearnError, match="constraints"):
        learned(LAW, "increasing in x", run_dir=tmp_path / "run")


def test_of_several_targets_each_has_its_own() -> None:
    y = pd.DataFrame({"a": 2 * X.x, "b": -X.x})
    learner = learned(y, ["a: positive", "b: negative"])
    assert list(learner.constraints_.target) == ["a", "b"]
    assert all(learner.constraints_.kept == "proved")


def test_a_mistake_is_said_before_the_search() -> None:
    with pytest.raises(EqlearnError, match="`constraints` must be one of 'x'; got 'w'"):
        learned(LAW, "increasing in w")
