"""From candidates to a model: who is picked, in what order, with what beside it."""

from typing import Any

import numpy as np
from found import LINE, MEAN, ONE, candidate, found

from eqlearn.model.model import Model
from eqlearn.network.graph import Graph, Node
from eqlearn.search.conclude.to_model import model_of, picked, table_of
from eqlearn.search.learn import Found

WAVE = Graph(1, (Node("sin", ({0: 1.0},)),), (({1: 1.0}, ONE),))
X = np.linspace(-1.0, 1.0, 20)[:, None]
DOMAIN = np.array([[-2.0, 2.0]])

# The line is the best of its size, the wave fits a little better, the mean is neither.
SOME = (
    candidate(WAVE, bic=-50.0, validation=0.008),
    candidate(LINE, bic=-100.0, validation=0.01),
    candidate(MEAN, bic=0.0, validation=0.5),
)


def made(*one_each: Found, **changes: Any) -> Model:
    y = np.concatenate([2.0 * X] * len(one_each), axis=1)
    targets = ["y", "z"][: len(one_each)]
    return model_of(one_each, X, y, DOMAIN, inputs=["t"], targets=targets, **changes)


def test_the_table_of_criteria_has_a_number_of_each_kind() -> None:
    table = table_of(SOME)
    assert table.validation.tolist() == [0.008, 0.01, 0.5]
    assert table.size.tolist() == [1.0, 0.0, 0.0]
    assert table.bic.tolist() == [-50.0, -100.0, 0.0]
    assert table.extrapolation is None
    far = table_of([candidate(extrapolation=0.1), candidate(extrapolation=0.2)])
    assert far.extrapolation is not None and far.extrapolation.tolist() == [0.1, 0.2]
    some = table_of([candidate(extrapolation=0.1), candidate()])
    assert some.extrapolation is None


def test_the_pick_is_the_criterions() -> None:
    assert picked(found(*SOME), "information") == 1
    assert picked(found(*SOME), "v_int_s") == 1
    no_size = found(candidate(LINE, validation=0.1), candidate(MEAN, validation=0.01))
    assert picked(no_size, "v_ranks") == 1


def test_the_pick_comes_first_and_the_others_by_their_rank() -> None:
    model = made(found(*SOME))
    assert [one.is_chosen for one in model.equations] == [True, False, False]
    ranks = [one.scores["rank_information"] for one in model.equations]
    assert ranks == [1.0, 2.0, 3.0]
    assert [one.formula for one in model.equations] == [
        "y = 2*t",
        "y = sin(t)",
        "y = 1/2",
    ]
    assert set(model.equations[0].scores) == {
        "validation_error",
        "rank_information",
        "rank_v_int_s",
        "rank_v_ranks",
    }


def test_what_diverged_is_listed_only_if_it_was_picked() -> None:
    lost = candidate(WAVE, bic=np.inf, validation=np.nan)
    model = made(found(SOME[1], lost))
    assert len(model.equations) == 1
    (only,) = made(found(lost)).equations
    assert only.is_chosen
    assert "validation_error" not in only.scores


def test_a_model_has_everything_that_is_known() -> None:
    searches = found(*SOME), found(SOME[2], ended="time", n_attempts=4, seconds=2.5)
    model = made(*searches, is_flat=True, parameters={"snap": True})
    assert (model.inputs, model.targets) == (("t",), ("y", "z"))
    assert [one.verdict.kind for one in model.outcomes] == ["trusted", "nothing"]
    assert [one.ended for one in model.outcomes] == ["finished", "time"]
    assert [one.n_attempts for one in model.outcomes] == [9, 4]
    assert (model.seconds, model.is_flat, model.n_rows) == (2.5, True, 20)
    assert (model.domain, model.ranges) == (((-2.0, 2.0),), ((-1.0, 1.0),))
    assert model.parameters == {"snap": True}
    assert {"eqlearn", "numpy"} <= set(model.versions)
