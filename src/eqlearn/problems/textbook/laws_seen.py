"""Textbook laws to work with; there are as many of every kind that are kept apart."""

from eqlearn.problems.definition import Problem
from eqlearn.problems.textbook.entry import Kinds, law

# fmt: off
POWER: tuple[Problem, ...] = (
    law("manning", "v",
        "flow (m/s) in a channel: hydraulic radius (m), slope, roughness",
        lambda xp, R, S, n: R ** (2 / 3) * xp.sqrt(S) / n,
        R=(0.2, 3), S=(1e-4, 1e-2), n=(0.01, 0.05)),
    law("hertz-contact", "F",
        "force (N) to press a sphere in: modulus, radius, depth (SI)",
        lambda xp, E, R, d: 4 / 3 * E * xp.sqrt(R) * d**1.5,
        E=(1e9, 2e11), R=(0.001, 0.05), d=(1e-6, 5e-5)),
    law("gravity-trade", "X",
        "trade of two countries: their output, their distance (km)",
        lambda xp, G1, G2, d: 2.3 * G1**0.91 * G2**0.78 / d**1.12,
        G1=(50, 3000), G2=(50, 3000), d=(300, 6000)),
    law("taylor-blast", "R",
        "radius (m) of a blast: energy (J), time (s), density (kg/m³)",
        lambda xp, E, t, rho: 1.03 * (E * t**2 / rho) ** (1 / 5),
        E=(1e12, 1e14), t=(0.001, 0.1), rho=(0.3, 1.3)),
    law("kepler-third", "T", "orbital period (s): half axis (m), mass of the star (kg)",
        lambda xp, a, M: 2 * xp.pi * xp.sqrt(a**3 / (6.6743e-11 * M)),
        a=(5e10, 8e11), M=(1e30, 6e30)),
    law("debye-length", "d",
        "shielding (m) in a plasma at T (K) with n electrons per m³",
        lambda xp, T, n: 69.0 * xp.sqrt(T / n),
        T=(1e4, 1e6), n=(1e16, 1e18)),
    law("chirp-mass", "M", "of two merging stars (solar masses)",
        lambda xp, m1, m2: (m1 * m2) ** (3 / 5) / (m1 + m2) ** (1 / 5),
        m1=(5, 50), m2=(5, 50)),
)

SUMS: tuple[Problem, ...] = (
    law("wind-chill", "T", "felt temperature (°C): air (°C), wind (km/h)",
        lambda xp, Ta, v: 13.12 + 0.6215 * Ta - 11.37 * v**0.16 + 0.3965 * Ta * v**0.16,
        Ta=(-30, 10), v=(5, 80)),
    law("virial", "p",
        "pressure (Pa) of a real gas, two coefficients (m³/mol and m⁶/mol²)",
        lambda xp, T, V, B, C: 8.314462618 * T * (1 / V + B / V**2 + C / V**3),
        T=(250, 500), V=(2e-4, 1e-3), B=(-3e-4, -5e-5), C=(1e-9, 2e-8)),
    law("schiller-drag", "Cd", "drag coefficient of a sphere at a Reynolds number",
        lambda xp, Re: 24 / Re + 3.6 / Re**0.313,
        Re=(2, 300)),
    law("braking-distance", "s", "to a stop (m): speed (m/s), reaction (s), friction",
        lambda xp, v, t, mu: v * t + v**2 / (2 * mu * 9.81),
        v=(5, 40), t=(0.5, 2), mu=(0.3, 0.9)),
    law("shomate", "Cp", "heat capacity (J/mol/K) of steam; T in 1000 K",
        lambda xp, T: (
            30.092 + 6.8325 * T + 6.7934 * T**2 - 2.5345 * T**3 + 0.082139 / T**2),
        T=(0.3, 1.7)),
)

EXP: tuple[Problem, ...] = (
    law("gaussian-beam", "J",
        "intensity (W/m²) of a laser: power (W), waist (m), radius (m)",
        lambda xp, P, w, r: 2 * P / (xp.pi * w**2) * xp.exp(-2 * r**2 / w**2),
        P=(1e-3, 1e-1), w=(5e-4, 2e-3), r=(0, 2e-3)),
    law("barometer", "p", "pressure (Pa) at height h (m) in air of T (K), p0 at ground",
        lambda xp, p0, h, T: p0 * xp.exp(-0.0341632 * h / T),
        p0=(8e4, 1.05e5), h=(0, 8000), T=(220, 310)),
    law("newton-cooling", "T", "of a cup (°C) after t min: air, start",
        lambda xp, Ta, T0, t: Ta + (T0 - Ta) * xp.exp(-0.045 * t),
        Ta=(10, 30), T0=(60, 100), t=(0, 60)),
    law("oral-dose", "c", "drug (mg/l) t hours after a dose (mg) into V (l)",
        lambda xp, D, V, t: 1.14 * D / V * (xp.exp(-0.15 * t) - xp.exp(-1.2 * t)),
        D=(50, 500), V=(10, 50), t=(0, 12)),
    law("photodiode", "J", "current (A) at U (V) and T (K): dark and light current (A)",
        lambda xp, I0, U, T, Iph: I0 * (xp.exp(U / (8.617333e-5 * T)) - 1) - Iph,
        I0=(1e-9, 5e-9), U=(-0.05, 0.08, -0.2, 0.15), T=(250, 400, 200, 600),
        Iph=(1e-9, 2e-8)),
    law("lidar", "P", "echo (W) from r (km) with extinction (1/km) and a constant",
        lambda xp, C, alpha, r: C * xp.exp(-2 * alpha * r) / r**2,
        C=(1, 10), alpha=(0.05, 0.5), r=(0.7, 5)),
    law("kohlrausch", "phi",
        "relaxation of a glass after t (s): time (s) and stretching",
        lambda xp, t, tau, beta: xp.exp(-((t / tau) ** beta)),
        t=(0.1, 10), tau=(1, 5), beta=(0.4, 0.9)),
    law("arrhenius", "k", "rate (1/s): frequency (1/s), activation (J/mol), T (K)",
        lambda xp, A, E, T: A * xp.exp(-E / (8.314462618 * T)),
        A=(1e12, 1e13), E=(4.5e4, 5.5e4), T=(400, 500)),
)

EXP_FRACTION: tuple[Problem, ...] = (
    law("gate-rate", "a", "opening rate (1/ms) of a nerve cell's gate at V (mV)",
        lambda xp, V: 0.1 * (V + 40) / (1 - xp.exp(-(V + 40) / 10)),
        V=(-35, 40, -38, 200)),
    law("exchanger-effectiveness", "e",
        "counterflow heat exchanger: transfer units, ratio",
        lambda xp, N, C: (1 - xp.exp(-N * (1 - C))) / (1 - C * xp.exp(-N * (1 - C))),
        N=(0.3, 4), C=(0.1, 0.8, 0.02, 0.95)),
    law("gompertz-tumour", "V", "volume (cm³) after t months: final, start",
        lambda xp, K, b, t: K * xp.exp(-b * xp.exp(-0.3 * t)),
        K=(50, 200), b=(2, 6), t=(0, 15)),
    law("bass-diffusion", "F",
        "buyers so far (share) after t years: innovators, imitators",
        lambda xp, p, q, t: (
            (1 - xp.exp(-(p + q) * t)) / (1 + q / p * xp.exp(-(p + q) * t))),
        p=(0.01, 0.05), q=(0.2, 0.6), t=(0, 15)),
    law("mortgage", "m", "monthly payment: loan, monthly interest, months",
        lambda xp, P, r, n: P * r / (1 - (1 + r) ** (-n)),
        P=(5e4, 5e5), r=(0.002, 0.01), n=(60, 360)),
    law("elo", "p", "expected score of a chess player against another, by rating",
        lambda xp, A, B: 1 / (1 + 10 ** ((B - A) / 400)),
        A=(1200, 2200), B=(1200, 2200)),
)

LOG: tuple[Problem, ...] = (
    law("log-mean", "dT", "mean temperature difference (K) in a heat exchanger",
        lambda xp, d1, d2: (d1 - d2) / xp.log(d1 / d2),
        d1=(30, 80, 28, 200), d2=(5, 25, 1, 27)),
    law("regular-solution", "G", "energy of mixing (J/mol): share, T (K), interaction",
        lambda xp, x, T, w: (
            8.314462618 * T * (x * xp.log(x) + (1 - x) * xp.log(1 - x))
            + w * x * (1 - x)),
        x=(0.05, 0.95, 0.01, 0.99), T=(300, 1200), w=(-5e3, 2e4)),
    law("sound-level", "L", "level (dB) of P (W) from a source r (m) away",
        lambda xp, P, r: 10 * xp.log(P / (4 * xp.pi * r**2 * 1e-12)) / xp.log(10),
        P=(1e-4, 1e-1), r=(1, 30)),
    law("rocket-gravity", "v",
        "speed (m/s) at burn-out: exhaust (m/s), masses (kg), t (s)",
        lambda xp, ve, m0, mf, t: ve * xp.log(m0 / mf) - 9.81 * t,
        ve=(2000, 4500), m0=(1e5, 6e5), mf=(1e4, 8e4), t=(50, 300)),
    law("log-wind", "u",
        "wind (m/s) at height z over plants (m): friction speed, roughness",
        lambda xp, us, z, d, z0: us / 0.41 * xp.log((z - d) / z0),
        us=(0.1, 0.8), z=(5, 40, 4.5, 100), d=(0, 4, 0, 4.2), z0=(0.01, 0.5)),
    law("gas-entropy", "S", "gain (J/K) of n mol from T1, V1 to T2, V2",
        lambda xp, n, T1, T2, V1, V2: (
            n * (20.786 * xp.log(T2 / T1) + 8.314462618 * xp.log(V2 / V1))),
        n=(0.5, 3), T1=(250, 350), T2=(300, 900), V1=(0.01, 0.05), V2=(0.02, 0.2)),
)

ROOT: tuple[Problem, ...] = (
    law("debye-huckel", "g",
        "log of an ion's activity: charge, ionic strength, size (nm)",
        lambda xp, z, s, a: -0.509 * z**2 * xp.sqrt(s) / (1 + 3.28 * a * xp.sqrt(s)),
        z=(1, 3), s=(0.001, 0.3), a=(0.3, 0.9)),
    law("redshift", "f", "light (Hz) of a source that flees at a share of light speed",
        lambda xp, f0, b: f0 * xp.sqrt((1 - b) / (1 + b)),
        f0=(1e14, 7e14), b=(-0.6, 0.6, -0.9, 0.95)),
    law("hubble-rate", "H",
        "expansion (km/s/Mpc) at redshift z: today's, matter's share",
        lambda xp, H0, Om, z: H0 * xp.sqrt(Om * (1 + z) ** 3 + 1 - Om),
        H0=(60, 75), Om=(0.2, 0.4, 0.05, 0.9), z=(0, 2)),
    law("rlc-impedance", "Z", "(Ω) in series: R (Ω), 1/s, L (H), C (F)",
        lambda xp, R, w, L, C: xp.sqrt(R**2 + (w * L - 1 / (w * C)) ** 2),
        R=(10, 200), w=(500, 5000), L=(0.01, 0.1), C=(1e-6, 2e-5)),
    law("relativistic-energy", "E", "kinetic (GeV): momentum (GeV/c), mass (GeV/c²)",
        lambda xp, p, m: xp.sqrt(p**2 + m**2) - m,
        p=(0, 5), m=(0.1, 2)),
    law("relativistic-momentum", "p", "(kg m/s) of a particle: mass (kg), speed (m/s)",
        lambda xp, m, v: m * v / xp.sqrt(1 - v**2 / 299792458**2),
        m=(1.6e-27, 2e-26), v=(5e7, 2.7e8, 0, 2.95e8)),
    law("nozzle-speed", "v", "gas (m/s) out of a nozzle: T (K), pressures (Pa)",
        lambda xp, T, p, p0: xp.sqrt(2009 * T * (1 - (p / p0) ** 0.2857)),
        T=(300, 1500), p=(2e4, 8e4, 1e4, 1e5), p0=(1.2e5, 6e5, 1.1e5, 2e6)),
)

TANH_ARC: tuple[Problem, ...] = (
    law("filter-phase", "phase", "(°) behind an RC filter: Hz, Ω, F",
        lambda xp, f, R, C: -180 / xp.pi * xp.atan(2 * xp.pi * f * R * C),
        f=(10, 1000), R=(1e3, 1e4), C=(1e-8, 1e-7)),
    law("day-length", "h", "hours of daylight: latitude, declination of the sun (°)",
        lambda xp, lat, dec: (
            24 / xp.pi
            * xp.acos(-xp.tan(xp.pi * lat / 180) * xp.tan(xp.pi * dec / 180))),
        lat=(-55, 55, -60, 60), dec=(-23.4, 23.4, -25, 25)),
    law("bank-angle", "a", "(rad) of a curve without side force: m/s, radius (m)",
        lambda xp, v, r: xp.atan(v**2 / (9.81 * r)),
        v=(5, 40), r=(20, 300)),
    law("fin-efficiency", "e",
        "of a cooling fin: transfer, conductivity, thickness, length",
        lambda xp, h, k, t, L: (
            xp.tanh(L * xp.sqrt(2 * h / (k * t))) / (L * xp.sqrt(2 * h / (k * t)))),
        h=(10, 200), k=(20, 400), t=(5e-4, 3e-3), L=(0.01, 0.1)),
    law("catenary", "y", "height (m) of a hanging cable at x (m), tension length a (m)",
        lambda xp, a, x: a * (xp.cosh(x / a) - 1),
        a=(15, 50, 10, 200), x=(-25, 25, -60, 60)),
    law("light-response", "P", "photosynthesis: maximum, light, respiration",
        lambda xp, Pm, light, R: Pm * xp.tanh(0.02 * light / Pm) - R,
        Pm=(2, 12), light=(0, 800), R=(0.2, 1.5)),
)

SATURATION: tuple[Problem, ...] = (
    law("bet", "v", "gas on a surface: monolayer, constant, relative pressure",
        lambda xp, vm, c, x: vm * c * x / ((1 - x) * (1 + (c - 1) * x)),
        vm=(1, 10), c=(5, 80), x=(0.05, 0.4, 0.01, 0.8)),
    law("sips", "q", "gas taken up (mol/kg) at p (kPa), capacity",
        lambda xp, qm, p: qm * (0.03 * p) ** 0.62 / (1 + (0.03 * p) ** 0.62),
        qm=(1, 6), p=(1, 200)),
    law("shepherd-recruits", "R", "recruits from a stock (t): slope, capacity (t)",
        lambda xp, a, S, K: a * S / (1 + (S / K) ** 1.4),
        a=(0.5, 4), S=(5, 500), K=(80, 250)),
)

WAVE: tuple[Problem, ...] = (
    law("chirp", "s", "radar pulse: first frequency (Hz), sweep (Hz/s), time (s)",
        lambda xp, f, k, t: xp.sin(2 * xp.pi * (f * t + k * t**2 / 2)),
        f=(0.5, 1.5), k=(0.2, 1), t=(0, 2)),
    law("single-slit", "J", "light on a screen: slit, place, distance (m)",
        lambda xp, I0, a, x, L: (
            I0 * (xp.sin(4.963e6 * a * x / L) / (4.963e6 * a * x / L)) ** 2),
        I0=(1, 10), a=(5e-5, 2e-4), x=(1e-3, 2e-2), L=(1, 3)),
    law("damped-swing", "x", "displacement (m) after t (s): amplitude, damping (1/s)",
        lambda xp, A, g, t: A * xp.exp(-g * t) * xp.cos(2.4 * t + 0.6),
        A=(0.5, 2), g=(0.05, 0.4), t=(0, 10)),
    law("rabi", "P", "excited state after t (µs): coupling, detuning (1/µs)",
        lambda xp, W, D, t: (
            W**2 / (W**2 + D**2) * xp.sin(t * xp.sqrt(W**2 + D**2) / 2) ** 2),
        W=(0.5, 3), D=(-3, 3), t=(0, 5)),
)

INNER: tuple[Problem, ...] = (
    law("ces", "Y", "output from capital and labour that replace each other badly",
        lambda xp, A, K, L: A / (0.4 / xp.sqrt(K) + 0.6 / xp.sqrt(L)) ** 2,
        A=(0.5, 2), K=(10, 300), L=(10, 300)),
    law("arps", "q", "oil per day from a well: start, exponent, decline, years",
        lambda xp, q, b, D, t: q / (1 + b * D * t) ** (1 / b),
        q=(100, 1000), b=(0.3, 0.9), D=(0.1, 1), t=(0, 20)),
    law("humid-air", "e", "water vapour (hPa): relative humidity (%), air (°C)",
        lambda xp, rh, T: 0.06112 * rh * xp.exp(17.62 * T / (243.12 + T)),
        rh=(20, 95), T=(-15, 40, -70, 150)),
    law("eyring", "k", "rate (1/s) at T (K): enthalpy (J/mol), entropy (J/mol/K)",
        lambda xp, T, H, S: 2.083662e10 * T * xp.exp((S - H / T) / 8.314462618),
        T=(290, 370), H=(5e4, 5.5e4), S=(-15, 15)),
    law("thermistor", "R", "(Ω) at T (K): resistance at 25 °C, constant (K)",
        lambda xp, R25, B, T: R25 * xp.exp(B * (1 / T - 1 / 298.15)),
        R25=(1e3, 2e4), B=(3000, 4500), T=(270, 370, 220, 500)),
    law("stopping-power", "S",
        "(MeV cm²/g) of a particle: speed (of light's), Z/A, I (eV)",
        lambda xp, b, za, ion: (
            0.307075 * za / b**2
            * (xp.log(1.021998e6 * b**2 / ((1 - b**2) * ion)) - b**2)),
        b=(0.3, 0.9, 0.15, 0.97), za=(0.38, 0.5), ion=(60, 800)),
    law("neutrino-oscillation", "P", "(share) over L (km) at E (GeV): mixing",
        lambda xp, s, L, E: s * xp.sin(0.0031675 * L / E) ** 2,
        s=(0.4, 1), L=(100, 1000), E=(0.5, 5)),
)

OFFSET: tuple[Problem, ...] = (
    law("gas-sound-speed", "c", "(m/s) at T (°C): heat ratio, molar mass (kg/mol)",
        lambda xp, k, T, M: xp.sqrt(8.314462618 * k * (T + 273.15) / M),
        k=(1.1, 1.67), T=(-60, 200, -200, 500), M=(0.004, 0.044)),
    law("transistor-count", "N", "on a chip in a year",
        lambda xp, year: 2300 * 2 ** ((year - 1971) / 2.1),
        year=(1971, 1990)),
    law("soil-respiration", "R", "at T (°C): at 20 °C, factor for 10 degrees",
        lambda xp, R20, Q, T: R20 * Q ** ((T - 20) / 10),
        R20=(0.5, 5), Q=(1.5, 3), T=(2, 35)),
    law("price-level", "p", "of a good in a year: in 2000, inflation",
        lambda xp, p0, r, year: p0 * (1 + r) ** (year - 2000),
        p0=(1, 50), r=(0.01, 0.1), year=(1995, 2025)),
)

QUADRATIC: tuple[Problem, ...] = (
    law("light-hyperbola", "P", "photosynthesis: light, maximum, curvature",
        lambda xp, light, Pm, c: (
            (0.05 * light + Pm
             - xp.sqrt((0.05 * light + Pm) ** 2 - 0.2 * c * light * Pm)) / (2 * c)),
        light=(0, 1500), Pm=(10, 40), c=(0.4, 0.9, 0.1, 0.97)),
    law("tight-binding", "B", "bound (µM): protein, ligand, constant (µM)",
        lambda xp, P, L, K: (P + L + K - xp.sqrt((P + L + K) ** 2 - 4 * P * L)) / 2,
        P=(0.1, 2), L=(0.1, 4), K=(0.05, 1)),
    law("avoided-crossing", "E", "upper level of two (eV) that are coupled",
        lambda xp, a, b, w: (a + b) / 2 + xp.sqrt((a - b) ** 2 / 4 + w**2),
        a=(-2, 2), b=(-2, 2), w=(0.2, 2)),
)

GEOMETRY: tuple[Problem, ...] = (
    law("sun-elevation", "h", "(rad): latitude, declination, hour angle (rad)",
        lambda xp, p, d, t: xp.asin(
            xp.sin(p) * xp.sin(d) + xp.cos(p) * xp.cos(d) * xp.cos(t)),
        p=(-0.9, 0.9, -1.4, 1.4), d=(-0.41, 0.41, -0.5, 0.5), t=(-2.5, 2.5)),
    law("heron", "A", "area of a triangle of sides a, b, c",
        lambda xp, a, b, c: xp.sqrt(4 * a**2 * b**2 - (a**2 + b**2 - c**2) ** 2) / 4,
        a=(4, 5, 3.8, 5.5), b=(4, 5, 3.8, 5.5), c=(2, 7, 1.8, 7.5)),
    law("true-anomaly", "v", "(rad) of a planet: eccentricity, eccentric anomaly (rad)",
        lambda xp, e, E: 2 * xp.atan(xp.sqrt((1 + e) / (1 - e)) * xp.tan(E / 2)),
        e=(0.05, 0.7, 0, 0.95), E=(-2.6, 2.6, -3, 3)),
    law("great-circle", "d",
        "(km) between places: latitudes, difference of longitude (rad)",
        lambda xp, p, q, u: 6371 * xp.acos(
            xp.sin(p) * xp.sin(q) + xp.cos(p) * xp.cos(q) * xp.cos(u)),
        p=(-1, 1, -1.5, 1.5), q=(-1, 1, -1.5, 1.5), u=(0.2, 2.9, 0.1, 3.0)),
)

MANY: tuple[Problem, ...] = (
    law("breguet", "R",
        "range (m): m/s, consumption (1/s), lift, drag (N), masses (kg)",
        lambda xp, V, c, L, D, m0, m1: V / c * L / D * xp.log(m0 / m1),
        V=(150, 260), c=(1e-4, 2e-4), L=(4e5, 8e5), D=(3e4, 6e4),
        m0=(6e4, 9e4), m1=(4e4, 5.5e4)),
    law("calorimeter", "T", "(°C) of three bodies brought together: kg, J/kg/K, °C",
        lambda xp, m1, m2, m3, c1, c2, c3, T1, T2, T3: (
            (m1 * c1 * T1 + m2 * c2 * T2 + m3 * c3 * T3)
            / (m1 * c1 + m2 * c2 + m3 * c3)),
        m1=(0.1, 2), m2=(0.1, 2), m3=(0.1, 2), c1=(300, 4200), c2=(300, 4200),
        c3=(300, 4200), T1=(0, 100), T2=(0, 100), T3=(0, 100)),
    law("net-present-value", "V", "of five payments at an interest rate",
        lambda xp, c0, c1, c2, c3, c4, r: (
            c0 + c1 / (1 + r) + c2 / (1 + r) ** 2 + c3 / (1 + r) ** 3
            + c4 / (1 + r) ** 4),
        c0=(-900, -300), c1=(0, 300), c2=(0, 300), c3=(0, 300), c4=(0, 600),
        r=(0.02, 0.3)),
    law("link-budget", "P", "received (dBm): sent, gains, losses (dB), dB/km, km, GHz",
        lambda xp, Pt, Gt, Gr, Lt, Lr, a, d, f: (
            Pt + Gt + Gr - Lt - Lr - a * d - 20 * xp.log(41.888 * d * f) / xp.log(10)),
        Pt=(0, 30), Gt=(0, 20), Gr=(0, 20), Lt=(0, 6), Lr=(0, 6), a=(0.05, 2),
        d=(0.5, 20), f=(0.4, 12)),
)

SIMPLE: tuple[Problem, ...] = (
    law("selection-step", "q",
        "share of a gene in the next generation: share, fitnesses",
        lambda xp, p, a, b, c: (
            (a * p**2 + b * p * (1 - p))
            / (a * p**2 + 2 * b * p * (1 - p) + c * (1 - p) ** 2)),
        p=(0.05, 0.95, 0, 1), a=(0.5, 1.5), b=(0.5, 1.5), c=(0.5, 1.5)),
    law("hydrostatic", "p", "(Pa) under h (m) of a liquid (kg/m³)",
        lambda xp, p0, rho, h: p0 + 9.81 * rho * h,
        p0=(8e4, 1.05e5), rho=(600, 1300), h=(0, 10)),
    law("ohm-heat", "P", "(W) in a resistor: V, Ω",
        lambda xp, U, R: U**2 / R,
        U=(1, 24), R=(5, 100)),
    law("loop-force", "F",
        "(N) on a rider at the bottom of a loop: kg, m/s, radius (m)",
        lambda xp, m, v, r: m * (9.81 + v**2 / r),
        m=(40, 110), v=(3, 25), r=(5, 30)),
    law("break-even", "q", "pieces to sell: fixed costs, price, cost of a piece",
        lambda xp, F, p, v: F / (p - v),
        F=(1e3, 1e5), p=(20, 50, 16, 100), v=(5, 14, 2, 15)),
    law("difference-amplifier", "U", "(V): resistors (Ω), two inputs (V)",
        lambda xp, R1, R2, U1, U2: R2 / R1 * (U2 - U1),
        R1=(1e3, 1e4), R2=(1e3, 5e4), U1=(-1, 1), U2=(-1, 1)),
    law("buoyancy", "F", "(N) on a body: densities (kg/m³), volume (m³)",
        lambda xp, rf, rb, V: 9.81 * (rf - rb) * V,
        rf=(700, 1200), rb=(200, 2500), V=(1e-4, 1e-2)),
    law("acoustic-reflection", "R", "share of sound sent back: two impedances",
        lambda xp, Z1, Z2: ((Z2 - Z1) / (Z2 + Z1)) ** 2,
        Z1=(0.4, 4), Z2=(1, 8)),
    law("price-elasticity", "e", "of demand, by midpoints: quantities, prices",
        lambda xp, q1, q2, p1, p2: (q2 - q1) * (p2 + p1) / ((q2 + q1) * (p2 - p1)),
        q1=(50, 100), q2=(20, 80), p1=(5, 9, 2, 10), p2=(12, 20, 11, 40)),
    law("projectile-range", "R", "(m): speed (m/s), angle (rad)",
        lambda xp, v, t: v**2 * xp.sin(2 * t) / 9.81,
        v=(5, 40), t=(0.1, 1.5)),
    law("spring-energy", "E", "(J): stiffness (N/m), stretch (m), rest length (m)",
        lambda xp, k, x, x0: k * (x - x0) ** 2 / 2,
        k=(10, 500), x=(0.1, 0.6), x0=(0.2, 0.3)),
    law("stokes-settling", "v", "grain (m/s): densities, radius (m), viscosity (Pa s)",
        lambda xp, rp, rf, r, mu: 2.18 * (rp - rf) * r**2 / mu,
        rp=(1500, 5000), rf=(700, 1300), r=(1e-6, 5e-5), mu=(5e-4, 3e-3)),
    law("darcy", "Q", "(m³/s) through sand: conductivity, area, heads, length (SI)",
        lambda xp, K, A, h1, h2, L: K * A * (h1 - h2) / L,
        K=(1e-5, 1e-3), A=(0.01, 1), h1=(2, 6), h2=(0, 4), L=(0.2, 3)),
    law("sharpe-ratio", "S", "return over a safe one, in volatilities (%)",
        lambda xp, R, Rf, s: (R - Rf) / s,
        R=(-5, 20), Rf=(0, 5), s=(5, 30)),
    law("standing-wave", "u", "of a string: amplitude, place (m), time (s)",
        lambda xp, A, x, t: 2 * A * xp.sin(3.14 * x) * xp.cos(9.7 * t),
        A=(0.5, 3), x=(0, 2), t=(0, 1)),
)
# fmt: on

KINDS: Kinds = {
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
}
