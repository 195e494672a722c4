"""What users get wrong in saying what they know: one line that says what to do."""

from pathlib import Path

import numpy as np
import pytest
from command_lines import Command, check_mistake, write_csv

FIT = "fit tank.csv --target level --time 1"
SI = "--dimensions 'x: m, t: s, level: m'"
CONSTRAINTS = [
    ("positiv", "got 'positiv'. Did you mean 'positive'?"),
    ("incresing in x", "Did you mean 'increasing'?"),
    ("increasing in q", "must be one of 'x', 't'; got 'q'"),
    ("increasing in X", "Did you mean 'x'?"),
    ("increasing", "Say of which, like 'increasing' followed by in x."),
    ("convex in", 'must be texts like "positive"'),
    ("f(0) = 0", "must be a place of 2 numbers, or by name, like f(x=0) = 0"),
    ("f(x=0)", 'must be texts like "positive"'),
    ("f(x=0, 1) = 2", "must be a place by name throughout, like f(x=0, z=1)"),
    ("f(x=0, x=1) = 2", "must be a place that names each input once"),
    ("f(x=high) = 2", "must be at numbers, inf or -inf; got 'high'"),
    ("level <= ", 'must be texts like "positive"'),
    ("level <= abc", "must be with a number; got 'abc'"),
    ("0 <= level <= -1", "must be bounds like 0 <= y <= 1"),
    ("0 <= level >= 1", "must be bounds like 0 <= y <= 1"),
    ("x > 0", "must be one of 'f', 'level', 'y'; got 'x'"),
    ("level -> 0", "Say where, as in y -> 0 as x -> inf."),
    ("level -> 0 as x -> 3", "Of a value at a place, say f(x=0) = 1."),
    ("positive for x=0", "must be for ranges like x=0:5; got 'x=0'"),
    ("positive for x=5:0", "must be for ranges LOW:HIGH with LOW below HIGH"),
    ("positive for q=0:1", "must be one of 'x', 't'; got 'q'"),
    ("depth: positive", "must be one of 'level'; got 'depth' before the :"),
    ("", 'must be texts like "positive"'),
]
DIMENSIONS = [
    ("x: m, t: s", "must be given for every column; got 'none for level'. Give its un"),
    ("x: m, t: furlong, level: m", "'furlong' is not known. Write it in SI units."),
    ("x: m, t: °C, level: m", "°C is not proportional. Convert it to K."),
    ("x: m/, t: s, level: m", "A unit is missing at its end."),
    ("x: m^, t: s, level: m", "'^' is no part of a unit."),
    ("x: , t: s, level: m", "Write 1 for a pure number."),
    ("x m, t s", "must be units by column, like"),
    ("x: m, x: s, t: s, level: m", "must be given once for each column; got 'x' tw"),
    ("q: m", "must be one of 'x', 't', 'level'; got 'q'"),
    ("", "must be units by column, like"),
]
CONSTANTS = [
    ("gg", "Did you mean 'G'?"),
    ("g=", 'must be a number with a unit, like "g = 9.81 m/s^2"'),
    ("'g = fast'", 'must be a number with a unit, like "g = 9.81 m/s^2"'),
    ("'v = 5 foo'", "'foo' is not known. Did you mean 'foot'?"),
    ("'v = -5 m'", "must be above 0; got '-5 m' for v"),
    ("g,g", "must be named once each"),
]
FORMS = [
    ("A*exp(-f(x)", "a closing bracket is missing"),
    ("f(x))", "')' does not fit there"),
    ("A*x", "Formulas without such a function are given by `--guess`."),
    ("f()", "a number, a name or a bracket is missing before ')'"),
    ("f", "must be a form like A*exp(-f(x)) + c"),
    ("f(2)", "Name the columns it depends on."),
    ("f(q)", "got 'q' as an argument of f"),
    ("f(x, x)", "must be with different arguments of f"),
    ("f(f(x))", "must be without f inside of f"),
    ("f(x) + f(t)", "Name the other function otherwise."),
    ("tanhh(x)", "Did you mean 'tanh'?"),
    ("f(x) + rate*t", "got 'rate' in 'f(x) + rate*t', where constants are single lett"),
    ("sin(x, t) + f(x)", "must be with 1 argument of sin"),
    ("depth = f(x)", "must be one of 'level'; got 'depth' before the ="),
    ("2f(x)", "At letter 2: 'f' does not fit there."),
    ("", "must be a form like A*exp(-f(x)) + c"),
]
GUESSES = [
    ("a*sin(b*x", "a closing bracket is missing"),
    ("sinn(x)", "Did you mean 'sin'?"),
    ("a*X", "Did you mean 'x'?"),
    ("rate*x", "must be one of 'x', 't'; got 'rate' in 'rate*x'"),
    ("depth = a*x", "must be one of 'level'; got 'depth' before the ="),
    ("old.json", "must be formulas, or paths of runs and model files that are there"),
    ("old/", "must be formulas, or paths of runs and model files that are there"),
    ("log(-1 - x*x)", "must be formulas that have values on the data"),
]
OTHERS = [
    ("--groups subjct", "Did you mean 'subject'?"),
    ("--groups x", "must be groups of several rows each"),
    ("--constants g", "Give the units of the columns by `--dimensions`, too."),
    ("--loss hubert", "Did you mean 'huber'?"),
    ("--time soon", "`--time` must be"),
    ("--exclude subjct", "Did you mean 'subject'?"),
    ("--domain x=5:1", "must be NAME=LOW:HIGH with LOW below HIGH"),
]
MISTAKES = [
    *((f"--constraint '{text}' --exclude subject", said) for text, said in CONSTRAINTS),
    *((f"--dimensions '{text}' --exclude subject", said) for text, said in DIMENSIONS),
    *((f"{SI} --exclude subject --constants {text}", said) for text, said in CONSTANTS),
    *((f"--form '{text}' --exclude subject", said) for text, said in FORMS),
    *((f"--guess '{text}' --exclude subject", said) for text, said in GUESSES),
    *((options, said) for options, said in OTHERS),
]


@pytest.fixture(scope="module")
def tank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tank")
    x, t = np.random.default_rng(0).uniform(1, 3, (2, 40))
    subject = np.arange(40) % 4
    write_csv(folder / "tank.csv", subject=subject, x=x, t=t, level=x * t)
    return folder


@pytest.mark.parametrize(("options", "said"), MISTAKES, ids=[o for o, _ in MISTAKES])
def test_a_mistake_gets_one_line_that_says_what_to_do(
    options: str,
    said: str,
    tank: Path,
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tank)
    check_mistake(f"{FIT} {options}", said, tank, command)
    assert not list(tank.glob("*-run"))
