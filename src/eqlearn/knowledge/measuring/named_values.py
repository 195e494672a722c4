"""Constants that a formula has, as what is known by name: g/2, 2*pi/sqrt(G)."""

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from eqlearn.knowledge.measuring.dimensions import NamedConstant
from eqlearn.knowledge.measuring.measures import PURE, Measure

#: Parts of a fraction that a name may be multiplied by.
_LARGEST_PART = 12
#: The share by which a value may be off, times how many fractions are as simple: most
#: values are near some fraction, which then says nothing.
_WELL_KNOWN, _BY_CHANCE = 0.02, 0.1
_STANDARD_ERRORS, _ROUNDING = 3.0, 1e-6
_POWERS = (Fraction(1), Fraction(-1), Fraction(1, 2), Fraction(-1, 2))
_PIS = (("", 1.0), ("pi", math.pi))


def named_value(
    value: float, error: float, own: Measure, constants: Sequence[NamedConstant]
) -> str | None:
    """What a constant of a formula is by name, if it is that within its error.

    `value` and `error` are in the units of the data, which `own` is.
    """
    within = (
        max(_STANDARD_ERRORS * error / abs(value), _ROUNDING) if value else math.inf
    )
    if not within <= _WELL_KNOWN:
        return None
    found = []
    for names, size in _products(own, constants):
        for (pi, factor), sign in itertools.product(_PIS, (1, -1)):
            ratio = value * own.size / size / factor**sign
            near = Fraction(abs(ratio)).limit_denominator(_LARGEST_PART)
            parts = near.numerator + near.denominator + bool(pi)
            is_close = near and abs(abs(ratio) / float(near) - 1.0) <= within
            if is_close and within * parts**2 <= _BY_CHANCE:
                signed = near if ratio > 0 else -near
                found.append((parts, _written(signed, names, (pi, sign))))
    return min(found)[1] if found else None


def _products(
    own: Measure, constants: Sequence[NamedConstant]
) -> Iterator[tuple[list[tuple[str, Fraction]], float]]:
    """Products of powers of one or two constants that have a dimension."""
    single = [(one, power) for one in constants for power in _POWERS]
    pairs = [
        pair for pair in itertools.combinations(single, 2) if pair[0][0] != pair[1][0]
    ]
    for chosen in (*((one,) for one in single), *pairs):
        total, size = PURE, 1.0
        for one, power in chosen:
            total = total.times(one.measure, power)
            size *= one.value ** float(power)
        if total.dimension == own.dimension:
            yield [(one.name, power) for one, power in chosen], size


def _written(
    ratio: Fraction, names: Sequence[tuple[str, Fraction]], pi: tuple[str, int]
) -> str:
    above = [str(abs(ratio.numerator))] if abs(ratio.numerator) != 1 else []
    below = [str(ratio.denominator)] if ratio.denominator != 1 else []
    if pi[0]:
        (above if pi[1] > 0 else below).append(pi[0])
    for name, power in names:
        shown = f"sqrt({name})" if power.denominator == 2 else name
        (above if power > 0 else below).append(shown)
    top = "*".join(above) or "1"
    sign = "-" if ratio < 0 else ""
    if not below:
        return f"{sign}{top}"
    bottom = "*".join(below)
    return f"{sign}{top}/({bottom})" if len(below) > 1 else f"{sign}{top}/{bottom}"
