"""One search, its verdict, and how far off the formula is where it is to be used."""

import json
import math
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.trust.cases import NOISES, TrustCase
from benchmarks.trust.trust_seen import LAWS as SEEN
from benchmarks.trust.trust_unseen import LAWS as UNSEEN
from eqlearn._types import Array
from eqlearn.data.scale import domain_of_use
from eqlearn.equation.write.symbolic import expressions
from eqlearn.model.model import Model
from eqlearn.model.prediction import prediction_interval
from eqlearn.problems.true_form import has_true_form
from eqlearn.reproduce.jsonl import Line, number
from eqlearn.search.conclude.to_model import model_of
from eqlearn.search.keep.final_fits import Candidate
from eqlearn.search.learn import Found, learn
from eqlearn.search.request import Request

N_POINTS = 4000
#: Of the intervals whose coverage is counted.
LEVEL = 0.95


class Asked(NamedTuple):
    """A search by its place in its half, and where what it found is kept."""

    place: int
    is_unseen: bool
    seconds: float
    kept: Path | None = None

    @property
    def case(self) -> TrustCase:
        """The search itself; as laws do not pickle, it is looked up where it is run."""
        return cases(self.is_unseen, self.seconds)[self.place]


def cases(is_unseen: bool, seconds: float) -> list[TrustCase]:
    """All searches of a half; the first of them are of laws of all kinds."""
    laws = UNSEEN if is_unseen else SEEN
    return [
        TrustCase(law, NOISES[(place + turn) % len(NOISES)], seconds, is_unseen)
        for turn in range(len(NOISES))
        for place, law in enumerate(laws)
    ]


def perform(asked: Asked) -> Line:
    """Search, or take what was found before, and judge it."""
    case = asked.case
    x, y = case.rows()
    found, seconds = _found(asked, x, y)
    names = tuple(f"x{d + 1}" for d in range(x.shape[1]))
    names = (*tuple(case.law.ranges)[: x.shape[1]], *names)[: x.shape[1]]
    if case.law.trap is not None:
        names = (*names[:-1], "trap")
    domain = np.stack(domain_of_use(x), axis=1)
    model = model_of([found], x, y[:, None], domain, inputs=names, targets=["y"])
    return {
        "law": case.law.name,
        "vocabulary": case.law.vocabulary,
        "unseen": case.is_unseen,
        "noise": case.noise,
        "limit": case.seconds,
        "rows": len(x),
        "status": "ok",
        "seconds": seconds,
        **_judged(model, case, x, y),
    }


def _judged(model: Model, case: TrustCase, x: Array, y: Array) -> Line:
    """What is said of the formula, and what is true of it."""
    verdict, chosen = model.verdicts[0], model.chosen[0]
    formula = expressions(chosen.snapped, model.inputs)[0]
    problem = case.law.problem()
    is_true = problem is not None and has_true_form(formula, problem, case.rng())
    line: Line = {
        "verdict": verdict.kind,
        "true_form": is_true,
        **_errors(model, case, float(np.std(y))),
        **_covered(model, case, x, y),
        "left": number(chosen.rms / float(np.std(y))),
        "votes": chosen.votes,
    }
    if not case.is_unseen:
        line |= {"formula": chosen.formula, "reasons": list(verdict.reasons)}
    return line


def _errors(model: Model, case: TrustCase, spread: float) -> Mapping[str, float | None]:
    """The 90th percentile of the error in the domain of use, in shares of the spread.

    Of the law there, and of the rows.
    """
    low, high = np.transpose(model.domain)
    rng = np.random.default_rng(1)
    points = rng.uniform(low, high, (N_POINTS, len(low)))
    truth = case.law.truth(points)
    defined = np.isfinite(truth)
    with np.errstate(all="ignore"):
        off = np.abs(model.predict(points[defined])[:, 0] - truth[defined])
    off = np.where(np.isfinite(off), off, np.inf)
    p90 = float(np.sort(off)[math.ceil(0.9 * len(off)) - 1])
    there = float(np.std(truth[defined]))
    return {"off": number(p90 / there), "off_of_rows": number(p90 / spread)}


def _covered(
    model: Model, case: TrustCase, x: Array, y: Array
) -> Mapping[str, float | None]:
    """The share of new measurements within intervals of 95 %, inside and outside."""
    low, high = np.transpose(model.domain)
    rng = np.random.default_rng(2)
    points = rng.uniform(low, high, (N_POINTS, len(low)))
    truth = case.law.truth(points)
    is_outside = ((points < x.min(axis=0)) | (points > x.max(axis=0))).any(axis=1)
    exact = float(np.std(y)) / math.sqrt(1.0 + case.noise**2)
    measured = truth + case.noise * exact * rng.standard_normal(N_POINTS)
    with np.errstate(all="ignore"):
        values = model.predict(points)
        ends = prediction_interval(model, points, LEVEL, values)[:, 0]
        within = (ends[:, 0] <= measured) & (measured <= ends[:, 1])
    defined = np.isfinite(truth)
    shares = {}
    for name, there in (("inside", ~is_outside), ("outside", is_outside)):
        some = within[there & defined]
        shares[f"covered_{name}"] = number(float(some.mean())) if len(some) else None
    return shares


def _found(asked: Asked, x: Array, y: Array) -> tuple[Found, float]:
    path = None if asked.kept is None else asked.kept / _file_name(asked.case)
    if path is not None and path.exists():
        known = json.loads(path.read_text("utf-8"))
        return _found_from(known["found"]), known["seconds"]
    request = Request(x, y[:, None], time_limit=asked.case.seconds, jobs=1)
    start = time.perf_counter()
    (found,) = learn(request)
    seconds = round(time.perf_counter() - start, 2)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        written = {"found": _written(found), "seconds": seconds}
        path.write_text(json.dumps(written), encoding="utf-8")
    return found, seconds


def _file_name(case: TrustCase) -> str:
    return f"{case.law.name}-{case.noise:g}-{case.seconds:g}.json"


def _written(found: Found) -> dict[str, Any]:
    candidates = [one.to_document() for one in found.candidates]
    plain = {k: v for k, v in vars(found).items() if k != "candidates"}
    return {**plain, "candidates": candidates}


def _found_from(document: dict[str, Any]) -> Found:
    candidates = tuple(map(Candidate.from_document, document["candidates"]))
    failures = tuple((key, why) for key, why in document["failures"])
    return Found(**{**document, "candidates": candidates, "failures": failures})
