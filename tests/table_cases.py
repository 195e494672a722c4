"""Files that are tables, nearly tables, or no tables, each with its verdict."""

import gzip
import io
import os
import zipfile
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import feather, parquet

Content = bytes | Callable[[Path], object]


class Case(NamedTuple):
    """A file and its verdict: a refusal, a warning, or (both empty) neither."""

    name: str
    content: Content
    refused: str = ""
    warned: str = ""
    file: str = "t.csv"
    only: list[str] | None = None
    values: list[list[float]] | None = None


def parquet_of(**columns: Any) -> bytes:
    file = io.BytesIO()
    parquet.write_table(pa.table(columns), file)
    return file.getvalue()


def npz_of(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def npz_with_text() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("x", "no array")
    return file.getvalue()


def twice_named_parquet() -> bytes:
    file = io.BytesIO()
    parquet.write_table(pa.table([[1.0], [2.0]], names=["x", "x"]), file)
    return file.getvalue()


def feather_of(**columns: Any) -> bytes:
    file = io.BytesIO()
    feather.write_feather(pa.table(columns), file)
    return file.getvalue()


def zip_of(**files: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return file.getvalue()


XY, TABS = b"x,y\n1,2\n3,4\n", b"x\ty\n1\t2\n3\t4\n"
MAC = {"t.csv": XY, "__MACOSX/._t.csv": b"\0"}
WHOLE = parquet_of(x=[1.0, 2.0], y=[3.0, 4.0])
PLAIN = [[1.0, 2.0], [3.0, 4.0]]
LONG = b"9" * 2**20 + b"9"

TEXT = [
    Case("plain", b"x,y\n1,2\n3,4\n", values=PLAIN),
    Case("no last line end", b"x,y\n1,2\n3,4", values=PLAIN),
    Case("byte order mark", b"\xef\xbb\xbfx,y\n1,2\n3,4\n", values=PLAIN),
    Case("windows line ends", b"x,y\r\n1,2\r\n3,4\r\n", values=PLAIN),
    Case("old line ends", b"x,y\r1,2\r3,4\r", values=PLAIN),
    Case("mixed line ends", b"x,y\r\n1,2\n3,4\r", values=PLAIN),
    Case("blanks around cells", b"x,y\n 1, 2 \n3 ,\t4\n", values=PLAIN),
    Case("quoted numbers", b'x,y\n"1",2\n3,"4"\n', values=PLAIN),
    Case("blank lines at the end", b"x,y\n1,2\n3,4\n\n \n\n", values=PLAIN),
    Case("blank line first", b"\nx,y\n1,2\n3,4\n", values=PLAIN),
    Case("one row", b"x,y\n1,2\n", values=[[1.0, 2.0]]),
    Case("one column", b"x\n1\n2\n", values=[[1.0], [2.0]]),
    Case("exponents", b"x,y\n1e300,-1E-300\n+.5,5.\n"),
    Case("below the smallest", b"x,y\n1e-400,1\n", values=[[0.0, 1.0]]),
    Case("leading zeros", b"x,y\n007,-0\n", values=[[7.0, 0.0]]),
    Case("names are numbers but one", b"x,2\n1,2\n3,4\n", values=PLAIN),
    Case("tsv", b"x\ty\n1\t2\n3\t4\n", file="t.tsv", values=PLAIN),
    Case("blanks in .dat", b"  x  y\n  1  2\n  3 \t4 \n", file="t.dat", values=PLAIN),
    Case("commas in .txt", b"x,y\n1,2\n3,4\n", file="t.txt", values=PLAIN),
    Case("upper case ending", b"x,y\n1,2\n3,4\n", file="T.CSV", values=PLAIN),
    Case("text left out", b"a,x,y\nfoo,1,2\n,3,4\n", only=["x", "y"], values=PLAIN),
    Case("semicolons", b"x;y\n1;2\n3;4\n", warned="separated by semicolons"),
    Case("tabs in .csv", b"x\ty\n1\t2\n3\t4\n", warned="by tabs", values=PLAIN),
    Case("blanks in .csv", b"x y\n1 2\n3  4\n", warned="by blanks", values=PLAIN),
    Case("commas in .tsv", b"x,y\n1,2\n", file="t.tsv", warned="by commas"),
    Case(
        "decimal commas",
        b"x;y\n1,5;2\n-3,25e1;,5\n",
        warned="decimal commas",
        file="t.txt",
        values=[[1.5, 2.0], [-32.5, 0.5]],
    ),
    Case(
        "decimal commas, tabs", b"x\ty\n1,5\t2,25\n", file="t.tsv", warned="as points"
    ),
    Case("quoted decimal commas", b'x;y\n"1,5";2\n', file="t.txt", warned="decimal"),
    Case("1,234 between semicolons", b"x;y\n1,234;2\n", file="t.txt", warned="decimal"),
    Case(
        "separators at the ends", b"x,y,\n1,2,\n3,4,\n", warned="end with", values=PLAIN
    ),
    Case("many at the ends", b"x,y,,\n1,2,,\n3,4,,\n", warned="end with", values=PLAIN),
    Case("blank lines inside", b"x,y\n1,2\n\n\n3,4\n", warned=r"\(2\)", values=PLAIN),
    Case("column of row numbers", b",x\n0,1\n1,2\n", warned="column 1 has no name"),
    Case("name with #", b"#x,y\n1,2\n3,4\n", warned="# in the name `#x` is kept"),
    Case("empty", b"", "an empty file. Start with a line"),
    Case("only a mark", b"\xef\xbb\xbf", "an empty file"),
    Case("only blank lines", b"\n \n\r\n", "an empty file"),
    Case("header only", b"x,y\n", "rows below the names; got none"),
    Case("header and blank lines", b"x,y\n\n\n", "rows below the names"),
    Case("no header", b"1,2\n3,4\n", "names of its columns; got numbers in row 1"),
    Case("no header, gap", b"1,NA\n3,4\n", "got numbers in row 1"),
    Case("no header, commas", b"1,5;2\n3;4\n", "got numbers in row 1"),
    Case("name twice", b"x,y,x\n1,2,3\n", "`x` for columns 1 and 3 in row 1"),
    Case("two without names", b",,x\n1,2,3\n", "an empty name for columns 1 and 2"),
    Case("title", b"Readings\nx,y\n1,2\n", "1 cell in every.*begin with the names of"),
    Case("row too long", b"x,y\n1,2\n1,2,3\n", "have 2 cells .*; got 3 in row 3"),
    Case("all rows too long", b"x,y\n1,2,3\n4,5,6\n", "got 3 in row 2"),
    Case("row too short", b"x,y\n1,2\n1\n", r"got 1 in row 3\. Fill in column `y`"),
    Case("separators below only", b"x,y\n1,2,\n", "got 3 in row 2"),
    Case("value behind the ends", b"x,y,\n1,2,\n3,4,5\n", "got 3 in row 3"),
    Case("text", b"x,y\n1,2\nabc,4\n", "'abc' in row 3, column `x`. Correct the cell"),
    Case("text below a blank line", b"x,y\n\n1,2\n1,a\n", "'a' in row 4, column `y`"),
    Case("text in column without name", b",y\na,2\n", r"column 1 \(without a name\)"),
    Case(
        "much text", b"x,y\n" + b"a,1\n" * 5, r"row 2, column `x` \(and at least 4 more"
    ),
    Case("text before a long row", b"x,y\na,1\n1,2,3\n", "'a' in row 2"),
    Case("text in chosen", b"a,x\n1,2\n1,b\n", "row 3, column `x`", only=["x"]),
    Case(
        "unknown chosen",
        b"a,x\n1,2\n",
        "one of 'a', 'x'; got 'X'.*mean 'x'",
        only=["X"],
    ),
    Case("none chosen", b"a,x\n1,2\n", "`only` must be at least one column", only=[]),
    Case("empty cell", b"x,y\n1,\n", "'' in row 2, column `y`. Fill the cell in"),
    Case("row of empty cells", b"x,y\n1,2\n,\n", "'' in row 3, column `x`. Fill"),
    Case("NA", b"x,y\n1,NA\n", "'NA' in row 2, column `y`. Fill"),
    Case("nan", b"x,y\nNaN,1\n", "'NaN' in row 2, column `x`. Fill"),
    Case("spreadsheet error", b"x,y\n1,#DIV/0!\n", "'#DIV/0!' in row 2.*Fill"),
    Case("inf", b"x,y\n1,-inf\n", "'-inf' in row 2, column `y`. Remove the row"),
    Case("1e400", b"x,y\n1,1e400\n", "'1e400' in row 2, column `y`.*beyond 1.8e308"),
    Case("many digits", b"x,y\n1," + b"9" * 400 + b"\n", "in row 2.*beyond 1.8e308"),
    Case("true", b"x,y\n1,True\n", "'True' in row 2.*1 and 0"),
    Case("date", b"x,y\n1,2024-05-01\n", "in row 2, column `y`.*seconds since"),
    Case("time", b"x,y\n1,12:30:00\n", "in row 2, column `y`.*seconds since"),
    Case("complex", b"x,y\n1,1+2j\n", r"'1\+2j'.*imaginary parts"),
    Case("complex in brackets", b"x,y\n1,(1-2j)\n", "imaginary parts"),
    Case("hexadecimal", b"x,y\n1,0x1F\n", "'0x1F' in row 2.*decimal"),
    Case("underscore", b"x,y\n1,1_000\n", "'1_000'.*without separators"),
    Case("thousands", b'x,y\n1,"1,234,567.5"\n', "'1,234,567.5'.*without separators"),
    Case("1,234 between tabs", b"x\ty\n1,234\t2\n", "'1,234'.*without", file="t.tsv"),
    Case("thousands by apostrophe", b"x,y\n1,1'000\n", "without separators"),
    Case("decimal comma in quotes", b'x,y\n1,"2,5"\n', "'2,5'.*after a point"),
    Case("mixed decimals", b"x;y\n1,5;2.5\n", "'1,5' in row 2", file="t.txt"),
    Case(
        "decimals change",
        b"x;y\n" + b"1,5;2\n" * 200 + b"1;2.5\n",
        "'2.5' in row 202, column `y`. Write all decimals alike",
        file="t.txt",
    ),
    Case("unit", b"x,y\n1,3.5 mm\n", "'3.5 mm'.*Put the unit into"),
    Case("percent", b"x,y\n1,12%\n", "'12%'.*Put the unit into"),
    Case("fortran exponent", b"x,y\n1,1.0D+05\n", "exponent with e"),
    Case("typographic minus", "x,y\n1,−2\n".encode(), "minus sign as -"),
    Case("other digits", "x,y\n1,٣\n".encode(), "in row 2, column `y`"),
    Case("gap in a number", b"x,y\n1,+1e 5\n", r"'\+1e 5' in row 2, column `y`"),
    Case("formula", b"x,y\n1,=1+1\n", "'=1\\+1' in row 2"),
    Case("pipes", b"x|y\n1|2\n", r"'1\|2' in row 2.*Separate the cells by commas"),
    Case("comment first", b"# by hand\nx,y\n1,2\n", "got a comment in row 1"),
    Case("names in a comment", b"# x y\n1 2\n", "a comment in row 1", file="t.txt"),
    Case("comment inside", b"x,y\n1,2\n# pause\n3,4\n", "a comment in row 3. Remove"),
    Case("quote not closed", b'x,y\n1,"2\n3,4\n', "quotes closed.* in row 2"),
    Case("quote in names not closed", b'x,"y\n1,2\n', "quotes closed.* in row 1"),
    Case("text behind a quote", b'x,y\n1,"2"3\n', "quotes closed.* in row 2"),
    Case("cell of two lines", b'x,y\n1,"2\n"\n3,4\n', "several lines in row 2"),
    Case("latin-1 name", b"T\xb0,y\n1,2\n3,4\n", warned="as cp1252", values=PLAIN),
    Case("latin-1 cell", b"x,y\n1,2\n1,\xe9\n", "'é' in row 3, column `y`"),
    Case("no known letter", b"x,y\n1,2\n1,\x81\n", "UTF-8; got byte 0x81 in row 3"),
    Case("half a letter", "x,y\n1,é".encode()[:-1], r"'Ã' in row 2, column `y`"),
    Case("utf-16", "x,y\n1,2\n".encode("utf-16"), "text in UTF-16. Save it as UTF-8"),
    Case("utf-16, no mark", "x,y\n1,2\n".encode("utf-16-le"), "NUL byte in row 1"),
    Case("NUL in a cell", b"x,y\n1,2\0\n", r"'2\\x00' in row 2, column `y`.*damaged"),
    Case("long line", b"x,y\n1," + LONG + b"\n", "lines of at most .* in row 2"),
    Case("one long line", b"1," * 2**20, "lines of at most .* in row 1"),
    Case("long cell", b'x,y\n1,"' + b"a" * 2**18 + b'"\n', "field larger.* in row 2"),
    Case("ansi name", b"\x1b[2Jx,y\na,2\n", r"column `\\x1b\[2Jx`"),
    Case("bidi cell", "x,y\n1,\u202e5\n".encode(), r"'\\u202e5' in row 2"),
    Case("huge name", b"n" * 10_000 + b",y\na,2\n", "column `n{59}…`"),
    Case("huge cell", b"x,y\n1," + b"a" * 10_000 + b"\n", "got 'a{78}… in row 2"),
]

BINARY = [
    Case("gzip", gzip.compress(XY), file="t.csv.gz", values=PLAIN),
    Case("gzip of tabs", gzip.compress(TABS), file="t.tsv.gz", values=PLAIN),
    Case("gzip named csv", gzip.compress(XY), "got a gzip file. Let its name end in"),
    Case("csv named gzip", XY, "be a gzip file, as its name says", file="t.csv.gz"),
    Case("empty gzip", b"", "a gzip file, .* got an empty file", file="t.csv.gz"),
    Case("gzip cut", gzip.compress(XY)[:-9], "be a whole packed", file="t.csv.gz"),
    Case("gzip of what", gzip.compress(XY), "hold a file that ends in", file="t.gz"),
    Case(
        "gzip of Parquet",
        gzip.compress(WHOLE),
        "ends in one of .csv, .*Unpack it first",
        file="t.parquet.gz",
    ),
    Case(
        "gzip of gzip",
        gzip.compress(gzip.compress(XY)),
        "be text, as its name says; got a gzip file",
        file="t.csv.gz",
    ),
    Case("zip", zip_of(**{"a/t.csv": XY}), file="t.zip", values=PLAIN),
    Case("zip of a Mac", zip_of(**MAC), file="t.csv.zip", values=PLAIN),
    Case("zip of two", zip_of(a=XY, b=XY), "hold one file; got 2", file="t.zip"),
    Case("zip of a page", zip_of(**{"a.html": XY}), "got `a.html`", file="t.zip"),
    Case("zip cut", zip_of(**{"t.csv": XY})[:-9], "whole packed file", file="t.zip"),
    Case("csv named zip", XY, "be a zip archive, as its name says", file="t.zip"),
    Case("sheet", b"PK\x03\x04etc", r"openpyxl is not|a whole Excel", file="t.xlsx"),
    Case("csv named sheet", XY, "be an Excel file, as its name says", file="t.xlsx"),
    Case("feather", feather_of(x=[1, 3], y=[2, 4]), file="t.feather", values=PLAIN),
    Case(
        "feather of words",
        feather_of(x=["a"]),
        "string values in column `x`",
        file="t.feather",
    ),
    Case("feather cut", feather_of(x=[1])[:-9], "whole Feather", file="t.feather"),
    Case("json", b"{}", "end in one of .csv.*; got .json", file="t.json"),
    Case(
        "no ending", b"x,y\n1,2\n", "end in one of .csv.*; got no ending", file="table"
    ),
    Case("parquet named csv", WHOLE, r"be text, as .*; got Parquet\..*\.parquet"),
    Case("csv named parquet", b"x,y\n1,2\n", "be Parquet, as its", file="t.parquet"),
    Case("csv named npz", b"x,y\n1,2\n", "be an .npz archive, as", file="t.npz"),
    Case("empty parquet", b"", "be Parquet, .*; got an empty file", file="t.parquet"),
    Case("parquet", WHOLE, file="t.parquet", values=[[1.0, 3.0], [2.0, 4.0]]),
    Case("parquet cut", WHOLE[:-9], "be a whole Parquet file", file="t.parquet"),
    Case("parquet cut early", WHOLE[:40], "be a whole Parquet file", file="t.pq"),
    Case("integers", parquet_of(x=[1, 3], y=[2, 4]), file="t.pq", values=PLAIN),
    Case("dots", parquet_of(**{"a": [1, 3], "a.b": [2, 4]}), file="t.pq", values=PLAIN),
    Case(
        "chosen",
        parquet_of(t=["a", None], x=[1, 3], y=[2, 4]),
        file="t.pq",
        only=["x", "y"],
        values=PLAIN,
    ),
    Case(
        "decimals",
        parquet_of(x=[Decimal("1.5"), Decimal("2.5")]),
        file="t.pq",
        values=[[1.5], [2.5]],
    ),
    Case(
        "half floats",
        parquet_of(x=pa.array(np.array([1.5, 2], np.float16))),
        file="t.pq",
        values=[[1.5], [2.0]],
    ),
    Case("long integers", parquet_of(x=[2**60 + 1]), warned="rounded", file="t.pq"),
    Case(
        "missing integer",
        parquet_of(x=[1, 2, None]),
        "a missing value in row 3, column `x`",
        file="t.pq",
    ),
    Case(
        "nan in parquet",
        parquet_of(x=[1.0, float("nan"), float("inf")]),
        r"got nan in row 2, column `x` \(and at least 1 more\)",
        file="t.pq",
    ),
    Case("lists", parquet_of(x=[[1.0], [2.0]]), "list<.*column `x`.*own", file="t.pq"),
    Case("booleans", parquet_of(x=[True]), "bool values in column `x`", file="t.pq"),
    Case("strings", parquet_of(x=["1"]), "string values in column `x`", file="t.pq"),
    Case("dates", parquet_of(x=[date(2024, 5, 1)]), "date32.*seconds", file="t.pq"),
    Case("nulls", parquet_of(x=pa.nulls(3)), "null values in column `x`", file="t.pq"),
    Case("no rows", parquet_of(x=pa.array([], pa.float64())), "0 rows", file="t.pq"),
    Case("no columns", parquet_of(), "of 0 columns", file="t.pq"),
    Case("name twice", twice_named_parquet(), "`x` for columns 1 and 2", file="t.pq"),
    Case("npz", npz_of(x=[1.0, 3.0], y=[2, 4]), file="t.npz", values=PLAIN),
    Case("npz matrix", npz_of(x=PLAIN), file="t.npz", values=PLAIN),
    Case("npz column", npz_of(x=[[1.0], [3.0]], y=[2, 4]), file="t.npz", values=PLAIN),
    Case("npz long integers", npz_of(x=[-(2**60)]), warned="rounded", file="t.npz"),
    Case("npz cut", npz_of(x=[1.0])[:-30], "be a whole .npz file", file="t.npz"),
    Case("npz of nothing", npz_of(), "got an empty zip archive", file="t.npz"),
    Case("npz of no rows", npz_of(x=np.zeros(0)), "got 0 rows", file="t.npz"),
    Case("npz scalar", npz_of(x=1.0), r"shape \(\) in column `x`", file="t.npz"),
    Case(
        "npz 3-D", npz_of(x=np.ones((2, 2, 2))), r"\(2, 2, 2\) in column", file="t.npz"
    ),
    Case(
        "npz unequal",
        npz_of(x=np.ones(3), y=np.ones(2)),
        "equal length, 3 as the first; got 2 values in column `y`",
        file="t.npz",
    ),
    Case(
        "npz objects",
        npz_of(x=np.array([print, None])),
        "Object arrays cannot be loaded.*column `x`. .*never loaded",
        file="t.npz",
    ),
    Case(
        "npz complex", npz_of(x=[1j]), "complex128 .*column `x`. .*imag", file="t.npz"
    ),
    Case("npz text", npz_of(x=["1"]), "<U1 values in column `x`", file="t.npz"),
    Case(
        "npz bool", npz_of(x=[True]), "bool values in column `x`.*1 and", file="t.npz"
    ),
    Case("npz nan", npz_of(x=[1, np.nan]), "nan in row 2, column `x`", file="t.npz"),
    Case(
        "npz name twice", npz_of(x=PLAIN, x_2=[1, 2]), "`x_2` for columns", file="t.npz"
    ),
    Case(
        "npz without array", npz_with_text(), r"shape \(\) in column `x`", file="t.npz"
    ),
    Case("directory", Path.mkdir, "be a file; got a directory"),
    Case("pipe", os.mkfifo, "be a file; got a pipe or a device"),
    Case("missing", lambda path: None, "got none of this name. Check the path"),
    Case(
        "missing, one near", lambda path: path.with_name("tt.csv").touch(), "`tt.csv`"
    ),
    Case("no such folder", lambda path: None, "none of this name", file="no/t.csv"),
    Case("link to itself", lambda path: path.symlink_to(path), "be readable; got"),
    Case("NUL in the path", lambda path: None, "be a path; got a NUL", file="a\0.csv"),
    Case("name too long", lambda path: None, "be readable", file="a" * 300 + ".csv"),
]


def put(case: Case, folder: Path) -> str:
    path = folder / case.file
    if isinstance(case.content, bytes):
        path.write_bytes(case.content)
    else:
        case.content(path)
    return str(path)
