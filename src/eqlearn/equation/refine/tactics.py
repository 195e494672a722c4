"""The tuned numbers of refinement, each with the reason for its value.

They are handed to the functions of this room, never patched; a search takes them from
its strategy.
"""

import math
from dataclasses import dataclass, field, replace
from typing import TypeVar

from eqlearn.network.graph import Graph

Value = TypeVar("Value")


def tuned(value: Value, why: str) -> Value:
    """A field with its value and the reason for it, which docs/method.md prints."""
    return field(default=value, metadata={"why": why})


@dataclass(frozen=True)
class Criterion:
    """What formulas are compared by.

    N log(SSE/N + exact) + p (log N + 2 log K), and what its units cost.
    """

    exact: float = tuned(
        1e-22, "mean squared residual, of a target of unit size, that counts as none"
    )
    nothing_left: float = tuned(
        1e-20, "mean squared residual of a formula that leaves nothing to explain"
    )
    n_alternatives: float = tuned(
        30.0, "terms that each one of a formula was picked from: the K of the charge"
    )
    rows_a_parameter: int = tuned(
        4, "a formula with more parameters retells the rows instead of explaining them"
    )
    usual: int = tuned(3, "parameters of usual curves, of which three rows each do")
    unit_prices: tuple[tuple[str, float], ...] = tuned(
        (
            ("multiply", 1.4),
            ("divide", 2.8),
            *((unit, 4.6) for unit in ("exp", "log", "sqrt", "tanh")),
            *((unit, 4.6) for unit in ("asin", "acos", "atan")),
        ),
        "2 log of how many others each was picked from; for a sine its argument pays",
    )
    crowding: float = tuned(
        0.0, "no more rows than its inverse count; above 0 where errors are related"
    )

    def charge(self, graph: Graph) -> float:
        """What the units of a formula cost.

        The logarithms of a power are no choice of their own: x^p is exp(p log x).
        """
        prices = dict(self.unit_prices)
        free = _within_powers(graph)
        nodes = enumerate(graph.nodes, graph.n_inputs)
        return sum(prices.get(node.unit, 0.0) for k, node in nodes if k not in free)

    def cost(self, n: int) -> float:
        """What a parameter costs when `n` numbers are explained."""
        return math.log(self.n_counted(n)) + 2.0 * math.log(self.n_alternatives)

    def n_counted(self, n: int) -> float:
        """As how many independent numbers `n` of them count."""
        return n / (1.0 + self.crowding * n)

    def most_parameters(self, n: int) -> int:
        """The most parameters that a formula of `n` numbers may have."""
        of_usual = min(self.usual, n // (self.rows_a_parameter - 1))
        return max(1, n // self.rows_a_parameter, of_usual)

    def bic(self, sse: float, n: int, n_parameters: int, charge: float = 0.0) -> float:
        """N log(SSE/N) + p (log N + 2 log K) + charge; smaller is better.

        `exact` is the mean squared residual below which nothing more is explained:
        without noise every imitation could be improved for ever.
        """
        if not math.isfinite(sse) or n_parameters > self.most_parameters(n):
            return math.inf
        size = n_parameters * self.cost(n) + charge
        return self.n_counted(n) * math.log(sse / n + self.exact) + size

    def sse_to_reach(
        self, best: float, n: int, n_parameters: int, charge: float = 0.0
    ) -> float:
        """The squared error at which the criterion would equal `best`."""
        size = n_parameters * self.cost(n) + charge
        exponent = (best - size) / self.n_counted(n)
        return n * (math.exp(min(exponent, 700.0)) - self.exact)


def _within_powers(graph: Graph) -> set[int]:
    """The logarithms that nothing uses but exponentials."""
    logs = {
        k for k, node in enumerate(graph.nodes, graph.n_inputs) if node.unit == "log"
    }
    if not logs:
        return logs
    others = [n.arguments for n in graph.nodes if n.unit != "exp"]
    used = (linear for slots in (*others, *graph.outputs) for linear in slots)
    return logs.difference(*used)


@dataclass(frozen=True)
class Pruning:
    """How connections are removed."""

    n_first: int = tuned(30, "iterations of the fit before the first removal")
    n_singles: int = tuned(6, "cheapest connections that are tried one by one")
    n_iterations: int = tuned(12, "of the fit after a removal; most need fewer")
    tolerance: float = tuned(1e-4, "gain at which that fit ends: the criterion decides")
    n_last: int = tuned(30, "iterations of the last fit, to the optimum")
    batches: tuple[int, ...] = tuned(
        (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64),
        "sizes of joint removals to choose from",
    )
    coarser: float = tuned(
        1.5, "factor of the tolerated squared error from one cutting back to the next"
    )
    near_cosine: float = tuned(
        0.4, "a phase this close to a cosine's is pruned to a cosine, not to a sine"
    )
    stages: tuple[float, ...] = tuned(
        (1e-4, 1e-6, 1e-8),
        "squared errors tolerated at first where noise is less: imitations let go",
    )
    below_stage: float = tuned(
        0.3, "share of a stage's squared error that the formula must be below"
    )


@dataclass(frozen=True)
class SharedFrequencies:
    """When two frequencies are taken for one, or for its double."""

    ratios: tuple[float, ...] = tuned(
        (1.0, -1.0, 2.0, -2.0, 0.5, -0.5), "equal and double, either sign: as in laws"
    )
    most_errors: float = tuned(3.5, "standard errors beyond which they are different")
    largest_share: float = tuned(0.25, "share of the value beyond which they are, too")
    n_tried: int = tuned(4, "failed ties for each that is kept, at most")


@dataclass(frozen=True)
class Patience:
    """How much work a hill climb spends on a proposal and in all."""

    n_rows: int = tuned(800, "rows that a proposal is first fitted to")
    margin: float = tuned(60.0, "criterion that pruning may still win back")
    n_iterations: int = tuned(15, "of that first fit")
    n_first: int = tuned(10, "iterations before the proposal is pruned on all rows")
    n_singles: int = tuned(4, "connections that this pruning tries one by one")
    n_rounds: int = tuned(20, "better formulas, one after the other, at most")
    extra_parameters: int = tuned(12, "parameters that a proposal may add, at most")
    n_proposals: int = tuned(600, "proposals in all; later ones seldom help")
    gain: float = tuned(0.5, "criterion that must be won: less is rounding")


@dataclass(frozen=True)
class Rewriting:
    """When a part of a formula is taken for an imitation of something simpler."""

    widest_limit: float = tuned(
        1.5, "spread of a sine's argument below which it may be a power"
    )
    like_a_wave: float = tuned(
        0.97, "share of a unit's variance that a wave in its place must explain"
    )
    n_rows: int = tuned(300, "rows that waves and units are compared on")
    slow_waves: tuple[float, ...] = tuned(
        (0.5, 1.0, 1.5, 2.0, 3.0, 4.0), "frequencies tried, for arguments of unit size"
    )
    n_waves: int = tuned(12, "waves proposed in place of units, the closest first")
    same_frequency: float = tuned(
        0.08, "share by which frequencies of one input differ"
    )
    bend: float = tuned(1.15, "slope of sin(kf)/k that keeps the size of f, about")
    merging: float = tuned(0.98, "correlation of features that may be one")
    quotient: float = tuned(0.7, "half distance of two sines that may be a derivative")
    small_addition: float = tuned(0.4, "size of a term that sin(m + δ) is linear in")
    n_additions: int = tuned(6, "of those, proposed")
    n_split: int = tuned(4, "terms of a factor that are multiplied out one by one")
    swapping: float = tuned(0.9, "correlation of features one of which may be meant")


@dataclass(frozen=True)
class Waves:
    """Which waves are looked for in what a formula leaves."""

    fastest: float = tuned(10.0, "radians within a standard deviation of the fastest")
    most_frequencies: int = tuned(
        48, "frequencies at most: neighbours are half a turn apart over the range"
    )
    n_rows: int = tuned(500, "rows that waves are compared on")
    fewest_rows: int = tuned(50, "with fewer rows some wave fits them")
    most_paired: int = tuned(30, "carriers that pairs are made of: the most telling")
    left_out: float = tuned(0.3, "share of a sum's effect that a wave may leave out")
    n_alike: int = tuned(3, "waves proposed for one sum")
    n_best: int = tuned(6, "additions proposed, by what they would explain")
    n_sums: int = tuned(10, "sums replaced by waves, proposed")


@dataclass(frozen=True)
class Growing:
    """How a formula grows term by term."""

    between_tidying: int = tuned(3, "additions after which it is pruned")
    most_additions: int = tuned(30, "a law is there within ten; then there is no hope")
    most_parameters: int = tuned(32, "left by pruning, after which there is no hope")
    improved: float = tuned(1.0, "criterion that tidying must have won to go on")
    n_iterations: int = tuned(15, "of the fit that compares additions")
    tolerance: float = tuned(1e-3, "gain at which that fit ends")
    tidying: Patience = tuned(
        Patience(n_proposals=24, n_rounds=3), "waves for sums only: a second or so"
    )


@dataclass(frozen=True)
class Snapping:
    """Which constants are taken for simple ones."""

    shares: tuple[tuple[int, float], ...] = tuned(
        (
            *((1, 0.5), (2, 0.15), (3, 0.06), (4, 0.06), (5, 0.04)),
            *((6, 0.03), (8, 0.03), (10, 0.08), (100, 0.05)),
        ),
        "of simple constants, the share of multiples of 1/n: integers are commonest",
    )
    shares_of_pi: tuple[tuple[int, float], ...] = tuned(
        ((1, 0.5), (2, 0.2), (3, 0.05), (4, 0.05), (6, 0.02)),
        "the same for multiples of π/n in sines: nobody writes 6π/5",
    )
    least_odds: float = tuned(
        3.0, "that a constant is simple: of those that are not, 3 in 100 pass for one"
    )
    precision: float = tuned(1e-12, "no constant is known better, relative to its size")


@dataclass(frozen=True)
class Tactics:
    """All tuned numbers of refinement."""

    criterion: Criterion = Criterion()
    pruning: Pruning = Pruning()
    shared_frequencies: SharedFrequencies = SharedFrequencies()
    climbing: Patience = Patience()
    rewriting: Rewriting = Rewriting()
    waves: Waves = Waves()
    growing: Growing = Growing()
    snapping: Snapping = Snapping()

    def crowded(self, crowding: float) -> "Tactics":
        """The same where rows tell less, the more there are."""
        return replace(self, criterion=replace(self.criterion, crowding=crowding))

    def tolerating(self, exact: float) -> "Tactics":
        """The same, but errors below this mean square count as none."""
        return replace(self, criterion=replace(self.criterion, exact=exact))


#: What a function of this room goes by if it is not told otherwise.
STANDARD = Tactics()
