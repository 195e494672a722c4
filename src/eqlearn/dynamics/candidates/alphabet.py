"""What terms of motion are made of: inputs, waves of angles, and their products.

The letters are the inputs, and then sine and cosine of each angle. An angle is an
input, or the difference of two: of a pendulum below another, both are there.
"""

from collections import Counter
from collections.abc import Mapping
from itertools import combinations_with_replacement
from typing import NamedTuple, TypeAlias

import numpy as np

from eqlearn._types import Array
from eqlearn.dynamics.candidates.reshaping import Powers
from eqlearn.network.draft import Draft
from eqlearn.network.graph import CONSTANT, Linear

#: An input, or one input less another.
Angle: TypeAlias = tuple[int, ...]
#: A polynomial in letters: weights by monomial.
LetterSum: TypeAlias = Mapping[Powers, float]

#: Of the largest weight: what a product leaves where everything cancels.
_ROUNDING = 1e-12


class Alphabet(NamedTuple):
    """Letters: all inputs, then sine and cosine of the first angle, and so on."""

    n_inputs: int
    angles: tuple[Angle, ...] = ()

    @property
    def n_letters(self) -> int:
        """How many letters there are."""
        return self.n_inputs + 2 * len(self.angles)

    def monomials(self, degree: int) -> list[Powers]:
        """Products of up to so many letters; an angle itself is none beside its waves.

        Squares of sines are none: they are 1 less those of cosines. Nor are products of
        waves of two angles, where their difference has waves of its own.
        """
        inside = {source for angle in self.angles for source in angle}
        letters = [k for k in range(self.n_letters) if k not in inside]
        every = (
            one
            for size in range(degree + 1)
            for one in combinations_with_replacement(letters, size)
        )
        return [one for one in every if self._is_usable(one)]

    def _is_usable(self, one: Powers) -> bool:
        waves = [divmod(k - self.n_inputs, 2) for k in one if k >= self.n_inputs]
        angles = {angle for angle, _ in waves}
        has_differences = any(len(angle) > 1 for angle in self.angles)
        if has_differences and len(angles) > 1:
            return False
        return all(waves.count((angle, 0)) < 2 for angle in angles)

    def values(self, x: Array) -> Array:
        """Letters (N, L) for rows (N, D)."""
        columns = [x]
        for angle in self.angles:
            z = x[:, angle[0]] - (x[:, angle[1]] if len(angle) > 1 else 0.0)
            columns += [np.sin(z)[:, None], np.cos(z)[:, None]]
        return np.hstack(columns)

    def product(self, one: Powers, other: Powers) -> LetterSum:
        """The product of two monomials, without a square of a sine."""
        counts = Counter((*one, *other))
        found: dict[Powers, float] = {(): 1.0}
        for sine in range(self.n_inputs, self.n_letters, 2):
            for _ in range(counts[sine] // 2):
                found = _times_square_of_sine(found, sine + 1)
            counts[sine] %= 2
        rest = tuple(counts.elements())
        return {tuple(sorted((*key, *rest))): w for key, w in found.items()}

    def times(self, p: LetterSum, q: LetterSum) -> LetterSum:
        """The product of two polynomials."""
        found: dict[Powers, float] = {}
        for a, weight in p.items():
            for b, other in q.items():
                for key, factor in self.product(a, b).items():
                    found[key] = found.get(key, 0.0) + weight * other * factor
        return _without_rounding(found, _largest(p) * _largest(q))


def _times_square_of_sine(p: LetterSum, cosine: int) -> dict[Powers, float]:
    found = dict(p)
    for key, weight in p.items():
        longer = (*key, cosine, cosine)
        found[longer] = found.get(longer, 0.0) - weight
    return found


def plus(p: LetterSum, q: LetterSum, factor: float = 1.0) -> LetterSum:
    """One polynomial and a multiple of another."""
    found = dict(p)
    for key, weight in q.items():
        found[key] = found.get(key, 0.0) + factor * weight
    return _without_rounding(found, max(_largest(p), abs(factor) * _largest(q)))


def _largest(p: LetterSum) -> float:
    return max(map(abs, p.values()), default=0.0)


def _without_rounding(p: LetterSum, size: float) -> LetterSum:
    """What was computed from weights of this size, without what has cancelled."""
    return {key: w for key, w in p.items() if abs(w) > _ROUNDING * size}


def values_of(p: LetterSum, letters: Array) -> Array:
    """A polynomial's values (N,) for letters (N, L)."""
    found = np.zeros(len(letters))
    for key, weight in p.items():
        found += weight * monomial_values(key, letters)
    return found


def monomial_values(one: Powers, letters: Array) -> Array:
    """A monomial's values (N,) for letters (N, L)."""
    if not one:
        return np.ones(len(letters))
    found: Array = np.prod(letters[:, list(one)], axis=1)
    return found


def put_polynomial(p: LetterSum, alphabet: Alphabet, draft: Draft) -> Linear:
    """A polynomial as a linear combination of features of a draft."""
    made: dict[Powers, int] = {(): CONSTANT}

    def put(of: Powers) -> int:
        if of not in made:
            if len(of) > 1:
                made[of] = draft.add(
                    "multiply", {put(of[:-1]): 1.0}, {put(of[-1:]): 1.0}
                )
            elif of[0] < alphabet.n_inputs:
                made[of] = of[0]
            else:
                made[of] = _put_wave(of[0], alphabet, draft)
        return made[of]

    return {put(key): float(weight) for key, weight in p.items()}


def _put_wave(letter: int, alphabet: Alphabet, draft: Draft) -> int:
    place, is_cosine = divmod(letter - alphabet.n_inputs, 2)
    angle = alphabet.angles[place]
    inside = dict(zip(angle, (1.0, -1.0), strict=False))
    return draft.add("cos" if is_cosine else "sin", inside)
