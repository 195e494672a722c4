"""Compiled functions, kept on disk between processes where that is possible."""

import logging
from collections.abc import Callable
from functools import cache
from typing import Any

import numba

logger = logging.getLogger(__name__)


def cached_njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function as `numba.njit` does, once for all processes if possible.

    In a container neither the package nor the home directory may be writable.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        try:
            return numba.njit(cache=True, **options)(function)
        except RuntimeError as error:
            if "no locator available" not in str(error):
                raise
        _say_that_nothing_is_kept()
        return numba.njit(**options)(function)

    return decorate


@cache  # so that it is said once
def _say_that_nothing_is_kept() -> None:
    logger.warning(
        "Compiled code cannot be kept: each process compiles it again, some ten "
        "seconds each time. Set NUMBA_CACHE_DIR to a directory of your own."
    )
