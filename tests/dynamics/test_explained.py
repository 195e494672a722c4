"""Whether equations leave anything to explain, and a longer search where they do."""

import numpy as np
import pytest

from eqlearn.dynamics import candidate_sources, discover
from eqlearn.dynamics.asked import Asked
from eqlearn.dynamics.candidates.known_rates import known_rates
from eqlearn.dynamics.choose.contest import Contest
from eqlearn.dynamics.choose.explained import excess, leaves_nothing, likeness
from eqlearn.dynamics.follow.motion import Motion
from eqlearn.dynamics.follow.pieces import cut
from eqlearn.dynamics.readings import readings
from eqlearn.dynamics.settings import STANDARD_MOTION
from eqlearn.dynamics.smooth.trajectories import TimeSeries, time_series
from eqlearn.network.canonical import canonical

BY = STANDARD_MOTION.choosing
T = np.linspace(0.0, 6.0, 150)


def decay() -> list[TimeSeries]:
    noise = 0.01 * np.random.default_rng(0).normal(size=len(T))
    return time_series(3.0 * np.exp(-0.5 * T) + noise, T)


def judged(rate: str) -> tuple[bool, float, float]:
    """Whether a rate leaves nothing of a decay, its residuals and their likeness."""
    seen = readings(decay(), Asked())
    pieces = cut(seen.smooth, 1, np.ones(1, bool))
    graph = canonical(known_rates({"x": rate}, ("x",), ())[0], seen.rows.x.T)
    rival = Contest(pieces, seen.rows.x.T).entered(Motion((graph,)), quick=False)
    assert rival is not None
    return (
        leaves_nothing(rival, pieces, seen.smooth, BY),
        float(excess(rival, pieces, seen.smooth).max()),
        likeness(rival, pieces),
    )


def test_a_law_leaves_nothing_but_noise() -> None:
    enough, left, alike = judged("-0.5*x")
    assert enough
    assert 0.8 < left < BY.explained
    assert alike < BY.alike


def test_a_wrong_rate_leaves_something() -> None:
    enough, left, alike = judged("-0.5*x*x")
    assert not enough
    assert left > BY.explained
    assert alike > BY.alike


def test_a_long_formula_is_not_enough_though_it_leaves_nothing() -> None:
    terms = "0.001 - 0.5*x + 0.001*x*x + 0.001*x**3 + 0.001*x**4 + 0.001*x**5"
    enough, left, _ = judged(f"({terms})/(1 + 0.001*x)")
    assert left < BY.explained
    assert not enough


@pytest.mark.parametrize("is_enough", [True, False])
def test_a_longer_search_comes_where_something_is_left(
    monkeypatch: pytest.MonkeyPatch, is_enough: bool
) -> None:
    searched, again = [], candidate_sources.searched_again

    def counted(*given: object) -> object:
        searched.append(given)
        return again(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(discover, "searched_again", counted)
    monkeypatch.setattr(discover, "leaves_nothing", lambda *given: is_enough)
    found = discover.discover(decay(), Asked(time_limit=3.0))
    assert len(searched) == (not is_enough)
    assert found.rival.motion.n_parameters == 1
