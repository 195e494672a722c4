"""One thread for matrices that are so small that several wait for one another."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute with one thread: more get in each other's way on matrices of this size.

    On a busy machine they wait for each other in vain, and a small fit takes seconds.
    """
    with _pools().limit(limits=1, user_api="blas"):
        yield


@cache
def _pools() -> ThreadpoolController:
    # Once: looking for them reads a file, which an alarm must not leave open.
    return ThreadpoolController()
