"""Fast waves kept apart.

Nothing may be tuned on these, and nobody who works on the search should read them. In
results they have numbers instead of names, and what was found for them is not written.
"""

from eqlearn.problems.definition import Problem
from eqlearn.problems.textbook.entry import Kinds, hidden, wave

# fmt: off
TREND: tuple[Problem, ...] = (
    wave("carbon-dioxide", "a line and the seasons, 30 years",
         lambda xp, year: 354 + 1.9 * (year - 1990) + 9.5 * xp.sin(2 * xp.pi * year),
         year=(1990, 2020)),
    wave("cooling-with-ripple", "a decay and a wave, 59 periods, dense at first",
         lambda xp, t: 5 * xp.exp(-0.03 * t) + 1.5 * xp.cos(3.7 * t),
         "crowded", t=(0, 100)),
)

TWO: tuple[Problem, ...] = (
    wave("fast-and-slow", "200 and 21 periods",
         lambda xp, x: 2 * xp.sin(31.4 * x) + 1.1 * xp.sin(3.3 * x),
         x=(0, 40)),
    wave("tide", "two tides, 58 periods in 30 days; hours",
         lambda xp, t: (
             1.2 * xp.cos(0.505868 * t + 0.4) + 0.5 * xp.cos(0.523599 * t - 1.1)),
         t=(0, 720)),
)

PRODUCT: tuple[Problem, ...] = (
    wave("ringing", "25 periods that die away",
         lambda xp, t: 3 * xp.exp(-0.08 * t) * xp.cos(5.2 * t - 0.7),
         "even", t=(0, 30)),
    wave("amplitude-given", "a wave of 105 periods times an input",
         lambda xp, t, A: A * xp.sin(4.4 * t + 0.3),
         t=(0, 150), A=(0.5, 3)),
)

PHASE: tuple[Problem, ...] = (
    wave("travelling", "a wave in place and time, 10 and 56 periods",
         lambda xp, t, x: xp.sin(12 * x - 35 * t),
         t=(0, 10), x=(0, 5)),
    wave("warble", "24 periods whose phase swings",
         lambda xp, t: xp.cos(6 * t + 1.3 * xp.sin(1.1 * t)),
         "even", t=(0, 25)),
)

OFFSET: tuple[Problem, ...] = (
    wave("sunspots", "11 periods in whole years",
         lambda xp, year: 80 + 55 * xp.cos(2 * xp.pi * (year - 1905) / 11.07),
         "whole", year=(1900, 2020)),
    wave("daily-round", "8 days by the hour, with a trend",
         lambda xp, hour: (
             3 * xp.cos(2 * xp.pi * (hour - 100006) / 24) + 0.02 * (hour - 100000)),
         hour=(100000, 100200)),
)
# fmt: on

KINDS: Kinds = hidden(
    "unseen-wave",
    {
        "trend": TREND,
        "two": TWO,
        "product": PRODUCT,
        "phase": PHASE,
        "offset": OFFSET,
    },
)
