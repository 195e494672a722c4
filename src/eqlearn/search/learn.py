"""From a table to ranked formulas: check, scale, plan, run, conclude."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from eqlearn._types import Array, Numbers
from eqlearn.data.scale import domain_of_use, scaling_of
from eqlearn.data.table import checked_domain, checked_samples, checked_weight
from eqlearn.equation.refine.criterion import complexity, refit
from eqlearn.errors import EqlearnError, check_count, must, unknown
from eqlearn.jobs.backends import backend
from eqlearn.jobs.runner import Ending, Event, Interrupts, run
from eqlearn.jobs.store import Memory, Store
from eqlearn.network.canonical import canonical
from eqlearn.network.document import to_document
from eqlearn.network.graph import Graph
from eqlearn.network.transform import rescaled
from eqlearn.network.units import definition, own_units, unit
from eqlearn.search.fast_plan import MOST_ATTEMPTS, FastPlan
from eqlearn.search.keep.final_fits import Candidate, row
from eqlearn.search.keep.finishing import Target
from eqlearn.search.keep.pool import Pool, nothing
from eqlearn.search.paper_plan import Grid, PaperPlan
from eqlearn.search.task import DEFAULT_UNITS, N_PRUNE, N_SEARCH, Task, computing

RECIPES = ("fast", "paper")
#: What worker processes load before their first segment: the compiled kernels.
PRELOAD = ("eqlearn.search.fast_plan",)
#: Far points that every selection of rows has; of more, the others are rows like any.
MOST_FAR = N_SEARCH // 4
#: Data of more bytes are not sent to workers: what needs all of them, final fits and
#: the training of the paper's recipe, is computed here.
LARGEST_SENT = 64_000_000


@dataclass(frozen=True)
class Found:
    """What a search found for one target, best first."""

    candidates: tuple[Candidate, ...]
    n_attempts: int
    seconds: float
    ended: str  # finished, time or interrupt
    failures: tuple[tuple[str, str], ...] = ()  # jobs that failed, and why

    @property
    def is_something(self) -> bool:
        """Whether the data say more of the target than its mean."""
        return self.candidates[0].is_something


class Best(NamedTuple):
    """The best formula for one target so far."""

    graph: Graph  # in the units of the data
    rms: float
    complexity: int


class Progress(NamedTuple):
    """How far a search is, for a callback."""

    seconds: float
    time_limit: float | None
    n_done: int
    n_running: int
    n_failed: int
    best: tuple[Best, ...]  # for each target


def learn(
    x: Array,
    y: Array,
    *,
    domain: Numbers | None = None,
    weight: Array | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    far: tuple[Array, Array] | None = None,
    units: Sequence[str] = DEFAULT_UNITS,
    recipe: str | Grid = "fast",
    max_attempts: int = MOST_ATTEMPTS,
    jobs: int | None = None,
    scheduler: str | None = None,
    run_dir: Path | str | None = None,
    known: Sequence[Sequence[Graph]] | None = None,
    callback: Callable[[Progress], None] = lambda progress: None,
) -> list[Found]:
    """Search a formula for every column of `y` (N, M) in terms of `x` (N, D).

    Parameters
    ----------
    x, y : arrays
        Samples by inputs and samples by targets.
    domain : array of (low, high) for each input, optional
        The domain of use; by default the range of the data widened to twice its size.
    weight : array (N,), optional
        How much each sample counts; 2 counts as if the sample were there twice.
    seed : int
        Another seed makes other attempts. The same one gives the same answer, on
        however many processes and machines, unless a time limit cuts it short.
    time_limit : float, optional
        Seconds for the whole search; without one it ends when the attempts agree.
    far : (x, y), optional
        Labelled points outside the range of the others: few of them tell a formula
        from its imitations.
    units : names of units
        What the fast recipe's networks are made of.
    recipe : {"fast", "paper"} or Grid
        The fast recipe, the paper's grid of 78 networks, or another grid like it.
    max_attempts : int
        Attempts of the fast recipe at each target if they do not agree before: a limit
        that, unlike time, always ends the search at the same point.
    jobs : int, optional
        Processes to use; by default one for every core.
    scheduler : str, optional
        Address of a Dask scheduler whose workers are to be used instead.
    run_dir : path, optional
        Where every finished step is kept. The same call again goes on from there.
    known : graphs for each target, optional
        Formulas in the units of the data that are candidates from the start.
    callback : callable
        Called with a `Progress` whenever something was finished.
    """
    if time_limit is not None and not time_limit > 0:
        raise must("time_limit", "above 0 seconds, or None", time_limit)
    check_count("max_attempts", max_attempts)
    check_count("seed", seed, least=0)
    if isinstance(recipe, Grid):  # refinement is of the same units
        units = recipe.units
    for name in units:
        unit(name)
    tasks = tasks_of(
        x, y, domain=domain, weight=weight, seed=seed, far=far, units=tuple(units)
    )
    data, targets = _targets(tasks)
    for target, graphs in zip(targets, known or [()] * len(targets), strict=True):
        _remember(target.pool, graphs)
    plans = _plans(recipe, tasks, targets, data, max_attempts)
    identity = {
        "settings": {
            "recipe": recipe if isinstance(recipe, str) else vars(recipe),
            "seed": seed,
            "units": list(units),
            "own_units": {own.name: definition(own) for own in own_units(units)},
            "known": [[to_document(graph) for graph in some] for some in known or ()],
        },
        "data": fingerprint(x, y, domain, weight, *(far or ())),
    }

    def show(event: Event) -> None:
        counts = event.n_done, event.n_running, event.n_failed
        best = tuple(map(_best, targets))
        callback(Progress(event.seconds, time_limit, *counts, best))

    def searched(store: Memory | Store) -> list[Found]:
        with (
            Interrupts().listening() as interrupts,
            backend(data, jobs=jobs, scheduler=scheduler, preload=PRELOAD) as workers,
        ):
            ending = run(
                plans,
                workers,
                store,
                time_limit=time_limit,
                interrupts=interrupts,
                callback=show,
            )
        _check_failures(targets, store)
        found = [_found(target, ending, store) for target in targets]
        store.conclude([[row(c) for c in f.candidates] for f in found], ending.reason)
        return found

    if run_dir is None:
        return searched(Memory())
    with Store(Path(run_dir), identity) as store:
        return searched(store)


def tasks_of(
    x: Array,
    y: Array,
    *,
    seed: int,
    domain: Numbers | None = None,
    weight: Array | None = None,
    far: tuple[Array, Array] | None = None,
    units: tuple[str, ...] = DEFAULT_UNITS,
) -> list[Task]:
    """Check and scale the data; one task for each target."""
    x, y = checked_samples(x, y)
    if weight is not None:
        weight = checked_weight(weight, len(x))
        x, y, weight = x[weight > 0], y[weight > 0], weight[weight > 0]
    if len(x) <= N_SEARCH:
        x, y, weight = _distinct(x, y, weight)
    if weight is not None:
        weight = weight / np.mean(weight)  # so that errors keep their unit
    x_far, y_far = (x[:0], y[:0]) if far is None else _checked_far(far, x, y)
    if len(x_far) > MOST_FAR:
        x = np.concatenate([x, x_far[MOST_FAR:]])
        y = np.concatenate([y, y_far[MOST_FAR:]])
        x_far, y_far = x_far[:MOST_FAR], y_far[:MOST_FAR]
        if weight is not None:
            weight = np.concatenate([weight, np.ones(len(x) - len(weight))])
    order = np.random.default_rng([seed, 3]).permutation(len(x))
    x, y = x[order], y[order]
    weight = None if weight is None else weight[order]
    scales = scaling_of(x, y)
    if len(x_far):
        # In front, so that no smaller selection of rows leaves them out.
        x, y = np.concatenate([x_far, x]), np.concatenate([y_far, y])
        if weight is not None:
            weight = np.concatenate([np.ones(len(x_far)), weight])
    if domain is None:
        low, high = domain_of_use(x)
    else:
        low, high = checked_domain(domain, x.shape[1])
    x /= scales.x  # by now it is a copy
    return [
        Task(
            x,
            y[:, m : m + 1] / y_scale,
            low / scales.x,
            high / scales.x,
            scales.x,
            float(y_scale),
            n_far=len(x_far),
            seed=seed,
            weight=weight,
            units=units,
            own_units=own_units(units),
        )
        for m, y_scale in enumerate(scales.y)
    ]


def _distinct(x: Array, y: Array, weight: Array | None) -> tuple[Array, Array, Any]:
    """Merge equal rows of a small table: said twice, a thing is not known better.

    A formula with a parameter for every fourth row could retell them otherwise.
    """
    rows = np.hstack([x, y])
    _, first, which = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    if len(first) == len(rows):
        return x, y, weight
    total = np.bincount(which.ravel(), weight)
    order = np.argsort(first)
    first = first[order]
    return x[first], y[first], total[order]


def _checked_far(far: tuple[Array, Array], x: Array, y: Array) -> tuple[Array, Array]:
    x_far, y_far = checked_samples(*far)
    if (x_far.shape[1], y_far.shape[1]) != (x.shape[1], y.shape[1]):
        what = f"points with {x.shape[1]} inputs and {y.shape[1]} targets"
        raise must("far", what, (x_far.shape[1], y_far.shape[1]))
    return x_far, y_far


def _targets(tasks: list[Task]) -> tuple[dict[str, Task], list[Target]]:
    """The data that workers compute from, by name, and a pool for each target."""
    data: dict[str, Task] = {}
    targets = []
    for m, task in enumerate(tasks):
        few = task if len(task.x) <= N_PRUNE else task.first(N_PRUNE)
        whole = str(m) if few is task else f"{m}/all"
        data |= {str(m): few, whole: task}
        pool = Pool(few)
        pool.add(nothing(few, few.compared()))
        at_home = task.x.nbytes > LARGEST_SENT
        targets.append(Target(m, pool, whole, at_home))
    return data, targets


def _remember(pool: Pool, graphs: Sequence[Graph]) -> None:
    task = pool.task
    with computing(task):
        data = task.compared()
        for graph in graphs:
            scaled = rescaled(graph, 1.0 / task.x_scale, [1.0 / task.y_scale])
            pool.add(refit(canonical(scaled, data.x), data), votes=0)


def _plans(
    recipe: str | Grid,
    tasks: list[Task],
    targets: list[Target],
    data: dict[str, Task],
    max_attempts: int,
) -> Sequence[FastPlan | PaperPlan]:
    if recipe == "fast":
        return [
            FastPlan(target, [t for t in targets if t is not target], max_attempts)
            for target in targets
        ]
    if recipe == "paper":
        recipe = Grid()
    if not isinstance(recipe, Grid):
        raise unknown("recipe", recipe, RECIPES)
    for target in targets:
        target.refine = recipe.refine
    data["all"] = replace(tasks[0], y=np.concatenate([t.y for t in tasks], axis=1))
    return [PaperPlan(recipe, targets, "all", tasks[0].seed)]


def fingerprint(*arrays: Numbers | None) -> str:
    """Sixteen letters that change with any number in the data."""
    digest = hashlib.sha256()
    for array in arrays:
        numbers = np.zeros(0) if array is None else np.asarray(array, float)
        digest.update(repr(numbers.shape).encode())
        for start in range(0, len(numbers), N_PRUNE):  # a copy of all may be too much
            digest.update(np.ascontiguousarray(numbers[start : start + N_PRUNE]).data)
    return digest.hexdigest()[:16]


def _best(target: Target) -> Best:
    found, task = target.pool.best, target.pool.task
    n = task.compared().n_residuals
    rms = task.y_scale * float(np.sqrt(found.sse / n))
    return Best(task.in_units(found.graph), rms, complexity(found.graph))


def _check_failures(targets: Sequence[Target], store: Memory | Store) -> None:
    """Tell a search that failed from one that found nothing."""
    failures = list(store.failures().values())
    if failures and not any(target.n_ended for target in targets):
        raise EqlearnError(
            f"Every step of the search failed, {len(failures)} of them; the first: "
            f"{failures[0]}"
        )


def _found(target: Target, ending: Ending, store: Memory | Store) -> Found:
    return Found(
        tuple(target.candidates),
        target.n_attempts,
        ending.seconds,
        ending.reason,
        tuple(store.failures().items()),
    )
