"""Tables with words, truth values and gaps: what becomes of each column."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from eqlearn.data.mixed import inputs_of, read_mixed
from eqlearn.data.read import read_raw
from eqlearn.errors import EqlearnError

WOOD = "kind,x,wet,y\noak,1,true,5\npine,2,false,6\nfir,3,true,7\n"


def put(folder: Path, text: str, name: str = "t.csv") -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def test_words_become_inputs_of_1_and_0(tmp_path: Path) -> None:
    table, kinds = read_mixed(put(tmp_path, WOOD))
    assert table.names == ("kind=fir", "kind=oak", "kind=pine", "x", "wet", "y")
    assert kinds == {"kind": ("fir", "oak", "pine")}
    np.testing.assert_array_equal(
        table.values,
        [[0, 1, 0, 1, 1, 5], [0, 0, 1, 2, 0, 6], [1, 0, 0, 3, 1, 7]],
    )
    assert "becomes inputs `kind=fir`, `kind=oak`, `kind=pine`" in table.warnings[-1]


def test_beside_words_a_gap_is_what_is_wrong(tmp_path: Path) -> None:
    path = put(tmp_path, "kind,x,y\noak,1,5\npine,,6\nfir,3,7\n")
    with pytest.raises(EqlearnError, match="row 3, column `x`. Fill the cell in or"):
        read_mixed(path, numeric=["y"])
    path = put(tmp_path, "kind,x,y\noak,1,5\n,2,6\nfir,3,7\n")
    with pytest.raises(EqlearnError, match="row 3, column `kind`. Fill the cell in or"):
        read_mixed(path, numeric=["y"])


def test_of_two_words_one_input_says_all(tmp_path: Path) -> None:
    table, kinds = read_mixed(put(tmp_path, "k,y\nb,1\na,2\nb,3\n"))
    assert table.names == ("k=b", "y")
    assert kinds == {"k": ("a", "b")}
    np.testing.assert_array_equal(table.values[:, 0], [1, 0, 1])


def test_a_single_word_says_nothing(tmp_path: Path) -> None:
    table, kinds = read_mixed(put(tmp_path, "k,x,y\na,1,2\na,2,3\n"), numeric=["y"])
    assert table.names == ("x", "y")
    assert kinds == {"k": ("a",)}
    assert "one word in all rows and is left out" in table.warnings[-1]


def test_truth_values_are_numbers(tmp_path: Path) -> None:
    table, kinds = read_mixed(put(tmp_path, "a,b,y\nTrue,no,1\nfalse,Yes,2\n"))
    assert (table.names, kinds) == (("a", "b", "y"), {})
    np.testing.assert_array_equal(table.values, [[1, 0, 1], [0, 1, 2]])


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ("1 2 x 4", "got 'x' in row 4, column `a`. Correct the cell"),
        ("1.5 2,5 3 4", None),
        ("2020-01-01 2020-01-02 2020-01-03 2020-01-04", "seconds since the start"),
        ("3mm 4mm 5mm 6mm", "Put the unit into the column's name"),
        (
            "oak NA pine fir",
            "got a missing value in row 3, column `a`. Fill the cell in",
        ),
    ],
)
def test_numbers_with_a_mistake_are_no_words(
    cells: str, message: str | None, tmp_path: Path
) -> None:
    rows = [f"{cell}\t{i}" for i, cell in enumerate(cells.split())]
    source = put(tmp_path, "\n".join(["a\ty", *rows]), "t.tsv")
    with pytest.raises(EqlearnError, match=message):
        read_mixed(source)


def test_names_of_rows_are_no_kinds(tmp_path: Path) -> None:
    rows = [f"sample {chr(97 + i)},{i}" for i in range(21)]
    source = put(tmp_path, "\n".join(["who,y", *rows]))
    what = "at most 20 different words; got 21 of them, such as 'sample a' in column"
    with pytest.raises(EqlearnError, match=what):
        read_mixed(source)
    assert read_mixed(source, without=["who"])[0].names == ("y",)


def test_numbers_may_be_kinds(tmp_path: Path) -> None:
    source = put(tmp_path, "code,y\n7,1\n8,2\n9,3\n")
    table, kinds = read_mixed(source, categories=["code"])
    assert table.names == ("code=7", "code=8", "code=9", "y")
    assert kinds == {"code": ("7", "8", "9")}


def test_targets_are_numbers(tmp_path: Path) -> None:
    with pytest.raises(EqlearnError, match="got 'oak' in row 2, column `kind`"):
        read_mixed(put(tmp_path, WOOD), numeric=["kind"])
    with pytest.raises(EqlearnError, match="`categories` must be inputs; got 'y'"):
        read_mixed(put(tmp_path, WOOD), numeric=["y"], categories=["y"])


def test_rows_with_gaps_are_left_out_and_counted(tmp_path: Path) -> None:
    source = put(tmp_path, "k,x,y\na,1,2\n,2,3\nb,NA,4\na,4,5\nb,5,\n")
    table, kinds = read_mixed(source, drop_missing=True)
    np.testing.assert_array_equal(table.values[:, 1:], [[2], [5]])
    assert "3 of 5 rows have gaps and are left out" in "".join(table.warnings)
    assert kinds == {"k": ("a",)}  # of what is left


def test_gaps_elsewhere_cost_no_row(tmp_path: Path) -> None:
    source = put(tmp_path, "note,x,y\n,1,2\n,2,3\n")
    table, _ = read_mixed(source, only=["x", "y"], drop_missing=True)
    assert len(table.values) == 2
    assert table.warnings == ()


def test_a_mistake_is_no_gap(tmp_path: Path) -> None:
    source = put(tmp_path, "x,y\n1,2\n,3\noops,4\n4,5\n")
    with pytest.raises(EqlearnError, match="got 'oops' in row 4, column `x`"):
        read_mixed(source, drop_missing=True)


def test_nothing_is_left_of_an_empty_column(tmp_path: Path) -> None:
    with pytest.raises(EqlearnError, match="have rows without gaps; got none"):
        read_mixed(put(tmp_path, "x,y\n,2\n,3\n"), drop_missing=True)


COLUMNS: dict[str, Any] = {
    "kind": ["oak", None, "pine"],
    "n": [1, 2, None],
    "wet": [True, False, True],
    "y": [0.5, 1.5, 2.5],
}


@pytest.mark.parametrize("suffix", [".parquet", ".feather"])
def test_other_files_have_words_and_gaps_too(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"t{suffix}"
    write = parquet.write_table if suffix == ".parquet" else feather.write_feather
    write(pa.table({**COLUMNS, "kind": ["oak", "fir", "pine"], "n": [1, 2, 3]}), path)
    table, kinds = read_mixed(str(path))
    assert kinds == {"kind": ("fir", "oak", "pine")}
    np.testing.assert_array_equal(table.values[:, 4], [1, 0, 1])
    write(pa.table(COLUMNS), path)
    table, kinds = read_mixed(str(path), drop_missing=True)
    np.testing.assert_array_equal(table.values[:, -1], [0.5])


def test_an_npz_has_them_too(tmp_path: Path) -> None:
    path = str(tmp_path / "t.npz")
    np.savez(path, k=["a", "b", "a"], x=[1.0, np.nan, 3.0], y=[True, False, True])
    table, kinds = read_mixed(path, drop_missing=True)
    np.testing.assert_array_equal(table.values, [[1, 1], [3, 1]])


def test_a_new_table_is_encoded_as_the_one_before(tmp_path: Path) -> None:
    raw = read_raw(put(tmp_path, "x,kind\n5,pine\n6,elm\n7,oak\n"))
    kinds = {"kind": ("fir", "oak", "pine")}
    x, remarks = inputs_of(raw, ("kind=oak", "kind=pine", "x"), kinds)
    np.testing.assert_array_equal(x, [[0, 1, 5], [np.nan, np.nan, 6], [1, 0, 7]])
    assert "such as 'elm': no prediction there" in remarks[0]


def test_missing_columns_are_named(tmp_path: Path) -> None:
    raw = read_raw(put(tmp_path, "x,b\n5,pine\n"))
    with pytest.raises(EqlearnError) as caught:
        inputs_of(raw, ("k=b", "x", "z"), {"k": ("a", "b")})
    assert str(caught.value).endswith(
        "must have the columns that the equations need: `k`, `x`, `z`; got no `k`, "
        "`z`. It has x, b; rename or add them."
    )
