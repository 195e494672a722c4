"""Laws to work with; there are as many of either kind that are kept apart."""

import numpy as np
from scipy.special import airy, ellipk, erf, gamma, jv

from benchmarks.trust.cases import TrustLaw

# fmt: off
INSIDE: tuple[TrustLaw, ...] = (
    TrustLaw("line", "inside", lambda xp, x: 1.7 * x + 0.6, {"x": (-1, 3)}),
    TrustLaw("parabola-and-line", "inside", lambda xp, a, b: 0.8 * a**2 - 1.3 * b,
             {"a": (-2, 2), "b": (0, 3)}),
    TrustLaw("wave-over-square", "inside",
             lambda xp, a, b: xp.sin(2.1 * a) * b / (1 + 0.7 * b**2),
             {"a": (-2, 2), "b": (-2, 2)}),
    TrustLaw("decay-to-level", "inside", lambda xp, t: 2.4 * xp.exp(-0.6 * t) + 0.3,
             {"t": (0, 5)}),
    TrustLaw("growth", "inside", lambda xp, x: 0.5 * xp.exp(0.7 * x), {"x": (-2, 2)}),
    TrustLaw("logistic", "inside", lambda xp, x: 3 / (1 + xp.exp(-1.8 * x)),
             {"x": (-2, 2)}),
    TrustLaw("logarithm", "inside", lambda xp, x: 1.2 * xp.log(x) + 0.4,
             {"x": (0.5, 6)}, limits={"x": (0.1, 100)}),
    TrustLaw("hyperbola", "inside", lambda xp, x: xp.sqrt(x**2 + 1), {"x": (-2, 2)}),
    TrustLaw("rise-and-fall", "inside", lambda xp, x: x * xp.exp(-x), {"x": (0, 5)}),
    TrustLaw("saturation", "inside", lambda xp, x: xp.tanh(1.4 * x), {"x": (-2, 2)}),
    TrustLaw("wave-on-trend", "inside", lambda xp, x: 0.3 * x + 0.5 * xp.sin(5 * x),
             {"x": (0, 6)}),
    TrustLaw("michaelis", "inside", lambda xp, s: 4 * s / (s + 1.3), {"s": (0, 6)}),
    TrustLaw("power", "inside", lambda xp, x: 1.5 * x**1.7, {"x": (0.2, 4)},
             limits={"x": (0, 100)}),
    TrustLaw("gas", "inside", lambda xp, n, T, V: 0.83 * n * T / V,
             {"n": (1, 3), "T": (2, 4), "V": (1, 5)}),
)

OUTSIDE: tuple[TrustLaw, ...] = (
    TrustLaw("hinge", "outside", lambda xp, x: 2 * np.maximum(x - 0.3, 0),
             {"x": (-2, 2)}),
    TrustLaw("size", "outside", lambda xp, x: np.abs(x - 0.2) + 0.5 * x,
             {"x": (-2, 2)}),
    TrustLaw("step", "outside", lambda xp, x: np.where(x > 0.4, 1.0, 0.0),
             {"x": (-1, 2)}),
    TrustLaw("error-function", "outside", lambda xp, x: erf(1.3 * x), {"x": (-2, 2)}),
    TrustLaw("bessel", "outside", lambda xp, x: jv(0, 2.2 * x), {"x": (0, 5)}),
    TrustLaw("airy", "outside", lambda xp, x: airy(x)[0], {"x": (-5, 2)}),
    TrustLaw("gamma", "outside", lambda xp, x: gamma(x), {"x": (0.7, 4)}),
    TrustLaw("elliptic", "outside", lambda xp, m, r: r * ellipk(np.minimum(m, 0.999)),
             {"m": (0, 0.6), "r": (0.5, 2)}),
    TrustLaw("map-iterated", "outside", lambda xp, x: _iterated(x), {"x": (0, 1)}),
    TrustLaw("hidden-input", "outside",
             lambda xp, x, z: x**2 / 2 + x * np.sin(2 * z), {"x": (0, 3), "z": (0, 2)},
             n_hidden=1),
    TrustLaw("trap", "outside", lambda xp, x: np.sqrt(x) * np.cos(x) + x / 3,
             {"x": (0.5, 6)},
             trap=lambda x, y, rng: y + 0.03 * np.std(y) * rng.standard_normal(len(y))),
    TrustLaw("small-fast-wave", "outside",
             lambda xp, x: np.log1p(x) + 0.12 * np.sin(41 * x + 0.3 * x**2),
             {"x": (0, 4)}),
    TrustLaw("two-slopes", "outside",
             lambda xp, a, b: np.where(a > b, 2 * a - b, 0.5 * a + 0.5 * b),
             {"a": (-1, 2), "b": (-1, 1)}),
)
# fmt: on


def _iterated(x: object) -> object:
    for _ in range(2):
        x = 3.4 * x * (1 - x)  # type: ignore[operator]
    return np.round(4 * x) / 4 + 0.5 * x  # type: ignore[operator]


LAWS = (*INSIDE, *OUTSIDE)
