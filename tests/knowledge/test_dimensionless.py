"""Dimensionless groups, the dimensions of constants, and their names."""

from fractions import Fraction

import numpy as np
import pytest

from eqlearn.equation.read.starts import start_graphs
from eqlearn.knowledge.measuring.constant_dimensions import constant_dimensions
from eqlearn.knowledge.measuring.dimensionless import (
    GroupSet,
    group_sets,
    has_its_dimension,
)
from eqlearn.knowledge.measuring.dimensions import (
    Dimensions,
    dimensions_of,
    named_constants,
)
from eqlearn.knowledge.measuring.measures import NO_DIMENSION, measure
from eqlearn.knowledge.measuring.named_values import named_value
from eqlearn.network.canonical import canonical
from eqlearn.network.graph import Graph


def known(given: str, target: str, constants: str | None = None) -> Dimensions:
    names = [piece.partition(":")[0].strip() for piece in given.split(",")]
    inputs = [name for name in names if name != target]
    found = dimensions_of(given, constants, inputs, [target])
    assert found is not None
    return found


def sets(given: str, target: str, constants: str | None = None) -> list[GroupSet]:
    found = known(given, target, constants)
    return group_sets(found, 0, [True] * len(found.inputs))


def test_a_law_of_one_form_only_has_no_groups() -> None:
    # The radius of a blast: (E t² / rho)^(1/5), and nothing else.
    (only,) = sets("E: J, t: s, rho: kg/m^3, R: m", "R")
    assert only == GroupSet((0.2, 0.4, -0.2), ())


def test_a_constant_makes_a_dimension_possible() -> None:
    given = "a: m, M: kg, T: s"
    assert sets(given, "T") == []
    assert not has_its_dimension(known(given, "T"), 0)
    (only,) = sets(given, "T", "G")
    assert only == GroupSet((1.5, -0.5), ())
    assert has_its_dimension(known(given, "T", "G"), 0)


def test_inputs_of_one_dimension_are_divided_by_each_other() -> None:
    first, second = sets("a: m, x: m, y: m", "y")
    assert first == GroupSet((1.0, 0.0), ((-1.0, 1.0),))
    assert second == GroupSet((0.0, 1.0), ((1.0, -1.0),))


def test_pure_numbers_stay_as_they_are() -> None:
    found = sets("v: m/s, t: s, mu: 1, s: m", "s")
    assert found[0] == GroupSet((1.0, 1.0, 0.0), ((0.0, 0.0, 1.0),))
    with_g = sets("v: m/s, t: s, mu: 1, s: m", "s", "g")
    assert with_g[0].factor == (1.0, 1.0, 0.0)
    assert set(with_g[0].variables) == {(0.0, 0.0, 1.0), (-1.0, 1.0, 0.0)}


def test_groups_have_no_dimension() -> None:
    given = "Z: ohm, R: ohm, w: 1/s, L: H, C: F"
    found = known(given, "Z")
    for one in group_sets(found, 0, [True] * 4):
        for powers, wanted in (
            (one.factor, found.targets[0].dimension),
            *((variable, NO_DIMENSION) for variable in one.variables),
        ):
            total = measure("1")
            for power, own in zip(powers, found.inputs, strict=True):
                total = total.times(own, Fraction(power))
            assert total.dimension == wanted


def test_what_may_be_zero_divides_nothing() -> None:
    found = known("a: m, x: m, y: m", "y")
    (only,) = group_sets(found, 0, [True, False])
    assert only == GroupSet((1.0, 0.0), ((-1.0, 1.0),))
    assert group_sets(found, 0, [False, False]) == []


def test_nothing_is_gained_where_all_are_pure_numbers() -> None:
    assert sets("a: 1, x: 1, y: 1", "y") == []


def test_the_fewest_variables_come_first() -> None:
    found = sets("h: W/m^2/K, k: W/m/K, t: m, L: m, e: 1", "e")
    assert [len(one.variables) for one in found] == [2, 2]


def graph_of(formula: str, inputs: tuple[str, ...]) -> Graph:
    rng = np.random.default_rng(0)
    rows = rng.uniform(0.5, 2, (60, len(inputs)))
    return canonical(start_graphs(formula, inputs, rows, rng)[0], rows.T)


@pytest.mark.parametrize(
    ("formula", "inputs", "target", "shown"),
    [
        ("4.905*t^2", {"t": "s"}, "m", {"m/s^2"}),
        ("3*v*t", {"v": "m/s", "t": "s"}, "m", {""}),
        ("2 + 3*t", {"t": "s"}, "m", {"m", "m/s"}),
        ("5*exp(-0.3*t)", {"t": "s"}, "K", {"K", "1/s"}),
        ("5*sin(0.3*x + 1)", {"x": "m"}, "V", {"V", "1/m", ""}),
        ("3*sqrt(x)", {"x": "m"}, "m/s", {"m^(1/2)/s"}),
        ("2*x/(7 + x)", {"x": "mol"}, "1", {"1/mol"}),
    ],
)
def test_constants_get_the_dimension_that_makes_both_sides_match(
    formula: str, inputs: dict[str, str], target: str, shown: set[str]
) -> None:
    graph = graph_of(formula, tuple(inputs))
    measures = [measure(text) for text in inputs.values()]
    found = constant_dimensions(graph, measures, measure(target))
    assert found.mismatches == ()
    assert {str(one) for one in found.measures.values()} == shown


def test_sizes_of_units_are_carried_along() -> None:
    graph = graph_of("0.5*v^2", ("v",))
    found = constant_dimensions(graph, [measure("km/h")], measure("m"))
    (own,) = found.measures.values()
    assert str(own) == "s^2/m"
    assert own.size == pytest.approx(3.6**2)


def test_a_logarithm_of_a_length_does_not_match() -> None:
    graph = graph_of("3*log(x)", ("x",))
    found = constant_dimensions(graph, [measure("m")], measure("1"))
    assert found.mismatches == ("the logarithm of m",)


@pytest.mark.parametrize(
    ("value", "error", "unit", "names", "shown"),
    [
        (9.80665, 0.001, "m/s^2", "g", "g"),
        (4.9, 0.01, "m/s^2", "g", "g/2"),
        (0.05098, 1e-4, "s^2/m", "g", "1/(2*g)"),
        (-9.8, 0.01, "m/s^2", "g", "-g"),
        (8.31, 0.01, "J/(mol K)", "R,g", "R"),
        (2.0837e10, 1e7, "1/(s K)", "h,k_B", "k_B/h"),
        (7.69e5, 1e3, "kg^0.5 s/m^1.5", "G", "2*pi/sqrt(G)"),
        (9.2, 0.01, "m/s^2", "g", None),
        (9.8, 3.0, "m/s^2", "g", None),
        (9.8, 0.01, "m/s", "g", None),
    ],
)
def test_a_constant_is_told_by_its_name(
    value: float, error: float, unit: str, names: str, shown: str | None
) -> None:
    constants = named_constants(names)
    assert named_value(value, error, measure(unit), constants) == shown
