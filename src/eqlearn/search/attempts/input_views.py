"""What attempts get to see: some of the inputs, and units that were found before.

Functions within functions are hard to find at once. But the inner ones show early: the
same unit appears in many imperfect formulas. Taken as an input, it makes the function
around it a shallow one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.refine.criterion import Scored
from eqlearn.equation.refine.prune import prune_in_stages
from eqlearn.equation.refine.tactics import Tactics
from eqlearn.network.canonical import canonical, substituted
from eqlearn.network.document import from_document, to_document
from eqlearn.network.draft import Draft
from eqlearn.network.graph import CONSTANT, Graph, Linear
from eqlearn.search.attempts.links import (
    Step,
    Through,
    Without,
    softened,
    step_document,
    step_from,
    step_through,
)
from eqlearn.search.attempts.monomials import ONE
from eqlearn.search.streams import Stream, generator
from eqlearn.search.task import Task
from eqlearn.training.samples import Samples

#: Numbers of inputs.
Inputs: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class View:
    """Some inputs, and the outputs of a graph, which are units, as further ones.

    The target is seen after some steps: without a factor, through a link.
    """

    inputs: Inputs
    units: Graph | None = None
    steps: tuple[Step, ...] = ()

    def of(self, task: Task) -> Task:
        """The task as it is seen."""
        chosen = list(self.inputs)
        narrow = replace(
            self._stepped(task),
            x=np.ascontiguousarray(task.x[:, chosen]),
            low=task.low[chosen],
            high=task.high[chosen],
            x_scale=task.x_scale[chosen],
            origins=tuple(task.origins[i] for i in chosen) if task.origins else (),
            # What is known is known of all inputs, and of the target as it is.
            constraints=(),
            group_sets=(),
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
            x_scale=np.r_[narrow.x_scale, self._unit_scales(task, values)],
        )

    def _unit_scales(self, task: Task, values: Array) -> Array:
        """What units are divided by where the inputs are: powers have their own."""
        assert self.units is not None
        return _scales_of(self.units, task, values)

    def _stepped(self, task: Task) -> Task:
        """The task with its target after the steps, and weights that belong to it."""
        if not self.steps:
            return task
        y, root = self.target(task)
        square = softened(root) ** 2
        scale, weight = self._scale_after(task), square / np.mean(square)
        return replace(task, y=y[:, None], y_scale=scale, weight=weight)

    def _scale_after(self, task: Task) -> float:
        """The unit of the target after the steps: a factor has one, links have none."""
        scale = task.y_scale
        for step in self.steps:
            if isinstance(step, Without):
                scale /= _scale_of(step.factor, task)
            else:
                scale = 1.0
        return scale

    def target(self, task: Task) -> tuple[Array, Array]:
        """The target that is seen, and root weights that make its errors those of y.

        These are 0 where a link is not defined.
        """
        y, weight = task.y[:, 0], task.weight
        root = np.ones(len(y)) if weight is None else np.sqrt(weight)
        for step in self.steps:
            y, root = step.seen(y, root, task.x.T)
        return y, root

    def through(self, link: str, task: Task) -> "View | None":
        """The view through one more link, if the target allows it."""
        before = self._stepped(task)
        step = step_through(link, before.y[:, 0], before.y_scale)
        return None if step is None else replace(self, steps=(*self.steps, step))

    def in_full(self, found: Scored, data: Samples, tactics: Tactics) -> Scored:
        """Write a formula of what is seen as one of all inputs, with `data` of these.

        The constants inside of units were given; now they are fitted too.
        """
        if self.units is None and not self.steps:
            return in_all_inputs(found, self.inputs, len(data.x))
        graph = canonical(self.composed(found.graph, len(data.x)), data.x)
        return prune_in_stages(graph, data, tactics)

    @property
    def link(self) -> str | None:
        """The last link that the target is seen through."""
        links = [step.link for step in self.steps if isinstance(step, Through)]
        return links[-1] if links else None

    @property
    def n_variables(self) -> int:
        """How many inputs, or units, are seen."""
        return len(self.features())

    def showing(self, draft: Draft, more: Sequence[Linear]) -> "View":
        """The view with more features of a draft of its units beside what it has."""
        shown = self.features()[len(self.inputs) :]
        draft.outputs = [(dict(one), {CONSTANT: 1.0}) for one in (*shown, *more)]
        return replace(self, units=draft.freeze())

    def features(self) -> list[Linear]:
        """What is seen, as features of a draft of the units."""
        shown = () if self.units is None else self.units.outputs
        plain: list[Linear] = [{i: 1.0} for i in self.inputs]
        return [*plain, *(above for above, _ in shown)]

    def draft(self, n_inputs: int) -> Draft:
        """The units as a draft without outputs, to add to."""
        nodes = () if self.units is None else self.units.nodes
        return Draft(Graph(n_inputs, nodes, ()))

    def composed(self, graph: Graph, n_inputs: int) -> Graph:
        """Put inputs and units where a formula has what was seen; undo the steps."""
        draft, meaning = self.draft(n_inputs), self.features()
        for node in graph.nodes:
            taken = [substituted(linear, meaning) for linear in node.arguments]
            meaning.append({draft.add(node.unit, *taken): 1.0})
        for a, b in graph.outputs:
            fraction = substituted(a, meaning), substituted(b, meaning)
            for step in reversed(self.steps):
                fraction = step.undone(draft, fraction)
            draft.outputs.append((dict(fraction[0]), dict(fraction[1])))
        composed = draft.freeze()
        assert composed is not None
        return composed

    def to_document(self) -> dict[str, Any]:
        """The view as JSON can hold it."""
        units = None if self.units is None else to_document(self.units)
        steps = [step_document(step) for step in self.steps]
        return {"inputs": list(self.inputs), "units": units, "steps": steps}

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> "View":
        """Read what `to_document` wrote."""
        inputs, units = tuple(document["inputs"]), document["units"]
        steps = tuple(map(step_from, document["steps"]))
        return cls(inputs, None if units is None else from_document(units), steps)


def _scales_of(units: Graph, task: Task, values: Array) -> Array:
    """What the outputs of a graph are divided by where the inputs are, if by one."""
    with np.errstate(all="ignore"):
        ratios = units.evaluate(task.x * task.x_scale)[0] / values
        usual = np.median(ratios, axis=0)
        is_one = np.abs(ratios / usual - 1.0).max(axis=0) < 1e-6
    scales = np.where(is_one & np.isfinite(usual), usual, 1.0)
    for output, (above, below) in enumerate(units.outputs):
        if len(above) > 1 and max(above) < units.n_inputs and below == ONE:
            scales[output] = _scale_of_sum(above, task)
    return scales


def _scale_of_sum(linear: Linear, task: Task) -> float:
    """What x - z is divided by, if x and z as they were measured are in it alike."""
    if CONSTANT in linear:
        return 1.0
    sizes = [float(task.x_scale[i]) / abs(weight) for i, weight in linear.items()]
    return sizes[0] if np.ptp(sizes) < 1e-6 * sizes[0] else 1.0


def _scale_of(factor: Graph, task: Task) -> float:
    return float(_scales_of(factor, task, factor.evaluate(task.x)[0])[0])


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
