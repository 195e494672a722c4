"""Textbook laws kept apart.

Nothing may be tuned on these, and nobody who works on the search should read them. In
results they have numbers instead of names, and what was found for them is not written.
"""

from eqlearn.problems.definition import Problem
from eqlearn.problems.textbook.entry import Kinds, hidden, law

# fmt: off
POWER: tuple[Problem, ...] = (
    law("hazen-williams", "h",
        "head lost (m) in a pipe: length, flow (m³/s), C, bore (m)",
        lambda xp, L, Q, C, d: 10.67 * L * Q**1.852 / (C**1.852 * d**4.8704),
        L=(50, 500), Q=(0.005, 0.05), C=(90, 150), d=(0.15, 0.3)),
    law("string-pitch", "f", "a string's frequency (Hz): tension (N), kg/m, length (m)",
        lambda xp, T, mu, L: xp.sqrt(T / mu) / (2 * L),
        T=(20, 150), mu=(3e-4, 6e-3), L=(0.3, 1)),
    law("kleiber", "P", "metabolic rate (W) of a mammal of mass m (kg)",
        lambda xp, m: 3.4 * m**0.75,
        m=(0.5, 600)),
    law("adiabatic-compression", "T2",
        "temperature (K) of air squeezed from V1 to V2 (m³)",
        lambda xp, T1, V1, V2: T1 * (V1 / V2) ** 0.4,
        T1=(250, 400), V1=(4e-4, 8e-4), V2=(4e-5, 1.5e-4)),
    law("cobb-douglas", "Y", "output of an economy: technology, capital, labour",
        lambda xp, A, K, L: A * K**0.35 * L**0.65,
        A=(0.8, 1.6), K=(50, 500), L=(10, 200)),
    law("thermal-wavelength", "d", "of a gas particle (m): mass (kg), temperature (K)",
        lambda xp, m, T: 6.62607e-34 / xp.sqrt(2 * xp.pi * m * 1.380649e-23 * T),
        m=(1.6e-27, 7e-26), T=(50, 600)),
    law("dittus-boelter", "Nu", "Nusselt number from Reynolds and Prandtl numbers",
        lambda xp, Re, Pr: 0.023 * Re**0.8 * Pr**0.4,
        Re=(1e4, 1e5), Pr=(0.7, 10)),
)

SUMS: tuple[Problem, ...] = (
    law("van-deemter", "H",
        "plate height (µm): grain (µm), diffusion (µm²/s), flow (µm/s)",
        lambda xp, d, D, u: 1.5 * d + 1.4 * D / u + 0.12 * d**2 * u / D,
        d=(3, 10), D=(500, 2000), u=(200, 3000)),
    law("mass-formula", "B", "binding energy (MeV) of a nucleus, no pairing",
        lambda xp, A, Z: (
            15.75 * A - 17.8 * A ** (2 / 3) - 0.711 * Z**2 / A ** (1 / 3)
            - 23.7 * (A - 2 * Z) ** 2 / A),
        A=(40, 240), Z=(20, 92)),
    law("born-lande", "E", "energy (kJ/mol) of a salt crystal, ions r (nm) apart",
        lambda xp, r: -242.8 / r + 1.08e-3 / r**9,
        r=(0.22, 0.6, 0.18, 2)),
    law("flight-power", "P", "power (W) to fly: speed (m/s), weight (N), air (kg/m³)",
        lambda xp, v, W, rho: 0.24 * rho * v**3 + 0.00625 * W**2 / (rho * v),
        v=(30, 80), W=(8e3, 1.4e4), rho=(0.7, 1.23)),
    law("order-cost", "C",
        "yearly cost of stock: per order, demand, order size, holding",
        lambda xp, K, D, Q, h: K * D / Q + h * Q / 2,
        K=(20, 200), D=(500, 5000), Q=(50, 800), h=(0.5, 5)),
)

EXP: tuple[Problem, ...] = (
    law("beer-lambert", "J", "light through l cm of a solution (mol/l), ε in l/mol/cm",
        lambda xp, I0, eps, c, length: I0 * 10 ** (-eps * c * length),
        I0=(10, 100), eps=(1e3, 1e4), c=(1e-6, 1e-4), length=(0.5, 2)),
    law("morse", "V", "energy (eV) of a bond: depth (eV), stiffness (1/Å), length (Å)",
        lambda xp, D, a, r: D * (1 - xp.exp(-a * (r - 1.21))) ** 2,
        D=(2, 6), a=(1.4, 2.4), r=(0.9, 3)),
    law("bertalanffy-weight", "W",
        "of a fish (kg) at age t (years): final, growth (1/year)",
        lambda xp, Winf, k, t: Winf * (1 - xp.exp(-k * t)) ** 3,
        Winf=(2, 20), k=(0.1, 0.5), t=(0, 15)),
    law("ricker", "R", "recruits from S spawners: growth, capacity",
        lambda xp, S, a, K: S * xp.exp(a * (1 - S / K)),
        S=(10, 300), a=(0.5, 2), K=(80, 200)),
    law("rc-charging", "U",
        "voltage (V) of a capacitor (F) charged through R (Ω) for t (s)",
        lambda xp, U0, t, R, C: U0 * (1 - xp.exp(-t / (R * C))),
        U0=(1, 12), t=(0, 5e-3), R=(1e3, 1e4), C=(1e-7, 1e-6)),
    law("maxwell-energy", "n", "density (1/eV) of energies (eV) in a gas of T (K)",
        lambda xp, E, T: (
            2 * xp.sqrt(E / xp.pi) * (8.617333e-5 * T) ** (-1.5)
            * xp.exp(-E / (8.617333e-5 * T))),
        E=(0.01, 0.3), T=(300, 1200)),
    law("half-life", "N", "nuclei left of N0 after t days, half-life in days",
        lambda xp, N0, t, half: N0 * 0.5 ** (t / half),
        N0=(1e3, 1e5), t=(0, 50), half=(5, 30)),
    law("yukawa", "V", "nuclear potential (MeV): coupling, distance and range (fm)",
        lambda xp, g, r, R: -197.327 * g * xp.exp(-r / R) / r,
        g=(0.05, 0.3), r=(0.4, 3), R=(0.7, 2)),
)

EXP_FRACTION: tuple[Problem, ...] = (
    law("logistic-curve", "N", "population after t years: capacity, start",
        lambda xp, K, N0, t: K / (1 + (K / N0 - 1) * xp.exp(-0.45 * t)),
        K=(500, 2000), N0=(10, 100), t=(0, 20)),
    law("ion-current", "J",
        "through a gated channel (pA): conductance (nS), voltage (mV)",
        lambda xp, g, V, E: g * (V - E) / (1 + xp.exp((-20 - V) / 7)),
        g=(5, 50), V=(-80, 40), E=(40, 70)),
    law("ghk-flux", "J", "ions through a membrane at V (mV), inside and outside (mM)",
        lambda xp, V, ci, co: (
            V * (ci - co * xp.exp(-V / 25.7)) / (1 - xp.exp(-V / 25.7))),
        V=(15, 90, 5, 300), ci=(5, 150), co=(5, 150)),
    law("einstein-heat", "C", "heat capacity (J/mol/K) of a crystal at T (K)",
        lambda xp, theta, T: (
            24.9434 * (theta / T) ** 2
            * xp.exp(theta / T) / (xp.exp(theta / T) - 1) ** 2),
        theta=(150, 400), T=(30, 300)),
    law("fermi-dirac", "f",
        "occupation of a level (eV): chemical potential (eV), T (K)",
        lambda xp, E, mu, T: 1 / (xp.exp((E - mu) / (8.617333e-5 * T)) + 1),
        E=(4.8, 5.2, 4.5, 5.5), mu=(4.9, 5.1), T=(400, 2000)),
    law("planck", "B", "radiance (W/sr/m³) at a wavelength (m), T (K)",
        lambda xp, x, T: 1.191043e-16 / (x**5 * (xp.exp(0.01438777 / (x * T)) - 1)),
        x=(1e-6, 1.2e-5, 4e-7, 1e-4), T=(500, 2000)),
)

LOG: tuple[Problem, ...] = (
    law("coax-capacitance", "C",
        "cable (F): permittivity, length (m), outer, inner radius",
        lambda xp, eps, L, b, a: 2 * xp.pi * 8.8541878e-12 * eps * L / xp.log(b / a),
        eps=(1, 5), L=(0.5, 10), b=(3e-3, 1e-2, 2.9e-3, 1),
        a=(2e-4, 1.5e-3, 1e-4, 2.5e-3)),
    law("well-drawdown", "s",
        "water table (m) near a well: flow, transmissivity, radii",
        lambda xp, Q, T, R, r: Q / (2 * xp.pi * T) * xp.log(R / r),
        Q=(0.005, 0.05), T=(1e-3, 1e-2), R=(100, 500), r=(1, 60)),
    law("channel-capacity", "C",
        "of a radio channel (bit/s): bandwidth (Hz), signal, noise",
        lambda xp, B, S, N: B * xp.log(1 + S / N) / xp.log(2),
        B=(1e6, 2e7), S=(1e-9, 1e-7), N=(1e-9, 5e-8)),
    law("fitts", "t", "time (s) to point at a target: distance, width (px)",
        lambda xp, D, W: 0.21 + 0.17 * xp.log(2 * D / W) / xp.log(2),
        D=(50, 800), W=(10, 100)),
    law("membrane-potential", "E",
        "equilibrium potential (V) at T (K), ions (mM) out and in",
        lambda xp, T, co, ci: 8.617333e-5 * T * xp.log(co / ci),
        T=(250, 350), co=(1, 150), ci=(1, 150)),
    law("buffer-ph", "pH", "of a buffer: pKa, base and acid (mol/l)",
        lambda xp, pKa, base, acid: pKa + xp.log(base / acid) / xp.log(10),
        pKa=(3, 9), base=(0.01, 1), acid=(0.01, 1)),
)

ROOT: tuple[Problem, ...] = (
    law("von-mises", "s", "equivalent stress (MPa) in a plate: two normal, one shear",
        lambda xp, sx, sy, t: xp.sqrt(sx**2 - sx * sy + sy**2 + 3 * t**2),
        sx=(-200, 200), sy=(-200, 200), t=(-150, 150)),
    law("compound-pendulum", "T", "period (s) of a body: gyration radius, distance (m)",
        lambda xp, k, d: 2 * xp.pi * xp.sqrt((k**2 + d**2) / (9.81 * d)),
        k=(0.1, 0.5), d=(0.05, 1)),
    law("ripple-speed", "c", "of water waves (m/s): length (m), tension (N/m), density",
        lambda xp, x, s, rho: (
            xp.sqrt(9.81 * x / (2 * xp.pi) + 2 * xp.pi * s / (rho * x))),
        x=(0.003, 0.08), s=(0.02, 0.08), rho=(700, 1200)),
    law("vis-viva", "v",
        "speed (m/s) on an orbit of the earth: distance, half axis (m)",
        lambda xp, r, a: xp.sqrt(3.986e14 * (2 / r - 1 / a)),
        r=(7e6, 2e7, 3e6, 3.3e7), a=(1.9e7, 5e7, 1.8e7, 1e9)),
    law("fresnel-zone", "r", "radius (m) between antennas: wavelength, distances (m)",
        lambda xp, x, d1, d2: xp.sqrt(x * d1 * d2 / (d1 + d2)),
        x=(0.02, 0.3), d1=(100, 5000), d2=(100, 5000)),
    law("amplifier-noise", "J",
        "noise current (A): photocurrent (A), T (K), band (Hz), Ω",
        lambda xp, I0, T, B, R: (
            xp.sqrt(3.204353e-19 * I0 * B + 5.522596e-23 * T * B / R)),
        I0=(1e-7, 2e-6), T=(200, 400), B=(1e3, 1e6), R=(1e4, 1e5)),
    law("clock-near-star", "rate", "of a clock at r (m) from a star of mass M (kg)",
        lambda xp, M, r: xp.sqrt(1 - 1.48523e-27 * M / r),
        M=(2e30, 4e30, 1e30, 5e30), r=(1.1e4, 3e4, 9e3, 1e6)),
)

TANH_ARC: tuple[Problem, ...] = (
    law("spin-magnetisation", "M", "of spins in a field (T) at T (K)",
        lambda xp, M0, B, T: M0 * xp.tanh(0.671714 * B / T),
        M0=(1, 5), B=(0.5, 8), T=(0.5, 10)),
    law("refraction-angle", "b", "(°) into another medium, from an angle (°)",
        lambda xp, n1, n2, a: 180 / xp.pi * xp.asin(n1 / n2 * xp.sin(xp.pi * a / 180)),
        n1=(1, 1.3, 0.9, 1.35), n2=(1.4, 2, 1.36, 3), a=(5, 80, 0, 90)),
    law("skydiver", "v", "speed (m/s) after t (s) of fall: final speed (m/s)",
        lambda xp, vt, t: vt * xp.tanh(9.81 * t / vt),
        vt=(10, 70), t=(0, 10)),
    law("depth-waves", "c", "speed (m/s) of water waves: length, depth (m)",
        lambda xp, x, h: xp.sqrt(9.81 * x / (2 * xp.pi) * xp.tanh(2 * xp.pi * h / x)),
        x=(5, 100), h=(1, 20)),
    law("field-of-view", "a", "(°) of a camera: sensor, focal length (mm)",
        lambda xp, d, f: 360 / xp.pi * xp.atan(d / (2 * f)),
        d=(5, 36), f=(10, 100)),
    law("langevin", "M", "of a ferrofluid in a field (T) at T (K), share of saturation",
        lambda xp, B, T: 1 / xp.tanh(150 * B / T) - T / (150 * B),
        B=(0.2, 5), T=(100, 400)),
)

SATURATION: tuple[Problem, ...] = (
    law("toth", "q", "gas taken up (mol/kg) at p (kPa), capacity",
        lambda xp, qm, p: 0.3 * qm * p / (1 + (0.3 * p) ** 0.55) ** (1 / 0.55),
        qm=(1, 6), p=(0.1, 50)),
    law("oxygen-binding", "Y", "haemoglobin at p (kPa), half full at p50 (kPa)",
        lambda xp, p, p50: p**2.7 / (p50**2.7 + p**2.7),
        p=(0.5, 14), p50=(2.5, 6)),
    law("dose-response", "E", "effect: baseline, maximum, dose, dose for half (mg)",
        lambda xp, E0, Em, D, D50: E0 + Em * D**1.5 / (D50**1.5 + D**1.5),
        E0=(5, 40), Em=(50, 120), D=(1, 100), D50=(10, 40)),
)

WAVE: tuple[Problem, ...] = (
    law("soil-temperature", "T", "(°C): mean, swing, depth (m), day",
        lambda xp, Tm, A, z, t: (
            Tm + A * xp.exp(-z / 2.1) * xp.cos(0.0172142 * t - z / 2.1)),
        Tm=(5, 15), A=(5, 15), z=(0, 5), t=(0, 365)),
    law("fading-wave", "u", "along a rope: amplitude, place (m), time (s)",
        lambda xp, A, x, t: A * xp.exp(-0.35 * x) * xp.sin(2.1 * x - 3.3 * t),
        A=(0.5, 3), x=(0, 5), t=(0, 6)),
    law("beats", "p", "sound pressure of two tuning forks after t (s)",
        lambda xp, A, t: A * (xp.sin(62.83 * t) + xp.sin(72.26 * t)),
        A=(0.2, 2), t=(0, 1.5)),
    law("step-response", "y", "of a damped loop: damping ratio, 1/s, time (s)",
        lambda xp, z, w, t: (
            1 - xp.exp(-z * w * t) / xp.sqrt(1 - z**2)
            * xp.sin(w * t * xp.sqrt(1 - z**2) + xp.acos(z))),
        z=(0.1, 0.7, 0.02, 0.9), w=(1, 3), t=(0, 6)),
)

INNER: tuple[Problem, ...] = (
    law("heat-kernel", "T", "a hot spot that spreads: heat, diffusivity, time, place",
        lambda xp, Q, D, t, x: (
            Q / xp.sqrt(4 * xp.pi * D * t) * xp.exp(-(x**2) / (4 * D * t))),
        Q=(0.5, 5), D=(0.2, 1), t=(0.5, 5), x=(-4, 4)),
    law("swamee-jain", "f", "friction factor of a pipe: relative roughness, Reynolds",
        lambda xp, e, Re: 0.25 / (xp.log(e / 3.7 + 5.74 / Re**0.9) / xp.log(10)) ** 2,
        e=(1e-4, 2e-2), Re=(5e3, 1e5)),
    law("skin-field", "E", "field in a metal: outside, depth (m), Hz, S/m",
        lambda xp, E0, x, f, s: (
            E0 * xp.exp(-x * xp.sqrt(xp.pi * 1.2566371e-6 * f * s))),
        E0=(1, 10), x=(0, 2e-4), f=(1e5, 1e7), s=(1e6, 6e7)),
    law("einstein-ring", "a",
        "(rad) of a lens: mass (kg), distances to it and source (m)",
        lambda xp, M, d, D: xp.sqrt(2.97046e-27 * M * (D - d) / (d * D)),
        M=(1e30, 1e31), d=(2e19, 1e20, 1e19, 1.5e20), D=(2e20, 4e20, 1.6e20, 1e21)),
    law("glass-melt", "eta", "viscosity (Pa s) at T (K): constants B and T0 (K)",
        lambda xp, B, T, T0: 2.4e-3 * xp.exp(B / (T - T0)),
        B=(400, 800, 200, 1000), T=(400, 600, 380, 1000), T0=(180, 260, 100, 280)),
    law("stomata", "g",
        "leaf conductance: assimilation, CO₂ (ppm), dryness (kPa), slope",
        lambda xp, A, C, D, g1: 0.02 + 1.6 * (1 + g1 / xp.sqrt(D)) * A / C,
        A=(2, 30), C=(300, 800), D=(0.5, 4), g1=(2, 6)),
    law("ground-plume", "c", "smoke (g/m³) below a stack: source, wind, width, height",
        lambda xp, Q, u, s, h: (
            Q / (xp.pi * u * s**2) * xp.exp(-(h**2) / (2 * s**2))),
        Q=(1, 50), u=(1, 8), s=(20, 100), h=(20, 100)),
)

OFFSET: tuple[Problem, ...] = (
    law("sutherland", "mu", "viscosity (Pa s) of a gas at T (K), with its constant (K)",
        lambda xp, T, S: 1.458e-6 * T**1.5 / (T + S),
        T=(200, 600), S=(70, 250)),
    law("census", "N", "people (million) in a year",
        lambda xp, year: 388 / (1 + 54 * xp.exp(-0.0227 * (year - 1790))),
        year=(1790, 2010)),
    law("radiative-exchange", "q",
        "heat (W/m²) to the room: emissivity, body, room (°C)",
        lambda xp, e, T, Ta: 5.670374e-8 * e * ((T + 273.15) ** 4 - (Ta + 273.15) ** 4),
        e=(0.2, 0.95), T=(20, 250), Ta=(0, 60)),
    law("ratkowsky", "r", "growth rate (1/h) of bacteria at T (K)",
        lambda xp, T: (0.031 * (T - 272.4) * (1 - xp.exp(0.28 * (T - 316.2)))) ** 2,
        T=(276, 315, 273, 325)),
)

QUADRATIC: tuple[Problem, ...] = (
    law("toss-time", "t", "(s) until a ball thrown up at v (m/s) from h (m) lands",
        lambda xp, v, h: (v + xp.sqrt(v**2 + 19.62 * h)) / 9.81,
        v=(-10, 20), h=(1, 50)),
    law("weak-acid", "H", "protons (mol/l) in an acid: constant, concentration",
        lambda xp, K, C: (-K + xp.sqrt(K**2 + 4 * K * C)) / 2,
        K=(1e-5, 2e-3), C=(5e-4, 0.02)),
    law("second-order-tank", "C", "(mol/l) out of a stirred tank: rate, hours, feed",
        lambda xp, k, t, C0: (xp.sqrt(1 + 4 * k * t * C0) - 1) / (2 * k * t),
        k=(0.1, 2), t=(0.5, 10), C0=(0.5, 5)),
)

GEOMETRY: tuple[Problem, ...] = (
    law("polygon-area", "A", "(m²) of a regular polygon: corners, side (m)",
        lambda xp, n, s: n * s**2 / (4 * xp.tan(xp.pi / n)),
        n=(3, 12, 2.5, 40), s=(1, 10)),
    law("triangle-angle", "g", "(rad) opposite to c in a triangle of sides a, b, c",
        lambda xp, a, b, c: xp.acos((a**2 + b**2 - c**2) / (2 * a * b)),
        a=(4, 5, 3.8, 5.5), b=(4, 5, 3.8, 5.5), c=(2, 7, 1.8, 7.5)),
    law("law-of-cosines", "c",
        "third side of a triangle: two sides, angle between (rad)",
        lambda xp, a, b, g: xp.sqrt(a**2 + b**2 - 2 * a * b * xp.cos(g)),
        a=(1, 10), b=(1, 10), g=(0.2, 2.9, 0.1, 3.1)),
    law("slider-crank", "x", "piston (m): crank, rod (m), angle (rad)",
        lambda xp, r, c, t: r * xp.cos(t) + xp.sqrt(c**2 - r**2 * xp.sin(t) ** 2),
        r=(0.03, 0.1, 0.01, 0.11), c=(0.13, 0.22, 0.12, 0.4), t=(0, 6)),
)

MANY: tuple[Problem, ...] = (
    law("penman", "ET",
        "evaporation (mm/day) from slope, radiation, ground, air, wind, …",
        lambda xp, s, Rn, G, g, T, u, es, ea: (
            (0.408 * s * (Rn - G) + 900 * g * u * (es - ea) / (T + 273))
            / (s + g * (1 + 0.34 * u))),
        s=(0.08, 0.25), Rn=(5, 20), G=(0, 4), g=(0.05, 0.07), T=(-20, 45, -100, 100),
        u=(0.5, 6), es=(2, 4), ea=(0.3, 1.8)),
    law("pump-head", "H",
        "(m): pressures (Pa), density, speeds (m/s), heights, losses (m)",
        lambda xp, p1, p2, rho, v1, v2, z1, z2, hl: (
            (p2 - p1) / (9.81 * rho) + (v2**2 - v1**2) / 19.62 + z2 - z1 + hl),
        p1=(5e4, 2e5), p2=(1e5, 5e5), rho=(600, 1200), v1=(0.5, 8), v2=(0.5, 12),
        z1=(0, 10), z2=(0, 30), hl=(0.5, 10)),
    law("bioreactor", "mu",
        "growth (1/h) on sugar and oxygen (g/l) at T (K), constants",
        lambda xp, m, S, Ks, C, Kc, T: (
            m * S / (Ks + S) * C / (Kc + C) * xp.exp(-7200 * (1 / T - 1 / 310.15))),
        m=(0.3, 1.2), S=(0.1, 10), Ks=(0.5, 4), C=(1e-3, 8e-3), Kc=(5e-4, 3e-3),
        T=(290, 312, 270, 330)),
    law("stack-plume", "c", "smoke (g/m³): source, wind, place, height, stack, widths",
        lambda xp, Q, u, y, z, h, sy, sz: (
            Q / (2 * xp.pi * u * sy * sz) * xp.exp(-(y**2) / (2 * sy**2))
            * (xp.exp(-((z - h) ** 2) / (2 * sz**2))
               + xp.exp(-((z + h) ** 2) / (2 * sz**2)))),
        Q=(1, 50), u=(2, 8), y=(-60, 60), z=(0, 60), h=(20, 60), sy=(30, 80),
        sz=(20, 50)),
)

SIMPLE: tuple[Problem, ...] = (
    law("competing-species", "rate", "per year: own number, rival's, capacity",
        lambda xp, N, M, K: 0.6 * N * (1 - (N + 0.7 * M) / K),
        N=(10, 500), M=(10, 500), K=(400, 1000)),
    law("capillary-rise", "h", "(m): tension (N/m), wetting angle, density, radius (m)",
        lambda xp, s, a, rho, r: 2 * s * xp.cos(a) / (9.81 * rho * r),
        s=(0.02, 0.08), a=(0, 1.4), rho=(700, 1200), r=(2e-4, 2e-3)),
    law("hall-voltage", "U",
        "(V): current (A), field (T), carriers (1/m³), thickness (m)",
        lambda xp, J, B, n, d: J * B / (1.602177e-19 * n * d),
        J=(1e-3, 0.1), B=(0.05, 1.5), n=(1e21, 1e22), d=(1e-4, 1e-3)),
    law("photon-energy", "E", "(J) at a wavelength (m), over the work function (eV)",
        lambda xp, x, W: 1.986446e-25 / x - 1.602177e-19 * W,
        x=(1e-7, 6e-7), W=(1, 5)),
    law("ping-pong", "v", "rate of an enzyme with two substrates (mM)",
        lambda xp, A, B: 8.2 * A * B / (0.4 * B + 1.7 * A + A * B),
        A=(0.05, 5), B=(0.05, 5)),
    law("rod-resistance", "R", "(Ω) of a wire at T (°C): at 20 °C, coefficient (1/K)",
        lambda xp, R20, a, T: R20 * (1 + a * (T - 20)),
        R20=(10, 100), a=(0.003, 0.006), T=(-40, 150)),
    law("dynamo", "U", "(V): turns, field (T), area (m²), 1/s, time (s)",
        lambda xp, n, B, A, w, t: n * B * A * w * xp.sin(w * t),
        n=(20, 200), B=(0.1, 1), A=(0.01, 0.1), w=(20, 60), t=(0, 0.1)),
    law("angular-resolution", "a", "(rad) of a telescope: wavelength, mirror (m)",
        lambda xp, x, D: 1.22 * x / D,
        x=(4e-7, 2e-6), D=(0.1, 8)),
    law("carnot", "e", "best efficiency of an engine between two temperatures (K)",
        lambda xp, Tc, Th: 1 - Tc / Th,
        Tc=(250, 350), Th=(400, 900)),
    law("gordon-growth", "P", "of a share: dividend, asked return, growth",
        lambda xp, D, r, g: D * (1 + g) / (r - g),
        D=(0.5, 5), r=(0.08, 0.14, 0.07, 0.3), g=(0, 0.05, 0, 0.055)),
    law("incline", "a", "acceleration (m/s²) of a sledge: slope (rad), friction",
        lambda xp, t, mu: 9.81 * (xp.sin(t) - mu * xp.cos(t)),
        t=(0.1, 1.2), mu=(0.05, 0.5)),
    law("predictive-value", "p", "of a test: prevalence, sensitivity, specificity",
        lambda xp, p, s, c: p * s / (p * s + (1 - p) * (1 - c)),
        p=(0.02, 0.4, 0.01, 0.9), s=(0.6, 0.99, 0.2, 1), c=(0.7, 0.98, 0.2, 0.99)),
    law("coriolis", "a", "(m/s²): speed (m/s), latitude (°)",
        lambda xp, v, lat: 1.4584e-4 * v * xp.sin(xp.pi * lat / 180),
        v=(5, 300), lat=(-90, 90)),
    law("keynes-multiplier", "Y", "income: consumption, investment, state, share, tax",
        lambda xp, C, J, G, c, t: (C + J + G) / (1 - c * (1 - t)),
        C=(50, 200), J=(20, 200), G=(50, 300), c=(0.5, 0.85, 0.2, 0.9),
        t=(0.1, 0.4, 0.05, 0.8)),
    law("euler-buckling", "F",
        "(N) on a column: modulus, moment of area, length factor, m",
        lambda xp, E, J, K, L: xp.pi**2 * E * J / (K * L) ** 2,
        E=(7e10, 2.1e11), J=(1e-7, 1e-6), K=(0.5, 2), L=(1, 5)),
)
# fmt: on

KINDS: Kinds = hidden(
    "unseen",
    {
        "power": POWER,
        "sums": SUMS,
        "exp": EXP,
        "exp-fraction": EXP_FRACTION,
        "log": LOG,
        "root": ROOT,
        "tanh-arc": TANH_ARC,
        "saturation": SATURATION,
        "wave": WAVE,
        "inner": INNER,
        "offset": OFFSET,
        "quadratic": QUADRATIC,
        "geometry": GEOMETRY,
        "many": MANY,
        "simple": SIMPLE,
    },
)
