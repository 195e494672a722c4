"""What is read from a file, what is refused, and the one line that says so.

The verdict of every odd file is fixed in a table: a refusal or a warning by pattern, or
silent acceptance.
"""

import re
import sys
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from patience import within
from table_cases import BINARY, TEXT, WHOLE, Case, npz_of, parquet_of, put

from eqlearn.data import delimited, read, table
from eqlearn.data.cells import number
from eqlearn.data.formats.text_file import text_file
from eqlearn.data.read import FORMATS, read_table
from eqlearn.data.table import Table
from eqlearn.errors import EqlearnError, printable


@pytest.mark.parametrize("case", TEXT + BINARY, ids=lambda case: case.name)
def test_verdict(case: Case, tmp_path: Path) -> None:
    path = put(case, tmp_path)
    with within(3):
        if case.refused:
            with pytest.raises(EqlearnError, match=case.refused) as caught:
                read_table(path, case.only)
            line = str(caught.value)
            assert line.isprintable()  # one line, and no control character
            assert len(line) < 500
            named = f"`{printable(path, 160)}` must "
            assert case.only is not None or line.startswith(named)
        else:
            table = read_table(path, case.only)
            assert table.source == path
            assert table.values.shape[1] == len(table.names)
            assert np.isfinite(table.values).all()
            assert bool(table.warnings) == bool(case.warned)
            assert re.search(case.warned, "".join(table.warnings))
            assert all(line.isprintable() for line in table.warnings)
            if case.values:
                np.testing.assert_array_equal(table.values, case.values)


@pytest.mark.parametrize(
    "wrong",
    [
        Case("refused, not read", b"x,y\n1,a\n"),
        Case("read, not refused", b"x,y\n1,2\n", "a number"),
        Case("another refusal", b"x,y\n1,a\n", "in row 3"),
        Case("silent, not warned", b"x,y\n1,2\n", warned="semicolons"),
        Case("warned, not silent", b"x;y\n1;2\n"),
        Case("another warning", b"x;y\n1;2\n", warned="by tabs"),
        Case("other numbers", b"x,y\n1,2\n", values=[[1.0, 3.0]]),
    ],
    ids=lambda case: case.name,
)
def test_a_wrong_verdict_is_found(wrong: Case, tmp_path: Path) -> None:
    with pytest.raises((AssertionError, EqlearnError, pytest.fail.Exception)):
        test_verdict(wrong, tmp_path)


def test_there_are_enough_odd_files() -> None:
    assert sum(bool(case.refused) for case in TEXT + BINARY) >= 60


def test_an_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    # Not by the file's mode, which does not stop a superuser.
    monkeypatch.setattr(read, "open", refuse, raising=False)
    (tmp_path / "t.csv").write_bytes(b"x,y\n1,2\n")
    with pytest.raises(EqlearnError, match="be readable; got Permission denied. Check"):
        read_table(tmp_path / "t.csv")


def test_parquet_without_pyarrow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "t.parquet").write_bytes(WHOLE)
    with pytest.raises(EqlearnError, match=r'pip install "eqlearn\[parquet\]"'):
        read_table(tmp_path / "t.parquet")


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("t.csv", b"x,y\n" + b"1,2\n" * 100),
        ("t.parquet", parquet_of(x=np.ones(200))),
        ("t.npz", npz_of(x=np.ones(200))),
    ],
)
def test_a_table_beyond_memory(
    file: str, content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / file).write_bytes(content)
    monkeypatch.setattr(table, "_memory", lambda: 3 * 8 * 200 - 1.0)
    with pytest.raises(EqlearnError, match="fit three times into the memory"):
        read_table(tmp_path / file)
    monkeypatch.setattr(table, "_memory", lambda: 3 * 8 * 300.0)
    assert read_table(tmp_path / file).values.size == 200


def test_an_archive_is_measured_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.savez_compressed(tmp_path / "t.npz", x=np.zeros(100_000))
    monkeypatch.setattr(table, "_memory", lambda: 1e6)
    monkeypatch.setattr(np, "load", lambda *_, **__: pytest.fail("unpacked"))
    with pytest.raises(EqlearnError, match="into the memory"):
        read_table(tmp_path / "t.npz")


def test_names_are_kept_as_they_are(tmp_path: Path) -> None:
    content = '"a\r\nb", x ,"c,""d""","<script>",=cmd,𝛼,"\x1b[1m"\n1,2,3,4,5,6,7\n'
    (tmp_path / "t.csv").write_bytes(content.encode())
    names = ("a\r\nb", " x ", 'c,"d"', "<script>", "=cmd", "𝛼", "\x1b[1m")
    assert read_table(tmp_path / "t.csv").names == names


def test_a_name_of_two_lines_is_one_row(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b'"a\nb",y\n1,2\n1,x\n')
    with pytest.raises(EqlearnError, match="'x' in row 3, column `y`"):
        read_table(tmp_path / "t.csv")


@pytest.mark.parametrize("quote", ["", '"'])
def test_blocks_join(
    quote: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delimited, "_BLOCK", 64)
    expected = np.random.default_rng(0).normal(size=(200, 3))
    lines = [",".join(f"{quote}{v!r}{quote}" for v in row) for row in expected.tolist()]
    path = tmp_path / "t.csv"
    path.write_text("\n\nx,y,z\n" + "\n".join(lines))
    np.testing.assert_array_equal(read_table(path).values, expected)
    lines[100] = ""
    lines[150] = "1,2,oops"
    path.write_text("\n\nx,y,z\n" + "\n".join(lines))
    with pytest.raises(EqlearnError, match="'oops' in row 154, column `z`"):
        read_table(path)


def test_a_file_that_grows_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "t.csv").write_bytes(b"x,y\n1,2\n3,4\n")
    before = replace(text_file(str(tmp_path / "t.csv")), n_lines=1)
    monkeypatch.setattr(delimited, "text_file", lambda *_: before)
    with pytest.raises(EqlearnError, match="must stay as it is; got a change"):
        read_table(tmp_path / "t.csv")


@settings(max_examples=150, deadline=None)
@given(
    cell=st.text("0123456789+-eE. ", min_size=1, max_size=8).filter(str.strip),
    decimal=st.sampled_from(".,"),
)
def test_others_take_what_is_a_number_and_no_more(cell: str, decimal: str) -> None:
    cell = cell.replace(".", decimal)
    expected = number(cell, decimal)
    for few in (0, 2**20):  # by pandas and by NumPy
        with patch.object(delimited, "_FEW", few):
            found = delimited._plain_numbers(f"1;2\n3;{cell}\n".encode(), ";", decimal)
        fast = np.nan if found is None else found[1, 1]
        assert fast == expected or not (np.isfinite(fast) or np.isfinite(expected))


@settings(max_examples=100, deadline=None)
@given(value=st.floats(allow_nan=False, allow_infinity=False))
def test_every_digit_counts(value: float) -> None:
    for few in (0, 2**20):  # by pandas and by NumPy
        with patch.object(delimited, "_FEW", few):
            found = delimited._plain_numbers(f"{value!r};1\n".encode(), ";", ".")
        assert found is not None
        assert found[0, 0] == value


VALID = b'x,"y z",t\n' + b'1.5,-2e3,"7"\n0.25,3,4\n\n' * 4
SPICE = [b'"', b",", b";", b"\t", b"\n", b"\r", b"\0", b"#", b"e", b"1e999", b" "]
SPICE += [
    b"\xff",
    b"\xef\xbb\xbf",
    b"nan",
    b"-",
    b".",
    b"9" * 400,
    b"'",
    "\u202e".encode(),
]
FUZZ = settings(
    max_examples=200,
    deadline=2000,  # ms
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def table_or_refusal(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    try:
        found = read_table(path)
    except EqlearnError as error:
        assert str(error).isprintable()
        return
    assert isinstance(found, Table)
    assert np.isfinite(found.values).all()
    assert len(set(found.names)) == found.values.shape[1]
    assert len(found.values) >= 1


@FUZZ
@given(content=st.binary(max_size=200), suffix=st.sampled_from(sorted(FORMATS)))
def test_any_bytes(content: bytes, suffix: str, tmp_path: Path) -> None:
    table_or_refusal(tmp_path / f"t{suffix}", FORMATS[suffix].signature + content)


@st.composite
def mutated(draw: st.DrawFn, content: bytes) -> bytes:
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(content)))
        end = start + draw(st.integers(0, 5))
        put_in = draw(st.sampled_from(SPICE) | st.binary(max_size=3))
        content = content[:start] + put_in + content[end:]
    return content


@FUZZ
@given(content=mutated(VALID), suffix=st.sampled_from([".csv", ".tsv", ".dat"]))
def test_mutated_text(content: bytes, suffix: str, tmp_path: Path) -> None:
    table_or_refusal(tmp_path / f"t{suffix}", content)


@FUZZ
@given(content=mutated(npz_of(x=[1.0, 2.0], y=[3, 4])))
def test_mutated_npz(content: bytes, tmp_path: Path) -> None:
    table_or_refusal(tmp_path / "t.npz", content)


@pytest.mark.parametrize("length", range(4, len(WHOLE), 37))
def test_cut_parquet(length: int, tmp_path: Path) -> None:
    table_or_refusal(tmp_path / "t.parquet", WHOLE[:length])


@pytest.mark.parametrize(
    ("cell", "is_said"),
    [
        ("9007199254740993", True),
        ("-90071992547409931", True),
        ("9007199254740992", False),
        ("1e300", False),
        ("12345678901234567890.5", False),
        ("1000000000000000000000", False),
        ("0.12345678901234567", False),
    ],
)
def test_digits_that_are_lost_are_said(
    tmp_path: Path, cell: str, is_said: bool
) -> None:
    file = tmp_path / "long.csv"
    file.write_text(f"x,y\n1,{cell}\n2,1e30\n")
    remarks = read_table(str(file)).warnings
    assert any("beyond 2^53 are rounded" in one for one in remarks) == is_said
