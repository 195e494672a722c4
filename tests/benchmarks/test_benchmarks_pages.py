import re
from pathlib import Path

import pytest

from benchmarks.pages import DOCS, PAGES, PIECES, figures, known_lines, renewed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_tables_of_the_docs_are_those_of_the_results(page: Path) -> None:
    text = page.read_text("utf-8")
    assert "<!-- end -->" in text
    # Not as texts: their difference would take minutes to be written.
    same = renewed(text) == text
    assert same, "Run python -m benchmarks.pages"


def test_every_table_has_a_place_and_every_figure_a_file() -> None:
    text = "".join(page.read_text("utf-8") for page in PAGES)
    assert set(re.findall(r"<!-- (\S+) -->", text)) == {*PIECES, "end"}
    drawn = dict(figures(known_lines()))
    assert all(figure is not None for figure in drawn.values())
    assert all(f"results/{name}.png" in text for name in drawn)
    assert all((DOCS / "results" / f"{name}.png").exists() for name in drawn)


def test_words_are_left_alone() -> None:
    page = "before\n<!-- selection -->\n| old |\n<!-- end -->\nafter\n"
    new = renewed(page)
    assert new.startswith("before\n<!-- selection -->\n\n| far points |")
    assert new.endswith("|\n\n<!-- end -->\nafter\n")
    assert renewed(new) == new
