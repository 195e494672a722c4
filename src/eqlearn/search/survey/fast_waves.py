"""Waves of any frequency that the rows can tell, by a periodogram along every input.

Rows are rarely even, and a wave may stand on a trend, swell, run along a product or a
quotient of inputs, or travel, as sin(k x - w t) does. So the gain of a sine and cosine,
perhaps times an input, is worked out at every frequency at once, beside a trend and the
waves found before; of travelling ones at every pair of frequencies.
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
# Periods of a travelling wave over the range of each of its inputs.
_MOST_TRAVELLED = 40
# Chance above which a wave is taken for noise.
_CHANCE = 1e-4
# Inputs beyond which products and quotients are too many.
_MOST_INPUTS = 5


class FastWave(NamedTuple):
    """A sine and cosine of a sum of rate · argument, times a factor."""

    won: float  # of the squared error
    turns: tuple[tuple[Exponents, float], ...]  # arguments and their rates
    factor: int  # which input; CONSTANT if none

    def angle(self, x: Array) -> Array:
        """What the sine and cosine are of, from the middle of the data."""
        angle = np.zeros(x.shape[1])
        for of, rate in self.turns:
            argument = monomials(x, [of])[0]
            angle += rate * (argument - argument.mean())
        return angle

    def at_rate(self, k: int, rate: float) -> "FastWave":
        """The wave with one of its rates set."""
        turns = list(self.turns)
        turns[k] = turns[k][0], rate
        return self._replace(turns=tuple(turns))


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
    looked = [*_along(rows, left, basis), *_travelling(rows, left, basis)]
    best = max((wave for wave, _ in looked), default=None)
    if best is None:
        return None
    n_free = max(n - basis.shape[1] - 3, 1)
    ratio = best.won / 2 / (max(total - best.won, 1e-300 + 1e-12 * total) / n_free)
    chance = sum(number for _, number in looked) * float(fdtrc(2, n_free, ratio))
    return best if chance < _CHANCE and total > 1e-18 * n else None


def _along(rows: Samples, left: Array, basis: Array) -> Iterator[tuple[FastWave, int]]:
    """The best wave along each argument, and of how many."""
    for of in _arguments(rows.x):
        argument = monomials(rows.x, [of])[0]
        spread = float(np.ptp(argument))
        if not 0.0 < spread < 300 * float(np.median(np.abs(argument))) + 1e-300:
            continue
        n_steps = int(_STEPS * _MOST_PERIODS * len(left))
        rates = 2 * math.pi / spread / _STEPS * np.arange(_STEPS // 2, n_steps)
        angle = np.outer(rates, argument - argument.mean()).astype(np.float32)
        cos, sin = np.cos(angle), np.sin(angle)
        for factor, values in _factors(rows.x):
            won = _won(cos, sin, values * rows.root_weight, left, basis)
            k = int(np.argmax(won))
            turns = ((of, float(rates[k])),)
            yield FastWave(float(won[k]), turns, factor), len(rates) // _STEPS


def _travelling(
    rows: Samples, left: Array, basis: Array
) -> Iterator[tuple[FastWave, int]]:
    """The best wave that runs along two inputs at once, and of how many.

    Its phase is a sum, so what it would explain at all pairs of rates is a product of
    two matrices; beside the basis it is worked out for the best pair only.
    """
    n = len(rows.x)
    plain: list[Exponents] = [tuple(float(i == j) for j in range(n)) for i in range(n)]
    spreads = np.ptp(rows.x, axis=1)
    steps = np.arange(2, 2 * _MOST_TRAVELLED)  # half periods
    for i, j in itertools.combinations(np.flatnonzero(spreads > 0).tolist(), 2):
        x = rows.x[[i, j]] - rows.x[[i, j]].mean(axis=1, keepdims=True)
        rates = math.pi * steps / spreads[[i, j], None]
        first = np.exp(1j * np.outer(rates[0], x[0])).astype(np.complex64)
        second = np.exp(1j * np.outer(np.r_[-rates[1], rates[1]], x[1]))
        turning = second.astype(np.complex64).T
        for factor, values in _factors(rows.x):
            beside = values * rows.root_weight
            explained = np.abs((first * (beside * left).astype(np.float32)) @ turning)
            k, m = divmod(int(np.argmax(explained)), 2 * len(steps))
            pair = float(rates[0, k]), float(np.r_[-rates[1], rates[1]][m])
            turns = (plain[i], pair[0]), (plain[j], pair[1])
            wave = FastWave(0.0, turns, factor)
            angle = wave.angle(rows.x)[None].astype(np.float32)
            won = _won(np.cos(angle), np.sin(angle), beside, left, basis)
            yield wave._replace(won=float(won[0])), explained.size // 4


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
        factor = 1.0 if wave.factor == CONSTANT else rows.x[wave.factor]
        angle = wave.angle(rows.x)
        columns += [np.cos(angle) * factor, np.sin(angle) * factor]
    found = np.array(columns).reshape(2 * len(waves), rows.x.shape[1])
    return found * rows.root_weight


def _tuned(
    wave: FastWave, others: list[FastWave], trend: Array, rows: Samples
) -> FastWave:
    """Each rate to a small part of a step: around it, finer and finer."""
    weighted = rows.y[0] * rows.root_weight
    beside = np.concatenate([trend, _columns(others, rows)])

    def error(one: FastWave) -> float:
        columns = np.concatenate([beside, _columns([one], rows)])
        basis, _ = np.linalg.qr(columns.T)
        left = weighted - basis @ (basis.T @ weighted)
        return float(left @ left)

    # A travelling wave was looked for in steps twice as wide.
    steps = _STEPS / len(wave.turns)
    widths = [
        2 * math.pi / float(np.ptp(monomials(rows.x, [of])[0])) / steps
        for of, _ in wave.turns
    ]
    for finer in (1.0, 4.0, 16.0, 64.0):
        for k, width in enumerate(widths):
            around = wave.turns[k][1] + width / finer * np.linspace(-1.0, 1.0, 9)
            wave = min((wave.at_rate(k, float(rate)) for rate in around), key=error)
    return wave


def _graph(waves: list[FastWave], rows: Samples) -> Graph:
    """A trend and waves as a formula, with the weights that fit best."""
    n = len(rows.x)
    draft = Draft(Graph(n, (), ()))
    features: list[Linear] = [ONE, *({i: 1.0} for i in range(n))]
    features += [product(draft, [{i: 1.0}, {i: 1.0}]) for i in range(n)]
    columns = [np.ones(rows.x.shape[1]), *rows.x, *rows.x**2]
    for wave in waves:
        argument = _argument(draft, wave, rows)
        factor: Linear = ONE if wave.factor == CONSTANT else {wave.factor: 1.0}
        for unit in ("cos", "sin"):
            feature = {draft.add(unit, argument): 1.0}
            features.append(product(draft, [feature, factor]))
    matrix = np.concatenate(
        [np.array(columns) * rows.root_weight, _columns(waves, rows)]
    )
    size = np.linalg.norm(matrix, axis=1)
    scaled = (matrix / size[:, None]).T
    weighted = rows.y[0] * rows.root_weight
    weights = np.linalg.lstsq(scaled, weighted, rcond=1e-13)[0] / size
    return weighted_sum(draft, features, weights)


def _argument(draft: Draft, wave: FastWave, rows: Samples) -> Linear:
    """The angle of a wave as a feature."""
    argument: dict[int, float] = {CONSTANT: 0.0}
    for of, rate in wave.turns:
        above, below = monomial_fraction(draft, of)
        if below != ONE:
            above = {draft.add("divide", above, below): 1.0}
        argument |= {s: rate * w for s, w in above.items()}
        argument[CONSTANT] -= rate * float(monomials(rows.x, [of])[0].mean())
    return argument
