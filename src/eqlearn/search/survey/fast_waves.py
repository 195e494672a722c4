"""Waves of any frequency that the rows can tell, by a periodogram along every input.

Rows are rarely even, and a wave may stand on a trend, swell, or run along a product or
a quotient of inputs. So the gain of a sine and cosine, perhaps times an input, is
worked out at every frequency at once, beside a trend and the waves found before.
"""

import itertools
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import fdtrc

from eqlearn._types import Array
from eqlearn.equation.refine.criterion import Scored
from eqlearn.equation.refine.prune import prune_in_stages
from eqlearn.network.canonical import canonical
from eqlearn.network.draft import Draft
from eqlearn.network.graph import CONSTANT, Graph, Linear
from eqlearn.search.attempts.input_views import View
from eqlearn.search.attempts.monomials import (
    ONE,
    Exponents,
    monomial_fraction,
    product,
    weighted_sum,
)
from eqlearn.search.survey.dictionaries import monomials
from eqlearn.search.task import Task
from eqlearn.training.samples import Samples

# Rows that frequencies are told from: a matrix of this size is made for each argument.
_N_ROWS = 400
# Periods over the range of an argument, in shares of the rows.
_MOST_PERIODS = 1.1
# Steps of the scan to a period over the range.
_STEPS = 4
_MOST_WAVES = 4
# Chance above which a wave is taken for noise.
_CHANCE = 1e-4
# Inputs beyond which products and quotients are too many.
_MOST_INPUTS = 5


class FastWave(NamedTuple):
    """A sine and cosine of rate · argument, times a factor."""

    won: float  # of the squared error
    of: Exponents
    rate: float
    factor: int  # which input; CONSTANT if none


def fast_waves(view: View, task: Task) -> Iterator[Scored]:
    """A trend and as many waves as chance cannot explain, pruned."""
    seen, data = view.of(task), task.search_rows()
    rows = seen.search_rows().first(_N_ROWS)
    if not 1 <= len(rows.x) <= _MOST_INPUTS:
        return
    waves: list[FastWave] = []
    trend = _trend(rows.x) * rows.root_weight
    for _ in range(_MOST_WAVES):
        basis, _ = np.linalg.qr(np.concatenate([trend, _columns(waves, rows)]).T)
        weighted = rows.y[0] * rows.root_weight
        left = weighted - basis @ (basis.T @ weighted)
        best = _best_wave(rows, left, basis)
        if best is None:
            break
        waves.append(_tuned(best, waves, trend, rows))
    if waves:
        graph = view.composed(_graph(waves, rows), len(data.x))
        yield prune_in_stages(canonical(graph, data.x), data, task.tactics)


def _trend(x: Array) -> Array:
    """A constant, every input and its square, around the middle of the data."""
    centred = (x - x.mean(axis=1, keepdims=True)) / (x.std(axis=1, keepdims=True))
    return np.concatenate([np.ones((1, x.shape[1])), centred, centred**2])


def _arguments(x: Array) -> list[Exponents]:
    """Every input, and the products and quotients of two."""
    n = len(x)
    plain = [tuple(float(i == j) for j in range(n)) for i in range(n)]
    found: list[Exponents] = list(plain)
    for i, j in itertools.combinations(range(n), 2):
        for powers in ((1.0, 1.0), (1.0, -1.0), (-1.0, 1.0)):
            e = [0.0] * n
            e[i], e[j] = powers
            below = [k for k, power in enumerate(e) if power < 0]
            if all(np.abs(x[k]).min() > 0.02 * np.abs(x[k]).max() for k in below):
                found.append(tuple(e))
    return found


def _factors(x: Array) -> list[tuple[int, Array]]:
    return [(CONSTANT, np.ones(x.shape[1])), *enumerate(x)]


def _best_wave(rows: Samples, left: Array, basis: Array) -> FastWave | None:
    """The wave that explains most of what is left, unless noise would as well."""
    n, total = len(left), float(left @ left)
    found: list[FastWave] = []
    n_looked = 0
    for of in _arguments(rows.x):
        argument = monomials(rows.x, [of])[0]
        spread = float(np.ptp(argument))
        if not 0.0 < spread < 300 * float(np.median(np.abs(argument))) + 1e-300:
            continue
        n_steps = int(_STEPS * _MOST_PERIODS * n)
        rates = 2 * math.pi / spread / _STEPS * np.arange(_STEPS // 2, n_steps)
        angle = np.outer(rates, argument - argument.mean()).astype(np.float32)
        cos, sin = np.cos(angle), np.sin(angle)
        for factor, values in _factors(rows.x):
            won = _won(cos, sin, values * rows.root_weight, left, basis)
            k = int(np.argmax(won))
            found.append(FastWave(float(won[k]), of, float(rates[k]), factor))
            n_looked += len(rates) // _STEPS
    best = max(found, default=None)
    if best is None:
        return None
    n_free = max(n - basis.shape[1] - 3, 1)
    ratio = best.won / 2 / (max(total - best.won, 1e-300 + 1e-12 * total) / n_free)
    chance = n_looked * float(fdtrc(2, n_free, ratio))
    return best if chance < _CHANCE and total > 1e-18 * n else None


def _won(cos: Array, sin: Array, factor: Array, left: Array, basis: Array) -> Array:
    """What a sine and cosine explain together at each frequency, beside a basis."""
    single = np.float32
    c, s = cos * factor.astype(single), sin * factor.astype(single)
    b, r = basis.astype(single), left.astype(single)
    cb, sb = c @ b, s @ b
    cc = np.einsum("kn,kn->k", c, c) - np.einsum("kp,kp->k", cb, cb)
    ss = np.einsum("kn,kn->k", s, s) - np.einsum("kp,kp->k", sb, sb)
    cs = np.einsum("kn,kn->k", c, s) - np.einsum("kp,kp->k", cb, sb)
    a, z = c @ r, s @ r
    determinant = cc * ss - cs * cs
    # Two columns that say the same, or nothing beside the basis, explain nothing.
    told = determinant > 1e-3 * len(factor) ** 2 * float(np.mean(factor**2)) ** 2
    won = (ss * a * a - 2 * cs * a * z + cc * z * z) / np.where(told, determinant, 1.0)
    return np.where(told, won, 0.0).astype(float)


def _columns(waves: list[FastWave], rows: Samples) -> Array:
    """The sines and cosines of waves, weighted, (2 · waves, N)."""
    columns = []
    for wave in waves:
        argument = monomials(rows.x, [wave.of])[0]
        factor = 1.0 if wave.factor == CONSTANT else rows.x[wave.factor]
        angle = wave.rate * (argument - argument.mean())
        columns += [np.cos(angle) * factor, np.sin(angle) * factor]
    found = np.array(columns).reshape(2 * len(waves), rows.x.shape[1])
    return found * rows.root_weight


def _tuned(
    wave: FastWave, others: list[FastWave], trend: Array, rows: Samples
) -> FastWave:
    """The rate to a small part of a step: around it, finer and finer."""
    spread = float(np.ptp(monomials(rows.x, [wave.of])[0]))
    step = 2 * math.pi / spread / _STEPS
    weighted = rows.y[0] * rows.root_weight
    beside = np.concatenate([trend, _columns(others, rows)])

    def error(rate: float) -> float:
        columns = np.concatenate([beside, _columns([wave._replace(rate=rate)], rows)])
        basis, _ = np.linalg.qr(columns.T)
        left = weighted - basis @ (basis.T @ weighted)
        return float(left @ left)

    rate = wave.rate
    for _ in range(4):
        around = rate + step * np.linspace(-1.0, 1.0, 9)
        rate = float(min(around, key=error))
        step /= 4
    return wave._replace(rate=rate)


def _graph(waves: list[FastWave], rows: Samples) -> Graph:
    """A trend and waves as a formula, with the weights that fit best."""
    n = len(rows.x)
    draft = Draft(Graph(n, (), ()))
    features: list[Linear] = [ONE, *({i: 1.0} for i in range(n))]
    features += [product(draft, [{i: 1.0}, {i: 1.0}]) for i in range(n)]
    columns = [np.ones(rows.x.shape[1]), *rows.x, *rows.x**2]
    for wave in waves:
        above, below = monomial_fraction(draft, wave.of)
        if below != ONE:
            above = {draft.add("divide", above, below): 1.0}
        middle = wave.rate * float(monomials(rows.x, [wave.of])[0].mean())
        argument = {s: wave.rate * w for s, w in above.items()}
        factor: Linear = ONE if wave.factor == CONSTANT else {wave.factor: 1.0}
        for unit in ("cos", "sin"):
            feature = {draft.add(unit, {**argument, CONSTANT: -middle}): 1.0}
            features.append(product(draft, [feature, factor]))
    matrix = np.concatenate(
        [np.array(columns) * rows.root_weight, _columns(waves, rows)]
    )
    size = np.linalg.norm(matrix, axis=1)
    scaled = (matrix / size[:, None]).T
    weighted = rows.y[0] * rows.root_weight
    weights = np.linalg.lstsq(scaled, weighted, rcond=1e-13)[0] / size
    return weighted_sum(draft, features, weights)
