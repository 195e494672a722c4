"""Many fits in one process: nothing of a fit may stay behind.

    python -m benchmarks.reliability_soak 200

Prints one JSON line: memory, threads and open files after a tenth of the fits, when all
is loaded and compiled, and after the last.
"""

import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import psutil

from eqlearn import EquationLearner

#: Seconds for one fit: it is begun and ended more often than it searches.
TIME_LIMIT = 1.5


def one_fit(number: int, root: Path) -> None:
    """Fit, keep, load, predict and export."""
    rng = np.random.default_rng(number)
    x = rng.uniform(1, 2, (40, 2))
    y = 3 * x[:, 0] / x[:, 1] + 0.01 * rng.normal(size=40)
    run = root / str(number)
    learner = EquationLearner(n_jobs=1, time_limit=TIME_LIMIT, run_dir=run).fit(x, y)
    learner.save(root / "model.json")
    loaded = EquationLearner.load(root / "model.json")
    loaded.predict(x)
    loaded.c()


def taken() -> dict[str, int]:
    """What this process has taken of the machine."""
    me = psutil.Process()
    return {
        "bytes": me.memory_info().rss,
        "threads": me.num_threads(),
        "files": me.num_fds(),
        "children": len(me.children()),
    }


def soak(n_fits: int) -> dict[str, object]:
    """Fit so often; what was taken early and late."""
    with tempfile.TemporaryDirectory() as root:
        for number in range(n_fits):
            if number == n_fits // 10:
                early = taken()
            one_fit(number, Path(root))
        return {"fits": n_fits, "early": early, "late": taken()}


if __name__ == "__main__":
    print(json.dumps(soak(int(sys.argv[1]))))
