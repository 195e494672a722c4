"""Laws with wild values kept apart: measured once the losses are finished.

What was found for them is not looked at; in results they have numbers.
"""

from dataclasses import replace

from benchmarks.trust.cases import TrustLaw

# fmt: off
_LAWS: tuple[TrustLaw, ...] = (
    TrustLaw("", "inside", lambda xp, x: 3.6 - 1.2 * x, {"x": (-2, 2)}),
    TrustLaw("", "inside", lambda xp, a, b, c: 0.8 * a + 1.9 * b - 1.1 * c,
             {"a": (0, 3), "b": (0, 2), "c": (-1, 1)}),
    TrustLaw("", "inside", lambda xp, x: 0.3 * x**3 - x + 1.5, {"x": (-2, 3)}),
    TrustLaw("", "inside", lambda xp, t: 5.1 - 4.2 * xp.exp(-0.9 * t), {"t": (0, 4)}),
    TrustLaw("", "inside", lambda xp, x: 2.2 * xp.cos(1.7 * x + 0.6), {"x": (0, 4)}),
    TrustLaw("", "inside", lambda xp, i, r: 1.1 * i**2 * r,
             {"i": (0.5, 3), "r": (1, 5)}),
    TrustLaw("", "inside", lambda xp, p, v, t: 1.6 * p * v / t,
             {"p": (1, 2), "v": (1, 4), "t": (2, 5)}),
    TrustLaw("", "inside", lambda xp, c: 2.8 / (1 + 0.6 * c), {"c": (0, 6)}),
    TrustLaw("", "inside", lambda xp, x: 2.7 * x**0.6, {"x": (0.2, 6)},
             limits={"x": (0, 100)}),
    TrustLaw("", "inside", lambda xp, k, x: 0.5 * k * x**2,
             {"k": (1, 3), "x": (-2, 2)}),
    TrustLaw("", "inside", lambda xp, x: 3.1 - 0.8 * xp.log(x), {"x": (0.5, 9)},
             limits={"x": (0.1, 100)}),
    TrustLaw("", "inside", lambda xp, a, w: a * xp.sin(2.4 * w) + 0.7,
             {"a": (0.5, 2), "w": (0, 3)}),
    TrustLaw("", "inside", lambda xp, n, t: 1.5 * n * xp.exp(-0.4 * t),
             {"n": (1, 4), "t": (0, 5)}),
    TrustLaw("", "inside", lambda xp, m, r: 1.8 * m / r, {"m": (1, 4), "r": (0.5, 3)},
             limits={"r": (0.1, 100)}),
    TrustLaw("", "inside", lambda xp, h: 2.0 * xp.sqrt(h / 9.8), {"h": (0.2, 5)},
             limits={"h": (0, 100)}),
)
# fmt: on

LAWS = tuple(
    replace(law, name=f"wild-unseen-{number:02d}")
    for number, law in enumerate(_LAWS, 1)
)
