"""The pool of formulas for one target: equal ones are counted, the best is first."""

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from eqlearn._types import Array
from eqlearn.data.scale import drawn_within
from eqlearn.equation.refine.criterion import Scored, refit
from eqlearn.network.canonical import canonical
from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.search.enough.dependence import is_dependent
from eqlearn.search.keep.agreement import say_the_same, typical_spread
from eqlearn.search.keep.kept_constraints import mended, n_broken
from eqlearn.search.keep.likely_simple import likely_gains, worth_of_simple
from eqlearn.search.strategy import Pooling
from eqlearn.search.streams import Stream, generator
from eqlearn.search.task import Task, numerical_context
from eqlearn.training.samples import Samples


@dataclass
class Entry:
    """A formula, and how often it was found."""

    found: Scored
    votes: int = 1  # attempts that ended in it; none if it came from elsewhere
    n_networks: int = 0  # of the votes, those of networks and of growth
    values: Array | None = None  # in the domain of use, once they are asked for
    has_pole: bool = False  # there, for which it is charged
    gains: list[float] | None = None  # by simple constants, once they are asked for


@dataclass
class Pool:
    """Formulas found for one task, the best first."""

    task: Task
    entries: list[Entry] = field(default_factory=list)

    @property
    def _by(self) -> Pooling:
        return self.task.strategy.pooling

    @property
    def best(self) -> Scored:
        """The formula that is ahead."""
        return self.entries[0].found

    def add(self, found: Scored, votes: int = 1, by_network: bool = False) -> None:
        """Put a formula in, charged for a pole, or count it if it is there.

        One that breaks a constraint is charged so much that others come first; what it
        can be mended to is put in, too. One without a value in some row is left out:
        fits go on where a logarithm ends, but no formula does.
        """
        if not has_values(found.graph, self.task):
            return
        broken = n_broken(found.graph, self.task) if self.task.constraints else 0
        better = self._mended(found) if broken else None
        if better is not None:
            self._put(better, n_broken(better.graph, self.task), votes, by_network)
        self._put(found, broken, votes, by_network)

    def _put(self, found: Scored, broken: int, votes: int, by_network: bool) -> None:
        ends = has_pole(found.graph, self.task)
        bic = found.bic + self._by.pole_charge * ends
        bic += self._by.constraint_charge * broken
        if math.isnan(bic):
            return
        scored = found._replace(bic=bic)
        new = Entry(scored, votes, int(by_network), has_pole=ends)
        for entry in self.entries:
            if self._is_same(entry, new):
                entry.votes += votes
                entry.n_networks += by_network
                if bic < entry.found.bic - self._by.same:  # in plainer clothes
                    entry.found, entry.values, entry.gains = new.found, new.values, None
                    entry.has_pole = ends
                break
        else:
            self.entries.append(new)
        self.entries.sort(key=lambda entry: entry.found.bic)

    def _is_same(self, one: Entry, other: Entry) -> bool:
        """Whether two formulas are one, perhaps in other clothes."""
        by, a, b = self._by, one.found, other.found
        if a.graph.n_parameters != b.graph.n_parameters:
            return False
        if abs(a.bic - b.bic) < by.same:
            return True
        n = self.task.search_rows().n_residuals
        if not n * abs(math.log((a.sse + 1e-300) / (b.sse + 1e-300))) < by.same:
            return False
        values = self._values(one)
        with np.errstate(all="ignore"):
            off = np.abs(self._values(other) - values)
            most = by.equal * (typical_spread(values) + np.abs(values))
            return bool(np.all(off <= most))

    def _mended(self, found: Scored) -> Scored | None:
        """A formula that breaks less, if it is worth looking for."""
        if self.entries and not found.bic < self.best.bic:
            return None
        with numerical_context(self.task):
            return mended(found, self.task, self.task.search_rows())

    def n_agreeing(self) -> int:
        """How many networks, or growths, came to what the best formula says.

        Imitations may be alike on the data, but hardly in all of the domain of use.
        """
        best = self.entries[0]
        return best.n_networks + sum(
            entry.n_networks
            for entry in self.entries[1:]
            if entry.n_networks
            and entry.found.sse <= self._by.about_as_well * best.found.sse
            and self._say_the_same(best, entry)
        )

    def lead(self, most_parameters: float = math.inf) -> float:
        """By how much the best is ahead of all that differ in the domain of use.

        Of all that have no more parameters than so many, and counting what simple
        constants will be worth.
        """
        best, lead = self.entries[0], math.inf
        ahead = best.found.bic - self.gain(best)
        for entry in self.entries[1:]:
            n_parameters = entry.found.graph.n_parameters
            most = self._worth * n_parameters + self._by.relief
            is_behind = entry.found.bic - most - ahead >= lead
            if n_parameters > most_parameters or is_behind:
                continue
            if not self._say_the_same(best, entry):
                lead = min(lead, entry.found.bic - self.gain(entry) - ahead)
        return lead

    def gain(self, entry: Entry) -> float:
        """What a formula gains in the criterion by constants that may be simple."""
        # These give the place of a pole, too.
        is_given = entry.has_pole and not self.n_odd(entry)
        return sum(self._gains(entry)) + self._by.relief * is_given

    def n_odd(self, entry: Entry) -> int:
        """How many constants of a formula are no simple numbers; of a long one, all."""
        return entry.found.graph.n_parameters - len(self._gains(entry))

    def _gains(self, entry: Entry) -> list[float]:
        if entry.gains is None:
            graph = entry.found.graph
            is_long = graph.n_parameters > self._by.most_simple
            entry.gains = [] if is_long else likely_gains(graph, self.task)
        return entry.gains

    @cached_property
    def _worth(self) -> float:
        return worth_of_simple(self.task)

    def _say_the_same(self, one: Entry, other: Entry) -> bool:
        ours, theirs = self._values(one), self._values(other)
        return say_the_same(ours, theirs, self._by.agreeing)

    def _values(self, entry: Entry) -> Array:
        if entry.values is None:
            rng = generator(self.task.seed, Stream.AGREEMENT)
            task, n = self.task, self._by.n_points
            few = task.x[: task.strategy.rows.prune]
            one = 1.0 / task.x_scale
            points = drawn_within(task.low, task.high, n, few, rng, one)
            with np.errstate(all="ignore"):
                entry.values = entry.found.graph.evaluate(points)[0][:, 0]
        return entry.values


def has_values(graph: Graph, task: Task) -> bool:
    """Whether a formula has a value in every row that is searched."""
    with np.errstate(all="ignore"):
        values = graph.evaluate(task.x[: task.strategy.rows.search])[0]
    return bool(np.isfinite(values).all())


def has_pole(graph: Graph, task: Task) -> bool:
    """Tell whether a denominator changes sign, or vanishes, in the domain of use.

    One that only touches zero, as x² does, is given away by values that are small
    compared with all that it has on the data.
    """
    by, rng = task.strategy.pooling, generator(task.seed, Stream.POLE_POINTS)
    points = rng.uniform(task.low, task.high, (by.n_pole_points, len(task.low)))
    n = min(len(task.x), task.strategy.rows.search)
    with np.errstate(all="ignore"):
        _, b = _all_denominators(graph).evaluate(np.concatenate([task.x[:n], points]))
    changes_sign = (b.min(axis=0) <= 0) & (b.max(axis=0) >= 0)
    size = np.abs(b)
    vanishes = size[n:].min(axis=0) < by.vanishing * size[:n].min(axis=0)
    return bool(np.any(changes_sign | vanishes))


def _all_denominators(graph: Graph) -> Graph:
    """The graph with every inner denominator as one of an output, too."""
    inner = (node.arguments[1] for node in graph.nodes if node.unit == "divide")
    more = (({CONSTANT: 1.0}, below) for below in inner)
    return Graph(graph.n_inputs, graph.nodes, (*graph.outputs, *more))


def mean_formula(task: Task, data: Samples) -> Scored:
    """The formula that explains nothing, which others must beat by a margin."""
    mean = float(np.mean(data.y))
    graph = Graph(task.x.shape[1], (), (({CONSTANT: mean}, {CONSTANT: 1.0}),))
    found = refit(canonical(graph, data.x), data, task.tactics)
    return found._replace(bic=found.bic - null_margin(graph, task))


def null_margin(graph: Graph, task: Task) -> float:
    """The margin by which others must beat this formula, if it explains nothing.

    Among so many formulas some explain a little of pure noise. There is none once it
    is known that the target depends on the inputs.
    """
    is_mean = not any(linear.keys() - {CONSTANT} for linear in graph.slots())
    if not is_mean or is_dependent(task):
        return 0.0
    return 2.0 * math.log(task.strategy.pooling.n_looked)
