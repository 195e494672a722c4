"""The networks of the paper's grid: how they are trained, and read as formulas.

Networks that differ in λ only are trained side by side, as one batch of one shape.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from eqlearn._types import Array
from eqlearn.errors import EqlearnError, must, unknown
from eqlearn.jobs.codec import to_bytes
from eqlearn.jobs.job import Specification, Step, Stopwatch
from eqlearn.network.graph import Graph, from_network
from eqlearn.network.transform import rescaled
from eqlearn.network.units import PAPER_UNITS, unit
from eqlearn.search.attempts.random_networks import to_formula
from eqlearn.search.streams import Stream, entropy
from eqlearn.search.task import Task, numerical_context
from eqlearn.training.schedule import PENALTY

# JAX is loaded by the segments that need it, not by every search.
if TYPE_CHECKING:
    from eqlearn.training.gradient import GradientSettings

#: λ of the paper's grid: 10^-6, 10^-5.9, ..., 10^-3.5 (section 4.1).
PAPER_L1 = tuple(10.0 ** (k / 10) for k in range(-60, -34))
#: L of the paper's grid.
PAPER_DEPTHS = (2, 3, 4)
#: Columns of a size within these are trained on as they are, and others divided by it.
UNIT_SIZE = 0.1, 10.0
#: B of Eq. 6 for targets within [-3, 3]; larger ones have it larger by as much.
BOUND, BOUNDED = 10.0, 3.0
#: Ways to draw initial weights, of `training/recipes`, which loads JAX.
INITIAL = ("wide", "released")
#: Epochs trained between two looks at the clock.
N_CHUNK = 10


@dataclass(frozen=True)
class Grid:
    """The candidates of the paper's recipe: every λ with every depth, 78 in all."""

    l1: tuple[float, ...] = PAPER_L1
    depths: tuple[int, ...] = PAPER_DEPTHS
    units: tuple[str, ...] = PAPER_UNITS
    units_per_type: int = 10
    division: bool = True
    n_epochs: int | None = None  # (L - 1) · 10000 in the paper
    refine: bool = True  # prune and refit what training leaves
    n_together: int = 13  # networks trained as one batch
    initial: str = "wide"  # how weights are drawn, or "released": as in their code
    penalty: str = "in_place"  # how penalty epochs are had, or "extra": as there

    def __post_init__(self) -> None:
        if not self.l1 or not self.depths:
            raise must("grid", "of at least one λ and one depth", self)
        if self.n_together < 1:
            raise must("n_together", "at least 1", self.n_together)
        if self.initial not in INITIAL:
            raise unknown("initial", self.initial, INITIAL)
        if self.penalty not in PENALTY:
            raise unknown("penalty", self.penalty, PENALTY)
        for name in self.units:
            unit(name)

    def settings(self, task: Task, n_outputs: int) -> "GradientSettings":
        """How networks of the (one) depth of this grid are trained."""
        from eqlearn.training import recipes

        (n_layers,) = self.depths
        return recipes.paper(
            task.x.shape[1],
            n_outputs,
            n_layers=n_layers,
            units_per_type=self.units_per_type,
            units=self.units,
            division=self.division,
            n_epochs=self.n_epochs,
            penalty=self.penalty,
        )

    def to_document(self) -> dict[str, Any]:
        """The grid as JSON can hold it, which trainings are known by.

        Penalty epochs are in it where they are not as usual.
        """
        document = dict(vars(self))
        if self.penalty == PENALTY[0]:
            del document["penalty"]
        return document

    def batches(self) -> list[tuple[int, tuple[float, ...]]]:
        """Depth and λ of the networks that are trained together.

        Each batch spans the range of λ, and depths take turns: a short search is broad.
        """
        n = -(-len(self.l1) // self.n_together)
        starts = itertools.product(range(n), self.depths)
        return [(depth, self.l1[start::n]) for start, depth in starts]


def batch_specification(grid: Grid, seed: int, index: int) -> dict[str, Any]:
    """What the training of a grid's batch is specified by; see `train`."""
    depth, l1 = grid.batches()[index]
    one_depth = replace(grid, depths=(depth,), l1=l1)
    seeds = entropy(seed, Stream.TRAINING, index)
    return {"grid": one_depth.to_document(), "seed": seeds}


def settings_of(task: Task, specification: Specification) -> "GradientSettings":
    """How the networks of a batch are trained, on data of `as_trained_on`."""
    return _grid(specification["grid"]).settings(task, task.y.shape[1])


def trained_scale(scale: Array) -> Array:
    """What columns of these sizes are divided by before training: most by nothing.

    The paper trains on data as they are. In other units of the target the same λ
    would be another trade-off between error and weights (Eq. 8).
    """
    low, high = UNIT_SIZE
    return np.where((low <= scale) & (scale <= high), 1.0, scale)


def as_trained_on(tasks: Sequence[Task]) -> Task:
    """All targets in one task, in the units that networks are trained in."""
    first = tasks[0]
    scale = trained_scale(first.x_scale)
    ratio = first.x_scale / scale
    targets = [t.y * (t.y_scale / trained_scale(np.array(t.y_scale))) for t in tasks]
    return replace(
        first,
        x=first.x * ratio,
        y=np.concatenate(targets, axis=1),
        low=first.low * ratio,
        high=first.high * ratio,
        x_scale=scale,
        y_scale=1.0,  # each has its own
    )


def as_scaled(task: Task, graph: Graph) -> Graph:
    """Write a trained network for one target in the units of its task."""
    y_scale = trained_scale(np.array([task.y_scale])) / task.y_scale
    return rescaled(graph, trained_scale(task.x_scale) / task.x_scale, y_scale)


def _grid(document: Mapping[str, Any]) -> Grid:
    """Read a grid of one depth that may have come through JSON."""
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in document.items()
    }
    return Grid(**values)


def train(task: Task, specification: Specification, state: bytes | None) -> Step:
    """Train the networks of a batch for the length of a segment."""
    with numerical_context(task):
        return _trained(task, specification, state)


def _trained(task: Task, specification: Specification, state: bytes | None) -> Step:
    from eqlearn.training import checkpoint, gradient, recipes

    grid, watch = _grid(specification["grid"]), Stopwatch()
    n_out = task.n_held_out
    weight = np.ones(len(task.x)) if task.weight is None else task.weight
    samples = [rows[task.n_far :] for rows in (task.x, task.y, weight)]
    domain = np.stack([task.low, task.high], axis=1)
    trained_on = (rows[:-n_out] for rows in samples)
    largest = float(np.max(np.abs(samples[1])))
    bound = BOUND * max(1.0, largest / BOUNDED)
    data = gradient.training_data(*trained_on, domain=domain, bound=bound)
    settings = settings_of(task, specification)
    if state is None:
        rng = np.random.default_rng(specification["seed"])
        some = settings.architecture, rng, len(grid.l1), grid.initial
        weights = recipes.initial_weights(*some)
        seed = int(rng.integers(2**31))
        at = gradient.begin(settings, weights, np.array(grid.l1), seed=seed)
    else:
        at = checkpoint.from_bytes(settings, state)
    n_epochs = settings.schedule.n_epochs
    # Every other length would have to be compiled anew.
    n_chunk = max(n for n in range(1, N_CHUNK + 1) if n_epochs % n == 0)
    while True:
        at, metrics = gradient.train(settings, data, at, n_chunk)
        is_done = int(at.epoch) >= n_epochs
        if is_done or watch.is_over():
            break
    held_out = (rows[-n_out:] for rows in samples)
    errors = gradient.rms_error(settings.architecture, at.weights, *held_out)
    curves = {
        "epoch": int(at.epoch),
        "validation": np.asarray(errors).tolist(),
        "l1_norm": np.asarray(metrics.l1_norm[-1]).tolist(),
        "n_active": np.asarray(metrics.n_active[-1]).tolist(),
    }
    return Step(checkpoint.to_bytes(at, errors), is_done, curves)


def extract(task: Task, specification: Specification, state: bytes | None) -> Step:
    """Read a trained network as a formula for one of its outputs."""
    del state
    with numerical_context(task):
        network = network_of(task, specification)
        graph = for_output(task, network, specification["output"])
        found = to_formula(task, graph)
    return Step(to_bytes(found and found.to_document()), True)


def network_of(task: Task, specification: Specification) -> Graph:
    """Read a trained network, with all of its outputs, as a graph."""
    if specification["diverged_at"] >= 0:
        epoch = specification["diverged_at"]
        raise EqlearnError(f"its weights were no longer finite in epoch {epoch}")
    grid = _grid(specification["grid"])
    architecture = grid.settings(task, specification["n_outputs"]).architecture
    return from_network(architecture, np.array(specification["weights"]))


def for_output(task: Task, network: Graph, output: int) -> Graph:
    """One output of a trained network, in the units of its task."""
    return as_scaled(task, replace(network, outputs=(network.outputs[output],)))
