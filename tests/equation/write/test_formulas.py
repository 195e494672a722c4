import math
from typing import Any

import pytest
from graphs import ONE

from eqlearn.equation.write.formulas import DEFAULT_RANGE, formulas
from eqlearn.errors import EqlearnError
from eqlearn.network.graph import CONSTANT, Graph, Linear


def linear(numerator: Linear, denominator: Linear = ONE) -> Graph:
    return Graph(2, (), ((numerator, denominator),))


DOUBLE, SUM = linear({0: 2.0}), linear({0: 1.0, 1: 1.0})


def test_columns_without_names_are_numbered() -> None:
    one, two = formulas([DOUBLE]), formulas([DOUBLE, SUM])
    assert (one.inputs, one.targets) == (("x1", "x2"), ("y",))
    assert two.targets == ("y1", "y2")
    assert two.graph.outputs == (*DOUBLE.outputs, *SUM.outputs)
    assert one.ranges == (DEFAULT_RANGE, DEFAULT_RANGE)


def test_any_text_is_a_name() -> None:
    names = ["", "import os"]
    assert formulas([DOUBLE], names, ["\\end{document}"]).inputs == tuple(names)


def test_all_weights_are_rounded_to_significant_digits() -> None:
    one = formulas([linear({0: 123.456, 1: 0.00123456}, {CONSTANT: 2.34567})])
    assert one.rounded(3).graph == linear({0: 123.0, 1: 0.00123}, {CONSTANT: 2.35})


@pytest.mark.parametrize(
    ("graphs", "options", "message"),
    [
        ([], {}, "`graphs` must be one or more, of the same inputs"),
        (
            [DOUBLE, Graph(1, (), ((ONE, ONE),))],
            {},
            r"of the same inputs; got \[2, 1\]",
        ),
        ([DOUBLE], {"inputs": ["a"]}, "`inputs` must be 2 different names"),
        ([DOUBLE], {"inputs": ["a", "a"]}, "`inputs` must be 2 different names"),
        ([DOUBLE], {"inputs": ["a", 1]}, "`inputs` must be text; got 1"),
        ([DOUBLE], {"targets": ["a", "b"]}, "`targets` must be 1 different names"),
        ([DOUBLE], {"ranges": [(0, 1)]}, "for each of the 2 inputs; got 1"),
        ([linear({0: math.inf})], {}, "of finite weights; got inf in slot 0"),
        ([linear({0: 1.0}, {})], {}, "denominators other than 0"),
    ],
)
def test_what_cannot_be_written_is_refused(
    graphs: list[Graph], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(EqlearnError, match=message):
        formulas(graphs, **options)
