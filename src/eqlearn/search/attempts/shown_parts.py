"""Parts of imperfect formulas, to be shown to attempts as inputs.

Functions within functions are hard to find at once. But the inner ones show early:
formulas that are still wrong agree on some of their units and sums.
"""

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from eqlearn._types import Array
from eqlearn.network.graph import CONSTANT, Graph, Linear
from eqlearn.network.transform import joined
from eqlearn.search.attempts.input_views import Inputs, View
from eqlearn.search.strategy import Parts
from eqlearn.search.streams import Stream, generator


@dataclass(frozen=True)
class ShownParts:
    """The parts that recur in the best formulas, and the formulas they are of."""

    parts: tuple[Graph, ...] = ()
    of: tuple[Graph, ...] = ()

    def after(self, best: Sequence[Graph], x: Array, by: Parts) -> "ShownParts":
        """The parts of the formulas that are best now; looked for if these changed."""
        best = tuple(best[: by.n_formulas])
        if len(best) == len(self.of) and all(map(operator.is_, best, self.of)):
            return self
        return ShownParts(tuple(recurring_parts(best, x, by)), best)


def view_of_parts(
    parts: Sequence[Graph], inputs: Inputs, by: Parts, *, seed: int, index: int
) -> View:
    """Some parts, drawn for the batch of this index, and the inputs beside them."""
    rng = generator(seed, Stream.SHOWN_PARTS, index)
    parts = parts[: by.n_parts]
    n_shown = min(len(parts), int(rng.integers(1, by.most_shown + 1)))
    chosen = sorted(rng.permutation(len(parts))[:n_shown])
    shown = joined([parts[i] for i in chosen])
    # What is inside of a unit often appears nowhere else.
    outside = tuple(i for i in inputs if i not in shown.used_inputs)
    return View(outside if rng.random() < by.without_inside else inputs, shown)


def recurring_parts(found: Sequence[Graph], x: Array, by: Parts) -> list[Graph]:
    """The units and sums that appear in several formulas, those in most of them first.

    Each is a graph whose output is the part. `x` (N, D) are inputs to compare them on.
    """
    x = x[: by.n_rows]
    plain = _standard(x.T)
    parts: list[tuple[Graph, set[int]]] = []
    values = np.empty((0, len(x)))  # of each part
    for number, graph in enumerate(found):
        sums = replace(graph, outputs=tuple((s, {CONSTANT: 1.0}) for s in _sums(graph)))
        with np.errstate(all="ignore"):
            rows = sums.evaluate(x)[0].T if sums.outputs else np.empty((0, len(x)))
        for output, row in zip(sums.outputs, _standard(rows), strict=True):
            if not np.isfinite(row).all() or np.abs(plain @ row).max() > by.same:
                continue
            same = np.flatnonzero(np.abs(values @ row) > by.same)
            if len(same):
                parts[same[0]][1].add(number)
                continue
            parts.append((replace(graph, outputs=(output,)), {number}))
            values = np.vstack([values, row])
    again = [part for part in parts if len(part[1]) >= by.least_occurrences]
    again.sort(key=lambda part: -len(part[1]))
    # Joined, a graph is without the units that its output has no use for.
    return [joined([graph]) for graph, _ in again]


def _sums(graph: Graph) -> Iterator[Linear]:
    """Every unit by itself, and every sum that is fed into something."""
    for feature in range(graph.n_inputs, graph.n_features):
        yield {feature: 1.0}
    yield from graph.sums()


def _standard(rows: Array) -> Array:
    """Rows with mean 0 and length 1; constant ones become 0."""
    rows = rows - rows.mean(axis=1, keepdims=True)
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(length > 0, length, 1.0)
