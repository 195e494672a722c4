"""The tuned numbers of the survey, each with the reason for its value."""

import math
from dataclasses import dataclass

from eqlearn.equation.refine.tactics import tuned

#: A kind of term, the size of monomials beside it, that of those there from the start
#: (None: none are), and the most variables that it is asked of.
LookOrder = tuple[str, int, int | None, int]


@dataclass(frozen=True)
class Survey:
    """Laws beyond sums, products and sines, looked for directly."""

    most_inputs: int = tuned(12, "inputs beyond which a survey takes too long")
    n_rows: int = tuned(300, "rows that terms are picked on")
    n_fractions: int = tuned(8, "fractions under links that are pruned, by rank")
    most_columns: int = tuned(110, "features of a fraction under a link")
    price: float = tuned(4.0, "of a feature, in the rank of a fraction")
    sizes: tuple[int, ...] = tuned(
        (12, 8, 6, 5, 5, 4, 4, 3, 3),
        "of monomials that sums are picked from, by the number of variables",
    )
    n_kept: int = tuned(3, "sums of a look of which formulas are made")
    n_iterations: int = tuned(8, "of the fit that tells whether a sum is hopeless")
    hopeless: float = tuned(
        3.0, "times the best squared residual, which it then leaves"
    )
    spare: int = tuned(
        2, "terms of a sum that pruning may still leave out, or constants be simple"
    )
    n_quick: int = tuned(
        13, "kinds of looks before the first attempts: together about as quick as these"
    )
    telling: int = tuned(
        20, "kinds of looks after which formulas of other kinds have had their chance"
    )
    most_exact: int = tuned(10, "constants of a formula that ends the survey if exact")
    few_exact: int = tuned(4, "the same if more than rounding errors are left")
    rounding: float = tuned(
        1e-25, "mean squared residual of these, of a target of unit size"
    )
    looks_a_job: int = tuned(4, "looks of one job: half a second or so")
    order: tuple[LookOrder, ...] = tuned(
        (
            *(("small", 0, 2, 9), ("curves", 0, None, 1), ("whole sums", 3, None, 9)),
            *(("built", 1, None, 5), ("whole sums", 0, None, 9), ("beside", 1, 1, 4)),
            *(("exp", 0, None, 4), ("bends", 0, None, 3)),
            *(
                ("powers", 0, None, 3),
                ("waves", 0, None, 4),
                ("fast waves", 0, None, 5),
            ),
            *(("quadratics", 0, None, 5), ("pairs", 2, None, 3)),
            *(("sums", 0, None, 9), ("splits", 0, None, 6)),
            *(("exp", 1, None, 4), ("sums", 0, 1, 5)),
            *(("exp", 0, 1, 4), ("powers", 0, 1, 3), ("waves", 0, 1, 4)),
            *(("families", 0, None, 2), ("powers", 1, None, 3)),
            *(("bends", 1, None, 3), ("exp", 1, 1, 4), ("damped", 0, None, 3)),
            *(("waves", 1, None, 4), ("powers", 1, 1, 2), ("waves", 1, 1, 4)),
            *(("exp", 2, 2, 3), ("waves", 2, 2, 3), ("powers", 2, 2, 2)),
        ),
        "looks in order of simplicity",
    )


@dataclass(frozen=True)
class ProcessFits:
    """Gaussian processes in the place of smooth laws that no polynomial can be."""

    fewest_inputs: int = tuned(3, "with fewer a polynomial has powers enough")
    n_rows: int = tuned(300, "rows that give slopes: time grows with their third power")
    n_screened: int = tuned(150, "rows by which dozens of reductions are judged first")
    screened: float = tuned(1.5, "times what all inputs leave of these, at most")
    n_iterations: int = tuned(24, "steps to the likeliest lengths")
    length: float = tuned(3.0, "spreads within which a law is alike, to begin with")
    noise: float = tuned(1e-3, "share of the variance that is noise, to begin with")
    rough: float = tuned(3e-4, "share of the variance that a polynomial may leave")
    better: float = tuned(0.8, "times what a polynomial leaves, to be asked instead")
    most_confirmed: int = tuned(10, "reductions that are judged by all rows then")
    most_proposals: int = tuned(32, "reductions that are tried: each takes a moment")


@dataclass(frozen=True)
class Separation:
    """Laws that are sums or products of laws of fewer inputs each."""

    most_variables: int = tuned(6, "of which groups are made in all ways")
    most_varying: int = tuned(5, "of which one is taken apart from all others")
    terms_a_row: float = tuned(0.2, "terms of a polynomial for each row, at most")
    degree_of_one: int = tuned(8, "of the polynomials of one variable")
    not_smooth: float = tuned(0.02, "share of the variance left by no smooth law")
    as_good: float = tuned(1.1, "times what all inputs leave, that parts may leave")
    n_splits: int = tuned(2, "ways to fall apart that are followed")
    hopeless: float = tuned(2.0, "times what a smooth function leaves, of no law")
    short: int = tuned(
        3, "constants of a law of a part beside which none is looked for"
    )
    behind: float = tuned(12.0, "criterion by which that is behind a smooth function")
    links: tuple[str | None, ...] = tuned(
        (None, "log", "inverse", "square", "inverse square"),
        "that parts are looked at through",
    )
    order: tuple[LookOrder, ...] = tuned(
        (
            *(("small", 0, 2, 9), ("curves", 0, None, 1), ("exp", 0, None, 2)),
            *(("whole sums", 3, None, 9), ("waves", 0, None, 2)),
            ("bends", 0, None, 2),
        ),
        "looks at a part: the quickest",
    )


@dataclass(frozen=True)
class Building:
    """Features that are built by rule, and laws of one or two of them."""

    n_rows: int = tuned(200, "rows that features are judged on")
    alike: float = tuned(30.0, "times as large, of what is added to something")
    most_simple: int = tuned(40, "inputs, sums and norms that are made quotients of")
    most_inner: int = tuned(3000, "features that functions are applied to")
    most_rated: int = tuned(60, "features that functions are applied to at rates")
    natural: tuple[float, ...] = tuned(
        (1.0, math.pi / 180, math.pi, 2 * math.pi),
        "of radians, degrees, half turns and turns",
    )
    least_reach: float = tuned(0.3, "of what is bent: less is a straight line")
    most_exponent: float = tuned(30.0, "size of what stands in an exponent")
    most_turning: float = tuned(60.0, "radians that a wave of a feature goes through")
    least_turning: float = tuned(1.0, "the same: through less it is a power or two")
    rates: tuple[float, ...] = tuned(
        (
            *(-round(2.0 ** (k / 2), 3) for k in range(-1, 11)),
            *(round(2.0 ** (k / 2), 3) for k in range(-2, 7)),
        ),
        "of exponentials, over the range of what they are of",
    )
    bends: tuple[float, ...] = tuned(
        tuple(round(2.0 ** (k / 2), 3) for k in range(-2, 11)),
        "the same of tanh and arc tangent",
    )
    turns: tuple[float, ...] = tuned(
        tuple(float(k) for k in range(1, 61)), "radians of waves, in all"
    )
    sizes: tuple[int, ...] = tuned(
        (3, 2, 2, 1, 1),
        "of monomials beside a feature, by the number of variables",
    )
    price_of_log: float = tuned(2.0, "of a power of a feature, in the rank of a law")
    most_outers: tuple[int, int] = tuned(
        (120, 60), "of what may stand beside one feature, and beside each of two"
    )
    n_kept: int = tuned(6, "laws of a look of which formulas are made")
    n_beam: int = tuned(5, "features to each of which a second one is looked for")
