import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eqlearn.data.scale import domain_of_use, drawn_within, origins_of, scaling_of


def test_the_default_domain_doubles_the_range_but_keeps_one_sign() -> None:
    x = np.array([[-1.0, 1.0, -3.0, 0.0], [1.0, 2.0, -1.0, 2.0]])
    low, high = domain_of_use(x)
    np.testing.assert_allclose(low, [-2, 0.5, -4, 0])
    np.testing.assert_allclose(high, [2, 2.5, -0.5, 3])


def test_switches_stay_0_or_1() -> None:
    rng = np.random.default_rng(0)
    kinds = np.eye(3)[rng.integers(3, size=200)]
    x = np.c_[kinds, rng.uniform(1, 2, 200)]
    low, high = domain_of_use(x)
    np.testing.assert_allclose(low, [0, 0, 0, 0.5], atol=0.01)
    np.testing.assert_allclose(high, [1, 1, 1, 2.5], atol=0.01)
    for one in (1.0, np.array([0.7, 1.3, 1.0, 1.0])):
        points = drawn_within(low * one, high * one, 500, x * one, rng, one)
        drawn = points[:, :3] / np.broadcast_to(one, 4)[:3]
        assert np.unique(drawn, axis=0).tolist() == np.eye(3)[::-1].tolist()
        assert (points[:, 3] > 2).any()
    # Who means to use what is between, or beyond, says so.
    points = drawn_within(low - 1, high, 500, x, rng)
    assert (points[:, 0] < 0).any()


def test_inputs_spread_over_the_unit_range_keep_their_scale() -> None:
    x = np.linspace(-1, 1, 10_001)[:, None]
    y = 5.0 + 3.0 * x
    scaling = scaling_of(x, y)
    assert scaling.x == pytest.approx(1.0, rel=1e-3)
    assert scaling.y == pytest.approx(np.std(y))


def test_constant_and_zero_columns_get_a_usable_scale() -> None:
    x = np.zeros((5, 1))
    scaling = scaling_of(x, np.c_[np.zeros(5), np.full(5, -7.0)])
    np.testing.assert_allclose(scaling.x, [1.0])
    np.testing.assert_allclose(scaling.y, [1.0, 7.0])


@given(st.floats(-280, 280))
def test_scales_follow_the_units_of_measure(exponent: float) -> None:
    factor = 10.0**exponent
    x = np.linspace(-1, 1, 50)[:, None]
    scaling = scaling_of(factor * x, factor * x)
    plain = scaling_of(x, x)
    np.testing.assert_allclose(scaling.x, factor * plain.x, rtol=1e-9)
    np.testing.assert_allclose(scaling.y, factor * plain.y, rtol=1e-9)


@pytest.mark.parametrize(
    ("low", "high", "origin"),
    [
        (1993.0, 2021.0, 1990.0),
        (1990.0, 1999.0, 1990.0),
        (-1005.0, -1001.0, -1005.0),
        (101.325, 101.525, 101.3),
        (0.0, 30.0, 0.0),
        (100.0, 200.0, 0.0),
        (5.0, 5.0, 0.0),
    ],
)
def test_inputs_far_from_zero_begin_at_a_round_number(
    low: float, high: float, origin: float
) -> None:
    x = np.linspace(low, high, 60)[:, None]
    assert origins_of(x) == pytest.approx([origin])
