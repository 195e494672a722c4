"""Rivals that are the formula, bent: laws nearby that nobody has looked for."""

import numpy as np
import pytest

from eqlearn._types import Array
from eqlearn.model.prediction import Weighed
from eqlearn.network.graph import CONSTANT, Graph, Linear, Node
from eqlearn.search.conclude.bends import (
    bent_forms,
    with_bent_input,
    with_bent_value,
)
from eqlearn.search.conclude.judged_rows import JudgedRows
from eqlearn.search.conclude.other_forms import other_forms
from eqlearn.search.conclude.rivals import rivalry
from eqlearn.search.strategy import STANDARD
from eqlearn.training.levenberg import fit
from eqlearn.training.samples import samples

ONE: Linear = {CONSTANT: 1.0}
BY = STANDARD.judging
X = np.random.default_rng(0).uniform(0.5, 2.0, (200, 2))
#: (2 sin(1.3 a) + 0.1 a) / (1 + 0.2 b), with the frequencies of two sines tied.
FORMULA = Graph(
    2,
    (Node("sin", ({0: 1.3},)), Node("sin", ({0: 2.6, 1: 0.5},))),
    (({2: 2.0, 3: 0.3, 0: 0.1}, {CONSTANT: 1.0, 1: 0.2}),),
    frozenset({(3, CONSTANT)}),
    {(1, 0): ((0, 0), 2.0)},
)


def values(graph: Graph, a: Array, b: Array) -> Array:
    found: Array = graph.evaluate(np.stack([a, b], axis=1))[0][:, 0]
    return found


def test_an_input_is_bent_wherever_it_stands() -> None:
    a, b = X.T
    bent = with_bent_input(FORMULA, 0, 0.5, 2.0)
    by = a + 0.01 / 2.0 * (a - 0.5) ** 2
    assert values(bent, a, b) == pytest.approx(values(FORMULA, by, b))
    assert values(with_bent_input(FORMULA, 1, 0.0, 1.0), a, b) == pytest.approx(
        values(FORMULA, a, b + 0.01 * b**2)
    )


def test_the_value_is_bent() -> None:
    straight = values(FORMULA, *X.T)
    bent = values(with_bent_value(FORMULA, 2.0), *X.T)
    assert bent == pytest.approx(straight + 0.005 * straight**2)


def test_each_bend_costs_one_constant_and_keeps_what_is_fixed_and_tied() -> None:
    forms = list(bent_forms(FORMULA, X))
    assert len(forms) == 3  # of two inputs, and of the value
    for form in forms:
        assert form.n_parameters == FORMULA.n_parameters + 1
        assert len(form.ties) == 1
        moved = fit(form, samples(X, X[:, :1])).graph
        slots = moved.slots()
        ((slot, source),) = form.ties
        ((lead, ratio),) = form.ties.values()
        assert slots[slot][source] == pytest.approx(ratio * slots[lead[0]][lead[1]])


def test_an_input_with_an_origin_is_bent_from_there() -> None:
    year = Graph(
        1,
        (
            Node("origin", ({0: 1.0, CONSTANT: -1990.0},)),
            Node("exp", ({1: 0.03},)),
        ),
        (({2: 5.0}, ONE),),
        frozenset({(0, 0), (0, CONSTANT), (3, CONSTANT)}),
    )
    x = np.linspace(1990.0, 2020.0, 31)[:, None]
    bent, _ = bent_forms(year, x)
    at_start = bent.evaluate(x[:1])[0][0, 0]
    assert at_start == pytest.approx(5.0)
    assert bent.evaluate(x[-1:])[0][0, 0] != pytest.approx(5.0 * np.exp(0.9))


def test_a_law_nearby_is_a_rival_of_its_imitation() -> None:
    rng = np.random.default_rng(1)
    r, n = rng.uniform(0.01, 0.2, 300), rng.uniform(1.0, 9.0, 300)
    x, y = np.stack([r, n], axis=1), (1.0 + r) ** n
    y = y + 0.03 * y.std() * rng.standard_normal(300)
    growth = Graph(
        2,
        (Node("multiply", ({0: 1.0}, {1: 1.0})), Node("exp", ({2: 0.9},))),
        (({3: 1.0}, ONE),),
        frozenset({(0, 0), (1, 1), (4, CONSTANT)}),
    )
    low, high = x.min(axis=0), x.max(axis=0)
    domain = np.stack([low / 2, high + (high - low) / 2], axis=1)
    data = JudgedRows.of(x, y, domain, BY)
    own, forms = other_forms(growth, data, STANDARD.tactics, BY)
    rivals = [Weighed(form.graph, form.bic) for form in forms]
    unit = data.in_units_of_spread()
    found = rivalry(Weighed(own.graph, own.bic), rivals, unit, BY.agree)
    assert found.chance > BY.rival_chance
    # Of the law itself the bends are none.
    law = Graph(
        2,
        (
            Node("log", ({0: 1.0, CONSTANT: 1.0},)),
            Node("multiply", ({2: 1.0}, {1: 1.0})),
            Node("exp", ({3: 1.0},)),
        ),
        (({4: 1.0}, ONE),),
        frozenset({(0, 0), (0, CONSTANT), (1, 2), (2, 1), (5, CONSTANT)}),
    )
    own, forms = other_forms(law, data, STANDARD.tactics, BY)
    rivals = [Weighed(form.graph, form.bic) for form in forms]
    found = rivalry(Weighed(own.graph, own.bic), rivals, unit, BY.agree)
    assert found.chance < BY.rival_chance
