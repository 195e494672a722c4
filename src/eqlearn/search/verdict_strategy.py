"""The tuned numbers of verdicts and of what they look at, with their reasons."""

from dataclasses import dataclass

from eqlearn.equation.refine.tactics import tuned


@dataclass(frozen=True)
class Residuals:
    """When residuals are noise, and when they are part of a law."""

    fewest_rows: int = tuned(2000, "with fewer rows neighbours alone say too little")
    fewest_of_all: int = tuned(50, "with fewer rows nothing does")
    fewest_judged: int = tuned(20, "with fewer rows not even a verdict can say")
    most_inputs: int = tuned(6, "inputs along which structure is looked for")
    most_for_neighbours: int = tuned(
        10, "inputs beyond which rows have no neighbours, and finding them takes long"
    )
    likely: float = tuned(0.02, "chance above which what is left is noise")
    unlikely: float = tuned(1e-4, "chance below which it is part of a law")
    most_rows: int = tuned(
        10_000, "rows whose neighbours are looked at: enough to tell"
    )
    most_rows_smooth: int = tuned(2000, "rows that polynomials are fitted to")
    most_rows_waves: int = tuned(4000, "rows that waves are looked for in")
    n_neighbours: int = tuned(2, "of each row")
    most_paired: int = tuned(4, "inputs whose products and quotients waves run along")
    least_divisor: float = tuned(0.02, "share of its largest size, for a quotient")
    noise: float = tuned(2.0, "standard errors below which residuals are noise")
    structure: float = tuned(3.0, "standard errors above which they are part of a law")


@dataclass(frozen=True)
class Judging:
    """When an equation is trusted."""

    much_left: float = tuned(
        0.3, "share of the spread left unexplained that is doubtful"
    )
    all_noise: float = tuned(
        0.75,
        "share of what is left that no function explains where an input is missing",
    )
    agree: float = tuned(
        0.05, "share of the spread by which close rivals may differ in the domain"
    )
    exact: float = tuned(
        1e-9, "share of the spread below which no noise hides a law's imitations"
    )
    rounding: float = tuned(1e-12, "share of the values that arithmetic leaves")
    n_points: int = tuned(2000, "points of the domain where rivals are compared")
    most_rows: int = tuned(4000, "rows that a verdict looks at: it takes a second")
    most_parameters: int = tuned(
        40, "constants of a formula beyond which only its residuals are looked at"
    )
    rival_chance: float = tuned(
        0.03, "chance that another formula is the law which is a doubt"
    )
    held_out: float = tuned(0.2, "share of the rows that are held out at either end")
    most_regions: int = tuned(6, "inputs along which rows are held out")
    region_off: float = tuned(
        0.1, "share of the spread by which these may be missed by the rest"
    )
    region_errors: float = tuned(
        3.0, "standard errors by which these must be missed: less is noise in the rest"
    )
    constants_off: float = tuned(
        0.03, "standard error of predictions in the domain, in shares of their spread"
    )
    n_iterations: int = tuned(30, "of fits that are made to judge")
    wild: float = tuned(6.0, "usual distances at which a row does not follow")
    n_neighbours: int = tuned(8, "rows whose median tells what a row should be")
    told: float = tuned(
        0.05, "error of what others foretell, in shares of how far off a row is"
    )
    n_alike: int = tuned(
        30, "rows of about the same value that tell how far off rows are there"
    )
    alone: float = tuned(
        0.4, "ranges of most rows that are a gap in an input: tails have none"
    )
    most_wild: float = tuned(0.12, "share of the rows that may not; more are noise")
    copy: float = tuned(0.1, "how far from 1 a slope is that makes a column the target")
    fewest_differences: int = tuned(10, "of equal inputs, for the noise to be known")
