"""Units of measure: text like "kg m/s^2" becomes a size and a dimension.

    measure = factor { ("*" | "·" | " ") factor | "/" factor }
    factor  = (unit | number | "(" measure ")") [("^" | "**") exponent]
    unit    = letters, which an exponent may follow at once: m2, s-1

Units are those of the SI, with its prefixes, and common others. What is written after
a slash is divided by, up to the next slash or product sign: J/mol/K is J/(mol K).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from typing import NoReturn, TypeAlias

from eqlearn.errors import must

BASES = ("m", "kg", "s", "A", "K", "mol", "cd")
#: The powers of the seven base units.
Dimension: TypeAlias = tuple[Fraction, ...]
NO_DIMENSION: Dimension = (Fraction(0),) * len(BASES)


@dataclass(frozen=True)
class Measure:
    """A unit of measure: how large it is in SI units, and its dimension."""

    size: float = 1.0
    dimension: Dimension = NO_DIMENSION

    def times(self, other: "Measure", power: Fraction = Fraction(1)) -> "Measure":
        """The product with a power of another."""
        pairs = zip(self.dimension, other.dimension, strict=True)
        total = tuple(a + power * b for a, b in pairs)
        return Measure(self.size * other.size ** float(power), total)

    @property
    def is_pure(self) -> bool:
        """Whether it is that of a number."""
        return self.dimension == NO_DIMENSION

    def __str__(self) -> str:
        return dimension_text(self.dimension)


PURE = Measure()


def dimension_text(dimension: Dimension) -> str:
    """Write a dimension in base units, or by the name that a unit has for it.

    Examples
    --------
    >>> dimension_text(measure("N/kg").dimension)
    'm/s^2'
    """
    if dimension in _NAMED:
        return _NAMED[dimension]
    above = [_power(base, p) for base, p in zip(BASES, dimension, strict=True) if p > 0]
    below = [
        _power(base, -p) for base, p in zip(BASES, dimension, strict=True) if p < 0
    ]
    top = " ".join(above) or "1"
    if not below:
        return "" if top == "1" else top
    bottom = " ".join(below)
    return f"{top}/({bottom})" if len(below) > 1 else f"{top}/{bottom}"


#: Denominators of powers that are shown as fractions; others are fitted numbers.
_MOST_READABLE = 12


def _power(base: str, power: Fraction) -> str:
    near = power.limit_denominator(1000)
    if near == 1:
        return base
    if near.denominator > _MOST_READABLE:
        return f"{base}^{float(power):.4g}"
    return f"{base}^({near})" if near.denominator > 1 else f"{base}^{near}"


_PREFIXES = {
    **{"Y": 24, "Z": 21, "E": 18, "P": 15, "T": 12, "G": 9, "M": 6, "k": 3, "h": 2},
    **{"da": 1, "d": -1, "c": -2, "m": -3, "u": -6, "µ": -6, "μ": -6, "n": -9},
    **{"p": -12, "f": -15, "a": -18, "z": -21, "y": -24},
}
_LONG_PREFIXES = {
    **{"tera": 12, "giga": 9, "mega": 6, "kilo": 3, "hecto": 2, "deci": -1},
    **{"centi": -2, "milli": -3, "micro": -6, "nano": -9, "pico": -12, "femto": -15},
}
#: Units that take prefixes: symbol, further names, and what they are.
_WITH_PREFIXES = """
m metre,meter,metres,meters = 1 m
g gram,grams,gramme = 1e-3 kg
s second,seconds,sec = 1 s
A ampere,amperes,amp = 1 A
K kelvin,kelvins = 1 K
mol mole,moles = 1 mol
cd candela = 1 cd
Hz hertz = 1 s^-1
N newton,newtons = 1 m kg s^-2
Pa pascal,pascals = 1 m^-1 kg s^-2
J joule,joules = 1 m^2 kg s^-2
W watt,watts = 1 m^2 kg s^-3
C coulomb,coulombs = 1 s A
V volt,volts = 1 m^2 kg s^-3 A^-1
Ω Ohm,ohm,ohms,Ω = 1 m^2 kg s^-3 A^-2
S siemens = 1 m^-2 kg^-1 s^3 A^2
F farad,farads = 1 m^-2 kg^-1 s^4 A^2
H henry = 1 m^2 kg s^-2 A^-2
T tesla = 1 kg s^-2 A^-1
Wb weber = 1 m^2 kg s^-2 A^-1
lm lumen = 1 cd
lx lux = 1 m^-2 cd
Bq becquerel = 1 s^-1
Gy gray = 1 m^2 s^-2
Sv sievert = 1 m^2 s^-2
kat katal = 1 s^-1 mol
eV electronvolt = 1.602176634e-19 m^2 kg s^-2
bar bars = 1e5 m^-1 kg s^-2
L l,liter,litre,liters,litres = 1e-3 m^3
cal calorie,calories = 4.184 m^2 kg s^-2
t tonne,tonnes = 1e3 kg
pc parsec = 3.0856775814913673e16 m
M molar = 1e3 m^-3 mol
Wh = 3600 m^2 kg s^-2
"""
#: Units that take none.
_WITHOUT = """
rad radian,radians = 1
sr steradian = 1
deg degree,degrees,° = 0.017453292519943295
% percent = 0.01
ppm = 1e-6
min minute,minutes = 60 s
h hour,hours,hr = 3600 s
d day,days = 86400 s
wk week,weeks = 604800 s
yr year,years,a = 31557600 s
atm atmosphere = 101325 m^-1 kg s^-2
mmHg torr,Torr = 133.322387415 m^-1 kg s^-2
psi = 6894.757293168 m^-1 kg s^-2
Å angstrom,Å = 1e-10 m
au AU = 149597870700 m
ly lightyear = 9.4607304725808e15 m
in inch,inches = 0.0254 m
ft foot,feet = 0.3048 m
yd yard,yards = 0.9144 m
mi mile,miles = 1609.344 m
kn knot,knots = 0.5144444444444445 m s^-1
mph = 0.44704 m s^-1
lb pound,pounds = 0.45359237 kg
oz ounce,ounces = 0.028349523125 kg
u Da,amu,dalton = 1.66053906892e-27 kg
ha hectare,hectares = 1e4 m^2
rpm = 0.10471975511965977 s^-1
dyn dyne = 1e-5 m kg s^-2
erg ergs = 1e-7 m^2 kg s^-2
P poise = 0.1 m^-1 kg s^-1
G gauss = 1e-4 kg s^-2 A^-1
dimensionless 1 = 1
"""
#: What begins elsewhere than at zero, or is a logarithm: no product can be made of it.
_NOT_PROPORTIONAL = {
    **dict.fromkeys(("°C", "degC", "celsius", "Celsius", "℃"), "Convert it to K."),
    **dict.fromkeys(("°F", "degF", "fahrenheit", "Fahrenheit"), "Convert it to K."),
    **dict.fromkeys(("dB", "dBm", "decibel", "pH"), "Convert it to a plain ratio."),
}


def _rows(text: str) -> Iterator[tuple[list[str], Measure]]:
    for line in text.strip().splitlines():
        names, _, meaning = line.partition(" = ")
        symbol, _, others = names.partition(" ")
        size, *powers = meaning.split()
        dimension = [Fraction(0)] * len(BASES)
        for part in powers:
            base, _, power = part.partition("^")
            dimension[BASES.index(base)] += Fraction(power or 1)
        yield (
            [symbol, *filter(None, others.split(","))],
            Measure(float(size), tuple(dimension)),
        )


def _table() -> Mapping[str, Measure]:
    found: dict[str, Measure] = {}
    for names, one in _rows(_WITH_PREFIXES):
        for name in names:
            is_long = len(name) > 3 and name != "mole"
            for prefix, power in (_LONG_PREFIXES if is_long else _PREFIXES).items():
                sized = Measure(10.0**power * one.size, one.dimension)
                found.setdefault(prefix + name, sized)
    # What is a unit as it stands is no other with a prefix: min, not a milli-inch.
    for text in (_WITHOUT, _WITH_PREFIXES):
        for names, one in _rows(text):
            found.update(dict.fromkeys(names, one))
    return found


UNITS_OF_MEASURE: Mapping[str, Measure] = _table()
_NAMED: Mapping[Dimension, str] = {
    UNITS_OF_MEASURE[name].dimension: name
    for name in ("N", "Pa", "J", "W", "C", "V", "Ω", "F", "H", "T", "Wb", "S")
}
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_TOKEN = re.compile(
    r"\s*(?:(?P<power>(?:\^|\*\*)\s*(?:[-−+]?\d+(?:\.\d+)?"
    r"|\(\s*[-−+]?\d+(?:\.\d+)?(?:\s*/\s*[1-9]\d*)?\s*\))|[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+"
    r"|(?<=[^\W\d_])[-−]?\d+(?:\.\d+)?)|(?P<sign>[*·×⋅/()])|(?P<number>\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)"
    r"|(?P<word>[^\W\d_⁰¹²³⁴⁵⁶⁷⁸⁹]+|%|°[CF]?|℃))"
)
#: Letters of the longest that anyone types.
_LONGEST = 100
#: No unit of measure has a higher power, nor one with a larger denominator.
_LARGEST_EXPONENT = 12
#: Sizes beyond these are of nothing that can be measured.
_SMALLEST_SIZE, _LARGEST_SIZE = 1e-100, 1e100


def measure(text: str, where: str = "") -> Measure:
    """Read a unit of measure; what cannot be read is refused in one line.

    Examples
    --------
    >>> measure("km/h").size
    0.2777777777777778
    """
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise must("dimensions", _LIKE_UNITS, text, where=where)
    if text.strip() in ("", "-", "–", "1"):
        return PURE
    return _Reader(text, where).whole()


_LIKE_UNITS = "units like kg m/s^2, J/(mol K), km/h or 1"


class _Reader:
    """Reads one text from left to right."""

    def __init__(self, text: str, where: str) -> None:
        self._text, self._where = text, where
        self._tokens = list(self._cut())
        self._at = 0

    def _cut(self) -> Iterator[tuple[str, str]]:
        at, text = 0, self._text.rstrip()
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                self._fail(f"{text[at:].strip()[:1]!r} is no part of a unit.")
            at = match.end()
            kind = str(match.lastgroup)
            yield kind, match[kind]

    def whole(self) -> Measure:
        found = self._product()
        if self._at < len(self._tokens):
            self._fail(f"{self._tokens[self._at][1]!r} does not fit there.")
        if not _SMALLEST_SIZE < found.size < _LARGEST_SIZE:
            self._fail("It is too large or too small.")
        return found

    def _next(self) -> tuple[str, str]:
        return self._tokens[self._at] if self._at < len(self._tokens) else ("", "")

    def _product(self) -> Measure:
        total, sign, is_first = PURE, 1, True
        while True:
            kind, token = self._next()
            if kind == "sign" and token in "*·×⋅/" and not is_first:
                self._at += 1
                sign = -1 if token == "/" else 1
            elif kind == "" or (kind, token) == ("sign", ")"):
                return total
            elif not is_first:
                sign = 1  # a space is a product sign
            total = total.times(self._factor(), Fraction(sign))
            is_first = False

    def _factor(self) -> Measure:
        kind, token = self._next()
        self._at += 1
        if (kind, token) == ("sign", "("):
            found = self._product()
            if self._next() != ("sign", ")"):
                self._fail("A closing bracket is missing.")
            self._at += 1
        elif kind == "word":
            found = self._unit(token)
        elif kind == "number":
            found = Measure(float(token)) if float(token) else self._fail("0 is none.")
        else:
            self._fail(
                f"A unit is missing before {token!r}."
                if token
                else "A unit is missing at its end."
            )
        kind, token = self._next()
        if kind != "power":
            return found
        self._at += 1
        return PURE.times(found, self._exponent(token))

    def _exponent(self, token: str) -> Fraction:
        plain = token.translate(_SUPERSCRIPTS).replace("−", "-").replace(" ", "")
        try:
            power = Fraction(plain.lstrip("^*").strip("()"))
        except ValueError:
            self._fail(f"{token!r} is no power.")
        if abs(power) > _LARGEST_EXPONENT or power.denominator > _LARGEST_EXPONENT:
            self._fail(f"Powers are at most {_LARGEST_EXPONENT}.")
        return power

    def _unit(self, word: str) -> Measure:
        if word in UNITS_OF_MEASURE:
            return UNITS_OF_MEASURE[word]
        if word in _NOT_PROPORTIONAL:
            self._fail(f"{word} is not proportional. {_NOT_PROPORTIONAL[word]}")
        near = get_close_matches(word, UNITS_OF_MEASURE, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else " Write it in SI units."
        self._fail(f"{word!r} is not known.{hint}")

    def _fail(self, why: str) -> NoReturn:
        raise must("dimensions", _LIKE_UNITS, self._text, why, where=self._where)
