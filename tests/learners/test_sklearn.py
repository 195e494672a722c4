"""R-14: the learner is a scikit-learn estimator, with no exemption."""

from collections.abc import Callable
from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from eqlearn import EquationLearner


# One process and few attempts: what is found is not the point here.
@parametrize_with_checks([EquationLearner(max_attempts=4, n_jobs=1)])  # type: ignore[untyped-decorator]
def test_common_checks(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)
