"""Laws that are sums only before they are solved for the rates."""

from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp

from eqlearn._types import Array
from eqlearn.dynamics.candidates.alphabet import Alphabet, plus
from eqlearn.dynamics.candidates.coupled_sums import coupled_sums
from eqlearn.dynamics.candidates.grounds import Grounds, grounds_of_states
from eqlearn.dynamics.smooth.rate_rows import smooth_run
from eqlearn.dynamics.smooth.trajectories import time_series
from eqlearn.network.graph import Graph


def pendulums(state: Array) -> Array:
    """Rates of a pendulum of 2 kg at 1 m, and one of 1 kg at 0.5 m below it."""
    one, other, spin, spin_below = state
    sine, cosine = np.sin(one - other), np.cos(one - other)
    matrix = np.array([[3.0, 0.5 * cosine], [0.5 * cosine, 0.25]])
    pulls = [
        -0.5 * spin_below**2 * sine - 29.43 * np.sin(one),
        0.5 * spin**2 * sine - 4.905 * np.sin(other),
    ]
    return np.array([spin, spin_below, *np.linalg.solve(matrix, pulls)])


def grounds_of(
    rates: Callable[[Array], Array], starts: Array, seconds: float, noise: float
) -> dict[int, Grounds]:
    t, rng = np.linspace(0, seconds, 250), np.random.default_rng(0)
    smooth = []
    for start in starts:
        solved = solve_ivp(
            lambda _, s: rates(s), (0, seconds), start, t_eval=t, rtol=1e-9
        )
        seen = solved.y.T + noise * rng.normal(size=solved.y.T.shape)
        smooth += [smooth_run(run) for run in time_series(seen, t)]
    return {k: grounds_of_states(smooth, k, 8, 4000) for k in range(starts.shape[1])}


def worst(graph: Graph, state: int, rates: Callable[[Array], Array], x: Array) -> float:
    """How far a formula is off far from the data, of the spread of what is true."""
    true = np.array([rates(row)[state] for row in x])
    return float(np.abs(graph.evaluate(x)[0][:, 0] - true).max() / np.std(true))


def test_pendulums_that_move_each_other_are_found_where_they_have_not_been() -> None:
    starts = np.array([[0.6, -0.4, 0.5, 0.0]])
    found = coupled_sums(grounds_of(pendulums, starts, 8.0, 0.0))
    assert set(found[0]) == {2, 3}  # the rates of angles are other states
    far = np.random.default_rng(1).uniform(-3, 3, (50, 4))
    assert any(
        all(worst(graph, k, pendulums, far) < 0.01 for k, graph in system.items())
        for system in found
    )


def test_rates_that_do_not_depend_on_each_other_are_left_to_others() -> None:
    """Fractions of one rate imitate |v| and other curves, and are soon enough."""

    def rates(state: Array) -> Array:
        x, y = state
        rate = (3.0 * y - 2.0 * x) / (1.0 + 0.5 * x + 0.8 * y * y)
        return np.array([rate, 1.0 - 0.3 * x * y - 0.2 * y])

    starts = np.array([[0.1, 3.0], [3.0, 0.2]])
    assert coupled_sums(grounds_of(rates, starts, 20.0, 0.003)) == []


def test_sines_squared_are_written_as_cosines() -> None:
    alphabet = Alphabet(2, ((0,), (0, 1)))
    sine, cosine = 2, 3
    assert alphabet.product((1, sine), (sine,)) == {
        (1,): 1.0,
        (1, cosine, cosine): -1.0,
    }
    values = alphabet.values(np.array([[0.5, 0.2]]))[0]
    np.testing.assert_allclose(
        values[2:], [np.sin(0.5), np.cos(0.5), np.sin(0.3), np.cos(0.3)]
    )
    assert all((sine, sine) != one for one in alphabet.monomials(2))
    assert (0,) not in alphabet.monomials(1)


def test_what_cancels_is_gone() -> None:
    assert plus({(0,): 0.1 + 0.2, (1,): 1.0}, {(0,): 0.3, (1,): 1.0}, -1.0) == {}
