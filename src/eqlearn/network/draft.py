"""A graph being edited: add units, replace features, then freeze it again."""

from collections.abc import Container

from eqlearn.network.graph import CONSTANT, Graph, Linear, Node


class Draft:
    """A mutable copy of a graph in which features may be used in any order.

    `freeze` puts the units into an order in which each uses only earlier ones.
    """

    def __init__(self, graph: Graph) -> None:
        self.n_inputs = graph.n_inputs
        self.n_old = len(graph.nodes)
        self.nodes = [
            (node.unit, [dict(linear) for linear in node.arguments])
            for node in graph.nodes
        ]
        self.outputs = [(dict(a), dict(b)) for a, b in graph.outputs]

    def add(self, unit: str, *arguments: Linear) -> int:
        """Append a unit and return the number of its feature."""
        self.nodes.append((unit, [dict(linear) for linear in arguments]))
        return self.n_inputs + len(self.nodes) - 1

    def slots(self) -> list[dict[int, float]]:
        """All linear combinations, in the order of the graph's slots.

        The arguments of added units come last, so that the slots of the graph that
        is being edited keep their numbers.
        """
        arguments = [taken for _, taken in self.nodes]
        old, new = arguments[: self.n_old], arguments[self.n_old :]
        return [linear for part in (*old, *self.outputs, *new) for linear in part]

    def replace(
        self,
        feature: int,
        by: Linear,
        *,
        where: Container[int] | None = None,
    ) -> None:
        """Put a linear combination in the place of a feature, in some slots or all."""
        for slot, linear in enumerate(self.slots()):
            if feature in linear and (where is None or slot in where):
                weight = linear.pop(feature)
                for source, factor in by.items():
                    linear[source] = linear.get(source, 0.0) + weight * factor

    def freeze(self) -> Graph | None:
        """Return the graph, or None if a unit would depend on itself."""
        order = self._topological_order()
        if order is None:
            return None
        names = {i: i for i in [CONSTANT, *range(self.n_inputs)]}
        names |= {self.n_inputs + k: self.n_inputs + n for n, k in enumerate(order)}

        def renamed(linear: Linear) -> Linear:
            return {names[source]: weight for source, weight in linear.items()}

        nodes = tuple(
            Node(self.nodes[k][0], tuple(map(renamed, self.nodes[k][1]))) for k in order
        )
        outputs = tuple((renamed(a), renamed(b)) for a, b in self.outputs)
        return Graph(self.n_inputs, nodes, outputs)

    def _topological_order(self) -> list[int] | None:
        needs = [
            {
                s - self.n_inputs
                for linear in taken
                for s in linear
                if s >= self.n_inputs
            }
            for _, taken in self.nodes
        ]
        order: list[int] = []
        placed: set[int] = set()
        waiting = list(range(len(self.nodes)))
        while waiting:
            ready = [k for k in waiting if needs[k] <= placed]
            if not ready:
                return None
            order += ready
            placed.update(ready)
            waiting = [k for k in waiting if k not in placed]
        return order
