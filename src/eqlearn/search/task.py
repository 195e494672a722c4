"""One target to be explained, and what all ways to explain it share."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.criterion import EXACT, Scored, score
from eqlearn.equation.improve import improve
from eqlearn.equation.moves import ALL
from eqlearn.equation.prune import prune
from eqlearn.equation.ties import tie
from eqlearn.network.graph import Graph
from eqlearn.training.levenberg import Samples, samples

#: Units of the fast recipe; sums need none, cosines are shifted sines.
DEFAULT_UNITS = ("sin", "multiply")
#: Rows that candidates are pruned and compared on before the best are refined.
N_SEARCH = 1000
#: Rows that the structural moves of the best candidates are judged on.
N_REFINE = 3000
#: Rows that they are pruned on at last; the constants are then fitted to all rows.
N_PRUNE = 20_000


@dataclass(frozen=True)
class Task:
    """One target in scaled units, with its rows in random order."""

    x: Array  # (N, D)
    y: Array  # (N, 1)
    low: Array  # (D,) domain of use
    high: Array
    x_scale: Array  # (D,) what the inputs were divided by
    seed: int = 0
    weight: Array | None = None  # (N,) of the samples
    units: tuple[str, ...] = DEFAULT_UNITS  # that networks are made of

    def rows(self, n: int | None = None) -> Samples:
        """The first `n` rows with unlabelled points of the domain of use."""
        n = len(self.x) if n is None else min(n, len(self.x))
        rng = np.random.default_rng([self.seed, 0])
        points = rng.uniform(self.low, self.high, (max(200, n // 20), len(self.low)))
        weight = None if self.weight is None else self.weight[:n]
        return samples(self.x[:n], self.y[:n], points=points, weight=weight)


def pruned_in_stages(graph: Graph, data: Samples) -> Scored:
    """Prune as if there were noise of several sizes, and keep the best.

    With little or no noise every imitation of a term is worth its parameters; pruning
    that tolerates an error of 1 % first lets it go, and the refit tells whether what
    is left was the formula.
    """
    natural = prune(graph, data)
    candidates = [natural]
    for floor in (1e-4, 1e-6, 1e-8):
        if natural.sse / data.n_residuals < 0.3 * floor:
            coarse = prune(natural.graph, data, floor=floor)
            candidates.append(score(coarse.graph, coarse.sse, data))
    return tie(min(candidates, key=lambda candidate: candidate.bic), data)


def finish(
    task: Task, graph: Graph, is_over: Callable[[], bool] = lambda: False
) -> Scored:
    """Try all moves on many rows, then prune and fit on all."""
    many = task.rows(N_REFINE)
    best = improve(pruned_in_stages(graph, many), many, ALL, is_over=is_over)
    return pruned_in_stages(best.graph, task.rows(N_PRUNE))


def is_exact(found: Scored, data: Samples) -> bool:
    """Tell whether nothing is left to explain."""
    return found.sse / data.n_residuals < 100 * EXACT
