"""Formulas whose part that depends on one input is another curve of it.

Over a short way one curve imitates another: a saturation a tanh, a parabola a decay. A
part is all that stands beside the same factor and depends on one input alone, whatever
it is made of.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy.optimize import minimize_scalar

from eqlearn._types import Array
from eqlearn.dynamics.candidates.grounds import Grounds
from eqlearn.dynamics.candidates.reshaping import (
    Powers,
    put_monomial,
    with_natural_angles,
)
from eqlearn.equation.refine.rewrites import factors_of, monomial
from eqlearn.network.canonical import canonical
from eqlearn.network.draft import Draft
from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.network.kernels import evaluate, tape

#: A criterion that nothing has; a search by parabolas cannot bear infinite ones.
_HOPELESS = 1e100
#: Points at which curves are laid over a part.
_N_POINTS = 200
#: Logarithms of a curve's scale, in medians of the input, that are looked at.
_SCALES = np.log(np.geomspace(0.1, 10.0, 9))
#: Off 1: a weight of an angle that was put in as it is.
_AS_IT_IS = 1e-9
#: What no curve's values reach: their squares would overflow.
_VAST = 1e100
#: Logarithms of a scale on either side within which the best is looked for.
_NEAR = 0.7
#: For each formula that is asked for, so many are looked at more closely.
_FINER = 3
#: Of an input's median: no curve has a pole nearer.
_AWAY = 0.05
#: A constant picked among curves and scales costs so much besides log N.
_PRICE = 4.0


class _Curve(NamedTuple):
    """A function of an input and a scale, as numbers and as units."""

    values: Callable[[Array, float], Array]
    put: Callable[[Draft, int, float], int]
    is_positive: bool = False  # whether the input must be
    has_scale: bool = True


@dataclass(frozen=True)
class _Part:
    """What stands beside a product of features and depends on one input."""

    source: int
    beside: tuple[int, ...]  # the factors, all of other inputs
    features: tuple[int, ...]  # of the numerator that the part is made of


@np.errstate(all="ignore")  # curves that are too steep are passed over
def exchanged(graph: Graph, grounds: Grounds, n: int) -> list[Graph]:
    """The formula with a part as another curve: the `n` that explain a course best."""
    found: list[_New] = []
    for part in _parts(graph):
        found += _with_curves(_laid_out(graph, part, grounds))
    found.sort(key=lambda new: new.criterion)
    finer = [_at_best_scale(new) for new in found[: _FINER * n]]
    finer.sort(key=lambda new: new.criterion)
    return [_put(graph, new) for new in finer[:n]]


def _parts(graph: Graph) -> Iterator[_Part]:
    """The parts that bend; of a fraction, all of it if it has no others."""
    above, below = graph.outputs[0]
    depends = _inputs_of_features(graph)
    under = frozenset(i for f in below for i in depends[f])
    groups: dict[tuple[int, tuple[int, ...]], list[int]] = {}
    bent = set()
    for feature in above:
        factors = _factors(graph, feature, depends)
        factors += [(CONSTANT, under)] if under else []
        for source in frozenset[int]().union(*(on for _, on in factors)):
            if all(on == {source} for _, on in factors if source in on):
                own = [f for f, on in factors if source in on]
                beside = tuple(sorted(f for f, on in factors if source not in on))
                groups.setdefault((source, beside), []).append(feature)
                bent |= {(source, beside)} if own != [source] else set()
    for (source, beside), features in groups.items():
        is_whole = {*features, CONSTANT} == {*above, CONSTANT}
        if (source, beside) in bent and (not under or is_whole):
            yield _Part(source, beside, tuple(features))


_Factor: TypeAlias = tuple[int, frozenset[int]]


def _factors(
    graph: Graph, feature: int, depends: dict[int, frozenset[int]]
) -> list[_Factor]:
    """The factors of a feature with the inputs of each; a divisor has no number."""
    found: list[_Factor] = []
    for factor in factors_of(graph, feature):
        node = (
            graph.nodes[factor - graph.n_inputs] if factor >= graph.n_inputs else None
        )
        if node is None or node.unit != "divide" or len(node.arguments[0]) > 1:
            found.append((factor, depends[factor]))
            continue
        (inner,), under = node.arguments[0], node.arguments[1]
        found += _factors(graph, inner, depends)
        on = frozenset(i for f in under for i in depends[f])
        found.append((CONSTANT, on))
    return found


def _inputs_of_features(graph: Graph) -> dict[int, frozenset[int]]:
    found: dict[int, frozenset[int]] = {CONSTANT: frozenset()}
    found |= {i: frozenset({i}) for i in range(graph.n_inputs)}
    for k, node in enumerate(graph.nodes):
        sources = [source for linear in node.arguments for source in linear]
        found[graph.n_inputs + k] = frozenset[int]().union(*(found[s] for s in sources))
    return found


class _Site(NamedTuple):
    """A part and what is around it, as numbers."""

    part: _Part
    rest: tuple[int, ...]  # other features of the numerator
    z: Array  # (N,)
    beside: Array  # (N,)
    whole: Array  # (N,) what the part adds
    grounds: Grounds
    effects: dict[int, Array]  # of the rest (R, K), and of what may be added


_REST = -2


def _laid_out(graph: Graph, part: _Part, grounds: Grounds) -> _Site:
    features = evaluate(graph, tape(graph), grounds.x.T).features
    (above, below), z = graph.outputs[0], grounds.x[:, part.source]
    beside = np.prod(features[list(part.beside)], axis=0) * np.ones(len(z))
    gone = {*part.features, *(() if part.beside else (CONSTANT,))}
    rest = tuple(source for source in above if source not in gone)
    divisor = sum(w * _values(f, features) for f, w in below.items())
    own = [above[f] * _values(f, features) for f in above if f in gone]
    whole: Array = np.sum(own, axis=0) / divisor
    columns = [_values(source, features) for source in rest]
    columns += [beside, beside * z]
    made = grounds.effects(np.stack(columns, axis=1))
    effects = {_REST: made[:, :-2], CONSTANT: made[:, -2:-1], part.source: made[:, -1:]}
    return _Site(part, rest, z, beside, whole, grounds, effects)


class _New(NamedTuple):
    """What may come into a part's place, and how well it explains a course."""

    site: _Site
    curve: _Curve
    scale: float
    extra: tuple[int, ...]  # a line besides: its constant, or the input
    criterion: float
    weights: Array


def _with_curves(site: _Site) -> Iterator[_New]:
    z = site.z
    some = np.linspace(0, len(z) - 1, min(_N_POINTS, len(z))).astype(int)
    for curve in _CURVES:
        if curve.is_positive and not np.all(z > _AWAY * _size(z)):
            continue
        ranked = []
        for extra in ((), (CONSTANT,), (site.part.source,)):
            also = [np.ones(len(z)) if e == CONSTANT else z for e in extra]
            lines = np.stack([np.zeros(len(z)), *also])[:, some]
            scale = _scale(curve, z[some], site.beside[some], lines, site.whole[some])
            ranked.append(_judged(site, curve, scale, extra))
        best = min(ranked, key=lambda new: new.criterion)
        if best.criterion < _HOPELESS:
            yield best


def _judged(site: _Site, curve: _Curve, scale: float, extra: tuple[int, ...]) -> _New:
    """How well a curve with the rest explains a course, and the weights of all."""
    values = site.beside * curve.values(site.z, scale)
    y, n = site.grounds.y, len(site.grounds.y)
    if not np.abs(values).max() < _VAST:
        return _New(site, curve, scale, extra, _HOPELESS, np.zeros(0))
    own = site.grounds.effects(values[:, None])
    A = np.hstack([site.effects[_REST], own, *(site.effects[e] for e in extra)])
    weights: Array = np.asarray(np.linalg.lstsq(A, y)[0])
    square = float(np.sum((y - A @ weights) ** 2)) / n + 1e-300
    n_constants = A.shape[1] + curve.has_scale
    criterion = n * np.log(square) + n_constants * (np.log(n) + _PRICE)
    return _New(site, curve, scale, extra, criterion, weights)


def _at_best_scale(new: _New) -> _New:
    """The same with the scale that explains the course itself best."""
    if not new.curve.has_scale:
        return new

    def at(log_factor: float) -> _New:
        scale = new.scale * float(np.exp(log_factor))
        return _judged(new.site, new.curve, scale, new.extra)

    options = {"maxiter": 10}
    solved: Any = minimize_scalar(
        lambda step: at(step).criterion,
        bounds=(-_NEAR, _NEAR),
        method="bounded",
        options=options,
    )
    return min(new, at(float(solved.x)), key=lambda one: one.criterion)


def _values(source: int, features: Array) -> Array:
    found: Array = (
        np.ones(features.shape[1]) if source == CONSTANT else features[source]
    )
    return found


def _size(z: Array) -> float:
    return float(np.median(np.abs(z))) + 1e-300


def _scale(curve: _Curve, z: Array, beside: Array, lines: Array, whole: Array) -> float:
    """The scale at which a curve, with some lines, is most like a part."""
    if not curve.has_scale:
        return 1.0
    size = _size(z)

    def left(log_scale: float) -> float:
        lines[0] = curve.values(z, size * float(np.exp(log_scale)))
        if not np.abs(lines).max() < _VAST:
            return _HOPELESS
        A = (lines * beside).T
        A = A / (np.linalg.norm(A, axis=0) + 1e-300)
        return float(np.linalg.norm(whole - A @ np.linalg.lstsq(A, whole)[0]))

    begin = min(_SCALES, key=left)
    ends = (begin - 0.6, begin + 0.6)
    options = {"maxiter": 8}
    solved: Any = minimize_scalar(left, bounds=ends, method="bounded", options=options)
    return size * float(np.exp(solved.x))


def _put(graph: Graph, new: _New) -> Graph:
    draft, (part, rest) = Draft(graph), new.site[:2]
    above = dict(zip(rest, map(float, new.weights), strict=False))
    made = [new.curve.put(draft, part.source, new.scale), *new.extra]
    beside = monomial(draft, list(part.beside))
    for feature, weight in zip(made, new.weights[len(rest) :], strict=True):
        if beside == CONSTANT or feature == CONSTANT:
            place = beside if feature == CONSTANT else feature
        else:
            place = draft.add("multiply", {beside: 1.0}, {feature: 1.0})
        above[place] = above.get(place, 0.0) + float(weight)
    draft.outputs[0] = (above, {CONSTANT: 1.0})
    found = draft.freeze()
    assert found is not None  # what is new uses only what stands before it
    plain = canonical(found, new.site.grounds.x.T)
    return plain if new.curve.has_scale else with_natural_angles(plain, _AS_IT_IS)


def _unary(unit: str, sign: float = 1.0) -> Callable[[Draft, int, float], int]:
    return lambda draft, i, scale: draft.add(unit, {i: sign / scale})


def _quotient(above: int, below: int) -> _Curve:
    """z^above / (scale^below + z^below)."""

    def put(draft: Draft, i: int, scale: float) -> int:
        made: dict[Powers, int] = {}
        power = put_monomial(draft, (i,) * above, made)
        under = put_monomial(draft, (i,) * below, made)
        return draft.add("divide", {power: 1.0}, {under: 1.0, CONSTANT: scale**below})

    def values(z: Array, scale: float) -> Array:
        found: Array = z**above / (scale**below + z**below)
        return found

    return _Curve(values, put, is_positive=below == 1)


def _power(n: int) -> _Curve:
    return _Curve(
        lambda z, scale: z**n,
        lambda draft, i, scale: put_monomial(draft, (i,) * n, {}),
        has_scale=False,
    )


def _damped(draft: Draft, i: int, scale: float) -> int:
    return draft.add("multiply", {i: 1.0}, {draft.add("exp", {i: -1.0 / scale}): 1.0})


_CURVES: tuple[_Curve, ...] = (
    # Of an angle as it is: with a constant, one of another scale imitates it.
    _Curve(lambda z, scale: np.sin(z), _unary("sin"), has_scale=False),
    _Curve(lambda z, scale: np.cos(z), _unary("cos"), has_scale=False),
    _Curve(lambda z, scale: np.sin(z / scale), _unary("sin")),
    _Curve(lambda z, scale: np.cos(z / scale), _unary("cos")),
    _Curve(lambda z, scale: np.tanh(z / scale), _unary("tanh")),
    _Curve(lambda z, scale: np.exp(z / scale), _unary("exp")),
    _Curve(lambda z, scale: np.exp(-z / scale), _unary("exp", -1.0)),
    _Curve(lambda z, scale: z * np.exp(-z / scale), _damped),
    _Curve(lambda z, scale: np.sqrt(z), _unary("sqrt"), True, False),
    _Curve(lambda z, scale: np.log(z), _unary("log"), True, False),
    *(_quotient(0, 1), _quotient(1, 1), _quotient(0, 2), _quotient(1, 2)),
    *(_quotient(2, 2), _power(2), _power(3)),
)
