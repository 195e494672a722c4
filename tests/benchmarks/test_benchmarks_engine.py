import importlib.util
import json
import subprocess
import sys
from pathlib import Path

from benchmarks import engine

ROOT = Path(__file__).parents[2]


def test_a_tiny_run_prints_one_json_line_last() -> None:
    command = [sys.executable, "-m", "benchmarks.engine", "--json"]
    tiny = ["--hidden-layers", "1", "--repeats", "1"]
    ran = subprocess.run(
        [*command, *tiny], cwd=ROOT, capture_output=True, text=True, check=True
    )
    result = json.loads(ran.stdout.splitlines()[-1])
    assert result.keys() == {
        *("benchmark", "cpu", "python", "versions"),
        *("rows", "matmul_gflops", "repeats", "seconds"),
    }
    (row,) = result["rows"]
    assert row["hidden_layers"] == 1
    assert row["n_weights"] == 4 * 50 + 40 * 2
    assert min(row["step_us"], row["network_sample_ns"], row["matmul_share"]) > 0
    assert row["jax_ratio"] > 0
    if importlib.util.find_spec("torch"):
        assert row["met"].keys() == {"matmul_share", "jax_ratio", "speedup"}
        assert max(row["torch"]["agreement"].values()) < engine.SAME
    else:
        assert row["torch"] is None


def test_without_pytorch_the_report_says_how_to_add_it() -> None:
    row = engine.Row(
        hidden_layers=1,
        n_weights=280,
        compile_s=(2.0, 2.0),
        step_us=9.0,
        grid_step_us=2.0,
        jax_step_us=5.0,
        network_sample_ns=140.0,
        matmul_share=0.07,
        torch=None,
    )
    text = engine.report(engine.Result((row,), 160.0, repeats=1, seconds=1.0))
    assert 'pip install "eqlearn[peers]"' in text
    assert "1 hidden: matmul_share of at least 0.15 NOT met." in text
    assert "1 hidden: jax_ratio of at least 1.5 met." in text
    assert "speedup of" not in text
