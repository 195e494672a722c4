"""What was learned, as values: a model, its equations, verdicts and origin."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from eqlearn._types import Array
from eqlearn.model.group_constants import Groups
from eqlearn.network.graph import Connection, Graph

#: Whatever JSON can hold.
Json: TypeAlias = (
    "None | bool | int | float | str | Sequence[Json] | Mapping[str, Json]"
)
#: How far a formula can be trusted, from far to not at all.
Kind: TypeAlias = Literal["trusted", "plausible", "doubtful", "nothing"]
KINDS: tuple[Kind, ...] = get_args(Kind)
#: What ended a search: its attempts agreed, its time was up, or the user stopped it.
SearchEnd: TypeAlias = Literal["finished", "time", "interrupt"]
ENDS: tuple[SearchEnd, ...] = get_args(SearchEnd)


@dataclass(frozen=True)
class Constant:
    """One parameter of a formula, with its standard error."""

    connection: Connection
    value: float
    error: float


@dataclass(frozen=True)
class Equation:
    """A formula for one target, in the units of the data."""

    target: str
    graph: Graph  # as fitted
    snapped: Graph  # with simple constants where the data allow them
    constants: tuple[Constant, ...]  # of `graph`, with standard errors
    rms: float  # of the residuals
    bic: float
    complexity: int
    votes: int  # attempts that ended in this formula
    has_pole: bool  # a denominator changes sign in the domain of use
    is_chosen: bool  # one for each target
    formula: str = ""  # for the reader of the file
    covariance: tuple[tuple[float, ...], ...] = ()  # of `constants`, where it is known
    scores: Mapping[str, float] = field(default_factory=dict)  # further ones, by name


#: What the verdicts mean, as the first words that a reader sees.
HEADLINES: Mapping[Kind, str] = {
    "trusted": "This equation can be trusted.",
    "plausible": "This equation is plausible.",
    "doubtful": "This equation is doubtful.",
    "nothing": "No equation was found.",
}


@dataclass(frozen=True)
class Verdict:
    """How far a formula can be trusted, why, and what to try if not far enough."""

    kind: Kind
    reasons: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()

    @property
    def headline(self) -> str:
        """How far the formula can be trusted, in one sentence."""
        return HEADLINES[self.kind]

    def __str__(self) -> str:
        return " ".join((self.headline, *self.reasons, *self.advice))


@dataclass(frozen=True)
class Outcome:
    """What the search for one target came to."""

    verdict: Verdict  # on the chosen equation
    ended: SearchEnd
    n_attempts: int


@dataclass(frozen=True)
class Origin:
    """Where the data came from, as far as it is known."""

    table: str | None = None  # a file, as the user named it
    sha256: str | None = None  # of its bytes
    environment: str | None = None  # whose motion was learned
    logs: tuple[str, ...] = ()  # files of trajectories
    notes: tuple[str, ...] = ()  # what was said of how they were read

    def facts(self) -> dict[str, str]:
        """What is known, by name."""
        listed = {"logs": ", ".join(self.logs), "notes": "; ".join(self.notes)}
        known = {**vars(self), **listed}
        return {name: fact for name, fact in known.items() if fact}


@dataclass(frozen=True)
class Model:
    """What was learned from a table: equations, how they were found, and from what."""

    inputs: tuple[str, ...]
    targets: tuple[str, ...]
    equations: tuple[Equation, ...]  # of all targets, the best first
    domain: tuple[tuple[float, float], ...]  # of use: (low, high) of each input
    ranges: tuple[tuple[float, float], ...]  # of the data, likewise
    n_rows: int
    outcomes: tuple[Outcome, ...]  # of the search for each target
    seconds: float = 0.0  # that the search took
    is_flat: bool = False  # whether predictions are (N,), as the target was
    parameters: Mapping[str, Json] = field(default_factory=dict)  # of the learner
    origin: Origin = Origin()
    versions: Mapping[str, str] = field(default_factory=dict)  # of programs used
    #: Columns of words, each with its words: inputs like `name=word` come from them.
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: Groups of rows with constants of their own, which are the last inputs.
    groups: Groups | None = None

    @property
    def measured(self) -> tuple[str, ...]:
        """The inputs that are columns, without constants of groups."""
        n = len(self.groups.constants) if self.groups else 0
        return self.inputs[: len(self.inputs) - n]

    @property
    def chosen(self) -> tuple[Equation, ...]:
        """The chosen equation of each target, in their order."""
        by_target = {e.target: e for e in self.equations if e.is_chosen}
        return tuple(by_target[target] for target in self.targets)

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdict on each chosen equation."""
        return tuple(outcome.verdict for outcome in self.outcomes)

    @property
    def was_interrupted(self) -> bool:
        """Whether the user stopped the search before its end."""
        return any(outcome.ended == "interrupt" for outcome in self.outcomes)

    def predict(self, x: Array, *, snapped: bool = True) -> NDArray[np.float64]:
        """Targets (N, M) for inputs (N, D), by the chosen equations."""
        graphs = [e.snapped if snapped else e.graph for e in self.chosen]
        return np.concatenate([graph.evaluate(x)[0] for graph in graphs], axis=1)
