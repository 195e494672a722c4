"""The paper's grids of networks (section 4): a line for each when it is trained.

A grid takes hours. Networks are trained in batches, the longest first; a batch under
way is kept beside the lines, and the same call goes on from there to the same networks.
"""

import hashlib
import json
import math
import os
import time
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from eqlearn import __version__
from eqlearn._types import Array, Tell
from eqlearn.baselines.question import Question
from eqlearn.errors import must
from eqlearn.network.architecture import Architecture
from eqlearn.network.canonical import compact
from eqlearn.network.document import to_document
from eqlearn.network.forward import forward
from eqlearn.network.graph import Graph, from_network
from eqlearn.network.instance import active_units, connected_units
from eqlearn.network.transform import rescaled
from eqlearn.problems import problem
from eqlearn.reproduce.commit import commit
from eqlearn.reproduce.jsonl import Line, append_line, number, whole_lines
from eqlearn.reproduce.section4.experiments import OURS
from eqlearn.reproduce.section4.runs import TO_THE_END, Run, TimedRun, posed
from eqlearn.search.attempts import grid_networks as grids
from eqlearn.search.attempts.grid_networks import Grid
from eqlearn.search.prepare import tasks_of
from eqlearn.search.request import Request
from eqlearn.search.strategy import STANDARD
from eqlearn.search.task import Task

#: Noise-free points that the networks are tested on, inside and outside.
N_TEST = 5000
#: The paper's networks, as their training leaves them.
GRID = Grid(refine=False)
#: Networks with more weights are kept as numbers only: lines live in git.
MOST_KEPT = 150
#: Digits of the weights that are kept; the training had seven.
DIGITS = 9
#: Seconds after which a batch under way is written down, and told about.
SAVE_EVERY, NEWS_EVERY = 30.0, 300.0

#: What a file of another version, or one that is cut off, is refused with.
UNREADABLE = (KeyError, ValueError, TypeError, OSError, EOFError, zipfile.BadZipFile)


@dataclass(frozen=True)
class Training:
    """A grid to be trained on one draw of a problem's data."""

    problem: str
    seed: int
    length: float = 1.0  # of the paper's T = (L - 1) · 10000 epochs
    rows: int | None = None  # the problem's own number
    grid: Grid = GRID

    def __post_init__(self) -> None:
        problem(self.problem)
        if not 0 < self.length <= 1:
            raise must("length", "above 0 and at most 1", self.length)

    @property
    def run(self) -> Run:
        """The run that draws the data."""
        asked, method = problem(self.problem), OURS["paper"]
        about = "networks", self.problem, self.seed, self.rows or asked.n_train
        return Run(method, *about, asked.noise, asked.n_far, TO_THE_END)

    def request(
        self, question: Question, far: tuple[Array, Array] | None = None
    ) -> Request:
        """What is asked of a search on the data that the run has drawn."""
        share = problem(self.problem).held_out
        strategy = replace(STANDARD, rows=replace(STANDARD.rows, held_out=share))
        return Request(
            question.x,
            question.y,
            seed=self.seed,
            far=far,
            recipe=self.grid,
            strategy=strategy,
        )

    def batches(self) -> "list[GridBatch]":
        """All networks, the deepest first: their training is the longest."""
        batches = [GridBatch(self, index) for index in range(len(self.grid.batches()))]
        return sorted(batches, key=lambda batch: -batch.depth)

    @property
    def known_by(self) -> Line:
        """What all of its lines share: whose networks they are."""
        return {
            "problem": self.problem,
            "seed": self.seed,
            "rows": self.run.rows,
            "noise": self.run.noise,
            "length": self.length,
            "options": {"initial": self.grid.initial, "penalty": self.grid.penalty},
        }


def trainings(
    problems: Sequence[str], seeds: Sequence[int], length: float = 1.0, **options: Any
) -> list[Training]:
    """The paper's grid, with some options of its own, on problems, from every seed."""
    grid = replace(GRID, **options)
    return [
        Training(name, seed, length, grid=grid) for seed in seeds for name in problems
    ]


@dataclass(frozen=True)
class GridBatch:
    """Networks of one depth that are trained together."""

    training: Training
    index: int  # in the grid; their random numbers come from it

    @property
    def depth(self) -> int:
        """The L of its networks."""
        return self.training.grid.batches()[self.index][0]

    @property
    def l1(self) -> tuple[float, ...]:
        """The λ of each."""
        return self.training.grid.batches()[self.index][1]

    @property
    def specification(self) -> dict[str, Any]:
        """What its training is specified by."""
        grid, seed = self.training.grid, self.training.seed
        whole = grids.batch_specification(grid, seed, self.index)
        if self.training.length == 1:
            return whole
        n_epochs = grid.n_epochs or (self.depth - 1) * 10_000
        shorter = max(1, round(self.training.length * n_epochs))
        return {**whole, "grid": {**whole["grid"], "n_epochs": shorter}}

    @property
    def name(self) -> str:
        """A name for a file of it, and of no other."""
        text = json.dumps([self.specification, self.training.known_by], sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()[:12]
        one = self.training
        return f"{one.problem}-{one.seed}-L{self.depth}-{self.index}-{digest}"

    def key(self, l1: float) -> str:
        """What makes two lines tell of the same network."""
        return key_of({**self.training.known_by, "depth": self.depth, "l1": _short(l1)})


def grid_of(line: Line) -> str:
    """Read off a line which grid its network is of."""
    names = Training("division", 1).known_by
    return json.dumps({name: line[name] for name in names}, sort_keys=True)


def key_of(line: Line) -> str:
    """Read off a line which network it tells about."""
    return json.dumps([grid_of(line), line["depth"], line["l1"]])


def train_networks(
    trainings: Sequence[Training],
    path: Path,
    *,
    depths: Sequence[int] | None = None,
    tell: Tell = print,
) -> None:
    """Train the networks that a file has no line of, one batch after another.

    `depths` are those that are wanted, if not all are.
    """
    known_depths = {depth for training in trainings for depth in training.grid.depths}
    for depth in depths or ():
        if depth not in known_depths:
            raise must("depths", f"some of {sorted(known_depths)}", depth)
    path.parent.mkdir(parents=True, exist_ok=True)
    for training in trainings:
        data: GridData | None = None
        for batch in training.batches():
            if depths is not None and batch.depth not in depths:
                continue
            known = {key_of(line) for line in whole_lines(path)}
            missing = [l1 for l1 in batch.l1 if batch.key(l1) not in known]
            if not missing:
                continue
            data = data or data_of(training)
            keep = path.parent / "under-way" / batch.name
            kept = trained(batch, data.task, keep, tell)
            for line in lines_of(batch, data, kept):
                if _short(line["l1"]) in map(_short, missing):
                    append_line(path, line)
            keep.unlink()
            tell(f"{batch.name}: {len(missing)} networks, {kept.seconds / 60:.1f} min")


class Kept(NamedTuple):
    """A batch as far as it was trained."""

    state: bytes | None
    seconds: float = 0.0  # that it took in all sessions
    is_done: bool = False


def trained(batch: GridBatch, task: Task, path: Path, tell: Tell) -> Kept:
    """Train a batch to its end, from where it was left."""
    specification = batch.specification
    kept = _usable(read_kept(path), task, specification)
    clock = saved = told = time.monotonic()
    while not kept.is_done:
        step = grids.train(task, specification, kept.state)
        now = time.monotonic()
        kept = Kept(step.state, kept.seconds + now - clock, step.is_done)
        clock = now
        if now - saved >= SAVE_EVERY or kept.is_done:
            write_kept(path, kept)
            saved = now
        if now - told >= NEWS_EVERY:
            minutes = kept.seconds / 60
            tell(f"{batch.name}: epoch {step.metrics['epoch']}, {minutes:.1f} min")
            told = now
    return kept


def _usable(kept: Kept, task: Task, specification: dict[str, Any]) -> Kept:
    """What is kept, if this version can go on from it, or a new beginning."""
    from eqlearn.training.checkpoint import from_bytes

    if kept.state is None:
        return kept
    try:
        from_bytes(grids.settings_of(task, specification), kept.state)
    except UNREADABLE:
        return Kept(None)
    return kept


def read_kept(path: Path) -> Kept:
    """Read a batch under way; one that was not begun, or is cut off, is to be begun."""
    try:
        head, _, state = path.read_bytes().partition(b"\n")
        about = json.loads(head)
        return Kept(state, float(about["seconds"]), about["is_done"])
    except UNREADABLE:
        return Kept(None)


def write_kept(path: Path, kept: Kept) -> None:
    """Write a batch under way, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    about = {"seconds": kept.seconds, "is_done": kept.is_done}
    part = path.with_name(path.name + ".part")
    with part.open("wb") as file:
        file.write(json.dumps(about).encode() + b"\n" + (kept.state or b""))
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


@dataclass(frozen=True)
class GridData:
    """What a grid is trained on, chosen by and tested on."""

    task: Task  # all targets, as networks are trained on them
    x_scale: Array  # (D,) what inputs and targets are divided by for that
    y_scale: Array  # (M,)
    points: dict[str, tuple[Array, Array]]  # by the name of the error there

    def errors(self, architecture: Architecture, weights: Array) -> Line:
        """RMS errors of a network at θ = 1e-4."""

        def rms(x: Array, y: Array) -> float:
            outputs = forward(architecture, weights, x / self.x_scale).outputs
            squares = np.sum((outputs * self.y_scale - y) ** 2, axis=1)
            return float(np.sqrt(np.mean(squares)))

        with np.errstate(all="ignore"):
            return {name: number(rms(*at), 6) for name, at in self.points.items()}


def data_of(training: Training) -> GridData:
    """Draw the data of a training."""
    run, asked = training.run, training.run.asked
    question, rng = posed(TimedRun(run, math.inf)), run.random(1)
    assert question.far is not None
    tasks = tasks_of(training.request(question))
    task = grids.as_trained_on(tasks)
    y_scale = grids.trained_scale(np.array([one.y_scale for one in tasks]))
    rows = slice(-task.n_held_out, None)
    points = {
        "validation": (task.x[rows] * task.x_scale, task.y[rows] * y_scale),
        "extrapolation": question.far,
        "rms_inside": asked.sample(N_TEST, rng, noise=0.0),
        "rms_outside": asked.sample_extrapolation(N_TEST, rng),
    }
    return GridData(task, task.x_scale, y_scale, points)


def lines_of(batch: GridBatch, data: GridData, kept: Kept) -> Iterator[Line]:
    """Judge each network of a batch that is trained."""
    from eqlearn.training.checkpoint import trained as networks

    assert kept.state is not None
    settings = grids.settings_of(data.task, batch.specification)
    weights, diverged_at, _ = networks(kept.state)
    shared = {
        **batch.training.known_by,
        "depth": batch.depth,
        "epochs": settings.schedule.n_epochs,
        "seconds": round(kept.seconds / len(weights), 1),
        "version": __version__,
        "commit": commit(),
    }
    for l1, one, epoch in zip(batch.l1, weights, diverged_at, strict=True):
        line = {**shared, "l1": _short(l1), "diverged_at": None}
        if epoch >= 0:
            yield {**line, "diverged_at": int(epoch), **_DIVERGED}
        else:
            yield {**line, **_judged(settings.architecture, one, data)}


#: What is known of a network whose weights are no numbers.
_DIVERGED = dict.fromkeys(
    ("validation", "extrapolation", "rms_inside", "rms_outside")
    + ("s", "s_released", "n_parameters", "graph")
)


def _judged(architecture: Architecture, weights: Array, data: GridData) -> Line:
    weights = np.asarray(weights, dtype=float)
    network = from_network(architecture, weights)
    graph = compact(rescaled(network, data.x_scale, data.y_scale))
    is_kept = graph.n_parameters <= MOST_KEPT
    return {
        **data.errors(architecture, weights),
        "s": connected_units(network),
        "s_released": active_units(network),
        "n_parameters": graph.n_parameters,
        "graph": to_document(_rounded(graph)) if is_kept else None,
    }


def _rounded(graph: Graph) -> Graph:
    weights = [float(f"{w:.{DIGITS}g}") for _, w in graph.connections()]
    return graph.with_weights(np.array(weights))


def _short(l1: float) -> float:
    return float(f"{l1:.4g}")
