import logging
from collections.abc import Iterator
from typing import Any

import pytest

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
    """Two workers of Dask and a client, shared because starting them takes seconds."""
    import dask
    import distributed

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    # For good, as it is read when a worker dies: 15 seconds later Dask would look once
    # whether it is back, and give it up if it has just died again.
    dask.config.set({"distributed.deploy.lost-worker-timeout": "1 day"})
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            worker_dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
            scheduler_kwargs={"allowed_failures": 0},
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield cluster, client


@pytest.fixture
def client(cluster: tuple[Any, Any]) -> Any:
    """The client of a cluster in which both workers are alive."""
    cluster[1].wait_for_workers(2, timeout=60)
    return cluster[1]
