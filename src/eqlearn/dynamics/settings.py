"""The tuned numbers of learning motion, each with the reason for its value."""

from dataclasses import dataclass, field

from eqlearn.equation.refine.tactics import tuned


@dataclass(frozen=True)
class Smoothing:
    """How splines are laid through measured states."""

    most_rows: int = tuned(
        400, "rows of one spline: its time grows with their cube; longer ones are cut"
    )
    overlap: int = tuned(40, "rows that neighbouring splines share: ends are uncertain")
    jitter: float = tuned(
        1e-7, "of a step: times off by less, as rounding makes them, count as even"
    )
    clean: float = tuned(
        1e-3, "noise, in spreads, below which a spline of higher degree is better"
    )
    floor: float = tuned(
        1e-3,
        "noise, in spreads of a rate, that is added: errors of the spline below it "
        "look like structure",
    )
    rows_a_freedom: float = tuned(
        1.5,
        "rows kept for each degree of freedom of a spline: more are not independent",
    )
    least_rows: int = tuned(60, "rows that are kept of each trajectory, if it has them")
    most_kept: int = tuned(2000, "rows that the search looks at")
    cut_ends: float = tuned(
        0.5, "correlation lengths left out at the ends, where splines are worst"
    )
    windows: tuple[int, ...] = tuned(
        (1, 3, 5, 7, 11, 15),
        "steps that are averaged where inputs jump, from few to many: wide ones blur",
    )
    window_error: float = tuned(
        0.05, "of a rate's spread: noise that a window may leave, of the narrowest"
    )
    clear_lead: float = tuned(
        40.0, "misfit by which steps must look like Euler's, or not, to be taken so"
    )
    largest_error: float = tuned(5.0, "times the median: what a rate's error counts as")


@dataclass(frozen=True)
class Following:
    """How trajectories are followed, piece by piece."""

    state_floor: float = tuned(
        1e-5, "of a state's spread: what the integration may be off by"
    )
    substeps: tuple[int, ...] = tuned(
        (1, 2, 4, 8, 16), "Runge-Kutta steps from row to row, tried from few to many"
    )
    accuracy: float = tuned(
        0.05, "of the noise: errors of integration that no fit would notice"
    )
    blow_up: float = tuned(20.0, "times the largest measured: a state that is lost")
    most_rows: int = tuned(3000, "rows that are followed while forms are compared")
    longest: int = tuned(500, "rows of a trajectory that is followed as a whole")
    n_iterations: int = tuned(25, "steps of a fit, which mostly needs ten")
    n_quick: int = tuned(8, "steps of a fit that only has to tell whether a form pays")
    tolerance: float = tuned(1e-3, "gain in the criterion below which a fit has ended")
    slack: float = tuned(
        30.0, "misfit by which the prospect of a fit may miss what it has to reach"
    )


@dataclass(frozen=True)
class Choosing:
    """How systems of equations are compared."""

    term_price: float = tuned(
        6.8, "besides log N: for each constant, picked from about thirty: 2 log 30"
    )
    sine_price: float = tuned(6.0, "for each sine or cosine")
    function_price: float = tuned(
        12.0, "for each other function: some of them imitate any short curve"
    )
    product_price: float = tuned(
        1.4, "for each product or divisor, which double what there is to pick: 2 log 2"
    )
    pieces: tuple[int, ...] = tuned(
        (10, 3, 1),
        "pieces of a trajectory, from many to few: long ones tell forms apart, "
        "short ones can be followed with constants that are off",
    )
    n_short: int = tuned(
        30, "pieces where a first guess is lost in longer ones, or motion is chaotic"
    )
    fits_worse: float = tuned(
        1.5, "times the residuals: longer pieces that fit worse than that are left"
    )
    n_shortest: int = tuned(
        75, "pieces of a map at first: a chaotic one doubles noise in every other step"
    )
    n_candidates: int = tuned(6, "formulas of the search that are tried for each state")
    most_constants: int = tuned(14, "of a formula that is tried: more imitate anything")
    n_pruned: int = tuned(3, "of all formulas for a state, how many are pruned")
    n_kept: int = tuned(3, "systems that go on to longer pieces")
    n_tried: int = tuned(4, "least certain terms that are tried without")
    certain: float = tuned(5.0, "standard errors from zero: a term that stays")
    idle: float = tuned(2.0, "standard errors: terms below are tried without together")
    near_angle: float = tuned(
        0.3, "from 1: a weight of an angle in a sine that is tried as exactly that"
    )
    width: int = tuned(30, "selections of each number of terms that go on")
    n_exchanged: int = tuned(4, "selections of terms that are tried for each state")
    n_longer: int = tuned(2, "terms by which a selection may be longer")
    n_added: int = tuned(3, "terms the residuals point to that are tried")
    rounds: int = tuned(3, "times that formulas are tried in turn")
    n_again: int = tuned(5, "formulas of a state that are tried in later rounds")
    hope: float = tuned(
        2.0, "prices of its constants that a formula may be behind before it is pruned"
    )
    search_seconds: float = tuned(
        0.5, "for each state that is searched at first, unless a time limit is given"
    )
    more_search: float = tuned(
        2.0, "the same, where the first equations leave something to explain"
    )
    first_share: float = tuned(
        0.6, "of a time limit: until then the first equations are chosen"
    )
    explained: float = tuned(
        1.2, "residuals, in noise, below which nothing is left to explain"
    )
    alike: float = tuned(3.5, "standard errors: likeness of neighbouring residuals")
    short: int = tuned(6, "constants of a formula that may be all there is to say")
    choice_seconds: float = tuned(
        5.0, "for each state: what comparing systems may take at most"
    )
    share_to_compare: float = tuned(
        0.15,
        "of a time limit, the last: for comparing the system with forms close to it, "
        "without which it is not trusted",
    )
    most_busy: float = tuned(
        4.0, "times that a search is prolonged on a busy machine, at most"
    )


@dataclass(frozen=True)
class Pursuit:
    """How sums of simple terms are looked for beside the search."""

    most_terms: int = tuned(6, "terms of a sum; longer ones are pruned from others")
    width: int = tuned(12, "sums of each size that go on")
    few_terms: tuple[int, ...] = tuned(
        (2, 3, 4), "numbers of terms whose best sum is tried besides, of each kind"
    )
    most_tripled: int = tuned(
        70, "terms up to which all triples are compared: that takes milliseconds"
    )
    n_swaps: int = tuned(4, "terms of a sum that are swapped for others, of many terms")
    n_candidates: int = tuned(18, "sums of all kinds that are tried by following")
    n_pieces: int = tuned(8, "of a trajectory in which integrals are compared")
    most_rows: int = tuned(4000, "rows whose integrals are looked at, about")
    most_cubic: int = tuned(4, "inputs up to which products of three are terms")
    term_price: float = tuned(4.0, "besides log N, for each term")
    product_price: float = tuned(0.5, "for each product")
    function_price: float = tuned(4.0, "for each function: there are many")
    least_scale: float = tuned(
        0.2, "medians of an input: where a function bends, if not lower"
    )
    largest_scale: float = tuned(4.0, "the same, if not higher")
    low: float = tuned(0.1, "quantile of an input below which nothing bends")
    scale_step: float = tuned(
        1.7, "factor between scales: sums of the law's terms stand out at the nearest"
    )
    between: float = tuned(
        0.4, "logarithms of a scale on either side within which the best is looked for"
    )
    scale_accuracy: float = tuned(
        0.002, "logarithms of a scale that make no difference"
    )
    n_scalings: int = tuned(14, "scales that are tried for a sum, at most")
    n_scaled: int = tuned(2, "sums of each number of terms whose scale is looked for")
    widest_exponent: float = tuned(
        12.0, "range of an exponent: exponentials of a wider one are spikes"
    )
    least_denominator: float = tuned(0.05, "times the median: no nearer to a pole")

    def factors(self, n_inputs: int) -> int:
        """How many inputs a function may be multiplied by."""
        return 2 if n_inputs <= self.most_cubic else 1


@dataclass(frozen=True)
class Coupling:
    """How sums are looked for in which rates themselves are factors of terms."""

    degrees: tuple[int, ...] = tuned((3, 2, 1), "of terms, the first that are few")
    most_terms: int = tuned(160, "terms of an alphabet: with six letters, cubes")
    factor_degrees: tuple[int, ...] = tuned((2, 1), "of what rates are multiplied by")
    most_factors: int = tuned(
        90, "such factors of all rates together: of two, squares of eight letters"
    )
    rounds: int = tuned(
        2, "times that sums of the likeliest letters are looked for, with better rates"
    )
    width: int = tuned(30, "sums of each number of terms that go on")
    most_length: int = tuned(6, "terms of a sum; each has a number of its own to find")
    n_alike: int = tuned(3, "sums of a number of terms: noise may favour the wrong one")
    most_combined: int = tuned(3000, "combinations of sums: comparing them is nothing")
    most_in_fraction: int = tuned(24, "terms of a fraction: more imitate anything")
    term_price: float = tuned(
        9.6, "besides log N, for each term, picked from about 120: 2 log 120"
    )
    plain: float = tuned(
        3e-3, "of a state's spread: less than that, and its rate is another state"
    )
    told: float = tuned(
        3e-4, "of a state's spread: what sums over steps and splines are off by"
    )
    n_candidates: int = tuned(15, "systems of fractions that are tried by following")


@dataclass(frozen=True)
class MotionSettings:
    """Every tuned number of learning motion."""

    smoothing: Smoothing = field(default_factory=Smoothing)
    shooting: Following = field(default_factory=Following)
    choosing: Choosing = field(default_factory=Choosing)
    pursuit: Pursuit = field(default_factory=Pursuit)
    coupling: Coupling = field(default_factory=Coupling)


STANDARD_MOTION = MotionSettings()
