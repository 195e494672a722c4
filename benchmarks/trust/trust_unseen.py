"""Laws kept apart: the verdict is measured on these once it is finished, and only then.

What was found for them is not written down, and in results they have numbers.
"""

from dataclasses import replace

import numpy as np
from scipy.special import digamma, ellipe, expi, fresnel, jv

from benchmarks.trust.cases import TrustLaw

# fmt: off
INSIDE: tuple[TrustLaw, ...] = (
    TrustLaw("", "inside", lambda xp, x, y: 2.2 * x - 0.7 * y + 1.1,
             {"x": (0, 4), "y": (-1, 1)}),
    TrustLaw("", "inside", lambda xp, x: 0.4 * x**3 - x, {"x": (-2, 2)}),
    TrustLaw("", "inside", lambda xp, x: 1.8 * xp.sin(2.7 * x + 0.4), {"x": (-2, 2)}),
    TrustLaw("", "inside", lambda xp, a, b: 1.9 * a * xp.exp(-0.5 * b),
             {"a": (0.5, 2), "b": (0, 4)}),
    TrustLaw("", "inside", lambda xp, x: 2 * xp.exp(-(x**2) / 1.4), {"x": (-2, 2.5)}),
    TrustLaw("", "inside", lambda xp, t: 1.5 * xp.exp(-0.3 * t) * xp.cos(2 * t),
             {"t": (0, 6)}),
    TrustLaw("", "inside", lambda xp, x, y: xp.sqrt(x**2 + y**2),
             {"x": (-2, 2), "y": (0.5, 3)}),
    TrustLaw("", "inside", lambda xp, x: 3.1 / x**2 + 0.2, {"x": (1, 4)},
             limits={"x": (0.3, 100)}),
    TrustLaw("", "inside", lambda xp, x, y: 0.9 * xp.log(x) * y,
             {"x": (1, 8), "y": (0, 2)}, limits={"x": (0.2, 100), "y": (-10, 10)}),
    TrustLaw("", "inside", lambda xp, x: x**2 / (1 + x**4), {"x": (-2, 2)}),
    TrustLaw("", "inside", lambda xp, a, b, c: a * b + xp.sin(3 * c),
             {"a": (-1, 1), "b": (-2, 2), "c": (-2, 2)}),
    TrustLaw("", "inside", lambda xp, x: xp.atan(2 * x) + 0.3 * x, {"x": (-2, 2)}),
    TrustLaw("", "inside", lambda xp, m, v: 0.5 * m * v**2, {"m": (1, 4), "v": (0, 3)}),
    TrustLaw("", "inside", lambda xp, x: 0.7 * x**0.4 + 0.1 * x, {"x": (0.1, 6)},
             limits={"x": (0, 100)}),
)

OUTSIDE: tuple[TrustLaw, ...] = (
    TrustLaw("", "outside", lambda xp, x: np.clip(1.5 * x, -1, 1), {"x": (-1.2, 2)}),
    TrustLaw("", "outside", lambda xp, x: x * np.abs(x) + 0.3 * x, {"x": (-2, 1)}),
    TrustLaw("", "outside", lambda xp, x: np.floor(2 * x) / 2, {"x": (0, 2)}),
    TrustLaw("", "outside", lambda xp, x: fresnel(x)[0], {"x": (0, 3)}),
    TrustLaw("", "outside", lambda xp, x: jv(1, 3 * x) + 0.2 * x, {"x": (0, 4)}),
    TrustLaw("", "outside", lambda xp, x: digamma(x), {"x": (0.5, 5)}),
    TrustLaw("", "outside", lambda xp, x: expi(x), {"x": (0.3, 2.5)}),
    TrustLaw("", "outside", lambda xp, a, m: a * ellipe(np.minimum(m, 1)) + m,
             {"a": (0, 2), "m": (-1, 0.6)}),
    TrustLaw("", "outside", lambda xp, x: _newton(x), {"x": (-2, 2)}),
    TrustLaw("", "outside", lambda xp, a, b, z: a * b + np.cos(3 * z) * b,
             {"a": (0, 2), "b": (0, 2), "z": (0, 1)}, n_hidden=1),
    TrustLaw("", "outside", lambda xp, x: x * np.sin(x) / (1 + np.abs(x)) ** 0.5,
             {"x": (-3, 3)},
             trap=lambda x, y, rng: 0.8 * y + 0.3 * x[:, 0]
             + 0.02 * np.std(y) * rng.standard_normal(len(y))),
    TrustLaw("", "outside",
             lambda xp, x: 0.5 * x**2 + 0.15 * np.sign(np.sin(33 * x)), {"x": (-1, 2)}),
    TrustLaw("", "outside", lambda xp, a, b: np.minimum(a, b**2),
             {"a": (0, 2), "b": (0, 2)}),
)
# fmt: on


def _newton(x: object) -> object:
    y = 1.0
    for _ in range(2):
        y = y - (y**3 + y - x) / (3 * y**2 + 1)  # type: ignore[operator]
    return np.tanh(3 * y) + x


LAWS = tuple(
    replace(law, name=f"unseen-{number:02d}")
    for number, law in enumerate((*INSIDE, *OUTSIDE), 1)
)
