from pathlib import Path

import pytest

from eqlearn import demo
from eqlearn.data.read import read_table


def test_the_demo_ends_in_the_equation_behind_its_data(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = demo.run(tmp_path / "run")
    assert model.chosen[0].formula == "y = sin(pi*x1)/(x2**2 + 1)"
    assert "\ny = sin(pi*x1)/(x2**2 + 1)\n" in capsys.readouterr().out
    report = (tmp_path / "run" / "report.md").read_text(encoding="utf-8")
    assert "y = sin(pi*x1)/(x2**2 + 1)" in report
    assert (tmp_path / "run" / "report.html").stat().st_size > 10_000


def test_a_link_in_the_place_of_its_table_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("kept")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "demo.csv").symlink_to(tmp_path / "victim")
    demo.copied_table(tmp_path / "run")
    assert (tmp_path / "victim").read_text() == "kept"


def test_the_bundled_table_is_as_described(tmp_path: Path) -> None:
    table = read_table(demo.copied_table(tmp_path / "run"))
    assert table.names == ("x1", "x2", "y")
    assert table.values.shape == (1000, 3)
    assert not table.warnings
