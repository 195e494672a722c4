from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eqlearn.errors import EqlearnError
from eqlearn.network.graph import CONSTANT, Graph
from eqlearn.search import request as requests
from eqlearn.search.attempts.grid_networks import Grid
from eqlearn.search.learn import learn
from eqlearn.search.request import Request, fingerprint
from eqlearn.search.strategy import STANDARD, Stopping

X = np.linspace(1, 2, 30)[:, None]
Y = 3 * X


def asked(**settings: Any) -> Request:
    return Request(X, Y, jobs=1, **settings)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"time_limit": 0.0}, "`time_limit` must be above 0"),
        ({"max_attempts": 0}, "`max_attempts` must be"),
        ({"seed": -1}, "`seed` must be"),
        ({"recipe": "quick"}, "`recipe` must be"),
        ({"units": ("sin", "cube")}, "cube"),
        ({"loss": "cubed"}, "`loss` must be"),
        ({"loss": "huber", "recipe": "paper"}, "`loss` must be left out"),
    ],
)
def test_what_cannot_be_asked_gets_one_line(
    settings: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(EqlearnError, match=complaint) as refused:
        asked(**settings)
    assert "\n" not in str(refused.value)


def test_a_grid_brings_its_own_units() -> None:
    assert asked().grid is None
    assert asked(recipe="paper").grid == Grid()
    grid = Grid(units=("sin",))
    assert asked(recipe=grid, units=("exp",)).used_units == ("sin",)


@pytest.mark.parametrize(
    "settings",
    [
        {"seed": 1},
        {"recipe": "paper"},
        {"loss": "huber"},
        {"units": ("sin",)},
        {"domain": np.array([[0.0, 3.0]])},
        {"weight": np.ones(30)},
        {"far": (X + 2, Y)},
        {"guesses": [[Graph(1, (), (({0: 1.0}, {CONSTANT: 1.0}),))]]},
        {"strategy": replace(STANDARD, stopping=Stopping(votes=9))},
    ],
)
def test_another_question_is_another_run(settings: dict[str, Any]) -> None:
    assert asked(**settings).identity != asked().identity


def test_how_and_for_how_long_it_is_computed_is_no_part_of_the_question() -> None:
    elsewhere = asked(time_limit=5.0, max_attempts=7, run_dir="a", scheduler="tcp://b")
    assert elsewhere.identity == asked().identity


def test_any_number_changes_the_fingerprint() -> None:
    other = X.copy()
    other[17] = np.nextafter(other[17], 9)
    assert fingerprint(X, None) != fingerprint(other, None)
    assert fingerprint(X, None) != fingerprint(None, X)


def test_a_run_is_not_continued_under_another_strategy(tmp_path: Path) -> None:
    learn(asked(run_dir=tmp_path))
    other = replace(STANDARD, stopping=Stopping(votes=9))
    with pytest.raises(EqlearnError, match=r"`votes` must be 3 as before.*; got 9"):
        learn(asked(run_dir=tmp_path, strategy=other))


def test_a_run_is_not_continued_by_another_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn(asked(run_dir=tmp_path))
    monkeypatch.setattr(requests, "__version__", "99.0")
    with pytest.raises(EqlearnError, match=r"`version` must be .* as before.*99\.0"):
        learn(asked(run_dir=tmp_path))
