"""What is written into a run directory, and how often it is computed."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from report_models import fraction, linear, samples

from eqlearn import run_directory
from eqlearn.equation.prove.domain import domain_report
from eqlearn.errors import EqlearnError
from eqlearn.run_directory import open_run, report_run, sampled, write_run


def test_a_large_table_leaves_a_sample() -> None:
    x = np.arange(6000.0).reshape(3000, 2)
    kept = sampled(x)
    assert len(kept) == run_directory.MOST_SAMPLED
    assert np.all(np.diff(kept) > 0)
    assert kept[-1] > 2900
    assert len(sampled(x[:10])) == 10


def test_what_was_written_is_what_is_read(tmp_path: Path) -> None:
    of = fraction()
    written = write_run(tmp_path, of, *samples(of))
    assert written.model is of
    assert open_run(tmp_path) == open_run(tmp_path / "model.json") == of
    before = {path: path.read_bytes() for path in written.report}
    assert report_run(tmp_path) == written.report
    pages = [path for path in before if path.suffix in (".html", ".md")]
    assert len(pages) == 2
    for path in pages:  # from the file as from the values in hand
        assert path.read_bytes() == before[path]


def test_the_domain_is_examined_once_for_each_target(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    examined: list[Any] = []

    def counted(*arguments: Any) -> Any:
        examined.append(arguments)
        return domain_report(*arguments)

    monkeypatch.setattr("eqlearn.report.findings.domain_report", counted)
    of = linear(["a", "b"], ["y", "z"])
    written = write_run(tmp_path, of, *samples(of))
    assert len(written.findings) == len(examined) == 2


def test_nothing_is_read_back_to_be_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a file was read")

    monkeypatch.setattr(run_directory, "open_run", refuse)
    monkeypatch.setattr(run_directory, "read_table", refuse)
    of = fraction()
    write_run(tmp_path, of, *samples(of))


def test_a_directory_without_a_model_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(EqlearnError, match="must be the directory of a run"):
        open_run(tmp_path)
    with pytest.raises(EqlearnError, match="must be a run directory or a model file"):
        open_run(tmp_path / "nowhere")


def test_the_model_is_written_before_anything_else_can_fail(tmp_path: Path) -> None:
    """R-24: here the report cannot be written, for its name is taken."""
    (tmp_path / "report.html").mkdir()
    of = fraction()
    with pytest.raises((EqlearnError, OSError)):
        write_run(tmp_path, of, *samples(of))
    assert open_run(tmp_path) == of


@pytest.mark.parametrize("name", ["model.json", "sample.npz", "report.html"])
def test_no_link_in_a_run_directory_is_followed(tmp_path: Path, name: str) -> None:
    """R-29: who plants one does not choose what is overwritten."""
    victim, run = tmp_path / "victim", tmp_path / "run"
    victim.write_text("kept")
    run.mkdir()
    (run / name).symlink_to(victim)
    of = fraction()
    write_run(run, of, *samples(of))
    assert victim.read_text() == "kept" and not (run / name).is_symlink()
