from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from eqlearn.control import swingup
from eqlearn.control.film import write_gif
from eqlearn.errors import EqlearnError


@pytest.mark.parametrize(("seconds", "n_shown"), [(0.02, 5), (0.04, 10), (0.05, 10)])
def test_a_film_shows_as_many_pictures_as_a_browser_can(
    seconds: float, n_shown: int, tmp_path: Path
) -> None:
    path = tmp_path / "turning.gif"
    angles = np.linspace(0, 3, 10)
    write_gif(path, [swingup.draw(np.array([0, 0, a, 0])) for a in angles], seconds)
    with Image.open(path) as film:
        assert (film.format, film.size) == ("GIF", (600, 300))
        assert getattr(film, "n_frames", 1) == n_shown
        assert n_shown * film.info["duration"] == pytest.approx(1e4 * seconds, abs=51)
        assert film.info["loop"] == 0


def test_colours_are_kept_throughout(tmp_path: Path) -> None:
    path = tmp_path / "turning.gif"
    frames = [swingup.draw(np.array([0, 0, a, 0])) for a in (3, 2, 1, 0)]
    write_gif(path, frames, 0.1)
    with Image.open(path) as film:
        for number, frame in enumerate(frames):
            film.seek(number)
            shown = np.asarray(film.convert("RGB")).astype(int)
            assert np.abs(shown - frame).max(axis=2).mean() < 1


def test_a_film_needs_a_picture(tmp_path: Path) -> None:
    with pytest.raises(EqlearnError, match="`frames` must be at least one picture"):
        write_gif(tmp_path / "none.gif", [], 0.1)
    assert not list(tmp_path.iterdir())
