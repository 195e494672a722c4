"""The README is short, and all of its commands and examples run."""

import re
from pathlib import Path

import pytest
from command_lines import Command
from page_blocks import ROOT, blocks, commands

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_is_short() -> None:
    assert len(README.splitlines()) < 150


def test_what_it_points_to_is_there() -> None:
    places = re.findall(r"\]\(([\w./-]+)\)", README)
    assert len(places) > 15
    assert [place for place in places if not (ROOT / place).exists()] == []


def test_its_targets_of_make_are_there() -> None:
    asked = re.findall(r"\bmake (\w+)", README)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert {"demo", "test", "docs"} <= set(asked)
    assert all(re.search(rf"^{target}:", makefile, re.M) for target in asked)


def test_its_examples_say_what_they_promise(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: Command,
) -> None:
    monkeypatch.chdir(tmp_path)
    python = [block.text for block in blocks("README.md") if block.language == "python"]
    decay, from_table, fraction, motion = python
    known: dict[str, object] = {}
    exec(compile(decay, "README.md", "exec"), known)
    exec(compile(from_table, "README.md", "exec"), known)
    said = capsys.readouterr().out.splitlines()
    decay_found = r"celsius = 21\.\d+ \+ 61\.\d+\*exp\(-0\.07\d*\*minutes\)"
    assert re.fullmatch(decay_found, said[0])
    assert said[-1].startswith("This equation is ")

    exec(compile(fraction, "README.md", "exec"), known)
    exec(compile(motion, "README.md", "exec"), known)
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "y = sin(pi*x1)/(x2**2 + 1)"
    assert said[1].startswith("no pole: the denominator stays above")
    assert said[2] == "dlevel/dt = -level/2"

    [console] = [one.text for one in blocks("README.md") if one.language == "console"]
    for program, *words in commands(console):
        assert program == "eqlearn"
        assert command(*words).code == 0
    assert (tmp_path / "tea-run" / "report.html").exists()
