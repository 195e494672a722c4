"""Where candidates for rates come from, and how long that may take."""

import math
import time
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from eqlearn.dynamics.asked import Asked
from eqlearn.dynamics.candidates.coupled_sums import coupled_sums
from eqlearn.dynamics.candidates.pursued import pursued
from eqlearn.dynamics.choose.contest import Contest
from eqlearn.dynamics.follow.motion import held
from eqlearn.dynamics.readings import Readings
from eqlearn.dynamics.settings import Choosing
from eqlearn.dynamics.smooth.rate_rows import RateRows
from eqlearn.equation.refine.criterion import refit
from eqlearn.jobs.serial import TimeIsUp, cut_off
from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.search.learn import MOMENT, Found, ProgressCallback, learn
from eqlearn.search.request import Request
from eqlearn.training.samples import samples

#: The part of a run directory for the longer search, named as parts of runs are.
_LONGER = "search-other-noise"


class Watch(NamedTuple):
    """When learning began, by the clock and by the work of this process."""

    begin: float
    work: float

    def search_limit(self, asked: Asked, n_free: int) -> float:
        """Seconds for the search; unless they are given, those of a free core."""
        by = asked.settings.choosing
        if asked.time_limit is not None:
            share = by.search_seconds / (by.search_seconds + by.choice_seconds)
            return asked.time_limit * share
        return self._on_a_free_core(by.search_seconds * n_free, by)

    def more_limit(self, asked: Asked, n_free: int) -> float:
        """The same for a longer search: half of what is left."""
        by = asked.settings.choosing
        if asked.time_limit is not None:
            share = 1.0 - by.share_to_compare
            left = self.begin + share * asked.time_limit - time.monotonic()
            return max(0.5 * left, MOMENT)
        return self._on_a_free_core(by.more_search * n_free, by)

    def _on_a_free_core(self, seconds: float, by: Choosing) -> float:
        worked = max(time.process_time() - self.work, 1e-3)
        busy = (time.monotonic() - self.begin) / worked
        return seconds * min(max(busy, 1.0), by.most_busy)

    def sums_deadline(self, asked: Asked) -> float:
        """Until when sums of simple terms are looked for: half of what is left."""
        if asked.time_limit is None:
            return math.inf
        searched = self.search_limit(asked, 0)
        return self.begin + 0.5 * (searched + asked.time_limit)

    def timed(
        self, contest: Contest, asked: Asked, n_free: int, *, is_first: bool = False
    ) -> Contest:
        """A contest that ends in time; the first leaves some for a longer search."""
        by = asked.settings.choosing
        if asked.time_limit is not None:
            keeps = is_first and asked.max_attempts is None
            share = by.first_share if keeps else 1.0 - by.share_to_compare
            deadline = self.begin + share * asked.time_limit
            return replace(contest, deadline=deadline, clock=time.monotonic)
        deadline = time.process_time() + by.choice_seconds * max(n_free, 1)
        return replace(contest, deadline=deadline, clock=time.process_time)

    def comparison_deadline(self, asked: Asked) -> float:
        """Until when the system that was chosen is compared with forms close to it."""
        return self.begin + (asked.time_limit or math.inf)


def coupled_fractions(
    seen: Readings, free: list[int], deadline: float, asked: Asked
) -> list[dict[int, Graph]]:
    """Systems of fractions, by state, that are sums once they are multiplied out."""
    if asked.units is not None or seen.rule == "map" or not free:
        return []
    grounds = {state: seen.grounds(state, asked) for state in free}
    by = asked.settings.coupling
    return coupled_sums(grounds, by, lambda: time.monotonic() > deadline)


def simple_sums(
    seen: Readings, free: list[int], deadline: float, asked: Asked
) -> dict[int, list[Graph]]:
    """Sums of simple terms for each state, or for as many as there is time for."""
    found: dict[int, list[Graph]] = {}
    for state in free if asked.units is None else ():
        with suppress(TimeIsUp), cut_off(deadline - time.monotonic()):
            found[state] = pursued(seen.grounds(state, asked), asked.settings.pursuit)
    return found


def searched(
    rows: RateRows,
    free: list[int],
    limit: float,
    asked: Asked,
    callback: ProgressCallback,
) -> dict[int, Found]:
    """What the search finds for the rates that are not known."""
    if not free:
        return {}
    request = Request(
        rows.x,
        rows.rates[:, free],
        seed=asked.seed,
        time_limit=limit,
        units=asked.units,
        max_attempts=asked.max_attempts,
        jobs=asked.jobs,
        scheduler=asked.scheduler,
        run_dir=asked.run_dir,
    )
    return dict(zip(free, learn(request, callback), strict=True))


def searched_again(
    seen: Readings,
    free: list[int],
    limit: float,
    asked: Asked,
    callback: ProgressCallback,
) -> dict[int, Found]:
    """A longer search of rows that have other noise, kept beside the first."""
    rng = np.random.default_rng([asked.seed, 1])
    again = None if asked.run_dir is None else asked.run_dir / _LONGER
    asked = replace(asked, run_dir=again)
    return searched(seen.other_rows(rng, asked), free, limit, asked, callback)


def together(first: Found, more: Found) -> Found:
    """What two searches for one rate found."""
    ranked = sorted((*first.candidates, *more.candidates), key=lambda one: one.bic)
    return replace(
        more,
        candidates=tuple(ranked),
        n_attempts=first.n_attempts + more.n_attempts,
        seconds=first.seconds + more.seconds,
        failures=(*first.failures, *more.failures),
    )


def options_of(
    rows: RateRows,
    found: dict[int, Found],
    simple: dict[int, list[Graph]],
    asked: Asked,
) -> list[list[Graph]]:
    """Candidates for each state, the most likely first; one where it is known."""
    by, options = asked.settings.choosing, []
    for state in range(rows.rates.shape[1]):
        if state in asked.known:
            options.append([held(asked.known[state])])
            continue
        ranked = sorted(found[state].candidates, key=lambda one: one.bic)
        graphs = [one.graph for one in ranked if one.is_something]
        few = [g for g in graphs if g.n_parameters <= by.most_constants]
        some = [*few[: by.n_candidates], *simple.get(state, [])] or graphs[:1]
        ordered = sorted(some, key=lambda graph: _in_rows(graph, rows, state))
        options.append(ordered or [_mean(rows, state)])
    return options


def _in_rows(graph: Graph, rows: RateRows, state: int) -> float:
    """A criterion of rates, the same for all candidates, wherever they come from."""
    data = samples(rows.x, rows.rates[:, state : state + 1])
    found = refit(graph, data)
    return found.bic if np.isfinite(found.bic) else np.inf


def _mean(rows: RateRows, state: int) -> Graph:
    mean = {CONSTANT: float(np.mean(rows.rates[:, state]))}
    return Graph(rows.x.shape[1], (), ((mean, {CONSTANT: 1.0}),))
