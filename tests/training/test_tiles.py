import numpy as np
import pytest

from eqlearn.training.compiled import tiles

LANES = tiles.N_LANES


def matrix(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.normal(size=shape).astype(np.float32)


def close(ours: np.ndarray, exact: np.ndarray) -> None:
    np.testing.assert_allclose(ours, exact, atol=2e-5)


@pytest.mark.parametrize("n_rows", [1, 2, 3, 4, 5, 50])
@pytest.mark.parametrize("n_inner", [1, 4, 40])
def test_products_with_rows_of_lanes(n_rows: int, n_inner: int) -> None:
    rng = np.random.default_rng(n_rows)
    a, b = matrix(rng, n_rows, n_inner), matrix(rng, n_inner, LANES)
    bias, before = matrix(rng, n_rows), matrix(rng, n_rows + 1, LANES)
    c, flat = before.copy(), np.concatenate([a.ravel(), bias])
    tiles.set_lanes(c.ravel(), 0, flat, 0, a.size, b.ravel(), 0, n_rows, n_inner)
    close(c[:-1], a @ b + bias[:, None])
    c[:-1], turned = before[:-1], a.T.ravel().copy()
    tiles.add_lanes(c.ravel(), 0, turned, 0, n_rows, b.ravel(), 0, n_rows, n_inner)
    close(c[:-1], before[:-1] + a @ b)
    np.testing.assert_array_equal(c[-1], before[-1])


@pytest.mark.parametrize("n_rows", [1, 2, 7, 13, 50])
@pytest.mark.parametrize("n_columns", [1, 4, 8, 13, 16, 24, 40, 44])
def test_products_of_lanes(n_rows: int, n_columns: int) -> None:
    rng = np.random.default_rng(n_columns)
    n_inner, width = 17, n_columns + 8
    a, b = matrix(rng, n_rows, LANES), matrix(rng, LANES, width)
    before = matrix(rng, n_rows * n_columns + 9)
    c = before.copy()
    tiles.add_product(c, 1, a.ravel(), b.ravel(), 0, width, n_rows, n_inner, n_columns)
    product = a[:, :n_inner] @ b[:n_inner, :n_columns]
    close(c[1:-8], before[1:-8] + product.ravel())
    np.testing.assert_array_equal(c[[0, *range(-8, 0)]], before[[0, *range(-8, 0)]])


@pytest.mark.parametrize("n_rows", [1, 8, 11])
def test_sums_of_lanes(n_rows: int) -> None:
    rng = np.random.default_rng(0)
    rows, before = matrix(rng, 16, LANES), matrix(rng, 16)
    sums = before.copy()
    tiles.add_sums(sums, 1, rows.ravel(), n_rows)
    close(sums[1 : n_rows + 1], before[1 : n_rows + 1] + rows[:n_rows].sum(axis=1))
    np.testing.assert_array_equal(sums[n_rows + 1 :], before[n_rows + 1 :])


def test_lanes_become_columns() -> None:
    rows = matrix(np.random.default_rng(0), 17, LANES)
    turned = np.zeros((24, 16), np.float32)
    tiles.transpose(rows.ravel(), 16, turned.ravel())
    np.testing.assert_array_equal(turned[:LANES], rows[:16].T)
