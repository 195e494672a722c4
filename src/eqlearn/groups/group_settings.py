"""The tuned numbers of learning by group, each with the reason for its value."""

from dataclasses import dataclass

from eqlearn.equation.refine.tactics import tuned


@dataclass(frozen=True)
class GroupSettings:
    """How forms are looked for in groups, and which of their constants are shared."""

    n_single: int = tuned(2, "groups that are searched alone: the largest tell most")
    fewest_alone: int = tuned(6, "rows of a group that is searched alone")
    share_of_time: float = tuned(0.6, "of a time limit for searches, the rest for fits")
    grace: float = tuned(
        0.1, "of a time limit, after it: for forms that are always tried"
    )
    attempts: int = tuned(
        8, "of each search, at most: a view of the rows need not agree with itself"
    )
    most_constants: int = tuned(7, "of a form: more are no law of a table of groups")
    unlikely: float = tuned(
        0.01, "chance of an F test below which a constant differs between groups"
    )
    n_told: int = tuned(6, "forms, the best first, whose shared constants are told")
    n_kept: int = tuned(3, "candidates of a target: each has constants of its own")
    n_steps: int = tuned(40, "of a fit; it converges in fewer")
    n_starts: int = tuned(12, "groups whose constants are tried in all others")
    free_rows: float = tuned(
        1.5, "rows for each constant, below which constants are freed one by one"
    )


STANDARD = GroupSettings()
