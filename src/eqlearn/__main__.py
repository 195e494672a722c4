"""`python -m eqlearn` is the command line; `eqlearn` begins here too."""

import gc
import os
import signal
import sys

#: New objects after which garbage is looked for. By default it is 700, and what the
#: libraries load, a million objects that stay, is looked through again and again: a
#: quarter of the time of a short run.
OBJECTS_BETWEEN = 50_000


def main() -> None:
    """Load the program and run it."""
    gc.set_threshold(OBJECTS_BETWEEN, *gc.get_threshold()[1:])
    # What Ctrl-C ends while it loads ends as any program does: without a traceback.
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from eqlearn.cli.main import main as command

    signal.signal(signal.SIGINT, before)
    command()


if __name__ == "__main__":
    # With -m Python looks into the working directory first. It is where data are, and
    # not where code is: a numpy.py beside them must not be run.
    if not sys.flags.safe_path and sys.path[:1] == [os.getcwd()]:
        sys.path.append(sys.path.pop(0))
    main()
