"""Constants that each group of rows has for itself, and formulas that use them.

Inside a model they are its last inputs: a*exp(-b*t) is a formula of t, a and b.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

import numpy as np

from eqlearn._types import Array
from eqlearn.data.mixed import group_text
from eqlearn.errors import must, printable
from eqlearn.network.graph import CONSTANT, Graph, Linear
from eqlearn.network.transform import with_inputs

#: Groups that an error message lists.
_MOST_LISTED = 6


@dataclass(frozen=True)
class GroupConstant:
    """One constant of a formula that differs between groups."""

    name: str  # also the name of the input that it is
    target: str
    values: tuple[float, ...]  # for each group
    errors: tuple[float, ...]  # standard errors, likewise


@dataclass(frozen=True)
class Groups:
    """The groups that a model was learned from."""

    column: str  # what tells them apart
    names: tuple[str, ...]
    n_rows: tuple[int, ...]  # for each group
    constants: tuple[GroupConstant, ...]  # in the order of the model's last inputs
    #: Of each equation of the model, the error (root mean square) in each group; () in
    #: files of before.
    rms: tuple[tuple[float, ...], ...] = ()

    @property
    def listed(self) -> str:
        """The names of some groups, for a line of text."""
        some = ", ".join(printable(name, 40) for name in self.names[:_MOST_LISTED])
        more = len(self.names) - _MOST_LISTED
        return f"{some} and {more} more" if more > 0 else some

    def number_of(self, group: object) -> int:
        """The number of a group, from 0; of one that is not known, what it needs."""
        name = group_text(group)
        if name in self.names:
            return self.names.index(name)
        what = f"of those learned from, {self.listed}"
        raise must("groups", what, name, self.hint_for(name))

    def hint_for(self, name: str) -> str:
        """What to do about a group that is not known."""
        near = get_close_matches(name, self.names, n=1)
        # Those of other candidates have a number in their names.
        own = ", ".join(one.name for one in self.constants if "_" not in one.name)
        hint = f"A new group needs its own {own}: give some rows of it to add_group."
        return f"Did you mean {near[0]!r}? {hint}" if near else hint

    def constants_of(self, group: object) -> dict[str, float]:
        """The constants of one group by name."""
        at = self.number_of(group)
        return {one.name: one.values[at] for one in self.constants}

    def columns(self, groups: Sequence[object]) -> Array:
        """The constants (N, K) of the group of each row."""
        return self._by_row([one.values for one in self.constants], groups)

    def errors(self, groups: Sequence[object]) -> Array:
        """Their standard errors (N, K)."""
        return self._by_row([one.errors for one in self.constants], groups)

    def _by_row(
        self, numbers: Sequence[Sequence[float]], groups: Sequence[object]
    ) -> Array:
        known = {name: self.number_of(name) for name in dict.fromkeys(groups)}
        rows = np.array([known[name] for name in groups], dtype=int)
        table = np.array(numbers, dtype=float).reshape(len(numbers), len(self.names))
        return np.asarray(table[:, rows].T)


def bound(graph: Graph, values: Mapping[int, float]) -> Graph:
    """The formula with numbers in the place of some inputs."""
    slots: list[Linear] = []
    for linear in graph.slots():
        kept = {s: w for s, w in linear.items() if s not in values}
        more = sum(w * values[s] for s, w in linear.items() if s in values)
        if more:
            kept[CONSTANT] = kept.get(CONSTANT, 0.0) + more
        slots.append(kept)
    fixed = frozenset(key for key in graph.fixed if key[1] not in values)
    ties = {k: tie for k, tie in graph.ties.items() if k[1] not in values}
    return replace(graph.with_slots(slots, fixed), ties=ties)


def of_inputs(graph: Graph, inputs: Sequence[int]) -> Graph:
    """The formula of a table that has only these inputs; it must use no others."""
    numbers = {old: new for new, old in enumerate(inputs)}
    unused = {i: 0 for i in range(graph.n_inputs) if i not in numbers}
    return with_inputs(graph, {**unused, **numbers}, len(inputs))
