"""Where segments are computed: on the workers of a Dask scheduler, given by address."""

import logging
import math
import re
import socket
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any
from uuid import uuid4

from eqlearn.errors import EqlearnError, must
from eqlearn.jobs.code_identity import code_identity
from eqlearn.jobs.job import Job
from eqlearn.jobs.serial import EndedSegment, Serial

#: How long to try to reach a scheduler, in seconds.
CONNECT_SECONDS = 10.0
#: A worker that has not answered for so long (seconds) is given up: segments take a
#: few seconds, and Dask itself would wait for five minutes.
PATIENCE = 60.0
#: For so long (seconds) it gets nothing more: to Dask it looks idle, and it would be
#: given the same segment until that has failed.
SHUNNED_SECONDS = 600.0
RESUME = "Start the same command again to go on."
#: Addresses that a user was warned of.
_WARNED: set[str] = set()

logger = logging.getLogger(__name__)


class Cluster:
    """Computes on the workers of a Dask cluster."""

    def __init__(self, client: Any, data: Mapping[str, Any]) -> None:
        self._client = client
        self._data = data
        self._sent: dict[str, str] = {}
        self._running: dict[Any, Job] = {}
        self._since: dict[Any, float] = {}
        self._shunned: dict[str, float] = {}  # workers, and until when
        self._home = Serial(data)

    @property
    def n_workers(self) -> int:
        """Workers at present: a cluster may grow and shrink."""
        return max(1, len(self._client.scheduler_info(n_workers=-1)["workers"]))

    def start(self, job: Job, state: bytes | None, stop_at: float = math.inf) -> None:
        """Submit a segment, or keep it here if its data are too large to send."""
        if job.stays_local:
            self._home.start(job, state, stop_at)
            return
        from eqlearn.jobs.worker import compute

        sent = self._at_workers(job.data)
        work = sent, job, state, code_identity()
        place = self._away_from_shunned()
        future = self._client.submit(compute, *work, pure=False, **place)
        self._running[future], self._since[future] = job, time.monotonic()

    def _away_from_shunned(self) -> dict[str, Any]:
        """Where Dask may compute: by workers that answer, while there are any."""
        now = time.monotonic()
        self._shunned = {one: end for one, end in self._shunned.items() if end > now}
        if not self._shunned:
            return {}
        workers = self._client.scheduler_info(n_workers=-1)["workers"]
        others = [one for one in workers if one not in self._shunned]
        return {"workers": others, "allow_other_workers": True} if others else {}

    def _at_workers(self, name: str) -> str:
        """What the data are called at every worker, also one that comes later.

        As a future they would be at one worker, and Dask prefers that one for all that
        depends on them: the others would go hungry.
        """
        if name not in self._sent:
            from eqlearn.jobs.worker import WorkerData

            data, called = WorkerData(self._data[name]), f"eqlearn-{uuid4().hex}"
            try:
                self._client.register_plugin(data, name=called)
            except OSError:  # a worker has just died
                self._client.register_plugin(data, name=called)
            self._sent[name] = called
        return self._sent[name]

    def close(self) -> None:
        """Leave nothing behind at the workers."""
        if self._client.status != "running":
            return
        for called in self._sent.values():
            with suppress(OSError):  # a worker has just died
                self._client.unregister_worker_plugin(called)

    def ended(self, timeout: float) -> list[EndedSegment]:
        """Wait for the first of the running segments."""
        if done := self._home.ended(timeout):
            return done
        if not self._running:
            return []
        import distributed

        try:
            with self._client.as_current():
                distributed.wait(
                    list(self._running), timeout, return_when="FIRST_COMPLETED"
                )
        except (TimeoutError, distributed.TimeoutError, distributed.CancelledError):
            pass
        over = [future for future in self._running if future.done()]
        outcomes = [_outcome(self._running.pop(future), future) for future in over]
        outcomes += self._given_up()
        # A lost scheduler takes the segments with it, and that is no fault of theirs.
        # Asked last: it may be lost while they are fetched.
        if self._client.status != "running":
            what = "the address of a running scheduler"
            raise must("scheduler", what, "a lost connection", RESUME)
        for future in over:
            # At once: Dask computes again what a dead worker had and someone may want.
            future.release()
        return outcomes

    def _given_up(self) -> list[EndedSegment]:
        """Segments whose workers do not answer, and shall have no more of them."""
        now, why = time.monotonic(), f"its worker did not answer for {PATIENCE:.0f} s"
        self._since = {f: self._since[f] for f in self._running}
        silent = [f for f, since in self._since.items() if now - since > PATIENCE]
        if silent:
            keys = {future.key for future in silent}
            for worker, theirs in self._client.processing().items():
                if keys.intersection(theirs):
                    self._shunned[worker] = now + SHUNNED_SECONDS
            self._client.cancel(silent)
        return [EndedSegment(self._running.pop(f), None, why, 1) for f in silent]

    def drop(self, keys: Collection[str]) -> None:
        """Cancel what is submitted; a segment already running ends for nothing."""
        self._home.drop(keys)
        dropped = [f for f, job in self._running.items() if job.key in keys]
        for future in dropped:
            del self._running[future]
        if dropped:
            self._client.cancel(dropped)


def _outcome(job: Job, future: Any) -> EndedSegment:
    import distributed

    lost = EndedSegment(job, None, "the cluster lost it", n_deaths=1)
    if future.status == "finished":
        try:
            ended: EndedSegment = future.result()
        except (distributed.CancelledError, OSError):
            return lost
        return ended
    if future.status != "error":
        return lost
    error = future.exception()
    if isinstance(error, EqlearnError):  # not of the segment, whose errors are results
        raise error
    if isinstance(error, distributed.KilledWorker):
        n_deaths = error.allowed_failures + 1
        return EndedSegment(job, None, "its worker process died", n_deaths)
    return EndedSegment(job, None, f"{type(error).__name__}: {error}")


def check_scheduler(address: str) -> None:
    """Knock at the door: Dask takes long to give up, and says so at great length."""
    if address.startswith("inproc://"):  # a cluster within this process has no door
        return
    found = re.fullmatch(r"(?:tcp|tls|wss?)://\[?(.+?)\]?:([0-9]{1,5})", address)
    try:
        if found is None:
            raise OSError("no address")
        place = found[1], int(found[2])
        socket.create_connection(place, timeout=CONNECT_SECONDS).close()
    except (OSError, OverflowError, UnicodeError) as error:
        what = "the address of a running Dask scheduler, like tcp://10.0.0.1:8786"
        raise must("scheduler", what, address) from error


@contextmanager
def client_of(address: str) -> Iterator[Any]:
    """Connect to a scheduler that has workers, all of them with our own code."""
    import distributed

    check_scheduler(address)
    _warn_of_strangers(address)
    try:
        client = distributed.Client(
            address, timeout=CONNECT_SECONDS, set_as_default=False
        )
    except (OSError, ValueError, TimeoutError) as error:
        what = "the address of a running Dask scheduler, like tcp://10.0.0.1:8786"
        raise must("scheduler", what, address) from error
    try:
        _wait_for_a_worker(client, address)
        _check_workers(client)
        yield client
    finally:
        client.close()


def _wait_for_a_worker(client: Any, address: str) -> None:
    """Nobody would tell that there is none: segments would wait for one for ever."""
    try:
        client.wait_for_workers(1, timeout=CONNECT_SECONDS)
    except TimeoutError as error:
        hint = f"Start one: dask worker {address}."
        got = f"none at {address} for {CONNECT_SECONDS:.0f} s"
        raise must("scheduler", "one that has workers", got, hint) from error


def _warn_of_strangers(address: str) -> None:
    """Say once that others may get in: Dask runs whatever it is given."""
    if address.startswith(("tcp://", "ws://")) and address not in _WARNED:
        _WARNED.add(address)
        logger.warning(
            "The scheduler at %s takes work from anyone who can reach it, and all "
            "travels in the clear. Start it with certificates and use tls://.",
            address,
        )


def _check_workers(client: Any) -> None:
    """Refuse workers with another code now; those that come later refuse themselves."""
    from eqlearn.jobs.worker import check_code

    answers = client.run(check_code, code_identity(), on_error="return")
    for answer in answers.values():
        if isinstance(answer, EqlearnError):
            raise answer
        if isinstance(answer, (ImportError, AttributeError)):
            hint = f"Install {code_identity()} there."
            what = "one whose workers have eqlearn as it is here"
            raise must("scheduler", what, f"{answer}", hint) from answer
