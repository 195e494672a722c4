"""What a search is asked: data, settings, and where to compute."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from eqlearn import __version__
from eqlearn._types import Array, Numbers
from eqlearn.errors import check_count, must, unknown
from eqlearn.knowledge.constraining.constraints import Constraint
from eqlearn.knowledge.measuring.dimensions import Dimensions
from eqlearn.network.document import to_document
from eqlearn.network.graph import Graph
from eqlearn.network.units import (
    BUILT_IN,
    PAPER_UNITS,
    definition,
    own_units,
    unit,
)
from eqlearn.search.attempts.grid_networks import Grid
from eqlearn.search.strategy import STANDARD, Strategy
from eqlearn.search.task import DEFAULT_UNITS
from eqlearn.training.losses import LOSSES

RECIPES = ("fast", "paper")
#: Rows that are hashed at a time: a copy of a large table may be too much.
_N_HASHED = 20_000

Recipe: TypeAlias = str | Grid


@dataclass(frozen=True, eq=False)
class Request:
    """What a search is asked.

    Parameters
    ----------
    x, y : arrays (N, D) and (N, M)
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
    units : names of units, optional
        What formulas of the fast recipe are made of. By default networks have sines
        and products, and laws with any unit of the library are looked for directly.
    recipe : {"fast", "paper"} or Grid
        The fast recipe, the paper's grid of 78 networks, or another grid like it.
    max_attempts : int, optional
        Attempts of the fast recipe at each target if they do not agree before: a limit
        that, unlike time, always ends the search at the same point.
    jobs : int, optional
        Processes to use; by default one for every core.
    scheduler : str, optional
        Address of a Dask scheduler whose workers are to be used instead.
    memory : float, optional
        Bytes that all processes may take together; by default most of the machine's.
    run_dir : path, optional
        Where every finished step is kept. The same request again goes on from there.
    guesses : graphs for each target, optional
        Formulas in the units of the data that are candidates from the start.
    constraints : constraints for each target, optional
        What formulas must keep, in the units of the data.
    dimensions : Dimensions, optional
        Units of measure of the columns, and constants that laws may have.
    loss : {"squared", "huber", "absolute", "relative"}
        What residuals cost.
    strategy : Strategy
        The tuned numbers that the search goes by.
    """

    x: Array
    y: Array
    domain: Numbers | None = None
    weight: Array | None = None
    seed: int = 0
    time_limit: float | None = None
    far: tuple[Array, Array] | None = None
    units: Sequence[str] | None = None
    recipe: Recipe = "fast"
    max_attempts: int | None = None
    jobs: int | None = None
    scheduler: str | None = None
    memory: float | None = None
    run_dir: Path | str | None = None
    guesses: Sequence[Sequence[Graph]] | None = None
    constraints: Sequence[Sequence[Constraint]] | None = None
    dimensions: Dimensions | None = None
    loss: str = "squared"
    strategy: Strategy = STANDARD

    def __post_init__(self) -> None:
        if self.time_limit is not None and not self.time_limit > 0:
            raise must("time_limit", "above 0 seconds, or None", self.time_limit)
        if self.max_attempts is not None:
            check_count("max_attempts", self.max_attempts)
        check_count("seed", self.seed, least=0)
        if not isinstance(self.recipe, Grid) and self.recipe not in RECIPES:
            raise unknown("recipe", self.recipe, RECIPES)
        if self.loss not in LOSSES:
            raise unknown("loss", self.loss, LOSSES)
        if self.grid is not None and self.loss != "squared":
            raise must("loss", 'left out if the recipe is "paper"', self.loss)
        for name in self.used_units:
            unit(name)

    @property
    def used_units(self) -> tuple[str, ...]:
        """The units of networks; a grid has its own, and is refined by the same."""
        grid = self.grid
        if grid is not None:
            return grid.units
        return DEFAULT_UNITS if self.units is None else tuple(self.units)

    @property
    def survey_units(self) -> tuple[str, ...]:
        """The units of laws that are looked for directly; none within the paper's."""
        if self.grid is not None:
            return ()
        if self.units is None:
            return tuple(sorted(BUILT_IN))
        is_papers = set(self.units) <= set(PAPER_UNITS)
        return () if is_papers else tuple({*self.units, "multiply", "divide", "origin"})

    @property
    def grid(self) -> Grid | None:
        """The grid of the paper's recipe, if it is that."""
        if isinstance(self.recipe, Grid):
            return self.recipe
        return Grid() if self.recipe == "paper" else None

    @property
    def identity(self) -> dict[str, Any]:
        """What makes two runs the same, as JSON can hold it."""
        recipe = self.recipe
        asked = recipe.to_document() if isinstance(recipe, Grid) else recipe
        own = {one.name: definition(one) for one in own_units(self.used_units)}
        guesses = [
            [to_document(graph) for graph in some] for some in self.guesses or ()
        ]
        return {
            "settings": {
                "recipe": asked,
                "seed": self.seed,
                "loss": self.loss,
                "units": list(self.used_units),
                "survey_units": list(self.survey_units),
                "own_units": own,
                "guesses": guesses,
                **self._known,
            },
            "version": __version__,
            "strategy": self.strategy.to_document(),
            "data": fingerprint(
                self.x, self.y, self.domain, self.weight, *(self.far or ())
            ),
        }

    @property
    def _known(self) -> dict[str, Any]:
        """What is known of the targets; runs without it have no such part."""
        known: dict[str, Any] = {}
        if any(self.constraints or ()):
            some = self.constraints or ()
            known["constraints"] = [[one.text for one in each] for each in some]
        if self.dimensions is not None:
            known["dimensions"] = repr(self.dimensions)
        return known


def fingerprint(*arrays: Numbers | None) -> str:
    """Sixteen letters that change with any number in the data."""
    digest = hashlib.sha256()
    for array in arrays:
        numbers = np.zeros(0) if array is None else np.asarray(array, float)
        digest.update(repr(numbers.shape).encode())
        for start in range(0, len(numbers), _N_HASHED):
            digest.update(np.ascontiguousarray(numbers[start : start + _N_HASHED]).data)
    return digest.hexdigest()[:16]
