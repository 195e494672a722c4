from typing import Any

import pytest

from eqlearn.data.memory_size import n_bytes
from eqlearn.errors import EqlearnError


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (None, None),
        (2**30, 2.0**30),
        (1e9, 1e9),
        ("800M", 800 * 2.0**20),
        (" 1.5 gib ", 1.5 * 2.0**30),
        ("2000000K", 2_000_000 * 2.0**10),
        ("1TB", 2.0**40),
        ("600000000", 6e8),
    ],
)
def test_people_write_memory_in_several_ways(written: Any, expected: Any) -> None:
    assert n_bytes(written) == expected


@pytest.mark.parametrize(
    "written",
    ["", "much", "-4G", "4X", [], True, b"4G", float("nan"), float("inf"), 0, "100M"]
    + ["9" * 400],
)
def test_what_is_no_memory_is_refused(written: Any) -> None:
    with pytest.raises(EqlearnError, match="`memory` must be"):
        n_bytes(written)
