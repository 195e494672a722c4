"""All problems by name, in the groups that benchmarks go through."""

import re
from difflib import get_close_matches

from eqlearn.errors import must
from eqlearn.problems.definition import Problem
from eqlearn.problems.laws import LAW_PROBLEMS
from eqlearn.problems.paper import CART_PENDULUM, FORMULAS
from eqlearn.problems.random_expressions import random_expression
from eqlearn.problems.textbook import laws_seen, laws_unseen, waves_seen, waves_unseen
from eqlearn.problems.textbook.entry import Kinds

_BY_KIND = tuple(
    module.KINDS for module in (laws_seen, laws_unseen, waves_seen, waves_unseen)
)
_ENTERED = [p for kinds in _BY_KIND for problems in kinds.values() for p in problems]
_ALL: list[Problem] = [*FORMULAS, *CART_PENDULUM, *LAW_PROBLEMS, *_ENTERED]
_WRITTEN = {p.name: p for p in _ALL}
_RANDOM = re.compile(r"RE([23])-(\d+)")

#: Names of the paper's random expressions: two and three hidden layers, seeds 1 to 4.
RANDOM_EXPRESSIONS: tuple[str, ...] = tuple(
    f"RE{n_hidden}-{seed}" for n_hidden in (2, 3) for seed in (1, 2, 3, 4)
)
#: Names of all problems of the paper.
PAPER: tuple[str, ...] = (
    *(p.name for p in (*FORMULAS, *CART_PENDULUM)),
    *RANDOM_EXPRESSIONS,
)
#: Names of the laws of physics, chemistry and biology.
LAWS: tuple[str, ...] = tuple(p.name for p in LAW_PROBLEMS)


def _names(kinds: Kinds) -> tuple[str, ...]:
    return tuple(p.name for problems in kinds.values() for p in problems)


#: Names of textbook laws of all kinds, and of fast waves: half of each to work with,
#: half that nothing may be tuned on.
TEXTBOOK, TEXTBOOK_UNSEEN, WAVES, WAVES_UNSEEN = map(_names, _BY_KIND)
#: What kind of law or wave each of these is.
KIND: dict[str, str] = {
    p.name: kind
    for kinds in _BY_KIND
    for kind, problems in kinds.items()
    for p in problems
}


def problem(name: str) -> Problem:
    """Look up a problem; RE2-7 or RE3-12 draws a fresh random expression."""
    drawn = _RANDOM.fullmatch(name)
    if drawn:
        return random_expression(int(drawn[1]), int(drawn[2]))
    if name not in _WRITTEN:
        known = (*PAPER, *LAWS, *TEXTBOOK, *WAVES)
        near = get_close_matches(name, known, n=3, cutoff=0.0)
        hint = f"The nearest are {', '.join(near)}; PAPER, LAWS, … list them all."
        raise must("name", "the name of a problem", name, hint=hint)
    return _WRITTEN[name]
