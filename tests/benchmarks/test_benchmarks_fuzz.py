"""The campaign itself: the same number, the same case; it finds what is there."""

import random
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import fuzz
from benchmarks.fuzz_cases import damaged, formula, model_text, table_text
from benchmarks.fuzz_commands import LINES, command_line
from eqlearn.cli.main import app
from eqlearn.reproduce.jsonl import whole_lines

MODEL = (Path(__file__).parents[1] / "model" / "version-1.json").read_bytes()


@pytest.fixture(autouse=True)
def alarm() -> Iterator[None]:
    before = signal.signal(signal.SIGUSR1, fuzz._hang)
    yield
    signal.signal(signal.SIGUSR1, before)


def test_a_number_tells_all_of_a_case() -> None:
    makers = (table_text, formula, command_line, lambda rng: model_text(rng, MODEL))
    for make in makers:
        assert make(random.Random(5)) == make(random.Random(5))
    assert damaged(random.Random(1), MODEL) != damaged(random.Random(2), MODEL)


def test_tables_of_one_round_are_read_or_refused(tmp_path: Path) -> None:
    out = tmp_path / "fuzz.jsonl"
    assert fuzz.one_round(0, tmp_path, ["tables"], out) == 0
    (line,) = whole_lines(out)
    assert line["cases"] == {"tables": fuzz.CASES["tables"]} and line["found"] == {}


def test_every_command_is_tried() -> None:
    """But those that only start others, or would not end in seconds."""
    tried = {command_line(random.Random(number))[0] for number in range(200)}
    known = app.registered_commands
    commands = {getattr(one.callback, "__name__", "") for one in known}
    assert tried == set(LINES) == commands - {"demo", "control"}


def test_formulas_are_read_or_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(fuzz.CASES, "formulas", 40)
    assert fuzz.one_round(0, tmp_path, ["formulas"], tmp_path / "fuzz.jsonl") == 0


def test_what_is_not_ours_is_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(case: fuzz.Case) -> str:
        if case.number == 0:
            raise KeyError("x")
        while True:
            pass

    monkeypatch.setitem(fuzz.KINDS, "tables", broken)
    monkeypatch.setitem(fuzz.CASES, "tables", 2)
    monkeypatch.setitem(fuzz.LONGEST, "tables", 0.1)
    out = tmp_path / "fuzz.jsonl"
    assert fuzz.one_round(0, tmp_path, ["tables"], out) == 2
    first, second, last = whole_lines(out)
    assert first["problem"] == "KeyError: 'x'" and "not done" in second["problem"]
    assert last["found"] == {"tables": 2}


def test_an_answer_of_several_lines_is_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert fuzz._ended(["show", "nothing"]) == ""
    assert fuzz._said("two\nlines") and not fuzz._said("one line")
