import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from short_training import one_network_diverges

from eqlearn.cli.main import main
from eqlearn.errors import EqlearnError
from eqlearn.jobs import job as jobs
from eqlearn.network.document import from_document
from eqlearn.network.instance import thresholded
from eqlearn.reproduce.jsonl import Line, whole_lines
from eqlearn.reproduce.section4 import networks
from eqlearn.reproduce.section4.networks import (
    Training,
    data_of,
    key_of,
    train_networks,
)
from eqlearn.search.attempts.grid_networks import Grid

#: Four networks of seconds; of two depths, two to a batch.
TINY = Training(
    "division",
    seed=1,
    rows=200,
    grid=Grid(
        l1=(1e-5, 1e-3), depths=(2, 3), units_per_type=2, n_epochs=20, refine=False
    ),
)


def silent(line: str) -> None:
    del line


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[Line]:
    path = tmp_path_factory.mktemp("networks") / "networks.jsonl"
    train_networks([TINY], path, tell=silent)
    assert not list((path.parent / "under-way").iterdir())
    return list(whole_lines(path))


def test_every_network_is_a_line_the_deepest_first(lines: list[Line]) -> None:
    assert [(line["depth"], line["l1"]) for line in lines] == [
        (3, 1e-5),
        (3, 1e-3),
        (2, 1e-5),
        (2, 1e-3),
    ]
    assert len({key_of(line) for line in lines}) == 4
    for line in lines:
        assert line["options"] == {"initial": "wide", "penalty": "in_place"}
        assert (line["rows"], line["epochs"], line["noise"]) == (200, 20, 0.01)
        assert 0 < line["s"] <= 8 * (line["depth"] - 1)
        assert line["s_released"] <= line["s"]
        assert line["diverged_at"] is None and line["seconds"] >= 0


def test_the_kept_network_has_the_errors_of_the_line(lines: list[Line]) -> None:
    points = data_of(TINY).points
    assert [len(x) for x, _ in points.values()] == [20, 40, 5000, 5000]
    for line in lines:
        graph = from_document(line["graph"])
        assert graph.n_parameters == line["n_parameters"]
        for name, (x, y) in points.items():
            error = np.sqrt(np.mean((thresholded(graph, x) - y) ** 2))
            assert line[name] == pytest.approx(error, rel=1e-4)


def test_the_published_pendulum_has_as_many_rows_as_its_data() -> None:
    points = data_of(Training("cart-pendulum-published", seed=1)).points
    assert {name: len(x) for name, (x, _) in points.items()} == {
        "validation": 2000,
        "extrapolation": 50,
        "rms_inside": 5000,
        "rms_outside": 5000,
    }
    assert Training("cart-pendulum-published", seed=1).known_by["rows"] == 18_000
    assert Training("division", seed=1).known_by["rows"] == 10_000


def test_networks_of_one_depth_are_those_of_the_whole_grid(
    lines: list[Line], tmp_path: Path
) -> None:
    path = tmp_path / "networks.jsonl"
    train_networks([TINY], path, depths=[2], tell=silent)
    assert without_time(list(whole_lines(path))) == without_time(lines[2:])
    with pytest.raises(EqlearnError, match=r"`depths` must be some of \[2, 3\]; got 4"):
        train_networks([TINY], path, depths=[4], tell=silent)


def test_a_large_network_is_kept_as_numbers_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(networks, "MOST_KEPT", 3)
    one = replace(TINY, grid=replace(TINY.grid, depths=(2,), l1=(1e-3,), n_epochs=10))
    train_networks([one], tmp_path / "networks.jsonl", tell=silent)
    (line,) = whole_lines(tmp_path / "networks.jsonl")
    assert line["graph"] is None and line["rms_outside"] > 0


def without_time(lines: list[Line]) -> list[Line]:
    return [{**line, "seconds": None} for line in lines]


class Killed(Exception):
    """What the tests end a training by."""


def test_a_killed_training_goes_on_to_the_same_networks(
    lines: list[Line], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "SEGMENT_SECONDS", -1.0)  # a segment for every 10 epochs
    monkeypatch.setattr(networks, "SAVE_EVERY", 0.0)
    write, n_written = networks.write_kept, 0

    def then_die(*arguments: object) -> None:
        nonlocal n_written
        write(*arguments)  # type: ignore[arg-type]
        n_written += 1
        raise Killed

    path = tmp_path / "networks.jsonl"
    monkeypatch.setattr(networks, "write_kept", then_die)
    # Of two segments and a half-written file each time, and of two batches.
    for _ in range(4):
        with pytest.raises(Killed):
            train_networks([TINY], path, tell=silent)
        for part in (tmp_path / "under-way").iterdir():
            part.with_name(part.name + ".part").write_bytes(b"half")
    train_networks([TINY], path, tell=silent)
    assert n_written == 4
    assert without_time(list(whole_lines(path))) == without_time(lines)


def test_what_is_there_is_not_trained_again(
    lines: list[Line], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "networks.jsonl"
    text = "".join(json.dumps(line) + "\n" for line in lines[:3])
    path.write_text(text)
    train_networks([TINY], path, tell=silent)
    assert without_time(list(whole_lines(path))) == without_time(lines)
    monkeypatch.setattr(networks, "trained", None)
    train_networks([TINY], path, tell=silent)


def test_what_another_version_kept_is_begun_anew(
    lines: list[Line], tmp_path: Path
) -> None:
    (tmp_path / "under-way").mkdir()
    for batch in TINY.batches():
        kept = networks.Kept(b"not a state", 7.0)
        networks.write_kept(tmp_path / "under-way" / batch.name, kept)
    path = tmp_path / "networks.jsonl"
    train_networks([TINY], path, tell=silent)
    assert without_time(list(whole_lines(path))) == without_time(lines)


def test_a_network_that_diverged_is_a_line_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_network_diverges(monkeypatch)
    one = replace(TINY, grid=replace(TINY.grid, depths=(2,), n_epochs=10))
    train_networks([one], tmp_path / "networks.jsonl", tell=silent)
    fine, diverged = whole_lines(tmp_path / "networks.jsonl")
    assert fine["diverged_at"] is None and diverged["diverged_at"] == 0
    assert fine.keys() == diverged.keys()
    assert diverged["validation"] is diverged["graph"] is None


def test_the_length_is_a_share_of_the_papers_epochs() -> None:
    whole = Training("F-1", 1)
    assert [b.depth for b in whole.batches()] == [4, 4, 3, 3, 2, 2]
    tenth = replace(whole, length=0.1).batches()
    epochs = [batch.specification["grid"]["n_epochs"] for batch in tenth]
    assert epochs == [3000, 3000, 2000, 2000, 1000, 1000]
    names = {batch.name for batch in (*whole.batches(), *tenth)}
    assert len(names) == 12


def test_bad_trainings_are_refused() -> None:
    with pytest.raises(EqlearnError, match="`length` must be above 0 and at most 1"):
        Training("F-1", 1, length=2.0)
    with pytest.raises(EqlearnError, match="The nearest are F-4"):
        Training("F-9", 1)


def test_the_command_trains_picks_and_goes_on_from_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny = replace(TINY.grid, depths=(2,), n_epochs=10)
    monkeypatch.setattr(networks, "GRID", tiny)
    command = ["reproduce", "networks", "--problems", "division", "--criteria"]
    command += ["v_int_ex", "--initial", "released", "--penalty", "extra"]
    command += ["--depths", "2", "--out", str(tmp_path)]

    def run() -> list[str]:
        with pytest.raises(SystemExit) as end:
            main(command)
        assert end.value.code == 0
        return capsys.readouterr().out.splitlines()

    first, again = run(), run()
    assert ": 2 networks, " in first[0]
    assert first[1].startswith("division, seed 1, v_int_ex: L = 2, λ = ")
    assert again == first[1:]
    page = (tmp_path / "networks.md").read_text(encoding="utf-8")
    assert "| division | 1 | released | extra | v_int_ex | 1 | 2 |" in page
