"""Normal equations solved group by group, compared with the whole matrix."""

import time

import numpy as np
import pytest
from patience import within

from eqlearn._types import Array
from eqlearn.groups.arrowhead import arrowhead

LABELS = np.repeat(np.arange(4), 6)


def dense(slopes: Array, varies: tuple[bool, ...], n: int) -> tuple[Array, Array]:
    """All columns of the Jacobian, and the place (P, G) of each constant."""
    columns: list[Array] = []
    places = np.zeros((len(varies), n), dtype=int)
    for p, is_own in enumerate(varies):
        for group in range(n if is_own else 1):
            here = LABELS == group if is_own else np.ones(len(LABELS), bool)
            places[p] = np.where(
                is_own,
                np.where(np.arange(n) == group, len(columns), places[p]),
                len(columns),
            )
            columns.append(np.where(here, slopes[p], 0.0))
    return np.stack(columns, axis=1), places


@pytest.mark.parametrize(
    "varies",
    [(True, False, True), (False, False, True), (True,) * 3, (False,) * 3, (False,)],
)
def test_a_step_and_errors_are_those_of_the_whole_matrix(
    varies: tuple[bool, ...],
) -> None:
    rng = np.random.default_rng(0)
    slopes = rng.normal(size=(len(varies), 24)) * [[1e3], [1.0], [1e-4]][: len(varies)]
    residual = rng.normal(size=24)
    found = arrowhead(slopes, residual, varies, LABELS, 4)
    jacobian, places = dense(slopes, varies, 4)
    exact = np.linalg.lstsq(jacobian, residual, rcond=None)[0]
    np.testing.assert_allclose(found.step(0.0), exact[places], rtol=1e-8)
    errors = np.sqrt(np.diag(np.linalg.inv(jacobian.T @ jacobian)) * 2.0)
    np.testing.assert_allclose(found.errors(2.0), errors[places], rtol=1e-8)


def test_what_nothing_depends_on_stays_where_it_is() -> None:
    slopes = np.stack([np.where(LABELS == 2, 0.0, 1.0), np.zeros(24)])
    found = arrowhead(slopes, np.ones(24), (True, False), LABELS, 4)
    assert found.step(1e-3)[0, 2] == 0.0 and not found.step(1e-3)[1].any()
    errors = found.errors(0.0)
    assert np.isinf(errors[0, 2]) and np.isinf(errors[1]).all()


def test_constants_that_cannot_be_told_apart_do_not_run_away() -> None:
    """An offset of each group, and one of all: only their sum is known."""
    found = arrowhead(np.ones((2, 24)), np.ones(24), (True, False), LABELS, 4)
    step = found.step(1e-9)
    np.testing.assert_allclose(step[0] + step[1], np.ones(4), rtol=1e-6)
    assert np.abs(step).max() < 2


def test_hundreds_of_groups_take_no_time() -> None:
    """R-22: the whole matrix of 3500 constants would take minutes."""
    labels = np.repeat(np.arange(500), 10)
    slopes = np.random.default_rng(0).normal(size=(7, 5000))
    with within(2.0, time.process_time):
        found = arrowhead(slopes, slopes[0], (True,) * 7, labels, 500)
        step = found.step(1e-12)
    np.testing.assert_allclose(step[0], 1.0, rtol=1e-6)
