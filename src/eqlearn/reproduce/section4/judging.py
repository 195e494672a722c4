"""Judge answers against the noise-free truth, as one line of JSON."""

from collections.abc import Mapping, Sequence

import numpy as np

from eqlearn._types import Array
from eqlearn.baselines.question import Answer
from eqlearn.equation.write.symbolic import rounded
from eqlearn.problems import (
    Agreement,
    Identification,
    Learned,
    OutputIdentification,
    Problem,
    agreement,
    has_true_form,
    identified,
)
from eqlearn.reproduce.jsonl import Line, number

_N_TEST = 5000
_DIGITS = 4
#: How far a slice x1 = x2 = ... = x goes, in ranges of the data, and its points.
SLICE_FACTOR = 4.0
_N_SLICE = 161


def judge(
    answers: Sequence[Answer | None], asked: Problem, rng: np.random.Generator
) -> Line:
    """Compare with the noise-free truth; a target without an answer is a failure."""
    found = [answer for answer in answers if answer is not None]
    if len(found) < len(answers):
        return _nothing_found(answers, asked)
    learned = [answer.learned for answer in found]
    judgement = identified(learned, asked, rng)
    inside, _ = asked.sample(_N_TEST, rng, noise=0.0)
    outside, _ = asked.sample_extrapolation(_N_TEST, rng)
    rms = {
        "inside": _rms(found, asked, inside),
        "outside": _rms(found, asked, outside),
    }
    low, high = np.transpose(asked.wide_box())
    wide = rng.uniform(low, high, size=(_N_TEST, len(low)))
    return {
        "status": "ok",
        "symbolic": judgement.symbolic,
        "numeric": judgement.numeric,
        "decided": _decided(judgement, asked.outputs),
        "restarts": sum(answer.restarts for answer in found),
        "parameters": sum(answer.parameters for answer in found),
        "mse_outside": number(float(np.mean(rms["outside"] ** 2))),
        "relative_rms_outside": number(float(np.max(rms["outside"] / asked.spread))),
        "outputs": [
            {
                "name": asked.outputs[m],
                **_about(answer, judgement.outputs[m], asked),
                **_errors({place: error[m] for place, error in rms.items()}),
                **_errors(
                    {place: error[m] / asked.spread[m] for place, error in rms.items()},
                    "relative_",
                ),
                **_candidates(answer, wide, asked.evaluate(wide)[:, m]),
            }
            for m, answer in enumerate(found)
        ],
        **(
            _true_form(learned, asked, rng) if asked.by_form else _slice(learned, asked)
        ),
    }


def agreement_of(line: Line) -> Agreement:
    """What a line says of all outputs; nothing is said of what failed."""
    return agreement(bool(line.get("symbolic")), bool(line.get("numeric")))


def _true_form(
    learned: Sequence[Learned], asked: Problem, rng: np.random.Generator
) -> Line:
    """Tell whether every formula is the law but for its constants."""
    formulas = enumerate(one.expression for one in learned)
    return {"true_form": all(has_true_form(e, asked, rng, m) for m, e in formulas)}


def _nothing_found(answers: Sequence[Answer | None], asked: Problem) -> Line:
    missing = [o for o, a in zip(asked.outputs, answers, strict=True) if a is None]
    message = f"no formula for {', '.join(missing)}"
    nothing = {"status": "nothing found", "message": message}
    return {**nothing, "true_form": False} if asked.by_form else nothing


def _about(answer: Answer, judgement: OutputIdentification, asked: Problem) -> Line:
    return {
        # What nobody may tune on, nobody reads.
        "formula": "" if asked.is_unseen else _shown(answer),
        "parameters": answer.parameters,
        "restarts": answer.restarts,
        **answer.remarks,
        "symbolic": judgement.symbolic,
        "relative_rms_wide": number(judgement.relative_rms),
    }


def _errors(by_place: Mapping[str, float], prefix: str = "") -> Line:
    return {f"{prefix}rms_{place}": number(rms) for place, rms in by_place.items()}


def _candidates(answer: Answer, x: Array, truth: Array) -> Line:
    """What criteria see of each candidate, and how far it is off over a wide range."""
    if not answer.candidates:
        return {}
    rows = []
    for numbers, learned in answer.candidates:
        with np.errstate(all="ignore"):
            error = np.sqrt(np.mean((learned.predict(x) - truth) ** 2)) / np.std(truth)
        row = {name: number(value) for name, value in numbers.items()}
        rows.append({**row, "relative_rms": number(float(error))})
    return {"candidates": rows}


def _slice(learned: Sequence[Learned], asked: Problem) -> Line:
    """Values along x1 = x2 = ... = x, where all inputs have one range."""
    if len(set(asked.box)) > 1:
        return {}
    (low, high), *_ = asked.wide_box(SLICE_FACTOR)
    x = np.linspace(low, high, _N_SLICE)
    points = np.repeat(x[:, None], len(asked.inputs), axis=1)
    with np.errstate(all="ignore"):
        values = [np.asarray(one.predict(points), float) for one in learned]
    y = [[number(float(value)) for value in of] for of in values]
    return {"slice": {"x": [number(float(value)) for value in x], "y": y}}


def _rms(answers: Sequence[Answer], asked: Problem, x: Array) -> Array:
    """Each target's RMS distance (M,) to the truth at x."""
    with np.errstate(all="ignore"):  # a wrong formula may have poles out there
        predicted = np.stack([answer.learned.predict(x) for answer in answers], axis=1)
        missed = predicted - asked.evaluate(x)
        rms: Array = np.sqrt(np.mean(missed**2, axis=0))
    return rms


def _decided(judgement: Identification, outputs: Sequence[str]) -> str:
    decisions = zip(outputs, judgement.outputs, strict=True)
    return "; ".join(f"{name}: {_reason(one)}" for name, one in decisions)


def _reason(judgement: OutputIdentification) -> str:
    formulas = {
        True: "same formula, constants to three decimals",
        False: "other formula or constants",
        None: "formulas not comparable",
    }[judgement.symbolic]
    return (
        f"{formulas}, {100 * judgement.relative_rms:.2g} % off over 3 times the range"
    )


def _shown(answer: Answer) -> str:
    if answer.learned.expression is None:
        return ""
    return str(rounded(answer.learned.expression, _DIGITS))
