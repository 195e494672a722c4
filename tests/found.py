"""What a search has found, written down instead of searched for."""

from dataclasses import replace
from typing import Any

from eqlearn.network.graph import CONSTANT, Graph, Linear
from eqlearn.search.keep.final_fits import Candidate
from eqlearn.search.learn import Found

ONE: Linear = {CONSTANT: 1.0}
LINE = Graph(1, (), (({0: 2.0}, ONE),))
MEAN = Graph(1, (), (({CONSTANT: 0.5}, ONE),))


def candidate(graph: Graph = LINE, **changes: Any) -> Candidate:
    """A formula that several attempts ended in and that leaves 1 % of a unit spread."""
    one = Candidate(
        graph=graph,
        snapped=graph,
        constants=(),
        bic=-100.0,
        rms=0.01,
        votes=3,
        has_pole=False,
        validation=0.01,
    )
    return replace(one, **changes)


def found(*candidates: Candidate, **changes: Any) -> Found:
    one = Found(candidates, n_attempts=9, seconds=1.5, ended="finished")
    return replace(one, **changes)
