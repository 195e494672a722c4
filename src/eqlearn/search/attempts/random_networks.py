"""Small networks from many random starts, each trained to a formula.

An attempt is a pure function of the task and its number: draw a network, train it to a
sparse one, prune it to a formula, try the quick structural moves.
"""

import math
from typing import NamedTuple

from eqlearn.equation.refine.criterion import Scored
from eqlearn.equation.refine.hill_climb import improve
from eqlearn.equation.refine.moves import QUICK
from eqlearn.equation.refine.prune import prune_in_stages
from eqlearn.network.architecture import Architecture, Block
from eqlearn.network.canonical import compact
from eqlearn.network.forward import initialise
from eqlearn.network.graph import CONSTANT, Graph, from_network
from eqlearn.search.strategy import LayerSizes, Networks
from eqlearn.search.streams import Stream, generator
from eqlearn.search.task import Task
from eqlearn.training.sparse import SparseTraining, fixed_denominators, train


class Configuration(NamedTuple):
    """What one network tries."""

    hidden: LayerSizes
    division: bool
    spread: float
    training: SparseTraining


def configuration(task: Task, number: int) -> Configuration:
    """Choose what the network of this number tries."""
    by = task.strategy.networks
    rng = generator(task.seed, Stream.CONFIGURATION, number)
    rotation = by.quick if number < by.n_quick else by.long
    shapes = rotation.shapes
    l1, spread = float(rng.choice(rotation.l1)), float(rng.choice(rotation.spreads))
    return Configuration(
        hidden=shapes[number % len(shapes)],
        division=(number // len(shapes)) % 2 == 1,
        spread=spread,
        training=SparseTraining(l1, rotation.n_iterations, rotation.n_free),
    )


def train_network(task: Task, number: int, residual: float = math.inf) -> Scored | None:
    """Train, prune and tidy the network of this number; None if nothing is left.

    The best `residual` so far does not help: good runs look average until pruned.
    """
    del residual
    config = configuration(task, number)
    rng = generator(task.seed, Stream.WEIGHTS, number)
    architecture = Architecture(
        task.x.shape[1],
        task.y.shape[1],
        tuple(_blocks(task, *sizes) for sizes in config.hidden),
        config.division,
        skip=True,
    )
    weights = initialise(architecture, rng, spread=config.spread, denominator=1.0)
    start = fixed_denominators(from_network(architecture, weights))
    domain = (task.low, task.high)
    graph = train(start, task.x, task.y, domain, config.training, rng, task.weight)
    return to_formula(task, graph)


def _blocks(task: Task, n_sin: int, n_multiply: int) -> tuple[Block, ...]:
    """As many of each unit as a shape says; some of every other kind."""
    counts, others = (
        {"sin": n_sin, "multiply": n_multiply},
        task.strategy.networks.others,
    )
    return tuple(Block(name, counts.get(name, others)) for name in task.units)


def to_formula(task: Task, graph: Graph) -> Scored | None:
    """Turn a trained network, however it was trained, into a formula."""
    by, tactics = task.strategy.networks, task.tactics
    graph = compact(graph.without(_small_weights(graph, by)))
    if not graph.n_parameters:
        return None
    data = task.search_rows()
    best = prune_in_stages(graph, data, tactics)
    if best.graph.n_parameters <= by.most_parameters:
        best = improve(best, data, QUICK, tactics, patience=by.patience)
    return best


def _small_weights(graph: Graph, by: Networks) -> set[tuple[int, int]]:
    return {
        key
        for key, w in graph.connections()
        if abs(w) < by.small_weight and key[1] != CONSTANT
    }
