"""What `guesses` may be: formulas as text, or the equations of another model."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from eqlearn._types import Array
from eqlearn.equation.read.grammar import LIKE
from eqlearn.equation.read.starts import start_graphs
from eqlearn.errors import must, printable, unknown
from eqlearn.model import model_file
from eqlearn.model.model import Equation, Model
from eqlearn.network.graph import Graph
from eqlearn.network.transform import with_inputs
from eqlearn.search.streams import Stream, generator

#: A formula as text, the path of a model file or run, a model, or a fitted learner.
Guess = Any
_MODEL_NAME = "model.json"


def guessed_graphs(
    guesses: Any, inputs: Sequence[str], targets: Sequence[str], x: Array, seed: int
) -> list[list[Graph]]:
    """For each target, graphs in the units of the data where fits begin."""
    found: dict[str, list[Graph]] = {target: [] for target in targets}
    rng = generator(seed, Stream.GUESSES)
    for target, guess in _by_target(guesses, targets):
        model = _model_of(guess)
        if model is not None:
            for name in targets if target is None else (target,):
                found[name] += _of_model(model, name, inputs, len(targets))
            continue
        named, text = _split(guess, targets)
        graphs = start_graphs(text, inputs, x, rng)
        chosen = named or target
        for name in targets if chosen is None else (chosen,):
            found[name] += graphs
    return list(found.values())


def kept_guesses(guesses: Any) -> Any:
    """Guesses as a model file keeps them: formulas as they are, others by kind."""

    def kept(guess: Any) -> str:
        return str(guess) if isinstance(guess, str | os.PathLike) else "a model"

    if guesses is None or isinstance(guesses, str):
        return guesses
    if isinstance(guesses, Mapping):
        return {str(t): kept_guesses(some) for t, some in guesses.items()}
    return [kept(guess) for guess in _listed(guesses)]


def _by_target(guesses: Any, targets: Sequence[str]) -> list[tuple[str | None, Guess]]:
    if guesses is None:
        return []
    if not isinstance(guesses, Mapping):
        return [(None, guess) for guess in _listed(guesses)]
    for target in guesses:
        if target not in targets:
            raise unknown("guesses", target, targets)
    return [(t, guess) for t, some in guesses.items() for guess in _listed(some)]


def _listed(guesses: Any) -> list[Guess]:
    is_one = isinstance(guesses, str | os.PathLike | Model) or hasattr(
        guesses, "model_"
    )
    if is_one:
        return [guesses]
    if not isinstance(guesses, Sequence):
        raise must("guesses", f"a list of formulas, each {LIKE}", guesses)
    return list(guesses)


def _model_of(guess: Guess) -> Model | None:
    """The model that a guess is, or names; None if it is a formula."""
    known = guess if isinstance(guess, Model) else getattr(guess, "model_", None)
    if isinstance(known, Model):
        return _of_one_group(known)
    is_path = isinstance(guess, os.PathLike)
    text = os.fspath(guess) if is_path else guess
    if not isinstance(text, str):
        raise must("guesses", f"{LIKE}, or a model", guess)
    path = Path(text)
    if is_path or text.endswith((".json", os.sep)) or (text.strip() and _is_run(path)):
        return _loaded(path)
    return None


def _loaded(path: Path) -> Model:
    file = path / _MODEL_NAME if path.is_dir() else path
    if not file.is_file():
        what = "formulas, or paths of runs and model files that are there"
        raise must("guesses", what, str(path), "Check the path.")
    return _of_one_group(model_file.load(file))


def _of_one_group(model: Model) -> Model:
    """The equations with the constants of the first group: where fits may begin."""
    if model.groups is None:
        return model
    from eqlearn.groups.one_group import model_of_group

    return model_of_group(model, model.groups.names[0], as_fitted=True)


def _is_run(path: Path) -> bool:
    try:
        return (path / _MODEL_NAME).is_file()
    except (OSError, ValueError):  # a long formula is no name of a file
        return False


def _split(text: str, targets: Sequence[str]) -> tuple[str | None, str]:
    """The target that a formula begins with, as in y = a*x, and the rest."""
    left, equals, right = text.partition("=")
    # A column of words makes inputs like `kind=oak`, which are between backticks.
    if not equals or left.count("`") % 2:
        return None, text
    name = left.strip().strip("`")
    if name not in targets:
        raise unknown("guesses", name, targets, where=f"before the = in {text!r}")
    return name, right


def _of_model(
    model: Model, target: str, inputs: Sequence[str], n_targets: int
) -> list[Graph]:
    """The equations of a model for a target, with the inputs in another order."""
    are_single = n_targets == 1 and len(model.targets) == 1
    name = model.targets[0] if are_single else target
    if name not in model.targets:
        raise unknown(
            "guesses", target, model.targets, where="as the target of a model"
        )
    equations = [one for one in model.equations if one.target == name]
    missing = {
        model.inputs[i]
        for one in equations
        for i in one.graph.used_inputs
        if model.inputs[i] not in inputs
    }
    found = [one for one in equations if _needs_only(one, model, inputs)]
    if missing and not any(one.graph.used_inputs for one in found):
        listed = ", ".join(map(printable, sorted(missing)))
        what = f"models of the inputs {', '.join(map(printable, inputs))}"
        raise must("guesses", what, f"one of {listed}")
    numbers = {i: inputs.index(n) for i, n in enumerate(model.inputs) if n in inputs}
    return [with_inputs(one.graph, numbers, len(inputs)) for one in found]


def _needs_only(one: Equation, model: Model, inputs: Sequence[str]) -> bool:
    return all(model.inputs[i] in inputs for i in one.graph.used_inputs)
