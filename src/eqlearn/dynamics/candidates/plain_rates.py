"""Rates that are other states: of a position, the velocity.

As long as other equations are wrong, trajectories are followed better if this one is
wrong, too, and makes up for them. So what the rates themselves say is held at first.
"""

from collections.abc import Mapping, Sequence

from eqlearn.dynamics.smooth.rate_rows import RateRows
from eqlearn.equation.refine.criterion import refit, score
from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.training.levenberg import mean_square
from eqlearn.training.samples import Samples, samples

_ONE = {CONSTANT: 1.0}


def plain_rates(
    rows: RateRows, options: Mapping[int, Sequence[Graph]]
) -> dict[int, Graph]:
    """The states whose rates are other states, each with that rate.

    Without a constant that is fitted it must do better than every other formula.
    """
    n_states, n_inputs = rows.rates.shape[1], rows.x.shape[1]
    found = {}
    for state, graphs in options.items():
        data = samples(rows.x, rows.rates[:, state : state + 1])
        best = min(refit(graph, data).bic for graph in graphs)
        others = [k for k in range(n_states) if k != state]
        likely = [(_criterion(_held(k, n_inputs), data), k) for k in others]
        if likely and min(likely)[0] < best:
            found[state] = _held(min(likely)[1], n_inputs)
    return found


def freed(rate: Graph) -> Graph:
    """Such a rate with its weight to be fitted."""
    return rate.with_slots(rate.slots(), frozenset({(1, CONSTANT)}))


def _held(source: int, n_inputs: int) -> Graph:
    fixed = frozenset({(0, source), (1, CONSTANT)})
    return Graph(n_inputs, (), (({source: 1.0}, _ONE),), fixed=fixed)


def _criterion(rate: Graph, data: Samples) -> float:
    return score(rate, mean_square(rate, data) * data.n_residuals, data).bic
