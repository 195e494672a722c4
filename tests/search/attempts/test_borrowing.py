import numpy as np
import pytest

from eqlearn._types import Array
from eqlearn.network.graph import CONSTANT, Graph, Node
from eqlearn.search.attempts.borrowing import (
    borrow_job,
    borrowed,
    numerator_over,
    step_by_step,
)
from eqlearn.search.learn import learn
from eqlearn.search.prepare import tasks_of
from eqlearn.search.request import Request
from eqlearn.search.strategy import STANDARD
from eqlearn.search.task import DEFAULT_UNITS
from eqlearn.training.samples import samples

#: x1 / (1 + sin² x2): units of its own, and a denominator to lend.
LENDER = Graph(
    2,
    (Node("sin", ({1: 1.0},)), Node("multiply", ({2: 1.0}, {2: 1.0}))),
    (({0: 1.0}, {CONSTANT: 1.0, 3: 1.0}),),
)


BY = STANDARD.borrowing


def chosen_from(columns: Array, y: Array) -> list[int]:
    return step_by_step(columns, y, BY, STANDARD.tactics.criterion)


@pytest.fixture
def x() -> Array:
    return np.random.default_rng(0).uniform(-2, 2, (300, 2))


def test_the_numerator_is_exact_if_it_is_made_of_lent_units(x: Array) -> None:
    truth = (3 * x[:, 0] * np.sin(x[:, 1]) - 1) / (1 + np.sin(x[:, 1]) ** 2)
    start = numerator_over(LENDER, samples(x, truth[:, None]), BY)
    assert start is not None
    np.testing.assert_allclose(start.evaluate(x)[0][:, 0], truth, atol=1e-10)


def test_no_feature_is_there_twice(x: Array) -> None:
    start = numerator_over(LENDER, samples(x, x[:, :1]), BY)
    assert start is not None
    # The lender's square of the sine is also a product of it with itself.
    values = start.evaluate(x)[0][:, 0]
    np.testing.assert_allclose(values, x[:, 0], atol=1e-10)
    assert len(start.outputs[0][0]) == 1 + 4 + 10 - 1


def test_features_are_chosen_one_by_one_in_noise(x: Array) -> None:
    rng = np.random.default_rng(1)
    truth = (3 * x[:, 0] * np.sin(x[:, 1]) - 1) / (1 + np.sin(x[:, 1]) ** 2)
    noisy = truth + rng.normal(0, 0.3, len(x))
    start = numerator_over(LENDER, samples(x, noisy[:, None]), BY, chosen_from)
    assert start is not None
    # Only the product and the constant, of all that is lent.
    above = start.outputs[0][0]
    assert len(above) == 2
    assert above[CONSTANT] == pytest.approx(-1, abs=0.1)
    assert sorted(above.values())[1] == pytest.approx(3, abs=0.1)


def test_of_noise_nothing_is_chosen() -> None:
    rng = np.random.default_rng(0)
    columns, noise = rng.normal(size=(40, 500)), rng.normal(size=500)
    assert chosen_from(columns, noise) == []
    assert chosen_from(columns, np.zeros(500)) == []
    chosen = chosen_from(columns, 2 * columns[7] - columns[3])
    assert set(chosen) == {3, 7}


def test_a_denominator_that_vanishes_is_not_borrowed(x: Array) -> None:
    nothing_below = Graph(2, (), (({0: 1.0}, {1: 1.0}),))
    data = samples(np.vstack([x, [[1.0, 0.0]]]), np.ones((301, 1)))
    assert numerator_over(nothing_below, data, BY) is None


def test_a_loan_is_pruned_to_the_formula_or_declined(x: Array) -> None:
    truth = (3 * x[:, 0] * np.sin(x[:, 1]) - 1) / (1 + np.sin(x[:, 1]) ** 2)
    noisy = truth + 0.01 * np.random.default_rng(1).standard_normal(len(x))
    (task,) = tasks_of(Request(x, noisy[:, None], seed=0))
    scaled = LENDER.with_slots(
        [
            {s: w * (task.x_scale[s] if 0 <= s < 2 else 1.0) for s, w in linear.items()}
            for linear in LENDER.slots()
        ]
    )
    job = borrow_job(0, 1, scaled, 1.0)
    found = borrowed(job.segment(task, job.specification, None).state)
    assert found is not None
    assert found.graph.n_parameters <= 5
    hopeless = borrow_job(0, 1, scaled, 1e-9)
    assert borrowed(job.segment(task, hopeless.specification, None).state) is None


def test_what_one_target_lends_the_other_finds() -> None:
    """Of eight inputs there are too many cubic terms to try them all."""
    rng = np.random.default_rng(3)
    x = rng.uniform(-2, 2, (600, 8))
    below = 1 + x[:, 1] ** 2 + x[:, 2] ** 2
    above = 3 * (x[:, 1] ** 2 * x[:, 3] + x[:, 2] ** 2 * x[:, 4]) - 2 * x[:, 5]
    truth = np.stack([x[:, 0] / below, above / below], axis=1)
    y = truth + 0.01 * rng.standard_normal(truth.shape)

    def error(targets: slice) -> float:
        asked = Request(
            x, y[:, targets], seed=0, max_attempts=4, jobs=1, units=DEFAULT_UNITS
        )
        *_, last = learn(asked)
        values = last.candidates[0].snapped.evaluate(x)[0][:, 0]
        return float(np.sqrt(np.mean((values - truth[:, 1]) ** 2)))

    assert error(slice(1, 2)) > 0.02
    assert error(slice(0, 2)) < 0.005
