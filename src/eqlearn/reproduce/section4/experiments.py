"""What section 4 of the paper tried, on what, and what it reports."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from eqlearn.errors import unknown
from eqlearn.problems import RANDOM_EXPRESSIONS, problem
from eqlearn.problems.paper import CART_PENDULUM
from eqlearn.reproduce.section4.runs import ONE_TIME, TEN_TIMES, TO_THE_END, Run

FAST = "fast"
#: Our method by recipe: the fast one, the published one, and the published one whose
#: networks are then pruned and refitted as the fast recipe does.
OURS = {FAST: "eqlearn", "paper": "eqlearn-paper", "refined": "eqlearn-refined"}
#: Rivals whose training ends by itself.
TRAINED = ("eql", "mlp", "svr")
#: Rivals that search until their time is over.
EVOLUTIONARY = ("pyoperon", "gplearn")
#: Methods whose training takes hours: they keep what they have finished.
OF_HOURS = (OURS["paper"], OURS["refined"], "eql")


@dataclass(frozen=True)
class Experiment:
    """Problems, each of which every method learns from several seeds."""

    title: str
    problems: tuple[str, ...]
    n_seeds: int
    seconds: float  # for one run, unless its limit is a multiple of eqlearn's time
    has_far: bool = True  # whether everything is learned with far points, too
    rivals: tuple[str, ...] = TRAINED + EVOLUTIONARY


EXPERIMENTS: Mapping[str, Experiment] = {
    "division": Experiment("Division", ("division",), 10, 60, has_far=False),
    "formulas": Experiment("Formulas", ("F-1", "F-2", "F-3", "F-4"), 10, 60),
    "random": Experiment(
        "Random expressions",
        RANDOM_EXPRESSIONS,
        3,
        180,
        rivals=(*TRAINED, *EVOLUTIONARY, "zero"),
    ),
    "pendulum": Experiment(
        "Cart-pendulum",
        tuple(p.name for p in CART_PENDULUM),
        10,
        180,
        rivals=(*TRAINED, *EVOLUTIONARY, "sindy", "sindy-informed", "zero"),
    ),
}


def experiment(name: str) -> Experiment:
    """Look an experiment up by name."""
    if name not in EXPERIMENTS:
        raise unknown("experiment", name, EXPERIMENTS)
    return EXPERIMENTS[name]


def methods_of(name: str, recipe: str) -> tuple[str, ...]:
    """Which methods an experiment compares, ours first."""
    if recipe not in OURS:
        raise unknown("recipe", recipe, OURS)
    return OURS[recipe], *experiment(name).rivals


def runs_of(
    name: str,
    *,
    recipe: str = "fast",
    methods: Sequence[str] | None = None,
    n_seeds: int | None = None,
    seconds: float | None = None,
) -> list[Run]:
    """List the runs of an experiment, each method going through everything.

    Our method comes first, because the limit of the evolutionary ones is a multiple of
    its time. With the paper's recipe, trainings have no limit. `seconds` is the limit
    of every method.
    """
    asked, known = experiment(name), methods_of(name, recipe)
    limits: dict[str, tuple[str, ...]] = {}
    if seconds is None:
        limits |= dict.fromkeys(EVOLUTIONARY, (ONE_TIME, TEN_TIMES))
        if recipe != FAST:
            limits |= dict.fromkeys((OURS[recipe], *TRAINED), (TO_THE_END,))
    return [
        measured(which, method, name, seed, limit, has_far=has_far)
        for method in known
        if methods is None or method in methods
        for seed in range(1, (n_seeds or asked.n_seeds) + 1)
        for has_far in (False, True)[: 1 + asked.has_far]
        for which in asked.problems
        for limit in limits.get(method, (f"{seconds or asked.seconds:g}",))
    ]


def measured(
    which: str, method: str, group: str, seed: int, limit: str, *, has_far: bool
) -> Run:
    """A run on a problem as it is measured.

    The rows are the paper's less those it holds out; methods that hold rows out take
    them from these.
    """
    asked = problem(which)
    n_far = asked.n_far if has_far else 0
    return Run(method, group, which, seed, asked.n_seen, asked.noise, n_far, limit)


class Published(NamedTuple):
    """An error in the paper: median and, of ten runs, least and most."""

    median: float
    least: float | None
    most: float | None

    def __str__(self) -> str:
        if self.least is None:
            return f"{self.median:g}"
        return f"{self.median:g} [{self.least:g}, {self.most:g}]"


def published(
    which: str, method: str, n_far: int, where: str = "outside"
) -> Published | None:
    """Look up what the paper reports; evolutionary search is Eureqa there.

    `where` is the extrapolation domain, or "inside" the training range.
    """
    alike = dict.fromkeys(OURS.values(), OURS[FAST])
    alike |= dict.fromkeys(EVOLUTIONARY, "eureqa")
    return _published().get((which, alike.get(method, method), n_far, where))


@cache
def _published() -> dict[tuple[str, str, int, str], Published]:
    """Read the paper's tables: RMS, but for the cart-pendulum mean squared errors."""
    text = (
        files("eqlearn.reproduce.section4").joinpath("published.csv").read_text("utf-8")
    )
    found = {}
    for row in csv.DictReader(text.splitlines()):
        figures = [float(row[n]) if row[n] else None for n in ("least", "most")]
        key = row["problem"], row["method"], int(row["far"]), row["where"]
        found[key] = Published(float(row["median"]), *figures)
    return found
