"""Curves of one variable that people know by name: alone, on a level or on a slope.

Bells, steps, saturation, damped waves: each has a place and a width, or a rate and a
power, inside. On a grid of these the rest is linear; the best starts are then fitted.
"""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.refine.criterion import Scored
from eqlearn.equation.refine.prune import prune_in_stages
from eqlearn.network.canonical import canonical
from eqlearn.network.draft import Draft
from eqlearn.network.graph import CONSTANT, COSINE, Graph, Linear
from eqlearn.search.attempts.input_views import View
from eqlearn.search.attempts.monomials import ONE, weighted_sum
from eqlearn.search.attempts.simple_powers import with_simple_powers
from eqlearn.search.task import Task
from eqlearn.training.levenberg import fit
from eqlearn.training.samples import Samples

# Rows that the grid is scanned on.
_N_ROWS = 300
# Starts that are kept once each is fitted: a grid says little of what a fit will leave.
_N_KEPT = 3
_N_ITERATIONS = 100
# What a slope beside a curve leaves, of what is left without: if more, none is tried.
_SLOPE = 0.7
# The same of a further curve of the kind: there are several peaks in a spectrum.
_SECOND = 0.5
_MOST_PEAKS = 3
_PEAKS = frozenset({"bell", "resonance"})
# Places, in ranges of the variable from its least value, and widths, in ranges.
_PLACES = np.linspace(-0.2, 1.2, 15)
_WIDTHS = np.geomspace(0.03, 1.5, 9)
# Sizes at which a curve bends, in largest values, and powers, the simple ones too.
_SIZES = np.geomspace(0.01, 5.0, 20)
_POWERS = np.r_[0.25:3.1:0.25, 3.5:6.1:0.5]
_PERIODS = np.arange(0.5, 40.0, 0.2)
_FADING = np.array([-1.0, 0.1, 0.2, 0.4, 0.8, 2.0])

#: Two numbers inside of a curve.
Inside = tuple[float, float]
Features = tuple[Linear, ...]


class Curve(NamedTuple):
    """What varies with the two numbers inside: values, and features of a formula."""

    values: Callable[[Array, Array, Array], tuple[Array, ...]]
    features: Callable[[Draft, float, float], Features]
    grid: Callable[[Array], tuple[Array, Array]]
    of_positive: bool = False


_X: Linear = {0: 1.0}


def _by_place(x: Array) -> tuple[Array, Array]:
    spread = float(np.ptp(x))
    return float(x.min()) + spread * _PLACES, spread * _WIDTHS


def _by_peak(x: Array) -> tuple[Array, Array]:
    """More places: a narrow peak beside another one is missed between them."""
    spread = float(np.ptp(x))
    places = np.linspace(_PLACES[0], _PLACES[-1], 4 * len(_PLACES))
    return float(x.min()) + spread * places, spread * _WIDTHS


def _by_size(x: Array) -> tuple[Array, Array]:
    return float(x.max()) * _SIZES, _POWERS


def _by_sweep(x: Array) -> tuple[Array, Array]:
    reach = float(np.abs(x).max())
    turns = 2 * math.pi * np.arange(0.35, 15.0, 0.35)
    return turns / reach, np.r_[-turns, turns] / reach**2


def _by_fading(x: Array) -> tuple[Array, Array]:
    spread = float(np.ptp(x))
    return 2 * math.pi * _PERIODS / spread, spread * _FADING


def _by_shift(x: Array) -> tuple[Array, Array]:
    shifts = float(np.ptp(x)) * np.geomspace(0.02, 3.0, 8) - float(x.min())
    return shifts, np.r_[-_POWERS[::2], _POWERS[::2]]


def _centred(draft: Draft, place: float, width: float) -> Linear:
    del draft
    return {0: 1.0 / width, CONSTANT: -place / width}


def _squared(draft: Draft, place: float, width: float) -> Linear:
    """((x - place) / width)²."""
    from_place: Linear = {0: 1.0, CONSTANT: -place}
    return {draft.add("multiply", from_place, from_place): width**-2.0}


def _power(draft: Draft, size: float, power: float) -> Linear:
    """(x / size)^power."""
    exponent = {draft.add("log", _X): power, CONSTANT: -power * math.log(size)}
    return {draft.add("exp", exponent): 1.0}


def _exp(draft: Draft, argument: Linear, factor: float = 1.0) -> Linear:
    return {draft.add("exp", {s: factor * w for s, w in argument.items()}): 1.0}


def _over_one_more(draft: Draft, argument: Linear) -> Linear:
    """1 / (1 + argument)."""
    constant = 1.0 + argument.get(CONSTANT, 0.0)
    return {draft.add("divide", ONE, {**argument, CONSTANT: constant}): 1.0}


def _chirp(draft: Draft, rate: float, sweep: float) -> Features:
    """Sine and cosine of rate x + sweep x²."""
    angle: Linear = {0: rate, draft.add("multiply", _X, _X): sweep}
    waves = draft.add("sin", angle), draft.add("sin", {**angle, CONSTANT: COSINE})
    return tuple({wave: 1.0} for wave in waves)


def _squared_log(draft: Draft, size: float, power: float) -> Linear:
    """(power log(x / size))²."""
    log: Linear = {draft.add("log", _X): 1.0, CONSTANT: -math.log(size)}
    return {draft.add("multiply", log, log): power**2}


def _rise(draft: Draft, place: float, width: float) -> Linear:
    """1 - exp(-(x - place) / width)."""
    (fall,) = _exp(draft, _centred(draft, place, width), -1.0)
    return {fall: -1.0, CONSTANT: 1.0}


def _cubed(draft: Draft, factor: Linear) -> Linear:
    square = draft.add("multiply", factor, factor)
    return {draft.add("multiply", {square: 1.0}, factor): 1.0}


def _power_of_rise(draft: Draft, size: float, power: float) -> Linear:
    """(1 - exp(-x / size))^power."""
    log = draft.add("log", _rise(draft, 0.0, size))
    return _exp(draft, {log: power})


def _pulse(draft: Draft, place: float, width: float) -> Linear:
    """tanh(z)², z = (x - place) / width: what 1/cosh(z)² is beside an offset."""
    bend: Linear = {draft.add("tanh", _centred(draft, place, width)): 1.0}
    return {draft.add("multiply", bend, bend): 1.0}


def _fading_wave(draft: Draft, rate: float, fading: float) -> Features:
    fall = _exp(draft, {0: -1.0 / fading})
    angle: Linear = {0: rate}
    waves = (draft.add("sin", angle), draft.add("cos", angle))
    return tuple({draft.add("multiply", fall, {wave: 1.0}): 1.0} for wave in waves)


def _power_and_fall(draft: Draft, size: float, power: float) -> Linear:
    """(x / size)^power exp(-x / size)."""
    log, constant = draft.add("log", _X), -power * math.log(size)
    return _exp(draft, {log: power, 0: -1.0 / size, CONSTANT: constant})


def _langevin(draft: Draft, size: float, _: float) -> Linear:
    """coth(z) - 1/z, z = x / size."""
    z: Linear = {0: 1.0 / size}
    bend = draft.add("divide", ONE, {draft.add("tanh", z): 1.0})
    return {bend: 1.0, draft.add("divide", ONE, z): -1.0}


def _planck(draft: Draft, size: float, power: float) -> Linear:
    """(x / size)^power / (exp(x / size) - 1)."""
    above = _power(draft, size, power)
    below = {**_exp(draft, {0: 1.0 / size}), CONSTANT: -1.0}
    return {draft.add("divide", above, below): 1.0}


def _power_and_barrier(draft: Draft, size: float, power: float) -> Linear:
    """(x / size)^power exp(-size / x)."""
    log, constant = draft.add("log", _X), -power * math.log(size)
    barrier = draft.add("divide", ONE, _X)
    return _exp(draft, {log: power, barrier: -size, CONSTANT: constant})


def _planck_of_length(draft: Draft, size: float, power: float) -> Linear:
    """(size / x)^power / (exp(size / x) - 1)."""
    above = _power(draft, size, -power)
    below = _exp(draft, {draft.add("divide", ONE, _X): size})
    return {draft.add("divide", above, {**below, CONSTANT: -1.0}): 1.0}


def _ramp(draft: Draft, place: float, width: float) -> Linear:
    """A ramp: z / (1 - exp(-z)), z = (x - place) / width."""
    z = _centred(draft, place, width)
    (exponential,) = _exp(draft, z, -1.0)
    return {draft.add("divide", z, {CONSTANT: 1.0, exponential: -1.0}): 1.0}


def _soft_ramp(draft: Draft, place: float, width: float) -> Linear:
    """log(1 + exp(z)), z = (x - place) / width."""
    inner = {**_exp(draft, _centred(draft, place, width)), CONSTANT: 1.0}
    return {draft.add("log", inner): 1.0}


_CURVES: dict[str, Curve] = {
    "bell": Curve(
        lambda x, c, w: (np.exp(-(((x - c) / w) ** 2)),),
        lambda d, c, w: (_exp(d, _squared(d, c, w), -1.0),),
        _by_peak,
    ),
    "resonance": Curve(
        lambda x, c, w: (1 / (1 + ((x - c) / w) ** 2),),
        lambda d, c, w: (_over_one_more(d, _squared(d, c, w)),),
        _by_peak,
    ),
    "step": Curve(
        lambda x, c, w: (1 / (1 + np.exp(-(x - c) / w)),),
        lambda d, c, w: (_over_one_more(d, _exp(d, _centred(d, c, w), -1.0)),),
        _by_place,
    ),
    "Gompertz": Curve(
        lambda x, c, w: (np.exp(-np.exp(-(x - c) / w)),),
        lambda d, c, w: (_exp(d, _exp(d, _centred(d, c, w), -1.0), -1.0),),
        _by_place,
    ),
    "ramp": Curve(
        lambda x, c, w: ((x - c) / w / -np.expm1(-(x - c) / w),),
        lambda d, c, w: (_ramp(d, c, w),),
        _by_place,
    ),
    "soft ramp": Curve(
        lambda x, c, w: (np.logaddexp(0.0, (x - c) / w),),
        lambda d, c, w: (_soft_ramp(d, c, w),),
        _by_place,
    ),
    "arc": Curve(
        lambda x, c, w: (np.arctan((x - c) / w),),
        lambda d, c, w: ({d.add("atan", _centred(d, c, w)): 1.0},),
        _by_place,
    ),
    "hyperbola": Curve(
        lambda x, c, w: (np.sqrt(1 + ((x - c) / w) ** 2),),
        lambda d, c, w: ({d.add("sqrt", {**_squared(d, c, w), CONSTANT: 1.0}): 1.0},),
        _by_place,
    ),
    "pulse": Curve(
        lambda x, c, w: (np.tanh((x - c) / w) ** 2,),
        lambda d, c, w: (_pulse(d, c, w),),
        _by_place,
    ),
    "cubed rise": Curve(
        lambda x, c, w: ((-np.expm1(-(x - c) / w)) ** 3,),
        lambda d, c, w: (_cubed(d, _rise(d, c, w)),),
        _by_place,
    ),
    "power of a rise": Curve(
        lambda x, s, p: ((-np.expm1(-x / s)) ** p,),
        lambda d, s, p: (_power_of_rise(d, s, p),),
        _by_size,
        of_positive=True,
    ),
    "bell of a logarithm": Curve(
        lambda x, s, p: (np.exp(-((p * np.log(x / s)) ** 2)),),
        lambda d, s, p: (_exp(d, _squared_log(d, s, p), -1.0),),
        _by_size,
        of_positive=True,
    ),
    "stretched": Curve(
        lambda x, s, p: (np.exp(-((x / s) ** p)),),
        lambda d, s, p: (_exp(d, _power(d, s, p), -1.0),),
        _by_size,
        of_positive=True,
    ),
    "Hill": Curve(
        lambda x, s, p: (1 / (1 + (x / s) ** p),),
        lambda d, s, p: (_over_one_more(d, _power(d, s, p)),),
        _by_size,
        of_positive=True,
    ),
    "power and fall": Curve(
        lambda x, s, p: (np.exp(p * np.log(x / s) - x / s),),
        lambda d, s, p: (_power_and_fall(d, s, p),),
        _by_size,
        of_positive=True,
    ),
    "Planck": Curve(
        lambda x, s, p: ((x / s) ** p / np.expm1(x / s),),
        lambda d, s, p: (_planck(d, s, p),),
        _by_size,
        of_positive=True,
    ),
    "power and barrier": Curve(
        lambda x, s, p: (np.exp(p * np.log(x / s) - s / x),),
        lambda d, s, p: (_power_and_barrier(d, s, p),),
        lambda x: (float(x.max()) * _SIZES, np.r_[-_POWERS, 0.0, _POWERS]),
        of_positive=True,
    ),
    "Planck of a length": Curve(
        lambda x, s, p: ((s / x) ** p / np.expm1(s / x),),
        lambda d, s, p: (_planck_of_length(d, s, p),),
        _by_size,
        of_positive=True,
    ),
    "Langevin": Curve(
        lambda x, s, _: (1 / np.tanh(x / s) - s / x,),
        lambda d, s, _: (_langevin(d, s, _),),
        lambda x: (float(x.max()) * _SIZES, np.ones(1)),
        of_positive=True,
    ),
    "shifted power": Curve(
        lambda x, c, p: ((x + c) ** p,),
        lambda d, c, p: (_exp(d, {d.add("log", {0: 1.0, CONSTANT: c}): p}),),
        _by_shift,
    ),
    "chirp": Curve(
        lambda x, w, s: (np.sin(w * x + s * x**2), np.cos(w * x + s * x**2)),
        _chirp,
        _by_sweep,
    ),
    "fading wave": Curve(
        lambda x, w, s: (
            np.exp(-x / s) * np.sin(w * x),
            np.exp(-x / s) * np.cos(w * x),
        ),
        _fading_wave,
        _by_fading,
    ),
}


class Start(NamedTuple):
    """A place of the grid, and what the best weights leave there."""

    left: float
    name: str
    inside: Inside
    n_beside: int = 1  # 1 is a level, 2 a level and a slope
    more: tuple[Inside, ...] = ()  # of further such curves


def curves(view: View, task: Task) -> Iterator[Scored]:
    """Curves of the one variable that is seen, those that leave least first."""
    seen, data = view.of(task), task.search_rows()
    if seen.x.shape[1] != 1:
        return
    rows = seen.search_rows().first(_N_ROWS)
    fits = []
    for start in sorted(_starts(rows)):
        graph = canonical(view.composed(_graph(start, rows), len(data.x)), data.x)
        fits.append(fit(graph, data, n_iterations=_N_ITERATIONS))
    for one in sorted(fits, key=lambda one: one.sse)[:_N_KEPT]:
        found = prune_in_stages(one.graph, data, task.tactics)
        yield with_simple_powers(found, data, task.tactics)


def _starts(rows: Samples) -> Iterator[Start]:
    """The best places of each grid, and of what may stand beside the curve."""
    x = rows.x[0]
    for name, curve in _CURVES.items():
        if curve.of_positive and x.min() <= 0:
            continue
        first, second = (g.ravel() for g in np.meshgrid(*curve.grid(x), indexing="ij"))
        with np.errstate(all="ignore"):
            values = curve.values(x, first[:, None], second[:, None])
            columns = np.stack(values, axis=1)
            lefts = [(n, _left(columns, rows, n)) for n in (0, 1, 2)]
        least = math.inf
        for n_beside, left in lefts:
            best = int(np.argmin(left))
            inside = float(first[best]), float(second[best])
            # A slope that says little only takes time.
            if left[best] < (_SLOPE * least if n_beside > 1 else math.inf):
                yield Start(float(left[best]), name, inside, n_beside)
                least = min(least, float(left[best]))
            if name in _PEAKS and math.isfinite(left[best]):
                places = list(zip(first.tolist(), second.tolist(), strict=True))
                start = Start(float(left[best]), name, inside, n_beside)
                yield from _with_more(start, best, places, columns, rows)


def _with_more(
    start: Start, best: int, places: list[Inside], columns: Array, rows: Samples
) -> Iterator[Start]:
    """The start with further curves of its kind, where these say much.

    Each time one is added, all are placed anew, one after the other.
    """
    chosen, least = [best], start.left
    while len(chosen) < _MOST_PEAKS:
        chosen.append(-1)
        for k in (*range(len(chosen))[::-1], *range(len(chosen))):
            others = [columns[i] for n, i in enumerate(chosen) if n != k and i >= 0]
            known = np.concatenate(others)
            left = _left(columns, rows, start.n_beside, known)
            chosen[k] = int(np.argmin(left))
        if not math.isfinite(left[chosen[k]]):
            return
        if left[chosen[k]] < _SECOND * least:
            least = float(left[chosen[k]])
            inside, *more = (places[i] for i in chosen)
            yield start._replace(left=least, inside=inside, more=tuple(more))


def _left(
    columns: Array, rows: Samples, n_beside: int, known: Array | None = None
) -> Array:
    """What the columns (K, m, N) leave of the target, squared, beside 1 and x.

    And beside columns (q, N) that are known.
    """
    root = rows.root_weight
    y, weighted = rows.y[0] * root, columns * root
    plain = np.array([np.ones_like(root), rows.x[0]])[:n_beside]
    plain = plain if known is None else np.concatenate([plain, known])
    for direction in np.linalg.qr((plain * root).T)[0].T:
        y = y - (y @ direction) * direction
        weighted = weighted - (weighted @ direction)[..., None] * direction
    weighted = weighted / np.linalg.norm(weighted, axis=2, keepdims=True)
    good = np.isfinite(weighted).all(axis=(1, 2))
    weighted = np.where(good[:, None, None], weighted, 0.0)
    gram = np.einsum("kmn,kln->kml", weighted, weighted)
    along = weighted @ y
    m = columns.shape[1]
    solved = np.linalg.solve(gram + 1e-9 * np.eye(m), along[..., None])[..., 0]
    left: Array = np.where(good, y @ y - np.sum(solved * along, axis=1), math.inf)
    return left


def _graph(start: Start, rows: Samples) -> Graph:
    """A curve and what stands beside it as a formula, with weights that fit best."""
    curve, draft = _CURVES[start.name], Draft(Graph(1, (), ()))
    features: Features = ()
    values: tuple[Array, ...] = ()
    for inside in (start.inside, *start.more):
        features += curve.features(draft, *inside)
        values += curve.values(rows.x[0], *(np.array([v]) for v in inside))
    n, x = start.n_beside, rows.x[0]
    features, values = (*(ONE, _X)[:n], *features), (*(np.ones_like(x), x)[:n], *values)
    columns = np.array(values) * rows.root_weight
    weights = np.linalg.lstsq(columns.T, rows.y[0] * rows.root_weight, rcond=1e-13)[0]
    return weighted_sum(draft, features, weights)
