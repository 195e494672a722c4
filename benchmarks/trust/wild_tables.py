"""Tables with wild values: is the law found all the same, and are they named?

One to ten of a hundred rows have a target ten times too large, of the wrong sign, or in
the column of an input, and that input in the place of the target. By the robust loss
the law is to be found and those rows named; by squares there must be a warning.
"""

import zlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from benchmarks.trust.cases import TrustLaw
from benchmarks.trust.wild_seen import LAWS as SEEN
from benchmarks.trust.wild_unseen import LAWS as UNSEEN
from eqlearn._types import Array, Booleans
from eqlearn.data.scale import domain_of_use
from eqlearn.equation.write.symbolic import expressions
from eqlearn.learners.equation_learner import EquationLearner
from eqlearn.model.model import Model
from eqlearn.problems.true_form import has_true_form
from eqlearn.reproduce.jsonl import Line
from eqlearn.search.conclude.judged_rows import JudgedRows
from eqlearn.search.conclude.misfits import misfits
from eqlearn.search.strategy import STANDARD

NOISE = 0.01
FEWEST_ROWS, MOST_ROWS = 100, 1000
FEWEST_WILD, MOST_WILD = 0.01, 0.1
#: In noise levels: what is nearer to the law cannot be told from the others.
TELLING = 10.0
#: Of the telling wild rows the share that must be named; of the others, that may be.
LEAST_NAMED, MOST_BLAMED = 0.9, 0.01
ROBUST_LOSS = "huber"


class WildTable(NamedTuple):
    """Rows of a law some of which are wild."""

    x: Array  # (N, D)
    y: Array  # (N,)
    is_wild: Booleans
    is_telling: Booleans  # wild, and far from the law


def names(is_unseen: bool) -> tuple[str, ...]:
    """The tables of a half."""
    return tuple(law.name for law in (UNSEEN if is_unseen else SEEN))


def wild_table(law: TrustLaw) -> WildTable:
    """Measure a law, and spoil some of the rows."""
    rng = np.random.default_rng(zlib.crc32(f"wild {law.name}".encode()))
    n = round(float(np.exp(rng.uniform(*np.log([FEWEST_ROWS, MOST_ROWS])))))
    low, high = np.transpose(law.box)
    x = rng.uniform(low, high, (n, len(low)))
    exact = law.truth(x)
    sigma = NOISE * float(np.std(exact))
    y = exact + sigma * rng.standard_normal(n)
    n_wild = max(1, round(n * rng.uniform(FEWEST_WILD, MOST_WILD)))
    chosen = rng.choice(n, n_wild, replace=False)
    for place, row in enumerate(chosen):
        kind = place % 3
        if kind < 2:
            y[row] *= (10.0, -1.0)[kind]
        else:
            column = rng.integers(x.shape[1])
            x[row, column], y[row] = y[row], x[row, column]
    is_wild = np.isin(np.arange(n), chosen)
    with np.errstate(all="ignore"):
        off = np.abs(y - law.truth(x))
    far = ~(off <= TELLING * sigma)  # where the law has no value, too
    return WildTable(x, y, is_wild, is_wild & far)


def perform(name: str, seconds: float) -> Line:
    """Search by both losses, and count what is said."""
    (law,) = (law for law in (*SEEN, *UNSEEN) if law.name == name)
    table = wild_table(law)
    line: Line = {
        "rows": len(table.y),
        "wild": int(table.is_wild.sum()),
        "telling": int(table.is_telling.sum()),
    }
    for loss in ("squared", ROBUST_LOSS):
        learner = EquationLearner(loss=loss, time_limit=seconds, n_jobs=1)
        named = pd.DataFrame(table.x, columns=list(law.ranges))
        model = learner.fit(named, table.y).model_
        line |= {f"{key}_{loss}": v for key, v in _judged(model, law, table).items()}
    return line


def _judged(model: Model, law: TrustLaw, table: WildTable) -> Line:
    """Whether the law was found, the wild rows named, and the user warned."""
    verdict, chosen = model.verdicts[0], model.chosen[0]
    formula = expressions(chosen.snapped, model.inputs)[0]
    problem = law.problem()
    rng = np.random.default_rng(0)
    said = " ".join(verdict.reasons)
    return {
        "verdict": verdict.kind,
        "found": problem is not None and has_true_form(formula, problem, rng),
        "warned": verdict.kind != "trusted" or "not follow" in said,
        "says_rows": "not follow" in said,
        **_named(model, table),
        "formula": chosen.formula,
    }


def _named(model: Model, table: WildTable) -> Line:
    """Which rows the formula says do not follow."""
    domain = np.stack(domain_of_use(table.x), axis=1)
    rows = JudgedRows.of(table.x, table.y, domain, STANDARD.judging)
    found = misfits(model.chosen[0].graph, rows, STANDARD.judging)
    is_named = np.isin(np.arange(len(table.y)), [one.row for one in found])
    named = int((is_named & table.is_telling).sum())
    blamed = int((is_named & ~table.is_wild).sum())
    enough = named >= LEAST_NAMED * table.is_telling.sum()
    few = blamed <= MOST_BLAMED * len(table.y)
    return {"named": named, "blamed": blamed, "names_all": bool(enough and few)}


HEADER = (
    *("tables", "law found", "and wild rows named", "by squares: warned"),
    *("rows named", "law found", "to reach"),
)


def row_of(lines: Sequence[Line]) -> tuple[str, ...]:
    """Count the tables."""
    n = len(lines)

    def count(holds: Callable[[Line], bool]) -> int:
        return sum(bool(holds(line)) for line in lines)

    found = count(lambda line: line["found_huber"])
    both = count(lambda line: line["found_huber"] and line["names_all_huber"])
    warned = count(lambda line: line["warned_squared"])
    is_met = both >= 0.9 * n and warned == n
    return (
        *(str(n), str(found), str(both), str(warned)),
        str(count(lambda line: line["says_rows_squared"])),
        str(count(lambda line: line["found_squared"])),
        "met" if is_met else "not met",
    )
