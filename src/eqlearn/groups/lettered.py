"""Forms with letters for what differs between groups: a*exp(-b*t) + 0.3."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from eqlearn._types import Array
from eqlearn.groups.grouped_fit import GroupedFit, GroupedRows, standard_errors
from eqlearn.model.model import Constant
from eqlearn.network.graph import CONSTANT, Connection, Graph, Linear, Node

_LETTERS = "abcdefghkmnpqrsuvw"


@dataclass(frozen=True, eq=False)
class Lettered:
    """A form whose last inputs are the constants of a group."""

    graph: Graph
    shared: tuple[Constant, ...]  # of `graph`, with standard errors
    values: Array  # (K, G) of the letters
    errors: Array  # (K, G), standard errors


def letters(taken: Sequence[str]) -> Iterator[str]:
    """Names for constants that nothing else has: a, b, ..., then a1, b1, ..."""
    for number in count():
        for letter in _LETTERS:
            name = f"{letter}{number or ''}"
            if name not in taken:
                yield name


def lettered(
    found: GroupedFit, rows: GroupedRows, places: Sequence[int], n_inputs: int
) -> Lettered:
    """Put inputs in the place of the constants that differ between groups.

    `places` are the numbers of these inputs, of `n_inputs` in all.
    """
    graph, errors = found.graph, standard_errors(found, rows)
    keys = graph.parameters()
    own = [p for p, varies in enumerate(found.varies) if varies]
    # As one reads: what is in front of a unit comes before what is in it.
    first = graph.first_output_slot
    own.sort(key=lambda p: (keys[p][0] < first, keys[p][0], keys[p][1] == CONSTANT))
    # What is negative everywhere is written with a minus: exp(-b*t).
    signs = np.where((found.values[own] < 0).all(axis=1), -1.0, 1.0)
    weights = {p: float(found.values[p, 0]) for p in range(len(keys)) if p not in own}
    building = _Lettering(
        graph,
        {keys[p]: (places[k], float(signs[k])) for k, p in enumerate(own)},
        {keys[p]: value for p, value in weights.items()},
        n_inputs,
    )
    built, now_at = building.built()
    shared = tuple(
        Constant(now_at[keys[p]], value, float(errors[p, 0]))
        for p, value in weights.items()
    )
    order = {key: at for at, key in enumerate(built.parameters())}
    return Lettered(
        built,
        tuple(sorted(shared, key=lambda one: order[one.connection])),
        found.values[own] * signs[:, None],
        errors[own],
    )


class _Lettering:
    """A graph while letters are put into it; its features are numbered anew."""

    def __init__(
        self,
        graph: Graph,
        own: dict[Connection, tuple[int, float]],
        weights: dict[Connection, float],
        n_inputs: int,
    ) -> None:
        self._old, self._weights = graph, weights
        self._own = dict(own)
        for key, (lead, ratio) in graph.ties.items():
            if lead in own:
                letter, sign = own[lead]
                self._own[key] = letter, sign * ratio
        self._n = n_inputs
        self._numbers = {i: i for i in range(CONSTANT, graph.n_inputs)}
        self._nodes: list[Node] = []
        self._slot = 0  # of the old graph
        self._places: dict[Connection, Connection] = {}
        self._fixed: set[tuple[int, int]] = set()

    def built(self) -> tuple[Graph, dict[Connection, Connection]]:
        """The graph, and where each connection of the old one is that is left."""
        for k, node in enumerate(self._old.nodes):
            taken = [self._linear() for _ in node.arguments]
            self._append(node.unit, taken)
            self._numbers[self._old.n_inputs + k] = self._n + len(self._nodes) - 1
        pairs = [self._linear(), self._linear()]
        first = sum(len(node.arguments) for node in self._nodes)
        self._settle(first, pairs)
        output: tuple[Linear, Linear] = (dict(pairs[0][0]), dict(pairs[1][0]))
        ties = {
            self._places[key]: (self._places[lead], ratio)
            for key, (lead, ratio) in self._old.ties.items()
            if key in self._places
        }
        fixed = frozenset(self._fixed)
        graph = Graph(self._n, tuple(self._nodes), (output,), fixed, ties)
        return graph, self._places

    def _linear(self) -> tuple[dict[int, float], dict[int, Connection | None]]:
        """The next sum with letters in it, and which connection each term was."""
        found: dict[int, float] = {}
        came: dict[int, Connection | None] = {}
        for source, weight in self._old.slots()[self._slot].items():
            key = self._slot, source
            if key not in self._own:
                at = self._numbers[source]
                found[at], came[at] = self._weights.get(key, weight), key
                continue
            at, factor = self._own[key]
            if source != CONSTANT:
                factors = at, self._numbers[source]
                self._append("multiply", [({f: 1.0}, {f: None}) for f in factors])
                at = self._n + len(self._nodes) - 1
            found[at], came[at] = factor, None
        self._slot += 1
        return found, came

    def _append(
        self,
        unit: str,
        taken: Sequence[tuple[dict[int, float], dict[int, Connection | None]]],
    ) -> None:
        self._settle(sum(len(node.arguments) for node in self._nodes), taken)
        self._nodes.append(Node(unit, tuple(linear for linear, _ in taken)))

    def _settle(
        self,
        first: int,
        taken: Sequence[tuple[dict[int, float], dict[int, Connection | None]]],
    ) -> None:
        """Note where connections have come to; weights of letters are no parameters."""
        for place, (_, came) in enumerate(taken, first):
            for at, key in came.items():
                if key is None or key in self._old.fixed:
                    self._fixed.add((place, at))
                if key is not None:
                    self._places[key] = place, at
