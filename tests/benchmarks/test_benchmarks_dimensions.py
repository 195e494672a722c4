"""Laws with their dimensions: units of every column, of laws that may be seen."""

from typing import Any

import pytest

from benchmarks import dimensions
from benchmarks.law_dimensions import LAW_DIMENSIONS
from eqlearn.knowledge.measuring.dimensionless import has_its_dimension
from eqlearn.knowledge.measuring.dimensions import dimensions_of
from eqlearn.problems.catalogue import problem


@pytest.mark.parametrize("name", LAW_DIMENSIONS)
def test_every_column_of_a_law_has_a_unit(name: str) -> None:
    asked = problem(name)
    assert not asked.is_unseen
    known = dimensions_of(*LAW_DIMENSIONS[name], asked.inputs, asked.outputs)
    assert known is not None
    assert has_its_dimension(known, 0)


def line(found: tuple[bool, bool], seconds: float = 3.0) -> dict[str, Any]:
    runs = [{"true_form": one, "seconds": seconds} for one in found]
    return {"noise": 0.01, "limit": 5.0, "without": runs[0], "with": runs[1]}


def test_the_table_counts_what_was_found_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = [line((False, True)), line((True, True)), line((True, True), 9.0)]
    monkeypatch.setattr(dimensions, "whole_lines", lambda path: lines)
    heading, row = dimensions.table().splitlines()
    assert heading.split()[:3] == ["noise", "limit", "laws"]
    assert row.split() == ["0.01", "5.0", "3", "1", "2", "1", "0"]
