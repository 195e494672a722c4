"""Fast waves to work with; there are as many of every kind that are kept apart."""

from eqlearn.problems.definition import Problem
from eqlearn.problems.textbook.entry import Kinds, wave

# fmt: off
TREND: tuple[Problem, ...] = (
    wave("hum-and-drift", "a line and a wave, 17 periods",
         lambda xp, t: 0.3 * t + 4 * xp.sin(2.1 * t + 0.5),
         "even", t=(0, 50)),
    wave("moon-on-parabola", "a parabola and the moon, 20 periods in whole days",
         lambda xp, day: 2e-5 * day**2 + 2 * xp.sin(2 * xp.pi * day / 29.53 + 1.1),
         "whole", day=(0, 600)),
)

TWO: tuple[Problem, ...] = (
    wave("two-cycles", "36 and 15 periods about a level, in whole numbers",
         lambda xp, n: (
             10 + 3 * xp.sin(2 * xp.pi * n / 11.2)
             + 1.4 * xp.cos(2 * xp.pi * n / 27.3)),
         "whole", n=(0, 400)),
    wave("two-tones", "11 and 18 periods",
         lambda xp, t: xp.sin(6.9 * t) + 0.6 * xp.sin(11.3 * t + 1),
         "even", t=(0, 10)),
)

PRODUCT: tuple[Problem, ...] = (
    wave("amplitude-modulation", "100 periods in an envelope of 8",
         lambda xp, t: (1 + 0.5 * xp.cos(0.7 * t)) * xp.sin(9 * t),
         t=(0, 70)),
    wave("swelling", "15 periods that grow, dense at first",
         lambda xp, t: t * xp.sin(8.1 * t + 0.4),
         "crowded", t=(0, 12)),
)

PHASE: tuple[Problem, ...] = (
    wave("frequency-given", "up to 30 periods, the frequency an input",
         lambda xp, t, f: xp.sin(2 * xp.pi * f * t + 0.7),
         t=(0, 5), f=(2, 6)),
    wave("squared", "a squared sine, 45 periods",
         lambda xp, x: 2.2 * xp.sin(14 * x + 0.8) ** 2,
         x=(0, 10)),
)

OFFSET: tuple[Problem, ...] = (
    wave("warming-seasons", "20 years with seasons",
         lambda xp, year: (
             15 + 9 * xp.sin(2 * xp.pi * (year - 0.3)) + 0.4 * (year - 2000)),
         year=(2000, 2020)),
    wave("year-and-moon", "4 years and 47 moons in whole days",
         lambda xp, day: (
             10 + 6 * xp.cos(2 * xp.pi * (day - 44100) / 365.25)
             + 2 * xp.sin(2 * xp.pi * day / 29.53)),
         "whole", day=(44000, 45400)),
)
# fmt: on

KINDS: Kinds = {
    "trend": TREND,
    "two": TWO,
    "product": PRODUCT,
    "phase": PHASE,
    "offset": OFFSET,
}
