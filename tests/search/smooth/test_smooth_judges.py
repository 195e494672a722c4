"""Who judges reductions: polynomials where they come near to a law, else processes."""

import numpy as np
import pytest

from eqlearn._types import Array
from eqlearn.search.smooth.smooth_judges import (
    ByPolynomials,
    ByProcesses,
    Judge,
    judge_of,
    variance,
)
from eqlearn.search.strategy import STANDARD

BY = STANDARD.processes
RNG = np.random.default_rng(0)
N = 400
X = RNG.uniform(1.0, 3.0, (5, N))
ROOT = np.ones(N)
#: A law that no polynomial of five inputs says on so few rows.
WAVES = X[0] * np.sin(2 * X[1] * X[2]) + np.exp(-X[3]) * X[4]


def test_a_polynomial_judges_what_it_comes_near_to() -> None:
    judge, left, (x, _, _) = judge_of(X[:3], X[0] * X[1] + X[2], ROOT, BY)
    assert isinstance(judge, ByPolynomials)
    assert left < 1e-12
    assert x.shape[1] == N


def test_a_process_judges_what_polynomials_do_not_come_near_to() -> None:
    rough = ByPolynomials.of(5, N).left(X, WAVES, ROOT)
    judge, left, (x, y, root) = judge_of(X, WAVES, ROOT, BY)
    assert isinstance(judge, ByProcesses)
    assert left < 0.5 * rough
    assert x.shape == (5, BY.n_rows)
    assert len(y) == len(root) == BY.n_rows


@pytest.mark.parametrize("n_inputs", [1, 2])
def test_few_inputs_are_judged_by_polynomials(n_inputs: int) -> None:
    y = np.sin(9 * X[0])
    judge, _, _ = judge_of(X[:n_inputs], y, ROOT, BY)
    assert isinstance(judge, ByPolynomials)


def test_without_their_numbers_there_are_no_processes() -> None:
    judge, _, _ = judge_of(X, WAVES, ROOT, None)
    assert isinstance(judge, ByPolynomials)


@pytest.mark.parametrize(
    "judge", [ByPolynomials(5), ByProcesses(True, BY), ByProcesses(False, BY)]
)
def test_slopes_are_by_the_inputs_themselves(judge: Judge) -> None:
    x = X[:2, :300]
    y = x[0] ** 2 * np.log(x[1])
    slopes, values, left = judge.fitted(x, y, ROOT[:300], is_log=False)
    expected: list[Array] = [2 * x[0] * np.log(x[1]), x[0] ** 2 / x[1]]
    for slope, true in zip(slopes, expected, strict=True):
        assert np.sqrt(np.mean((slope - true) ** 2)) < 0.02 * np.std(true)
    assert np.sqrt(np.mean((values - y) ** 2)) < 0.01 * np.std(y)
    assert left < (0.01 * np.std(y)) ** 2


def test_the_variance_counts_rows_by_their_weights() -> None:
    # 0 and 2 count four times as much as 10: the mean is 2, so (4·4 + 4·0 + 64) / 3.
    y, root = np.array([0.0, 2.0, 10.0]), np.array([2.0, 2.0, 1.0])
    assert variance(y, root) == pytest.approx((16 + 0 + 64) / 3)


def test_a_quick_judge_looks_at_fewer_rows() -> None:
    x, rest = X[:, :300], X[:, 300:]
    y = x[0] * np.sin(2 * x[1])
    judge = ByProcesses(True, BY)
    spoilt = np.concatenate([x[:, : BY.n_screened], rest.repeat(2, axis=1)[:, :150]], 1)
    quick = judge.quick().left(x, y, ROOT[:300])
    assert judge.quick().left(spoilt, y, ROOT[:300]) == quick
    assert judge.left(spoilt, y, ROOT[:300]) > 10 * judge.left(x, y, ROOT[:300])
    assert ByPolynomials(3).quick() == ByPolynomials(3)
