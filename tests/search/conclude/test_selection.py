import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eqlearn.errors import EqlearnError
from eqlearn.search.conclude.selection import (
    CRITERIA,
    Candidates,
    available,
    chosen,
    criterion,
    normalised,
    normalised_errors,
    ranks,
    v_int_ex,
    v_int_s,
    v_ranks,
)

# Three networks: the truth, a smaller one that is too simple, a larger one that fits.
TABLE = Candidates(
    validation=np.array([0.010, 0.500, 0.010]),
    size=np.array([3.0, 1.0, 9.0]),
    bic=np.array([-90.0, -10.0, -60.0]),
    extrapolation=np.array([0.01, 0.70, 3.0]),
)


def test_values_are_spread_over_0_to_1() -> None:
    np.testing.assert_allclose(normalised(np.array([1.0, 2.0, 3.0])), [0, 0.5, 1])
    np.testing.assert_allclose(normalised(np.array([5.0, 5.0])), [0, 0])


def test_a_diverged_candidate_does_not_flatten_the_others() -> None:
    values = np.array([1.0, 2.0, 3.0, 1e9, np.inf, np.nan])
    np.testing.assert_allclose(normalised_errors(values), [0, 1 / 3, 2 / 3, 1, 1, 1])
    assert list(normalised_errors(np.array([np.nan, np.inf]))) == [1, 1]


def test_where_most_errors_are_the_least_the_others_still_differ() -> None:
    values = np.array([1.0, 1.0, 1.0, 2.0, 5.0])
    np.testing.assert_allclose(normalised_errors(values), [0, 0, 0, 0.25, 1])


def test_ranks_start_at_0_and_are_shared() -> None:
    assert list(ranks(np.array([3.0, 1.0, 1.0, np.nan]))) == [2, 0, 0, 3]


def test_eq_9_by_hand() -> None:
    # Errors over [0.01, 0.5] with the median at the lowest: 0, 1, 0. Sizes over [1, 9]:
    # 0.25, 0, 1.
    np.testing.assert_allclose(v_int_s(TABLE), [0.5 * 0.25**2, 0.5, 0.5])
    assert chosen(TABLE, "v_int_s") == 0


def test_eq_10_by_hand() -> None:
    # Far errors over [0.01, 1.39]: 0, 0.5, 1.
    np.testing.assert_allclose(v_int_ex(TABLE), [0, 0.5 + 0.125, 0.5], atol=1e-12)
    assert chosen(TABLE, "v_int_ex") == 0


def test_the_ranks_of_eql_by_hand() -> None:
    # Places by error 0, 2, 0 and by size 1, 0, 2, squared and added.
    np.testing.assert_allclose(v_ranks(TABLE), [1, 4, 4])


def test_the_default_is_the_information_criterion() -> None:
    assert chosen(TABLE) == 0
    assert chosen(TABLE) == chosen(TABLE, "information")


@pytest.mark.parametrize("name", CRITERIA)
def test_what_diverged_is_never_chosen(name: str) -> None:
    broken = np.array([np.nan, np.inf, 0.1])
    table = Candidates(broken, np.array([0.0, 0.0, 9.0]), broken, broken)
    assert chosen(table, name) == 2


@given(st.permutations(range(3)))
def test_the_order_of_rows_does_not_matter(order: list[int]) -> None:
    some = Candidates(
        TABLE.validation[order],
        TABLE.size[order],
        TABLE.bic[order],
        None if TABLE.extrapolation is None else TABLE.extrapolation[order],
    )
    for name in CRITERIA:
        assert order[chosen(some, name)] == chosen(TABLE, name)


def test_without_far_points_eq_10_is_refused() -> None:
    inside = Candidates(TABLE.validation, TABLE.size, TABLE.bic)
    assert "v_int_ex" not in available(inside)
    assert set(available(TABLE)) == set(CRITERIA)
    with pytest.raises(EqlearnError, match="needs no far points"):
        v_int_ex(inside)


def test_bad_requests_get_one_line() -> None:
    with pytest.raises(EqlearnError, match="Did you mean 'v_int_s'"):
        criterion("v_int_2")
    with pytest.raises(EqlearnError, match="`size` must be of shape"):
        Candidates(TABLE.validation, np.zeros(2), TABLE.bic)
