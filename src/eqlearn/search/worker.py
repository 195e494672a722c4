"""What a worker process of a local cluster does before its first segment."""

import signal
from typing import Any

# Loaded now, not in the first segment: the compiled kernels take a second.
import eqlearn.search.fast  # noqa: F401


def dask_setup(worker: Any) -> None:
    """Leave Ctrl-C to the coordinator: the terminal sends it to every process."""
    del worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)
