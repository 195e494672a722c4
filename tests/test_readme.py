"""The README's examples run, and say what they promise."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"


def test_the_examples_run(capsys: pytest.CaptureFixture[str]) -> None:
    fast, paper = re.findall(
        r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL
    )
    names: dict[str, object] = {}
    exec(compile(fast, "README.md", "exec"), names)
    assert capsys.readouterr().out == "sin(pi*x1)/(x2**2 + 1)\n"
    exec(compile(paper, "README.md", "exec"), names)
    assert capsys.readouterr().out.startswith("[0.0")
