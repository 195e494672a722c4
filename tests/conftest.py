from collections.abc import Iterator
from typing import Any

import pytest

from eqlearn.jobs.backends import local_cluster
from eqlearn.network import units

#: What the tests of commands share.
pytest_plugins = ["command_fixtures"]


@pytest.fixture
def table() -> Iterator[None]:
    """Let a test register units without leaving them behind."""
    before = dict(units.UNITS)
    yield
    units._TABLE.clear()
    units._TABLE.update(before)


@pytest.fixture(scope="session")
def cluster() -> Iterator[tuple[Any, Any]]:
    """Two worker processes and a client, shared because starting them takes seconds."""
    cluster, client = local_cluster(2)
    yield cluster, client
    client.close()
    cluster.close()


@pytest.fixture
def client(cluster: tuple[Any, Any]) -> Any:
    """The client of a cluster in which both workers are alive."""
    cluster[1].wait_for_workers(2, timeout=60)
    return cluster[1]
