"""A proved lower bound of a formula over a box: branch and bound with intervals.

The box is cut up where the bound is lowest, many boxes at a time. Where an enclosure of
the slope has one sign, the minimum is on that side of the box, and only the side stays.
"""

from typing import NamedTuple

import numpy as np

from eqlearn._types import Array, Booleans, Integers
from eqlearn.equation.prove.intervals import enclose, enclose_with_slopes
from eqlearn.network.graph import Graph

#: A bound this close to a value that is taken is good enough.
CLOSE = 0.01
_AT_ONCE = 256
# What a round costs however few boxes it cuts, in boxes: zooming in on a zero that is
# there would otherwise take as many rounds as there are boxes.
_ROUND = 64
# A slope that is not known is steep, but not so steep that sizes cannot be compared.
_STEEPEST = 1e200


class Bound(NamedTuple):
    """A number the formula does not fall below, and one it does not stay above."""

    lower: float
    upper: float
    point: Array  # (D,) where it is at most `upper`


class _Boxes(NamedTuple):
    low: Array  # (N, D)
    high: Array  # (N, D)
    lower: Array  # (N,) the bound of each
    steepness: Array  # (N, D) at most

    def chosen(self, which: Booleans | Integers) -> "_Boxes":
        return _Boxes(*(part[which] for part in self))

    def together_with(self, others: "_Boxes") -> "_Boxes":
        return _Boxes(*map(np.concatenate, zip(self, others, strict=True)))


def minimum(graph: Graph, low: Array, high: Array, *, n_boxes: int) -> Bound:
    """Bound the first output of a graph from below for all inputs from low to high.

    Ends when the bound is within 1 % of a value that is taken or after about `n_boxes`
    boxes, never by the clock: the answer is the same on a slow machine.
    """
    boxes = _bounded(graph, low[None], high[None])
    best, settled, n_seen = _upper(graph, boxes), np.inf, 1
    while True:
        is_open = boxes.lower < _close_to(best.upper)
        settled = min(settled, boxes.lower[~is_open].min(initial=np.inf))
        boxes = boxes.chosen(is_open)
        if not len(boxes.lower) or n_seen >= n_boxes:
            lower = min(settled, boxes.lower.min(initial=np.inf))
            return best._replace(lower=float(lower))
        order = np.argsort(boxes.lower, kind="stable")
        taken, boxes = boxes.chosen(order[:_AT_ONCE]), boxes.chosen(order[_AT_ONCE:])
        is_point = np.logical_not(_can_cut(taken).any(axis=1))
        settled = min(settled, taken.lower[is_point].min(initial=np.inf))
        if is_point.all():
            continue
        halves = _halves(taken.chosen(~is_point), high - low)
        new = _bounded(graph, halves.low, halves.high)
        new = new._replace(lower=np.maximum(new.lower, halves.lower))
        best = min(best, _upper(graph, new), key=lambda bound: bound.upper)
        n_seen += len(new.lower) + _ROUND
        boxes = boxes.together_with(new)


def _close_to(upper: float) -> float:
    return upper - CLOSE * abs(upper) if np.isfinite(upper) else upper


def _bounded(graph: Graph, low: Array, high: Array) -> _Boxes:
    """Bound the output over each box, and replace the box by its lowest side.

    On the side the slopes are known better, and one of its own sides may be lowest.
    """
    boxes = _lowest_sides(graph, low, high)
    is_side = (boxes.low > low).any(axis=1) | (boxes.high < high).any(axis=1)
    if is_side.any():
        sides = _bounded(graph, boxes.low[is_side], boxes.high[is_side])
        tighter = np.maximum(sides.lower, boxes.lower[is_side])
        sides = sides._replace(lower=tighter)
        for part, better in zip(boxes, sides, strict=True):
            part[is_side] = better
    return boxes


def _lowest_sides(graph: Graph, low: Array, high: Array) -> _Boxes:
    (value, slopes), *_ = enclose_with_slopes(graph, low, high)
    falls = slopes.high.T <= 0
    rises = (slopes.low.T >= 0) & ~falls
    return _Boxes(
        np.where(falls, high, low),
        np.where(rises, low, high),
        value.low,
        np.maximum(np.abs(slopes.low), np.abs(slopes.high)).T,
    )


def _centre(boxes: _Boxes) -> Array:
    return np.clip(0.5 * boxes.low + 0.5 * boxes.high, boxes.low, boxes.high)


def _can_cut(boxes: _Boxes) -> Booleans:
    """Tell along which axes (N, D) there is a float between the ends of a box."""
    centre = _centre(boxes)
    return (boxes.low < centre) & (centre < boxes.high)


def _upper(graph: Graph, boxes: _Boxes) -> Bound:
    centre = _centre(boxes)
    upper = enclose(graph, centre, centre).high[:, 0]
    lowest = int(np.argmin(upper))
    return Bound(-np.inf, float(upper[lowest]), centre[lowest])


def _halves(boxes: _Boxes, width: Array) -> _Boxes:
    """Cut each box along the axis that matters most."""
    centre, can_cut = _centre(boxes), _can_cut(boxes)
    with np.errstate(all="ignore"):
        share = (boxes.high - boxes.low) / width
        effect = np.minimum(boxes.steepness * width, _STEEPEST) * share
    rows = np.arange(len(centre))
    axis = np.argmax(np.where(can_cut, effect, -1.0), axis=1)
    left, right = boxes.high.copy(), boxes.low.copy()
    left[rows, axis] = right[rows, axis] = centre[rows, axis]
    return boxes._replace(high=left).together_with(boxes._replace(low=right))
