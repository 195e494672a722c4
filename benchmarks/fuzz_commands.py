"""Command lines that `benchmarks.fuzz` tries: mostly right, and short of time.

They are run where table.csv, far.csv, log.csv and two runs of table.csv are.
"""

import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from benchmarks.fuzz_cases import formula

#: An option that is given a random formula.
FORMULA = "a formula"
_SEEDS = ("0", "-1", "4294967295", "4294967296", "1.5", "x")
_TIMES = ("1s", "0.01s", "0", "-1s", "1e3", "nan", "9" * 400, "x")
_PLACES = ("run3", "", ".", "table.csv", "a\nb", "x" * 300, "/proc/none")
_FUNCTIONS = ("sin", "paper", "", "sine", "sin,sin", "exp,log", ",")
_JOBS = ("1", "0", "x", "-99")
_CANDIDATES = ("1", "2", "0", "9" * 30, "y=1", "y=1,y=2", "z=1", "=", "x", "")


class Line(NamedTuple):
    """What a command line of one command may be made of."""

    arguments: Sequence[Sequence[str]]  # values for each, the usual ones more often
    usual: Mapping[str, str]
    options: Mapping[str, Sequence[str]]
    flags: Sequence[str] = ()


_TABLE = (*("table.csv",) * 5, "none.csv", ".", "")
_RUN = (*("run",) * 5, "run/model.json", "none", ".", "", "table.csv")

LINES: dict[str, Line] = {
    "fit": Line(
        [_TABLE],
        {"--target": "y", "--time": "1s", "--jobs": "1", "--out": "run3"},
        {
            "--target": ("y", "y,a", "a,a", "", "z", "y,", "\\,", "Y", " y "),
            "--inputs": ("a", "a,b", "y", "", "b,b", "a,c"),
            "--exclude": ("a", "a,b", "y", "", "c"),
            "--categories": ("a", "y", "", "c", "a,b"),
            "--weights": ("b", "y", "c", ""),
            "--domain": (
                *"a=-1:1 a=-1e308:1e308 a=1:-1 c=0:1 a=nan:1 a=0:0 =0:1".split(),
                *"a=0:5e-324 a=1:2:3 a a=".split(),
            ),
            "--functions": _FUNCTIONS,
            "--recipe": ("fast", "Fast", "none"),
            "--depth": ("2", "0", "9" * 30, "2,3", "-1"),
            "--select": ("information", "v_int_s", "v_int_ex", "v_ranks", "best"),
            "--seed": _SEEDS,
            "--jobs": _JOBS,
            "--time": _TIMES,
            "--memory": ("800M", "0", "-1G", "1e400", "4 G", "nan", "x", "1"),
            "--scheduler": ("tcp://127.0.0.1:1", "tcp://", "x", ""),
            "--extrapolation": ("far.csv", "none.csv", "table.csv", "."),
            "--guess": (FORMULA, FORMULA, FORMULA, "run", "table.csv", "y = a"),
            "--out": _PLACES,
        },
        ("--json", "--quiet", "--overwrite", "--drop-missing"),
    ),
    "dynamics": Line(
        [(*("log.csv",) * 6, "table.csv", "none.csv")],
        {"--time": "t", "--states": "p,v", "--limit": "2s", "--out": "run3"},
        {
            "--time": ("t", "p", "", "z", "run"),
            "--states": ("p", "p,v", "t", "p,p", "", "z", "run"),
            "--inputs": ("u", "p", "", "z", "u,u", "t"),
            "--trajectory": ("run", "t", "p", "z", ""),
            "--known": ("p = v", "v = -p", "p", "z = 1", "=", "p = p/0", "p = q + 1"),
            "--functions": _FUNCTIONS,
            "--limit": _TIMES,
            "--seed": _SEEDS,
            "--jobs": _JOBS,
            "--out": _PLACES,
        },
        ("--json", "--quiet", "--second-order", "--discrete", "--hold"),
    ),
    "predict": Line(
        [_RUN, _TABLE],
        {},
        {
            "--interval": ("95", "1", "99.9", "0", "100", "nan", "-5", "x", "1e400"),
            "--candidate": _CANDIDATES,
            "--output": ("out.csv", "out.npz", "out.parquet", "", ".", "a\0b", "x.y"),
        },
    ),
    "compare": Line(
        [_RUN, (*("run2",) * 3, "run", "none")],
        {},
        {"--table": _TABLE},
    ),
    "export": Line(
        [_RUN],
        {"--to": "c"},
        {
            "--to": ("c", "sympy", "latex", "julia", "modelica", "C", "", "all"),
            "--digits": ("1", "17", "0", "18", "x", "-1"),
            "--candidate": _CANDIDATES,
            "--output": ("out.c", "", ".", "no/where", "table.csv/x"),
        },
    ),
    "report": Line([_RUN], {}, {"--candidate": _CANDIDATES}),
    "show": Line([_RUN], {}, {}, ("--json",)),
}
#: How often each is tried.
_WEIGHTS = {"fit": 6, "dynamics": 4, "predict": 3, "compare": 2}


def command_line(rng: random.Random) -> list[str]:
    """A command with up to three options that may be wrong."""
    names = list(LINES)
    name = rng.choices(names, [_WEIGHTS.get(one, 1) for one in names])[0]
    line = LINES[name]
    found = [name, *(rng.choice(values) for values in line.arguments)]
    chosen = dict(line.usual)
    most = min(3, len(line.options))
    for option in rng.sample(list(line.options), rng.randint(min(1, most), most)):
        value = rng.choice(line.options[option])
        chosen[option] = formula(rng) if value is FORMULA else value
    for option, value in chosen.items():
        found += [option, value]
    return found + rng.sample(line.flags, rng.randint(0, min(2, len(line.flags))))
