"""Dimensions of columns and constants as users give them: by name, or in headers."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eqlearn.errors import EqlearnError, must, unknown
from eqlearn.knowledge.measuring.measures import PURE, Measure, measure

#: Constants of nature that may be given by name, in SI units (CODATA 2022).
CONSTANTS_OF_NATURE: Mapping[str, str] = {
    "c": "299792458 m/s",
    "g": "9.80665 m/s^2",
    "G": "6.6743e-11 m^3/(kg s^2)",
    "h": "6.62607015e-34 J s",
    "hbar": "1.054571817e-34 J s",
    "k_B": "1.380649e-23 J/K",
    "R": "8.31446261815324 J/(mol K)",
    "N_A": "6.02214076e23 1/mol",
    "e": "1.602176634e-19 C",
    "epsilon_0": "8.8541878188e-12 F/m",
    "mu_0": "1.25663706127e-6 H/m",
    "sigma": "5.670374419e-8 W/(m^2 K^4)",
    "m_e": "9.1093837139e-31 kg",
    "m_p": "1.67262192595e-27 kg",
    "F": "96485.33212331 C/mol",
    "alpha": "0.0072973525643",
}
_HEADER = re.compile(r".*\[([^\[\]]*)\]\s*", re.S)
_LIKE_THESE = 'like "F: kg m/s^2, m: kg" or {"F": "kg m/s^2"}'


@dataclass(frozen=True)
class NamedConstant:
    """A constant of nature, or the user's: its value in SI units, and its dimension."""

    name: str
    value: float
    measure: Measure


@dataclass(frozen=True)
class Dimensions:
    """The units of measure of a table, and constants that its laws may have."""

    inputs: tuple[Measure, ...]
    targets: tuple[Measure, ...]
    constants: tuple[NamedConstant, ...] = ()


def dimensions_of(
    given: Any, constants: Any, inputs: Sequence[str], targets: Sequence[str]
) -> Dimensions | None:
    """Read units of measure by column; None if there are none.

    Those that are not given are read off headers like `T [K]`. If nothing is given,
    headers count only if all of them can be read.
    """
    named = named_constants(constants)
    columns = (*inputs, *targets)
    known = {} if given is None else _given(given, columns)
    found = [known.get(name) or _of_header(name, given is not None) for name in columns]
    missing = [name for name, one in zip(columns, found, strict=True) if one is None]
    if missing and given is None:
        if named:
            hint = "Give the units of the columns by `dimensions`, too."
            raise must(
                "constants", "left out where columns have no units", constants, hint
            )
        return None
    if missing:
        hint = f"Give its unit, or 1 for a pure number, as in {missing[0]!r}: 1."
        what = "given for every column"
        raise must("dimensions", what, f"none for {missing[0]}", hint)
    all_measures = [one for one in found if one is not None]
    if given is None and all(one.is_pure for one in all_measures):
        return None
    n = len(inputs)
    return Dimensions(tuple(all_measures[:n]), tuple(all_measures[n:]), named)


def kept_dimensions(given: Any) -> Any:
    """Dimensions, or constants, as a model file keeps them."""
    if isinstance(given, Mapping):
        return {str(name): str(text) for name, text in given.items()}
    return list(given) if isinstance(given, tuple) else given


def _of_header(name: str, is_asked: bool) -> Measure | None:
    match = _HEADER.fullmatch(name)
    if match is None:
        # What a column of words becomes, like `kind=oak`, is 1 or 0.
        return PURE if "=" in name else None
    try:
        return measure(match[1], f"in the header {name!r}")
    except EqlearnError:
        if is_asked:
            raise
        return None


def _given(given: Any, columns: Sequence[str]) -> dict[str, Measure]:
    found: dict[str, Measure] = {}
    for name, text in _pairs(given):
        called = name if name in columns else _without_header(name, columns)
        if called is None:
            raise unknown("dimensions", name, columns)
        if called in found:
            raise must("dimensions", "given once for each column", name, where="twice")
        found[called] = (
            text if isinstance(text, Measure) else measure(text, f"for {name}")
        )
    return found


def _without_header(name: str, columns: Sequence[str]) -> str | None:
    """The column `T [K]`, if it is called T."""
    for column in columns:
        if column.partition("[")[0].strip() == name:
            return column
    return None


def _pairs(given: Any) -> list[tuple[str, Any]]:
    if isinstance(given, Mapping):
        return [(str(name), text) for name, text in given.items()]
    if isinstance(given, Sequence) and not isinstance(given, str | bytes):
        return [pair for one in given for pair in _pairs(one)]
    if not isinstance(given, str) or not given.strip():
        raise must("dimensions", f"units by column, {_LIKE_THESE}", given)
    pairs = []
    for piece in re.findall(r"(?:`[^`]*`|[^,;`])+", given):
        match = re.fullmatch(r"\s*(?:`([^`]+)`|([^`:]+?))\s*[:=]\s*(.*?)\s*", piece)
        if match is None:
            raise must("dimensions", f"units by column, {_LIKE_THESE}", piece.strip())
        if not match[3]:
            hint = "Write 1 for a pure number."
            raise must("dimensions", "units by column", piece.strip(), hint)
        pairs.append((match[1] or match[2], match[3]))
    return pairs


def named_constants(given: Any) -> tuple[NamedConstant, ...]:
    """The constants that laws may have: names of known ones, or values with units."""
    if given is None:
        return ()
    if isinstance(given, str):
        given = [piece.strip() for piece in given.split(",")]
    if isinstance(given, Mapping):
        return tuple(_constant(str(name), text) for name, text in given.items())
    if not isinstance(given, Sequence) or isinstance(given, bytes):
        what = 'a list of names like ["g", "c"], or {"g": "9.81 m/s^2"}'
        raise must("constants", what, given)
    found = []
    for one in given:
        if not isinstance(one, str):
            raise must("constants", 'names like "g", or "g = 9.81 m/s^2"', one)
        name, equals, text = (part.strip() for part in one.partition("="))
        if not equals and name not in CONSTANTS_OF_NATURE:
            raise unknown("constants", name, CONSTANTS_OF_NATURE)
        found.append(_constant(name, text if equals else CONSTANTS_OF_NATURE[name]))
    names = [one.name for one in found]
    if len(set(names)) < len(names):
        raise must("constants", "named once each", ", ".join(names))
    return tuple(found)


def _constant(name: str, text: Any) -> NamedConstant:
    if not isinstance(text, str):
        text = str(text)
    match = re.fullmatch(r"\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*(.*)", text)
    like = f'a number with a unit, like "{name} = 9.81 m/s^2"'
    if match is None or not name:
        raise must("constants", like, text)
    try:
        value, one = float(match[1]), measure(match[2], f"for {name}")
    except ValueError as error:
        said = str(error).replace("`dimensions`", "`constants`", 1)
        is_ours = isinstance(error, EqlearnError)
        raise (
            EqlearnError(said) if is_ours else must("constants", like, text)
        ) from error
    if not value > 0:
        raise must("constants", "above 0", text, where=f"for {name}")
    return NamedConstant(name, value * one.size, Measure(1.0, one.dimension))
