"""Laws to be measured by instruments; as many are kept apart."""

from benchmarks.trust.cases import TrustLaw

# fmt: off
LAWS: tuple[TrustLaw, ...] = (
    TrustLaw("spring-scale", "inside", lambda xp, x: 3.4 * x + 0.7, {"x": (0, 2)}),
    TrustLaw("two-loads", "inside", lambda xp, a, b: 1.3 * a - 0.8 * b,
             {"a": (0, 3), "b": (0, 3)}),
    TrustLaw("heated-wire", "inside", lambda xp, i, r: 0.9 * i**2 * r,
             {"i": (0.5, 3), "r": (1, 3)}),
    TrustLaw("light-through-polariser", "inside",
             lambda xp, a: 1.2 * xp.cos(2 * a) + 1.5, {"a": (0, 3.1)}),
    TrustLaw("cooling-by-difference", "inside", lambda xp, t, s: 0.6 * (t - s) + 0.2,
             {"t": (2, 5), "s": (0, 2)}),
    TrustLaw("gas-in-cylinder", "inside", lambda xp, t, v: 2.1 * t / v,
             {"t": (2, 4), "v": (1, 3)}),
    TrustLaw("three-terms", "inside", lambda xp, a, b, c: 1.1 * a + 0.7 * b * c - 0.9,
             {"a": (0, 2), "b": (0, 2), "c": (-1, 1)}),
    TrustLaw("drag", "inside", lambda xp, v: 0.4 * v**2 + 0.3 * v, {"v": (0, 4)}),
    TrustLaw("wave-and-slope", "inside", lambda xp, x, u: 0.9 * xp.sin(1.6 * x) + u / 2,
             {"x": (-2, 2), "u": (-1, 1)}),
    TrustLaw("decay-of-charge", "inside", lambda xp, q, t: 1.4 * q * xp.exp(-0.5 * t),
             {"q": (1, 3), "t": (0, 4)}),
)

#: Accelerations of x and v; x begins at the end of its range, and v at rest.
MOTIONS: tuple[TrustLaw, ...] = (
    TrustLaw("glider-on-springs", "inside", lambda xp, x, v: -6.03 * x - 0.14,
             {"x": (-0.4, 0.35), "v": (-0.9, 0.9)}, limits={"seconds": (0, 12)}),
    TrustLaw("pendulum-filmed", "inside",
             lambda xp, x, v: -4.2 * xp.sin(x) - 0.05 * v,
             {"x": (-1.5, 1.5), "v": (-2.5, 2.5)}, limits={"seconds": (0, 12)}),
    TrustLaw("damped-spring", "inside", lambda xp, x, v: -3.1 * x - 0.2 * v,
             {"x": (-1, 1), "v": (-1.6, 1.6)}, limits={"seconds": (0, 12)}),
    TrustLaw("stiff-spring", "inside", lambda xp, x, v: -1.2 * x - 0.9 * x**3,
             {"x": (-1.4, 1.4), "v": (-2.2, 2.2)}, limits={"seconds": (0, 14)}),
    TrustLaw("hanging-mass", "inside", lambda xp, x, v: 2.4 - 5 * x - 0.1 * v,
             {"x": (-0.3, 1.2), "v": (-1.7, 1.7)}, limits={"seconds": (0, 10)}),
)
# fmt: on
