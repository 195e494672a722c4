import numpy as np
import pytest
from formulas import formula, sine

from eqlearn.dynamics.candidates.known_rates import known_rates
from eqlearn.dynamics.follow.follow_on import followed
from eqlearn.dynamics.follow.motion import Motion
from eqlearn.dynamics.follow.pieces import cut
from eqlearn.dynamics.follow.shooting import _variances, course, fit_motion
from eqlearn.dynamics.smooth.rate_rows import smooth_run
from eqlearn.dynamics.smooth.trajectories import time_series
from eqlearn.network.canonical import canonical

RATES = {"x": "3/(1 + y**2) - x + 0.2*u", "y": "sin(1.5*x + 0.3) - 0.7*y"}


def motion(rates: dict[str, str], inputs: tuple[str, ...] = ("u",)) -> Motion:
    x = np.random.default_rng(0).uniform(0.5, 2.0, (len(rates) + len(inputs), 50))
    graphs = known_rates(rates, tuple(rates), inputs)
    return Motion(tuple(canonical(graphs[k], x) for k in range(len(rates))))


def recorded(noise: float = 0.0) -> tuple[Motion, list[np.ndarray]]:
    """A system with units in both equations, and a trajectory of it."""

    system = motion(RATES)
    t = np.linspace(0.0, 6.0, 150)
    u = np.sin(1.7 * t)[:, None]
    states = followed(system, np.array([0.2, 1.5]), t, u)
    rng = np.random.default_rng(1)
    return system, [t, states + noise * rng.normal(size=states.shape), u]


def pieces(runs: list[np.ndarray], count: int) -> object:
    smooth = [smooth_run(one) for one in time_series(runs[1], runs[0], runs[2])]
    return cut(smooth, count, np.ones(2, dtype=bool)).finer(4)


def test_sensitivities_are_those_of_finite_differences() -> None:
    system, runs = recorded()
    some = pieces(runs, 3)
    found = course(system, some, some.starts, with_slopes=True)  # type: ignore
    values = system.values()
    assert found is not None
    for j in range(len(values)):
        ends = []
        for sign in (1, -1):
            moved = values.copy()
            moved[j] += sign * 1e-6
            there = course(system.with_values(moved), some, some.starts)  # type: ignore
            assert there is not None
            ends.append(there.states)
        difference = (ends[0] - ends[1]) / 2e-6
        assert found.slopes[:, :, j] == pytest.approx(difference, abs=1e-6)


def test_constants_of_all_equations_are_found_again() -> None:
    system, runs = recorded(noise=0.01)
    rng = np.random.default_rng(3)
    truth = system.values()
    off = system.with_values(truth * rng.uniform(0.9, 1.1, len(truth)))
    found = fit_motion(off, pieces(runs, 2))  # type: ignore[arg-type]
    assert found is not None
    distance = np.abs(found.motion.values() - truth)
    assert np.all(distance < 4 * found.errors)
    assert found.rms == pytest.approx(0.01, rel=0.2)


def test_a_motion_that_blows_up_is_refused() -> None:
    _, runs = recorded()
    system = motion({"x": "40*x*x", "y": "x"})
    assert fit_motion(system, pieces(runs, 1)) is None  # type: ignore[arg-type]


def test_constants_that_can_stand_in_for_each_other_are_uncertain() -> None:
    _, runs = recorded(noise=0.01)
    # A multiple of x is in the product and beside it; the other rate has no such thing.
    system = motion({"x": "x*(sin(y) + 0.4) - 1.4*x", "y": "sin(1.5*x) - 0.7*y"})
    found = fit_motion(system, pieces(runs, 10))  # type: ignore[arg-type]
    assert found is not None
    certain = np.abs(found.motion.values()) / found.errors
    parts = np.split(certain, [system.graphs[0].n_parameters])
    assert np.all(parts[0] < 0.1)
    assert np.all(parts[1] > 5)


def test_what_measurements_hardly_tell_is_uncertain_without_a_warning() -> None:
    np.testing.assert_array_equal(_variances(np.diag([4.0, 1e-320])), [0.25, np.inf])


def test_a_simulation_that_gets_stuck_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Wrong equations may shake so fast that a long log would take minutes."""
    calls, rates = list[int](), Motion.rates

    def counted(system: Motion, x: np.ndarray) -> np.ndarray:
        calls.append(1)
        return rates(system, x)

    monkeypatch.setattr(Motion, "rates", counted)
    shaking, clock = formula(2, {2: 1.0}, sine({1: 1e6})), formula(2, {-1: 1.0})
    t = np.linspace(0.0, 1.0, 11)
    states = followed(Motion((shaking, clock)), np.array([0.1, 0.0]), t)
    assert states[0, 0] == 0.1 and np.isnan(states[-1, 0])
    assert len(calls) < 400 * len(t)
