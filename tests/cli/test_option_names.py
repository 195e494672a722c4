import inspect

import pytest
from typer.main import get_command

from eqlearn.cli.main import app
from eqlearn.cli.option_names import OPTION_NAMES, spelled_as_options
from eqlearn.errors import EqlearnError
from eqlearn.learners.equation_learner import EquationLearner


def spelled(line: str, **others: str) -> str:
    with pytest.raises(EqlearnError) as caught, spelled_as_options(**others):
        raise EqlearnError(line)
    return str(caught.value)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("`n_jobs` must be 1; got 0.", "`--jobs` must be 1; got 0."),
        ("`path` must be a model file.", "`RUN` must be a model file."),
        ("`y` must be finite; got `seed`.", "`y` must be finite; got `seed`."),
        ("`a.csv` is. Name it by `run_dir`.", "`a.csv` is. Name it by `--out`."),
        ("Nothing could be fitted.", "Nothing could be fitted."),
    ],
)
def test_parameters_are_named_as_they_are_typed(line: str, expected: str) -> None:
    assert spelled(line) == expected


def test_a_name_may_mean_something_else_for_one_command() -> None:
    assert spelled("`path` is gone.", path="--model") == "`--model` is gone."


def test_other_errors_pass() -> None:
    with pytest.raises(OSError, match="^`path`$"), spelled_as_options():
        raise OSError("`path`")


def _options() -> set[str]:
    found: set[str] = set()
    commands = [get_command(app)]
    while commands:
        command = commands.pop()
        commands += getattr(command, "commands", {}).values()
        for parameter in command.params:
            found.update(parameter.opts)
            found.add(str(getattr(parameter, "metavar", "")))
    return found


def test_every_option_in_the_table_exists() -> None:
    assert set(OPTION_NAMES.values()) <= _options()


def test_every_parameter_with_an_option_is_in_the_table() -> None:
    parameters = set(inspect.signature(EquationLearner).parameters)
    # Of the others, some are for Python only, and one has the name of scikit-learn.
    python_only = {"units_per_type", "max_attempts", "snap", "warm_start", "verbose"}
    python_only |= {"callback"}
    assert parameters - python_only - {"random_state"} <= set(OPTION_NAMES)
