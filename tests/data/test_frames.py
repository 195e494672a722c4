"""Data frames with columns of words, at the front door and at predictions."""

import numpy as np
import pandas as pd
import polars
import pytest

from eqlearn import EqlearnError, EquationLearner
from eqlearn.data.frames import encoded_frame


def test_what_has_no_words_stays_as_it_is() -> None:
    for x in (np.eye(2), [[1.0]], pd.DataFrame({"a": [1, 2]})):
        found, kinds = encoded_frame("X", x)
        assert found is x
        assert kinds == {}


@pytest.mark.parametrize("kind", ["object", "category", "string"])
def test_words_of_pandas_are_encoded(kind: str) -> None:
    x = pd.DataFrame({"a": [1, 2, 3], "k": pd.Series(["u", "v", "w"], dtype=kind)})
    found, kinds = encoded_frame("X", x)
    assert list(found.columns) == ["a", "k=u", "k=v", "k=w"]
    assert kinds == {"k": ("u", "v", "w")}
    np.testing.assert_array_equal(found["k=v"], [0, 1, 0])


def test_words_of_polars_are_encoded() -> None:
    found, kinds = encoded_frame("X", polars.DataFrame({"k": ["u", "v"], "a": [1, 2]}))
    assert list(found.columns) == ["k=v", "a"]
    assert kinds == {"k": ("u", "v")}


def test_equations_of_words_predict_from_words(tmp_path: object) -> None:
    rng = np.random.default_rng(0)
    x = pd.DataFrame({"a": rng.uniform(1, 2, 60), "k": rng.choice(["u", "v"], 60)})
    y = x["a"] * (1 + (x["k"] == "v"))
    learner = EquationLearner(n_jobs=1).fit(x, y)
    np.testing.assert_allclose(learner.predict(x), y, rtol=1e-6)
    assert learner.model_.inputs == ("a", "k=v")
    learner.save(f"{tmp_path}/model.json")
    again = EquationLearner.load(f"{tmp_path}/model.json")
    np.testing.assert_array_equal(again.predict(x), learner.predict(x))
    with pytest.raises(EqlearnError, match="words that were learned from; got 'other"):
        learner.predict(x.assign(k="w"))


def test_a_column_of_one_word_may_stay_where_predictions_are_made() -> None:
    # It has become no input, and hid all others: the frame that was learned from was
    # refused.
    x = pd.DataFrame({"a": [1.0, 2.0, 4.0], "site": ["north"] * 3})
    learner = EquationLearner(n_jobs=1, max_attempts=1).fit(x, 3 * x["a"])
    np.testing.assert_allclose(learner.predict(x), 3 * x["a"], rtol=1e-6)
    assert learner.model_.inputs == ("a",)
