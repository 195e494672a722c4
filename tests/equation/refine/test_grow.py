"""Formulas that grow by the terms and waves that explain most."""

import numpy as np
from formulas import NESTED, NOISE, START, fitted, table_of

from eqlearn.equation.refine.grow import Growth, grow
from eqlearn.equation.refine.moves import FEW_ADDITIONS
from eqlearn.training.samples import samples


def test_functions_within_functions_grow() -> None:
    data = samples(*table_of(NESTED))
    best = fitted(START, data)
    found = grow(Growth(best, best), data).best
    error = np.sqrt(found.sse / data.n_residuals)
    assert error < 1.2 * NOISE
    x = np.random.default_rng(1).uniform(-2, 2, (500, 2))
    outside = found.graph.evaluate(x)[0] - NESTED.evaluate(x)[0]
    assert np.sqrt(np.mean(outside**2)) < 3 * NOISE


def test_growth_cut_after_every_addition_ends_alike() -> None:
    data = samples(*table_of(NESTED))
    best = fitted(START, data)
    whole = grow(Growth(best, best), data, FEW_ADDITIONS)
    at, n_cuts = Growth(best, best), 0
    while not at.is_done:
        at = grow(at, data, FEW_ADDITIONS, is_over=lambda: True)
        n_cuts += 1
    assert at == whole
    assert n_cuts == whole.n_additions > 3


def test_a_growth_is_read_back_from_its_document() -> None:
    data = samples(*table_of(NESTED))
    state = Growth(fitted(START, data), fitted(NESTED, data), 3, is_done=True)
    assert Growth.from_document(state.to_document()) == state
