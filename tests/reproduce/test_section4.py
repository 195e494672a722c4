import os
import signal
import sqlite3
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from subprocess import Popen
from typing import Any

import numpy as np
import pytest

from eqlearn.cli.main import main
from eqlearn.errors import EqlearnError
from eqlearn.problems import problem
from eqlearn.reproduce.jsonl import Line, whole_lines
from eqlearn.reproduce.section4.criteria_compared import right_picks, selection_table
from eqlearn.reproduce.section4.experiments import EXPERIMENTS, published, runs_of
from eqlearn.reproduce.section4.figures import drawn
from eqlearn.reproduce.section4.judging import agreement_of
from eqlearn.reproduce.section4.missing_runs import conduct
from eqlearn.reproduce.section4.results import LINES, reproduce, write_results
from eqlearn.reproduce.section4.runs import Run, read_lines
from eqlearn.reproduce.section4.tables import (
    against_truth,
    as_published,
    mean_square,
    table,
)

RUN = Run("eqlearn", "division", "division", 1, 200, 0.01, 0, "8")


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of two quick runs of ours and one of a rival."""
    directory = tmp_path_factory.mktemp("reproduced")
    runs = [RUN, Run("svr", "division", "division", 1, 200, 0.01, 0, "8")]
    conduct(runs, directory / LINES, tell=lambda line: None)
    return directory


def _lines(out: Path) -> list[dict[str, Any]]:
    return list(read_lines(out / LINES).values())


def test_the_paper_figures_are_those_of_its_tables() -> None:
    assert str(published("division", "mlp", 0)) == "0.83 [0.77, 1]"
    assert str(published("F-4", "eqlearn-paper", 40)) == "0.21 [0.07, 0.71]"
    assert str(published("F-4", "gplearn", 0)) == "0.85 [0.54, 0.95]"
    assert str(published("RE3-2", "svr", 0)) == "11.28"
    assert published("F-1", "mlp", 0) is None
    inside = published("cart-pendulum-published", "pyoperon", 50, "inside")
    assert str(inside) == "0.012 [0.011, 0.012]"


def test_an_experiment_is_every_method_on_every_problem() -> None:
    runs = runs_of("formulas", n_seeds=2)
    ours = [run for run in runs if run.method == "eqlearn"]
    assert len(ours) == 4 * 2 * 2
    assert runs[: len(ours)] == ours  # the others' time is measured by ours
    assert {run.limit for run in runs if run.method == "gplearn"} == {"1x", "10x"}
    (quick,) = runs_of("division", methods=["eqlearn"], n_seeds=1, seconds=5)
    assert quick.limit == "5"
    paper = runs_of("division", recipe="paper", n_seeds=1)
    assert (paper[0].method, paper[0].limit) == ("eqlearn-paper", "none")
    assert {run.limit for run in paper if run.method == "eql"} == {"none"}
    paper = runs_of("division", recipe="paper", n_seeds=1, seconds=5)
    assert {run.limit for run in paper} == {"5"}


def test_the_published_pendulum_is_measured_as_in_the_released_data() -> None:
    runs = runs_of("pendulum", methods=["eqlearn"], n_seeds=1)
    found = {(run.problem, run.far): (run.rows, run.noise) for run in runs}
    assert found == {
        ("cart-pendulum-published", 0): (16_000, 0.1),
        ("cart-pendulum-published", 50): (16_000, 0.1),
        ("cart-pendulum-published-quiet", 0): (16_000, 0.01),
        ("cart-pendulum-published-quiet", 50): (16_000, 0.01),
        ("cart-pendulum", 0): (9000, 0.01),
        ("cart-pendulum", 40): (9000, 0.01),
        ("cart-pendulum-noisy", 0): (9000, 0.1),
        ("cart-pendulum-noisy", 40): (9000, 0.1),
    }


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"name": "divison"}, "experiment"),
        ({"name": "division", "recipe": "slow"}, "recipe"),
    ],
)
def test_typing_mistakes_are_named(options: dict[str, Any], says: str) -> None:
    with pytest.raises(EqlearnError, match=f"`{says}`"):
        runs_of(**options)


def test_a_method_must_be_one_of_any_experiment(tmp_path: Path) -> None:
    with pytest.raises(EqlearnError, match="`methods` must be one of"):
        reproduce(["division", "pendulum"], tmp_path, methods=["eureqa"])
    options: dict[str, Any] = {"n_seeds": 1, "tell": lambda line: None}
    reproduce(["division", "pendulum"], tmp_path, methods=["zero"], **options)
    lines = read_lines(tmp_path / LINES).values()
    assert {line["method"] for line in lines} == {"zero"}
    assert {line["group"] for line in lines} == {"pendulum"}


def test_what_is_there_is_not_done_again(out: Path) -> None:
    before = (out / LINES).read_text()
    said: list[str] = []
    conduct([RUN], out / LINES, tell=said.append)
    assert (out / LINES).read_text() == before
    assert not said


def test_a_run_of_hours_goes_on_where_it_was_killed(tmp_path: Path) -> None:
    run = Run("eqlearn-paper", "division", "division", 1, 60, 0.01, 0, "15")
    lines = tmp_path / LINES
    program = (
        "from pathlib import Path\n"
        "from eqlearn.reproduce.section4.missing_runs import conduct\n"
        "from eqlearn.reproduce.section4.runs import Run\n"
        f"conduct([{run!r}], Path({str(lines)!r}))\n"
    )
    with Popen([sys.executable, "-c", program], start_new_session=True) as process:
        while not _segments(tmp_path):
            assert process.poll() is None
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGKILL)
    assert not lines.exists()
    assert _segments(tmp_path) > 0
    conduct([run], lines, tell=lambda line: None)
    (line,) = read_lines(lines).values()
    assert (line["status"], line["time_limit"]) == ("ok", 15), line
    assert not any((tmp_path / "under-way").iterdir())


def test_what_is_kept_outlives_a_crash(tmp_path: Path) -> None:
    run = Run("eqlearn-paper", "division", "division", 1, 60, 0.01, 0, "15")
    kept = tmp_path / "under-way" / "-".join(map(str, (*run.key, 1))) / "run.db"
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"no database" * 100)
    for _ in range(2):  # it is tried again, too
        conduct([run], tmp_path / LINES, tell=lambda line: None)
        assert kept.exists()
    statuses = [line["status"] for line in whole_lines(tmp_path / LINES)]
    assert statuses == ["crashed", "crashed"]


def _segments(out: Path) -> int:
    """How many segments are kept of the one run under way."""
    for path in (out / "under-way").glob("*/run.db"):
        with closing(sqlite3.connect(path)) as store:
            try:
                return int(store.execute("SELECT count(*) FROM states").fetchone()[0])
            except sqlite3.OperationalError:  # it is just being made
                return 0
    return 0


def test_a_line_cut_off_is_done_again(out: Path, tmp_path: Path) -> None:
    whole = (out / LINES).read_text()
    broken = tmp_path / LINES
    broken.write_text(whole + whole[: len(whole) // 3])
    assert read_lines(broken).keys() == read_lines(out / LINES).keys()
    # What comes after it is a line of its own.
    other = replace(RUN, rows=60, limit="2")
    conduct([other], broken, tell=lambda line: None)
    assert read_lines(broken).keys() == {*read_lines(out / LINES), other.key}


def test_times_that_nothing_tells_are_asked_for(tmp_path: Path) -> None:
    said: list[str] = []
    run = Run("gplearn", "division", "division", 1, 200, 0.01, 0, "10x")
    conduct([run], tmp_path / LINES, tell=said.append)
    assert "1 runs have no time limit yet" in said[0]


def test_a_line_tells_the_formula_the_candidates_and_a_slice(out: Path) -> None:
    ours = next(line for line in _lines(out) if line["method"] == "eqlearn")
    assert agreement_of(ours) == "identified"
    (output,) = ours["outputs"]
    right = [row for row in output["candidates"] if row["relative_rms"] < 0.01]
    assert right and right[0]["bic"] == min(row["bic"] for row in output["candidates"])
    x = np.array(ours["slice"]["x"])
    truth = problem("division").evaluate(np.stack([x, x], axis=1))[:, 0]
    np.testing.assert_allclose(ours["slice"]["y"][0], truth, atol=0.05)


def test_errors_are_measured_as_the_paper_does() -> None:
    line = {
        "problem": "division",
        "noise": 0.01,
        "outputs": [{"rms_outside": 0.03}],
    }
    assert against_truth(line) == pytest.approx(0.03)
    assert as_published(line) == pytest.approx(np.hypot(0.03, 0.01))
    pendulum = {
        "problem": "cart-pendulum-noisy",
        "noise": 0.1,
        "outputs": [{"rms_outside": e} for e in (0.0, 0.0, 0.1, 0.3)],
    }
    assert as_published(pendulum) == pytest.approx((0.01 + 0.09) / 4 + 0.01)
    assert mean_square(pendulum) == pytest.approx((0.01 + 0.09) / 4)
    assert against_truth({**line, "outputs": [{"rms_outside": None}]}) == np.inf


def test_tables_and_figures_are_written(out: Path) -> None:
    written = {path.name for path in write_results(out, [*EXPERIMENTS, "selection"])}
    assert {"division.txt", "division.md", "division.html"} <= written
    assert {"division-slices.png", "selection.md"} <= written
    assert not any(name.startswith("formulas") for name in written)
    text = (out / "division.txt").read_text()
    assert "EQL÷, fast recipe" in text and "0.83 [0.77, 1]" not in text
    assert "0.01 [0.01, 0.01]" in text
    assert (out / "division-slices.png").read_bytes().startswith(b"\x89PNG")


def test_what_only_one_sense_finds_is_close_or_nothing(out: Path) -> None:
    (ours, *_) = _lines(out)
    senses = [(True, True), (False, True), (True, False), (False, False)]
    lines = [
        {**ours, "seed": n, "symbolic": symbolic, "numeric": numeric}
        for n, (symbolic, numeric) in enumerate(senses)
    ]
    # Whatever a line of an older version calls itself.
    lines += [{**ours, "seed": 9, "numeric": False, "identified": "symbolic"}]
    layout = table("division", lines)
    (row,) = layout.rows
    cells = dict(zip(layout.header, row, strict=True))
    assert (cells["runs"], cells["identified"], cells["close"]) == ("5", "1", "1")
    lines = [{**ours, "seed": n, "commit": at} for n, at in enumerate(["b1", "a2", ""])]
    layout = table("division", lines)
    assert layout.rows[0][list(layout.header).index("commits")] == "a2, b1, –"


def test_far_points_have_figures_of_their_own(out: Path) -> None:
    lines = [{**line, "far": 40} for line in _lines(out)]
    assert set(drawn("division", lines)) == {
        "division-slices-far",
        "division-selection",
    }


def _searched(*candidates: tuple[float, ...], far: int = 0, **other: Any) -> Line:
    """A search on the division, by what is known of each of its candidates."""
    names = ("validation", "size", "bic", "relative_rms", "extrapolation")
    rows = [dict(zip(names, numbers, strict=False)) for numbers in candidates]
    own = {"method": "eqlearn", "problem": "division", "far": far}
    return {**own, "outputs": [{"candidates": rows}], **other}


def test_criteria_are_counted_by_their_picks() -> None:
    right, small = (0.01, 4.0, -900.0, 1e-4), (0.02, 1.0, -500.0, 0.3)
    lines = [
        _searched(right, small),
        _searched((0.01, 4.0, -900.0, 0.02), small),
        _searched((*right, 0.01), (*small, 0.9), far=40),
        _searched(right, small, method="eqlearn-paper"),
        _searched(right, small, outputs=[{"formula": "x1"}]),
    ]
    # Sizes 1, 0 and errors 0, 1 weigh alike, and the first of two is taken.
    assert selection_table(lines).rows == [
        ["none", "information", "2", "1"],
        ["none", "v_int_s", "2", "1"],
        ["none", "v_ranks", "2", "1"],
        ["40", "information", "1", "1"],
        ["40", "v_int_ex", "1", "1"],
        ["40", "v_int_s", "1", "1"],
        ["40", "v_ranks", "1", "1"],
    ]


def test_right_picks_over_alpha() -> None:
    right, small = (0.01, 4.0, -900.0, 1e-4), (0.02, 1.0, -500.0, 0.3)
    picks = right_picks([_searched(small, right), _searched(small, small)])
    assert picks is not None
    assert (picks.n_searches, picks.default) == (1, 1.0)
    assert {a for a, share in picks.v_int_s.items() if share} == {
        a for a in picks.v_int_s if a > 0.5
    }
    assert right_picks([]) is None


def test_a_table_tells_how_much_of_a_grid_was_tried(out: Path) -> None:
    (ours, *_) = _lines(out)
    (known,) = ours["outputs"]

    def tried(*remarks: dict[str, Any]) -> str:
        runs = [
            {**ours, "seed": n, "outputs": [known | some]}
            for n, some in enumerate(remarks)
        ]
        layout = table("division", runs)
        return layout.rows[0][list(layout.header).index("tried")]

    assert tried({"tried": 7, "grid": 54}, {"tried": 9, "grid": 54}) == "7–9 of 54"
    assert tried({"tried": 8, "grid": 8, "rows": 2000}) == "8 of 8, 2000 rows"
    assert tried({"epochs": 30}) == "epochs: 30"
    assert tried({}) == "–"


def test_runs_that_were_not_possible_are_no_rows(out: Path) -> None:
    (first, *_) = _lines(out)
    assert not table("division", [{**first, "status": "not possible"}]).rows


def test_the_command_makes_tables_and_goes_on_from_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["reproduce", "division", "--methods", "eqlearn", "--seeds", "1"]
    command += ["--time", "20s", "--jobs", "1", "--out", str(tmp_path)]

    def run() -> list[str]:
        with pytest.raises(SystemExit) as end:
            main(command)
        assert end.value.code == 0
        return capsys.readouterr().out.splitlines()

    first, again = run(), run()
    assert "division (9000 rows, noise 0.01, seed 1): identified" in first[0]
    assert again == first[1:]  # the files that were written, and no run
    assert {Path(line).name for line in again} >= {"division.md", "division-slices.png"}
