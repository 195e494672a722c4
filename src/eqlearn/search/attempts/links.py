"""Links: functions of the target under which a law is simpler than as it stands.

A law y = G(f) is the law f for T(y), where T undoes G. Errors of y become errors of
T(y) that differ from row to row, which weights make up for.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eqlearn._types import Array, Booleans
from eqlearn.network.canonical import substituted
from eqlearn.network.document import from_document, to_document
from eqlearn.network.draft import Draft
from eqlearn.network.graph import CONSTANT, Graph, Linear
from eqlearn.search.attempts.monomials import ONE, Quotient, product


@dataclass(frozen=True)
class Link:
    """T, its slope, the targets it is defined for, and G as units of a formula."""

    transform: Callable[[Array], Array]
    slope: Callable[[Array], Array]
    is_defined: Callable[[Array], Booleans]
    undone: Callable[[Draft, Quotient], Quotient]
    least_spread: float | None = None  # in the target's own unit; None: any will do
    fades: bool = False  # rows whose targets are next to zero hardly count

    @property
    def is_angle(self) -> bool:
        """Whether its targets are angles."""
        return self.least_spread == _LEAST_ARC

    @property
    def is_share(self) -> bool:
        """Whether its targets are between nothing and all, 0 and 1."""
        return self.least_spread == _LEAST_SHARE


def quotient(draft: Draft, fraction: Quotient, factor: float = 1.0) -> Linear:
    """A fraction as one feature, if it is not a plain sum."""
    above, below = fraction
    if below.keys() == {CONSTANT}:
        return {s: factor * w / below[CONSTANT] for s, w in above.items()}
    return {draft.add("divide", above, below): factor}


def _by(unit: str) -> Callable[[Draft, Quotient], Quotient]:
    def undone(draft: Draft, fraction: Quotient) -> Quotient:
        return {draft.add(unit, quotient(draft, fraction)): 1.0}, ONE

    return undone


def _turned(draft: Draft, fraction: Quotient) -> Quotient:
    del draft
    return fraction[1], fraction[0]


def _turned_root(draft: Draft, fraction: Quotient) -> Quotient:
    return _by("sqrt")(draft, _turned(draft, fraction))


def _logistic(draft: Draft, fraction: Quotient) -> Quotient:
    exponential = draft.add("exp", quotient(draft, fraction, -1.0))
    return ONE, {CONSTANT: 1.0, exponential: 1.0}


def _complement(draft: Draft, fraction: Quotient) -> Quotient:
    exponential = draft.add("exp", quotient(draft, fraction))
    return {CONSTANT: 1.0, exponential: -1.0}, ONE


def _exp_exp(draft: Draft, fraction: Quotient) -> Linear:
    inner = draft.add("exp", quotient(draft, fraction))
    return {draft.add("exp", {inner: -1.0}): 1.0}


def _survival(draft: Draft, fraction: Quotient) -> Quotient:
    return _exp_exp(draft, fraction), ONE


def _failure(draft: Draft, fraction: Quotient) -> Quotient:
    (exponential,) = _exp_exp(draft, fraction)
    return {CONSTANT: 1.0, exponential: -1.0}, ONE


def _squared(draft: Draft, fraction: Quotient) -> Quotient:
    above = quotient(draft, fraction)
    return {draft.add("multiply", above, above): 1.0}, ONE


# How many times as large as what noise put beyond zero a value must be, to be clear.
_CLEAR = 5.0


def _positive(y: Array) -> Booleans:
    # Values next to zero say nothing through these links: they are noise, whose size
    # those that it has put beyond zero tell.
    beyond = np.abs(y[y < 0])
    noise = _CLEAR * float(np.median(beyond)) if len(beyond) else 0.0
    return y > max(0.02 * float(np.median(np.abs(y))), noise)


def _share(y: Array) -> Booleans:
    return (y > 0.005) & (y < 0.995)


def _within(low: float, high: float) -> Callable[[Array], Booleans]:
    return lambda y: (y > low) & (y < high)


_HALF = math.pi / 2
_LEAST_ARC, _LEAST_SHARE = 0.6, 0.3

LINKS: dict[str, Link] = {
    "log": Link(np.log, lambda y: 1 / y, _positive, _by("exp"), fades=True),
    "inverse": Link(lambda y: 1 / y, lambda y: y**-2.0, _positive, _turned, fades=True),
    "square": Link(np.square, lambda y: 2 * y, _positive, _by("sqrt")),
    "inverse square": Link(
        lambda y: y**-2.0,
        lambda y: 2 * y**-3.0,
        _positive,
        _turned_root,
        fades=True,
    ),
    "root": Link(np.sqrt, lambda y: 0.5 * y**-0.5, _positive, _squared),
    "logit": Link(
        lambda y: np.log(y / (1 - y)),
        lambda y: 1 / (y * (1 - y)),
        _share,
        _logistic,
        least_spread=_LEAST_SHARE,
    ),
    "complement": Link(
        lambda y: np.log(1 - y),
        lambda y: 1 / (1 - y),
        _share,
        _complement,
        least_spread=_LEAST_SHARE,
    ),
    # Gompertz' and Weibull's laws: what survives, and what does not.
    "survival": Link(
        lambda y: np.log(-np.log(y)),
        lambda y: 1 / (y * np.log(y)),
        _share,
        _survival,
        least_spread=_LEAST_SHARE,
    ),
    "failure": Link(
        lambda y: np.log(-np.log1p(-y)),
        lambda y: 1 / ((1 - y) * np.log1p(-y)),
        _share,
        _failure,
        least_spread=_LEAST_SHARE,
    ),
    "sin": Link(np.sin, np.cos, _within(-_HALF, _HALF), _by("asin"), _LEAST_ARC),
    "cos": Link(np.cos, np.sin, _within(0, math.pi), _by("acos"), _LEAST_ARC),
    "tan": Link(
        np.tan,
        lambda y: np.cos(y) ** -2.0,
        _within(-_HALF, _HALF),
        _by("atan"),
        _LEAST_ARC,
    ),
}


@dataclass(frozen=True)
class Through:
    """A step by a link: T(inner · y) / outer."""

    link: str
    inner: float
    outer: float

    def seen(self, y: Array, root: Array, x: Array) -> tuple[Array, Array]:
        """Targets and the root weights of their rows, of what both were before."""
        del x
        link = LINKS[self.link]
        inner = self.inner * y
        defined = link.is_defined(inner)
        inner = np.where(defined, inner, np.median(inner[defined]))
        slope = np.abs(link.slope(inner) * self.inner / self.outer)
        rooted = root / np.maximum(slope, 1e-300)
        return link.transform(inner) / self.outer, np.where(defined, rooted, 0.0)

    def undone(self, draft: Draft, fraction: Quotient) -> Quotient:
        """A formula of what was seen as one of what there was before."""
        above, below = fraction
        scaled = {s: self.outer * w for s, w in above.items()}, below
        above, below = LINKS[self.link].undone(draft, scaled)
        return {s: w / self.inner for s, w in above.items()}, below


@dataclass(frozen=True)
class Without:
    """A step by a factor: y without what a graph of the inputs gives."""

    factor: Graph

    def seen(self, y: Array, root: Array, x: Array) -> tuple[Array, Array]:
        """Targets and the root weights of their rows, of what both were before."""
        factor = self.factor.evaluate(x.T)[0][:, 0]
        return y / factor, root * np.abs(factor)

    def undone(self, draft: Draft, fraction: Quotient) -> Quotient:
        """A formula of what was seen as one of what there was before."""
        above, below = put_in(draft, self.factor)
        top = product(draft, [fraction[0], above])
        bottom = product(draft, [fraction[1], below])
        return top, bottom


def put_in(draft: Draft, graph: Graph, inputs: Sequence[int] | None = None) -> Quotient:
    """The output of a graph as a fraction of features of a draft.

    The inputs of the graph are those of the draft, or the ones that are named.
    """
    named = range(graph.n_inputs) if inputs is None else inputs
    meaning: list[Linear] = [{i: 1.0} for i in named]
    for node in graph.nodes:
        arguments = [substituted(linear, meaning) for linear in node.arguments]
        meaning.append({draft.add(node.unit, *arguments): 1.0})
    ((above, below),) = graph.outputs
    return substituted(above, meaning), substituted(below, meaning)


Step = Through | Without


def step_document(step: Step) -> dict[str, Any]:
    """A step as JSON can hold it."""
    if isinstance(step, Without):
        return {"without": to_document(step.factor)}
    return {"through": [step.link, step.inner, step.outer]}


def step_from(document: dict[str, Any]) -> Step:
    """Read what `step_document` wrote."""
    if "without" in document:
        return Without(from_document(document["without"]))
    return Through(*document["through"])


# Rows in which a link may be undefined, by noise, as a share; or more of them, if they
# have hardly any part in the sum of all squares and enough others are left.
_MOST_UNDEFINED = 0.25
_MOST_FADED = 0.03
_FEWEST_DEFINED = 50
# How far beyond the ends of a share noise may put those that are all or nothing.
_BEYOND_ENDS = 0.1


def _is_at_end(link: Link, values: Array, defined: Booleans) -> bool:
    """Whether a target is next to an end of its range where it is not defined.

    One over many decades is next to zero there, a share is nearly all or nothing.
    """
    if int(defined.sum()) < _FEWEST_DEFINED:
        return False
    if link.is_share:
        is_far = (values < -_BEYOND_ENDS) | (values > 1.0 + _BEYOND_ENDS)
        return float(np.mean(is_far)) < _MOST_FADED
    lost = float(np.sum(values[~defined] ** 2)) / float(np.sum(values**2))
    return link.fades and lost < _MOST_FADED


def step_through(name: str, y: Array, unit: float) -> Through | None:
    """The step by a link from a target whose unit is `unit`, if that makes sense.

    Angles are in radians, or in degrees if they are too large for that.
    """
    link = LINKS[name]
    if link.least_spread is None:
        inner = -1.0 if np.median(y) < 0 else 1.0
    else:
        inner = unit
    values = inner * y
    defined = link.is_defined(values)
    if link.is_angle and np.mean(defined) < 1.0 - _MOST_UNDEFINED:
        inner *= math.pi / 180
        values = inner * y
        defined = link.is_defined(values)
    is_rare = np.mean(defined) < 1.0 - _MOST_UNDEFINED
    if is_rare and not _is_at_end(link, values, defined):
        return None
    if link.least_spread is not None and np.ptp(values[defined]) < link.least_spread:
        return None
    outer = float(np.std(link.transform(values[defined])))
    return Through(name, inner, outer) if 0.0 < outer < math.inf else None


def softened(root: Array) -> Array:
    """Root weights that do not leave a few rows to decide.

    Where the target is well above the noise, what a formula that is still wrong misses
    counts, not the noise: there the weights need not grow any more.
    """
    size = float(np.sqrt(np.mean(root**2)))
    soft = root / (root / size + 0.3)
    # Among those that count: where a link is not defined in most rows, they do not.
    return np.minimum(soft, 20.0 * np.median(soft[soft > 0]))
