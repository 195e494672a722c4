"""What `EquationLearner` is given, checked: data, names, domain, functions, parameters.

All of it is refused before a search begins, in one line.
"""

import math
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from eqlearn._types import Array, Booleans
from eqlearn.data.frames import encoded_frame, encoded_like
from eqlearn.data.mixed import Categories
from eqlearn.data.scale import domain_of_use
from eqlearn.data.table import (
    CHOOSE_UNIT,
    USUAL_SIZE,
    checked_domain,
    has_usual_size,
    offset_remarks,
    sizes,
    weight_remarks,
)
from eqlearn.errors import EqlearnError, check_count, is_whole, must, printable, unknown
from eqlearn.jobs.backends import n_processes
from eqlearn.jobs.cluster import check_scheduler
from eqlearn.knowledge.known import kept_knowledge
from eqlearn.learners.given_guesses import kept_guesses
from eqlearn.model.model import Json, Model
from eqlearn.network.graph import Graph
from eqlearn.network.units import PAPER_UNITS, UNITS
from eqlearn.search.attempts.grid_networks import PAPER_DEPTHS, Grid
from eqlearn.search.conclude import selection as criteria

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
        "loss",
        "time_limit",
        "max_attempts",
        "snap",
        "random_state",
        "guesses",
        "constraints",
        "dimensions",
        "constants",
        "form",
    }
)
#: The name of the paper's functions, instead of a list.
PAPER = "paper"
#: Beyond these no machine could train a network.
_FEWEST_LAYERS, _MOST_LAYERS = 2, 50
_MOST_UNITS = 1000
#: How the names of types begin that are times, of NumPy, pandas and polars.
_TIMES = ("datetime", "timedelta", "date", "duration", "time")
_SECONDS = "Turn times into numbers, such as seconds since the first."
_DENSE = "Use its method toarray()."

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
    categories: Categories  # columns of words that inputs come from
    is_counted: Booleans | None = None  # which rows weigh anything; None: all

    def counted(self) -> "Given":
        """The same without the rows that weigh nothing."""
        if self.weight is None:
            return self
        rows = self.weight > 0
        x, y, weight = self.x[rows], self.y[rows], self.weight[rows]
        return replace(self, x=x, y=y, weight=weight, is_counted=rows)


def given(
    learner: Any, X: Any, y: Any, sample_weight: Any, extrapolation: Any
) -> Given:
    """Check the data of a `fit`, and tell the learner the names of its inputs."""
    X, learner._categories = encoded_frame("X", X)
    X, y = numbers_of("X", X), numbers_of("y", y)
    with in_one_line():
        from sklearn.utils.validation import validate_data

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
    far = _far_points(learner, extrapolation, table.shape[1])
    inputs = input_names(learner)
    found = Given(
        x, table, weight, far, inputs, targets, values.ndim == 1, learner._categories
    ).counted()
    for remark in offset_remarks(inputs, found.x):
        warnings.warn(remark, stacklevel=4)
    return found


def numbers_of(name: str, values: Any) -> Any:
    """What scikit-learn would take for other numbers than the user meant.

    Masked values are missing ones, dates are no numbers, of what is sparse all zeros
    are meant, and long whole numbers lose digits.
    """
    if isinstance(values, list | tuple):
        values = _listed(values)
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(float), np.nan)
    if hasattr(values, "toarray"):
        raise _WrongType(str(must(name, "a dense array", "a sparse one", _DENSE)))
    kinds = getattr(values, "dtypes", None)
    kinds = [getattr(values, "dtype", None)] if kinds is None else kinds
    for kind in np.atleast_1d(np.asarray(kinds, dtype=object)):
        if str(kind).lower().startswith(_TIMES):
            raise must(name, "of numbers", f"{kind} values", _SECONDS)
    _check_array(name, values)
    return values


def _listed(values: Any) -> Any:
    """A list as an array that knows what is masked or a time, where there can be one.

    What is neither stays a list, for scikit-learn to judge.
    """
    first = values[0] if len(values) else None
    if isinstance(first, np.ma.MaskedArray):
        with suppress(ValueError):  # rows of several lengths
            return np.ma.stack([np.ma.asarray(row) for row in values])
    with suppress(ValueError, TypeError, OverflowError):
        array = np.asarray(values)
        return array if array.dtype.kind in "mMiu" else values
    return values


def _check_array(name: str, values: Any) -> None:
    """Refuse times in an array of objects; say that long whole numbers lose digits."""
    if not isinstance(values, np.ndarray) or not values.size:
        return
    if values.dtype == object:
        for value in values.flat:
            if isinstance(value, np.datetime64 | np.timedelta64):
                raise must(name, "of numbers", f"{value.dtype} values", _SECONDS)
    if values.dtype.kind in "iu" and max(-int(values.min()), int(values.max())) > 2**53:
        warnings.warn(f"`{name}`: numbers beyond 2^53 are rounded", stacklevel=5)


def validated_inputs(learner: Any, X: Any) -> Array:
    """Inputs for what was learned, checked against those it was learned from."""
    X = encoded_like("X", X, input_names(learner), learner._categories)
    X = numbers_of("X", X)
    with in_one_line():
        from sklearn.utils.validation import validate_data

        found: Array = validate_data(learner, X, reset=False, dtype=np.float64)
    return found


def _weight(sample_weight: Any, x: Array) -> Array | None:
    if sample_weight is None:
        return None
    with in_one_line():
        from sklearn.utils.validation import _check_sample_weight

        given = numbers_of("sample_weight", sample_weight)
        is_number = np.isscalar(given) or getattr(given, "shape", None) == ()
        if is_number:  # which scikit-learn takes as it is
            given = float(cast(float, given))
        weight: Array = _check_sample_weight(given, x, ensure_non_negative=True)
    if not np.isfinite(weight).all():
        raise must("sample_weight", "of finite numbers", sample_weight)
    check_some_weight(weight)  # which scikit-learn before 1.9 allows to be none
    for remark in weight_remarks(weight):
        warnings.warn(remark, stacklevel=5)
    return weight


def check_some_weight(weight: Array) -> None:
    """Refuse weights of which none is above zero."""
    if not weight.any():
        raise must("sample_weight", "above 0 in some row", "0 in every one")


def _far_points(
    learner: Any, extrapolation: Any, n_targets: int
) -> tuple[Array, Array] | None:
    if extrapolation is None:
        return None
    try:
        x_far, y_far = extrapolation
    except (TypeError, ValueError) as error:
        what = "a pair (X, y) of labelled far points"
        raise must("extrapolation", what, type(extrapolation).__name__) from error
    try:
        x_far = validated_inputs(learner, x_far)
        with in_one_line():
            y_far = np.asarray(numbers_of("y", y_far))
            if np.iscomplexobj(y_far):
                raise must("y", "of real numbers", "complex ones")
            y_far = y_far.astype(float)
    except EqlearnError as error:  # which says X or y, as if it were those of the rows
        raise type(error)(f"Of `extrapolation`: {error}") from error
    if not np.all(np.isfinite(y_far)):
        raise must("extrapolation", "far points (X, y) of finite numbers", "others")
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
    for name, largest in zip(inputs, sizes(x), strict=True):
        if not has_usual_size(largest):  # or the domain would be said to be too large
            what = f"a table of columns whose {USUAL_SIZE}"
            where = f"in column `{printable(name)}`"
            raise must("X", what, largest, CHOOSE_UNIT, where=where)
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
    from sklearn.utils import check_random_state

    try:
        rng = check_random_state(random_state)
    except ValueError as error:
        what = "an integer, a RandomState or None"
        raise must("random_state", what, random_state) from error
    return int(rng.randint(2**31 - 1))


def units_of(functions: Sequence[str] | str | None) -> tuple[str, ...] | None:
    """The units that formulas of these functions need; None if all may be used."""
    if functions is None:
        return None
    if isinstance(functions, str):
        if functions != PAPER:
            raise must("functions", f'a list of names, or "{PAPER}"', functions)
        return PAPER_UNITS
    for name in functions:
        if name not in UNITS or name == "origin":
            raise unknown("functions", name, [one for one in UNITS if one != "origin"])
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
    check_count("units_per_type", units_per_type, most=_MOST_UNITS)
    for depth in PAPER_DEPTHS if depths is None else depths:
        check_count("depths", depth, least=_FEWEST_LAYERS, most=_MOST_LAYERS)
    if depths is not None and not len(depths):
        raise must("depths", "one number of layers at least", list(depths))
    return Grid(
        depths=PAPER_DEPTHS if depths is None else tuple(depths),
        units=units_of(functions) or PAPER_UNITS,
        units_per_type=units_per_type,
    )


#: What parameters must be that are no numbers, and how to say it.
_KINDS: Mapping[str, tuple[tuple[type, ...], str]] = {
    "functions": ((str, Sequence, np.ndarray, type(None)), "a list of names"),
    "recipe": ((str, Grid), 'the name of a recipe, "fast" or "paper", or a Grid'),
    "depths": ((Sequence, np.ndarray, type(None)), "a list of whole numbers"),
    "selection": ((str,), "the name of a criterion"),
    "loss": ((str,), "the name of a loss"),
    "snap": ((int, np.integer, np.bool_), "True or False"),
    "warm_start": ((int, np.integer, np.bool_), "True or False"),
    "verbose": ((int, np.integer, np.bool_, str), 'True, False or a time like "10s"'),
    "scheduler": ((str, type(None)), "the address of a Dask scheduler"),
}


def check_kinds(learner: Any) -> None:
    """Refuse parameters of another kind, before anyone tries to use them."""
    for name, (kinds, what) in _KINDS.items():
        value = getattr(learner, name)
        if not isinstance(value, kinds) or isinstance(value, bytes):
            raise must(name, what, value)


def check_how(learner: Any, *, has_far: bool) -> None:
    """Refuse what a search would find out after its end, or never."""
    criteria.check(learner.selection, has_far=has_far)
    if learner.callback is not None and not callable(learner.callback):
        what = "a function of the best so far, or None"
        raise must("callback", what, learner.callback)
    n_processes(learner.n_jobs, "n_jobs")
    run_dir = learner.run_dir
    if run_dir is not None:
        is_path = isinstance(run_dir, str | os.PathLike) and str(run_dir)
        if not is_path or not _can_be_a_path(str(run_dir)):
            raise must("run_dir", "the path of a directory", run_dir)
    if learner.scheduler is not None:
        check_scheduler(learner.scheduler)


def _can_be_a_path(text: str) -> bool:
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:  # half of a pair of surrogates
        return False


def known_graphs(learner: Any, n_targets: int) -> list[list[Graph]]:
    """What a warm start begins with: the formulas of the `fit` before, by target."""
    if not (learner.warm_start and hasattr(learner, "model_")):
        return [[] for _ in range(n_targets)]
    model: Model = learner.model_
    if model.groups is not None:  # whose formulas have constants as inputs
        return [[] for _ in range(n_targets)]
    n_inputs = learner.n_features_in_
    if len(model.targets) != n_targets or len(model.inputs) != n_inputs:
        what = f"of {len(model.inputs)} inputs and {len(model.targets)} targets"
        raise must("X", f"{what}, as in the `fit` before", n_inputs)
    return [
        [one.graph for one in model.equations if one.target == target]
        for target in model.targets
    ]


def kept_parameters(parameters: Mapping[str, Any]) -> dict[str, Json]:
    """Those parameters of a learner that a model file keeps, if JSON has their kind."""
    parameters = {
        **parameters,
        "guesses": kept_guesses(parameters.get("guesses")),
        **kept_knowledge(parameters),
    }
    plain = (str, int, float, bool, list, tuple, dict, type(None))
    return {
        name: value
        for name, given in parameters.items()
        if isinstance(value := _plain(given), plain)
        and name in KEPT
        and value != math.inf
    }


def _plain(value: Any) -> Any:
    """Python's own number for one of NumPy's, as searches for settings pass them."""
    return value.item() if isinstance(value, np.generic) else value


def _which_names(lines: Sequence[str]) -> str:
    """Say in one line which columns are missing, or new."""
    told = [line.strip() for line in lines if line.strip()]
    names = [line.removeprefix("- ") if line.startswith("- ") else "" for line in told]
    pieces = [
        f"{'' if before.endswith(':') else ','} {printable(name)}"
        if name
        else f" {line}"
        for before, line, name in zip(["", *told], told, names, strict=False)
    ]
    return "".join(pieces).strip()


class _WrongType(EqlearnError, TypeError):
    """What scikit-learn expects to be a TypeError."""


@contextmanager
def in_one_line() -> Iterator[None]:
    """Let only our own error leave the library: others may take several lines."""
    try:
        yield
    except EqlearnError:
        raise
    except (TypeError, ValueError, OverflowError, AttributeError) as error:
        ours = _WrongType if isinstance(error, TypeError) else EqlearnError
        lines = str(error).splitlines() or [type(error).__name__]
        # A colon is followed by an array, and that by what to do about it.
        said = lines[0] if not lines[0].endswith(":") else f"{lines[0]} {lines[-1]}"
        if lines[0].startswith("The feature names should match"):
            said = _which_names(lines)
        raise ours(said) from error
