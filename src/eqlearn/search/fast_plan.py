"""The fast recipe as a plan: attempts until they agree, refinements, final fits."""

import math
import operator
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from eqlearn._types import Array
from eqlearn.equation.refine.criterion import Scored
from eqlearn.jobs.job import Job, Stage, Together
from eqlearn.network.graph import Graph
from eqlearn.network.transform import joined
from eqlearn.search.attempts.agenda import (
    N_BATCH,
    Tried,
    batch_job,
    n_before,
    n_until_angles,
    tried_in,
)
from eqlearn.search.attempts.borrowing import loans
from eqlearn.search.attempts.feature_fractions import first_levels
from eqlearn.search.attempts.growths import MOST_PARAMETERS, grown_in, growth_job
from eqlearn.search.attempts.input_views import Inputs, View, recurring_parts
from eqlearn.search.attempts.relevant_inputs import significant_inputs, visible_inputs
from eqlearn.search.keep.finishing import Target, finishing
from eqlearn.search.keep.pool import nothing
from eqlearn.search.keep.residual_structure import NOISE, STRUCTURE, relatedness
from eqlearn.search.task import is_exact

#: Stop when this many attempts ended in the best formula, or in one whose criterion is
#: as close as this, or as many networks in formulas that say the same of the domain of
#: use, once the inputs were taken as angles and so many attempts were made beside the
#: first levels; or, before that, when so many networks ended in it. If it evidently
#: leaves a part of the law, only networks count, twice as many: sets of features agree
#: by themselves. What a formula has grown to counts as a network's.
CLOSE = 15.0
ENOUGH_VOTES = 3
LEAST_ATTEMPTS = 16
ENOUGH_NETWORKS = 4
MOST_ATTEMPTS = 400
#: Or when the best formula leaves only noise, and so many attempts for each of its
#: parameters found none that is better: it could only be shorter.
PATIENCE = 10
#: With more inputs than this most batches do without those that seem idle, from the
#: first on: a network of all of them takes ten times as long.
MANY_INPUTS = 12
#: Share of the target's spread by which an input must move a formula to matter, if the
#: formula is not better than that.
VISIBLE = 0.003
#: Mean squared residual, for a target of unit size, of a formula that is nearly right.
NEARLY_NOTHING = 1e-4
#: Share of a time limit after which attempts end.
ATTEMPTS_SHARE = 0.8
#: Batches after which targets look at what others have found.
ROUNDS = (4, 8, 16, 32, 64)
#: Batches before the first growth, and which of so many are growths: the best formula
#: that was not tried yet is let grow.
BEFORE_GROWTH = 8
GROWTHS, OF_BATCHES = (1, 3), 5
#: One that differs from another by less than this share of its error would grow alike.
DIFFERENT = 0.5
#: Parameters that such a formula may have, at least and at most, by turns, if there is
#: one. Too much of large ones is wrong: they are cut back, which takes the longer the
#: larger they are.
LARGEST_SEED = 100
_LARGE = (MOST_PARAMETERS + 1, LARGEST_SEED)
SEED_SIZES = ((0, MOST_PARAMETERS), _LARGE, (0, 12), _LARGE)
#: Batches before parts that recur are shown to others, and the formulas they are of.
BEFORE_PARTS = 8
N_FORMULAS = 10
#: Parts of which some are shown, and how many at most at a time.
N_PARTS = 10
MOST_SHOWN = 4
#: How often the inputs of shown parts are not shown themselves.
WITHOUT_INSIDE = 0.5


class Known(NamedTuple):
    """What was learned from the first batches, to steer later ones by."""

    residual: float  # mean square of the best formula's
    narrow: tuple[Inputs, ...]  # inputs that matter at all, and those that matter much
    parts: tuple[Graph, ...] = ()  # that recur in the best formulas
    seeds: tuple[Graph, ...] = ()  # formulas that may grow, the best first


class FastPlan:
    """The search for one target's formula.

    Every other batch of attempts does without the inputs that seem idle by then, and
    every other later on is shown parts of the best formulas.
    """

    def __init__(
        self,
        target: Target,
        others: Sequence[Target] = (),
        most_attempts: int = MOST_ATTEMPTS,
    ) -> None:
        self.targets = [target]
        self._others = others
        self._is_over = False  # whether attempts have come to an end
        self._most_attempts = most_attempts
        self._target, self._pool = target, target.pool
        task = target.pool.task
        self._data = task.compared()
        self._nothing = nothing(task, self._data).graph
        self._significant = significant_inputs(task)
        self._all = tuple(range(task.x.shape[1]))
        self._is_wide = len(self._all) > MANY_INPUTS
        self._ahead = _Ahead(math.inf, 0)
        self._judged: tuple[Graph, float] | None = None
        first = tuple(sorted(self._significant)) if self._is_wide else ()
        self._known = [Known(math.inf, (first or self._all,))]  # after so many batches
        # Attempts, by the inputs they use; with parts, which differ, by how many.
        self._n_asked: Counter[tuple[Inputs, int]] = Counter()
        self._looked_at: list[Graph] = []  # for parts that recur
        self._recurring: tuple[Graph, ...] = ()
        self._sown: dict[int, Graph] = {}  # formulas that grow instead of a batch

    def stages(self) -> Iterator[Stage | Together]:
        """Rounds of attempts and loans, then what every recipe ends with."""
        lending = self._target.lending
        n_batches = -(-self._most_attempts // N_BATCH)
        ends = [end for end in ROUNDS if end < n_batches] if self._others else []
        first = 0
        for end in [*ends, n_batches]:
            yield self._attempts(first, end)
            lending.offers.append(self._pool.best.graph)
            if len(self._known) <= end:  # they agree, or were cut short
                break
            if self._others:
                yield self._loans(len(lending.offers) - 1)
            if self._is_over:
                break
            first = end
        lending.is_settled = True
        yield from finishing(self._target, self._others)

    def _attempts(self, first: int, end: int) -> Stage:
        """The batches from `first` to before `end`, counted from 0 in the stage."""
        return Stage(
            lambda i: self._batch(first + i) if first + i < end else None,
            self._take_batch,
            before=lambda i: max(0, n_before(first + i) - first),
            share=ATTEMPTS_SHARE,
        )

    def _loans(self, number: int) -> Stage:
        """What others had found when they had made as many attempts."""

        def offers() -> list[tuple[int, Graph]]:
            return [
                (other.number, other.lending.offer(number))
                for other in self._others
                if other.lending.has_news(number)
            ]

        def take(loan: Scored) -> None:
            self._pool.add(loan, votes=0)
            self._is_over = self._is_enough()

        return loans(
            self._target.number,
            self._pool.best,
            self._data,
            offers,
            take,
            is_ready=lambda: all(t.lending.is_ready(number) for t in self._others),
            share=ATTEMPTS_SHARE,
        )

    def _batch(self, index: int) -> Job | None:
        if index * N_BATCH >= self._most_attempts:
            return None
        known = self._known[n_before(index)]
        if (seed := self._seed(index, known)) is not None:
            self._sown[index] = seed
            with_planes = len(self._sown) % 2 == 0
            return growth_job(self._target.number, index, seed, with_planes)
        view = self._view(index, known)
        key = view.inputs, 0 if view.units is None else view.units.n_outputs
        start = self._n_asked[key]
        self._n_asked[key] += N_BATCH
        return batch_job(self._target.number, index, view, start, known.residual)

    def _seed(self, index: int, known: Known) -> Graph | None:
        """The formula that is to grow instead of a batch, if it is time for one."""
        if index < BEFORE_GROWTH or index % OF_BATCHES not in GROWTHS:
            return None
        sown = [graph for i, graph in self._sown.items() if i != index]
        least, most = SEED_SIZES[len(sown) // 2 % len(SEED_SIZES)]
        unsown = [
            graph
            for graph in known.seeds
            if graph.n_parameters <= LARGEST_SEED
            and not any(graph is other for other in sown)
        ]
        new = [graph for graph in unsown if least <= graph.n_parameters <= most]
        new = new or unsown
        with np.errstate(all="ignore"):
            before = [self._values(graph) for graph in sown]
            different = (graph for graph in new if self._is_different(graph, before))
            return next(different, new[0] if new else None)

    def _is_different(self, graph: Graph, before: list[Array]) -> bool:
        """Whether a formula would grow from elsewhere than those with these values."""
        weight, values = self._data.root_weight**2, self._values(graph)
        least = DIFFERENT**2 * (weight @ (values - self._data.y[0]) ** 2)
        return all(weight @ (values - other) ** 2 > least for other in before)

    def _values(self, graph: Graph) -> Array:
        """What a formula says of the data that attempts are compared on."""
        return graph.evaluate(self._data.labelled.T)[0][:, 0]

    def _view(self, index: int, known: Known) -> View:
        """What the batch of this index gets to see."""
        narrow = known.narrow[index // 2 % len(known.narrow)]
        if index % 4 < 2 or not known.parts:
            sees_all = index % 8 == 4 if self._is_wide else index % 2 == 0
            return View(self._all if sees_all else narrow)
        rng = np.random.default_rng([self._pool.task.seed, 6, index])
        parts = known.parts[:N_PARTS]
        n_shown = min(len(parts), int(rng.integers(1, MOST_SHOWN + 1)))
        shown = joined(
            [parts[i] for i in sorted(rng.permutation(len(parts))[:n_shown])]
        )
        # What is inside of a unit often appears nowhere else.
        outside = tuple(i for i in narrow if i not in shown.used_inputs)
        return View(outside if rng.random() < WITHOUT_INSIDE else narrow, shown)

    def _take_batch(self, index: int, state: bytes | None) -> bool:
        del index
        self._target.n_ended += state is not None
        is_growth = len(self._known) - 1 in self._sown
        tried = [Tried(grown_in(state), True)] if is_growth else tried_in(state)
        for found, by_network in tried:
            self._target.n_attempts += 1
            if found is not None:
                self._pool.add(found, by_network=by_network)
            self._is_over = self._is_enough()
            if self._is_over:
                return True
        # A growth takes as long as a batch, and counts as one.
        self._target.n_attempts = N_BATCH * len(self._known)
        left = min(entry.found.sse for entry in self._pool.entries)
        residual, narrow = left / self._data.n_residuals, self._inputs_that_matter()
        self._known.append(Known(residual, narrow, self._parts(), self._seeds()))
        return False

    def _parts(self) -> tuple[Graph, ...]:
        if len(self._known) < BEFORE_PARTS:
            return ()
        best = [entry.found.graph for entry in self._pool.entries[:N_FORMULAS]]
        if not _are_the_same(best, self._looked_at):
            self._looked_at = best
            self._recurring = tuple(recurring_parts(best, self._pool.task.x))
        return self._recurring

    def _seeds(self) -> tuple[Graph, ...]:
        is_nearly_right = self._relatedness() < STRUCTURE
        if is_nearly_right or "sin" not in self._pool.task.units:
            return ()
        return tuple(entry.found.graph for entry in self._pool.entries)

    def _inputs_that_matter(self) -> tuple[Inputs, ...]:
        """Inputs that matter at all, and those that matter much."""
        best = self._pool.best
        # A formula that explains nearly everything shows all inputs that matter. Tests
        # are for before: along a trajectory every input is significant.
        is_good = best.sse < NEARLY_NOTHING * self._data.n_residuals
        tested = frozenset() if is_good else self._significant
        residual = math.sqrt(best.sse / self._data.n_residuals)
        shares = (min(VISIBLE, residual), min(10 * VISIBLE, 10 * residual))
        found = (
            visible_inputs(self._pool.task, best.graph, share) | tested
            for share in shares
        )
        return tuple(tuple(sorted(inputs)) or self._all for inputs in found)

    def _is_enough(self) -> bool:
        """Whether more attempts cannot be expected to change the answer."""
        best = self._pool.best
        if self._target.n_attempts >= self._most_attempts:
            return True
        if is_exact(best, self._data):
            return True
        least = self._least_attempts()
        if best.graph == self._nothing:
            return self._target.n_attempts >= least
        # On few rows a chance find may be ahead of what was found again and again.
        close = [e for e in self._pool.entries if e.found.bic < best.bic + CLOSE]
        n_networks = max(entry.n_networks for entry in close)
        n_in_vain = self._n_in_vain()
        if n_networks >= 2 * ENOUGH_NETWORKS:
            return True
        if n_networks >= ENOUGH_NETWORKS and not self._relatedness() > STRUCTURE:
            return True
        if self._target.n_attempts < least:
            return False
        n_votes = max(entry.votes for entry in close)
        if max(n_votes, self._pool.n_agreeing()) >= ENOUGH_VOTES:
            return not self._relatedness() > STRUCTURE
        is_patient = n_in_vain >= PATIENCE * best.graph.n_parameters
        return is_patient and self._relatedness() < NOISE

    def _least_attempts(self) -> int:
        """When levels may agree: the inputs were taken as angles, in every view."""
        n_inputs = len(self._all)
        n_views = 1 if set(self._known[-1].narrow) == {self._all} else 2
        few = LEAST_ATTEMPTS + len(first_levels(n_inputs))
        return max(few, n_views * n_until_angles(n_inputs))

    def _relatedness(self) -> float:
        """What the best formula leaves; see `relatedness`."""
        best = self._pool.best.graph
        if self._judged is None or self._judged[0] is not best:
            self._judged = best, relatedness(best, self._pool.task)
        return self._judged[1]

    def _n_in_vain(self) -> int:
        """How many attempts were made since the best formula was found."""
        bic, n_attempts = self._pool.best.bic, self._target.n_attempts
        if bic < self._ahead.bic - CLOSE:
            self._ahead = _Ahead(bic, n_attempts)
        return n_attempts - self._ahead.at


def _are_the_same(some: list[Graph], others: list[Graph]) -> bool:
    return len(some) == len(others) and all(map(operator.is_, some, others))


class _Ahead(NamedTuple):
    """The best criterion, and after how many attempts it was reached."""

    bic: float
    at: int
