"""Mistakes of `reproduce`; its experiments are tested in tests/reproduce."""

from pathlib import Path

import pytest
from command_lines import Command, check_mistake

AGAIN = "reproduce control --out new"
DIVISION = "reproduce division --out new"
NETWORKS = "reproduce networks --out new"

#: Command lines that cannot be carried out, and what the one line says.
MISTAKES = [
    ("reproduce contrl", "No such command 'contrl'. Did you mean 'control'? See eqle"),
    (f"{AGAIN} --experiments 0", "`--experiments` must be at least 1; got 0."),
    (f"{AGAIN} --sensor-noise a", "`--sensor-noise` must be standard deviations with"),
    (f"{AGAIN} --action-noise -1", "`--action-noise` must be standard deviations, 0 o"),
    (f"{AGAIN} --noise-rollouts 0", "`--noise-rollouts` must be at least 1; got 0."),
    (f"{AGAIN} --spread 0", "`--spread` must be a positive standard deviation; got 0."),
    (f"{AGAIN} --runs 0", "`--runs` must be at least 1; got 0."),
    (f"{AGAIN} --steps 0", "`--steps` must be at least 1; got 0."),
    (f"{AGAIN} --rollouts 0", "`--rollouts` must be numbers of rollouts, 1 or more"),
    (f"{AGAIN} --rollouts 1,b", "`--rollouts` must be whole numbers with commas betw"),
    (f"{AGAIN} --models svm", "`--models` must be one of 'eql', 'mlp', 'true'; got 's"),
    (f"{AGAIN} --planner cme", "got 'cme'. Did you mean 'cem'?"),
    (f"{AGAIN} --time 0", "`--time` must be a positive number of seconds; got 0.0."),
    (f"{AGAIN} --jobs 0", "`--jobs` must be a number of processes, or -1 for every c"),
    ("reproduce control --quick --out in.csv", "File exists: in.csv"),
    (f"{DIVISION} --seeds 0", "`--seeds` must be a whole number of at least 1; got"),
    (f"{DIVISION} --time soon", '`--time` must be seconds, or a text like "90s"'),
    (f"{DIVISION} --recipe slow", "`--recipe` must be one of 'fast', 'paper', 'ref"),
    (f"{DIVISION} --methods eureqa", "`--methods` must be one of 'eqlearn', 'eql', 'm"),
    (f"{DIVISION} --jobs 0", "`--jobs` must be a number of processes, or -1 for every"),
    (f"{NETWORKS} --problems F-9", "`--problems` must be the name of a problem; got"),
    (f"{NETWORKS} --length 2", "`--length` must be above 0 and at most 1; got 2.0"),
    (f"{NETWORKS} --seeds 1,b", "`--seeds` must be whole numbers with commas between"),
    (
        f"{NETWORKS} --initial wild",
        "`--initial` must be one of 'wide', 'released'; got",
    ),
    (
        f"{NETWORKS} --criteria v_int",
        "`--criteria` must be one of 'information', 'v_int_s'",
    ),
    ("reproduce divison", "No such command 'divison'. Did you mean 'division'? See"),
    ("reproduce division --out in.csv", "File exists: in.csv"),
]


@pytest.mark.parametrize(("line", "said"), MISTAKES, ids=[line for line, _ in MISTAKES])
def test_a_mistake_gets_one_line_and_leaves_nothing(
    line: str, said: str, here: Path, command: Command
) -> None:
    check_mistake(line, said, here, command)
