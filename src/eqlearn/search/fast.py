"""The fast recipe as a plan: attempts until they agree, refinements, final fits."""

import math
from collections.abc import Iterator

from eqlearn.search.attempts import N_BATCH, batch_job, found_in, n_before
from eqlearn.search.finishing import Target, finishing
from eqlearn.search.jobs import Job, Stage
from eqlearn.search.levels import first_levels
from eqlearn.search.task import N_SEARCH, is_exact

#: Stop when this many attempts ended in the best formula, or in one whose criterion is
#: as close as this, and when so many attempts were made.
CLOSE = 15.0
ENOUGH_VOTES = 3
LEAST_ATTEMPTS = 16
MOST_ATTEMPTS = 400
#: Share of a time limit after which attempts end.
ATTEMPTS_SHARE = 0.7


class FastPlan:
    """The search for one target's formula."""

    def __init__(self, target: Target) -> None:
        self.targets = [target]
        self._target, self._pool = target, target.pool
        self._data = target.pool.task.rows(N_SEARCH)
        self._nothing = target.pool.best.graph
        self._known = [math.inf]  # best residual after so many batches

    def stages(self) -> Iterator[Stage]:
        """Attempts, then refinements of the best and their final fits."""
        yield Stage(
            self._batch, self._take_batch, before=n_before, share=ATTEMPTS_SHARE
        )
        yield from finishing(self._target)

    def _batch(self, index: int) -> Job | None:
        if index * N_BATCH >= MOST_ATTEMPTS:
            return None
        return batch_job(self._target.number, index, self._known[n_before(index)])

    def _take_batch(self, index: int, state: bytes | None) -> bool:
        del index
        for found in found_in(state):
            self._target.n_attempts += 1
            if found is not None:
                self._pool.add(found)
            if self._is_enough():
                return True
        left = min(entry.found.sse for entry in self._pool.entries)
        self._known.append(left / self._data.n_residuals)
        return False

    def _is_enough(self) -> bool:
        """Whether more attempts cannot be expected to change the answer."""
        best = self._pool.best
        if is_exact(best, self._data):
            return True
        least = LEAST_ATTEMPTS + len(first_levels(self._pool.task.x.shape[1]))
        if best.graph == self._nothing:
            return self._target.n_attempts >= 2 * least
        # On few rows a chance find may be ahead of what was found again and again.
        close = [e for e in self._pool.entries if e.found.bic < best.bic + CLOSE]
        agreed = max(entry.votes for entry in close) >= ENOUGH_VOTES
        return self._target.n_attempts >= (least if agreed else MOST_ATTEMPTS)
