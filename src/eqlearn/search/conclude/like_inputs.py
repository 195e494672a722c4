"""Inputs that go together in all rows: which of them matters, these cannot tell."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array
from eqlearn.model.prediction import chances
from eqlearn.network.graph import Graph
from eqlearn.search.conclude.judged_rows import JudgedRows
from eqlearn.search.conclude.noise_level import least_left
from eqlearn.search.smooth.smooth_fits import Smooth, degree_for
from eqlearn.search.verdict_strategy import Judging
from eqlearn.training.levenberg import fit
from eqlearn.training.samples import samples

#: Share of its spread that a column may leave of another which it repeats.
_EXACT = 1e-9
#: Of a column that others follow closely enough for a formula to be tried with them.
_CLOSE = 0.2
#: Inputs that are looked at, and those of whose sums others may be.
_MOST_INPUTS, _MOST_SUMMED = 200, 12
#: Terms of a polynomial that stands for any function, as a share of the rows.
_TERMS = 1 / 6


class LikeInput(NamedTuple):
    """An input of a formula that others can stand for, as far as the rows tell."""

    source: int
    slopes: dict[int, float]  # of the others in the sum that it is
    level: float
    left: float  # root mean square of what the sum leaves of it, over its spread

    @property
    def is_exact(self) -> bool:
        """Whether it is that sum in every row."""
        return self.left < _EXACT

    def in_words(self, names: Sequence[str]) -> str:
        """The sum as a formula."""
        terms = [_term(slope, names[i]) for i, slope in self.slopes.items()]
        spread = max(map(abs, self.slopes.values()))
        if abs(self.level) > _EXACT * spread:
            terms.append(f"{self.level:.4g}")
        text = " + ".join(terms).replace("+ -", "- ")
        return f"{names[self.source]} {'=' if self.is_exact else '≈'} {text}"


def _term(slope: float, name: str) -> str:
    if math.isclose(abs(slope), 1.0, rel_tol=_EXACT):
        return name if slope > 0 else f"-{name}"
    return f"{slope:.4g} {name}"


def like_inputs(
    graph: Graph, rms: float, rows: JudgedRows, by: Judging
) -> list[LikeInput]:
    """Put sums of others in the place of each input, and fit the formula again.

    Where that fits as well, or nearly, the rows do not tell which of them matters.
    """
    if rows.x.shape[1] > _MOST_INPUTS or not rows.spread:
        return []
    found = (
        one
        for i in sorted(graph.used_inputs)
        for one in _sums_for(rows.x, i)
        if one.is_exact or _fits_as_well(graph, rms, one, rows, by)
    )
    first: dict[int, LikeInput] = {}
    for one in found:
        first.setdefault(one.source, one)
    return sorted(first.values(), key=lambda one: one.left)


def relations_of(found: Sequence[LikeInput]) -> list[LikeInput]:
    """One of each relation, which is the same for all that are in it."""
    first: dict[frozenset[int], LikeInput] = {}
    for one in found:
        first.setdefault(frozenset({one.source, *one.slopes}), one)
    return list(first.values())


def _sums_for(x: Array, i: int) -> Iterator[LikeInput]:
    """The other input, and the sum of several, that say most of one."""
    spread = x.std(axis=0)
    others = [j for j in range(x.shape[1]) if j != i and spread[j] > 0]
    if not others or not spread[i]:
        return
    c = (x - x.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    nearest = max(others, key=lambda j: abs(float(np.mean(c[:, i] * c[:, j]))))
    groups = [[nearest]]
    if 1 < len(others) <= _MOST_SUMMED < len(x) / 2:
        groups.append(others)
    for group in groups:
        slopes, *_ = np.linalg.lstsq(c[:, group], c[:, i], rcond=1e-11)
        left = float(np.sqrt(np.mean((c[:, i] - c[:, group] @ slopes) ** 2)))
        if left < _CLOSE:
            own = {
                j: float(slope * spread[i] / spread[j])
                for j, slope in zip(group, slopes, strict=True)
                if abs(slope) > _EXACT
            }
            level = x[:, i].mean() - sum(own[j] * x[:, j].mean() for j in own)
            yield LikeInput(i, own, float(level), left)


def _fits_as_well(
    graph: Graph, rms: float, one: LikeInput, rows: JudgedRows, by: Judging
) -> bool:
    other = rows.x.copy()
    other[:, one.source] = one.level + sum(
        s * rows.x[:, j] for j, s in one.slopes.items()
    )
    swapped = samples(other, rows.y[:, None], weight=rows.weight)
    n = len(rows.y)
    refitted = fit(graph, swapped, n_iterations=by.n_iterations)
    squares = np.array([rms**2, refitted.sse / n]) / rows.spread**2
    own, without = n * np.log(squares + by.exact**2)
    return bool(chances([own, without])[1] > by.rival_chance)


class BoundInput(NamedTuple):
    """An input of a formula that was not varied by itself."""

    source: int
    left: float  # what a smooth function of the others leaves of it, over its spread


def bound_inputs(graph: Graph, rows: JudgedRows, by: Judging) -> list[BoundInput]:
    """The inputs of a formula, if all follow from those that it does without.

    So it is with a column that was made of the target: the formula may say no more than
    how. With an input that was varied by itself it says something of the target.
    """
    columns, used = rows.x.T, sorted(graph.used_inputs)
    unused = [j for j in np.flatnonzero(np.ptp(columns, axis=1) > 0) if j not in used]
    if not 0 < len(unused) <= by.most_regions or not used:
        return []
    found = []
    for i in used:
        spread = float(columns[i].std())
        degree = degree_for(len(unused), len(rows.y), _TERMS)
        smooth = Smooth.of(columns[unused], columns[i], np.ones(len(rows.y)), degree)
        left = math.sqrt(smooth.left) / (spread or 1.0)
        if not spread or left >= _CLOSE:
            return []
        found.append(BoundInput(i, left))
    return sorted(found, key=lambda one: one.left)


def tangled_input(
    graph: Graph, rms: float, rows: JudgedRows, by: Judging
) -> BoundInput | None:
    """The input of a formula that follows most closely from its other inputs, if any.

    The rows lie along a curve in the range of these inputs then. What the formula says
    elsewhere was never measured, and what goes along with the target on that curve may
    have been made of it. Of a formula that is exact small differences are enough.
    """
    columns, used = rows.x.T, sorted(graph.used_inputs)
    if not 1 < len(used) <= by.most_regions:
        return None
    found = []
    for i in used:
        others = rows.x[:, [j for j in used if j != i]]
        left = least_left(others, columns[i], np.ones(len(rows.y)), by)
        if left is not None and (spread := float(columns[i].std())):
            found.append(BoundInput(i, math.sqrt(left) / spread))
    closest = min(found, key=lambda one: one.left, default=None)
    most = _CLOSE if rms > by.exact * rows.spread else _EXACT
    return closest if closest is not None and closest.left < most else None
