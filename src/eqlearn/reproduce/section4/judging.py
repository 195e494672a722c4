"""Judge answers against the noise-free truth, as one line of JSON."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from eqlearn.baselines.question import Answer
from eqlearn.equation.write.symbolic import rounded
from eqlearn.problems import (
    Learned,
    OutputVerdict,
    Problem,
    Verdict,
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
        missing = [o for o, a in zip(asked.outputs, answers, strict=True) if a is None]
        message = f"no formula for {', '.join(missing)}"
        nothing = {"status": "nothing found", "identified": "no", "message": message}
        return {**nothing, "true_form": False} if asked.by_form else nothing
    verdict = identified([answer.learned for answer in found], asked, rng)
    inside, _ = asked.sample(_N_TEST, rng, noise=0.0)
    outside, _ = asked.sample_extrapolation(_N_TEST, rng)
    rms = {
        "inside": _rms(found, asked, inside),
        "outside": _rms(found, asked, outside),
    }
    low, high = np.transpose(asked.wide_box())
    wide = rng.uniform(low, high, size=(_N_TEST, len(low)))
    outputs = [
        {
            "name": asked.outputs[m],
            "formula": "" if asked.is_unseen else _shown(answer),
            "parameters": answer.parameters,
            "restarts": answer.restarts,
            **answer.remarks,
            "symbolic": verdict.outputs[m].symbolic,
            "relative_rms_wide": number(verdict.outputs[m].relative_rms),
            **{f"rms_{where}": number(error[m]) for where, error in rms.items()},
            **{
                f"relative_rms_{where}": number(error[m] / asked.spread[m])
                for where, error in rms.items()
            },
            **_candidates(answer, wide, asked.evaluate(wide)[:, m]),
        }
        for m, answer in enumerate(found)
    ]
    return {
        "status": "ok",
        "identified": verdict.how,
        "symbolic": verdict.symbolic,
        "numeric": verdict.numeric,
        "decided": _decided(verdict, asked.outputs),
        "restarts": sum(answer.restarts for answer in found),
        "parameters": sum(answer.parameters for answer in found),
        "mse_outside": number(float(np.mean(rms["outside"] ** 2))),
        "relative_rms_outside": number(float(np.max(rms["outside"] / asked.spread))),
        "outputs": outputs,
        **(
            _true_form(found, asked, rng)
            if asked.by_form
            else _slice([answer.learned for answer in found], asked)
        ),
    }


def _true_form(
    answers: Sequence[Answer], asked: Problem, rng: np.random.Generator
) -> Line:
    """Tell whether every formula is the law but for its constants."""
    learned = enumerate(answer.learned.expression for answer in answers)
    return {"true_form": all(has_true_form(e, asked, rng, m) for m, e in learned)}


def _candidates(
    answer: Answer, x: NDArray[np.float64], truth: NDArray[np.float64]
) -> Line:
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


def _rms(
    answers: Sequence[Answer], asked: Problem, x: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Each target's RMS distance (M,) to the truth at x."""
    with np.errstate(all="ignore"):  # a wrong formula may do anything out there
        predicted = np.stack([answer.learned.predict(x) for answer in answers], axis=1)
        return np.sqrt(np.mean((predicted - asked.evaluate(x)) ** 2, axis=0))


def _decided(verdict: Verdict, outputs: Sequence[str]) -> str:
    decisions = zip(outputs, verdict.outputs, strict=True)
    return "; ".join(f"{name}: {_reason(one)}" for name, one in decisions)


def _reason(verdict: OutputVerdict) -> str:
    formulas = {
        True: "same formula, constants to three decimals",
        False: "other formula or constants",
        None: "formulas not comparable",
    }[verdict.symbolic]
    return f"{formulas}, {100 * verdict.relative_rms:.2g} % off over 3 times the range"


def _shown(answer: Answer) -> str:
    if answer.learned.expression is None:
        return ""
    return str(rounded(answer.learned.expression, _DIGITS))
