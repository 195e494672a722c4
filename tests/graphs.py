"""Graphs that tests share: a worked one, and random ones for properties.

Random ones have every kind of unit, and everything a graph can carry that means nothing
(unused units, copies, constants where inputs could be, zeros).
"""

import numpy as np
from hypothesis import strategies as st

from eqlearn.network.graph import CONSTANT, Graph, Linear, Node

SMOOTH = ("identity", "sin", "cos", "multiply", "square", "exp", "tanh", "atan")
#: For inputs in [-1, 1] their arguments stay above 1, where log and sqrt are defined,
#: and so does what is divided by.
POSITIVE = ("log", "sqrt", "divide")
#: For such inputs their arguments stay inside of ±1.
INSIDE_ONE = ("asin", "acos")
ONE: Linear = {CONSTANT: 1.0}


def random_graph(
    rng: np.random.Generator,
    *,
    n_inputs: int = 3,
    n_units: int = 6,
    n_outputs: int = 1,
    units: tuple[str, ...] = (*SMOOTH, *POSITIVE, *INSIDE_ONE),
    division: bool = True,
    untidy: bool = False,
) -> Graph:
    """Draw a graph for inputs in [-1, 1]; its denominators lie between 1 and 5."""
    nodes: list[Node] = []
    for k in range(n_units):
        name = str(rng.choice(units))
        if untidy and nodes and rng.random() < 0.15:
            nodes.append(nodes[int(rng.integers(len(nodes)))])  # a copy
            continue
        # Values stay of moderate size: nothing may feed exp, log and sqrt but inputs.
        tame = name == "exp" or name in (*POSITIVE, *INSIDE_ONE)
        n_visible = n_inputs if tame else n_inputs + k
        arity = 2 if name in ("multiply", "divide") else 1
        arguments = [_linear(rng, n_visible, untidy) for _ in range(arity)]
        if name in (*POSITIVE, *INSIDE_ONE):
            size, middle = (0.5, 3.0) if name in POSITIVE else (0.25, 0.1)
            last = {s: size * w for s, w in arguments[-1].items() if s != CONSTANT}
            arguments[-1] = {**last, CONSTANT: middle}
        nodes.append(Node(name, tuple(arguments)))
    outputs: list[tuple[Linear, Linear]] = []
    for _ in range(n_outputs):
        a = {**_linear(rng, n_inputs + n_units, False), CONSTANT: 0.5}
        b: Linear = {CONSTANT: 2.0}
        if division:
            inputs = {s: 0.5 * w for s, w in _linear(rng, n_inputs, False).items()}
            b = {**inputs, CONSTANT: 3.0}
        outputs.append((a, b))
    return Graph(n_inputs, tuple(nodes), tuple(outputs))


def _linear(rng: np.random.Generator, n_visible: int, untidy: bool) -> Linear:
    """Draw up to three features, and a constant as often as not."""
    count = min(int(rng.integers(1, 4)), n_visible)
    if untidy and rng.random() < 0.15:
        count = 0
    sources = rng.choice(n_visible, count, replace=False)
    linear = {int(s): float(rng.uniform(0.2, 1) * rng.choice([-1, 1])) for s in sources}
    if untidy and linear and rng.random() < 0.1:
        linear[next(iter(linear))] = 0.0
    if rng.random() < 0.5:
        linear[CONSTANT] = float(rng.uniform(-4, 4)) / max(1, n_visible - 2)
    return linear


def random_inputs(
    rng: np.random.Generator, n: int = 40, n_inputs: int = 3
) -> np.ndarray:
    """Draw inputs (N, D) from [-1, 1]."""
    return rng.uniform(-1, 1, (n, n_inputs))


# y = (2 x1 + 3 sin(x2 + 0.5)) / (4 + (x1 + 1)·sin(x2 + 0.5)), features 0 … 3
WORKED = Graph(
    2,
    (
        Node("sin", ({1: 1.0, CONSTANT: 0.5},)),
        Node("multiply", ({0: 1.0, CONSTANT: 1.0}, {2: 1.0})),
    ),
    (({0: 2.0, 2: 3.0}, {CONSTANT: 4.0, 3: 1.0}),),
    frozenset({(1, 0), (2, 2), (4, CONSTANT)}),
)

TIED = Graph(2, WORKED.nodes, WORKED.outputs, WORKED.fixed, {(4, 3): ((3, 0), 0.5)})

#: Anything that JSON can hold, often with words of a document.
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["sin", "multiply", "x1", "u1", "1"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["unit", "arguments", "x1", "u1", "1", "numerator"])
            | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
