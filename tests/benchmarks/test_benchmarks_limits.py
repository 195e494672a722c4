import json
from pathlib import Path

import numpy as np
import pytest
import sympy

from benchmarks import limits
from benchmarks.recovery_groups import TRUE_FORM
from benchmarks.recovery_table import rows_of
from eqlearn.reproduce.section4.judging import agreement_of
from eqlearn.reproduce.section4.runs import Run, TimedRun, posed


def test_decimal_numbers_are_fitted_and_others_kept() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (200, 1))
    y = 1.5e-6 * x[:, 0] + 2.5e-6 + 1e-7 * rng.normal(size=200)
    name = sympy.Symbol("x")
    fitted = limits.fit_constants(1.5e-6 * name + 2.5e-6, ["x"], x, y)
    slope, offset = np.polyfit(x[:, 0], y, 1)
    assert fitted.parameters == 2
    np.testing.assert_allclose(fitted.learned.predict(x), slope * x[:, 0] + offset)
    assert fitted.learned.expression is not None
    assert float(fitted.learned.expression.coeff(name)) == pytest.approx(slope)
    exact = limits.fit_constants(sympy.sin(2 * name) / 3, ["x"], x, y)
    assert exact.parameters == 0
    assert exact.learned.expression == sympy.sin(2 * name) / 3


def test_the_data_are_those_of_the_runs(tmp_path: Path) -> None:
    run = Run("eqlearn", "laws", "pendulum", 1, 200, 0.01, 0, "1")
    assert np.array_equal(posed(TimedRun(run, 1.0)).y, posed(TimedRun(run, 9.0, 2)).y)
    out = tmp_path / "limits.jsonl"
    limits.main(["--problem", "pendulum", "--out", str(out)])
    lines = [*map(json.loads, out.read_text().splitlines())]
    assert [(line["rows"], line["noise"]) for line in lines] == [
        (200, 0.01),
        (200, 0.05),
        (2000, 0.01),
        (2000, 0.05),
    ]
    assert all(agreement_of(line) != "no" for line in lines)
    assert lines[0]["relative_rms_outside"] > 0
    assert [row.title for row in rows_of(lines)] == ["laws"] * 4
    assert {line["method"] for line in lines} == {TRUE_FORM}
    limits.main(["--problem", "pendulum", "--out", str(out)])
    assert len(out.read_text().splitlines()) == 4  # nothing is left to do
