"""Formulas that tests share, written unit by unit, and noisy tables of them."""

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.refine.criterion import Scored, refit
from eqlearn.network.canonical import canonical, displayed
from eqlearn.network.graph import CONSTANT, Graph, Linear, Node
from eqlearn.training.samples import Samples

NOISE = 0.01
ONE = {CONSTANT: 1.0}


def multiply(first: Linear, second: Linear) -> Node:
    return Node("multiply", (first, second))


def sine(linear: Linear) -> Node:
    return Node("sin", (linear,))


def formula(n: int, above: Linear, *nodes: Node, below: Linear = ONE) -> Graph:
    """Write y = above / below in n inputs and the given units, numbered on from n."""
    return Graph(n, nodes, ((above, below),))


def as_displayed(graph: Graph, x: Array) -> Graph:
    """A formula as people read it, of inputs (D, N)."""
    return displayed(canonical(graph, x), x)


def values_at(graph: Graph, x: Array) -> Array:
    """All outputs of a formula at inputs (D, N)."""
    return graph.evaluate(x.T)[0]


def table_of(truth: Graph, n: int = 800) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (n, truth.n_inputs))
    y = truth.evaluate(x)[0]
    return x, y + NOISE * rng.normal(size=y.shape)


def fitted(graph: Graph, data: Samples) -> Scored:
    return refit(canonical(graph, data.x), data, n_iterations=50)


def is_as_good(found: Scored, truth: Graph, data: Samples) -> bool:
    return found.bic < fitted(truth, data).bic + 1.0


#: 0.8 sin(2.5 sin 2x1 + 3 x2) / (1 + 0.4 cos(5 x1 x2)): found by growing from x2.
NESTED = formula(
    2,
    {3: 0.8},
    sine({0: 2.0}),
    sine({1: 3.0, 2: 2.5}),
    multiply({0: 1.0}, {1: 1.0}),
    sine({4: 5.0, CONSTANT: np.pi / 2}),
    below={CONSTANT: 1.0, 5: 0.4},
)
START = formula(2, {2: 0.5}, sine({1: 3.0}))
#: sin(2 x1 - 3 x2), of three inputs
WAVE = formula(3, {3: 1.0}, sine({0: 2.0, 1: -3.0}))
