"""Models whose candidates are straight lines, for what looks at their numbers only."""

from typing import Any

from eqlearn.model.model import Equation, Model, Outcome, Verdict
from eqlearn.network.graph import CONSTANT, Graph

ENDS: Any = ((0.0, 1.0),)


def line(target: str, slope: float, *, is_chosen: bool = False) -> Equation:
    graph = Graph(1, (), (({0: slope}, {CONSTANT: 1.0}),))
    facts: Any = {"rms": 0.1, "bic": 0.0, "complexity": 1, "votes": 1}
    facts |= {"has_pole": False, "is_chosen": is_chosen}
    return Equation(target, graph, graph, (), **facts)


def model(kind: Any = "trusted") -> Model:
    equations = [
        *(line("y", 1.0, is_chosen=True), line("y", 2.0), line("y", 3.0)),
        *(line("z", 4.0, is_chosen=True), line("z", 5.0)),
    ]
    outcome = Outcome(Verdict(kind, ("Why.",)), "finished", 9)
    targets = ("y", "z")
    return Model(("x",), targets, tuple(equations), ENDS, ENDS, 9, (outcome, outcome))
