"""Whether a change of the code has changed any answer: freeze before, compare after.

    python -m benchmarks.same_answers freeze FILE
    python -m benchmarks.same_answers compare FILE [--only NAME ...]

A few searches by both recipes, in this process, without a time limit: the keys of their
jobs, the numbers of their attempts and every final formula must be the same bytes. On
another processor they are not, so the file is no result to be kept. Takes two minutes.
"""

import argparse
import json
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from eqlearn.problems import problem
from eqlearn.search.attempts.grid_networks import Grid
from eqlearn.search.learn import learn
from eqlearn.search.request import Request

_TINY = Grid(l1=(1e-5, 1e-4), depths=(2, 3), n_epochs=20, units_per_type=3)
_PUBLISHED = Grid(
    l1=(1e-5, 1e-4), depths=(2, 3), n_epochs=20, units_per_type=3, refine=False
)


@dataclass(frozen=True)
class Sample:
    """A table of a known problem."""

    name: str
    rows: int
    seed: int
    noise: float | None = None
    far: int = 0

    def asked(self, **settings: Any) -> Request:
        """A search on this table."""
        known, rng = problem(self.name), np.random.default_rng(self.seed)
        x, y = known.sample(self.rows, rng, self.noise)
        far = known.sample_extrapolation(self.far, rng, 0.01) if self.far else None
        return Request(x, y, seed=self.seed, far=far, jobs=1, **settings)


def _wide() -> Request:
    """Twenty inputs of which two matter, and weights."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (400, 20))
    y = x[:, [3]] * x[:, [7]] + 0.01 * rng.normal(size=(400, 1))
    weight = rng.uniform(0.5, 2, 400)
    return Request(x, y, seed=1, weight=weight, max_attempts=24, jobs=1)


_DIVISION = Sample("division", 300, 1)
_CART = Sample("cart-pendulum", 500, 4, far=20)
SEARCHES: Mapping[str, Callable[[], Request]] = {
    "division": lambda: _DIVISION.asked(max_attempts=24),
    "nested": lambda: Sample("F-4", 2500, 2).asked(max_attempts=64),
    "no noise": lambda: Sample("reduced-mass", 200, 3, noise=0.0).asked(),
    "noise": lambda: Sample("reduced-mass", 200, 3, 0.01).asked(max_attempts=40),
    "four targets": lambda: _CART.asked(max_attempts=36),
    "twenty inputs": _wide,
    "more functions": lambda: _DIVISION.asked(
        max_attempts=24, units=("sin", "multiply", "exp")
    ),
    "grid, refined": lambda: _DIVISION.asked(recipe=_TINY),
    "grid, as published": lambda: _CART.asked(recipe=_PUBLISHED),
}


def answer(request: Request) -> dict[str, Any]:
    """What a search leaves in its run directory, and how many attempts it made."""
    with TemporaryDirectory() as folder:
        found = learn(Request(**{**vars(request), "run_dir": folder}))
        with closing(sqlite3.connect(Path(folder) / "run.db")) as connection:
            keys = [key for (key,) in connection.execute("SELECT key FROM jobs")]
            results = connection.execute("SELECT * FROM results ORDER BY 1, 2")
            formulas = [list(row) for row in results]
    # How far refinement goes ahead of its results depends on the clock.
    sure = sorted(key for key in keys if "/round " not in key)
    return {"keys": sure, "formulas": formulas, "n": [f.n_attempts for f in found]}


def main(arguments: Sequence[str] | None = None) -> int:
    """Freeze or compare; 1 if any answer has changed."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.same_answers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("action", choices=("freeze", "compare"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", nargs="+", choices=SEARCHES, default=list(SEARCHES))
    options = parser.parse_args(arguments)
    frozen = {} if options.action == "freeze" else json.loads(options.file.read_text())
    n_changed = 0
    for name in options.only:
        start = time.perf_counter()
        now = json.loads(json.dumps(answer(SEARCHES[name]())))
        changed = [part for part in now if frozen.get(name, now)[part] != now[part]]
        frozen.setdefault(name, now)
        n_changed += bool(changed)
        said = f"CHANGED: {', '.join(changed)}" if changed else "same"
        print(f"{name}: {said}, {time.perf_counter() - start:.1f} s", flush=True)
    if options.action == "freeze":
        options.file.write_text(json.dumps(frozen))
    return int(n_changed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
