"""Which columns an equation is learned from, and what is said about them."""

import re
from typing import NamedTuple

import numpy as np
import pytest

from eqlearn.data.choose import FEWEST_ROWS, _count_repeated, choose_columns
from eqlearn.data.table import Table
from eqlearn.errors import EqlearnError


def table_of(*names: str, **replaced: list[float]) -> Table:
    values = np.random.default_rng(0).normal(size=(10, len(names)))
    for name, column in replaced.items():
        values[: len(column), names.index(name)] = column
    return Table(names, values, "t.csv", ("read so",))


XY = table_of("x1", "x2", "y")
HUGE = [name * 10_000 for name in "ab"]


class Case(NamedTuple):
    """A choice and its verdict: a refusal, a warning, or (both empty) neither."""

    name: str
    table: Table
    target: str | list[str] = "y"
    inputs: str | list[str] | None = None
    refused: str = ""
    warned: str = ""


CASES = [
    Case("all others", XY),
    Case("some", XY, ["y"], ["x2"]),
    Case("several targets", XY, ["y", "x1"]),
    Case(
        "missing", XY, "Y", refused="`target` must be one of .*'y'; got 'Y'.*mean 'y'"
    ),
    Case("nothing near", XY, "zeta", refused="got 'zeta' for `t.csv`.$"),
    Case(
        "missing input", XY, "y", ["x3"], refused="`inputs` must be one of .*got 'x3'"
    ),
    Case("target twice", XY, ["y", "y"], refused="named once each; got 'y' twice"),
    Case(
        "input twice", XY, "y", ["x1", "x1"], refused="named once each; got 'x1' twice"
    ),
    Case("target as input", XY, "y", ["x1", "y"], refused="other columns.*got 'y' for"),
    Case(
        "no target", XY, [], refused="`target` must be at least one column; got \\[\\]"
    ),
    Case("no input", XY, "y", [], refused="`inputs` must be at least one column"),
    Case("none left", table_of("y"), refused="inputs beside the target; got no other"),
    Case("all targets", XY, ["x1", "x2", "y"], refused="inputs beside the target"),
    Case("blanks around", table_of("x", " y "), "y"),
    Case("accents coded otherwise", table_of("x", "e\u0301"), "\u00e9"),
    Case("exact first", table_of("y ", "y")),
    Case("ambiguous", table_of(" y", "y "), refused=r"exactly one of \(' y', 'y '\)"),
    Case("many columns", table_of(*map(str, range(99))), refused="or 87 more; got 'y'"),
    Case("huge names", table_of(*HUGE), refused="one of 'a{78}…, 'b{78}…; got 'y'"),
    Case("hostile name", table_of("\x1b[1m", "x"), refused=r"one of '\\x1b\[1m', 'x'"),
    Case(
        "constant target", table_of("x", "y", y=[2.0] * 10), warned="target `y` is con"
    ),
    Case(
        "constant input", table_of("x", "y", x=[0.0] * 10), warned="input `x` is const"
    ),
    Case(
        "repeated rows",
        table_of("x", "y", x=[1.0, 1.0, 1.0], y=[2.0, 2.0, 2.0]),
        warned="2 rows repeat others",
    ),
    Case("1e300", table_of("x", "y", x=[1e300]), refused="got 1e\\+300 in column `x`"),
    Case(
        "-1e300", table_of("x", "y", y=[-1e300]), refused="column `y`. Choose another"
    ),
    Case("all 1e-300", table_of("x", "y", x=[1e-300] * 10), refused="1e-300 in column"),
    Case("one of 1e-300", table_of("x", "y", x=[1e-300])),
    Case("1e300 left out", table_of("x", "y", "z", x=[1e300]), "y", ["z"]),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_verdict(case: Case) -> None:
    if case.refused:
        with pytest.raises(EqlearnError, match=case.refused) as caught:
            choose_columns(case.table, case.target, case.inputs)
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 500
        return
    samples = choose_columns(case.table, case.target, case.inputs)
    first, *others = samples.warnings
    assert first == "read so"
    assert len(others) == bool(case.warned)
    assert re.search(case.warned, "".join(others))


def test_columns_are_those_named() -> None:
    samples = choose_columns(XY, ["y", "x1"], ["x2"])
    assert (samples.targets, samples.inputs) == (("y", "x1"), ("x2",))
    np.testing.assert_array_equal(samples.y, XY.values[:, [2, 0]])
    np.testing.assert_array_equal(samples.x, XY.values[:, [1]])


@pytest.mark.parametrize("n_rows", [1, FEWEST_ROWS - 1])
def test_too_few_rows(n_rows: int) -> None:
    few = Table(XY.names, XY.values[:n_rows], "t.csv")
    with pytest.raises(
        EqlearnError, match=f"at least {FEWEST_ROWS} rows; got {n_rows}"
    ):
        choose_columns(few, "y")


def test_repeated_rows_are_counted_as_by_comparison() -> None:
    values = np.random.default_rng(0).integers(-3, 4, size=(2000, 3)) * 0.1
    values[values == 0] = -0.0
    values[0] = 0.0
    expected = len(values) - len(np.unique(values + 0.0, axis=0))
    assert expected > 1000
    assert _count_repeated(np.asarray(values, float), [0, 1, 2]) == expected
