import numpy as np
import pytest

from eqlearn.dynamics.settings import Smoothing
from eqlearn.dynamics.smooth import splines
from eqlearn.dynamics.smooth.splines import smoothed


def noisy_sine(noise: float, n: int = 200) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    t = np.sort(rng.uniform(0.0, 10.0, n))
    return t, np.sin(t) + noise * rng.normal(size=n)


def test_clean_data_give_exact_rates_at_uneven_times() -> None:
    t, x = noisy_sine(0.0)
    (found,) = smoothed(t, x[:, None])
    inside = slice(5, -5)
    assert found.rate[inside] == pytest.approx(np.cos(t)[inside], abs=1e-4)
    assert found.bend[inside] == pytest.approx(-np.sin(t)[inside], abs=1e-2)


def test_noise_and_the_errors_of_rates_are_told() -> None:
    t, x = noisy_sine(0.05)
    (found,) = smoothed(t, x[:, None])
    assert found.noise == pytest.approx(0.05, rel=0.15)
    off = (found.rate - np.cos(t)) / found.rate_error
    assert 0.4 < float(np.sqrt(np.mean(off**2))) < 1.6


def test_what_is_scaled_in_time_is_scaled_in_rate() -> None:
    t, x = noisy_sine(0.05)
    (slow,) = smoothed(1000.0 * t, x[:, None])
    (usual,) = smoothed(t, x[:, None])
    assert slow.rate * 1000.0 == pytest.approx(usual.rate, abs=1e-3)


def test_blocks_agree_with_the_whole() -> None:
    t, x = noisy_sine(0.02, 300)
    (whole,) = smoothed(t, x[:, None])
    (blocks,) = smoothed(t, x[:, None], Smoothing(most_rows=150, overlap=60))
    assert len(blocks.value) == len(t)
    assert blocks.value == pytest.approx(whole.value, abs=0.02)


def n_families(t: np.ndarray) -> int:
    """How often splines are made for three states, in 25 blocks of about 50 rows."""
    splines._family.cache_clear()
    rng = np.random.default_rng(0)
    x = np.sin(np.outer(t, [1.0, 2.0, 3.0])) + 0.1 * rng.normal(size=(len(t), 3))
    smoothed(t, x, Smoothing(most_rows=50, overlap=10))
    return splines._family.cache_info().misses


def test_the_states_of_a_long_log_share_their_splines() -> None:
    """R-22: they take most of the time, 15 s of a core for 20,000 rows of 4 states."""
    uneven = np.sort(np.random.default_rng(1).uniform(0.0, 100.0, 1000))
    assert n_families(uneven) == 25


def test_blocks_of_even_times_share_their_splines() -> None:
    assert n_families(np.linspace(3.0, 17.0, 1000)) < 6
