"""A model as a value: what it says of itself without any file."""

from dataclasses import replace

import numpy as np
import pytest
from report_models import equation, fraction, graph, linear, model, rival

from eqlearn.model.model import KINDS, Origin, Outcome, Verdict


def test_a_verdict_is_a_sentence() -> None:
    verdict = Verdict("doubtful", ("Only 1 of 9 attempts ended in it.",), ("Wait.",))
    assert (
        str(verdict)
        == "This equation is doubtful. Only 1 of 9 attempts ended in it. Wait."
    )
    assert KINDS == ("trusted", "plausible", "doubtful", "nothing")


def test_an_origin_tells_what_is_known() -> None:
    assert Origin().facts() == {}
    assert Origin(table="a.csv", sha256="0f").facts() == {
        "table": "a.csv",
        "sha256": "0f",
    }
    moved = Origin(environment="Cart-v0", logs=("a.npz", "b.npz"))
    assert moved.facts() == {"environment": "Cart-v0", "logs": "a.npz, b.npz"}


def test_the_chosen_equations_come_in_the_order_of_the_targets() -> None:
    one, two = equation("a", graph({0: 1.0})), equation("b", graph({1: 2.0}))
    of = replace(model([one, two]), equations=(rival("b", graph({})), two, one))
    assert of.chosen == (one, two)
    np.testing.assert_array_equal(of.predict(np.array([[3.0, 4.0]])), [[3.0, 8.0]])


def test_predictions_are_of_the_simple_constants_unless_otherwise_wanted() -> None:
    x = np.array([[0.5, 0.0]])
    assert fraction().predict(x) == pytest.approx(0.9876 * np.sin(np.pi / 2))
    fitted = fraction().predict(x, snapped=False)
    assert fitted == pytest.approx(0.9876 * np.sin(3.14 / 2))


@pytest.mark.parametrize(
    ("ends", "was_interrupted"),
    [(("finished", "time"), False), (("finished", "interrupt"), True)],
)
def test_one_interrupt_is_enough(ends: tuple[str, str], was_interrupted: bool) -> None:
    verdicts = Verdict("trusted"), Verdict("nothing")
    outcomes = tuple(
        Outcome(verdict, ended, 3)  # type: ignore[arg-type]
        for verdict, ended in zip(verdicts, ends, strict=True)
    )
    of = replace(linear(["x1", "x2"], ["a", "b"]), outcomes=outcomes)
    assert of.verdicts == verdicts
    assert of.was_interrupted == was_interrupted
