"""What a model file may hold: its schema, and what becomes of older files."""

import re
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, FailFast, Field, JsonValue, ValidationError

from eqlearn.errors import EqlearnError, must
from eqlearn.model.model import Kind, SearchEnd
from eqlearn.network.document import MOST_INPUTS, MOST_OUTPUTS

#: What the file says of itself; the version changes when older programs must refuse.
FORMAT = "eqlearn model"
VERSION = 3
LARGEST_FILE = 4 * 2**20  # bytes; a model of ten targets takes some 50 kB
MOST_EQUATIONS = 2_000
MOST_GROUPS = 500
_LONGEST_TEXT = 100_000
_MOST_FACTS = 1_000


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


_Text: TypeAlias = Annotated[str, Field(max_length=_LONGEST_TEXT)]
_Texts: TypeAlias = Annotated[list[_Text], Field(max_length=_MOST_FACTS), FailFast()]
_Count: TypeAlias = Annotated[int, Field(ge=0)]
_AtLeastZero: TypeAlias = Annotated[float, Field(ge=0)]
_Ends: TypeAlias = Annotated[list[float], Field(min_length=2, max_length=2)]
_Ranges: TypeAlias = Annotated[list[_Ends], Field(max_length=MOST_INPUTS), FailFast()]
_Facts: TypeAlias = Annotated[dict[_Text, JsonValue], Field(max_length=_MOST_FACTS)]


class ConstantRow(_Strict):
    """A fitted constant; its error is null where the data do not determine it."""

    connection: Annotated[list[int | str], Field(min_length=2, max_length=2)]
    value: float
    error: _AtLeastZero | None


class EquationRow(_Strict):
    """A candidate for one target."""

    target: _Text
    formula: Annotated[str, Field(max_length=LARGEST_FILE)]
    is_chosen: bool
    rms: _AtLeastZero | None
    bic: float | None
    complexity: _Count
    votes: _Count
    has_pole: bool
    scores: Annotated[dict[_Text, float], Field(max_length=_MOST_FACTS)]
    constants: Annotated[list[ConstantRow], FailFast()]
    covariance: Annotated[list[list[float]], FailFast()] = []
    graph: dict[str, Any]
    snapped: dict[str, Any]


class VerdictRow(_Strict):
    """How far a chosen equation can be trusted."""

    kind: Kind
    reasons: _Texts
    advice: _Texts


class OutcomeRow(_Strict):
    """What the search for one target came to."""

    verdict: VerdictRow
    ended: SearchEnd
    n_attempts: _Count


class OriginRow(_Strict):
    """Where the data came from."""

    table: _Text | None = None
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    environment: _Text | None = None
    logs: _Texts = []
    notes: _Texts = []


class GroupConstantRow(_Strict):
    """A constant of each group; its error is null where the data do not tell it."""

    name: _Text
    target: _Text
    values: Annotated[list[float], Field(max_length=MOST_GROUPS), FailFast()]
    errors: Annotated[
        list[_AtLeastZero | None], Field(max_length=MOST_GROUPS), FailFast()
    ]


class GroupsRow(_Strict):
    """Groups of rows that share a form."""

    column: _Text
    names: Annotated[list[_Text], Field(min_length=1, max_length=MOST_GROUPS)]
    n_rows: Annotated[list[_Count], Field(max_length=MOST_GROUPS)]
    constants: Annotated[list[GroupConstantRow], Field(max_length=_MOST_FACTS)]
    rms: Annotated[
        list[Annotated[list[_AtLeastZero | None], Field(max_length=MOST_GROUPS)]],
        Field(max_length=MOST_EQUATIONS),
    ] = []


class File(_Strict):
    """A model of eqlearn."""

    format: Literal["eqlearn model"]
    version: Annotated[int, Field(ge=VERSION, le=VERSION)]  # True is no version
    inputs: Annotated[
        list[_Text], Field(min_length=1, max_length=MOST_INPUTS), FailFast()
    ]
    targets: Annotated[
        list[_Text], Field(min_length=1, max_length=MOST_OUTPUTS), FailFast()
    ]
    equations: Annotated[
        list[EquationRow], Field(max_length=MOST_EQUATIONS), FailFast()
    ]
    outcomes: Annotated[list[OutcomeRow], Field(max_length=MOST_OUTPUTS), FailFast()]
    domain: _Ranges
    ranges: _Ranges
    n_rows: _Count
    seconds: _AtLeastZero
    is_flat: bool
    parameters: _Facts
    origin: OriginRow
    versions: Annotated[dict[_Text, _Text], Field(max_length=_MOST_FACTS)]
    categories: Annotated[dict[_Text, _Texts], Field(max_length=_MOST_FACTS)] = {}
    groups: GroupsRow | None = None


def validated(document: dict[str, Any]) -> File:
    """Check a document against the schema; one of an older version is converted."""
    version = document.get("version")
    if document.get("format") == FORMAT and type(version) is int:
        if version > VERSION:
            raise must("version", f"at most {VERSION}", version, "Update eqlearn.")
        if version == 1:
            document = _from_version_1(document)
        if version == 2:  # which had no covariance
            document = {**document, "version": VERSION}
    return _as(File, document)


class _Settings1(_Strict):
    """What version 1 called settings: parameters and results in one bag."""

    parameters: _Facts
    flat: bool
    verdicts: Annotated[list[VerdictRow], FailFast()]
    ended: Annotated[list[SearchEnd], FailFast()]
    seconds: _AtLeastZero
    n_attempts: Annotated[list[_Count], FailFast()]
    origin: dict[_Text, _Text] = {}


class _Version1(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", allow_inf_nan=False)

    settings: _Settings1


def _from_version_1(document: dict[str, Any]) -> dict[str, Any]:
    settings = _as(_Version1, document).settings
    parameters = dict(settings.parameters)
    origin: dict[str, str | list[str]] = dict(settings.origin.items())
    if "units" in parameters:
        parameters["functions"] = parameters.pop("units")
    if "files" in origin:  # several were one text, with commas between
        origin["logs"] = [str(origin.pop("files"))]
    results = zip(settings.verdicts, settings.ended, settings.n_attempts, strict=False)
    return {
        **{name: part for name, part in document.items() if name != "settings"},
        "version": VERSION,
        "outcomes": [
            {"verdict": verdict.model_dump(), "ended": ended, "n_attempts": n}
            for verdict, ended, n in results
        ],
        "seconds": settings.seconds,
        "is_flat": settings.flat,
        "parameters": parameters,
        "origin": origin,
    }


_Rows = TypeVar("_Rows", bound=BaseModel)


def _as(schema: type[_Rows], document: dict[str, Any]) -> _Rows:
    try:
        return schema.model_validate(document)
    except ValidationError as error:
        raise _first_of(error) from error


# How pydantic's kinds of errors end the sentence "it must be ...".
_MUST_BE = {"missing": "present", "extra_forbidden": "absent"}
_LENGTH = re.compile(r"\w+ should have (at (?:least|most) [\d,]+ \w+).*")


def _first_of(errors: ValidationError) -> EqlearnError:
    first = errors.errors(include_url=False, include_context=False)[0]
    place = "".join(
        f".{step}" if str(step).isidentifier() else f"[{step!r}]"
        for step in first["loc"]
    )
    said = _LENGTH.sub(r"of \1", first["msg"]).removeprefix("Input should be ")
    what = _MUST_BE.get(first["type"], said)
    got = None if first["type"] == "missing" else first["input"]
    return must(place.removeprefix(".")[:100], what, got)
