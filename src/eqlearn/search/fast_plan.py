"""The fast recipe as a plan: attempts until they agree, refinements, final fits."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from eqlearn.equation.refine.criterion import Scored, is_exact
from eqlearn.jobs.job import Job, Stage, Together
from eqlearn.network.graph import Graph
from eqlearn.search.attempts.agenda import (
    AttemptOutcome,
    batch_job,
    n_before,
    n_until_angles,
    outcomes,
)
from eqlearn.search.attempts.borrowing import loans
from eqlearn.search.attempts.feature_fractions import first_fractions
from eqlearn.search.attempts.growths import GrowthSeeds, grown_in, growth_job
from eqlearn.search.attempts.input_views import Inputs, View
from eqlearn.search.attempts.relevant_inputs import RelevantInputs
from eqlearn.search.attempts.shown_parts import ShownParts, view_of_parts
from eqlearn.search.enough.plain_forms import has_single_powers, is_bent, is_plain
from eqlearn.search.enough.residual_structure import Left, residual_structure
from eqlearn.search.enough.stopping import DECISIVE, Ahead, Evidence, reason_to_stop
from eqlearn.search.keep.finishing import finishing
from eqlearn.search.keep.pool import mean_formula
from eqlearn.search.keep.target import Target
from eqlearn.search.survey.looks import SoFar
from eqlearn.search.survey.survey import SurveyPlan, is_no_imitation


class Insight(NamedTuple):
    """What the first batches have shown, to steer later ones by."""

    residual: float  # mean square of the best formula's
    inputs: tuple[Inputs, ...]  # that matter at all, and those that matter much
    parts: tuple[Graph, ...] = ()  # that recur in the best formulas
    seeds: tuple[Graph, ...] = ()  # formulas that may grow, the best first


class FastPlan:
    """The search for one target's formula.

    Every other batch of attempts does without the inputs that seem idle by then, and
    every other later on is shown parts of the best formulas; some are growths.
    """

    def __init__(
        self,
        target: Target,
        others: Sequence[Target] = (),
        max_attempts: int | None = None,
        seconds: float = math.inf,  # to test which inputs matter
    ) -> None:
        task = target.pool.task
        self._target, self._others, self._pool = target, others, target.pool
        self._task, self._strategy = task, task.strategy
        self._max_attempts = max_attempts or self._strategy.agenda.most_attempts
        self._data = task.search_rows()
        self._few = task.x[: self._strategy.survey.n_rows]
        self._mean = mean_formula(task, self._data).graph
        self._relevant = RelevantInputs.of(task, seconds)
        self._learned = [Insight(math.inf, self._relevant.first)]  # after each batch
        self._parts, self._seeds, self._ahead = ShownParts(), GrowthSeeds(), Ahead()
        # Attempts, by the inputs they use; with parts, which differ, by how many.
        self._n_asked: Counter[tuple[Inputs, int]] = Counter()
        self._judged: tuple[Graph, Left] | None = None
        self._is_over = False  # whether attempts have come to an end
        self._survey: SurveyPlan | None = None

    def stages(self) -> Iterator[Stage | Together]:
        """Rounds of attempts and loans, then what every recipe ends with."""
        lending, agenda = self._target.lending, self._strategy.agenda
        n_batches = -(-self._max_attempts // agenda.batch)
        ends = [end for end in agenda.rounds if end < n_batches] if self._others else []
        first = 0
        for end in [*ends, n_batches]:
            yield from self._round(first, end)
            lending.offers.append(self._pool.best.graph)
            if len(self._learned) <= end:  # they agree, or were cut short
                break
            if self._others:
                yield self._loans(len(lending.offers) - 1)
            if self._is_over:
                break
            first = end
        lending.is_settled = True
        yield from finishing(self._target, self._others)

    def _round(self, first: int, end: int) -> Iterator[Stage]:
        """Batches from `first` to before `end`, the first by turns with a survey."""
        if first or not self._is_surveyed():
            yield self._attempts(first, end)
            return
        survey = self._survey = SurveyPlan(
            self._target.number,
            self._learned[-1].inputs[-1],
            self._strategy,
            self._take_surveyed,
            self._so_far,
        )
        yield survey.first()
        if not self._is_over:
            yield survey.opening()
        # Once what is quick was looked for, looks and batches take turns, unless what
        # there is only waits for looks.
        for look in survey.looks():
            if self._is_over:
                return
            yield look
            is_turn = survey.n_kinds >= self._strategy.survey.n_quick
            is_turn = is_turn and not self._waits_for_looks()
            until = min(end, first + int(is_turn))
            if not self._is_over and first < until:
                yield self._attempts(first, until)
            if self._is_over or len(self._learned) <= until:
                return
            first = until
        if first < end:
            yield self._attempts(first, end)

    def _so_far(self) -> SoFar:
        """Where only noise is left, no formula is better but a shorter one."""
        best = self._pool.best
        is_noise = self._left() is Left.NOISE
        most = best.graph.n_parameters if is_noise else math.inf
        return SoFar(best.sse / self._data.n_residuals, most)

    def _n_kinds(self) -> int:
        """How many kinds of formulas were looked for; all, if there is no survey."""
        if self._survey is not None:
            return self._survey.n_kinds
        return 0 if self._is_surveyed() else len(self._strategy.survey.order)

    def _is_surveyed(self) -> bool:
        inputs = self._learned[-1].inputs[-1]
        few = len(inputs) <= self._strategy.survey.most_inputs
        return few and bool(self._task.survey_units)

    def _take_surveyed(self, found: Sequence[Scored] | None) -> bool:
        self._target.n_ended += found is not None
        for one in found or ():
            self._pool.add(one)
        self._is_over = self._is_short() and self._is_told() and self._is_enough()
        return self._is_over

    def _is_told(self) -> bool:
        """Whether what is left can be told yet: of many inputs tests look at few."""
        n_inputs, most = self._task.x.shape[1], self._strategy.residuals.most_inputs
        return self._is_open() or n_inputs <= most

    def _is_open(self) -> bool:
        """Whether fractions under every link were looked for."""
        return self._survey is not None and self._survey.is_open

    def _is_short(self) -> bool:
        """Whether the best formula is no mere imitation of a law without noise."""
        most = self._strategy.survey.most_exact
        return self._pool.best.graph.n_parameters <= most

    def _attempts(self, first: int, end: int) -> Stage:
        """The batches from `first` to before `end`, counted from 0 in the stage."""
        return Stage(
            lambda i: self._batch(first + i) if first + i < end else None,
            self._take_batch,
            before=lambda i: max(0, n_before(first + i, self._strategy) - first),
            share=self._strategy.shares.attempts,
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
            self._pool.best.sse / self._data.n_residuals,
            self._task.tactics.criterion,
            offers,
            take,
            is_ready=lambda: all(t.lending.is_ready(number) for t in self._others),
            share=self._strategy.shares.attempts,
        )

    def _batch(self, index: int) -> Job | None:
        """The batch of attempts of this index, or a growth in its place."""
        agenda, number = self._strategy.agenda, self._target.number
        if index * agenda.batch >= self._max_attempts:
            return None
        learned = self._learned[n_before(index, self._strategy)]
        if (seed := self._seed(index, learned)) is not None:
            self._seeds = self._seeds.sow(index, seed)
            with_planes = len(self._seeds.sown) % 2 == 0
            return growth_job(number, index, seed, with_planes)
        view = self._view(index, learned)
        key = view.inputs, 0 if view.units is None else view.units.n_outputs
        start = self._n_asked[key]
        self._n_asked[key] += agenda.batch
        return batch_job(number, index, view, start, learned.residual)

    def _seed(self, index: int, learned: Insight) -> Graph | None:
        """The formula that is to grow instead of a batch, if it is time for one."""
        by = self._strategy.growths
        if not self._seeds.is_turn(index, by):
            return None
        return self._seeds.next_seed(index, learned.seeds, self._data, by)

    def _view(self, index: int, learned: Insight) -> View:
        """What the batch of this index gets to see."""
        inputs = learned.inputs[index // 2 % len(learned.inputs)]
        if index % 4 < 2 or not learned.parts:
            sees_all = self._relevant.sees_all(index)
            return View(self._relevant.all if sees_all else inputs)
        by, seed = self._strategy.parts, self._task.seed
        return view_of_parts(learned.parts, inputs, by, seed=seed, index=index)

    def _take_batch(self, index: int, state: bytes | None) -> bool:
        del index  # that of the stage; batches are counted over all of them
        self._target.n_ended += state is not None
        for found, by_network in self._outcomes(len(self._learned) - 1, state):
            self._target.n_attempts += 1
            if found is not None:
                self._pool.add(found, by_network=by_network)
            self._is_over = self._is_enough()
            if self._is_over:
                return True
        # A growth takes as long as a batch, and counts as one.
        self._target.n_attempts = self._strategy.agenda.batch * len(self._learned)
        self._learned.append(self._learned_now())
        return False

    def _outcomes(self, index: int, state: bytes | None) -> list[AttemptOutcome]:
        """What a batch, or the growth in its place, came to."""
        if self._seeds.at(index) is not None:
            return [AttemptOutcome(grown_in(state), by_network=True)]
        return outcomes(state, self._strategy)

    def _learned_now(self) -> Insight:
        """What all batches so far have shown."""
        entries, by = self._pool.entries, self._strategy.parts
        formulas = tuple(entry.found.graph for entry in entries)
        if len(self._learned) >= by.before:
            self._parts = self._parts.after(formulas, self._task.x, by)
        may_grow = "sin" in self._task.units
        may_grow &= self._left() in (Left.STRUCTURE, Left.UNKNOWN)
        least = min(entry.found.sse for entry in entries)
        return Insight(
            least / self._data.n_residuals,
            self._relevant.after(self._task, self._pool.best, self._data.n_residuals),
            self._parts.parts,
            formulas if may_grow else (),
        )

    def _is_enough(self) -> bool:
        """Whether more attempts cannot be expected to change the answer."""
        reason = reason_to_stop(self._evidence(), self._strategy.stopping)
        self._target.is_decided = reason in DECISIVE
        return reason is not None

    def _waits_for_looks(self) -> bool:
        """Whether it would be enough if other kinds of formulas had been looked for."""
        evidence = replace(self._evidence(), is_surveyed=True)
        return reason_to_stop(evidence, self._strategy.stopping) is not None

    def _evidence(self) -> Evidence:
        """What there is to show for the best formula."""
        best, by = self._pool.best, self._strategy.stopping
        n_attempts, n_residuals = self._target.n_attempts, self._data.n_residuals
        by_survey = self._strategy.survey
        is_mean = best.graph == self._mean
        is_surveyed = self._n_kinds() >= self._strategy.survey.telling
        if not is_mean:
            self._ahead = self._ahead.after(best.bic, n_attempts, by)
        # On few rows a chance find may be ahead of what was found again and again.
        close = [e for e in self._pool.entries if e.found.bic < best.bic + by.close]
        return Evidence(
            n_attempts=n_attempts,
            most_attempts=self._max_attempts,
            least_attempts=self._least_attempts(),
            is_exact=is_exact(best, self._data, self._task.tactics)
            and (is_surveyed or is_no_imitation(best, n_residuals, by_survey)),
            is_mean=is_mean,
            left=self._left(),
            n_parameters=best.graph.n_parameters,
            n_votes=max((entry.votes for entry in close), default=0),
            n_networks=max((entry.n_networks for entry in close), default=0),
            n_agreeing=self._pool.n_agreeing(),
            n_in_vain=n_attempts - self._ahead.at,
            lead=self._pool.lead(),
            lead_of_size=self._pool.lead(best.graph.n_parameters),
            is_surveyed=is_surveyed,
            n_kinds=self._n_kinds(),
            is_plain=is_plain(best.graph)
            and is_bent(best.graph, self._few, by.least_bent),
            is_no_series=self._is_open() and has_single_powers(best.graph),
            n_odd=self._pool.n_odd(self._pool.entries[0]),
        )

    def _least_attempts(self) -> int:
        """When fractions may agree: the inputs were taken as angles, in every view."""
        every, strategy = self._relevant.all, self._strategy
        n_views = 1 if set(self._learned[-1].inputs) == {every} else 2
        n_first = len(first_fractions(len(every), strategy.fractions))
        few = strategy.stopping.least_attempts + n_first
        return max(few, n_views * n_until_angles(len(every), strategy))

    def _left(self) -> Left:
        """What the best formula leaves."""
        best = self._pool.best.graph
        if self._judged is None or self._judged[0] is not best:
            self._judged = best, residual_structure(best, self._task)
        return self._judged[1]
