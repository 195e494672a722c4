"""From a table to tasks: what is merged, put in order, scaled, and kept apart."""

import numpy as np
import pytest

from eqlearn.errors import EqlearnError
from eqlearn.search.prepare import TableRows, tasks_of
from eqlearn.search.request import Request
from eqlearn.search.strategy import RowCounts, Strategy

X = np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0], [4.0, 40.0]])
Y = X[:, :1] * X[:, 1:]


def test_every_row_is_there_in_a_random_order_that_the_seed_tells() -> None:
    one, two = (tasks_of(Request(X, Y, seed=seed))[0] for seed in (0, 5))
    for task in (one, two):
        back = np.hstack([task.x * task.x_scale, task.y * task.y_scale])
        np.testing.assert_allclose(
            back[np.argsort(back[:, 0])], np.hstack([X, Y]), rtol=1e-15
        )
    assert not np.array_equal(one.x, two.x)


def test_targets_share_inputs_and_have_scales_of_their_own() -> None:
    one, two = tasks_of(Request(X, np.hstack([Y, 1000 * Y])))
    assert one.x is two.x
    assert two.y_scale == pytest.approx(1000 * one.y_scale)
    np.testing.assert_allclose(one.y, two.y)
    assert np.std(one.y) == pytest.approx(1.0)


def test_rows_of_no_weight_are_left_out_and_weights_have_the_mean_1() -> None:
    (task,) = tasks_of(Request(X, Y, weight=np.array([0.0, 1.0, 1.0, 4.0])))
    assert len(task.x) == 3 and task.weight is not None
    assert sorted(task.weight) == pytest.approx([0.5, 0.5, 2.0])


def test_equal_rows_of_a_small_table_become_one_of_more_weight() -> None:
    x, y = np.vstack([X, X[:2]]), np.vstack([Y, Y[:2]])
    (task,) = tasks_of(Request(x, y))
    assert len(task.x) == 4 and task.weight is not None
    assert sorted(task.weight) == pytest.approx([2 / 3, 2 / 3, 4 / 3, 4 / 3])
    large = Strategy(rows=RowCounts(search=5))
    (task,) = tasks_of(Request(x, y, strategy=large))
    assert len(task.x) == 6 and task.weight is None


def test_far_points_come_first_and_those_beyond_the_number_are_rows() -> None:
    far = X + 100, Y + 100
    (task,) = tasks_of(Request(X, Y, far=far))
    assert task.n_far == 4
    assert (task.x[:4] * task.x_scale).min() > 100
    few = Strategy(rows=RowCounts(far=1))
    (task,) = tasks_of(Request(X, Y, far=far, strategy=few))
    assert (task.n_far, len(task.x)) == (1, 8)


def test_far_points_of_other_columns_are_refused() -> None:
    with pytest.raises(EqlearnError, match=r"`far` must be points with 2 inputs and 1"):
        tasks_of(Request(X, Y, far=(X[:, :1], Y)))


def test_rows_are_taken_and_joined_with_their_weights() -> None:
    rows = TableRows(X, Y, np.array([1.0, 2.0, 3.0, 4.0]))
    taken = rows.taken(np.array([2, 0]))
    assert taken.weight is not None and taken.weight.tolist() == [3.0, 1.0]
    joined = taken.with_more(X[:1], Y[:1], in_front=True)
    assert joined.weight is not None and joined.weight.tolist() == [1.0, 3.0, 1.0]
    np.testing.assert_array_equal(joined.x, X[[0, 2, 0]])
    assert rows.with_more(X[:0], Y[:0]) is rows
