"""What a search ends with."""

import numpy as np
import pandas as pd

from eqlearn import EquationLearner


def test_the_law_stays_beside_what_a_climb_made_of_it() -> None:
    # A sine imitates this peak, and is a hair closer; the peak has simple constants.
    rng = np.random.default_rng(3)
    x = rng.uniform(0, 6, 200)
    y = 2 + 5 / (1 + ((x - 3.1) / 0.4) ** 2)
    y += 0.01 * np.std(y) * rng.normal(size=200)
    learner = EquationLearner(n_jobs=1, time_limit=20).fit(pd.DataFrame({"x": x}), y)
    assert "sin" not in learner.equation_
    far = pd.DataFrame({"x": [9.0]})
    np.testing.assert_allclose(learner.predict(far), 2 + 5 / (1 + 14.75**2), rtol=0.01)
