from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from eqlearn.training import vectorised

#: The worst error that the module promises for single precision, up to |x| = 60.
ERROR = 3e-7
PAIRS = [(vectorised.sin, np.sin), (vectorised.cos, np.cos)]


@pytest.mark.parametrize(("ours", "exact"), PAIRS)
def test_single_precision_is_as_good_as_promised(
    ours: Callable[[Any], Any], exact: Callable[[Any], Any]
) -> None:
    x = np.linspace(-60, 60, 100_001).astype(np.float32)
    found = np.asarray(ours(jnp.asarray(x)))
    assert found.dtype == np.float32
    assert np.abs(found - exact(x.astype(float))).max() <= ERROR


@pytest.mark.parametrize(("ours", "exact"), PAIRS)
def test_double_precision_is_the_built_in_one(
    ours: Callable[[Any], Any], exact: Callable[[Any], Any]
) -> None:
    with jax.enable_x64(True):
        x = jnp.linspace(-60.0, 60.0, 1001)
        np.testing.assert_allclose(ours(x), exact(np.asarray(x)), rtol=0, atol=1e-15)


def test_derivatives_are_each_others() -> None:
    x = jnp.linspace(-3.0, 3.0, 101, dtype=jnp.float32)
    slope_of_sin = jax.vmap(jax.grad(vectorised.sin))(x)
    slope_of_cos = jax.vmap(jax.grad(vectorised.cos))(x)
    np.testing.assert_allclose(slope_of_sin, np.cos(x), rtol=0, atol=ERROR)
    np.testing.assert_allclose(slope_of_cos, -np.sin(x), rtol=0, atol=ERROR)


def test_all_else_is_jax_numpy() -> None:
    assert vectorised.exp is jnp.exp
    with pytest.raises(AttributeError):
        getattr(vectorised, "no_such_function")  # noqa: B009
