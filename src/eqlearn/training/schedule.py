"""What happens in which epoch: phases, θ curriculum, penalty epochs (section 2.3)."""

from dataclasses import dataclass
from typing import NamedTuple

from eqlearn._types import AnyArray
from eqlearn.errors import check_count, must, unknown

#: Epochs from one penalty epoch to the next in the paper.
PENALTY_EVERY = 50
#: Ways to have penalty epochs: in the place of ordinary ones, or beside those with L1,
#: with moments of their own, as the authors' code has them.
PENALTY = ("in_place", "extra")
#: However short a training is, at least four of five epochs are of data.
MOST_OFTEN = 5


class Moment(NamedTuple):
    """The settings in force during one epoch."""

    phase: AnyArray  # 1 free, 2 with L1, 3 with small weights held at zero
    l1_factor: AnyArray  # 1 in phase 2, else 0: multiplies λ
    theta: AnyArray  # θ(t) of Eq. 7
    is_penalty_epoch: AnyArray
    has_extra_penalty: AnyArray  # whether a penalty epoch follows that counts as none
    is_masked: AnyArray  # phase 3: weights below the threshold are held at zero
    rate_factor: AnyArray  # multiplies the learning rate; 1 throughout in the paper


@dataclass(frozen=True)
class Schedule:
    """The three phases over `n_epochs` epochs: t1 = T/4 and t2 = 19T/20.

    `penalty_every` epochs one is a penalty epoch (0: never), or followed by one, as
    `penalty` says. `final_rate` is the factor that the learning rate has fallen to,
    geometrically, by the last epoch.
    `pace` is how many epochs of the curriculum of θ pass in one.
    """

    n_epochs: int
    l1_start: float = 0.25
    l1_stop: float = 0.95
    penalty_every: int = PENALTY_EVERY
    final_rate: float = 1.0
    pace: float = 1.0
    penalty: str = "in_place"

    def __post_init__(self) -> None:
        check_count("n_epochs", self.n_epochs)
        if not 0 <= self.l1_start <= self.l1_stop <= 1:
            got = (self.l1_start, self.l1_stop)
            raise must("l1_start", "in [0, 1] and at most `l1_stop`, up to 1", got)
        hint = "Use 0 for no penalty epochs."
        check_count("penalty_every", self.penalty_every, least=0, hint=hint)
        if not self.final_rate > 0:
            raise must("final_rate", "above 0", self.final_rate)
        if not self.pace > 0:
            raise must("pace", "above 0", self.pace)
        if self.penalty not in PENALTY:
            raise unknown("penalty", self.penalty, PENALTY)

    @classmethod
    def paper(cls, n_layers: int, n_epochs: int | None = None) -> "Schedule":
        """T = (L - 1) · 10000 epochs, or all that happens in these in another number.

        In a tenth of the epochs θ falls ten times as fast, and as many penalty epochs
        are among them, unless they would be more than one in five.
        """
        n_full = (n_layers - 1) * 10_000
        if n_epochs is None:
            return cls(n_full)
        check_count("n_epochs", n_epochs)
        every = max(MOST_OFTEN, round(PENALTY_EVERY * n_epochs / n_full))
        return cls(n_epochs, penalty_every=every, pace=n_full / n_epochs)

    def at(self, epoch: int | AnyArray) -> Moment:
        """Say what holds in `epoch`, counted from 0; also for traced integers."""
        in_l1 = (epoch >= self.l1_start * self.n_epochs) & (
            epoch < self.l1_stop * self.n_epochs
        )
        is_masked = epoch >= self.l1_stop * self.n_epochs
        every, is_extra = self.penalty_every, self.penalty == "extra"
        never = epoch < 0
        is_due = (epoch + 1) % every == 0 if every else never
        return Moment(
            phase=1 + in_l1 + 2 * is_masked,
            l1_factor=1.0 * in_l1,
            theta=theta(epoch * self.pace),
            is_penalty_epoch=never if is_extra else is_due,
            has_extra_penalty=is_due & in_l1 if is_extra else never,
            is_masked=is_masked,
            rate_factor=self.final_rate ** (epoch / self.n_epochs),
        )


def theta(epoch: float | AnyArray) -> AnyArray:
    """θ(t) = 1/√(t + 1) of Eq. 7: the curriculum from guarded to plain division."""
    return (epoch + 1) ** -0.5
