"""Callbacks: what they are told, and how they end a search."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from eqlearn import EqlearnError, EquationLearner
from eqlearn.report.progress import BestSoFar

RNG = np.random.default_rng(0)
X = RNG.uniform(0.5, 3, (150, 2))
#: What the search would go on with for minutes.
NOISY = np.sin(3 * X[:, 0]) / (1.5 + X[:, 1]) + RNG.normal(size=150)


def test_a_callback_hears_of_the_best_so_far() -> None:
    heard: list[BestSoFar] = []
    y = 2 * X[:, 0] / X[:, 1]
    EquationLearner(n_jobs=1, callback=heard.append).fit(X, y)
    assert [one.n_done for one in heard] == sorted(one.n_done for one in heard)
    last = heard[-1]
    assert last.equations == {"y": "y = 2*x1/x2"}
    assert last.errors["y"] < 1e-9
    assert last.complexities["y"] >= 2
    assert last.seconds > 0


def test_a_callback_ends_a_search_in_good_order() -> None:
    def enough(best: BestSoFar) -> bool:
        return best.n_done >= 2

    learner = EquationLearner(n_jobs=1, callback=enough).fit(X, NOISY)
    assert learner.interrupted_
    assert len(learner.equations_) > 0
    assert learner.model_.seconds < 60


def test_what_a_callback_raises_is_raised() -> None:
    def broken(best: BestSoFar) -> None:
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        EquationLearner(n_jobs=1, callback=broken).fit(X, NOISY)


def test_a_callback_changes_no_answer() -> None:
    y = 2 * X[:, 0] / X[:, 1]
    with_one = EquationLearner(n_jobs=1, callback=lambda best: None).fit(X, y)
    without = EquationLearner(n_jobs=1).fit(X, y)
    assert with_one.model_.equations == without.model_.equations
    assert clone(with_one).callback is with_one.callback


@pytest.mark.parametrize("callback", [7, "print", [print]])
def test_what_cannot_be_called_is_refused(callback: Any) -> None:
    message = "`callback` must be a function of the best so far, or None; got"
    with pytest.raises(EqlearnError, match=message):
        EquationLearner(callback=callback).fit(X, NOISY)
