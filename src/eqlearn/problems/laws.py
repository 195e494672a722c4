"""Laws of physics, chemistry and biology that the network's units can express.

Every law is a quotient of sums and products of the inputs and of sines and cosines, in
the units of measure and over the ranges in which one would meet it. Ranges are chosen
so that three times the range (`widened`) has no pole.
"""

from collections.abc import Callable
from typing import Any

from eqlearn.problems.definition import Problem, widened


def _law(
    name: str,
    output: str,
    meaning: str,
    formula: Callable[..., Any],
    **ranges: tuple[float, float],
) -> Problem:
    """Make a law: noise in multiples of the target's spread, extrapolation to twice."""
    box = tuple((float(low), float(high)) for low, high in ranges.values())
    return Problem(
        name=name,
        inputs=tuple(ranges),
        outputs=(output,),
        formula=formula,
        box=box,
        outer_box=widened(box, 2.0),
        noise_unit="spread",
        n_train=2000,
        meaning=meaning,
    )


# fmt: off
OPTICS_AND_WAVES: tuple[Problem, ...] = (
    _law("thin-lens", "b", "image distance (m) from focal length and object distance",
         lambda xp, f, g: f * g / (g - f),
         f=(0.02, 0.1), g=(1, 3)),
    _law("lens-maker", "f", "focal length (m) of a biconvex lens in air",
         lambda xp, n, R1, R2: R1 * R2 / ((n - 1) * (R1 + R2)),
         n=(1.45, 1.75), R1=(0.05, 0.5), R2=(0.05, 0.5)),
    _law("snell", "s", "sine of the angle of refraction; angle in degrees",
         lambda xp, n1, n2, angle: n1 * xp.sin(xp.pi * angle / 180) / n2,
         n1=(1, 1.35), n2=(1.4, 2.4), angle=(0, 60)),
    _law("bragg", "wavelength", "X-ray wavelength (m) reflected in first order",
         lambda xp, d, theta: 2 * d * xp.sin(theta),
         d=(1e-10, 6e-10), theta=(0.1, 0.8)),
    _law("malus", "intensity", "light (W/m²) through a polariser; angle in degrees",
         lambda xp, I0, angle: I0 * xp.cos(xp.pi * angle / 180) ** 2,
         I0=(50, 1000), angle=(0, 90)),
    _law("interference", "intensity", "two waves of given amplitudes and phase lag",
         lambda xp, A1, A2, phase: A1**2 + A2**2 + 2 * A1 * A2 * xp.cos(phase),
         A1=(0.2, 2), A2=(0.2, 2), phase=(-3, 3)),
    _law("fabry-perot", "transmission", "resonator with coefficient of finesse 6",
         lambda xp, phase: 1 / (1 + 6 * xp.sin(phase / 2) ** 2),
         phase=(0, 9)),
    _law("doppler", "heard", "frequency (Hz) heard in air, both moving (m/s)",
         lambda xp, f, v_hearer, v_source: f * (343 + v_hearer) / (343 - v_source),
         f=(200, 2000), v_hearer=(-40, 40), v_source=(-40, 40)),
    _law("sellmeier", "n2", "refractive index of quartz, squared; wavelength in µm",
         lambda xp, wavelength: (
             1.28604 + 1.07044 * wavelength**2 / (wavelength**2 - 0.01006)),
         wavelength=(0.4, 1.6)),
)

MECHANICS: tuple[Problem, ...] = (
    _law("reduced-mass", "mu", "two bodies (atomic mass units)",
         lambda xp, m1, m2: m1 * m2 / (m1 + m2),
         m1=(1, 20), m2=(1, 40)),
    _law("centre-of-mass", "x", "two bodies (kg) on a line (m)",
         lambda xp, m1, m2, x1, x2: (m1 * x1 + m2 * x2) / (m1 + m2),
         m1=(1, 10), m2=(1, 10), x1=(-5, 5), x2=(-5, 5)),
    _law("elastic-collision", "v", "first body's velocity (m/s) after the impact",
         lambda xp, m1, m2, v1, v2: ((m1 - m2) * v1 + 2 * m2 * v2) / (m1 + m2),
         m1=(0.5, 5), m2=(0.5, 5), v1=(-3, 3), v2=(-3, 3)),
    _law("atwood", "a", "acceleration (m/s²) of two masses (kg) over a pulley",
         lambda xp, m1, m2: 9.81 * (m1 - m2) / (m1 + m2),
         m1=(0.2, 4), m2=(0.2, 4)),
    _law("kinetic-energy", "E", "a car's energy (J) from mass (kg) and speed (m/s)",
         lambda xp, m, v: m * v**2 / 2,
         m=(600, 2500), v=(0, 40)),
    _law("centripetal", "F", "force (N) on mass (kg) at speed (m/s), radius (m)",
         lambda xp, m, v, r: m * v**2 / r,
         m=(0.1, 2), v=(1, 15), r=(0.5, 5)),
    _law("torque", "tau", "torque (N m) of a force at an angle on a lever",
         lambda xp, r, F, angle: r * F * xp.sin(angle),
         r=(0.05, 0.6), F=(-200, 200), angle=(0, 3)),
    _law("projectile-height", "h", "height (m) at time t (s), no drag",
         lambda xp, v, angle, t: v * t * xp.sin(angle) - 9.81 * t**2 / 2,
         v=(5, 30), angle=(0.2, 1.3), t=(0, 3)),
    _law("projectile-path", "y", "height (m) over the ground distance x (m)",
         lambda xp, x, v, angle: (
             x * xp.sin(angle) / xp.cos(angle)
             - 9.81 * x**2 / (2 * v**2 * xp.cos(angle) ** 2)),
         x=(0, 20), v=(12, 30), angle=(0.2, 0.7)),
    _law("pendulum", "alpha", "angular acceleration (1/s²), damped, length L (m)",
         lambda xp, theta, omega, L: -9.81 * xp.sin(theta) / L - 0.35 * omega,
         theta=(-3, 3), omega=(-5, 5), L=(0.3, 1.5)),
    _law("cart-pole-cart", "a", "cart's acceleration (m/s²); cart 1 kg, bob 0.3 kg",
         lambda xp, F, theta, omega: (
             (F + 0.3 * xp.sin(theta) * (0.5 * omega**2 - 9.81 * xp.cos(theta)))
             / (1 + 0.3 * xp.sin(theta) ** 2)),
         F=(-10, 10), theta=(-1.5, 1.5), omega=(-4, 4)),
    _law("cart-pole-pole", "alpha", "angular acceleration (1/s²) of a 0.5 m pole",
         lambda xp, F, theta, omega: (
             (1.3 * 9.81 * xp.sin(theta)
              - xp.cos(theta) * (F + 0.15 * omega**2 * xp.sin(theta)))
             / (0.5 * (1 + 0.3 * xp.sin(theta) ** 2))),
         F=(-10, 10), theta=(-1.5, 1.5), omega=(-4, 4)),
    _law("driven-oscillator", "a", "acceleration (m/s²), spring, friction and drive",
         lambda xp, x, v, t: -4.2 * x - 0.3 * v + 1.6 * xp.cos(2.4 * t),
         x=(-2, 2), v=(-3, 3), t=(0, 6)),
    _law("duffing", "a", "acceleration of a driven beam between two magnets",
         lambda xp, x, v, t: x - x**3 - 0.25 * v + 0.6 * xp.cos(1.2 * t),
         x=(-1.5, 1.5), v=(-1.5, 1.5), t=(0, 8)),
    _law("robot-reach", "x", "hand's position (m) of a two-joint arm",
         lambda xp, q1, q2: 0.45 * xp.cos(q1) + 0.32 * xp.cos(q1 + q2),
         q1=(-2, 2), q2=(-2, 2)),
    _law("spherical-x", "x", "Cartesian x from radius, polar angle and azimuth",
         lambda xp, r, polar, azimuth: r * xp.sin(polar) * xp.cos(azimuth),
         r=(0.5, 4), polar=(0, 3), azimuth=(-3, 3)),
    _law("euler-top", "alpha", "angular acceleration (1/s²) of a rigid body",
         lambda xp, I1, I2, I3, w2, w3: (I2 - I3) * w2 * w3 / I1,
         I1=(0.01, 0.1), I2=(0.01, 0.1), I3=(0.01, 0.1), w2=(-8, 8), w3=(-8, 8)),
    _law("beam-deflection", "d", "tip (m) of a cantilever: load (N), length (m), E I",
         lambda xp, F, L, E, J: F * L**3 / (3 * E * J),
         F=(10, 500), L=(0.5, 2), E=(7e10, 2.1e11), J=(1e-7, 1e-6)),
)

FLUIDS_AND_HEAT: tuple[Problem, ...] = (
    _law("drag", "F", "air drag (N): density (kg/m³), area (m²), speed (m/s)",
         lambda xp, rho, A, v: 0.47 * rho * A * v**2 / 2,
         rho=(0.6, 1.3), A=(0.2, 3), v=(0, 60)),
    _law("stagnation", "p0", "pressure (Pa) where a flow is brought to rest",
         lambda xp, p, rho, v: p + rho * v**2 / 2,
         p=(9e4, 1.1e5), rho=(0.6, 1.3), v=(0, 150)),
    _law("reynolds", "Re", "Reynolds number of a pipe flow (SI units)",
         lambda xp, rho, v, d, mu: rho * v * d / mu,
         rho=(700, 1100), v=(0.1, 3), d=(0.01, 0.2), mu=(5e-4, 3e-3)),
    _law("poiseuille", "Q", "flow (m³/s) through a capillary (SI units)",
         lambda xp, p, r, mu, L: xp.pi * p * r**4 / (8 * mu * L),
         p=(1e3, 2e4), r=(5e-4, 2e-3), mu=(5e-4, 3e-3), L=(0.1, 1)),
    _law("ideal-gas", "p", "pressure (Pa) of n mol at T (K) in V (m³)",
         lambda xp, n, T, V: 8.314462618 * n * T / V,
         n=(0.5, 5), T=(250, 400), V=(0.005, 0.05)),
    _law("van-der-waals", "p", "pressure (Pa) of CO₂, molar volume v (m³/mol)",
         lambda xp, T, v: 8.314462618 * T / (v - 4.27e-5) - 0.364 / v**2,
         T=(280, 400), v=(2e-4, 1.5e-3)),
)

ELECTRICITY_AND_MATTER: tuple[Problem, ...] = (
    _law("coulomb", "F", "force (N) between two charges (C) at distance r (m)",
         lambda xp, q1, q2, r: 8.9875517873e9 * q1 * q2 / r**2,
         q1=(-5e-6, 5e-6), q2=(-5e-6, 5e-6), r=(0.05, 0.5)),
    _law("gravitation", "F", "force (N) between two masses (kg) at distance r (m)",
         lambda xp, m1, m2, r: 6.6743e-11 * m1 * m2 / r**2,
         m1=(50, 1000), m2=(50, 1000), r=(0.5, 3)),
    _law("lorentz-force", "F", "force (N) on a charge (C) along E (V/m) and v × B (T)",
         lambda xp, q, E, v, B, angle: q * (E + v * B * xp.sin(angle)),
         q=(-5e-6, 5e-6), E=(-1e3, 1e3), v=(0, 2e3), B=(0.1, 1.5), angle=(0, 3)),
    _law("resistors-2", "R", "two resistors (Ω) in parallel",
         lambda xp, R1, R2: R1 * R2 / (R1 + R2),
         R1=(100, 1000), R2=(100, 1000)),
    _law("resistors-3", "R", "three resistors (Ω) in parallel",
         lambda xp, R1, R2, R3: R1 * R2 * R3 / (R1 * R2 + R1 * R3 + R2 * R3),
         R1=(10, 100), R2=(10, 100), R3=(10, 100)),
    _law("voltage-divider", "U2", "voltage (V) over R2 (Ω) of an unloaded divider",
         lambda xp, U, R1, R2: U * R2 / (R1 + R2),
         U=(1, 24), R1=(1e3, 1e5), R2=(1e3, 1e5)),
    _law("wheatstone", "U", "voltage (V) across a bridge of four resistors (Ω), 5 V",
         lambda xp, R1, R2, R3, R4: 5 * (R2 / (R1 + R2) - R4 / (R3 + R4)),
         R1=(100, 300), R2=(100, 300), R3=(100, 300), R4=(100, 300)),
    _law("capacitor", "C", "capacitance (F) of two plates (m²), d (m) apart",
         lambda xp, eps, A, d: 8.8541878128e-12 * eps * A / d,
         eps=(1, 10), A=(1e-5, 1e-3), d=(1e-6, 2e-5)),
    _law("velocity-addition", "w", "relativistic sum of two velocities (m/s)",
         lambda xp, u, v: (u + v) / (1 + u * v / 299792458**2),
         u=(-9e7, 9e7), v=(-9e7, 9e7)),
    _law("compton", "E2", "photon energy (keV) after scattering off an electron",
         lambda xp, E, angle: E / (1 + E * (1 - xp.cos(angle)) / 510.99895),
         E=(50, 1500), angle=(0, 3)),
    _law("rutherford", "sigma", "α particles on gold (fm²/sr), energy in MeV",
         lambda xp, E, angle: 3235.1 / (E**2 * xp.sin(angle / 2) ** 4),
         E=(3, 9), angle=(0.9, 2.5)),
    _law("breit-wigner", "sigma", "cross section (nb) around the Z boson, E in GeV",
         lambda xp, E: 41.5 * 1.5563 / ((E - 91.19) ** 2 + 1.5563),
         E=(85, 97)),
    _law("kepler-orbit", "r", "distance from the sun (au) at an angle, eccentricity e",
         lambda xp, p, e, angle: p / (1 + e * xp.cos(angle)),
         p=(0.5, 5), e=(0, 0.3), angle=(-3, 3)),
)

CHEMISTRY_AND_BIOLOGY: tuple[Problem, ...] = (
    _law("michaelis-menten", "v", "enzyme kinetics: E, S and rate in mol/l (and s)",
         lambda xp, E, S: 120 * E * S / (3.5e-5 + S),
         E=(1e-8, 1e-7), S=(1e-6, 2e-4)),
    _law("competitive-inhibition", "v", "rate with substrate S and inhibitor I (µM)",
         lambda xp, S, inhibitor: 2.5 * S / (12 * (1 + inhibitor / 4) + S),
         S=(0, 100), inhibitor=(0, 30)),
    _law("hill", "saturation", "cooperative binding of two ligands, p in kPa",
         lambda xp, p: p**2 / (3.5**2 + p**2),
         p=(0, 12)),
    _law("haldane", "mu", "growth rate (1/h) with substrate inhibition, S in g/l",
         lambda xp, S: 0.9 * S / (1.2 + S + S**2 / 8),
         S=(0, 20)),
    _law("monod", "growth", "biomass growth (g/l/h) on a substrate (g/l)",
         lambda xp, X, S: 0.55 * X * S / (1.8 + S),
         X=(0.1, 5), S=(0, 15)),
    _law("langmuir", "q", "two gases (Pa) competing for a surface (mol/kg)",
         lambda xp, p1, p2: 3.1 * 4e-6 * p1 / (1 + 4e-6 * p1 + 1.5e-6 * p2),
         p1=(0, 1e6), p2=(0, 2e6)),
    _law("stern-volmer", "F", "fluorescence quenched by Q (mol/l)",
         lambda xp, F0, Q: F0 / (1 + 45 * Q),
         F0=(100, 1000), Q=(0, 0.1)),
    _law("logistic-growth", "rate", "growth of a population in a habitat for 10⁶",
         lambda xp, N: 0.4 * N * (1 - N / 1e6),
         N=(0, 1.2e6)),
    _law("lotka-volterra-prey", "rate", "prey per year; both in thousands",
         lambda xp, prey, predator: 0.55 * prey - 0.028 * prey * predator,
         prey=(2, 80), predator=(1, 50)),
    _law("lotka-volterra-predator", "rate", "predators per year; both in thousands",
         lambda xp, prey, predator: 0.024 * prey * predator - 0.8 * predator,
         prey=(2, 80), predator=(1, 50)),
    _law("holling-prey", "rate", "prey that grow logistically and satiate predators",
         lambda xp, prey, predator: (
             0.8 * prey * (1 - prey / 60)
             - 0.3 * prey * predator / (1 + 0.06 * prey)),
         prey=(1, 60), predator=(0.5, 12)),
    _law("holling-predator", "rate", "predators that satiate and die",
         lambda xp, prey, predator: (
             0.12 * prey * predator / (1 + 0.06 * prey) - 0.5 * predator),
         prey=(1, 60), predator=(0.5, 12)),
    _law("sir-infections", "rate", "new infections a day among people who mix",
         lambda xp, S, sick, R: 0.35 * S * sick / (S + sick + R),
         S=(1e5, 1e6), sick=(1e3, 2e5), R=(1e4, 5e5)),
    _law("toggle-switch", "rate", "a gene repressed by the product of another",
         lambda xp, u, v: 8 / (1 + v**2) - u,
         u=(0, 8), v=(0, 4)),
    _law("fitzhugh-nagumo", "rate", "membrane potential of a nerve cell",
         lambda xp, v, w, current: v - v**3 / 3 - w + current,
         v=(-2, 2), w=(-1, 2), current=(0, 1)),
    _law("kuramoto", "rate", "phase of an oscillator pulled by two others (1/s)",
         lambda xp, a, b, c: 1.3 + 0.7 * (xp.sin(b - a) + xp.sin(c - a)),
         a=(-3, 3), b=(-3, 3), c=(-3, 3)),
)
# fmt: on

LAW_PROBLEMS: tuple[Problem, ...] = (
    *OPTICS_AND_WAVES,
    *MECHANICS,
    *FLUIDS_AND_HEAT,
    *ELECTRICITY_AND_MATTER,
    *CHEMISTRY_AND_BIOLOGY,
)
