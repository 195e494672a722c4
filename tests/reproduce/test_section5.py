"""Section 5 in small: pieces are done once, and tables and figures come of them."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from formulas import formula
from found import candidate, found
from PIL import Image
from sklearn.base import BaseEstimator

from eqlearn.control import dynamics, logs, swingup
from eqlearn.control.derivatives import DynamicsData
from eqlearn.control.dynamics import rates_by
from eqlearn.errors import EqlearnError
from eqlearn.reproduce.jsonl import Line, append_line
from eqlearn.reproduce.section5 import control_experiments as control
from eqlearn.reproduce.section5 import control_results
from eqlearn.reproduce.section5.control_equations import (
    EQUATIONS,
    coefficients,
    largest_deviation,
    largest_errors,
    true_coefficients,
    true_text,
)
from eqlearn.reproduce.section5.control_experiments import (
    LINES,
    NAMES,
    QUICK,
    Extent,
    Piece,
    piece_of,
    pieces,
    read_lines,
    reproduce,
    rollouts_of,
    told,
    trajectory_path,
)
from eqlearn.reproduce.section5.control_selection import selected_by
from eqlearn.reproduce.section5.control_tables import html, markdown, tables, text
from eqlearn.search.conclude.to_model import model_of

TINY = Extent(
    experiments=2,
    runs=1,
    rollouts=(1, 2),
    sensor_noise=(0.01,),
    action_noise=(),
    models=("true",),
    planner="shooting",
    n_steps=3,
    rollout_steps=50,
)


def made_up(extent: Extent) -> list[Line]:
    """Lines as they would be, of rewards that grow with the number of rollouts."""
    lines = []
    for piece in pieces(extent):
        rewards = [300.0 + 10 * piece.rollouts + piece.experiment, 310.0]
        line: Line = {"piece": dict(vars(piece)), "upright": 1, "rewards": rewards}
        line |= {"milliseconds": 3.0}
        if piece.model != "true":
            line |= {"seconds": 20.0, "largest_errors": dict.fromkeys(EQUATIONS, 0.01)}
        if piece.model == "eql":
            values = {name: 1.001 * one for name, one in true_coefficients().items()}
            line |= {"coefficients": values, "largest_deviation": 0.001}
            line |= {"equations": ["d(x)/dt = x_dot"], "verdicts": ["trusted"]}
        lines.append(line)
    return lines


def test_the_paper_has_five_experiments_of_ten_runs() -> None:
    found = pieces(Extent())
    assert len(set(found)) == len(found)
    of_paper = [p for p in found if not (p.sensor_noise or p.action_noise)]
    for model, number in (("eql", 25), ("mlp", 25), ("true", 5)):
        some = [piece for piece in of_paper if piece.model == model]
        assert len(some) == number
        assert {piece.runs for piece in some} == {10}
    noisy = [piece for piece in found if piece not in of_paper]
    assert {piece.rollouts for piece in noisy if piece.model == "eql"} == {3}
    assert len(noisy) == 5 * 2 * 6


def test_a_quick_look_has_every_model_once() -> None:
    assert sorted(piece.model for piece in pieces(QUICK)) == ["eql", "mlp", "true"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"experiments": 0}, "`experiments` must be at least 1; got 0"),
        ({"rollouts": ()}, "`rollouts` must be numbers of rollouts, 1 or more"),
        ({"rollouts": (0,)}, "`rollouts` must be numbers of rollouts, 1 or more"),
        ({"time_limit": 0.0}, "`time_limit` must be a positive number of seconds"),
        ({"models": ("forest",)}, "`models` must be one of 'eql', 'mlp', 'true'"),
        ({"planner": "cme"}, "`planner` must be one of .* Did you mean 'cem'?"),
    ],
)
def test_an_extent_is_checked_before_anything_is_done(
    change: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(EqlearnError, match=said):
        reproduce(tmp_path / "out", replace(TINY, **change))
    assert not (tmp_path / "out").exists()


def test_more_rollouts_begin_with_the_fewer() -> None:
    three, two = (
        rollouts_of(piece)
        for piece in pieces(replace(TINY, rollouts=(3, 2), models=("mlp",)))[:2]
    )
    assert (len(three), len(two)) == (3, 2)
    np.testing.assert_array_equal(three[0].states, two[0].states)
    np.testing.assert_array_equal(three[-1].actions, two[-1].actions)
    assert three[-1].actions.std() > 1.3 * three[0].actions.std()


def test_nothing_is_done_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    files = reproduce(tmp_path, TINY, tell=said.append)
    assert all(path.is_file() for path in files)
    # The true model needs no rollouts: one piece for each experiment and noise.
    assert said[0] == "4 pieces, 0 of them are done."
    assert said[1].startswith("true model, experiment 1: upright 0 of 1, reward -")
    assert len(said) == 5
    before = {path.name: path.read_bytes() for path in files}
    whole = (tmp_path / LINES).read_text(encoding="utf-8")

    done: list[Piece] = []
    perform = control.perform

    def watched(piece: Piece, out: Path, jobs: int) -> Line:
        done.append(piece)
        return perform(piece, out, jobs)

    monkeypatch.setattr(control, "perform", watched)
    reproduce(tmp_path, TINY)
    assert done == []

    # Killed while the third line was written: that one is done again, no other.
    lines = whole.splitlines(keepends=True)
    (tmp_path / LINES).write_text("".join(lines[:2]) + lines[2][:40], encoding="utf-8")
    reproduce(tmp_path, TINY, tell=said.append)
    assert "4 pieces, 2 of them are done." in said
    assert done == pieces(TINY)[2:]
    again = read_lines(tmp_path / LINES)
    assert list(again) == pieces(TINY)
    untimed = {p: {**line, "milliseconds": 0} for p, line in again.items()}
    for line in map(json.loads, lines):
        assert untimed[piece_of(line)] == {**line, "milliseconds": 0}
    assert set(before) == {path.name for path in reproduce(tmp_path, TINY)}

    # Other settings are other pieces.
    reproduce(tmp_path, replace(TINY, n_steps=4))
    assert done[2:] == pieces(replace(TINY, n_steps=4))


def test_lines_that_are_none_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / LINES
    assert read_lines(path) == {}
    line = made_up(TINY)[0]
    path.write_bytes(b'\xff\n3\n{"piece": {}}\n{"piece": {"model"')
    append_line(path, line)
    append_line(path, line)
    assert read_lines(path) == {piece_of(line): line}
    assert path.read_bytes().endswith(b"}\n")


def test_a_network_is_learned_and_tested(tmp_path: Path) -> None:
    extent = replace(TINY, experiments=1, sensor_noise=(), models=("mlp",))
    reproduce(tmp_path, extent)
    for line in read_lines(tmp_path / LINES).values():
        assert line["seconds"] > 0
        assert set(line["largest_errors"]) == set(EQUATIONS)
        assert "MLP, K = " in told(line)


def test_equations_are_learned_kept_and_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Knowing(BaseEstimator):  # type: ignore[misc]  # it has no types
        """Finds the equations at once."""

        interrupted_ = False
        equation_ = "d(x)/dt = x_dot"
        verdict_ = ()
        equations = ()

        def __init__(
            self,
            time_limit: float | None = None,
            n_jobs: int = 1,
            random_state: int = 0,
            run_dir: Path | None = None,
            warm_start: bool = False,
        ) -> None:
            self.time_limit, self.n_jobs = time_limit, n_jobs
            self.random_state, self.run_dir = random_state, run_dir
            self.warm_start = warm_start

        def fit(self, *data: Any, **far: Any) -> "Knowing":
            seen.append((len(data[0]), *(len(one[0]) for one in far.values())))
            self.seconds, self.model_ = 1.0, self
            return self

        def save(self, path: Path) -> None:
            assert path.name == "model.json"

    seen: list[tuple[int, ...]] = []
    monkeypatch.setattr("eqlearn.learners.equation_learner.EquationLearner", Knowing)
    for module in (control, dynamics):
        monkeypatch.setattr(module, "equations_of_motion", lambda _: swingup.dynamics)
    extent = replace(TINY, experiments=1, models=("eql",), n_steps=10, selects=False)
    files = {path.name for path in reproduce(tmp_path, extent)}
    # All rollouts are learned from; averages of the noisy ones, twice.
    assert seen == [(50,), (100,), (150,), (36,), (18,)]
    assert files >= {"control.md", "control.txt", "swingup.gif"}
    assert files >= {"control-rewards.png", "control-noise.png"}
    with Image.open(tmp_path / "swingup.gif") as film:
        assert film.format == "GIF"
        assert getattr(film, "n_frames", 1) == 6
    piece = pieces(extent)[1]
    run = logs.read(trajectory_path(tmp_path, piece, "controlled"))
    assert len(run.actions) == 10
    line = read_lines(tmp_path / LINES)[piece]
    assert line["largest_deviation"] < 1e-9

    Knowing.interrupted_ = True
    with pytest.raises(KeyboardInterrupt):
        reproduce(tmp_path, replace(extent, experiments=2))
    assert len(read_lines(tmp_path / LINES)) == len(pieces(extent))

    # As in the paper the last rollout is not learned from, if there is another.
    seen.clear()
    Knowing.interrupted_ = False
    apart = []

    def select(learner: Any, seen: DynamicsData, rollout: DynamicsData) -> Any:
        apart.append((len(seen.states), len(rollout.states)))
        return learner.model_

    monkeypatch.setattr(control, "selected_by", select)
    reproduce(tmp_path, replace(extent, selects=True, sensor_noise=()))
    assert (seen, apart) == ([(50,)], [(50, 50)])  # of one rollout it was there


def test_a_rollout_selects_among_what_was_found() -> None:
    right, wrong = (formula(2, {0: slope}) for slope in (2.0, 3.0))
    some = found(
        candidate(wrong, bic=-200.0, validation=0.02),
        candidate(right, bic=-100.0, validation=0.02),
    )
    states, actions = np.linspace(-1, 1, 20)[:, None], np.zeros((20, 1))
    names = ("s", "a"), ("ds",)
    seen = DynamicsData(states, actions, 2 * states, *names)
    wide = DynamicsData(3 * states, actions, 6 * states, *names)
    domain = ((-2.0, 2.0), (-1.0, 1.0))
    known = model_of(
        [some], seen.inputs, seen.derivatives, np.array(domain),
        inputs=names[0], targets=names[1],
    )  # fmt: skip
    assert known.chosen[0].graph == wrong
    learner = SimpleNamespace(found_=[some], model_=known)
    model = selected_by(learner, seen, wide)
    assert model.chosen[0].graph == right
    assert model.chosen[0].scores["extrapolation_error"] == 0.0
    assert (model.inputs, model.domain) == (known.inputs, known.domain)


def test_tables_say_what_was_learned_from_and_how_it_was_planned() -> None:
    extent = replace(TINY, models=("eql",))
    (as_published, *_) = tables(made_up(extent))[0].notes
    assert "models are selected. Planned by random shooting, as in" in as_published
    (ours, *_) = tables(made_up(replace(extent, selects=False, planner="mppi")))[
        0
    ].notes
    assert "but equations are learned from it, too. Planned by path inte" in ours
    # So do lines from before there was a choice.
    old = made_up(extent)
    for line in old:
        del line["piece"]["selects"]
    assert "learned from it, too" in tables(old)[0].notes[0]


def test_the_paper_plans_by_random_shooting() -> None:
    assert (Extent().planner, Extent().selects) == ("shooting", True)


def test_the_tables_have_what_was_measured() -> None:
    lines = made_up(replace(TINY, models=("eql", "mlp", "true"), action_noise=(0.1,)))
    by_rollouts, by_noise, by_experiment, by_coefficient = tables(lines)
    assert [row[:2] for row in by_rollouts.rows] == [
        ("1", NAMES["eql"]),
        ("1", NAMES["mlp"]),
        ("2", NAMES["eql"]),
        ("2", NAMES["mlp"]),
        ("3", NAMES["eql"]),
        ("–", NAMES["true"]),
    ]
    assert by_rollouts.rows[2][2:] == (
        "2 of 4",
        "315.8 [310.0, 322.0]",
        "103 %",
        "20 s",
        "3.0 ms",
    )
    assert {row[:2] for row in by_noise.rows} >= {("sensor", "0.01"), ("action", "0.1")}
    assert len(by_experiment.rows) == 10
    assert by_experiment.rows[0][2:4] == ("0.1 %", "1 %")
    assert all(row[-1] == "0.1 %" for row in by_coefficient.rows)
    picture = {"Picture": "a.png"}
    for written in (text(lines), markdown(lines, picture), html(lines, picture)):
        assert "physical" in written
        assert true_text()[1] in written
        assert "K = 2, experiment 1" in written
    assert "![Picture](a.png)" in markdown(lines, picture)
    assert '<img src="a.png" alt="Picture">' in html(lines, picture)


def test_figures_are_drawn_of_what_there_is(tmp_path: Path) -> None:
    lines = made_up(replace(TINY, models=("eql", "mlp", "true"), rollouts=(3,)))
    written = control_results.write_results(tmp_path, lines)
    assert {path.suffix for path in written} == {".md", ".txt", ".html", ".png"}


def test_a_blow_up_is_no_number_in_the_tables() -> None:
    def lost(inputs: Any) -> Any:
        return np.full((len(inputs), 4), np.nan)

    found = coefficients(rates_by(lost))
    assert np.isnan(list(found.values())).all()
    line = made_up(replace(TINY, models=("eql",)))[0]
    nothing = dict.fromkeys(found)
    line |= {"coefficients": nothing, "largest_deviation": None}
    line |= {"largest_errors": dict.fromkeys(EQUATIONS)}
    shown = text([line])
    assert "–" in shown
    assert "nan" not in shown


def test_coefficients_are_read_off_whatever_the_form() -> None:
    assert largest_deviation(coefficients(swingup.dynamics)) < 1e-9
    assert max(largest_errors(swingup.dynamics).values()) == 0
    heavy = swingup.CartPole(gravity=9.9)

    def other(states: Any, actions: Any) -> Any:
        return swingup.dynamics(states, actions, heavy)

    found = coefficients(other)
    assert largest_deviation(found) == pytest.approx(0.1 / 9.8, rel=1e-6)
    assert found["d(theta_dot)/dt: sin(theta)"] == pytest.approx(0.75 * 9.9 / 0.5)
    assert 0 < largest_errors(other)["d(theta_dot)/dt"] < 0.02
