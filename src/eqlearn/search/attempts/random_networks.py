"""The fast recipe's candidates: small networks from many random starts.

A restart is a pure function of the task and its index: draw a network, train it to a
sparse one, prune it to a formula, try the quick structural moves.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from eqlearn.equation.refine.criterion import Scored
from eqlearn.equation.refine.hill_climb import Patience, improve
from eqlearn.equation.refine.rewrites import QUICK
from eqlearn.network.architecture import Architecture, Block
from eqlearn.network.canonical import compact
from eqlearn.network.forward import initialise
from eqlearn.network.graph import CONSTANT, Graph, from_network
from eqlearn.search.task import Task, pruned_in_stages
from eqlearn.training.sparse import SparseTraining, fixed_denominators, train


class Configuration(NamedTuple):
    """What one restart tries."""

    hidden: tuple[tuple[int, int], ...]  # (sines, products) of each hidden layer
    division: bool
    l1: float
    spread: float
    n_iterations: int = 100
    n_free: int = 20


@dataclass(frozen=True)
class Rotation:
    """What restarts go through by turns: shapes in order, the rest drawn at random."""

    shapes: tuple[tuple[tuple[int, int], ...], ...]
    l1: tuple[float, ...]
    spreads: tuple[float, ...]
    n_iterations: int
    n_free: int


#: Small and large, shallow and deep, so that a short search is broad.
QUICK_ROTATION = Rotation(
    shapes=(
        ((6, 5),),
        ((6, 5), (4, 5)),
        ((4, 3), (4, 3)),
        ((4, 4), (3, 3), (3, 3)),
    ),
    l1=(1e-4, 3e-4, 1e-3),
    spreads=(2.0, 2.0, 4.0, 1.0),
    n_iterations=100,
    n_free=20,
)
#: What is not found by then has functions within functions. Longer training under
#: stronger penalties unravels more of those for the same time.
LONG_ROTATION = Rotation(
    shapes=(
        ((6, 5), (4, 5)),
        ((4, 3), (4, 3)),
        ((4, 4), (3, 3), (3, 3)),
        ((6, 4), (4, 4), (4, 3)),
    ),
    l1=(3e-4, 1e-3, 3e-3, 1e-2),
    spreads=(2.0, 3.0, 4.0),
    n_iterations=250,
    n_free=40,
)
#: Restarts of the quick rotation, with and without division, before the long one.
N_QUICK = 8
#: Weights that training has left smaller than this are dropped before pruning.
SMALL_WEIGHT = 1e-2
#: Formulas with more parameters get no moves yet: most are far from any law.
QUICK_PARAMETERS = 30

_QUICK_PATIENCE = Patience(n_proposals=60, n_rounds=10)


def configuration(task: Task, index: int) -> Configuration:
    """Choose what the restart of this index tries."""
    rng = np.random.default_rng([task.seed, 1, index])
    rotation = QUICK_ROTATION if index < N_QUICK else LONG_ROTATION
    shapes = rotation.shapes
    return Configuration(
        hidden=shapes[index % len(shapes)],
        division=(index // len(shapes)) % 2 == 1,
        l1=float(rng.choice(rotation.l1)),
        spread=float(rng.choice(rotation.spreads)),
        n_iterations=rotation.n_iterations,
        n_free=rotation.n_free,
    )


def restart(task: Task, index: int, known: float = math.inf) -> Scored | None:
    """Train, prune and tidy the network of this index; None if nothing is left.

    What is `known` so far does not help: good runs look average until pruned.
    """
    del known
    config = configuration(task, index)
    rng = np.random.default_rng([task.seed, 2, index])
    hidden = tuple(_blocks(task.units, *sizes) for sizes in config.hidden)
    architecture = Architecture(
        task.x.shape[1], task.y.shape[1], hidden, config.division, skip=True
    )
    weights = initialise(architecture, rng, spread=config.spread, denominator=1.0)
    start = fixed_denominators(from_network(architecture, weights))
    domain = (task.low, task.high)
    training = SparseTraining(config.l1, config.n_iterations, config.n_free)
    graph = train(start, task.x, task.y, domain, training, rng, task.weight)
    return refined(task, graph)


def _blocks(units: tuple[str, ...], n_sin: int, n_multiply: int) -> tuple[Block, ...]:
    """As many of each unit as a shape says; two of every other kind."""
    counts = {"sin": n_sin, "multiply": n_multiply}
    return tuple(Block(name, counts.get(name, 2)) for name in units)


def refined(task: Task, graph: Graph) -> Scored | None:
    """Turn a trained network, however it was trained, into a formula."""
    small = {
        key
        for key, w in graph.connections()
        if abs(w) < SMALL_WEIGHT and key[1] != CONSTANT
    }
    graph = compact(graph.without(small))
    if not graph.n_parameters:
        return None
    data = task.compared()
    best = pruned_in_stages(graph, data)
    if best.graph.n_parameters <= QUICK_PARAMETERS:
        best = improve(best, data, QUICK, patience=_QUICK_PATIENCE)
    return best
