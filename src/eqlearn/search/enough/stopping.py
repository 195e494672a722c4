"""When to stop: pure functions of what a search has to show.

A search ends when more attempts cannot be expected to change its answer. What speaks
for that is one small value, and the rules are a table of the reasons to stop, so that
each can be read and tested by itself.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, TypeAlias

from eqlearn.search.enough.residual_structure import Left
from eqlearn.search.strategy import Stopping


@dataclass(frozen=True)
class Evidence:
    """What a search has to show for its best formula."""

    n_attempts: int
    most_attempts: int  # after which it ends anyway
    least_attempts: int  # before which only networks may agree
    is_exact: bool  # nothing is left to explain
    is_mean: bool  # no formula explains more than the mean
    left: Left  # what the best formula leaves
    n_parameters: int  # of the best formula
    n_votes: int  # most attempts that ended in one formula, the best or a close one
    n_networks: int  # most networks that did, growths included
    n_agreeing: int  # networks whose formulas say the same in the domain of use
    n_in_vain: int  # attempts since a formula was found that is clearly better
    lead: float = 0.0  # of the criterion over all that differ in the domain of use
    lead_of_size: float = 0.0  # over those of them that are no longer
    is_surveyed: bool = True  # formulas of other kinds were looked for
    n_kinds: int = 0  # of these that were looked for
    is_plain: bool = True  # the best is a product of powers or functions, or linear
    is_no_series: bool = False  # it has every input in one power, as series have not
    n_odd: int = 1  # of its constants, that are no simple numbers

    @property
    def is_early(self) -> bool:
        """Whether the inputs were not yet taken as angles: fractions agree by rule."""
        return self.n_attempts < self.least_attempts


class Reason(Enum):
    """Why a search has come to its end."""

    EXACT = "nothing is left to explain"
    ATTEMPTS = "all attempts were made"
    MEAN = "no attempt explained more than the mean"
    NETWORKS = "networks agree"
    VOTES = "attempts agree"
    LEAD = "only noise is left, and a short formula is far ahead of all that differ"
    SIZE = "only noise is left, and all formulas of this size were looked for"
    PATIENCE = "only noise is left, and nothing better was found for long"


#: Reasons by which no other formula can still be better.
DECISIVE = (Reason.EXACT, Reason.LEAD, Reason.SIZE)


def _networks_agree(evidence: Evidence, by: Stopping) -> bool:
    least = by.networks
    if evidence.left is Left.STRUCTURE:
        least = by.networks_of_structure
    return evidence.n_networks >= least


def _attempts_agree(evidence: Evidence, by: Stopping) -> bool:
    n = max(evidence.n_votes, evidence.n_agreeing)
    is_part_left = evidence.left is Left.STRUCTURE
    return n >= by.votes and not is_part_left and not evidence.is_early


def _is_in_vain(evidence: Evidence, by: Stopping) -> bool:
    is_noise = evidence.left is Left.NOISE
    n_enough = by.patience * evidence.n_parameters
    return is_noise and evidence.n_in_vain >= n_enough and not evidence.is_early


def _is_far_ahead(evidence: Evidence, by: Stopping) -> bool:
    if evidence.n_parameters > _most_parameters(evidence, by):
        return False
    if evidence.left is Left.UNCLEAR:  # as one in fifty is by chance
        is_simple = evidence.n_odd == 0
        return evidence.lead >= (by.lead_if_simple if is_simple else by.lead_in_doubt)
    is_early = evidence.n_kinds < by.kinds_before_doubt_ends
    if evidence.left is Left.UNKNOWN:  # too few rows to tell: only the shortest
        is_shortest = evidence.n_parameters <= by.fewest_parameters
        return is_shortest and not is_early and evidence.lead >= by.lead
    # Where nothing as short comes near, longer formulas are imitations: they may be
    # closer, for they leave as little and pay for their constants.
    is_alone = evidence.lead_of_size >= by.beyond_doubt
    enough = by.clear if is_alone and not is_early else by.lead
    return evidence.left is Left.NOISE and evidence.lead >= enough


def _most_parameters(evidence: Evidence, by: Stopping) -> int:
    """Of a formula that is enough by its lead.

    Until other kinds were looked for, only the shortest are beyond doubt, or short ones
    that nothing of their size comes near to: longer ones imitate everything.
    """
    if evidence.is_surveyed:
        # Sines of several inputs are found by attempts, once inputs are angles.
        return by.few_parameters if evidence.is_early else by.most_parameters
    is_early = evidence.n_kinds < by.kinds_before_doubt_ends
    if evidence.n_odd > by.most_odd and evidence.n_kinds < by.kinds_before_odd:
        return 0  # where a law has none, its imitations have two
    if is_early and not evidence.is_plain:
        # First terms of series look like laws, too: (1 + r)^n, asin(l/d).
        least = min(evidence.lead, evidence.lead_of_size)
        is_clear = evidence.is_no_series and least >= by.beyond_doubt
        return by.few_parameters if is_clear else 0
    if is_early or evidence.lead_of_size < by.beyond_doubt:
        return by.fewest_parameters
    return by.few_parameters


def _is_shortest(evidence: Evidence, by: Stopping) -> bool:
    # Where only noise is left, no formula is better but a shorter one. If others of
    # its size do as well, those with one constant more have their chance first.
    n, known = evidence.n_parameters, by.kinds_of_size
    if not 1 <= n < len(known) or evidence.left is not Left.NOISE:
        return False
    if n >= by.few_parameters and evidence.is_early:
        return False  # a fraction of sines, which attempts find, may say it in fewer
    is_ahead = evidence.lead_of_size >= by.clear
    return evidence.n_kinds >= known[n - 1 if is_ahead else n]


Rule: TypeAlias = Callable[[Evidence, Stopping], bool]

#: Why to stop when some formula explains more than the mean.
RULES: tuple[tuple[Reason, Rule], ...] = (
    (Reason.LEAD, _is_far_ahead),
    (Reason.SIZE, _is_shortest),
    (Reason.NETWORKS, _networks_agree),
    (Reason.VOTES, _attempts_agree),
    (Reason.PATIENCE, _is_in_vain),
)


def reason_to_stop(evidence: Evidence, by: Stopping) -> Reason | None:
    """Why more attempts cannot be expected to change the answer, if they cannot."""
    if evidence.n_attempts >= evidence.most_attempts:
        return Reason.ATTEMPTS
    if evidence.is_exact:
        return Reason.EXACT
    if evidence.is_mean:
        return None if evidence.is_early else Reason.MEAN
    # What attempts agree on may be an imitation of what they cannot say.
    rules = RULES if evidence.is_surveyed else RULES[:2]
    return next((reason for reason, holds in rules if holds(evidence, by)), None)


class Ahead(NamedTuple):
    """The best criterion so far, and after how many attempts it was reached."""

    bic: float = math.inf
    at: int = 0

    def after(self, bic: float, n_attempts: int, by: Stopping) -> "Ahead":
        """The same, unless a formula is better by more than a close one may be."""
        return Ahead(bic, n_attempts) if bic < self.bic - by.close else self
