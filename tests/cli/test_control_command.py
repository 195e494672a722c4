"""Mistakes of `control`; what it does is told in tests/test_control_session.py."""

from pathlib import Path

import pytest
from command_lines import Command, check_mistake

PENDULUM = "control Pendulum-v1 --rollout-steps 20 --out new"

#: Command lines that cannot be carried out, and what the one line says.
MISTAKES = [
    ("control", "`ENV` must be the id of a Gymnasium environment; got None. Or name"),
    ("control Pendulm-v1", "Did you mean: `Pendulum`?"),
    ("control 'x y'", "`ENV` must be the id of a registered environment, or module:id"),
    ("control '\x1b[2J'", r"got '\x1b[2J'. Error: Malformed"),
    ("control no:Robot-v0", "ModuleNotFoundError: No module named 'no'."),
    ("control broken:Robot-v0", "RuntimeError: not today."),
    ("control CartPole-v1", "`ENV` must be an environment with a Box of actions; got"),
    (f"{PENDULUM} --cost robot", "`--cost` must be module:function, like my_robot:c"),
    (f"{PENDULUM} --cost robto:cost", "`--cost` must be in a module that can be impor"),
    (f"{PENDULUM} --cost broken:cost", "got 'broken:cost'. RuntimeError: not today."),
    (f"{PENDULUM} --cost robot:number", "`robot` has no function of this name."),
    (f"{PENDULUM} --state-of robot:two", "`--state-of` must be a function to a list "),
    (f"{PENDULUM} --state-of robot:wrong", "got 'robot:wrong'. IndexError: index 9 i"),
    (f"{PENDULUM} --states a,b", "`--states` must be 3 different names; got ('a', 'b"),
    (f"{PENDULUM} --angles theta", "`--angles` must be one of 's0', 's1', 's2'"),
    (f"{PENDULUM} --hold 0", "`--hold` must be at least 1; got 0."),
    (f"{PENDULUM} --spread -1", "`--spread` must be a standard deviation, 0 or more"),
    (f"{PENDULUM} --dt 0", "`--dt` must be a positive number of seconds; got 0.0."),
    (f"{PENDULUM} --rollouts 0", "`--rollouts` must be at least 1; got 0."),
    (f"{PENDULUM} --rollout-steps 4", "`--rollouts` must be long enough for 10 sample"),
    (f"{PENDULUM} --steps 0", "`--steps` must be at least 1; got 0."),
    (f"{PENDULUM} --planner mpp", "got 'mpp'. Did you mean 'mppi'?"),
    (f"{PENDULUM} --horizon 0", "`--horizon` must be an integer of at least 1; got 0"),
    (f"{PENDULUM} --time soon", '`--time` must be seconds, or a text like "90s"'),
    (f"{PENDULUM} --jobs 0", "`--jobs` must be a number of processes, or -1 for ever"),
    (f"{PENDULUM} --model ohm-rum", "got none of this name. Did you mean `ohm-run`?"),
    (f"{PENDULUM} --model ohm-run", "`--model` must be of 3 states and 1 actions, as "),
    ("control Pendulum-v1 --out in.csv", "`--out` must be a place to write"),
    ("control --log none.csv", "`none.csv` must be an existing file"),
    ("control --log in.csv", "`--states` must be names of columns; got []. None is "),
    ("control --log in.csv --states voltage --actions x --dt 1", "must be one of"),
    ("control --log in.csv --states voltage --dt 1", "learned by `eqlearn dynamics`."),
]


@pytest.mark.parametrize(("line", "said"), MISTAKES, ids=[line for line, _ in MISTAKES])
def test_a_mistake_gets_one_line_and_leaves_nothing(
    line: str, said: str, here: Path, command: Command
) -> None:
    check_mistake(line, said, here, command)
