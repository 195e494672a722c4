import json
import os
import pickle
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graphs import JSON, ONE, TIED, WORKED, random_graph, random_inputs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from patience import within
from report_models import fraction

from eqlearn.equation.refine.criterion import complexity
from eqlearn.errors import EqlearnError
from eqlearn.model.file_schema import LARGEST_FILE
from eqlearn.model.model import (
    Constant,
    Equation,
    Model,
    Origin,
    Outcome,
    Verdict,
)
from eqlearn.model.model_file import (
    from_bytes,
    from_document,
    load,
    save,
    schema,
    to_bytes,
    to_document,
)
from eqlearn.network.graph import CONSTANT, Graph

# What opening a file must not do, by the names of Python's audit events.
FORBIDDEN = (
    *("import", "exec", "compile", "code.", "subprocess.", "socket.", "pickle."),
    *("os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn"),
    *("ctypes.", "marshal.", "builtins.input", "urllib.", "shutil."),
)

_events: list[str] | None = None


def _hook(event: str, _: object) -> None:
    if _events is not None and event.startswith(FORBIDDEN):
        _events.append(event)


sys.addaudithook(_hook)  # for good: Python has no way to take a hook out


@contextmanager
def audited() -> Iterator[list[str]]:
    global _events
    events: list[str] = []
    _events = events
    try:
        yield events
    finally:
        _events = None


OUTCOME = Outcome(Verdict("trusted", ("3 of 9 attempts.",)), "time", 9)


def _model() -> Model:
    snapped = Graph(2, WORKED.nodes, (({0: 2.0, 2: 3.0}, {CONSTANT: 1.0}),))
    chosen = Equation(
        "force (N)",
        graph=TIED,
        snapped=snapped,
        constants=(Constant((0, 1), 1.0, 0.01), Constant((3, 0), 2.0, float("inf"))),
        rms=0.1,
        bic=-123.4,
        complexity=complexity(TIED),
        votes=3,
        has_pole=False,
        is_chosen=True,
        formula="(2 x1 + 3 sin(x2 + 0.5)) / (4 + ...)",
        scores={"extrapolation rms": 0.3},
    )
    other = replace(
        chosen,
        graph=WORKED,
        is_chosen=False,
        votes=1,
        scores={},
        rms=float("inf"),
        bic=float("inf"),
    )
    return Model(
        inputs=("mass", "</script>\n"),
        targets=("force (N)",),
        equations=(chosen, other),
        domain=((-1.0, 2.0), (0.0, 1e-300)),
        ranges=((-0.5, 1.5), (0.0, 0.0)),
        n_rows=200,
        outcomes=(OUTCOME,),
        seconds=1.5,
        is_flat=True,
        parameters={"recipe": "fast", "depths": [2, 3], "time_limit": None, "deep": {}},
        origin=Origin(table="a.csv", sha256="0f" * 32),
        versions={"eqlearn": "0.1.0"},
    )


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The text of a good file."""
    path = tmp_path_factory.mktemp("good") / "model.json"
    save(path, _model())
    return path.read_text(encoding="utf-8")


def test_a_model_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    save(path, _model())
    with audited() as events:
        model = load(path)
    assert model == _model()
    assert events == []
    assert model.chosen == (_model().equations[0],)


def test_a_covariance_is_kept_and_must_fit_its_constants() -> None:
    plain = _model()
    n = plain.equations[0].graph.n_parameters
    known = tuple(tuple(float(i == j) for j in range(n)) for i in range(n))
    first = replace(plain.equations[0], covariance=known)
    model = replace(plain, equations=(first, *plain.equations[1:]))
    assert from_bytes(to_bytes(model)) == model
    document = json.loads(to_bytes(model))
    document["equations"][0]["covariance"].append([1.0] * n)
    with pytest.raises(EqlearnError, match=r"`equations\[0\].covariance` must be"):
        from_document(document)


def test_a_file_of_version_2_had_no_covariance() -> None:
    document = json.loads(to_bytes(_model()))
    for equation in document["equations"]:
        del equation["covariance"]
    assert from_document({**document, "version": 2}) == _model()


def test_pairs_of_functions_undo_each_other() -> None:
    model = _random_model(np.random.default_rng(0))
    assert from_document(json.loads(json.dumps(to_document(model)))) == model
    assert from_bytes(to_bytes(model)) == model


def test_a_file_of_version_1_is_converted(tmp_path: Path) -> None:
    old = Path(__file__).parent / "version-1.json"  # as eqlearn 0.1.0 wrote it
    with audited() as events:
        model = load(old)
    assert events == []
    assert model.targets == ("current", "power")
    assert model.verdicts[0] == Verdict(
        "trusted", ("The formula is exact: it leaves nothing but rounding errors.",)
    )
    assert [(one.ended, one.n_attempts) for one in model.outcomes] == [
        ("finished", 2),
        ("finished", 16),
    ]
    assert model.seconds == pytest.approx(10.76, abs=0.01)
    assert not model.is_flat
    assert model.parameters["functions"] == ["sin", "multiply"]
    assert "units" not in model.parameters
    assert model.origin.table == "ohm.csv"
    np.testing.assert_allclose(model.predict(np.array([[6.0, 3.0]])), [[2.0, 12.0]])
    save(tmp_path / "new.json", model)
    assert load(tmp_path / "new.json") == model
    assert json.loads((tmp_path / "new.json").read_text("utf-8"))["version"] == 3


def test_the_logs_of_version_1_were_one_text(tmp_path: Path) -> None:
    document = json.loads((Path(__file__).parent / "version-1.json").read_text("utf-8"))
    document["settings"]["origin"] = {"files": "a.csv, b.csv"}
    assert from_document(document).origin == Origin(logs=("a.csv, b.csv",))
    document["settings"]["verdicts"] = [7]
    with pytest.raises(EqlearnError, match=r"`settings.verdicts\[0\]` must be"):
        from_document(document)


def test_the_file_reads_like_a_description(good: str) -> None:
    assert good.startswith('{\n "format": "eqlearn model",\n "version": 3,\n')
    assert '"domain": [[-1.0, 2.0], [0.0, 1e-300]],\n' in good
    assert '{"unit": "sin", "arguments": [{"x2": 1.0, "1": 0.5}]}' in good
    assert '{"connection": [0, "x2"], "value": 1.0, "error": 0.01}' in good
    assert max(map(len, good.splitlines())) < 120


def test_predictions_are_the_same_to_the_last_bit(tmp_path: Path) -> None:
    for seed in range(50):
        rng = np.random.default_rng(seed)
        model = _random_model(rng)
        save(tmp_path / "model.json", model)
        x = random_inputs(rng)
        for snapped in (True, False):
            expected = model.predict(x, snapped=snapped)
            again = load(tmp_path / "model.json").predict(x, snapped=snapped)
            assert again.shape == (40, 2)
            np.testing.assert_array_equal(again, expected)


def _random_model(rng: np.random.Generator) -> Model:
    chosen = _model().equations[0]
    equations = [
        replace(
            chosen,
            target=target,
            graph=random_graph(rng, untidy=True),
            snapped=random_graph(rng, untidy=True),
            constants=(),
        )
        for target in ("b", "a")
    ]
    ends = ((-1.0, 1.0),) * 3
    outcomes = (OUTCOME, OUTCOME)
    return Model(
        ("x", "y", "z"), ("a", "b"), tuple(equations), ends, ends, 40, outcomes
    )


def test_the_chosen_equations_come_in_the_order_of_the_targets() -> None:
    model = _random_model(np.random.default_rng(0))
    assert [equation.target for equation in model.equations] == ["b", "a"]
    assert [equation.target for equation in model.chosen] == ["a", "b"]


def test_parameters_may_hold_tuples_and_numbers_of_numpy_s_kind(tmp_path: Path) -> None:
    chosen = {"depths": (2, 3), "l1": np.float64(0.1), "seed": np.int64(3)}
    parameters: dict[str, Any] = {**chosen, "domain": np.zeros((1, 2))}
    model = replace(_model(), parameters=parameters)
    save(tmp_path / "model.json", model)
    found = load(tmp_path / "model.json").parameters
    assert found == {"depths": [2, 3], "l1": 0.1, "seed": 3, "domain": [[0.0, 0.0]]}


def test_saving_replaces_a_file_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.json"
    save(path, _model())

    def full(_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(EqlearnError, match="No space left on device"):
        save(path, replace(_model(), n_rows=1))
    assert load(path) == _model()
    assert [file.name for file in tmp_path.iterdir()] == ["model.json"]


def test_a_saved_file_has_the_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "usual").write_text("")
    save(tmp_path / "model.json", _model())
    assert (tmp_path / "model.json").stat().st_mode == (
        tmp_path / "usual"
    ).stat().st_mode


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"parameters": {"l1": float("nan")}}, "of values that JSON has"),
        ({"parameters": {"functions": object()}}, "of values that JSON has"),
        ({"parameters": {"deep": json.loads("[" * 40 + "]" * 40)}}, "at most 32 deep"),
        ({"inputs": ("a", "a")}, "`inputs` must be different"),
        ({"inputs": ("a",)}, "`equations.0..graph.inputs` must be 1"),
        ({"targets": ("a",)}, "one chosen for each target"),
        ({"outcomes": ()}, "`outcomes` must be one for each of 1 targets; got 0"),
        ({"seconds": -1.0}, "`seconds` must be"),
        ({"origin": Origin(sha256="0f")}, "`origin.sha256` must"),
        ({"inputs": ("\ud800", "b")}, "`inputs.0.` must be"),
        ({"parameters": {"text": ["a" * 99_999] * 50}}, "at most 4194304 bytes"),
    ],
)
def test_what_could_not_be_read_again_is_not_written(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(EqlearnError, match=message):
        save(tmp_path / "model.json", replace(_model(), **change))
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(EqlearnError, match="a place to write; got .*nowhere/m.json"):
        save(tmp_path / "nowhere" / "m.json", _model())
    for path in (tmp_path, tmp_path / "nul\0byte", tmp_path / ("long" * 100)):
        with pytest.raises(EqlearnError, match="a place to write"):
            save(path, _model())
    assert list(tmp_path.iterdir()) == []
    assert list(tmp_path.parent.glob(f".{tmp_path.name}*")) == []


class _Evil:
    def __reduce__(self) -> tuple[object, ...]:
        return os.system, ("touch opened",)


def _with(place: str, value: object) -> Callable[[dict[str, Any]], str]:
    """A good file in which one value was replaced."""

    def text(document: dict[str, Any]) -> str:
        *path, last = [int(p) if p.isdigit() else p for p in place.split(".")]
        inner: Any = document
        for step in path:
            inner = inner[step]
        inner[last] = value
        return json.dumps(document)

    return text


def _replaced(old: str, new: str) -> Callable[[dict[str, Any]], str]:
    def text(document: dict[str, Any]) -> str:
        whole = json.dumps(document)
        assert old in whole
        return whole.replace(old, new, 1)

    return text


_UNIT = "equations.0.graph.units.0"
_CALL = "__import__('os').system('touch opened')"
MALICIOUS: dict[str, tuple[bytes | Callable[[dict[str, Any]], str], str]] = {
    "pickle": (pickle.dumps(_Evil()), "text in UTF-8"),
    "old pickle": (pickle.dumps(_Evil(), protocol=0), "must be JSON"),
    "marshal": (b"\xe3\x00\x00\x00", "text in UTF-8"),
    "zip of a saved network": (b"PK\x03\x04" + bytes(60), "must be JSON"),
    "nothing": (b"", "must be JSON"),
    "Python source": (_CALL.encode(), "must be JSON"),
    "YAML tag": (b"!!python/object/apply:os.system ['true']", "must be JSON"),
    "deep lists": (b"[" * 1_000_000, "at most 32 deep"),
    "deep objects": (b'{"a":' * 200_000 + b"1" + b"}" * 200_000, "at most 32 deep"),
    "deep parameters": (_with("parameters.a", [[[[[[1]]]]]]), "accepted"),
    "deep after a string": (b'"\\"[' + b'"' + b"[" * 99_999, "at most 32 deep"),
    "string without end": (b'"' + b"\\\\" * 1_000_000, "must be JSON"),
    "too large": (b" " * (LARGEST_FILE + 1), "`size` must be at most"),
    "UTF-16": ("{}".encode("utf-16"), "text in UTF-8"),
    "byte order mark": (b"\xef\xbb\xbf{}", "must be JSON"),
    "unit of os": (_with(f"{_UNIT}.unit", "os.system"), "a known unit"),
    "unit as code": (_with(f"{_UNIT}.unit", _CALL), "a known unit"),
    "unit of dunder": (_with(f"{_UNIT}.unit", "__class__"), "a known unit"),
    "node with code": (_with(f"{_UNIT}.code", _CALL), "an object with unit"),
    "feature as code": (_with(f"{_UNIT}.arguments", [{_CALL: 1.0}]), "earlier"),
    "weight as code": (_with(f"{_UNIT}.arguments", [{"x1": _CALL}]), "finite number"),
    "source of the future": (_with(f"{_UNIT}.arguments", [{"u2": 1.0}]), "earlier"),
    "NaN": (_replaced('"rms": 0.1', '"rms": NaN'), "`numbers` must be finite"),
    "infinity": (_replaced('"rms": 0.1', '"rms": -Infinity'), "must be finite"),
    "1e999": (_replaced('"rms": 0.1', '"rms": 1e999'), "`numbers` must be finite"),
    "huge integer": (_replaced('"rms": 0.1', f'"rms": {"9" * 5000}'), "16 digits"),
    "megabytes of digits": (_replaced("200", "9" * 3_000_000), "16 digits"),
    "megabytes of decimals": (_replaced("200", f"0.{'3' * 3_000_000}"), "integer"),
    "key twice": (_replaced('"rms"', '"bic": 1.0, "rms"'), "different"),
    "unit twice": (_replaced('"unit"', '"unit": "exp", "unit"'), "different"),
    "proto": (_with("__proto__", {}), "`__proto__` must be absent"),
    "control characters": (_with("\x1b[2J\n", 1), r"`\['\\x1b"),
    "no format": (_replaced('"eqlearn model"', '"pickle"'), "'eqlearn model'"),
    "of the future": (_with("version", 4), "at most 3; got 4. Update eqlearn"),
    "version as truth": (_with("version", True), "`version` must be"),
    "votes as text": (_with("equations.0.votes", "3"), r"`equations\[0\].votes`"),
    "another verdict": (
        _with("outcomes.0.verdict.kind", "certain"),
        r"`outcomes\[0\].verdict.kind` must be 'trusted'",
    ),
    "reasons as text": (_with("outcomes.0.verdict.reasons", "x"), "a valid list"),
    "no verdict": (_with("outcomes.0.verdict", None), r"`outcomes\[0\].verdict`"),
    "another end": (_with("outcomes.0.ended", "boredom"), r"`outcomes\[0\].ended`"),
    "origin of code": (_with("origin.code", _CALL), "`origin.code` must be absent"),
    "version 1 without its bag": (_with("version", 1), "`settings` must be present"),
    "a list": (b"[]", "`content` must be an object; got 'list'"),
    "nothing inside": (b"{}", "`format` must be present; got None"),
    "many parameters": (
        _with("parameters", {str(i): 1 for i in range(1001)}),
        "1000 items",
    ),
    "formula no text": (_with("equations.0.formula", {}), r"equations\[0\].formula"),
    "two chosen": (_with("equations.1.is_chosen", True), "one chosen for each"),
    "none chosen": (_with("equations.0.is_chosen", False), "one chosen for each"),
    "another target": (_with("equations.1.target", "?"), "one of the targets"),
    "domain the wrong way": (_with("domain.0", [1.0, 0.0]), r"`domain\[0\]`"),
    "domain too short": (_with("domain", [[0.0, 1.0]]), "each of 2 inputs"),
    "division by nothing": (
        _with("equations.1.graph.outputs.0.denominator", {}),
        "denominator` must be other than 0",
    ),
    "two outputs": (
        _with("equations.1.graph.outputs", [{"numerator": {}, "denominator": {}}] * 2),
        "one formula",
    ),
    "constant of nothing": (
        _with("equations.0.constants.0.connection", [0, "x1"]),
        "a connection of the graph",
    ),
    "another constant": (
        _with("equations.0.constants.0.value", 7.0),
        "a connection of the graph, with its weight",
    ),
    "many errors": (_with("inputs", [1] * 500_000), r"`inputs\[0\]` must be"),
    "many keys": (
        _with("parameters", {str(i): {} for i in range(200_000)}),
        "20001 in one",
    ),
    "many nodes": (_with("equations.0.graph.units", [{}] * 200_000), "10000 items"),
}


@pytest.mark.parametrize(("content", "message"), MALICIOUS.values(), ids=MALICIOUS)
def test_malicious_files_are_refused_in_one_line(
    content: bytes | Callable[[dict[str, Any]], str],
    message: str,
    good: str,
    tmp_path: Path,
) -> None:
    path = tmp_path / "suspicious model.json"
    if callable(content):
        content = content(json.loads(good)).encode()
    path.write_bytes(content)
    with within(2.0, time.process_time), audited() as events:
        try:
            load(path)
            verdict = "accepted"
        except EqlearnError as error:
            verdict = str(error)
    assert events == []
    if message == "accepted":
        assert verdict == message
        return
    assert verdict.startswith("`path` must be a model file; got ")
    assert "suspicious model.json'" in verdict
    assert verdict.isprintable() and len(verdict) < 500
    assert re.search(message, verdict)


@pytest.mark.parametrize("name", ["folder", "pipe", "folder\0byte"])
def test_what_is_no_file_is_not_opened(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(EqlearnError, match="`path` must be a file"):
        load(tmp_path / name)


@pytest.mark.parametrize("name", ["missing.json", "nul\0byte"])
def test_what_is_not_there_is_said_to_be_missing(name: str, tmp_path: Path) -> None:
    with pytest.raises(EqlearnError, match="There is no file of this name"):
        load(tmp_path / name)


def test_the_hook_of_these_tests_sees_what_it_must_see() -> None:
    with audited() as events:
        compile("1", "text", "eval")
        pickle.loads(pickle.dumps(_model))
    assert {"compile", "pickle.find_class"} <= {*events}


def test_the_schema_is_json_and_forbids_what_it_does_not_know() -> None:
    document = json.loads(json.dumps(schema()))
    assert document["additionalProperties"] is False
    assert {"format", "version", "equations"} <= {*document["required"]}


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield path + (key,)
            yield from _paths(value[key], path + (key,))


FUZZ = settings(
    max_examples=400,
    deadline=2000,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def _opened(path: Path) -> Model | None:
    with audited() as events:
        try:
            model = load(path)
        except EqlearnError as error:
            assert str(error).isprintable()
            model = None
    assert events == []
    return model


@FUZZ
@given(data=st.data())
def test_any_part_replaced_by_anything_is_a_model_or_one_line(
    data: st.DataObject, good: str, tmp_path: Path
) -> None:
    document = json.loads(good)
    *steps, last = data.draw(st.sampled_from([*_paths(document)]))
    inner = document
    for step in steps:
        inner = inner[step]
    inner[last] = data.draw(JSON)
    path = tmp_path / "fuzzed.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    model = _opened(path)
    if model is not None:
        save(path, model)
        assert load(path) == model


@FUZZ
@given(
    at=st.integers(0, 5000),
    cut=st.integers(0, 30),
    put=st.binary(max_size=20) | st.sampled_from([b"[", b"{", b'"', b"1e9", b"\\u"]),
)
def test_any_bytes_replaced_by_any_are_a_model_or_one_line(
    at: int, cut: int, put: bytes, good: str, tmp_path: Path
) -> None:
    content = good.encode()
    at %= len(content)
    path = tmp_path / "fuzzed.json"
    path.write_bytes(content[:at] + put + content[at + cut :])
    _opened(path)


@FUZZ
@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_at_all_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "fuzzed.json"
    path.write_bytes(content)
    assert _opened(path) is None


def test_a_constant_formula_is_a_model(tmp_path: Path) -> None:
    graph = Graph(2, (), (({CONSTANT: 3.0}, ONE),))
    equation = replace(_model().equations[0], graph=graph, snapped=graph, constants=())
    save(tmp_path / "model.json", replace(_model(), equations=(equation,)))
    values = load(tmp_path / "model.json").predict(np.zeros((4, 2)))
    np.testing.assert_array_equal(values, np.full((4, 1), 3.0))


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    """R-29: a link may have been planted."""
    (tmp_path / "precious").write_text("old")
    path = tmp_path / "model.json"
    for target in ("precious", "nowhere", "."):
        path.unlink(missing_ok=True)
        path.symlink_to(target)
        save(path, fraction())
        assert not path.is_symlink() and load(path) == fraction()
    assert (tmp_path / "precious").read_text() == "old"
    assert not (tmp_path / "nowhere").exists()
