"""What attempts get to see: some of the inputs, and units that were found before.

Functions within functions are hard to find at once. But the inner ones show early: the
same unit appears in many imperfect formulas. Taken as an input, it makes the function
around it a shallow one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.refine.criterion import Scored
from eqlearn.network.canonical import canonical, substituted
from eqlearn.network.document import from_document, to_document
from eqlearn.network.graph import CONSTANT, Graph, Linear, Node
from eqlearn.network.transform import joined
from eqlearn.search.task import Task, pruned_in_stages
from eqlearn.training.samples import Samples

#: Numbers of inputs.
Inputs: TypeAlias = tuple[int, ...]

#: Parts whose values correlate like this are one and the same.
SAME_PART = 0.9995
#: Rows that parts are compared on.
N_COMPARED = 200
#: Formulas a part must appear in, to be more than chance.
LEAST_OCCURRENCES = 2


@dataclass(frozen=True)
class View:
    """Some inputs, and the outputs of a graph, which are units, as further ones."""

    inputs: Inputs
    units: Graph | None = None

    def of(self, task: Task) -> Task:
        """The task as it is seen."""
        chosen = list(self.inputs)
        narrow = replace(
            task,
            x=np.ascontiguousarray(task.x[:, chosen]),
            low=task.low[chosen],
            high=task.high[chosen],
            x_scale=task.x_scale[chosen],
        )
        if self.units is None:
            return narrow
        values = self.units.evaluate(task.x)[0]
        rng = np.random.default_rng([task.seed, 5])
        points = rng.uniform(task.low, task.high, (len(values), len(task.low)))
        reached = np.concatenate([values, self.units.evaluate(points)[0]])
        # A part need not have a value in all of the domain of use.
        reached = np.where(np.isfinite(reached), reached, values.mean(axis=0))
        return replace(
            narrow,
            x=np.hstack([narrow.x, values]),
            low=np.r_[narrow.low, reached.min(axis=0)],
            high=np.r_[narrow.high, reached.max(axis=0)],
            x_scale=np.r_[narrow.x_scale, np.ones(values.shape[1])],
        )

    def in_full(self, found: Scored, data: Samples) -> Scored:
        """Write a formula of what is seen as one of all inputs, with `data` of these.

        The constants inside of units were given; now they are fitted too.
        """
        if self.units is None:
            return in_all_inputs(found, self.inputs, len(data.x))
        graph = canonical(_composed(found.graph, self, len(data.x)), data.x)
        return pruned_in_stages(graph, data)


def to_view(view: View) -> dict[str, Any]:
    """Write a view as JSON can hold it."""
    units = None if view.units is None else to_document(view.units)
    return {"inputs": list(view.inputs), "units": units}


def from_view(document: dict[str, Any]) -> View:
    """Read what `to_view` wrote."""
    units = document["units"]
    return View(
        tuple(document["inputs"]), None if units is None else from_document(units)
    )


def recurring_parts(found: Sequence[Graph], x: Array) -> list[Graph]:
    """The units and sums that appear in several formulas, those in most of them first.

    Each is a graph whose output is the part. `x` (N, D) are inputs to compare them on.
    """
    x = x[:N_COMPARED]
    plain = _standard(x.T)
    parts: list[tuple[Graph, set[int]]] = []
    known = np.empty((0, len(x)))  # the values of each
    for number, graph in enumerate(found):
        sums = replace(graph, outputs=tuple((s, {CONSTANT: 1.0}) for s in _sums(graph)))
        with np.errstate(all="ignore"):
            rows = sums.evaluate(x)[0].T if sums.outputs else np.empty((0, len(x)))
        for output, row in zip(sums.outputs, _standard(rows), strict=True):
            if not np.isfinite(row).all() or np.abs(plain @ row).max() > SAME_PART:
                continue
            same = np.flatnonzero(np.abs(known @ row) > SAME_PART)
            if len(same):
                parts[same[0]][1].add(number)
                continue
            parts.append((replace(graph, outputs=(output,)), {number}))
            known = np.vstack([known, row])
    again = [part for part in parts if len(part[1]) >= LEAST_OCCURRENCES]
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


def _composed(graph: Graph, view: View, n_inputs: int) -> Graph:
    """Put inputs and units where a formula has what was seen of them."""
    units = view.units
    assert units is not None
    first = n_inputs + len(units.nodes)
    meaning: list[Linear] = [{i: 1.0} for i in view.inputs]
    meaning += [above for above, _ in units.outputs]
    meaning += [{first + k: 1.0} for k in range(len(graph.nodes))]
    nodes = [
        Node(node.unit, tuple(substituted(a, meaning) for a in node.arguments))
        for node in graph.nodes
    ]
    outputs = tuple(
        (substituted(a, meaning), substituted(b, meaning)) for a, b in graph.outputs
    )
    return Graph(n_inputs, (*units.nodes, *nodes), outputs)


def in_all_inputs(found: Scored, inputs: Inputs, n_inputs: int) -> Scored:
    """Write a formula of some of the inputs as one of all of them."""
    shift = n_inputs - len(inputs)
    number = {CONSTANT: CONSTANT, **dict(enumerate(inputs))}

    def moved(source: int) -> int:
        return number.get(source, source + shift)

    graph = found.graph
    slots: list[Linear] = [
        {moved(source): weight for source, weight in linear.items()}
        for linear in graph.slots()
    ]
    wide = Graph(n_inputs, graph.nodes, graph.outputs).with_slots(slots)
    return found._replace(
        graph=Graph(
            n_inputs,
            wide.nodes,
            wide.outputs,
            frozenset((slot, moved(source)) for slot, source in graph.fixed),
            {
                (slot, moved(source)): ((lead, moved(of)), ratio)
                for (slot, source), ((lead, of), ratio) in graph.ties.items()
            },
        )
    )
