from dataclasses import replace

import numpy as np

from eqlearn.dynamics.candidates.best_sums import SumOfTerms, best_sums, with_swaps
from eqlearn.dynamics.candidates.grounds import grounds_of_rates, grounds_of_states
from eqlearn.dynamics.candidates.known_rates import known_rates
from eqlearn.dynamics.candidates.pursued import pursued
from eqlearn.dynamics.follow.follow_on import followed
from eqlearn.dynamics.follow.motion import Motion
from eqlearn.dynamics.settings import STANDARD_MOTION
from eqlearn.dynamics.smooth.rate_rows import RateRows, rate_rows, smooth_run
from eqlearn.dynamics.smooth.trajectories import time_series
from eqlearn.equation.write.display import formula_text

RATES = {"x": "1.1*x - 0.4*x*y", "y": "0.1*x*y - 0.4*y"}


def test_the_terms_of_a_law_are_among_the_sums_in_spite_of_noise() -> None:
    graphs = known_rates(RATES, tuple(RATES), ())
    t = np.linspace(0, 30, 400)
    states = followed(Motion((graphs[0], graphs[1])), np.array([10.0, 5.0]), t)
    rng = np.random.default_rng(0)
    states += 0.03 * states.std(axis=0) * rng.normal(size=states.shape)
    smooth = [smooth_run(run) for run in time_series(states, t)]
    for state, names in enumerate(RATES):
        found = pursued(grounds_of_states(smooth, state, 8, 4000))
        texts = [formula_text(graph, list(RATES), names) for graph in found]
        assert any(
            text.count("*x*y") == 1 and text.count(" - ") + text.count(" + ") == 1
            for text in texts
        ), texts


def test_three_terms_are_found_together() -> None:
    """Of z^2/(K + z^2) as 1 less another term, parts that nearly cancel came alone."""
    rates = {
        "x": "x - x**2/4 - 1.2*x**2*y/(1 + x**2)",
        "y": "0.6*x**2*y/(1 + x**2) - 0.25*y",
    }
    graphs = known_rates(rates, tuple(rates), ())
    motion, smooth = Motion((graphs[0], graphs[1])), []
    rng = np.random.default_rng(0)
    for start in ((0.5, 0.5), (3.0, 1.0)):
        t = np.linspace(0, 40, 300)
        states = followed(motion, np.array(start), t)
        states += 0.01 * states.std(axis=0) * rng.normal(size=states.shape)
        smooth += [smooth_run(run) for run in time_series(states, t)]
    best = pursued(grounds_of_states(smooth, 0, 8, 4000))[0]
    assert "*x**2*y/(x**2 + " in formula_text(best, list(rates), "x")
    assert best.n_parameters == 4


def test_drag_that_turns_with_the_motion_is_among_the_sums() -> None:
    """Over both directions, v |v| came as fractions of polynomials."""
    u, v = np.random.default_rng(0).uniform(-2, 2, (2, 300))
    rates = 1.5 * u - 0.6 * v * np.abs(v) - 0.2 * v
    rows = RateRows(np.stack([v, u], axis=1), rates[:, None])
    best = pursued(grounds_of_rates(rows, 0))[0]
    assert formula_text(best, ["v", "u"], "r") == "r = 1.5*u - 0.6*v*sqrt(v**2) - 0.2*v"


def test_three_columns_are_few_enough_for_all_triples() -> None:
    A = np.random.default_rng(0).normal(size=(20, 3))
    y, by = A @ np.array([1.0, 2.0, 3.0]), STANDARD_MOTION.pursuit
    found = best_sums(A, y, 20, np.zeros(3), 3, replace(by, width=30))
    assert found[0].places == (0, 1, 2)


def test_all_triples_are_compared() -> None:
    """The best three need not have the best two among them."""
    rng, by = np.random.default_rng(1), STANDARD_MOTION.pursuit
    A = rng.normal(size=(60, 12))
    A[:, 8:] = A[:, :4] + A[:, 4:8] + 0.3 * rng.normal(size=(60, 4))
    y = A[:, 0] + A[:, 4] - A[:, 7]
    found = best_sums(A, y, 60, np.zeros(12), 3, replace(by, width=1))
    assert found[0].places == (0, 4, 7)


def test_rates_of_a_map_are_judged_as_they_are() -> None:
    x = np.random.default_rng(0).uniform(0.1, 0.9, (100, 1))
    found = pursued(grounds_of_rates(RateRows(x, 3.7 * x * (1 - x)), 0))
    values = [graph.evaluate(x)[0] for graph in found]
    assert any(np.allclose(one, 3.7 * x * (1 - x)) for one in values)


def test_rows_have_errors_as_large_as_they_are_said_to_be() -> None:
    t = np.linspace(0, 10, 300)
    x = np.sin(t) + 0.02 * np.random.default_rng(1).normal(size=300)
    smooth = [smooth_run(run) for run in time_series(x, t)]
    rows = rate_rows(smooth, np.random.default_rng(0))
    assert 50 <= len(rows.x) < 100
    again = rate_rows(smooth, np.random.default_rng(1))
    assert not np.allclose(rows.rates, again.rates)
    assert np.array_equal(rows.x, again.x)


def test_waves_of_one_angle_are_found_among_those_of_other_inputs() -> None:
    """Cosines of a length imitated what a spring does, and crowded out the law."""
    low, high = [0.7, -1.0, -0.9, -3.0], [1.4, 1.0, 0.9, 3.0]
    x = np.random.default_rng(0).uniform(low, high, (400, 4))
    r, _, q, w = x.T
    rates = (r * w**2 - 20.0 * (r - 1.0) + 9.8 * np.cos(q))[:, None]
    found = pursued(grounds_of_rates(RateRows(x, rates), 0))
    texts = [formula_text(one, ["r", "v", "q", "w"], "v") for one in found]
    assert "v = r*w**2 - 20*r + 9.8*cos(q) + 20" in texts, texts[:3]


def test_terms_are_swapped_for_better_ones() -> None:
    """A term that was taken on the way gives way to the one of the law."""
    rng, by = np.random.default_rng(1), STANDARD_MOTION.pursuit
    A = rng.normal(size=(60, 12))
    y = A[:, 0] + A[:, 4] - A[:, 7]
    start = SumOfTerms((0, 4, 8), float("inf"))
    (found,) = with_swaps(A, y, 60, np.zeros(12), [start], by)
    assert found.places == (0, 4, 7)
