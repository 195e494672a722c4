"""Tables as they are: what is read comes back as it was, with its types."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from eqlearn.data.read import read_raw, read_table
from eqlearn.data.write_table import write_table
from eqlearn.errors import EqlearnError

PREDICTED = {"y_predicted": np.array([0.25, 0.5])}


def test_cells_of_text_stay_as_they_are(tmp_path: Path) -> None:
    cells = 'id,name,x,when\n007,"a, b",1.50,2024-05-01\n2,,3,\n'
    (tmp_path / "t.csv").write_text(cells, encoding="utf-8")
    write_table(tmp_path / "out.csv", read_raw(tmp_path / "t.csv"), PREDICTED)
    assert (tmp_path / "out.csv").read_text("utf-8").splitlines() == [
        "id,name,x,when,y_predicted",
        '007,"a, b",1.50,2024-05-01,0.25',
        "2,,3,,0.5",
    ]


def test_decimal_commas_become_points(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("n;x\n1;1,5\n2;2,25\n", encoding="utf-8")
    write_table(tmp_path / "out.csv", read_raw(tmp_path / "t.csv"), PREDICTED)
    assert (tmp_path / "out.csv").read_text("utf-8").splitlines()[1] == "1,1.5,0.25"


def test_text_has_types_in_parquet(tmp_path: Path) -> None:
    cells = "n,x,gap,name\n1,1.5,1,a\n-2,2,,b\n"
    (tmp_path / "t.csv").write_text(cells, encoding="utf-8")
    write_table(tmp_path / "out.parquet", read_raw(tmp_path / "t.csv"), PREDICTED)
    written = parquet.read_table(tmp_path / "out.parquet")
    kinds = [str(kind) for kind in written.schema.types]
    assert kinds == ["int64", "double", "double", "string", "double"]


def test_types_stay(tmp_path: Path) -> None:
    columns = {
        "n": pa.array([1, 2], pa.int32()),
        "gap": pa.array([1, None], pa.int64()),
        "yes": [True, False],
        "name": ["a", None],
        "t": pa.array([0, 1], pa.timestamp("ms")),
    }
    parquet.write_table(pa.table(columns), tmp_path / "t.parquet")
    raw = read_raw(tmp_path / "t.parquet")
    write_table(tmp_path / "out.parquet", raw, PREDICTED)
    written = parquet.read_table(tmp_path / "out.parquet")
    kinds = [str(kind) for kind in written.schema.types]
    assert kinds[:5] == ["int32", "int64", "bool", "string", "timestamp[ms]"]
    assert written.column("gap").to_pylist() == [1, None]
    write_table(tmp_path / "out.csv", raw, PREDICTED)
    lines = (tmp_path / "out.csv").read_text("utf-8").splitlines()
    assert lines[1].startswith("1,1,True,a,")
    assert lines[2].startswith("2,,False,,")


def test_no_sheet_without_what_reads_it(tmp_path: Path) -> None:
    if find_spec("openpyxl"):
        pytest.skip("openpyxl is installed")
    (tmp_path / "t.xlsx").write_bytes(b"PK\x03\x04")
    with pytest.raises(EqlearnError, match=r'Run pip install "eqlearn\[excel\]", or'):
        read_table(tmp_path / "t.xlsx")


def test_a_sheet_is_a_table(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["x", "kind", "y"], [1, "a", 2.5], [None] * 3, [2, "b", 3.5]):
        book.active.append(row)
    book.create_sheet("more")
    book.save(tmp_path / "t.xlsx")
    table = read_table(tmp_path / "t.xlsx", only=["x", "y"])
    np.testing.assert_array_equal(table.values, [[1, 2.5], [2, 3.5]])
    assert "only the first sheet" in table.warnings[0]
    with pytest.raises(EqlearnError, match="got 'a' in row 2, column `kind`"):
        read_table(tmp_path / "t.xlsx")
    write_table(tmp_path / "out.xlsx", read_raw(tmp_path / "t.xlsx"), PREDICTED)
    again = read_raw(tmp_path / "out.xlsx")
    assert again.names == ("x", "kind", "y", "y_predicted")
    assert [column.tolist() for column in again.columns] == [
        *([1, 2], ["a", "b"], [2.5, 3.5], [0.25, 0.5])
    ]
