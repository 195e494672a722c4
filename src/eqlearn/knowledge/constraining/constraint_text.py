"""Constraints as users write them: "increasing in x", "f(0) = 0", "y <= 10".

    constraint = [target ":"] statement ["for" name "=" low ":" high {"," ...}]
    statement  = "positive" | "negative" | "non-negative" | "non-positive" | "finite"
               | ("increasing" | "decreasing" | "convex" | "concave" | "even" | "odd")
                 ["in" name]
               | number "<=" target "<=" number, or either half of it
               | target "(" [name "="] number {"," ...} ")" "=" number
               | target "->" number "as" name "->" ["-"] "inf"

The target may be called f or y. All inequalities include equality: nobody can tell 0
from what is just above it. A name may be between backticks.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from eqlearn.equation.write.names import identifiers
from eqlearn.errors import EqlearnError, must, unknown
from eqlearn.knowledge.constraining.constraints import Constraint

LIKE_THESE = (
    'like "positive", "increasing in x", "convex in x", "even in x", "y <= 10", '
    '"f(0) = 0" or "y -> 0 as x -> inf"'
)
#: Letters of the longest that anyone types.
LONGEST_TEXT = 500
#: Each takes time to prove.
MOST_CONSTRAINTS = 50
_NUMBER = r"[-+−]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_END = rf"(?:{_NUMBER}|[-+−]?(?:inf|infinity|oo|∞))"
_LESS = r"(<=|>=|<|>|≤|≥)"


@dataclass(frozen=True)
class _Names:
    """What inputs and the target may be called."""

    inputs: Mapping[str, int]
    targets: frozenset[str]
    n_inputs: int


def constraints_of(
    given: Any, inputs: Sequence[str], targets: Sequence[str]
) -> list[tuple[Constraint, ...]]:
    """Read the constraints of each target; those that name none are of all of them."""
    found: dict[str, list[Constraint]] = {target: [] for target in targets}
    for target, text in _by_target(given, targets):
        named, statement = _split_target(text, targets)
        chosen = target if named is None else named
        for name in targets if chosen is None else (chosen,):
            some = _read(text, statement, inputs, name, targets)
            found[name] += some
    for target, some in found.items():
        _check_together(target, some)
    return [tuple(dict.fromkeys(some)) for some in found.values()]


def kept_constraints(given: Any) -> Any:
    """Constraints as a model file keeps them: texts, in lists, by target if so."""
    if isinstance(given, Mapping):
        return {str(name): kept_constraints(some) for name, some in given.items()}
    return list(given) if isinstance(given, tuple) else given


def _by_target(given: Any, targets: Sequence[str]) -> list[tuple[str | None, str]]:
    if given is None:
        return []
    if not isinstance(given, Mapping):
        return [(None, text) for text in _listed(given)]
    for target in given:
        if target not in targets:
            raise unknown("constraints", target, targets)
    return [(t, text) for t, some in given.items() for text in _listed(some)]


def _listed(given: Any) -> list[str]:
    some = [given] if isinstance(given, str) else given
    if not isinstance(some, Sequence) or isinstance(some, bytes):
        raise must("constraints", f"a list of texts {LIKE_THESE}", given)
    if len(some) > MOST_CONSTRAINTS:
        raise must("constraints", f"at most {MOST_CONSTRAINTS} texts", len(some))
    for text in some:
        if not isinstance(text, str) or not text.strip():
            raise must("constraints", f"texts {LIKE_THESE}", text)
        if len(text) > LONGEST_TEXT:
            what = f"texts of at most {LONGEST_TEXT} letters"
            raise must("constraints", what, len(text))
    return list(some)


def _split_target(text: str, targets: Sequence[str]) -> tuple[str | None, str]:
    """The target that a text begins with, as in "y: positive", and the rest."""
    match = re.match(r"\s*(?:`([^`]+)`|([^`:]+?))\s*:\s*(?!\s*[-+.\d])", text)
    if match is None or " for " in text[: match.end()]:
        return None, text
    name = match[1] or match[2].strip()
    if name not in targets:
        raise unknown("constraints", name, targets, where=f"before the : in {text!r}")
    return name, text[match.end() :]


def _read(
    text: str,
    statement: str,
    inputs: Sequence[str],
    target: str,
    targets: Sequence[str],
) -> list[Constraint]:
    """What one text says of one target: two constraints if it bounds both sides."""
    columns = {
        **{_without_unit(name): number for number, name in enumerate(inputs)},
        **dict(zip(identifiers(inputs), range(len(inputs)), strict=True)),
        **dict(zip(inputs, range(len(inputs)), strict=True)),
    }
    words = ("f", "y", _without_unit(target))
    called = {target, *(word for word in words if word not in columns)}
    called -= {other for other in targets if other != target}
    names = _Names(columns, frozenset(called), len(inputs))
    try:
        said, _, ranges = _parted(statement)
        if _is_of_another(said, names, targets):
            return []
        within = _ranges(ranges, names) if ranges else ()
        for pattern, build in _FORMS:
            match = pattern.fullmatch(said)
            if match is not None:
                return [
                    replace(c, text=text.strip(), within=within)
                    for c in build(match, names)
                ]
    except EqlearnError as error:
        raise EqlearnError(f"{error} It is said in {text!r}.") from error
    raise must("constraints", f"texts {LIKE_THESE}", text, _near(said))


def _near(said: str) -> str:
    """What a text that begins with an unknown word may have meant."""
    first = said.partition(" ")[0].lower()
    near = get_close_matches(first, _WORDS, n=1, cutoff=0.7)
    return f"Did you mean {near[0]!r}?" if near and near[0] != first else ""


def _without_unit(name: str) -> str:
    """What people call a column whose header is `T [K]`."""
    return name.partition("[")[0].strip() or name


def _parted(statement: str) -> tuple[str, str, str]:
    """A statement, and the ranges it is made for."""
    match = re.search(r"\s(?:for|where)\s+(?=[^\s].*=)", statement)
    if match is None:
        return statement.strip(), "", ""
    return statement[: match.start()].strip(), "for", statement[match.end() :].strip()


def _is_of_another(said: str, names: _Names, targets: Sequence[str]) -> bool:
    """Whether a statement names another target, and says nothing of this one."""
    words = set(re.findall(r"`([^`]+)`", said)) | set(re.findall(r"[^\W\d]\w*", said))
    return bool(words & set(targets)) and not words & names.targets


def _bound(sign: int) -> Callable[[re.Match[str], _Names], list[Constraint]]:
    return lambda match, names: [Constraint("bound", "", None, sign, 0.0)]


def _finite(match: re.Match[str], names: _Names) -> list[Constraint]:
    del match, names
    return [Constraint("finite", "")]


def _along(match: re.Match[str], names: _Names) -> list[Constraint]:
    kind, sign = _ALONG[match[1].lower()]
    return [Constraint(kind, "", _input(match[2], names, match[1]), sign)]  # type: ignore[arg-type]


def _compared(match: re.Match[str], names: _Names) -> list[Constraint]:
    """Read y <= 10, 0 <= y, or both at once."""
    left, less, middle, more, right = match.groups()
    if less == ">" and left.endswith("-"):
        hint = "Say where, as in y -> 0 as x -> inf."
        raise must("constraints", "a limit along one input", match[0], hint)
    if right is not None:
        _check_target(middle, names)
        if _SIGN_OF_LESS[less] != _SIGN_OF_LESS[more]:
            raise must("constraints", "bounds like 0 <= y <= 1", match[0])
        pairs = [
            (_SIGN_OF_LESS[less], _number(left)),
            (-_SIGN_OF_LESS[more], _number(right)),
        ]
        if not pairs[0][0] * (pairs[1][1] - pairs[0][1]) > 0:
            raise must("constraints", "bounds like 0 <= y <= 1", match[0])
    elif re.fullmatch(_NUMBER, left.strip()):
        _check_target(middle, names)
        pairs = [(_SIGN_OF_LESS[less], _number(left))]
    else:
        _check_target(left, names)
        pairs = [(-_SIGN_OF_LESS[less], _number(middle))]
    return [Constraint("bound", "", None, sign, value) for sign, value in pairs]


def _placed(match: re.Match[str], names: _Names) -> list[Constraint]:
    """Read f(0) = 0, f(x=0) = 1 or f(inf) = 2."""
    _check_target(match[1], names)
    value = _number(match[3])
    pieces = [piece.strip() for piece in match[2].split(",")]
    if any("=" in piece for piece in pieces):
        pairs = [_pair(piece, names) for piece in pieces]
    else:
        if len(pieces) != names.n_inputs:
            what = f"a place of {names.n_inputs} numbers, or by name, like f(x=0) = 0"
            raise must("constraints", what, match[0])
        pairs = [(number, _place(piece)) for number, piece in enumerate(pieces)]
    if len({number for number, _ in pairs}) < len(pairs):
        raise must("constraints", "a place that names each input once", match[0])
    far = [(number, end) for number, end in pairs if math.isinf(end)]
    if not far:
        return [Constraint("value", "", None, 1, value, tuple(pairs))]
    if len(far) > 1:
        raise must("constraints", "a limit along one input", match[0])
    at = tuple(pair for pair in pairs if pair not in far)
    ((number, end),) = far
    return [Constraint("limit", "", number, 1 if end > 0 else -1, value, at)]


def _tending(match: re.Match[str], names: _Names) -> list[Constraint]:
    """Read y -> 0 as x -> inf."""
    _check_target(match[1], names)
    end = _place(match[4])
    if math.isfinite(end):
        hint = "Of a value at a place, say f(x=0) = 1."
        raise must("constraints", "a limit at inf or -inf", match[4], hint)
    number = _input(match[3], names, "a limit")
    return [Constraint("limit", "", number, 1 if end > 0 else -1, _number(match[2]))]


_SIGN_OF_LESS = {"<": 1, "<=": 1, "≤": 1, ">": -1, ">=": -1, "≥": -1}
_ALONG = {
    "increasing": ("slope", 1),
    "rising": ("slope", 1),
    "decreasing": ("slope", -1),
    "falling": ("slope", -1),
    "convex": ("curvature", 1),
    "concave": ("curvature", -1),
    "even": ("symmetry", 1),
    "odd": ("symmetry", -1),
}
#: Words that a text may begin with.
_WORDS = ("positive", "negative", "non-negative", "non-positive", "finite", *_ALONG)
_NAME = r"(?:`[^`]+`|[^`<>=≤≥()]+?)"
_FORMS: tuple[
    tuple[re.Pattern[str], Callable[[re.Match[str], _Names], list[Constraint]]], ...
] = tuple(
    (re.compile(pattern, re.IGNORECASE), build)
    for pattern, build in (
        (r"positive|non-?\s?negative", _bound(1)),
        (r"negative|non-?\s?positive", _bound(-1)),
        (r"finite|bounded", _finite),
        (rf"({'|'.join(_ALONG)})(?:\s+in\s+(.+))?", _along),
        (rf"({_NAME})\s*\(([^()]*)\)\s*=\s*([^=]+)", _placed),
        (
            rf"({_NAME})\s*(?:->|→)\s*([^\s]+)\s+(?:as|for)\s+({_NAME})\s*(?:->|→)\s*"
            rf"({_END})",
            _tending,
        ),
        (
            rf"([^<>=≤≥]+?)\s*{_LESS}\s*([^<>=≤≥]+?)(?:\s*{_LESS}\s*([^<>=≤≥]+))?",
            _compared,
        ),
    )
)


def _check_target(name: str, names: _Names) -> None:
    plain = name.strip().strip("`")
    if plain not in names.targets:
        raise unknown("constraints", plain, sorted(names.targets))


def _input(name: str | None, names: _Names, what: str) -> int:
    if name is None:
        if names.n_inputs == 1:
            return 0
        hint = f"Say of which, like {what!r} followed by in {next(iter(names.inputs))}."
        raise must("constraints", "along one input", what, hint)
    plain = name.strip().strip("`")
    if plain not in names.inputs:
        raise unknown("constraints", plain, names.inputs)
    return names.inputs[plain]


def _pair(piece: str, names: _Names) -> tuple[int, float]:
    name, equals, value = piece.partition("=")
    if not equals:
        raise must("constraints", "a place by name throughout, like f(x=0, z=1)", piece)
    return _input(name, names, "a place"), _place(value)


def _place(text: str) -> float:
    """A number, or infinity."""
    plain = text.strip().replace("−", "-").replace("∞", "inf").replace("oo", "inf")
    if not re.fullmatch(_END, plain):
        raise must("constraints", "at numbers, inf or -inf", text.strip())
    return float(plain)


def _number(text: str) -> float:
    plain = text.strip().replace("−", "-")
    if not re.fullmatch(_NUMBER, plain) or not math.isfinite(float(plain)):
        raise must("constraints", "with a number", text.strip())
    return float(plain)


def _ranges(text: str, names: _Names) -> tuple[tuple[int, float, float], ...]:
    found = []
    for piece in text.split(","):
        name, equals, ends = piece.partition("=")
        low, colon, high = ends.partition(":")
        if not equals or not colon:
            raise must("constraints", "for ranges like x=0:5", piece.strip())
        least, most = _number(low), _number(high)
        if not least < most:
            raise must("constraints", "for ranges LOW:HIGH with LOW below HIGH", ends)
        found.append((_input(name, names, "a range"), least, most))
    if len({number for number, *_ in found}) < len(found):
        raise must("constraints", "for one range of each input", text)
    return tuple(found)


def _check_together(target: str, some: Sequence[Constraint]) -> None:
    """Refuse what nothing, or nothing but a constant, can fulfil."""
    for i, one in enumerate(some):
        for other in some[:i]:
            if _exclude_each_other(one, other):
                both = f"{other.text!r} and {one.text!r}"
                hint = f"Leave one of them out for {target}."
                raise must("constraints", "such that all can hold", both, hint)


def _exclude_each_other(one: Constraint, other: Constraint) -> bool:
    kinds = one.kind, other.kind
    is_same_place = (one.input, one.within) == (other.input, other.within)
    if kinds == ("bound", "bound") and one.sign != other.sign and is_same_place:
        low, high = (one, other) if one.sign > 0 else (other, one)
        return low.value >= high.value
    if one.kind == other.kind and one.kind in ("slope", "curvature", "symmetry"):
        return is_same_place and one.sign != other.sign
    if kinds in (("value", "value"), ("limit", "limit")):
        same = (one.at, one.input, one.sign) == (other.at, other.input, other.sign)
        return same and one.value != other.value
    for value, bound in ((one, other), (other, one)):
        if value.kind == "value" and bound.kind == "bound" and not bound.within:
            return bound.sign * value.value < bound.sign * bound.value
    return False
