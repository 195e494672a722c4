from pathlib import Path

import pytest

from eqlearn import demo


def test_the_demo_ends_in_the_equation_behind_its_data(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    demo.run(tmp_path / "run")
    assert "\ny = sin(pi*x1)/(x2**2 + 1)\n" in capsys.readouterr().out
    report = (tmp_path / "run" / "report.md").read_text(encoding="utf-8")
    assert "y = sin(pi*x1)/(x2**2 + 1)" in report
    assert (tmp_path / "run" / "slices.png").stat().st_size > 10_000


def test_the_bundled_table_is_as_described() -> None:
    names, table = demo.bundled_table()
    assert names == ["x1", "x2", "y"]
    assert table.shape == (1000, 3)
