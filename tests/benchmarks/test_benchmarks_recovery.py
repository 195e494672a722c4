import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sympy

from benchmarks import recovery
from benchmarks.recovery_groups import GROUPS, QUICK, Choice, runs_of
from benchmarks.recovery_table import PROBLEM_FIGURES, rows_of
from eqlearn.baselines.methods import METHODS, OURS
from eqlearn.baselines.question import Answer, NotPossible, Question
from eqlearn.problems import Learned, problem
from eqlearn.reproduce.section4 import missing_runs as conduct
from eqlearn.reproduce.section4.judging import agreement_of, judge
from eqlearn.reproduce.section4.runs import Run, TimedRun, allowance, read_lines


def in_this_process(
    function: Callable[[TimedRun], Any], jobs: list[TimedRun], *_: object
) -> Iterator[tuple[TimedRun, Any]]:
    return ((job, function(job)) for job in jobs)


def true_division() -> Answer:
    known = problem("division")
    (formula,) = known.expressions()
    return Answer(Learned(lambda x: known.evaluate(x)[:, 0], formula), 2, 16)


@pytest.fixture
def run_benchmark(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> Callable[..., str]:
    """Run with a method that knows the division, and nothing else."""

    def method(question: Question) -> list[Answer | None]:
        return [true_division() if question.names == ("x1", "x2") else None]

    monkeypatch.setattr(conduct, "in_processes", in_this_process)
    monkeypatch.setitem(METHODS, "eqlearn", SimpleNamespace(load=lambda: method))

    def run(*arguments: str) -> str:
        recovery.main([*arguments, "--out", str(tmp_path / "runs.jsonl")])
        return capsys.readouterr().out

    return run


def test_the_groups_are_those_of_the_figures() -> None:
    numbers = {g: len(runs_of({g: GROUPS[g]}, Choice())) for g in GROUPS}
    assert numbers == {
        "formulas": 50,
        "pendulum": 20,
        "pendulum-published": 40,
        "random": 48,
        "fresh": 40,
        "laws": 6 * 62,
        "textbook": 3 * 89,
        "waves": 10,
        "textbook-unseen": 3 * 89,
        "waves-unseen": 10,
    }
    assert len(runs_of(QUICK, Choice())) == 16
    peers = runs_of(GROUPS, Choice("pyoperon"))
    assert len(peers) == 50 + 6 * 10
    assert {run.limit for run in peers} == {"10x"}


def test_a_choice_overrides_the_groups() -> None:
    choice = Choice(problems=["hill"], n_seeds=2, rows=[70], noise=[0.02], seconds=3)
    runs = runs_of(GROUPS, choice)
    expected = [Run("eqlearn", "laws", "hill", s, 70, 0.02, 0, "3") for s in (1, 2)]
    assert runs == expected
    with pytest.raises(SystemExit, match="Not among the chosen problems: hull"):
        runs_of(GROUPS, Choice(problems=["hull", "hill"]))


def test_runs_are_written_once_and_shown(
    run_benchmark: Callable[..., str], tmp_path: Path
) -> None:
    some = ("--problem", "division", "F-1", "--seeds", "1", "--rows", "50")
    first = run_benchmark(*some)
    assert "[1/2, 0.0 min] division (50 rows, noise 0.01, seed 1): identified" in first
    assert "nothing found, no formula for y" in first
    assert "[" not in run_benchmark(*some)  # nothing is left to do
    run_benchmark(*some, "--redo")
    lines = [*map(json.loads, (tmp_path / "runs.jsonl").read_text().splitlines())]
    assert len(lines) == 4
    assert lines[0]["decided"].startswith("y: same formula")
    assert lines[0]["outputs"][0]["formula"] == "sin(pi*x1)/(x2**2 + 1)"
    assert lines[0]["relative_rms_outside"] == 0
    table = run_benchmark("--table", "--markdown", str(tmp_path / "table.md"))
    rows = [line.split() for line in table.splitlines()]
    division = next(row for row in rows if row and row[0] == "division")
    assert division[:3] == ["division", "eqlearn", "50"]
    assert division[6:10] == ["s", "1", "1", "0"]
    assert "noise 0.01: F-1 seed 1 (nothing found)" in table
    assert "| division | eqlearn | 50 |" in (tmp_path / "table.md").read_text()


def test_what_was_not_possible_is_tried_again(
    run_benchmark: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def cannot(question: Any) -> list[Any]:
        raise NotPossible("no far points yet")

    def learn(x: Any, y: Any, **options: Any) -> list[Any]:
        return [SimpleNamespace(candidates=())]

    some = ("--problem", "RE2-1", "--seeds", "1", "--rows", "50", "--far", "40")
    monkeypatch.setattr("eqlearn.search.learn.learn", learn)
    with monkeypatch.context() as patch:
        patch.setitem(METHODS, "eqlearn", SimpleNamespace(load=lambda: cannot))
        assert "not possible, no far points yet" in run_benchmark(*some)
    monkeypatch.setitem(METHODS, "eqlearn", OURS)
    assert "nothing found" in run_benchmark(*some)


def test_a_line_cut_off_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    run = Run("eqlearn", "laws", "hill", 1, 200, 0.0, 0, "20")
    path.write_text(
        "\n".join(json.dumps({**vars(run), "n": n}) for n in (1, 2)) + '\n{"method": '
    )
    assert read_lines(path) == {run.key: {**vars(run), "n": 2}}


def test_peers_get_ten_times_the_median_time() -> None:
    ours = [Run("eqlearn", "laws", "hill", s, 200, 0.0, 0, "20") for s in (1, 2, 3)]
    times = zip(ours, (2.0, 3.0, 9.0), strict=True)
    lines = {
        run.key: {**vars(run), "seconds": seconds, "workers": 2}
        for run, seconds in times
    }
    allowed = allowance(lines)
    # They have one core.
    assert allowed(Run("gplearn", "laws", "hill", 1, 200, 0.0, 0, "10x")) == 60
    assert allowed(Run("gplearn", "laws", "hill", 1, 200, 0.0, 0, "5")) == 5
    assert allowed(Run("gplearn", "laws", "hill", 1, 2000, 0.0, 0, "10x")) is None


def test_a_wrong_formula_is_judged_so() -> None:
    zero = Answer(Learned(lambda x: 0 * x[:, 0], sympy.Integer(0)), 0, 1)
    line = judge([zero], problem("division"), np.random.default_rng(0))
    assert agreement_of(line) == "no"
    assert "other formula or constants, 1e+02 % off" in line["decided"]
    (output,) = line["outputs"]
    assert output["relative_rms_inside"] == pytest.approx(1, abs=0.03)
    assert line["mse_outside"] == pytest.approx(output["rms_outside"] ** 2, rel=1e-3)


def test_figures_are_met_or_not() -> None:
    figure = PROBLEM_FIGURES["F-3", 0]
    assert figure.reached([True] * 10, seconds=9) == "met"
    assert figure.reached([True] * 10, seconds=11) == "not met: time"
    assert figure.reached([True] * 9 + [False], seconds=9) == "not met: 9 of 10"
    assert figure.reached([True] * 9, seconds=9) == "open: 9 so far"


def test_the_published_pendulum_counts_by_its_median_with_noise() -> None:
    figure = PROBLEM_FIGURES["cart-pendulum-published", 50]
    errors = {0.0004: True, 0.0006: False, None: False}
    lines = [{"noise": 0.1, "mse_outside": error} for error in errors]
    assert list(map(figure.passes, lines)) == list(errors.values())
    assert figure.reached([True] * 6 + [False] * 4, seconds=100) == "met"
    assert figure.reached([True] * 5 + [False] * 5, seconds=100) == "not met: 5 of 10"


def test_random_expressions_count_by_most_seeds() -> None:
    def line(name: str, seed: int, is_close: bool) -> dict[str, Any]:
        run = Run("eqlearn", "random", name, seed, 9000, 0.01, 0, "180")
        return {**vars(run), "status": "ok", "numeric": is_close, "seconds": 1.0}

    found = [line("RE2-1", s, is_close=s == 2) for s in (1, 2, 3)]
    found += [line("RE2-2", s, is_close=True) for s in (1, 2)]
    found += [line("RE2-3", 1, is_close=False)]
    *_, total = rows_of(found)
    assert total.passed == [False, True, None]
    assert total.cells()[-1] == "open: 1 so far"


def test_a_missing_peer_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gplearn.genetic", None)
    with pytest.raises(SystemExit, match=r'pip install "eqlearn\[peers\]"'):
        recovery.main(["--method", "gplearn", "--table"])
