"""Dimensionless groups: what a law without other constants can depend on.

Buckingham's theorem: if y depends on inputs through pure numbers alone, y over a
product of powers of inputs that has its dimension depends on dimensionless products
only. Some inputs, as many as there are independent dimensions, make all others so.
"""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from eqlearn.knowledge.measuring.dimensions import Dimensions
from eqlearn.knowledge.measuring.measures import Dimension

#: Powers beyond these are in no law that people write.
_LARGEST_POWER, _LARGEST_DENOMINATOR = 6, 6
#: Sets of groups that say the same are many: the simplest are enough.
MOST_SETS = 2

#: The power of each input.
GroupPowers = tuple[float, ...]


class GroupSet(NamedTuple):
    """A factor of the target's dimension, and the dimensionless variables beside it."""

    factor: GroupPowers
    variables: tuple[GroupPowers, ...]


def group_sets(
    known: Dimensions, target: int, are_positive: Sequence[bool]
) -> list[GroupSet]:
    """Ways to make a target and its inputs dimensionless, the simplest first.

    There are none if no product of powers of inputs and constants has the target's
    dimension, or if there is nothing to gain. Only positive inputs divide others.
    """
    inputs = [one.dimension for one in known.inputs]
    constants = [one.measure.dimension for one in known.constants]
    everything, n = [*inputs, *constants], len(inputs)
    wanted = known.targets[target].dimension
    rank = _rank(everything)
    candidates = [i for i in range(len(everything)) if i >= n or are_positive[i]]
    found: dict[GroupSet, float] = {}
    for pivots in itertools.combinations(candidates, rank):
        basis = [everything[i] for i in pivots]
        if _rank(basis) < rank:
            continue
        factor = _solved(basis, wanted)
        if factor is None:
            return []
        rest = [i for i in range(len(everything)) if i not in pivots]
        powers = [_solved(basis, everything[i]) for i in rest]
        groups = [
            _group(i, pivots, own, n, are_positive)
            for i, own in zip(rest, powers, strict=True)
            if own is not None
        ]
        one = _set_of(_powers(pivots, factor, n), groups)
        if one is not None and len(one.variables) < n:
            # Constants that had to be brought in count as if they were powers.
            size = _size(one) + sum(abs(float(p)) for p in factor) / 100
            found.setdefault(one, size)
    return sorted(found, key=lambda one: (len(one.variables), found[one]))[:MOST_SETS]


def _set_of(factor: list[Fraction], groups: list[list[Fraction]]) -> GroupSet | None:
    kept = [group for group in groups if any(group)]
    for power in itertools.chain(factor, *kept):
        if abs(power) > _LARGEST_POWER or power.denominator > _LARGEST_DENOMINATOR:
            return None
    variables = dict.fromkeys(tuple(map(float, group)) for group in kept)
    return GroupSet(tuple(map(float, factor)), tuple(variables))


def _size(one: GroupSet) -> float:
    powers = [p for some in (one.factor, *one.variables) for p in some]
    return sum(abs(p) for p in powers) + sum(not (2 * p).is_integer() for p in powers)


def _powers(
    pivots: Sequence[int], powers: Sequence[Fraction], n: int
) -> list[Fraction]:
    total = [Fraction(0)] * n
    for i, power in zip(pivots, powers, strict=True):
        if i < n:  # a constant is a number like any other
            total[i] += power
    return total


def _group(
    i: int,
    pivots: Sequence[int],
    powers: Sequence[Fraction],
    n: int,
    are_positive: Sequence[bool],
) -> list[Fraction]:
    """An input, or constant, over what has its dimension; in whole powers if it can."""
    total = _powers(pivots, [-power for power in powers], n)
    if i < n:
        total[i] += 1
    if i >= n or are_positive[i]:
        scale = math.lcm(*(power.denominator for power in total))
        total = [power * scale for power in total]
        divisor = math.gcd(*(power.numerator for power in total)) or 1
        total = [power / divisor for power in total]
    is_turned = i >= n and sum(total) < 0
    return [-power for power in total] if is_turned else total


def _rank(rows: Sequence[Dimension]) -> int:
    return len(_reduced([list(row) for row in rows])[1])


def _solved(basis: Sequence[Dimension], wanted: Dimension) -> list[Fraction] | None:
    """The powers of the basis whose product has the wanted dimension; None if none."""
    columns = [[row[k] for row in basis] + [wanted[k]] for k in range(len(wanted))]
    reduced, pivots = _reduced(columns)
    n = len(basis)
    if n in pivots:
        return None
    found = [Fraction(0)] * n
    for row, column in enumerate(pivots):
        found[column] = reduced[row][n]
    return found


def _reduced(rows: list[list[Fraction]]) -> tuple[list[list[Fraction]], list[int]]:
    """Gauss-Jordan elimination: the reduced rows, and the columns that lead."""
    pivots: list[int] = []
    n_columns = len(rows[0]) if rows else 0
    for column in range(n_columns):
        at = len(pivots)
        lead = next((r for r in range(at, len(rows)) if rows[r][column]), None)
        if lead is None:
            continue
        rows[at], rows[lead] = rows[lead], rows[at]
        rows[at] = [value / rows[at][column] for value in rows[at]]
        for r in range(len(rows)):
            if r != at and rows[r][column]:
                factor = rows[r][column]
                rows[r] = [
                    a - factor * b for a, b in zip(rows[r], rows[at], strict=True)
                ]
        pivots.append(column)
    return rows, pivots


def has_its_dimension(known: Dimensions, target: int) -> bool:
    """Whether some product of inputs and constants is measured as a target is."""
    everything = [one.dimension for one in known.inputs]
    everything += [one.measure.dimension for one in known.constants]
    wanted = known.targets[target].dimension
    return _rank([*everything, wanted]) == _rank(everything)
