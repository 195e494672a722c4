"""Laws measured by instruments that are kept apart; in results they have numbers."""

from dataclasses import replace

from benchmarks.trust.cases import TrustLaw

# fmt: off
_LAWS: tuple[TrustLaw, ...] = (
    TrustLaw("", "inside", lambda xp, p: 1.9 - 0.6 * p, {"p": (0, 3)}),
    TrustLaw("", "inside", lambda xp, a, b: 0.7 * a * b, {"a": (1, 3), "b": (1, 4)}),
    TrustLaw("", "inside", lambda xp, x: 0.8 * x**2 - 1.1 * x, {"x": (-1, 3)}),
    TrustLaw("", "inside", lambda xp, u, r: 1.3 * u**2 / r, {"u": (1, 3), "r": (1, 4)}),
    TrustLaw("", "inside", lambda xp, x: 1.5 * xp.sin(2.3 * x) + 0.4, {"x": (0, 3)}),
    TrustLaw("", "inside", lambda xp, a, b, c: a + 1.6 * b - 0.5 * c,
             {"a": (0, 2), "b": (0, 1), "c": (0, 3)}),
    TrustLaw("", "inside", lambda xp, t: 2.6 * xp.exp(-0.8 * t) + 0.5, {"t": (0, 4)}),
    TrustLaw("", "inside", lambda xp, x, y: 0.9 * x**2 + 0.7 * y,
             {"x": (-2, 2), "y": (0, 3)}),
    TrustLaw("", "inside", lambda xp, c: 3.3 * c / (c + 1.2), {"c": (0, 6)}),
    TrustLaw("", "inside", lambda xp, x, y: 1.2 * x * xp.cos(1.4 * y),
             {"x": (0.5, 2), "y": (-2, 2)}),
)

_MOTIONS: tuple[TrustLaw, ...] = (
    TrustLaw("", "inside", lambda xp, x, v: -8.2 * x,
             {"x": (-0.5, 0.5), "v": (-1.5, 1.5)}, limits={"seconds": (0, 9)}),
    TrustLaw("", "inside", lambda xp, x, v: -2.6 * xp.sin(x),
             {"x": (-2, 2), "v": (-3, 3)}, limits={"seconds": (0, 15)}),
    TrustLaw("", "inside", lambda xp, x, v: -4.4 * x - 0.3 * v + 0.8,
             {"x": (-0.6, 1), "v": (-1.5, 1.5)}, limits={"seconds": (0, 9)}),
    TrustLaw("", "inside", lambda xp, x, v: -2.2 * x + 0.4 * x**3,
             {"x": (-1.3, 1.3), "v": (-1.8, 1.8)}, limits={"seconds": (0, 15)}),
    TrustLaw("", "inside", lambda xp, x, v: -3.5 * x - 0.12 * v - 0.5 * x**3,
             {"x": (-1.2, 1.2), "v": (-2.4, 2.4)}, limits={"seconds": (0, 12)}),
)
# fmt: on

LAWS, MOTIONS = (
    tuple(
        replace(law, name=f"instrument-unseen-{number:02d}")
        for number, law in enumerate(laws, first)
    )
    for laws, first in ((_LAWS, 1), (_MOTIONS, len(_LAWS) + 1))
)
