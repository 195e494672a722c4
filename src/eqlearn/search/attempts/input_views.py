"""What attempts get to see: some of the inputs, and units that were found before.

Functions within functions are hard to find at once. But the inner ones show early: the
same unit appears in many imperfect formulas. Taken as an input, it makes the function
around it a shallow one.
"""

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from eqlearn.equation.refine.criterion import Scored
from eqlearn.equation.refine.prune import prune_in_stages
from eqlearn.equation.refine.tactics import Tactics
from eqlearn.network.canonical import canonical, substituted
from eqlearn.network.document import from_document, to_document
from eqlearn.network.graph import CONSTANT, Graph, Linear, Node
from eqlearn.search.streams import Stream, generator
from eqlearn.search.task import Task
from eqlearn.training.samples import Samples

#: Numbers of inputs.
Inputs: TypeAlias = tuple[int, ...]


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
        rng = generator(task.seed, Stream.PART_RANGES)
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

    def in_full(self, found: Scored, data: Samples, tactics: Tactics) -> Scored:
        """Write a formula of what is seen as one of all inputs, with `data` of these.

        The constants inside of units were given; now they are fitted too.
        """
        if self.units is None:
            return in_all_inputs(found, self.inputs, len(data.x))
        graph = canonical(_composed(found.graph, self, len(data.x)), data.x)
        return prune_in_stages(graph, data, tactics)

    def to_document(self) -> dict[str, Any]:
        """The view as JSON can hold it."""
        units = None if self.units is None else to_document(self.units)
        return {"inputs": list(self.inputs), "units": units}

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> "View":
        """Read what `to_document` wrote."""
        inputs, units = tuple(document["inputs"]), document["units"]
        return cls(inputs, None if units is None else from_document(units))


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
