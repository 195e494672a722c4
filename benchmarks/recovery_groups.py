"""Which runs the recovery benchmark is made of. Seeds and choices are fixed here."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from eqlearn.problems import (
    LAWS,
    RANDOM_EXPRESSIONS,
    TEXTBOOK,
    TEXTBOOK_UNSEEN,
    WAVES,
    WAVES_UNSEEN,
    problem,
)
from eqlearn.reproduce.jsonl import Line
from eqlearn.reproduce.section4.runs import TEN_TIMES, Run

#: In the place of a method: the true formula with its constants fitted to the data.
TRUE_FORM = "true form, fitted"


@dataclass(frozen=True)
class Group:
    """Problems that are measured alike: every combination of these is a run.

    Seeds are 1, 2, … A noise of None is the problem's own. `peers` are the problems on
    which other methods are tried.
    """

    problems: tuple[str, ...]
    n_seeds: int
    seconds: float
    rows: tuple[int, ...] = (9000,)  # the paper's 10000 less those it holds out
    noise: tuple[float | None, ...] = (0.01,)
    far: tuple[int, ...] = (0,)
    peers: tuple[str, ...] = ()

    @property
    def by_form(self) -> bool:
        """Whether answers count by their true form."""
        return problem(self.problems[0]).by_form


_FORMULAS = ("division", "F-1", "F-2", "F-3", "F-4")

#: Ten laws for the peers, from all fields.
PEER_LAWS = (
    "interference",
    "doppler",
    "reduced-mass",
    "pendulum",
    "cart-pole-cart",
    "van-der-waals",
    "coulomb",
    "compton",
    "michaelis-menten",
    "holling-prey",
)

GROUPS: dict[str, Group] = {
    "formulas": Group(_FORMULAS, 10, 60, peers=_FORMULAS),
    "pendulum": Group(
        ("cart-pendulum", "cart-pendulum-noisy"), 5, 180, noise=(None,), far=(0, 40)
    ),
    "pendulum-published": Group(
        ("cart-pendulum-published", "cart-pendulum-published-quiet"),
        10,
        180,
        rows=(16_000,),
        noise=(None,),
        far=(0, 50),
    ),
    "random": Group(RANDOM_EXPRESSIONS, 3, 180, far=(0, 40)),
    # Nothing may be tuned on these.
    "fresh": Group(
        tuple(f"RE{n}-{seed}" for n in (2, 3) for seed in range(101, 121)),
        1,
        120,
    ),
    "laws": Group(
        LAWS,
        1,
        20,
        rows=(200, 2000),
        noise=(0.0, 0.01, 0.05),
        peers=PEER_LAWS,
    ),
    "textbook": Group(TEXTBOOK, 1, 60, rows=(500,), noise=(0.0, 0.01, 0.05)),
    "waves": Group(WAVES, 1, 60, rows=(200,), noise=(0.05,)),
}
# Nothing may be tuned on these either.
GROUPS["textbook-unseen"] = replace(GROUPS["textbook"], problems=TEXTBOOK_UNSEEN)
GROUPS["waves-unseen"] = replace(GROUPS["waves"], problems=WAVES_UNSEEN)

#: What is judged by its true form, each with the half that is kept apart.
HALVES = {"textbook": "textbook-unseen", "waves": "waves-unseen"}
#: What is judged by being identified.
IDENTIFIED = {name: group for name, group in GROUPS.items() if not group.by_form}

QUICK: dict[str, Group] = {
    "formulas": replace(
        GROUPS["formulas"], problems=_FORMULAS[:4], n_seeds=2, seconds=30
    ),
    "laws": replace(
        GROUPS["laws"],
        problems=(
            "thin-lens",
            "malus",
            "reduced-mass",
            "pendulum",
            "ideal-gas",
            "kepler-orbit",
            "michaelis-menten",
            "lotka-volterra-prey",
        ),
        rows=(200,),
        noise=(0.01,),
        seconds=15,
    ),
}


@dataclass(frozen=True)
class Choice:
    """What to take of the groups; None is all there is, or what a group says."""

    method: str = "eqlearn"
    groups: Sequence[str] | None = None
    problems: Sequence[str] | None = None
    n_seeds: int | None = None
    rows: Sequence[int] | None = None
    noise: Sequence[float] | None = None
    far: Sequence[int] | None = None
    seconds: float | None = None


def is_identified_or_not(line: Line) -> bool:
    """Tell whether a line is of a group that is judged by being identified."""
    return line["group"] in IDENTIFIED


def runs_of(groups: dict[str, Group], choice: Choice) -> list[Run]:
    """List the chosen runs, each seed going once through everything of its group."""
    runs: list[Run] = []
    for name in choice.groups or groups:
        runs += _runs_of_group(name, groups[name], choice)
    strange = set(choice.problems or ()) - {run.problem for run in runs}
    if strange:
        names = ", ".join(sorted(strange))
        raise SystemExit(f"Not among the chosen problems: {names}.")
    return runs


def _runs_of_group(name: str, group: Group, choice: Choice) -> Iterator[Run]:
    is_ours = choice.method == "eqlearn"
    offered = group.problems if is_ours else group.peers
    limit = f"{choice.seconds or group.seconds:g}"
    if not is_ours and choice.seconds is None:
        limit = TEN_TIMES
    for seed, rows, noise, far, asked in itertools.product(
        range(1, (choice.n_seeds or group.n_seeds) + 1),
        choice.rows or group.rows,
        choice.noise or group.noise,
        choice.far or group.far,
        offered,
    ):
        if choice.problems is None or asked in choice.problems:
            level = problem(asked).noise if noise is None else noise
            yield Run(choice.method, name, asked, seed, rows, level, far, limit)
