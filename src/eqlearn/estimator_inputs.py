"""What `EquationLearner` is given, checked: data, names, domain, functions, parameters.

All of it is refused before a search begins, in one line.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, validate_data

from eqlearn._types import Array
from eqlearn.data.scale import domain_of_use
from eqlearn.data.table import checked_domain
from eqlearn.errors import EqlearnError, check_count, is_whole, must, unknown
from eqlearn.jobs.backends import check_scheduler, n_processes
from eqlearn.model.model import Json
from eqlearn.network.units import PAPER_UNITS, UNITS
from eqlearn.search.attempts.grid_networks import PAPER_DEPTHS, Grid
from eqlearn.search.conclude import selection as criteria
from eqlearn.search.task import DEFAULT_UNITS

#: Parameters that are kept in model files: those of the science. Where to compute and
#: what to write is for each machine to say, and not for a file from elsewhere.
KEPT = frozenset(
    {
        "functions",
        "domain",
        "recipe",
        "depths",
        "units_per_type",
        "selection",
        "time_limit",
        "max_attempts",
        "snap",
        "random_state",
    }
)
#: The name of the paper's functions, instead of a list.
PAPER = "paper"
_FEWEST_LAYERS = 2

#: The (low, high) of inputs by name, or of each input in order.
Domain = Mapping[str, tuple[float, float]] | Sequence[Any]


@dataclass(frozen=True, eq=False)
class Given:
    """What `fit` was given, as arrays and names."""

    x: NDArray[np.float64]  # (N, D)
    y: NDArray[np.float64]  # (N, M)
    weight: NDArray[np.float64] | None  # (N,), all above zero
    far: tuple[Array, Array] | None  # labelled far points
    inputs: tuple[str, ...]  # (D,)
    targets: tuple[str, ...]  # (M,)
    is_flat: bool  # whether y was (N,)


def given(
    learner: Any, X: Any, y: Any, sample_weight: Any, extrapolation: Any
) -> Given:
    """Check the data of a `fit`, and tell the learner the names of its inputs."""
    with in_one_line():
        x, values = validate_data(
            learner,
            X,
            y,
            multi_output=True,
            y_numeric=True,
            dtype=np.float64,
            ensure_min_samples=2,
        )
    targets = target_names(y, values.shape)
    table = values.reshape(len(values), -1).astype(float)
    weight = _weight(sample_weight, x)
    if weight is not None:
        is_counted = weight > 0
        x, table, weight = x[is_counted], table[is_counted], weight[is_counted]
    far = _far_points(
        extrapolation,
        table.shape[1],
        lambda points: validate_data(learner, points, reset=False, dtype=np.float64),
    )
    return Given(x, table, weight, far, input_names(learner), targets, values.ndim == 1)


def _weight(sample_weight: Any, x: Array) -> Array | None:
    if sample_weight is None:
        return None
    with in_one_line():
        weight: Array = _check_sample_weight(
            sample_weight, x, ensure_non_negative=True, allow_all_zero_weights=False
        )
    return weight


def _far_points(
    extrapolation: Any, n_targets: int, validated: Callable[[Any], Array]
) -> tuple[Array, Array] | None:
    if extrapolation is None:
        return None
    try:
        x_far, y_far = extrapolation
    except (TypeError, ValueError) as error:
        what = "a pair (X, y) of labelled far points"
        raise must("extrapolation", what, type(extrapolation).__name__) from error
    x_far = validated(x_far)
    y_far = np.asarray(y_far, dtype=float)
    y_far = y_far[:, np.newaxis] if y_far.ndim == 1 else y_far
    if y_far.shape != (len(x_far), n_targets):
        what = f"far points (X, y) with a y of shape {(len(x_far), n_targets)}"
        raise must("extrapolation", what, y_far.shape)
    return x_far, y_far


def default_names(letter: str, n: int) -> tuple[str, ...]:
    """The names x1, x2, ... of columns that have none."""
    return tuple(f"{letter}{i + 1}" for i in range(n))


def input_names(learner: Any) -> tuple[str, ...]:
    """The names that a table gave its inputs; otherwise x1, x2, ..."""
    if hasattr(learner, "feature_names_in_"):
        return tuple(str(name) for name in learner.feature_names_in_)
    return default_names("x", learner.n_features_in_)


def target_names(y: Any, shape: tuple[int, ...]) -> tuple[str, ...]:
    """The names that a table gives its targets; otherwise y, or y1, y2, ..."""
    columns = getattr(y, "columns", None)
    if columns is not None:
        return tuple(str(name) for name in columns)
    name = getattr(y, "name", None)
    if isinstance(name, str) and name:
        return (name,)
    return ("y",) if len(shape) < 2 or shape[1] == 1 else default_names("y", shape[1])


def domain_of(
    domain: Domain | None, inputs: Sequence[str], x: Array, far: Array | None = None
) -> NDArray[np.float64]:
    """The domain of use (D, 2); where none is given, twice the range of the data.

    Far points are part of it.
    """
    default = np.stack(domain_of_use(x, far), axis=1)
    if domain is None:
        return default
    if not isinstance(domain, Mapping):
        return np.stack(checked_domain(domain, x.shape[1]), axis=1)
    for name in domain:
        if name not in inputs:
            raise unknown("domain", name, inputs)
    ends = [
        domain.get(name, usual) for name, usual in zip(inputs, default, strict=True)
    ]
    return np.stack(checked_domain(ends, x.shape[1]), axis=1)


def seed_of(random_state: Any) -> int:
    """The seed that a random state stands for."""
    if is_whole(random_state):
        check_count("random_state", random_state, least=0)
        return int(random_state)
    try:
        rng = check_random_state(random_state)
    except ValueError as error:
        what = "an integer, a RandomState or None"
        raise must("random_state", what, random_state) from error
    return int(rng.randint(2**31 - 1))


def units_of(
    functions: Sequence[str] | str | None, default: tuple[str, ...] = DEFAULT_UNITS
) -> tuple[str, ...]:
    """The units of networks that formulas of these functions need."""
    if functions is None:
        return default
    if isinstance(functions, str):
        if functions != PAPER:
            raise must("functions", f'a list of names, or "{PAPER}"', functions)
        return PAPER_UNITS
    for name in functions:
        if name not in UNITS:
            raise unknown("functions", name, UNITS)
    return tuple(functions)


def recipe_of(
    recipe: str | Grid,
    functions: Sequence[str] | str | None,
    depths: Sequence[int] | None,
    units_per_type: int,
) -> str | Grid:
    """The recipe of a search: the paper's becomes a grid of networks."""
    if recipe != "paper":
        if depths is not None:
            raise must("depths", "left out unless the recipe is the paper's", depths)
        return recipe
    if depths is not None and min(depths, default=0) < _FEWEST_LAYERS:
        raise must("depths", f"at least {_FEWEST_LAYERS} layers", list(depths))
    return Grid(
        depths=PAPER_DEPTHS if depths is None else tuple(depths),
        units=units_of(functions, PAPER_UNITS),
        units_per_type=units_per_type,
    )


def check_how(
    selection: str, *, has_far: bool, n_jobs: int | None, scheduler: str | None
) -> None:
    """Refuse what a search would find out after its end, or never."""
    criteria.check(selection, has_far=has_far)
    n_processes(n_jobs, "n_jobs")
    if scheduler is not None:
        check_scheduler(scheduler)


def kept_parameters(parameters: Mapping[str, Any]) -> dict[str, Json]:
    """Those parameters of a learner that a model file keeps, if JSON has their kind."""
    plain = (str, int, float, bool, list, tuple, dict, type(None))
    return {
        name: value
        for name, value in parameters.items()
        if name in KEPT and isinstance(value, plain) and value != math.inf
    }


class _WrongType(EqlearnError, TypeError):
    """What scikit-learn expects to be a TypeError."""


@contextmanager
def in_one_line() -> Iterator[None]:
    """Let only our own error leave the library: others may take several lines."""
    try:
        yield
    except (TypeError, ValueError, OverflowError) as error:
        ours = _WrongType if isinstance(error, TypeError) else EqlearnError
        first, *_ = str(error).splitlines() or [type(error).__name__]
        raise ours(first) from error
