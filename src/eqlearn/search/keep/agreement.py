"""Whether formulas say the same: values compared where tails decide nothing."""

import numpy as np

from eqlearn._types import Array

#: Share of values at either end that a typical spread does not see, and the share of
#: points that may be anything; of a normal distribution, the rest spans 3.3 spreads.
_TAIL = 0.05
_SPREADS_BETWEEN_TAILS = 3.0


def typical_spread(values: Array) -> float:
    """The spread of finite values, or of most of them if a few are far away.

    Beside the whole spread of a formula that has a pole, all others would be alike.
    """
    finite = values[np.isfinite(values)]
    if not len(finite):
        return 0.0
    with np.errstate(all="ignore"):
        spread = float(np.std(finite))
        low, high = np.quantile(finite, (_TAIL, 1.0 - _TAIL))
        most = float(high - low) / _SPREADS_BETWEEN_TAILS
    return min(spread, most) if most > 0 else spread


def say_the_same(ours: Array, theirs: Array, share: float) -> bool:
    """Whether values differ by less than a share of the spread of ours.

    Where neither has a value there is nothing to differ in; where one has none, they
    differ without bound.
    """
    with np.errstate(all="ignore"):
        off = np.abs(theirs - ours)
        off[~np.isfinite(ours) & ~np.isfinite(theirs)] = 0.0
        off[np.isnan(off)] = np.inf
        nearest = np.sort(off)[: int(np.ceil((1.0 - _TAIL) * len(off)))]
        return bool(np.sqrt(np.mean(nearest**2)) < share * typical_spread(ours))
