"""The README's examples run, and say what they promise."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"


def examples() -> list[str]:
    text = README.read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def test_the_first_example_finds_the_equation(
    capsys: pytest.CaptureFixture[str],
) -> None:
    exec(compile(examples()[0], "README.md", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "y = sin(pi*x1)/(x2**2 + 1)"
    assert lines[-1].startswith("no pole: the denominator stays above")


def test_motion_is_learned_from_its_course(capsys: pytest.CaptureFixture[str]) -> None:
    known: dict[str, object] = {}
    exec(compile(examples()[1], "README.md", "exec"), known)
    assert capsys.readouterr().out == "dlevel/dt = -level/2\n"


def test_dynamics_are_learned_from_a_rollout(
    capsys: pytest.CaptureFixture[str],
) -> None:
    # A few attempts are enough to see that it runs; all of them take half a minute.
    short = examples()[2].replace(
        "EquationLearner()", "EquationLearner(max_attempts=4, n_jobs=1)"
    )
    exec(compile(short, "README.md", "exec"), {})
    assert "d(x)/dt = x_dot\n" in capsys.readouterr().out
