from collections.abc import Iterator

import pytest

from eqlearn.network import units


@pytest.fixture
def table() -> Iterator[None]:
    """Let a test register units without leaving them behind."""
    before = dict(units.UNITS)
    yield
    units._TABLE.clear()
    units._TABLE.update(before)
