import numpy as np
import pytest

from eqlearn.training import objective

ALL = np.ones(3)


@pytest.mark.parametrize(
    ("b", "expected"), [(-0.5, 0.75), (0.0, 0.25), (0.2, 0.05), (0.25, 0.0), (3.0, 0.0)]
)
def test_denominator_penalty_of_eq_4(b: float, expected: float) -> None:
    assert objective.denominator_penalty(b, 0.25, np) == pytest.approx(expected)


def test_total_denominator_penalty_of_eq_5_is_a_sum() -> None:
    b = np.array([[1.0, 0.0], [-1.0, 0.1], [0.4, 2.0]])
    # θ = 0.5: 0 + 0.5, 1.5 + 0.4, 0.1 + 0
    total = objective.total_denominator_penalty(b, 0.5, ALL, np)
    assert total == pytest.approx(2.5)


def test_bound_penalty_of_eq_6_counts_both_sides() -> None:
    outputs = np.array([[12.0], [-13.5], [9.9]])
    assert objective.bound_penalty(outputs, 10.0, ALL, np) == pytest.approx(2 + 3.5)


def test_squared_error_of_eq_8_averages_over_samples_only() -> None:
    outputs = np.array([[1.0, 2.0], [0.0, 0.0], [1.0, 1.0]])
    targets = np.array([[0.0, 0.0], [0.0, 3.0], [1.0, 1.0]])
    assert objective.squared_error(outputs, targets, ALL, np) == (1 + 4 + 9) / 3


def test_padding_rows_count_nothing() -> None:
    rows = np.array([1.0, 1.0, 0.0])
    outputs = np.array([[1.0], [2.0], [1e6]])
    zeros = np.zeros_like(outputs)
    assert objective.squared_error(outputs, zeros, rows, np) == 2.5
    assert objective.bound_penalty(outputs, 10.0, rows, np) == 0
    assert objective.total_denominator_penalty(-outputs, 0.0, rows, np) == 3


def test_l1_norm_leaves_biases_out() -> None:
    weights, is_weight = np.array([1.0, -2.0, 5.0]), np.array([True, True, False])
    assert objective.l1_norm(weights, is_weight, np) == 3.0


def test_the_losses_add_up() -> None:
    assert objective.training_loss(1.0, 0.1, 30.0, 0.5) == pytest.approx(4.5)
    assert objective.penalty_loss(1.5, 2.0) == 3.5
