"""From candidates to a model: who is picked, in what order, with what beside it."""

from typing import Any

import numpy as np
import pytest
from found import LINE, MEAN, ONE, candidate, found

from eqlearn.model.model import Model
from eqlearn.network.graph import Graph, Node
from eqlearn.search.conclude.to_model import model_of, picks_of, tables_of
from eqlearn.search.keep.final_fits import Candidate
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
    (table,) = tables_of([found(*SOME)])
    assert table.validation.tolist() == [0.008, 0.01, 0.5]
    assert table.size.tolist() == [1.0, 0.0, 0.0]
    assert table.bic.tolist() == [-50.0, -100.0, 0.0]
    assert table.extrapolation is None
    errors = [candidate(extrapolation=0.1), candidate(extrapolation=0.2)]
    (far,) = tables_of([found(*errors)])
    assert far.extrapolation is not None and far.extrapolation.tolist() == [0.1, 0.2]
    (some,) = tables_of([found(candidate(extrapolation=0.1), candidate())])
    assert some.extrapolation is None


def test_the_pick_is_the_criterions() -> None:
    assert picks_of([found(*SOME)], "information") == [1]
    assert picks_of([found(*SOME)], "v_int_s") == [1]
    no_size = found(candidate(LINE, validation=0.1), candidate(MEAN, validation=0.01))
    assert picks_of([no_size], "v_ranks") == [1]


def network(
    number: int, validation: float, extrapolation: float, size: int = 3
) -> Candidate:
    errors: dict[str, Any] = {"validation": validation, "extrapolation": extrapolation}
    return candidate(bic=-validation, network=number, n_connected=size, **errors)


def test_networks_have_the_errors_of_all_their_outputs() -> None:
    # Each target alone would pick another: 0 has the one, 1 the other, 2 nearly both.
    first = found(network(0, 0.3, 0.3), network(2, 0.4, 0.4), network(1, 4.0, 4.0))
    second = found(network(1, 0.4, 0.4), network(2, 0.3, 0.3), network(0, 4.0, 4.0))
    one, other = tables_of([first, second])
    assert one.validation.tolist() == pytest.approx(
        [np.hypot(0.3, 4.0), 0.5, 4.02], rel=1e-3
    )
    assert one.extrapolation is not None and one.extrapolation[1] == pytest.approx(0.5)
    assert one.bic.tolist() == pytest.approx([-4.3, -0.7, -4.4])
    assert other.validation[1] == one.validation[1]
    for selection in ("v_int_s", "v_int_ex", "v_ranks"):
        assert picks_of([first, second], selection) == [1, 1]
    # The pick comes first, although for each target another has the smaller error.
    model = made(first, second, selection="v_int_ex")
    assert [one.scores["validation_error"] for one in model.chosen] == [0.4, 0.3]
    assert model.equations[0].is_chosen and model.equations[3].is_chosen


def test_a_network_that_failed_for_one_target_is_not_picked() -> None:
    first = found(network(0, 0.1, 0.1), network(1, 0.5, 0.5))
    second = found(network(1, 0.5, 0.5))
    assert picks_of([first, second], "v_int_s") == [1, 0]


def test_what_is_no_network_is_picked_for_each_target() -> None:
    worse, better = (candidate(bic=bic, validation=1.0) for bic in (1.0, -1.0))
    assert picks_of([found(worse, better), found(better, worse)], "information") == [
        1,
        0,
    ]


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


def test_forms_of_one_formula_are_listed_once() -> None:
    again = candidate(LINE, bic=-90.0, validation=0.01, votes=1)
    model = made(found(*SOME, again))
    assert [one.formula for one in model.equations].count("y = 2*t") == 1
    assert model.equations[0].votes == 3


def test_what_breaks_a_constraint_is_picked_by_no_criterion() -> None:
    broken = candidate(LINE, bic=-500.0, validation=0.001, n_broken=1)
    for name in ("information", "v_int_s", "v_ranks"):
        assert picks_of([found(broken, SOME[0])], name) == [1]
    assert picks_of([found(broken)], "information") == [0]


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
