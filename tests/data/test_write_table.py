"""What is written can be read again, and nothing is ever half-written."""

import csv
import os
import stat
from pathlib import Path
from typing import IO

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eqlearn.data.read import FORMATS, read_table
from eqlearn.data.table import Table
from eqlearn.data.write_table import WRITERS, write_table
from eqlearn.errors import EqlearnError

#: Formats that keep every digit and every name; a sheet keeps 16 digits.
WRITABLE = [suffix for suffix in WRITERS if suffix != ".xlsx"]
VALUES = np.random.default_rng(0).normal(size=(7, 2)) * 10.0 ** np.arange(7)[:, None]
XY = Table(("x", "y"), VALUES, "t.csv")

HOSTILE = (
    "<script>alert(1)</script>",
    "</math>",
    'a"b',
    "a,b;c\td",
    "two\nlines",
    "two\r\nlines",
    "\x1b[31m",
    "\u202eright",
    "\ufeffmark",
    " blanks ",
    "",
    "=cmd|'/C calc'!A0",
    "../../etc/passwd",
    "file",
    "x.npy",
    "#comment",
    "%s{{7*7}}",
    "🙂",
    "1",
    "n" * 10_000,
)


def test_what_can_be_read_can_be_written() -> None:
    assert list(WRITERS) == list(FORMATS)


@pytest.mark.parametrize("suffix", WRITABLE)
def test_predictions_come_last(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"out{suffix}"
    predicted = np.sin(VALUES[:, 0]) / 3
    names = write_table(path, XY, {"y": predicted, "y_2": predicted, "z": predicted})
    again = read_table(path)
    assert again.names == names == ("x", "y", "y_2", "y_2_2", "z")
    np.testing.assert_array_equal(again.values[:, :2], VALUES)
    np.testing.assert_array_equal(again.values[:, 4], predicted)
    assert again.warnings == ()
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("suffix", WRITABLE)
def test_hostile_names_come_back(suffix: str, tmp_path: Path) -> None:
    table = Table(HOSTILE, np.ones((3, len(HOSTILE))), "t.csv")
    write_table(tmp_path / f"out{suffix}", table)
    assert read_table(tmp_path / f"out{suffix}").names == HOSTILE


@settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    names=st.lists(
        st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])),
        min_size=1,
        max_size=4,
        unique=True,
    ),
    separator=st.sampled_from([".csv", ".tsv"]),
)
def test_the_csv_module_reads_any_name(
    names: list[str], separator: str, tmp_path: Path
) -> None:
    path = tmp_path / f"out{separator}"
    write_table(path, Table(tuple(names), np.ones((2, len(names))), "t.csv"))
    with open(path, encoding="utf-8", newline="") as file:
        rows = csv.reader(file, delimiter="," if separator == ".csv" else "\t")
        assert next(rows) == names
    # A single name may be blank, or all of them numbers: no header to our reader.
    more = tuple(dict.fromkeys(["one more", *names]))
    write_table(path, Table(more, np.ones((2, len(more))), "t.csv"))
    assert read_table(path).names == more


def test_predictions_that_are_no_numbers_are_written(tmp_path: Path) -> None:
    write_table(tmp_path / "out.csv", XY, {"z": np.full(7, np.nan)})
    assert (tmp_path / "out.csv").read_text().splitlines()[1].endswith(",nan")


@pytest.mark.parametrize(
    ("file", "extra", "refused"),
    [
        ("out.xls", {}, "end in one of .csv.*; got .xls"),
        ("out", {}, "end in one of .csv.*; got no ending"),
        ("no/out.csv", {}, "be writable; got No such file"),
        ("folder.csv", {}, "be a file; got a directory"),
        ("pipe.csv", {}, "be a file; got a pipe"),
        ("out.csv", {"z": np.ones(6)}, "`z` must be one number for each of the 7 rows"),
        ("out.csv", {"z": np.ones((7, 1))}, "`z` must be one number for each"),
        ("out.csv", {"a\0b": np.ones(7)}, "without NUL characters"),
    ],
)
def test_refusals_leave_nothing_behind(
    file: str, extra: dict[str, np.ndarray], refused: str, tmp_path: Path
) -> None:
    (tmp_path / "folder.csv").mkdir()
    os.mkfifo(tmp_path / "pipe.csv")
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(EqlearnError, match=refused):
        write_table(tmp_path / file, XY, extra)
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.parametrize("problem", [OSError(28, "No space left"), KeyboardInterrupt()])
def test_an_interrupted_write_keeps_the_old_file(
    problem: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write_some(file: IO[bytes], *_: object) -> None:
        file.write(b"x,y\n1")
        raise problem

    monkeypatch.setitem(WRITERS, ".csv", write_some)
    (tmp_path / "out.csv").write_text("old")
    with pytest.raises((EqlearnError, KeyboardInterrupt)):
        write_table(tmp_path / "out.csv", XY)
    assert os.listdir(tmp_path) == ["out.csv"]
    assert (tmp_path / "out.csv").read_text() == "old"


def test_who_reads_the_old_file_goes_on_reading_it(tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text("old")
    with open(tmp_path / "out.csv") as reader:
        write_table(tmp_path / "out.csv", XY)
        assert reader.read() == "old"


def test_a_link_and_a_mode_stay(tmp_path: Path) -> None:
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "real.csv").chmod(0o640)
    (tmp_path / "link.csv").symlink_to("real.csv")
    write_table(tmp_path / "link.csv", XY)
    assert (tmp_path / "link.csv").is_symlink()
    assert stat.S_IMODE((tmp_path / "real.csv").stat().st_mode) == 0o640
    np.testing.assert_array_equal(read_table(tmp_path / "real.csv").values, VALUES)


def test_the_link_of_somebody_else_is_replaced(tmp_path: Path) -> None:
    """R-29: who plants a link does not choose what is overwritten."""
    if os.getuid() != 0:
        pytest.skip("only root can make files of others")
    (tmp_path / "precious").write_text("old")
    link = tmp_path / "out.csv"
    link.symlink_to("precious")
    os.lchown(link, 65534, 65534)
    write_table(link, XY)
    assert (tmp_path / "precious").read_text() == "old"
    assert not link.is_symlink()
    np.testing.assert_array_equal(read_table(link).values, VALUES)
