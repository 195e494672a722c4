"""Which formulas are hardly the first terms of a series."""

import numpy as np
import pytest
from graphs import ONE

from eqlearn.network.graph import CONSTANT, Graph, Linear, Node
from eqlearn.search.enough.plain_forms import has_single_powers, is_bent, is_plain


def product(first: Linear, second: Linear) -> Node:
    return Node("multiply", (first, second))


SQUARE = product({0: 1.0}, {0: 1.0})


def of(above: Linear, *nodes: Node, below: Linear = ONE, n: int = 3) -> Graph:
    return Graph(n, nodes, ((above, below),))


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (of({0: 1.0, 1: 2.0, CONSTANT: 3.0}), True),  # a line
        (of({3: 1.0, 1: 1.0}, product({0: 1.0}, {1: 1.0})), True),  # x z + z
        (of({3: 1.0, 1: 1.0}, SQUARE), True),  # x² + z
        (of({3: 1.0, 0: 1.0}, SQUARE), False),  # x² + x
        (of({4: 1.0, 0: 1.0}, SQUARE, product({3: 1.0}, {0: 1.0})), False),  # x³ + x
        (of({3: 1.0}, product({0: 1.0}, {0: 1.0, 1: 1.0})), False),  # x (x + z)
        (of({3: 1.0}, product({2: 1.0}, {0: 1.0, 1: 1.0})), True),  # w (x + z)
        (of({0: 1.0}, below={0: 1.0, 1: 1.0}), True),  # x / (x + z)
        (of({3: 1.0}, SQUARE, below={0: 1.0, CONSTANT: 1.0}), False),  # x²/(1 + x)
        (of({3: 1.0, 1: 1.0}, Node("divide", ({0: 1.0}, {2: 1.0}))), True),
        (of({3: 1.0}, Node("sin", ({0: 1.0},))), False),  # not a fraction
    ],
)
def test_every_input_of_a_fraction_is_in_one_power(
    graph: Graph, expected: bool
) -> None:
    assert has_single_powers(graph) == expected


def test_a_plain_formula_has_no_sums_or_only_one_of_inputs() -> None:
    assert is_plain(of({3: 2.0}, SQUARE))
    assert is_plain(of({0: 1.0, 1: 1.0}))
    assert not is_plain(of({3: 2.0, 1: 1.0}, SQUARE))


def test_an_input_of_a_plain_formula_is_in_a_function_or_outside_of_it() -> None:
    def exponential(outside: int) -> Graph:
        ratio = Node("divide", ({0: -1.0}, {1: 1.0}))
        bent = Node("exp", ({3: 0.5},))
        return of({5: 2.0}, ratio, bent, product({outside: 1.0}, {4: 1.0}))

    assert is_plain(exponential(outside=2))
    assert not is_plain(exponential(outside=0))  # exp(-u/2)/u begins 1/(e^u - 1)
    assert not is_plain(exponential(outside=1))
    same = (Node("exp", ({0: 1.0},)), Node("sin", ({0: 1.0},)))
    assert not is_plain(of({5: 1.0}, *same, product({3: 1.0}, {4: 1.0})))


@pytest.mark.parametrize(("reach", "expected"), [(0.2, False), (3.0, True)])
def test_a_function_is_bent_where_it_is_used(reach: float, expected: bool) -> None:
    # exp(u) is about 1/(1 - u) where u is small.
    x = np.column_stack([np.linspace(0.0, reach, 50)] * 3)
    bent = of({3: 1.0}, Node("exp", ({0: 1.0},)))
    assert is_bent(bent, x, 0.01) == expected
    both = of(
        {5: 1.0}, *bent.nodes, Node("sin", ({0: 0.01},)), product({3: 1.0}, {4: 1.0})
    )
    assert not is_bent(both, x, 0.01)
    assert is_bent(of({3: 1.0}, SQUARE), x, 0.01)  # it has no functions
