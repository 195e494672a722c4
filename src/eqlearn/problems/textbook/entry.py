"""How a textbook's law and a wave are entered."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from eqlearn.problems.definition import Box, Problem, Spacing, widened, within

#: The range in which an input is measured, and the one it never leaves if that matters.
Range = tuple[float, float] | tuple[float, float, float, float]
#: Problems by what kind of formula they are.
Kinds = Mapping[str, tuple[Problem, ...]]

_ROWS_OF_A_LAW, _ROWS_OF_A_WAVE = 500, 200
_EVERYWHERE = (-1e300, 1e300)


def law(
    name: str,
    output: str,
    meaning: str,
    formula: Callable[..., Any],
    **ranges: Range,
) -> Problem:
    """Enter a law: noise in multiples of the target's spread, extrapolation to twice.

    Some inputs have four numbers, not two: roots, logarithms and angles have an end
    beyond which there is nothing, and poles lie where no one would measure.
    """
    return _entered(name, output, meaning, formula, ranges, "random", _ROWS_OF_A_LAW)


def wave(
    name: str,
    meaning: str,
    formula: Callable[..., Any],
    spacing: Spacing = "random",
    **ranges: Range,
) -> Problem:
    """Enter a wave, its first input measured in some `spacing`."""
    return _entered(name, "y", meaning, formula, ranges, spacing, _ROWS_OF_A_WAVE)


def hidden(prefix: str, kinds: Kinds) -> Kinds:
    """Number problems instead of naming them, so that results give nothing away."""
    numbers = iter(range(1, 1000))
    return {
        kind: tuple(
            replace(
                one,
                name=f"{prefix}-{next(numbers):02d}",
                outputs=("y",),
                is_unseen=True,
            )
            for one in problems
        )
        for kind, problems in kinds.items()
    }


def _entered(
    name: str,
    output: str,
    meaning: str,
    formula: Callable[..., Any],
    ranges: Mapping[str, Range],
    spacing: Spacing,
    n_train: int,
) -> Problem:
    box: Box = tuple((float(r[0]), float(r[1])) for r in ranges.values())
    limits: Box = tuple(
        (float(r[2]), float(r[3])) if len(r) == 4 else _EVERYWHERE
        for r in ranges.values()
    )
    return Problem(
        name=name,
        inputs=tuple(ranges),
        outputs=(output,),
        formula=formula,
        box=box,
        outer_box=within(widened(box, 2.0), limits),
        noise_unit="spread",
        n_train=n_train,
        meaning=meaning,
        limits=limits,
        spacing=spacing,
        by_form=True,
    )
