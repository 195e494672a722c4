"""`python -m eqlearn` is the command line."""

from eqlearn.cli.main import main

if __name__ == "__main__":
    main()
