"""Series that become what they are the first terms of."""

import numpy as np
from formulas import formula, multiply, sine

from eqlearn.equation.refine.hill_climb import Seen
from eqlearn.equation.refine.moves import with_units
from eqlearn.equation.refine.series import exponentials_for_powers
from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.network.kernels import evaluate, tape
from eqlearn.training.levenberg import fit
from eqlearn.training.samples import samples

X = np.random.default_rng(0).uniform(0.0, 4.0, (200, 2))
#: exp(x/2) about x = 2, to the third order, beside a wave and another input.
CUBIC = formula(
    2,
    {CONSTANT: 0.9, 0: 0.6, 2: -0.05, 3: 0.06, 4: 0.7, 1: 1.5},
    multiply({0: 1.0}, {0: 1.0}),
    multiply({2: 1.0}, {0: 1.0}),
    sine({0: 9.0}),
)


def seen(graph: Graph, y: np.ndarray) -> Seen:
    data = samples(X, y[:, None])
    values = evaluate(graph, tape(graph), data.x)
    return Seen(graph, values.features, values.slots, data)


def test_a_cubic_beside_a_wave_becomes_an_exponential() -> None:
    y = 2.5 * np.exp(0.5 * X[:, 0]) - 1.0 + 0.7 * np.sin(9 * X[:, 0]) + 1.5 * X[:, 1]
    (proposal,) = exponentials_for_powers(seen(CUBIC, y))
    assert proposal.graph is not None
    units = {node.unit for node in proposal.graph.nodes}
    assert units >= {"exp", "sin"}
    found = fit(proposal.graph, samples(X, y[:, None]), n_iterations=50)
    assert found.sse < 1e-16 * float(y @ y)


def test_a_straight_line_stays_one() -> None:
    line = formula(2, {CONSTANT: 0.9, 0: 0.6, 2: 0.7}, sine({0: 9.0}))
    assert not list(exponentials_for_powers(seen(line, X[:, 0])))


def test_exponentials_come_in_only_where_they_may() -> None:
    assert exponentials_for_powers in with_units({"sin", "exp"})
    assert exponentials_for_powers not in with_units({"sin"})
