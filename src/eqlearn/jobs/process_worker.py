"""What a worker process on this machine does: `processes` runs it as a file.

Until it has been told where modules are, it imports none but Python's.
"""

import importlib
import logging
import os
import sys
from multiprocessing.connection import Connection
from typing import Any


def main() -> None:
    """Serve whoever holds the other end of the channel, until it is closed."""
    os.dup2(2, 1)  # standard output is for the answer of the search
    logging.disable(logging.WARNING)  # what there is to say, the search says
    with Connection(int(sys.argv[1])) as connection:
        try:
            sys.path[:], preload = connection.recv()
            from eqlearn.jobs.code_identity import code_identity

            for name in preload:
                importlib.import_module(name)
            connection.send(code_identity())
            _serve(connection)
        except (EOFError, OSError):
            pass  # whoever started us is gone


def _serve(connection: Connection) -> None:
    """Compute segment after segment; data come once, with the first that needs them."""
    from eqlearn.jobs.job import attempted

    kept: dict[str, Any] = {}
    while True:
        try:
            name, new, *work = connection.recv()
        except (EOFError, OSError):
            raise
        except Exception as error:  # the user's own module cannot be imported here
            connection.send((None, f"{type(error).__name__}: {error}"))
            return
        for data in new:
            kept[name] = data
        connection.send(attempted(kept[name], *work))


if __name__ == "__main__":
    main()
