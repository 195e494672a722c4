"""The tuned numbers of learning within a known form, with reasons."""

from dataclasses import dataclass

from eqlearn.equation.refine.tactics import tuned


@dataclass(frozen=True)
class FormSettings:
    """How unknown functions are smoothed, searched and put together."""

    degrees: tuple[int, ...] = tuned(
        (8, 6, 4, 3, 2),
        "of the polynomials that stand for a function of 1, 2, ... inputs",
    )
    rows_each: int = tuned(4, "rows for each coefficient of the polynomials, at least")
    most_rows: int = tuned(
        2_000,
        "rows that functions are searched on: shapes are plain by then, and all rows "
        "count in the end, for constants and criterion",
    )
    n_starts: int = tuned(12, "places where the fit of letters and polynomials begins")
    n_plain_starts: int = tuned(3, "such places for one function and no letters")
    n_steps: int = tuned(40, "of a fit; it converges in fewer")
    n_short: int = tuned(8, "steps after which the best starts are known")
    n_polished: int = tuned(4, "starts, or formulas, that are fitted to the end")
    n_ways: int = tuned(
        3, "smooth fits of other shapes, equally good, that are searched"
    )
    alike: float = tuned(0.02, "difference of standardised shapes that are the same")
    as_good: float = tuned(
        2.0, "squared error over the least that counts as equally good"
    )
    n_plain_rows: int = tuned(150, "rows that plain shapes are ranked on")
    n_look: int = tuned(15, "steps after which plain shapes are ranked")
    n_shapes: int = tuned(4, "shapes of a function that are kept for the next one")
    share_of_plain: float = tuned(0.6, "of a time limit for plain shapes")
    unlikely: float = tuned(
        0.01, "chance that polynomials gain so much by noise that nothing is searched"
    )
    n_tried: int = tuned(8, "formulas of a search that are put into the form")
    n_kept: int = tuned(6, "candidates of a target")
    few: int = tuned(2, "constants of a function that is hardly an imitation")
    enough: float = tuned(
        1.1, "error over that of the polynomials at which nothing more is searched"
    )
    share_of_time: float = tuned(0.75, "of a time limit for searches")
    share_of_way: float = tuned(0.7, "of the time that is left for one smooth fit")
    moment: float = tuned(0.02, "of a time limit for a search that has none left")
    attempts: int = tuned(
        24, "of each search, at most: what fits is told by the form, not by agreement"
    )
    heaviest: float = tuned(0.9, "share of rows whose weights are taken as they are")
    least_weight: float = tuned(
        1e-4, "of a row, of the largest: below it the function is not seen there"
    )


STANDARD = FormSettings()
