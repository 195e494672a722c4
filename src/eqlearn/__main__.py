"""`python -m eqlearn` is the command line; `eqlearn` begins here too."""

import os
import signal
import sys


def main() -> None:
    """Load the program and run it."""
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
