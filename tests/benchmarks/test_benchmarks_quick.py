from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy

from benchmarks import quick
from benchmarks.quick import TASKS, QuickRun, has_terms_above_noise, quick_table
from eqlearn.reproduce.jsonl import whole_lines


def test_a_task_is_the_same_for_the_same_seed() -> None:
    for name, task in TASKS.items():
        x, y = QuickRun(name, 1).data()
        assert x.shape == (task.rows, len(task.law.inputs))
        assert y.shape == (task.rows,)
        assert np.array_equal(QuickRun(name, 1).data()[1], y)
        assert not np.array_equal(QuickRun(name, 2).data()[1], y)


def test_terms_that_noise_hides_may_be_missing() -> None:
    task = TASKS["cubic-noisy"]
    (truth,) = task.law.expressions()
    hidden = truth - 0.5 * sympy.Symbol("x10")  # whose spread is that of the noise
    assert has_terms_above_noise(truth, task)
    assert has_terms_above_noise(hidden, replace(task, noise=0.2))
    assert not has_terms_above_noise(hidden, replace(task, noise=0.01))


def test_what_was_found_is_judged_and_kept(tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "quick.jsonl"
    quick.main(["--task", "exact", "--seeds", "1", "--out", str(out)])
    (line,) = whole_lines(out)
    assert line["found"] and line["formula"] == "3*x1/x2"
    assert "exact" in capsys.readouterr().out
    table = quick_table([line, {**line, "seconds": 9.0, "seed": 2}]).text()
    (row,) = [one for one in table.splitlines() if one.startswith("exact")]
    assert "2 of 2" in row and "9.00" in row


@pytest.mark.parametrize(
    ("found", "seconds", "reached"),
    [(True, 0.1, " met"), (False, 0.1, "not met"), (True, 3.0, "not met")],
)
def test_a_figure_is_reached_if_all_is_found_in_time(
    found: bool, seconds: float, reached: str
) -> None:
    line = {"task": "product", "seed": 1, "found": found, "seconds": seconds}
    rows = quick_table([line]).text().splitlines()
    (row,) = [one for one in rows if one.startswith("product ")]
    assert row.rstrip().endswith(reached)
