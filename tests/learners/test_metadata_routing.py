"""What scikit-learn passes on to `fit`: weights and far points, through its tools."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from eqlearn import EquationLearner

RNG = np.random.default_rng(0)
X = RNG.uniform(1, 2, (40, 1))
Y = 3 * X[:, 0]
#: Every other row is wrong, and says so by its weight.
IS_WRONG = np.arange(40) % 2 == 1
WRONG = np.where(IS_WRONG, 50.0 * RNG.uniform(size=40), Y)
WEIGHT = np.where(IS_WRONG, 0.0, 1.0)
FAR = (np.array([[5.0], [6.0]]), np.array([15.0, 18.0]))


@pytest.fixture(autouse=True)
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def learner(**options: Any) -> EquationLearner:
    return EquationLearner(n_jobs=1, max_attempts=4, **options)


def test_what_fit_takes_can_be_requested() -> None:
    asked = learner().set_fit_request(sample_weight=True, extrapolation=True)
    requests = asked.get_metadata_routing().fit.requests
    assert requests["sample_weight"] is True and requests["extrapolation"] is True


def test_a_pipeline_passes_weights_on() -> None:
    asked = learner().set_fit_request(sample_weight=True)
    pipeline = make_pipeline(FunctionTransformer(), asked)
    pipeline.fit(X, WRONG, sample_weight=WEIGHT)
    np.testing.assert_allclose(pipeline.predict([[10.0]]), [30.0], rtol=1e-6)


def test_a_pipeline_passes_far_points_on() -> None:
    asked = learner().set_fit_request(extrapolation=True)
    pipeline = make_pipeline(FunctionTransformer(), asked)
    pipeline.fit(X, Y, extrapolation=FAR)
    assert pipeline[-1].model_.domain[0][1] >= 6.0


def test_cross_validation_cuts_weights_and_leaves_far_points_whole() -> None:
    asked = learner().set_fit_request(sample_weight=True, extrapolation=True)
    asked.set_score_request(sample_weight=True)
    found = cross_validate(
        asked,
        X,
        WRONG,
        cv=2,
        params={"sample_weight": WEIGHT, "extrapolation": FAR},
        return_estimator=True,
    )
    assert all(one.model_.n_rows == 10 for one in found["estimator"])
    assert all(one.model_.domain[0][1] >= 6.0 for one in found["estimator"])
    np.testing.assert_allclose(found["test_score"], 1.0, atol=1e-6)


def test_a_grid_search_passes_weights_on() -> None:
    asked = learner().set_fit_request(sample_weight=True)
    asked.set_score_request(sample_weight=True)
    search = GridSearchCV(asked, {"snap": [True, False]}, cv=2)
    search.fit(X, WRONG, sample_weight=WEIGHT)
    assert search.best_estimator_.equation_ == "y = 3*x1"


def test_what_was_not_requested_is_refused_by_scikit_learn() -> None:
    pipeline = make_pipeline(FunctionTransformer(), learner())
    with pytest.raises(ValueError, match="sample_weight"):
        pipeline.fit(X, Y, sample_weight=WEIGHT)
