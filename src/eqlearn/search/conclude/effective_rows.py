"""How many rows count: errors of successive rows may belong together."""

import math

from eqlearn._types import Array


def effective_rows(residual: Array, significance: float = 5.0) -> float:
    """How many independent rows tell as much as these, in the order they were measured.

    By the correlation ρ of one residual with the next, n (1 - ρ) / (1 + ρ); all of them
    unless ρ is many standard errors above 0.
    """
    n = len(residual)
    centred = residual - residual.mean()
    total = float(centred @ centred)
    if n < 3 or not total or not math.isfinite(total):
        return float(n)
    rho = float(centred[1:] @ centred[:-1]) / total
    if rho * math.sqrt(n) < significance:
        return float(n)
    rho = min(rho, 1.0 - 1.0 / n)
    return max(1.0, float(n * (1.0 - rho) / (1.0 + rho)))
