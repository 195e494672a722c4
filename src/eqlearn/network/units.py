"""The table of units: the base functions a network composes into a formula.

A unit is written once against a namespace `xp`, so that the same line computes
with NumPy, trains with JAX and reads as SymPy.
"""

import keyword
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from eqlearn._types import Namespace
from eqlearn.errors import must, unknown


@dataclass(frozen=True)
class Unit:
    """One base function.

    `function(xp, *arguments)` computes it; with `xp=sympy` it is the formula.
    `positive` units (log, sqrt) are only defined above zero and get the treatment
    of a denominator: arguments below θ are held at θ and penalised.
    `oscillates` marks units whose first-layer weights start with a wide spread.
    """

    name: str
    arity: int
    function: Callable[..., Any]
    positive: bool = False
    oscillates: bool = False

    def __call__(self, xp: Namespace, *arguments: Any) -> Any:
        """Compute the unit in the namespace `xp`, whose numbers or arrays it takes."""
        return self.function(xp, *arguments)


_TABLE: dict[str, Unit] = {
    unit.name: unit
    for unit in (
        Unit("identity", 1, lambda xp, z: z),
        Unit("sin", 1, lambda xp, z: xp.sin(z), oscillates=True),
        Unit("cos", 1, lambda xp, z: xp.cos(z), oscillates=True),
        Unit("multiply", 2, lambda xp, a, b: a * b),
        Unit("square", 1, lambda xp, z: z * z),
        Unit("exp", 1, lambda xp, z: xp.exp(z)),
        Unit("log", 1, lambda xp, z: xp.log(z), positive=True),
        Unit("sqrt", 1, lambda xp, z: xp.sqrt(z), positive=True),
        Unit("tanh", 1, lambda xp, z: xp.tanh(z)),
        Unit("divide", 2, lambda xp, a, b: a / b),
        Unit("asin", 1, lambda xp, z: xp.asin(z)),
        Unit("acos", 1, lambda xp, z: xp.acos(z)),
        Unit("atan", 1, lambda xp, z: xp.atan(z)),
        # An input from where its values begin, as a year from 1990: never folded.
        Unit("origin", 1, lambda xp, z: z),
    )
}

#: The names of those that come with the library.
BUILT_IN = frozenset(_TABLE)

#: Those of them that a user may ask for; inputs have an origin where they need one.
FUNCTIONS = tuple(name for name in _TABLE if name != "origin")

#: Every known unit by name; a read-only view that grows with `register_unit`.
UNITS: Mapping[str, Unit] = MappingProxyType(_TABLE)

#: The units of the paper, in the order of its layers.
PAPER_UNITS = ("identity", "sin", "cos", "multiply")


def unit(name: str) -> Unit:
    """Look up a unit by name."""
    if name not in UNITS:
        raise unknown("units", name, UNITS)
    return UNITS[name]


def register_unit(
    name: str,
    function: Callable[..., Any],
    *,
    arity: int = 1,
    positive: bool = False,
    oscillates: bool = False,
) -> Unit:
    """Add a unit of your own and return it.

    Parameters
    ----------
    name : str
        What it is called in `functions=`; a Python identifier not yet taken.
    function : callable
        `function(xp, *arguments)`, written with `xp.sin`, `xp.exp`, ... so that it
        works with NumPy, JAX and SymPy alike.
    arity : int
        Number of arguments, 1 or 2.
    positive : bool
        True if the function is only defined for arguments above zero.
    oscillates : bool
        True if first-layer weights should start with a wide spread, as for sin.

    Examples
    --------
    >>> from eqlearn import register_unit
    >>> bell = register_unit("bell", lambda xp, z: xp.exp(-z * z))
    >>> import sympy
    >>> bell(sympy, sympy.Symbol("x"))
    exp(-x**2)
    """
    if not name.isidentifier() or keyword.iskeyword(name):
        raise must("name", "a Python identifier", name)
    if arity not in (1, 2):
        raise must("arity", "1 or 2", arity)
    candidate = Unit(name, arity, function, positive, oscillates)
    _probe(candidate)
    # The same definition again is harmless (a notebook cell run twice).
    if name in _TABLE and definition(_TABLE[name]) != definition(candidate):
        raise must(
            "name", "a name not yet in the table of units", name, "Choose another name."
        )
    register(candidate)
    return candidate


def register(candidate: Unit) -> None:
    """Put a unit into the table that was checked when it was made."""
    _TABLE[candidate.name] = candidate


def own_units(names: Iterable[str]) -> tuple[Unit, ...]:
    """Those of the named units that did not come with the library."""
    return tuple(UNITS[name] for name in names if name not in BUILT_IN)


def definition(row: Unit) -> str:
    """What a unit computes and what is known of it, to tell one from another.

    Not its code, which does not show the values that a closure has captured.
    """
    import sympy

    _, form = symbolic(row)
    facts = f"positive={row.positive}, oscillates={row.oscillates}"
    return f"{sympy.srepr(form)}, arity={row.arity}, {facts}"


def symbolic(row: Unit) -> tuple[Any, Any]:
    """The symbols of a unit's arguments, and what it makes of them."""
    import sympy

    symbols = sympy.symbols(f"a0:{row.arity}", real=True)
    return symbols, row(sympy, *symbols)


def _probe(candidate: Unit) -> None:
    """Try the promises of a new unit: shape, finiteness and a SymPy form."""
    import numpy as np
    import sympy

    points = np.linspace(0.5, 2.0, 7)
    arguments = [points + k for k in range(candidate.arity)]
    name = f"function of unit {candidate.name!r}"
    advice = "Write it with the namespace it is given: lambda xp, z: xp.exp(-z * z)."
    try:
        values = np.asarray(candidate(np, *arguments))
        symbols, form = symbolic(candidate)
        if not isinstance(form, sympy.Basic):
            raise TypeError(f"{form!r} is not a SymPy expression")
    except Exception as error:
        got = f"{type(error).__name__}: {error}"
        raise must(name, "computable with NumPy and SymPy", got, advice) from error
    if values.shape != points.shape:
        raise must(name, f"elementwise, here of shape {points.shape}", values, advice)
    if not np.all(np.isfinite(values)):
        raise must(name, "finite on [0.5, 3]", values.tolist(), advice)
    for i, row in enumerate(zip(*arguments, strict=True)):
        exact = complex(form.subs(dict(zip(symbols, row, strict=True))))
        if abs(exact - values[i]) > 1e-9 * max(1.0, abs(exact)):
            both = (float(values[i]), exact)
            raise must(name, "the same in NumPy and SymPy", both, advice)
