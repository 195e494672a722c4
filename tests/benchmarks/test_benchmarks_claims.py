"""Numbers in the words of docs/, worked out anew from the lines they are about.

The tables there are written by `benchmarks.pages`; words are written by hand. A claim
is a sentence, or part of one, with the numbers that the lines give today.
"""

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median

import pytest

from benchmarks.limits import RESULTS as LIMITS
from benchmarks.pages import DOCS, NETWORKS, TRAININGS
from benchmarks.recovery import RESULTS as RECOVERY
from eqlearn.reproduce.jsonl import Line, whole_lines
from eqlearn.reproduce.section4.instances import selected
from eqlearn.reproduce.section4.judging import agreement_of
from eqlearn.reproduce.section4.runs import read_lines

WORDS: tuple[str, ...] = (
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
)
WORDS += ("ten", "eleven", "twelve", "thirteen", "fourteen")


def lines(path: Path = RECOVERY, **wanted: object) -> list[Line]:
    return [
        line
        for line in read_lines(path).values()
        if all(line[name] == value for name, value in wanted.items())
    ]


def published_pendulum(far: int) -> list[float]:
    """Mean squared errors outside of our runs, with the noise of the targets."""
    some = lines(method="eqlearn", problem="cart-pendulum-published", far=far)
    return sorted(line["mse_outside"] + line["noise"] ** 2 for line in some)


def re33(path: Path = RECOVERY) -> list[Line]:
    return sorted(lines(path, problem="RE3-3", far=40), key=lambda line: line["seed"])


def off_wide(line: Line) -> float:
    """How far off three times the range is, in per cent; fits tell it in words."""
    found = re.search(r"([\d.e+]+) % off over 3 times", line["decided"])
    assert found is not None
    return float(found[1])


def with_far_points() -> str:
    errors = published_pendulum(50)
    n = WORDS[len(errors)]
    return f"mean squared error is {median(errors):.4f} in the median of {n} seeds"


def without_far_points() -> str:
    least, *_, most = published_pendulum(0)
    return f"and errors are {least:.2f} to {most:.2f}"


def fitted_pendulum() -> str:
    fits = lines(LIMITS, problem="cart-pendulum-published")
    assert all(agreement_of(line) == "close" for line in fits)
    n = WORDS[len({line["seed"] for line in fits})]
    return f"the true form comes close in all {n} seeds, with or without far points"


def division_grid() -> str:
    trained = [line for line in whole_lines(NETWORKS) if line["problem"] == "division"]
    whole = [line for line in trained if line["length"] == 1 and line["seed"] == 1]
    assert len(whole) == 78
    hours = sum(line["seconds"] for line in whole) / 3600
    return f"{hours:.1f} hours on one core for the division"


def penalty_epochs() -> str:
    known = [line for path in (TRAININGS, NETWORKS) for line in whole_lines(path)]
    whole = [line for line in known if line["length"] == 1 and line["seed"] == 1]
    division = [line for line in whole if line["problem"] == "division"]
    off = {
        pick.line["options"]["penalty"]: pick.line["rms_outside"]
        for pick in selected(division, "v_int_s")
    }
    with_extra, in_place = off["extra"], off["in_place"]
    return (
        f"the pick on the division is off by {with_extra:.4f} outside with extra "
        f"penalty epochs, and by {in_place:.4f} with those in place"
    )


def extra_is_closer() -> str:
    short = [line for line in whole_lines(TRAININGS) if line["length"] < 1]
    errors: dict[tuple[str, ...], dict[str, list[float]]] = {}
    for pick in selected(short, "v_int_s"):
        options = pick.line["options"]
        pair = errors.setdefault((pick.line["problem"], options["initial"]), {})
        for where in ("inside", "outside"):
            name = f"{options['penalty']} {where}"
            pair.setdefault(name, []).append(pick.line[f"rms_{where}"])
    farther = {
        where: sum(
            median(pair[f"extra {where}"]) > median(pair[f"in_place {where}"])
            for pair in errors.values()
        )
        for where in ("inside", "outside")
    }
    assert len(errors) == 6 and farther == {"inside": 0, "outside": 1}
    return "every pick is closer to the formula inside, and all but one outside"


def expression_outside() -> str:
    off = [line["outputs"][0]["rms_outside"] for line in re33()]
    return f"off by {min(off):.4f} to {max(off):.4f} in the extrapolation domain"


def expression_wide() -> str:
    wide = [100 * line["outputs"][0]["relative_rms_wide"] for line in re33()]
    first, second = (error for error in wide if error > 1)
    return f"off by more than 1 % ({first:.2f} and {second:.1f} %)"


def expression_fitted() -> str:
    first, second, third = map(off_wide, re33(LIMITS))
    return f"into {first:.1f}, {second:.1f} and {third:.2f} %, with far points"


def candidates() -> str:
    counts = [
        len(output["candidates"])
        for line in lines(method="eqlearn")
        for output in line.get("outputs", [])
        if output.get("candidates")
    ]
    assert sum(2 <= n <= 5 for n in counts) > len(counts) / 2
    return f"ends with {min(counts)} to {max(counts)} candidates for each target"


CLAIMS: Iterable[tuple[str, Callable[[], str]]] = (
    ("results", with_far_points),
    ("results", without_far_points),
    ("results", fitted_pendulum),
    ("results", division_grid),
    ("method", penalty_epochs),
    ("method", extra_is_closer),
    ("results", expression_outside),
    ("results", expression_wide),
    ("recovery", expression_fitted),
    ("selection", candidates),
)


@pytest.mark.parametrize(("page", "claim"), CLAIMS)
def test_what_is_said_is_what_the_lines_say(
    page: str, claim: Callable[[], str]
) -> None:
    text = " ".join((DOCS / f"{page}.md").read_text("utf-8").split())
    assert claim() in text
