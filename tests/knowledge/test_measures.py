"""Units of measure as text, and units by column."""

import math
from fractions import Fraction
from typing import Any

import pytest

from eqlearn import EqlearnError
from eqlearn.knowledge.measuring.dimensions import (
    CONSTANTS_OF_NATURE,
    dimensions_of,
    kept_dimensions,
    named_constants,
)
from eqlearn.knowledge.measuring.measures import Measure, measure


@pytest.mark.parametrize(
    ("text", "size", "shown"),
    [
        ("m", 1.0, "m"),
        ("kg m/s^2", 1.0, "N"),
        ("kg*m/s**2", 1.0, "N"),
        ("kg·m·s⁻²", 1.0, "N"),
        ("newton", 1.0, "N"),
        ("J/(mol K)", 1.0, "m^2 kg/(s^2 K mol)"),
        ("J/mol/K", 1.0, "m^2 kg/(s^2 K mol)"),
        ("km/h", 1 / 3.6, "m/s"),
        ("m³/s", 1.0, "m^3/s"),
        ("1/s", 1.0, "1/s"),
        ("Hz", 1.0, "1/s"),
        ("µm", 1e-6, "m"),
        ("micrometre", 1e-6, "m"),
        ("MeV", 1.602176634e-13, "J"),
        ("g/cm^3", 1000.0, "kg/m^3"),
        ("m^(1/2)", 1.0, "m^(1/2)"),
        ("m^0.5", 1.0, "m^(1/2)"),
        ("mol/L", 1000.0, "mol/m^3"),
        ("min", 60.0, "s"),
        ("mm", 0.001, "m"),
        ("kWh", 3.6e6, "J"),
        ("°", math.pi / 180, ""),
        ("%", 0.01, ""),
        ("rad", 1.0, ""),
        ("1", 1.0, ""),
        ("-", 1.0, ""),
        ("", 1.0, ""),
        ("dimensionless", 1.0, ""),
        ("ohm", 1.0, "Ω"),
        ("V/A", 1.0, "Ω"),
        ("60 s", 60.0, "s"),
        ("W/(m^2 K^4)", 1.0, "kg/(s^3 K^4)"),
        ("cm2", 1e-4, "m^2"),
        ("W/m2", 1.0, "kg/s^3"),
        ("kg m s-2", 1.0, "N"),
        ("m 2", 2.0, "m"),
    ],
)
def test_a_unit_is_read(text: str, size: float, shown: str) -> None:
    found = measure(text)
    assert found.size == pytest.approx(size, rel=1e-12)
    assert str(found) == shown


def test_a_power_that_was_fitted_is_a_decimal_number() -> None:
    assert str(measure("m").times(measure("m"), Fraction(7, 891))) == "m^1.008"
    assert str(measure("m").times(measure("s"), Fraction(-5, 12))) == "m/s^(5/12)"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("kgg", "Did you mean 'kg'?"),
        ("°C", "not proportional. Convert it to K."),
        ("degF", "Convert it to K."),
        ("dB", "Convert it to a plain ratio."),
        ("m//s", "A unit is missing before '/'"),
        ("m/", "A unit is missing at its end"),
        ("m^", "'^' is no part of a unit"),
        ("m^x", "'^' is no part of a unit"),
        ("m^99", "Powers are at most 12"),
        ("(m", "A closing bracket is missing"),
        ("m)", "')' does not fit there"),
        ("@", "'@' is no part of a unit"),
        ("1/0", "0 is none"),
        ("1e99 m^12 1e99", "too large or too small"),
        ("m" * 200, "units like"),
        (3, "units like"),
    ],
)
def test_what_is_no_unit_is_answered_by_one_line(text: Any, said: str) -> None:
    with pytest.raises(EqlearnError) as caught:
        measure(text)
    line = str(caught.value)
    assert line.startswith("`dimensions` must be units like kg m/s^2")
    assert said in line and "\n" not in line


COLUMNS = (("m", "a"), ("F",))


@pytest.mark.parametrize(
    "given",
    [
        "F: kg m/s^2, m: kg, a: m/s^2",
        "F = N; m = kg; a = m/s^2",
        {"F": "N", "m": "kg", "a": "m/s^2"},
        ["F: N", "m: kg, a: m/s^2"],
        {"F": measure("N"), "m": "kg", "a": "m/s^2"},
    ],
)
def test_units_by_column(given: Any) -> None:
    found = dimensions_of(given, None, *COLUMNS)
    assert found is not None
    assert [str(one) for one in (*found.inputs, *found.targets)] == ["kg", "m/s^2", "N"]


def test_units_are_read_off_headers() -> None:
    found = dimensions_of(None, None, ("m [kg]", "a [m/s^2]"), ("F [N]",))
    assert found is not None and str(found.targets[0]) == "N"


def test_headers_and_given_units_complete_each_other() -> None:
    found = dimensions_of("a: m/s^2", None, ("m [kg]", "a"), ("F [N]",))
    assert found is not None and str(found.inputs[1]) == "m/s^2"
    found = dimensions_of("m: g", None, ("m [kg]", "a [m/s^2]"), ("F [N]",))
    assert found is not None and found.inputs[0].size == 1e-3


@pytest.mark.parametrize(
    "names",
    [("m", "a [m/s^2]"), ("m [who knows]", "a [m/s^2]"), ("T [°C]", "a [m]")],
)
def test_headers_that_say_too_little_are_not_used(names: tuple[str, str]) -> None:
    assert dimensions_of(None, None, names, ("F [N]",)) is None


def test_what_words_become_is_a_pure_number() -> None:
    found = dimensions_of(None, None, ("m [kg]", "kind=oak"), ("F [N]",))
    assert found is not None and found.inputs[1].is_pure


def test_a_table_of_pure_numbers_has_no_dimensions_to_speak_of() -> None:
    assert dimensions_of(None, None, ("x [1]",), ("y [-]",)) is None


@pytest.mark.parametrize(
    ("given", "constants", "said"),
    [
        ("F: N, m: kg", None, "given for every column; got 'none for a'"),
        ("F: N, m: kg, b: m", None, "one of 'm', 'a', 'F'; got 'b'"),
        ("F: N, m: kg, m: g, a: 1", None, "given once for each column; got 'm' twice"),
        ("F N", None, "units by column, like"),
        ("", None, "units by column, like"),
        (3, None, "units by column, like"),
        ("F: Nn, m: kg, a: 1", None, "got 'Nn' for F."),
        (None, ["g"], "left out where columns have no units"),
        ("F: N, m: kg, a: 1", ["gg"], "`constants` must be one of 'c', 'g'"),
        ("F: N, m: kg, a: 1", ["g", "g"], "named once each"),
        ("F: N, m: kg, a: 1", 3, "a list of names like"),
        ("F: N, m: kg, a: 1", [3], 'names like "g"'),
        ("F: N, m: kg, a: 1", {"k": "many"}, "a number with a unit"),
        ("F: N, m: kg, a: 1", {"k": "3 mm/ss"}, "`constants` must be units like"),
        ("F: N, m: kg, a: 1", {"k": "-3 m"}, "above 0"),
        ("F: N, m: kg, a: 1", {"k": "1.2.3 m"}, "a number with a unit"),
    ],
)
def test_a_mistake_in_dimensions_is_answered_by_one_line(
    given: Any, constants: Any, said: str
) -> None:
    with pytest.raises(EqlearnError) as caught:
        dimensions_of(given, constants, *COLUMNS)
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_constants_of_nature_can_be_read() -> None:
    found = {one.name: one for one in named_constants(list(CONSTANTS_OF_NATURE))}
    assert found["c"].value == 299792458.0
    assert str(found["h"].measure.times(measure("Hz"))) == "J"
    # Of the fine structure: e² / (4π ε₀ ħ c).
    e, eps, hbar, c = (found[k].value for k in ("e", "epsilon_0", "hbar", "c"))
    assert found["alpha"].value == pytest.approx(e**2 / (4 * math.pi * eps * hbar * c))
    assert found["sigma"].value == pytest.approx(
        math.pi**2 * found["k_B"].value ** 4 / (60 * hbar**3 * c**2)
    )


def test_constants_of_one_s_own() -> None:
    (one,) = named_constants("v0 = 36 km/h")
    assert (one.name, str(one.measure)) == ("v0", "m/s")
    assert one.value == pytest.approx(10.0)
    assert named_constants({"v0": "36 km/h"}) == (one,)


def test_as_a_model_file_keeps_them() -> None:
    assert kept_dimensions({"F": "N"}) == {"F": "N"}
    assert kept_dimensions(("F: N",)) == ["F: N"]
    assert kept_dimensions(None) is None


def test_a_measure_knows_its_powers() -> None:
    assert Measure().is_pure
    assert not measure("m").is_pure
