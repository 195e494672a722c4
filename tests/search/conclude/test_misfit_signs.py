"""Rows that are far from all others, and that a formula hangs on."""

import numpy as np

from eqlearn._types import Array
from eqlearn.network.graph import CONSTANT, Graph, Linear, Node
from eqlearn.search.conclude.judged_rows import JudgedRows
from eqlearn.search.conclude.misfit_signs import lone_sign
from eqlearn.search.strategy import STANDARD
from eqlearn.training.levenberg import fit

BY = STANDARD.judging
ONE: Linear = {CONSTANT: 1.0}


def energies(n_wild: int) -> tuple[Array, Array]:
    """Half of m v², with inputs of which some are written down wrongly."""
    rng = np.random.default_rng(5)
    x = rng.uniform([1, 2], [9, 6], (110, 2))
    y = 0.5 * x[:, 0] * x[:, 1] ** 2 + 0.3 * rng.standard_normal(110)
    x[np.arange(n_wild) * 9, 0] = [30.0, 50.0, 90.0][:n_wild]
    return x, y


def judged(x: Array, y: Array) -> JudgedRows:
    ends = np.stack([x.min(axis=0), x.max(axis=0)], axis=1)
    return JudgedRows.of(x, y, ends, BY)


def law(*more: Node, value: Linear | None = None) -> Graph:
    square = Node("multiply", ({1: 1.0}, {1: 1.0}))
    product = Node("multiply", ({0: 1.0}, {2: 1.0}))
    return Graph(2, (square, product, *more), ((value or {3: 0.5}, ONE),))


def bent(rows: JudgedRows) -> Graph:
    """A formula that bends to wild inputs: what it adds is nothing elsewhere."""
    power = (
        Node("multiply", ({0: 1.0}, {0: 1.0})),
        Node("multiply", ({4: 1.0}, {4: 1.0})),
    )
    start = law(*power, value={3: 0.5, 5: 1e-6})
    return fit(start, rows.samples).graph


def test_rows_that_a_formula_hangs_on_are_named() -> None:
    rows = judged(*energies(1))
    told = lone_sign(bent(rows), rows, BY)
    assert told is not None
    assert told.bearing == "note"
    assert told.sentence == (
        "It hangs on one row (row 1) whose inputs are far from those of all others: "
        "fitted without it, it does not foretell it."
    )
    assert "choose the loss huber" in told.advice
    several = judged(*energies(3))
    told = lone_sign(bent(several), several, BY)
    assert told is not None
    assert "on 3 rows (rows 1, 10, 19) whose inputs" in told.sentence


def test_rows_that_the_others_foretell_are_none() -> None:
    x, y = energies(1)
    rows = judged(x, 0.5 * x[:, 0] * x[:, 1] ** 2)
    assert lone_sign(law(), rows, BY) is None
    without = judged(*energies(0))
    assert lone_sign(bent(without), without, BY) is None


def test_rows_in_the_tails_of_an_input_are_none() -> None:
    rng = np.random.default_rng(2)
    x = np.exp(0.7 * rng.standard_normal((800, 2)))
    rows = judged(x, np.exp(0.8 * x[:, 0]) + x[:, 1])
    plane = Graph(2, (), (({0: 1.0, 1: 1.0, CONSTANT: 0.1}, ONE),))
    assert lone_sign(fit(plane, rows.samples).graph, rows, BY) is None
