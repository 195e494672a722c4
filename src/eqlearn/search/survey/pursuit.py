"""Pursuit: a sum grows by the terms of a dictionary that explain most of what is left.

Orthogonal least squares with a beam: of every sum in it, each term's gain is known from
one product of matrices. Rates inside of terms are fitted whenever one is added.
"""

import contextlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from eqlearn._types import Array
from eqlearn.search.attempts.monomials import monomial
from eqlearn.search.survey.terms import WITHOUT_RATE, Atom, Summand


@dataclass(frozen=True)
class Dictionary:
    """Terms with their values, weighted and of unit length, in single precision."""

    terms: list[Summand]
    columns: Array  # (K, N)

    @classmethod
    def of(cls, terms: Sequence[Summand], values: Array, root: Array) -> "Dictionary":
        """The terms whose values (K, N) are numbers."""
        with np.errstate(all="ignore"):
            columns = values * root
            length = np.sqrt(np.sum(columns**2, axis=1))
            good = np.isfinite(length) & (length > 1e-150)
            columns = (columns[good] / length[good, None]).astype(np.float32)
        kept = [term for term, is_good in zip(terms, good, strict=True) if is_good]
        return cls(kept, columns)


@dataclass(frozen=True, eq=False)
class SparseSum:
    """Some terms at the optimum of their weights and rates."""

    terms: tuple[Summand, ...]
    left: Array  # (N,) weighted residual
    plain: Array  # (N, q) orthonormal, of the terms without a rate
    basis: Array  # (N, p) of all, and of the slopes by the rates

    @property
    def sse(self) -> float:
        """What is left, squared and summed."""
        return float(self.left @ self.left)

    @property
    def n_parameters(self) -> int:
        """Weights and rates."""
        return len(self.terms) + len(rates_of(self.terms))


@dataclass(frozen=True)
class WeightedRows:
    """What is explained: rows by weight."""

    x: Array  # (D, N)
    y: Array  # (N,) target times root weight
    root: Array  # (N,)
    scale: Array | None = None  # (D,) what each of x was divided by

    def logarithm(self, i: int) -> Atom:
        """That of x as it was measured: of x log(x) a unit makes another sum."""
        of = tuple(float(j == i) for j in range(len(self.x)))
        return Atom("log", of, 1.0 if self.scale is None else float(self.scale[i]))


def rates_of(terms: Sequence[Summand]) -> list[Atom]:
    """The distinct atoms with a rate; sine and cosine of one argument share it."""
    atoms: dict[object, Atom] = {}
    for term in terms:
        for atom in term.atoms:
            if atom.kind not in WITHOUT_RATE:
                atoms.setdefault(_shared(atom), atom)
    return list(atoms.values())


def _shared(atom: Atom) -> tuple[object, ...]:
    kind = "wave" if atom.kind in ("sin", "cos") else atom.kind
    return kind, atom.of, atom.rate


def fitted(
    terms: Sequence[Summand],
    data: WeightedRows,
    before: SparseSum | None = None,
    n_steps: int = 6,
) -> SparseSum | None:
    """Fit weights and rates: variable projection, rates by damped Gauss-Newton.

    `before` is a sum of all terms but the last.
    """
    with np.errstate(all="ignore"):
        plain = _plain_basis(terms, data, before)
        if plain is None:
            return None
        moving = _Moving.of([t for t in terms if rates_of([t])], data)
        y = data.y - plain @ (plain.T @ data.y)
        if not moving.terms:
            return SparseSum(tuple(terms), y, plain, plain)
        fit = _fitted_rates(moving, plain, y, n_steps)
    if fit is None:
        return None
    rates, left, inside = fit
    moved = iter(moving.with_rates(rates))
    kept = tuple(next(moved) if rates_of([term]) else term for term in terms)
    return SparseSum(kept, left, plain, np.concatenate([plain, inside], axis=1))


def _plain_basis(
    terms: Sequence[Summand], data: WeightedRows, before: SparseSum | None
) -> Array | None:
    """An orthonormal basis of the terms without a rate."""
    if before is not None:
        if rates_of(terms[-1:]):
            return before.plain
        column = terms[-1].values(data.x) * data.root
        column = column / np.linalg.norm(column)
        for _ in range(2):  # once more for the rounding errors of the first
            column = column - before.plain @ (before.plain.T @ column)
        size = float(np.linalg.norm(column))
        if not size > 1e-9:
            return None
        return np.concatenate([before.plain, column[:, None] / size], axis=1)
    columns = [t.values(data.x) * data.root for t in terms if not rates_of([t])]
    if not columns:
        return np.zeros((len(data.y), 0))
    matrix = np.array(columns).T
    basis, _ = np.linalg.qr(matrix / np.linalg.norm(matrix, axis=0))
    return basis if np.isfinite(basis).all() else None


@dataclass(frozen=True)
class _Moving:
    """Terms with rates, as columns that depend on these."""

    terms: list[Summand]
    atoms: list[Atom]  # whose rates they are
    places: list[list[int]]  # for each atom of each term, the rate's; -1 if it has none
    outers: list[Array]  # for each term, weighted monomials
    inners: list[list[Array]]  # for each atom of each term, what it is a function of

    @classmethod
    def of(cls, terms: list[Summand], data: WeightedRows) -> "_Moving":
        atoms = rates_of(terms)
        number = {_shared(atom): k for k, atom in enumerate(atoms)}
        places = [[number.get(_shared(a), -1) for a in term.atoms] for term in terms]
        outers = [Summand(term.exponents).values(data.x) * data.root for term in terms]
        inners = [[monomial(data.x, a.of) for a in term.atoms] for term in terms]
        return cls(terms, atoms, places, outers, inners)

    @property
    def rates(self) -> Array:
        return np.array([atom.rate for atom in self.atoms])

    def with_rates(self, rates: Array) -> list[Summand]:
        """The terms with other rates."""
        return [
            replace(
                term,
                atoms=tuple(
                    replace(a, rate=float(rates[k])) if k >= 0 else a
                    for a, k in zip(term.atoms, places, strict=True)
                ),
            )
            for term, places in zip(self.terms, self.places, strict=True)
        ]

    def columns(self, rates: Array) -> tuple[Array, Array]:
        """Values (N, k), and their slopes (k, rates, N) by the rates."""
        n = len(self.outers[0])
        values = np.empty((len(self.outers), n))
        slopes = np.zeros((len(self.outers), len(rates), n))
        for t, term in enumerate(self.terms):
            told = list(zip(term.atoms, self.inners[t], self.places[t], strict=True))
            own = [rates[k] if k >= 0 else atom.rate for atom, _, k in told]
            parts = [
                atom.values_of(inner, rate)
                for (atom, inner, _), rate in zip(told, own, strict=True)
            ]
            values[t] = self.outers[t] * math.prod(parts)
            for i, ((atom, inner, place), rate) in enumerate(
                zip(told, own, strict=True)
            ):
                if place >= 0:
                    beside = self.outers[t] * math.prod(parts[:i] + parts[i + 1 :])
                    slopes[t, place] += beside * atom.slopes_of(inner, rate)
        return values.T, slopes


def _fitted_rates(
    moving: _Moving, plain: Array, y: Array, n_steps: int
) -> tuple[Array, Array, Array] | None:
    """Rates, what is left, and a basis of the terms and their slopes."""
    rates, damping = moving.rates, 1e-3
    now = _projected(moving, rates, plain, y)
    if now is None:
        return None
    for _ in range(n_steps):
        left, basis, slopes = now
        gram, sse = slopes @ slopes.T, float(left @ left)
        gradient = slopes @ left
        if not (np.isfinite(gram).all() and np.isfinite(gradient).all()):
            break  # a rate has run away
        for _ in range(4):
            inflated = gram + damping * np.diag(np.diag(gram) + 1e-300)
            step = _solved(inflated, gradient)
            step = np.clip(step, -0.5 * np.abs(rates), 0.5 * np.abs(rates))
            trial = _projected(moving, rates + step, plain, y)
            if trial is not None and trial[0] @ trial[0] < sse:
                break
            damping = max(8 * damping, 1e-5)
        else:
            break
        now, rates, damping = trial, rates + step, max(damping / 8, 1e-12)
        if sse - trial[0] @ trial[0] < 1e-3 * sse:
            break
    left, basis, slopes = now
    size = np.linalg.norm(slopes, axis=1, keepdims=True) + 1e-300
    # Slopes are at right angles to the basis, but not to each other.
    more, _ = np.linalg.qr((slopes / size).T)
    return rates, left, np.concatenate([basis, more], axis=1)


def _projected(
    moving: _Moving, rates: Array, plain: Array, y: Array
) -> tuple[Array, Array, Array] | None:
    """What the best weights leave, a basis of the terms, and slopes by the rates."""
    columns, slopes = moving.columns(rates)
    columns = columns - plain @ (plain.T @ columns)
    size = np.linalg.norm(columns, axis=0)
    if not (np.isfinite(size).all() and (size > 0).all() and np.isfinite(slopes).all()):
        return None
    basis, triangle = np.linalg.qr(columns / size)
    along = basis.T @ y
    left = y - basis @ along
    weights = _solved(triangle, along) / size
    # With the weights as they are, as a rate moves: Kaufman's approximation.
    moved = np.einsum("k,krn->rn", weights, slopes)
    moved = moved - (moved @ plain) @ plain.T
    moved = moved - (moved @ basis) @ basis.T
    return left, basis, moved


def _solved(matrix: Array, right: Array) -> Array:
    """The solution of a few equations, the shortest if they do not tell."""
    with contextlib.suppress(np.linalg.LinAlgError):
        found = np.asarray(np.linalg.solve(matrix, right), float)
        if np.abs(found).max() < _LARGEST:
            return found
    return np.asarray(np.linalg.lstsq(matrix, right, rcond=1e-12)[0], float)


# Of columns of unit length: larger weights cancel each other to the last digits.
_LARGEST = 1e9


@dataclass(frozen=True)
class Beam:
    """How wide a pursuit is."""

    n_terms: int = 5
    n_kept: int = 10  # sums from one term to the next
    n_same: int = 1  # of those that differ by the starts of their rates only
    same_rate: float = 0.4  # rates this close, relatively, are shared
    most_constants: float = math.inf  # of a sum, rates included


def pursue(
    dictionary: Dictionary, data: WeightedRows, beam: Beam, base: Sequence[Summand] = ()
) -> Iterator[SparseSum]:
    """Grow sums term by term from a base; the best two of each size are yielded.

    What was picked first may be wrong: at every size terms are exchanged.
    """
    nothing = np.zeros((len(data.y), 0))
    start = SparseSum((), data.y, nothing, nothing)
    if base:
        grown = fitted(base, data)
        if grown is None:
            return
        start = grown
    total = float(data.y @ data.y)
    sums = [start]
    for _ in range(beam.n_terms):
        sums = _grown(sums, dictionary, data, beam)
        sums = _exchanged(sums, len(base), dictionary, data, beam)
        yield from sums[:2]
        if not sums or sums[0].sse < 1e-20 * total:
            return


# Times that terms are exchanged at most, and by how much what is left must fall.
_N_EXCHANGES = 4
_N_EXCHANGED = 4
_LESS_LEFT = 0.98


def _exchanged(
    sums: list[SparseSum],
    n_base: int,
    dictionary: Dictionary,
    data: WeightedRows,
    beam: Beam,
) -> list[SparseSum]:
    """The sums, and the best two with one term exchanged for another."""
    for _ in range(_N_EXCHANGES):
        shorter = [
            fitted((*one.terms[:k], *one.terms[k + 1 :]), data)
            for one in sums[:2]
            for k in range(n_base, len(one.terms))
            if len(one.terms) > n_base + 1
        ]
        few = replace(beam, n_kept=_N_EXCHANGED)  # only the best would be kept
        others = _grown([one for one in shorter if one], dictionary, data, few)
        if not others or others[0].sse > _LESS_LEFT * sums[0].sse:
            break
        sums = sorted([*others, *sums], key=lambda one: one.sse)[: beam.n_kept]
    return sums


def _grown(
    sums: Sequence[SparseSum], dictionary: Dictionary, data: WeightedRows, beam: Beam
) -> list[SparseSum]:
    """The best sums with one term more."""
    options = sorted(_options(sums, dictionary, 6 * beam.n_kept))
    found: list[SparseSum] = []
    seen: dict[object, int] = {}
    for _, place, k in options:
        terms = _with_term(sums[place].terms, dictionary.terms[k], beam.same_rate)
        n_constants = len(terms) + len(rates_of(terms))
        if len(set(terms)) < len(terms) or n_constants > beam.most_constants:
            continue
        key = frozenset(_without_rates(term) for term in terms)
        if seen.get(key, 0) >= beam.n_same:
            continue
        seen[key] = seen.get(key, 0) + 1
        n_steps = 4 if len(rates_of(terms)) < 2 else 10
        grown = fitted(terms, data, sums[place], n_steps)
        if grown is not None and math.isfinite(grown.sse):
            found.append(grown)
        if len(found) == beam.n_kept * (1 + beam.n_same):
            break
    return sorted(found, key=lambda one: one.sse)[: beam.n_kept]


def _options(
    sums: Sequence[SparseSum], dictionary: Dictionary, n_each: int
) -> Iterator[tuple[float, int, int]]:
    """What would be left, of which sum, with which term; the best of each sum."""
    columns = dictionary.columns
    for place, one in enumerate(sums):
        gain = (columns @ one.left.astype(np.float32)) ** 2
        if one.basis.shape[1]:
            inside = columns @ one.basis.astype(np.float32)
            outside = 1.0 - np.einsum("kp,kp->k", inside, inside)
            gain = np.where(outside > 1e-5, gain / np.maximum(outside, 1e-5), 0.0)
        n = min(n_each, len(gain))
        for k in np.argpartition(-gain, n - 1)[:n].tolist():
            yield one.sse - float(gain[k]), place, k


def _with_term(
    terms: Sequence[Summand], new: Summand, same: float
) -> tuple[Summand, ...]:
    """A term more, with rates that are there already where they are close."""
    present = rates_of(terms)
    atoms = []
    for atom in new.atoms:
        for other in present:
            alike = _shared(replace(other, rate=atom.rate)) == _shared(atom)
            if alike and abs(other.rate - atom.rate) < same * abs(atom.rate):
                atom = replace(atom, rate=other.rate)
                break
        atoms.append(atom)
    return (*terms, replace(new, atoms=tuple(atoms)))


def _without_rates(term: Summand) -> Summand:
    return replace(term, atoms=tuple(replace(a, rate=0.0) for a in term.atoms))
