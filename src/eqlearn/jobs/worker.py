"""What is done in a worker process of Dask: data are kept, segments computed."""

from typing import Any

from distributed import WorkerPlugin, get_worker

from eqlearn.errors import must
from eqlearn.jobs.code_identity import code_identity
from eqlearn.jobs.job import Job
from eqlearn.jobs.serial import EndedSegment, computed


class WorkerData(WorkerPlugin):
    """Data that are brought to every worker before its first segment."""

    def __init__(self, data: Any) -> None:
        self.data = data


def check_code(expected: str) -> None:
    """Refuse to compute for an eqlearn that is not ours."""
    if code_identity() != expected:
        hint = "Install the same version there."
        what = f"one whose workers have {expected}"
        raise must("scheduler", what, code_identity(), hint)


def compute(called: str, job: Job, state: bytes | None, expected: str) -> EndedSegment:
    """Compute a segment from the data of this name."""
    check_code(expected)
    found = get_worker().plugins.get(called)
    if not isinstance(found, WorkerData):
        return EndedSegment(job, None, "its worker had no data", n_deaths=1)
    return computed(found.data, job, state)
