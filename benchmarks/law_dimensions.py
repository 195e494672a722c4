"""Units of measure of textbook laws, and constants of nature that a reader may expect.

As the columns of a table would be labelled: what each law's meaning says, and constants
that its field uses by name.
"""

#: By law: units by column, and names of constants, separated by commas.
LAW_DIMENSIONS: dict[str, tuple[str, str | None]] = {
    "hertz-contact": ("F: N, E: Pa, R: m, d: m", None),
    "taylor-blast": ("R: m, E: J, t: s, rho: kg/m^3", None),
    "kepler-third": ("T: s, a: m, M: kg", "G"),
    "chirp-mass": ("M: kg, m1: kg, m2: kg", None),
    "virial": ("p: Pa, T: K, V: m^3/mol, B: m^3/mol, C: m^6/mol^2", "R"),
    "braking-distance": ("s: m, v: m/s, t: s, mu: 1", "g"),
    "gaussian-beam": ("J: W/m^2, P: W, w: m, r: m", None),
    "kohlrausch": ("phi: 1, t: s, tau: s, beta: 1", None),
    "arrhenius": ("k: 1/s, A: 1/s, E: J/mol, T: K", "R"),
    "lidar": ("P: W, C: W km^2, alpha: 1/km, r: km", None),
    "log-mean": ("dT: K, d1: K, d2: K", None),
    "regular-solution": ("G: J/mol, x: 1, T: K, w: J/mol", "R"),
    "rocket-gravity": ("v: m/s, ve: m/s, m0: kg, mf: kg, t: s", "g"),
    "log-wind": ("u: m/s, us: m/s, z: m, d: m, z0: m", None),
    "gas-entropy": ("S: J/K, n: mol, T1: K, T2: K, V1: m^3, V2: m^3", "R"),
    "redshift": ("f: Hz, f0: Hz, b: 1", None),
    "hubble-rate": ("H: km/s/Mpc, H0: km/s/Mpc, Om: 1, z: 1", None),
    "rlc-impedance": ("Z: ohm, R: ohm, w: 1/s, L: H, C: F", None),
    "relativistic-energy": ("E: GeV, p: GeV, m: GeV", None),
    "relativistic-momentum": ("p: kg m/s, m: kg, v: m/s", "c"),
    "filter-phase": ("phase: deg, f: Hz, R: ohm, C: F", None),
    "bank-angle": ("a: rad, v: m/s, r: m", "g"),
    "fin-efficiency": ("e: 1, h: W/m^2/K, k: W/m/K, t: m, L: m", None),
    "catenary": ("y: m, a: m, x: m", None),
    "shepherd-recruits": ("R: t, a: 1, S: t, K: t", None),
    "chirp": ("s: 1, f: Hz, k: Hz/s, t: s", None),
    "rabi": ("P: 1, W: 1/s, D: 1/s, t: s", None),
    "arps": ("q: m^3/s, b: 1, D: 1/yr, t: yr", None),
    "eyring": ("k: 1/s, T: K, H: J/mol, S: J/mol/K", "R,h,k_B"),
    "tight-binding": ("B: mol/L, P: mol/L, L: mol/L, K: mol/L", None),
    "avoided-crossing": ("E: eV, a: eV, b: eV, w: eV", None),
    "heron": ("A: m^2, a: m, b: m, c: m", None),
    "breguet": ("R: m, V: m/s, c: 1/s, L: N, D: N, m0: kg, m1: kg", None),
    "loop-force": ("F: N, m: kg, v: m/s, r: m", "g"),
    "difference-amplifier": ("U: V, R1: ohm, R2: ohm, U1: V, U2: V", None),
    "acoustic-reflection": ("R: 1, Z1: Pa s/m, Z2: Pa s/m", None),
    "projectile-range": ("R: m, v: m/s, t: rad", "g"),
    "spring-energy": ("E: J, k: N/m, x: m, x0: m", None),
    "stokes-settling": ("v: m/s, rp: kg/m^3, rf: kg/m^3, r: m, mu: Pa s", "g"),
    "darcy": ("Q: m^3/s, K: m/s, A: m^2, h1: m, h2: m, L: m", None),
}
