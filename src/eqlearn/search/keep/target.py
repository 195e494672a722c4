"""One target of a search: what was found for it so far."""

from dataclasses import dataclass, field

from eqlearn.search.attempts.borrowing import Lending
from eqlearn.search.keep.final_fits import Candidate
from eqlearn.search.keep.pool import Pool


@dataclass
class Target:
    """A column to be explained: what was found for it so far."""

    number: int
    pool: Pool
    whole: str  # the name of its data with every row
    stays_local: bool  # whether these are too large to be sent to a worker
    loss: str = "squared"  # of its final fits
    n_attempts: int = 0
    is_decided: bool = False  # whether nothing that differs can still be better
    n_ended: int = 0  # steps of its search that did not fail
    lending: Lending = field(default_factory=Lending)
    candidates: list[Candidate] = field(default_factory=list)

    def list_candidate(self, found: Candidate) -> None:
        """Add a candidate in its place, or its votes to those of the same formula."""
        same = self.pool.task.strategy.pooling.same
        for place, one in enumerate(self.candidates):
            same_size = one.graph.n_parameters == found.graph.n_parameters
            if same_size and abs(one.bic - found.bic) < same:
                self.candidates[place] = one.with_votes(found)
                return
        self.candidates.append(found)
        self.candidates.sort(key=lambda one: (one.n_broken, one.bic))
