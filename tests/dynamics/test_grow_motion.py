"""Forms that residuals point to, from trajectories without noise."""

from typing import Any

import numpy as np
import pytest

from eqlearn.dynamics.asked import Asked
from eqlearn.dynamics.candidates.known_rates import known_rates
from eqlearn.dynamics.candidates.reshaping import (
    Letters,
    angles_of,
    extended,
    with_natural_angles,
)
from eqlearn.dynamics.choose.contest import Contest
from eqlearn.dynamics.choose.grow_motion import grown
from eqlearn.dynamics.choose.prune_motion import with_formula
from eqlearn.dynamics.follow.follow_on import followed
from eqlearn.dynamics.follow.motion import Motion
from eqlearn.dynamics.follow.pieces import cut
from eqlearn.dynamics.readings import readings
from eqlearn.dynamics.smooth.trajectories import time_series
from eqlearn.network.canonical import canonical

NAMES = ("q", "w")


def motion(text: str) -> Motion:
    rates = known_rates({"q": "w", "w": text}, NAMES, ())
    x = np.random.default_rng(0).normal(size=(2, 50))
    return Motion(tuple(canonical(rates[k], x) for k in range(2)))


@pytest.mark.parametrize(
    ("law", "begin"),
    [
        # A term that is missing below, and a cosine in the place of a sine times it.
        ("(-4*sin(q) - 0.3*w)/(1 - 0.4*cos(q)*cos(q))", "-5*sin(q) - 0.4*w"),
        ("-0.2*w + 5*sin(q)*cos(q) - 2*sin(q)", "-0.2*w + 1.5*sin(q)"),
    ],
)
def test_a_form_is_reached_from_a_rougher_one(law: str, begin: str) -> None:
    t = np.linspace(0, 8, 250)
    starts = ([2.0, 0.0], [0.4, 1.5])
    true = motion(law)
    runs = time_series([followed(true, np.array(s), t) for s in starts], t)
    seen = readings(runs, Asked())
    contest = Contest(
        cut(seen.smooth, 10, np.ones(2, bool)),
        seen.rows.x.T,
        grounds=lambda state: seen.grounds(state, Asked()),
    )
    rival = contest.entered(motion(begin))
    assert rival is not None
    found = grown(rival, contest).motion
    x = np.random.default_rng(1).uniform(-3, 3, (100, 2))
    np.testing.assert_allclose(found.rates(x), true.rates(x), atol=1e-3)


def test_no_form_is_fitted_once_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """R-22: in a long log one fit takes a quarter of a second."""
    t, start = np.linspace(0, 8, 250), np.array([2.0, 0.0])
    runs = time_series([followed(motion("-4*sin(q) - 0.3*w"), start, t)], t)
    seen, fitted = readings(runs, Asked()), list[float]()
    contest = Contest(
        cut(seen.smooth, 10, np.ones(2, bool)),
        seen.rows.x.T,
        grounds=lambda state: seen.grounds(state, Asked()),
        deadline=1.0,
        clock=lambda: float(len(fitted)),
    )
    rival = contest.entered(motion("-5*sin(q)"))

    def counted(*arguments: Any) -> Any:
        fitted.append(0.0)
        return with_formula(*arguments)

    place = "eqlearn.dynamics.choose.grow_motion.with_formula"
    monkeypatch.setattr(place, counted)
    assert rival is not None
    grown(rival, contest)
    assert len(fitted) == 2  # the second of them ends the time


def test_letters_are_inputs_and_waves_of_angles() -> None:
    letters = Letters(2, (0,))
    # 1; w, sin, cos; w², w sin, w cos, sin cos, cos²: no angle, no square of a sine;
    # and w sin cos, for sin cos is a sine as well.
    assert letters.monomials(2) == [
        *((), (1,), (2,), (3,)),
        *((1, 1), (1, 2), (1, 3), (2, 3), (3, 3), (1, 2, 3)),
    ]
    graph = motion("-4*sin(q)").graphs[1]
    wide, added = extended(graph, letters.monomials(2), letters)
    x = np.random.default_rng(0).normal(size=(20, 2))
    np.testing.assert_allclose(wide.evaluate(x)[0], graph.evaluate(x)[0])
    slots = wide.slots()
    above = {key[1]: 1.0 for key in added if key[0] == wide.first_output_slot}
    slots[wide.first_output_slot] = above
    total = wide.with_slots(slots).evaluate(x)[0][:, 0]
    q, w = x.T
    s, c = np.sin(q), np.cos(q)
    np.testing.assert_allclose(
        total, 1 + w + s + c + w * w + w * s + w * c + s * c + c * c + w * s * c
    )


def test_angles_near_themselves_become_that_and_stay() -> None:
    graph = motion("-4*sin(1.01*q) + 2*sin(1.4*w)").graphs[1]
    assert angles_of(graph) == {0, 1}
    natural = with_natural_angles(graph, 0.1)
    assert natural.n_parameters == graph.n_parameters - 1
    x = np.random.default_rng(0).normal(size=(20, 2))
    wanted = -4 * np.sin(x[:, 0]) + 2 * np.sin(1.4 * x[:, 1])
    np.testing.assert_allclose(natural.evaluate(x)[0][:, 0], wanted)
