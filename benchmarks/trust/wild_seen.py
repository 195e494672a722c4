"""Laws to be measured with wild values; as many are kept apart."""

from benchmarks.trust.cases import TrustLaw

# fmt: off
LAWS: tuple[TrustLaw, ...] = (
    TrustLaw("wild-line", "inside", lambda xp, x: 2.3 * x + 1.4, {"x": (0, 4)}),
    TrustLaw("wild-plane", "inside", lambda xp, a, b: 1.2 * a - 2.1 * b + 0.5,
             {"a": (0, 3), "b": (-1, 2)}),
    TrustLaw("wild-parabola", "inside", lambda xp, x: 0.7 * x**2 - 1.1 * x + 2,
             {"x": (-2, 3)}),
    TrustLaw("wild-decay", "inside", lambda xp, t: 3.2 * xp.exp(-0.7 * t) + 0.4,
             {"t": (0, 4)}),
    TrustLaw("wild-wave", "inside", lambda xp, x: 1.6 * xp.sin(2.2 * x) + 0.5,
             {"x": (-2, 2)}),
    TrustLaw("wild-product", "inside", lambda xp, a, b: 1.7 * a * b,
             {"a": (0.5, 3), "b": (1, 4)}),
    TrustLaw("wild-quotient", "inside", lambda xp, a, b, c: 0.9 * a * b / c,
             {"a": (1, 3), "b": (2, 4), "c": (1, 5)}),
    TrustLaw("wild-saturation", "inside", lambda xp, s: 5.2 * s / (s + 1.7),
             {"s": (0, 8)}),
    TrustLaw("wild-power", "inside", lambda xp, x: 1.3 * x**1.6, {"x": (0.3, 5)},
             limits={"x": (0, 100)}),
    TrustLaw("wild-square-law", "inside", lambda xp, m, v: 0.5 * m * v**2,
             {"m": (1, 4), "v": (0.5, 3)}),
    TrustLaw("wild-logarithm", "inside", lambda xp, x: 2.1 * xp.log(x) + 1.3,
             {"x": (0.5, 8)}, limits={"x": (0.1, 100)}),
    TrustLaw("wild-wave-and-line", "inside",
             lambda xp, a, b: 1.4 * xp.sin(1.8 * a) + 0.6 * b,
             {"a": (-2, 2), "b": (-2, 2)}),
    TrustLaw("wild-growth", "inside", lambda xp, t, a: 0.8 * a * xp.exp(0.5 * t),
             {"t": (0, 4), "a": (1, 3)}),
    TrustLaw("wild-inverse-square", "inside", lambda xp, q, r: 2.4 * q / r**2,
             {"q": (1, 3), "r": (1, 4)}, limits={"r": (0.3, 100)}),
    TrustLaw("wild-root", "inside", lambda xp, h: 4.4 * xp.sqrt(h), {"h": (0.2, 9)},
             limits={"h": (0, 100)}),
)
# fmt: on
