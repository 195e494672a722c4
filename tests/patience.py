"""How long something may take in a test: longer on a slow machine, or a busy one.

A limit in seconds says what a quick machine with nothing else to do keeps easily. Where
it is not kept, a fixed piece of work says how far from that this machine is at present.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

Clock: TypeAlias = Callable[[], float]

#: Seconds of the work below on the machine that the limits were written for.
USUAL = 0.03


def slowness(clock: Clock = time.perf_counter) -> float:
    """How many times longer than usual work takes here and now; at least one."""
    return max(1.0, *(_seconds_of_work(clock) / USUAL for _ in range(3)))


def _seconds_of_work(clock: Clock) -> float:
    begin, found, kept = clock(), 0, {}
    for i in range(300_000):
        found = (31 * found + i) % 1_000_003
        kept[i % 1000] = found
    return clock() - begin


@contextmanager
def within(
    seconds: float, clock: Clock = time.perf_counter, *, after: float = 0.0
) -> Iterator[None]:
    """Check that something takes at most so long, or longer on a slower machine.

    What takes a fixed time first, however fast the machine, is counted `after` that.
    """
    begin = clock()
    yield
    took = clock() - begin - after
    # As much again, for a machine that was slower before than it is now.
    assert took < seconds or took < 2 * seconds * slowness(clock), f"{took:.2f} s"
