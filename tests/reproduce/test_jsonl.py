import math
from pathlib import Path

import pytest

from eqlearn.reproduce.jsonl import Line, append_line, number, whole_lines


@pytest.mark.parametrize(
    ("value", "written"),
    [(1.23456, 1.235), (0.0, 0.0), (1e-9, 1e-9), (math.inf, None), (math.nan, None)],
)
def test_numbers_are_short_and_finite(value: float, written: float | None) -> None:
    assert number(value) == written


def test_lines_are_read_as_they_were_added(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    assert list(whole_lines(path)) == []
    lines: list[Line] = [{"n": 1, "name": "größe"}, {"n": None}]
    for line in lines:
        append_line(path, line)
    assert list(whole_lines(path)) == lines


def test_a_line_cut_off_in_writing_is_left_out_and_stays_alone(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    append_line(path, {"n": 1})
    with path.open("ab") as file:
        file.write(b'{"n": ')
    append_line(path, {"n": 3})
    assert list(whole_lines(path)) == [{"n": 1}, {"n": 3}]


def test_what_json_cannot_say_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError):
        append_line(tmp_path / "lines.jsonl", {"n": math.inf})
