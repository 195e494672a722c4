import jax.numpy as jnp
import numpy as np
import pytest
import sympy
from graphs import INSIDE_ONE

from eqlearn.errors import EqlearnError
from eqlearn.network.units import UNITS, Unit, register_unit, unit
from eqlearn.training import vectorised


def test_the_units_of_the_paper_by_hand() -> None:
    assert unit("identity")(np, 0.7) == 0.7
    assert unit("sin")(np, np.pi / 6) == pytest.approx(0.5)
    assert unit("cos")(np, np.pi / 3) == pytest.approx(0.5)
    assert unit("multiply")(np, 3.0, -2.0) == -6.0


@pytest.mark.parametrize("row", UNITS.values(), ids=lambda row: row.name)
def test_numpy_jax_and_sympy_compute_the_same(row: Unit) -> None:
    points = np.linspace(0.2, 0.9 if row.name in INSIDE_ONE else 3.0, 9)
    arguments = [points, points[::-1] + 0.1][: row.arity]
    symbols = sympy.symbols("a b")[: row.arity]
    exact = sympy.lambdify(symbols, row(sympy, *symbols), "mpmath")
    expected = [float(exact(*values)) for values in zip(*arguments, strict=True)]
    np.testing.assert_allclose(row(np, *arguments), expected, rtol=1e-12)
    traced = row(vectorised, *(jnp.asarray(a, jnp.float32) for a in arguments))
    np.testing.assert_allclose(traced, expected, rtol=2e-6)


def test_a_user_adds_a_unit_in_one_call(table: None) -> None:
    bell = register_unit("bell", lambda xp, z: xp.exp(-z * z))
    assert unit("bell") is bell
    x = sympy.Symbol("x")
    assert bell(sympy, x) == sympy.exp(-(x**2))
    assert bell(np, 2.0) == pytest.approx(np.exp(-4.0))


def test_registering_the_same_definition_twice_is_harmless(table: None) -> None:
    for _ in range(2):
        register_unit("cube", lambda xp, z: z**3)
    with pytest.raises(EqlearnError, match="not yet in the table"):
        register_unit("cube", lambda xp, z: z * z * z + 1)


def test_what_a_closure_has_captured_is_part_of_a_definition(table: None) -> None:
    def power(n: int) -> None:
        register_unit("power", lambda xp, z: z**n)

    power(3)
    with pytest.raises(EqlearnError, match="not yet in the table"):
        power(4)


@pytest.mark.parametrize(
    ("name", "function", "options", "message"),
    [
        ("two words", lambda xp, z: z, {}, "`name` must be a Python identifier"),
        ("sin", lambda xp, z: z, {}, "not yet in the table of units"),
        ("triple", lambda xp, a, b, c: a, {"arity": 3}, "`arity` must be 1 or 2"),
        ("mean", lambda xp, z: z.mean() + 0 * z[:2], {}, "must be"),
        ("stuck", lambda xp, z: np.sin(z), {}, "computable with NumPy and SymPy"),
        ("bad", lambda xp, z: z / 0.0, {}, "must be"),
        ("forked", lambda xp, z: z if xp is np else z + 1, {}, "the same in NumPy"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_bad_units_are_refused(
    table: None, name: str, function: object, options: dict[str, int], message: str
) -> None:
    with pytest.raises(EqlearnError, match=message):
        register_unit(name, function, **options)  # type: ignore[arg-type]


def test_unknown_units_suggest_the_nearest() -> None:
    with pytest.raises(EqlearnError, match="Did you mean 'sin'"):
        unit("sinn")
