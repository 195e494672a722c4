"""The tuned numbers of the search, each with the reason for its value.

One frozen value, handed to plans with the task and hashed into a run's identity, so
that a run is never continued under another strategy. docs/method.md lists it.
"""

import dataclasses
import hashlib
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from eqlearn.equation.refine.tactics import Patience, Tactics, tuned
from eqlearn.search.survey_strategy import (
    Building,
    ProcessFits,
    Separation,
    Survey,
)
from eqlearn.search.verdict_strategy import Judging, Residuals

#: Sines and products of each hidden layer.
LayerSizes = tuple[tuple[int, int], ...]
#: Degrees of a fraction's numerator and denominator.
Degrees = tuple[int, int]


@dataclass(frozen=True)
class RowCounts:
    """How many rows each stage looks at, so that time hardly grows with the table."""

    search: int = tuned(1000, "attempts are pruned and compared on these")
    refine: int = tuned(3000, "moves of the best are judged on these")
    prune: int = tuned(20_000, "the best are pruned on these, the last time")
    snap: int = tuned(100_000, "these decide whether a constant is simple")
    held_out: float = tuned(0.1, "share held out for the validation error (section 4)")
    far: int = tuned(250, "far points in every selection; of more, the rest are rows")
    largest_sent: int = tuned(
        64_000_000, "bytes of data that are sent to workers; more is computed here"
    )


@dataclass(frozen=True)
class Agenda:
    """In which order attempts are made."""

    batch: int = tuned(4, "attempts of one job: about two seconds")
    few_inputs: int = tuned(
        3, "inputs up to which a fraction takes no longer than a network"
    )
    most_angles: int = tuned(
        4, "inputs that must have been angles before fractions agree"
    )
    least_ahead: int = tuned(2, "jobs that may be under way before those before ended")
    most_attempts: int = tuned(400, "a law is found by then, or hardly any more")
    rounds: tuple[int, ...] = tuned(
        (4, 8, 16, 32, 64), "batches after which targets look at what others have found"
    )


@dataclass(frozen=True)
class Fractions:
    """Fractions of features that are solved directly, smallest first."""

    degrees: tuple[Degrees, ...] = tuned(
        (
            *((2, 0), (1, 1), (2, 1), (2, 2), (3, 1)),
            *((3, 2), (3, 3), (4, 0), (4, 2), (4, 4), (5, 2)),
        ),
        "of numerator and denominator, likely ones first",
    )
    angle_stages: tuple[tuple[int, tuple[Degrees, ...], bool], ...] = tuned(
        (
            (1, ((3, 2), (4, 2), (0, 4), (5, 4), (2, 1), (2, 4)), False),
            (2, ((2, 1), (3, 0)), False),
            (1, ((2, 1), (3, 0)), True),
            (2, ((3, 2),), False),
            (1, ((3, 2),), True),
            (2, ((2, 1), (3, 2)), True),
        ),
        "number of angles, degrees, whether angles are plain inputs too; likely first",
    )
    few_columns: int = tuned(50, "features up to which a fraction is solved at once")
    most_columns: int = tuned(200, "features beyond which pruning takes too long")
    sparse_l1: tuple[float, ...] = tuned((3e-5, 3e-4), "penalties of the sparse start")
    frequencies: tuple[float, ...] = tuned(
        tuple(k / 2 for k in range(1, 26)), "scanned, for an input of unit size"
    )
    natural: tuple[float, ...] = tuned(
        (1.0, math.pi, 2 * math.pi, math.pi / 180),
        "of radians, half turns, turns and degrees, in the units of the data",
    )
    n_scan: int = tuned(300, "rows that frequencies are scanned on")
    n_minima: int = tuned(2, "frequencies of the scan that are tried")
    n_natural: int = tuned(1, "natural frequencies that are tried: the best")
    much_worse: float = tuned(4.0, "times the least error at which none is tried")
    same_frequency: float = tuned(0.02, "share by which two frequencies differ")
    n_iterations: int = tuned(12, "of the fit that tunes frequencies")
    narrow: float = tuned(1.0, "radians below which a sine imitates a power")
    perfect: float = tuned(1e-12, "mean squared residual of a fraction that is exact")
    highest_in_noise: int = tuned(
        8, "degree in all beyond which pruning in noise leaves imitations"
    )
    hopeless: float = tuned(
        6.0, "times the best squared residual at which a start is not pruned"
    )
    noiseless: float = tuned(
        1e-5, "mean squared residual that shows data without noise"
    )
    telling_columns: int = tuned(100, "features by which that is looked for, at most")
    n_exact: int = tuned(60, "fractions that are then asked at once, by one solution")
    sparse: float = tuned(
        0.3, "share of its features below which an exact fraction is no coincidence"
    )
    n_dense: int = tuned(
        2,
        "exact fractions that pruning leaves dense, after which the law is no fraction",
    )


@dataclass(frozen=True)
class Rotation:
    """What random networks go through by turns: shapes in order, the rest drawn."""

    shapes: tuple[LayerSizes, ...]
    l1: tuple[float, ...]
    spreads: tuple[float, ...]
    n_iterations: int
    n_free: int


@dataclass(frozen=True)
class Networks:
    """Small networks from random starts, trained to sparse ones."""

    quick: Rotation = tuned(
        Rotation(
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
        ),
        "small and large, shallow and deep, so that a short search is broad",
    )
    long: Rotation = tuned(
        Rotation(
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
        ),
        "what is not found by then is nested: longer, under stronger penalties",
    )
    n_quick: int = tuned(8, "networks before the long rotation, four of each division")
    others: int = tuned(2, "units of every kind but sines and products, in a layer")
    small_weight: float = tuned(1e-2, "weights that are dropped before pruning")
    most_parameters: int = tuned(
        30, "beyond which a formula gets no moves yet: most are far from any law"
    )
    patience: Patience = tuned(
        Patience(n_proposals=60, n_rounds=10), "cheap moves only: less than a training"
    )


@dataclass(frozen=True)
class Relevance:
    """Which inputs seem to matter."""

    degrees: tuple[int, ...] = tuned((3, 2), "of polynomials, the first with few terms")
    most_terms: float = tuned(0.25, "terms for each row, at most")
    n_trees: int = tuned(200, "where there are more inputs than polynomials can judge")
    significance: float = tuned(1e-3, "chance of an idle input to seem to matter")
    visible: float = tuned(
        0.003, "share of the spread by which an input moves a formula, if it matters"
    )
    much: float = tuned(10.0, "times that share, of an input that matters much")
    nearly_right: float = tuned(
        1e-4, "mean squared residual of a formula that shows all inputs that matter"
    )
    many_inputs: int = tuned(
        12, "inputs beyond which a network of all takes ten times as long"
    )


@dataclass(frozen=True)
class Parts:
    """Parts of imperfect formulas that are shown to attempts as inputs."""

    same: float = tuned(0.9995, "correlation of parts that are one and the same")
    n_rows: int = tuned(200, "rows that parts are compared on")
    least_occurrences: int = tuned(2, "formulas a part must be in, to be no chance")
    before: int = tuned(8, "batches before parts are shown")
    n_formulas: int = tuned(10, "best formulas whose parts are looked at")
    n_parts: int = tuned(10, "recurring parts of which some are shown")
    most_shown: int = tuned(4, "parts shown at a time, at most")
    without_inside: float = tuned(
        0.5, "how often inputs inside shown parts are hidden: they seldom recur outside"
    )


@dataclass(frozen=True)
class Growths:
    """Formulas of the pool that grow instead of a batch of attempts."""

    before: int = tuned(8, "batches before the first growth")
    turns: tuple[int, ...] = tuned((1, 3), "which batches of `of_batches` are growths")
    of_batches: int = tuned(5, "two of five are growths: networks find other seeds")
    different: float = tuned(
        0.5, "share of its error by which a formula must differ from those tried before"
    )
    largest: int = tuned(100, "parameters of a seed at most: cutting back takes longer")
    small: int = tuned(12, "parameters of the smallest seeds, which have a turn too")
    most_parameters: int = tuned(25, "up to which a formula grows as it is")
    cut_back_to: int = tuned(20, "parameters that a larger one is cut back to first")
    better: float = tuned(
        4.0, "factor of the squared error below which it is the formula it was"
    )

    @property
    def seed_sizes(self) -> tuple[tuple[int, int], ...]:
        """Parameters that a seed may have, least and most, by turns."""
        large = self.most_parameters + 1, self.largest
        return (0, self.most_parameters), large, (0, self.small), large


@dataclass(frozen=True)
class Borrowing:
    """What a target tries of what was found for others."""

    most_features: int = tuned(200, "with more features pruning takes too long")
    dependent: float = tuned(
        1e-2, "share of a feature that others do not explain, for it to be kept"
    )
    most_chosen: int = tuned(20, "features chosen one after the other, at most")


@dataclass(frozen=True)
class Pooling:
    """How formulas are counted and compared."""

    n_looked: float = tuned(1e6, "formulas a search looks at: the mean's head start")
    dependent: float = tuned(
        1e-3,
        "chance that noise goes along with a formula as simple as a line, and ends it",
    )
    most_paired: int = tuned(20, "inputs beyond which these are of one input each")
    pole_charge: float = tuned(20.0, "criterion that a pole in the domain of use costs")
    simple_pole_charge: float = tuned(
        4.0, "the same where simple constants alone tell its place"
    )
    constraint_charge: float = tuned(
        1e7, "criterion that a broken constraint costs: more than any fit can gain"
    )
    most_mended: int = tuned(12, "parameters of a formula that is worth mending")
    most_dropped: int = tuned(3, "terms that are left out to keep constraints")
    anchor_weight: float = tuned(
        1e6, "times all rows: what a place counts that a formula must go through"
    )
    vanishing: float = tuned(
        1e-5, "share of its size on the data at which a denominator is a pole"
    )
    n_pole_points: int = tuned(2000, "points where poles are looked for")
    most_simple: int = tuned(6, "constants of a formula that may all be simple")
    same: float = tuned(0.05, "criterion that differs less is of one formula")
    equal: float = tuned(1e-3, "share of spread and value by which clothes differ")
    agreeing: float = tuned(
        0.01, "share of the spread in the domain of use by which formulas may differ"
    )
    about_as_well: float = tuned(1.5, "times the squared error of the best, then")
    n_points: int = tuned(500, "points of the domain where they are compared")

    @property
    def relief(self) -> float:
        """What a pole costs less where simple constants give its place."""
        return self.pole_charge - self.simple_pole_charge


@dataclass(frozen=True)
class Stopping:
    """When more attempts cannot be expected to change the answer."""

    close: float = tuned(15.0, "criterion that differs less may be of the same law")
    votes: int = tuned(3, "attempts that ended in the best formula, or in a close one")
    networks: int = tuned(4, "or networks, at any time: these agree by no rule")
    networks_of_structure: int = tuned(
        8, "or networks if structure is left: imitations agree, too"
    )
    lead: float = tuned(
        30.0, "criterion by which a formula is ahead of all that differ, to be enough"
    )
    lead_in_doubt: float = tuned(
        300.0, "the same where what is left is perhaps part of a law"
    )
    lead_if_simple: float = tuned(
        60.0, "the same of a formula whose constants are all simple: no imitation's are"
    )
    most_parameters: int = tuned(6, "of a formula that is enough by its lead")
    most_complexity: int = tuned(
        20, "numbers, inputs and functions of one that need not be found again"
    )
    beyond_doubt: float = tuned(
        100.0, "lead over all that are no longer that nothing found later makes up for"
    )
    kinds_before_doubt_ends: int = tuned(7, "kinds of looks before that: the cheapest")
    few_parameters: int = tuned(4, "of a formula that is enough by such a lead")
    fewest_parameters: int = tuned(2, "of one that is before others were looked for")
    least_bent: float = tuned(
        0.01, "share of the variance by which its functions are no lines then"
    )
    clear: float = tuned(
        10.0, "lead that is enough once all formulas of a size were looked for"
    )
    kinds_of_size: tuple[int, ...] = tuned(
        (6, 7, 10, 14, 20),
        "kinds of looks that find all formulas of 1, 2, ... constants",
    )
    most_odd: int = tuned(
        1, "constants that are not simple, of a formula that is enough by its lead"
    )
    kinds_before_odd: int = tuned(
        5, "kinds of looks before more of them: the quickest, also for laws of none"
    )
    least_attempts: int = tuned(16, "beside the first fractions, before votes count")
    patience: int = tuned(
        10, "attempts in vain for each parameter, if only noise is left"
    )


@dataclass(frozen=True)
class Finals:
    """Which formulas are refined and listed at the end."""

    n: int = tuned(5, "formulas that are refined")
    margin: float = tuned(40.0, "criterion behind the best beyond which none is")
    n_examined: int = tuned(60, "others whose constants are looked at, if simple")
    n_hopeful: int = tuned(10, "further ones that simple constants may put ahead")
    n_front: int = tuned(8, "further ones that are listed, by size and error")
    job_size: int = tuned(
        1000, "proposals of a job times parameters: about a second of work"
    )
    fewest_proposals: int = tuned(16, "of a job, however large the formula is")
    n_iterations: int = tuned(30, "of the fit to all rows")


@dataclass(frozen=True)
class TimeShares:
    """Shares of a time limit at which each stage ends."""

    survey: float = tuned(0.8, "the survey: by turns with attempts")
    attempts: float = tuned(0.8, "attempts, and loans between them")
    refinement: float = tuned(0.92, "refinements of the best")
    borrowing: float = tuned(0.95, "loans of what others have refined")
    loans: float = tuned(0.98, "refinements of these")
    training: float = tuned(0.8, "training of the paper's networks")
    extraction: float = tuned(0.9, "reading formulas off them")


@dataclass(frozen=True)
class Strategy:
    """All tuned numbers of a search."""

    rows: RowCounts = RowCounts()
    agenda: Agenda = Agenda()
    fractions: Fractions = Fractions()
    survey: Survey = Survey()
    processes: ProcessFits = ProcessFits()
    separation: Separation = Separation()
    building: Building = Building()
    networks: Networks = Networks()
    relevance: Relevance = Relevance()
    parts: Parts = Parts()
    growths: Growths = Growths()
    borrowing: Borrowing = Borrowing()
    pooling: Pooling = Pooling()
    residuals: Residuals = Residuals()
    stopping: Stopping = Stopping()
    finals: Finals = Finals()
    judging: Judging = Judging()
    shares: TimeShares = TimeShares()
    tactics: Tactics = Tactics()

    def to_document(self) -> dict[str, Any]:
        """Every number by name, as JSON can hold it."""
        document: dict[str, Any] = json.loads(json.dumps(dataclasses.asdict(self)))
        return document

    @property
    def digest(self) -> str:
        """Eight letters that change with any of the numbers."""
        text = json.dumps(self.to_document(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:8]


class Number(NamedTuple):
    """A tuned number as the documentation lists it."""

    name: str  # with dots, from the strategy on
    value: Any
    why: str


def numbers(value: Any, prefix: str = "") -> Iterator[Number]:
    """List every tuned number of a strategy, or of a part of it."""
    for one in dataclasses.fields(value):
        inner, name = getattr(value, one.name), f"{prefix}{one.name}"
        if "why" in one.metadata:
            yield Number(name, inner, one.metadata["why"])
        elif dataclasses.is_dataclass(inner):
            yield from numbers(inner, f"{name}.")


#: What a search goes by if it is not told otherwise.
STANDARD = Strategy()
