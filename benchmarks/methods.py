"""What is compared: each method turns a table into one answer for every target."""

from importlib.util import find_spec

from eqlearn.baselines import methods
from eqlearn.baselines.question import Method

METHODS: dict[str, Method] = {
    name: methods.METHODS[name] for name in ("eqlearn", "pyoperon", "gplearn")
}


def check_installed(method: str) -> None:
    """Say what to install if a peer is missing."""
    if find_spec(method) is None:
        raise SystemExit(f'{method} is missing. Run: pip install "eqlearn[peers]"')


def load(method: str) -> None:
    """Import a method's module, which takes a second or two, before it is timed."""
    methods.METHODS[method].load()
