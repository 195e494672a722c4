"""What is done in a worker process: data are kept, segments computed."""

import signal
from typing import Any

from distributed import WorkerPlugin, get_worker

from eqlearn.jobs.backends import EndedSegment, computed
from eqlearn.jobs.job import Job


def dask_setup(worker: Any) -> None:
    """Leave Ctrl-C to the coordinator: the terminal sends it to every process."""
    del worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)


class WorkerData(WorkerPlugin):
    """Data that are brought to every worker before its first segment."""

    def __init__(self, data: Any) -> None:
        self.data = data


def compute(called: str, job: Job, state: bytes | None) -> EndedSegment:
    """Compute a segment from the data of this name."""
    found = get_worker().plugins.get(called)
    if not isinstance(found, WorkerData):
        return EndedSegment(job, None, "its worker had no data", n_deaths=1)
    return computed(found.data, job, state)
