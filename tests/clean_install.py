"""Install what was built into clean environments, and use it outside the repository.

    python tests/clean_install.py dist

For the wheel and for the sdist: an environment of its own, nothing of the repository on
its path, a fit in Python, the demo and its report.
"""

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

TRIAL = """
import pathlib, eqlearn
assert ".trial-" in eqlearn.__file__, eqlearn.__file__
from importlib.metadata import version
assert version("eqlearn") == eqlearn.__version__
x = [[k] for k in range(1, 9)]
learner = eqlearn.EquationLearner(n_jobs=1).fit(x, range(3, 27, 3))
assert learner.equation_ == "y = 3*x1", learner.equation_
import matplotlib.style
with matplotlib.style.context("eqlearn.looks"):
    pass
"""


def try_out(package: Path) -> None:
    with tempfile.TemporaryDirectory(suffix=".trial-") as folder:
        here = Path(folder)
        venv.create(here / "env", with_pip=True)
        python = _python(here / "env")
        for words in (
            ["-m", "pip", "install", "-q", str(package)],
            ["-I", "-c", TRIAL],
            ["-I", "-m", "eqlearn", "demo"],
            ["-I", "-m", "eqlearn", "show", "eqlearn-demo"],
        ):
            subprocess.run([python, *words], check=True, cwd=here)


def _python(environment: Path) -> str:
    names = ("bin/python", "Scripts/python.exe")
    return str(next(p for n in names if (p := environment / n).exists()))


def main(folder: str) -> None:
    packages = [*Path(folder).resolve().glob("*.whl")]
    packages += Path(folder).resolve().glob("*.tar.gz")
    assert len(packages) == 2, packages
    for package in packages:
        print(f"{package.name}:", flush=True)
        try_out(package)


if __name__ == "__main__":
    main(*sys.argv[1:])
