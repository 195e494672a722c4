"""Courses of motion as files: written whole, and read with suspicion."""

import zipfile
from pathlib import Path

import numpy as np
import pytest

from eqlearn.errors import EqlearnError
from eqlearn.model.courses import Courses, load_courses, save_courses

NUMBERS, T = np.zeros(3, dtype=int), np.arange(3.0)
COURSES = Courses(
    NUMBERS, NUMBERS, T, np.ones((3, 1)), np.ones((3, 2)), np.ones((3, 2))
)


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    save_courses(tmp_path / "courses.npz", COURSES)
    found = load_courses(tmp_path / "courses.npz")
    for ours, theirs in zip(COURSES, found, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_a_link_in_its_place_is_replaced(tmp_path: Path) -> None:
    """R-29: who plants one does not choose what is overwritten."""
    victim, path = tmp_path / "victim", tmp_path / "courses.npz"
    victim.write_text("kept")
    path.symlink_to(victim)
    save_courses(path, COURSES)
    assert victim.read_text() == "kept" and not path.is_symlink()


def test_a_place_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EqlearnError, match="^`path` must be a place to write"):
        save_courses(tmp_path / "nowhere" / "courses.npz", COURSES)


@pytest.mark.parametrize(
    "changed",
    [
        {"t": np.zeros(0)},
        {"t": np.arange(4.0)},
        {"measured": np.ones(3)},
        {"measured": np.ones((3, 3))},
        {"simulated": np.ones((3, 5))},
        {"t": np.array(["a", "b", "c"])},
        {"run": T},
        {"t": np.array(1.0)},
    ],
)
def test_arrays_that_do_not_belong_together_are_refused(
    changed: dict[str, np.ndarray], tmp_path: Path
) -> None:
    np.savez(tmp_path / "courses.npz", **{**COURSES._asdict(), **changed})
    with pytest.raises(EqlearnError, match="hold courses of motion") as caught:
        load_courses(tmp_path / "courses.npz")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"PK\3\4", b"\x93NUMPY\1\0v\0{", b"\0" * 99])
def test_files_of_another_kind_are_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "courses.npz").write_bytes(content)
    with pytest.raises(EqlearnError, match="hold courses of motion"):
        load_courses(tmp_path / "courses.npz")


def test_what_is_packed_badly_is_refused(tmp_path: Path) -> None:
    """Flipped bytes, and arrays with half a header."""
    save_courses(tmp_path / "courses.npz", COURSES)
    content = bytearray((tmp_path / "courses.npz").read_bytes())
    content[60:80] = bytes(255 - byte for byte in content[60:80])
    (tmp_path / "flipped.npz").write_bytes(content)
    with zipfile.ZipFile(tmp_path / "half.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in Courses._fields:
            archive.writestr(f"{name}.npy", b"\x93NUMPY\1\0\4\0{}  ")
    for name in ("flipped.npz", "half.npz"):
        with pytest.raises(EqlearnError, match="hold courses of motion"):
            load_courses(tmp_path / name)
