"""`python -m eqlearn` is the command line."""

import os
import sys

if __name__ == "__main__":
    # With -m Python looks into the working directory first. It is where data are, and
    # not where code is: a numpy.py beside them must not be run.
    if not sys.flags.safe_path and sys.path[:1] == [os.getcwd()]:
        sys.path.append(sys.path.pop(0))
    from eqlearn.cli.main import main

    main()
