"""Every example of the gallery runs, and prints what its page shows."""

import importlib.util
import re
import warnings
from pathlib import Path
from types import ModuleType

import pytest
from page_blocks import ROOT


def _load() -> ModuleType:
    path = ROOT / "examples" / "make_gallery.py"
    spec = importlib.util.spec_from_file_location("make_gallery", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


gallery = _load()
NAMES: tuple[str, ...] = gallery.NAMES
#: Another processor may round otherwise, and another search stop a little earlier.
CLOSE = 0.02

#: Equations of motion are searched for a limited time: on a busy machine, another form
#: of them may win, or one with an error. These pages are compared by their left sides.
LIMITED_BY_TIME = {"predators", "pendulum_angle", "population_map", "motor"}

_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e-?\d+)?")


def _shown(name: str) -> str:
    page = (gallery.PAGES / f"{name}.md").read_text(encoding="utf-8")
    return str(page.partition("```text\n")[2].partition("\n```")[0])


def _left_sides(text: str) -> list[str]:
    return [line.split(" = ")[0] for line in text.splitlines() if " = " in line]


@pytest.mark.parametrize("name", NAMES)
def test_an_example_prints_what_its_page_shows(name: str, tmp_path: Path) -> None:
    with warnings.catch_warnings():  # an example may change what is ignored
        printed = gallery.printed(name, tmp_path)
    shown = _shown(name)
    assert (tmp_path / f"{name}.png").stat().st_size > 1000
    if name in LIMITED_BY_TIME:
        assert _left_sides(printed) == _left_sides(shown) != []
        return
    assert _NUMBER.sub("#", printed) == _NUMBER.sub("#", shown)
    for number, expected in zip(
        _NUMBER.findall(printed), _NUMBER.findall(shown), strict=True
    ):
        assert float(number) == pytest.approx(float(expected), rel=CLOSE, abs=0.05)


@pytest.mark.parametrize("name", NAMES)
def test_a_page_has_the_code_and_words_of_its_example(name: str) -> None:
    page = (gallery.PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert page == gallery.page(name, _shown(name))
    assert (gallery.PAGES / f"{name}.png").exists()


def test_all_examples_are_in_the_gallery() -> None:
    scripts = {path.stem for path in gallery.SCRIPTS.glob("*.py")}
    assert scripts == set(NAMES)
    assert len(NAMES) >= 12
    index = (gallery.PAGES / "index.md").read_text(encoding="utf-8")
    assert index == gallery.index()
