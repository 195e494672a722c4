"""What the library calls a parameter, and what it is called on the command line.

The library never speaks of options: what it says is put into the user's words here.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from eqlearn.errors import EqlearnError

OPTION_NAMES = {
    "action_noise": "--action-noise",
    "actions": "--actions",
    "angles": "--angles",
    "arranged": "--arranged",
    "candidate": "--candidate",
    "categories": "--categories",
    "constants": "--constants",
    "constraints": "--constraint",
    "cost": "--cost",
    "data": "TABLE",
    "depths": "--depth",
    "dimensions": "--dimensions",
    "domain": "--domain",
    "drop_missing": "--drop-missing",
    "dt": "--dt",
    "env": "ENV",
    "exclude": "--exclude",
    "experiments": "--experiments",
    "extrapolation": "--extrapolation",
    "form": "--to",
    "functions": "--functions",
    "group": "--group",
    "groups": "--groups",
    "guesses": "--guess",
    "hold": "--hold",
    "horizon": "--horizon",
    "inputs": "--inputs",
    "jobs": "--jobs",
    "logs": "--log",
    "loss": "--loss",
    "memory": "--memory",
    "methods": "--methods",
    "models": "--models",
    "n_jobs": "--jobs",
    "noise_rollouts": "--noise-rollouts",
    "overwrite": "--overwrite",
    "path": "RUN",
    "planner": "--planner",
    "recipe": "--recipe",
    "rollout_steps": "--rollout-steps",
    "rollouts": "--rollouts",
    "run_dir": "--out",
    "runs": "--runs",
    "scheduler": "--scheduler",
    "seed": "--seed",
    "selection": "--select",
    "sensor_noise": "--sensor-noise",
    "spread": "--spread",
    "state_of": "--state-of",
    "states": "--states",
    "steps": "--steps",
    "target": "--target",
    "targets": "--target",
    "time_limit": "--time",
    "weight": "--weights",
    "weights": "--weights",
}

_PARAMETER = re.compile(r"(\A|\b(?:by|give) )`(\w+)`")


@contextmanager
def spelled_as_options(**others: str) -> Iterator[None]:
    """Name parameters as the user types them, in what the library says.

    That is where an error begins with a name, and where it says what to do "by" one or
    to "give" one; anything else in the same quotes may be a column or a file.
    `others` are names that mean something else for one command than for the rest.
    """
    options = {**OPTION_NAMES, **others}
    try:
        yield
    except EqlearnError as error:
        line = _PARAMETER.sub(
            lambda match: f"{match[1]}`{options.get(match[2], match[2])}`", str(error)
        )
        raise EqlearnError(line) from error
