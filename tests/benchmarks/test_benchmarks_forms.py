"""Textbook laws and waves, judged by their true form, and pure noise."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sympy

from benchmarks import pure_noise
from benchmarks.pure_noise import N_TABLES, NoiseTable, noise_table
from benchmarks.recovery_groups import GROUPS, HALVES, IDENTIFIED, Choice, runs_of
from benchmarks.recovery_table import form_table
from eqlearn.baselines.methods import METHODS
from eqlearn.baselines.question import Answer, Question
from eqlearn.problems import TEXTBOOK_UNSEEN, Learned, problem
from eqlearn.reproduce.section4.judging import judge
from eqlearn.reproduce.section4.missing_runs import summary
from eqlearn.reproduce.section4.runs import Run
from eqlearn.reproduce.subprocesses import Failure


def answer_to(name: str, expression: sympy.Expr | None = None) -> Answer:
    known = problem(name)
    formula = known.expressions()[0] if expression is None else expression
    values = sympy.lambdify([sympy.Symbol(i) for i in known.inputs], formula)
    return Answer(
        Learned(lambda x: np.broadcast_to(values(*x.T), len(x)), formula), 1, 1
    )


def line(group: str, name: str, noise: float, **result: Any) -> dict[str, Any]:
    run = Run("eqlearn", group, name, 1, 500, noise, 0, "60")
    return {**vars(run), "status": "ok", "seconds": 3.0, **result}


def test_every_group_by_form_has_an_unseen_half_asked_alike() -> None:
    assert {*HALVES, *HALVES.values()} == GROUPS.keys() - IDENTIFIED.keys()
    for seen, unseen in HALVES.items():
        for run, other in zip(
            runs_of({seen: GROUPS[seen]}, Choice()),
            runs_of({unseen: GROUPS[unseen]}, Choice()),
            strict=True,
        ):
            assert (run.rows, run.noise, run.limit) == (
                other.rows,
                other.noise,
                other.limit,
            )


def test_a_line_tells_the_true_form_beside_closeness() -> None:
    x, y = sympy.symbols("U R")
    judged = [
        judge([found], problem("ohm-heat"), np.random.default_rng(0))
        for found in (
            answer_to("ohm-heat", 1.05 * x**2 / y),
            answer_to("ohm-heat", x**2 / y + 1e-6 * x),
            answer_to("ohm-heat", 0.1 * x**2),
        )
    ]
    found = [(one["true_form"], one["numeric"]) for one in judged]
    assert found == [(True, False), (False, True), (False, False)]
    assert not any("slice" in one for one in judged)
    said = [summary({**one, "seconds": 1.0}).split(",")[0] for one in judged]
    assert said == ["true form", "close", "NOT found"]
    nothing = judge([None], problem("ohm-heat"), np.random.default_rng(0))
    assert nothing["true_form"] is False
    other = judge([answer_to("hill")], problem("hill"), np.random.default_rng(0))
    assert "true_form" not in other


def test_of_the_unseen_no_formula_is_written() -> None:
    name = TEXTBOOK_UNSEEN[0]
    judged = judge([answer_to(name)], problem(name), np.random.default_rng(0))
    assert judged["true_form"]
    assert judged["outputs"][0]["formula"] == ""
    text = json.dumps(judged)
    assert str(problem(name).expressions()[0]) not in text
    assert problem(name).meaning not in text


def test_halves_stand_side_by_side() -> None:
    lines = [
        line("textbook", "ohm-heat", 0.01, true_form=True, numeric=True),
        line("textbook", "manning", 0.01, true_form=False, numeric=True),
        line("textbook-unseen", "unseen-01", 0.01, true_form=True, numeric=False),
        line("laws", "hill", 0.01, symbolic=True),
    ]
    table = form_table(lines)
    rows = {(row[0], row[3]): row[5:] for row in table.rows}
    assert rows["textbook", "0.01"] == ("1 of 2", "1", "3.0", "1 of 1", "0", "3.0")
    assert rows["textbook", "0.05"] == ("– of 89", "–", "–") * 2
    assert ("waves", "0.05") in rows
    assert any(note.endswith("simple 1/1, power 0/1") for note in table.notes)
    assert "unseen-01" not in table.text()


def test_pure_noise_is_drawn_by_its_number() -> None:
    sizes = []
    for number in range(1, N_TABLES + 1):
        facts, x, y = NoiseTable(number).draw()
        sizes.append(x.shape)
        assert (facts["rows"], facts["inputs"]) == x.shape
        assert y.shape == (len(x), 1)
        assert np.isfinite(x).all()
        assert np.isfinite(y).all()
        np.testing.assert_array_equal(NoiseTable(number).draw()[1], x)
    rows, inputs = map(set, zip(*sizes, strict=True))
    assert 50 <= min(rows) < 100
    assert 1500 < max(rows) <= 2000
    assert inputs == set(range(1, 11))


@pytest.mark.parametrize(
    ("expression", "found"),
    [(None, False), ("0", False), ("20.1", False), ("20.1 + 0.3*x1", True)],
)
def test_anything_but_the_mean_is_a_false_find(
    expression: str | None, found: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def method(question: Question) -> list[Answer | None]:
        if expression is None:
            return [None]
        return [Answer(Learned(lambda x: x[:, 0], sympy.sympify(expression)), 1, 1)]

    monkeypatch.setitem(METHODS, "eqlearn", SimpleNamespace(load=lambda: method))
    assert pure_noise.perform(NoiseTable(3))["found"] is found


def test_pure_noise_takes_as_long_as_the_chosen_clock_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(
        METHODS, "eqlearn", SimpleNamespace(load=lambda: lambda _: [None])
    )
    ticks = iter([3.0, 8.0])
    monkeypatch.setattr("time.perf_counter", lambda: next(ticks))  # as its workers do
    assert pure_noise.perform(NoiseTable(3))["seconds"] == 5.0


def test_false_finds_are_counted_once_a_table(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def results(
        function: Any, asked: Any, *_: object
    ) -> Iterator[tuple[NoiseTable, Any]]:
        for one in asked:
            facts = {"table": one.number, "seconds": 2.0, "formula": "x1"}
            found = one.number == 2
            yield one, {**facts, "found": found} if one.number < 3 else Failure("", "")

    monkeypatch.setattr(pure_noise, "in_processes", results)
    path = tmp_path / "noise.jsonl"
    pure_noise.main(["--tables", "2", "--out", str(path)])
    assert "1 of 2" in (first := capsys.readouterr().out)
    assert "open: 2 tables so far" in first
    pure_noise.main(["--tables", "3", "--out", str(path)])  # a crash is no mean
    assert "2 of 3" in (second := capsys.readouterr().out)
    assert "table 2" not in second
    assert "not met" in second


def test_no_false_find_meets_the_figure() -> None:
    lines = [
        {"limit": 60.0, "table": n, "found": n == 7, "seconds": 1.0}
        for n in range(1, N_TABLES + 1)
    ]
    (row,) = noise_table(lines).rows
    assert row[2:] == ("1 of 50", "1.0", "at most 1", "met")


def test_a_shorter_limit_leaves_the_asked_one_open() -> None:
    short = [
        {"limit": 10.0, "table": n, "found": False} for n in range(1, N_TABLES + 1)
    ]
    done, asked = noise_table(short).rows
    assert (done[1], done[-1]) == ("10 s", "met")
    assert (asked[1], asked[-1]) == ("60 s", "open: 0 tables so far")
