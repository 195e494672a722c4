"""R-17: nothing in the package runs text or unpickles; the lock pins by hash."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import eqlearn

PACKAGE = Path(eqlearn.__file__).parent
LOCK = Path(__file__).parents[1] / "requirements.lock"

# Calls that run what they are given, by the last part of their name.
RUN_TEXT = {"eval", "exec", "compile", "execfile", "sympify", "parse_expr", "S"}
RUN_TEXT |= {"parse_latex", "nsimplify", "__import__", "system", "popen"}
# These are harmless under the names of other modules: re.compile, ast.literal_eval.
HARMLESS = {("re", "compile"), ("jax", "compile")}
UNPICKLE = {"pickle", "cPickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"}
# What this process writes into the pipe of a worker that it has started.
WRITES_ONLY = ("jobs/processes.py", "imports cloudpickle", "cloudpickle.dumps(")


def dangers(source: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    if alias.name.split(".")[0] in UNPICKLE:
                        yield node.lineno, f"imports {alias.name}"
            case ast.ImportFrom(module=str(module)) if module.split(".")[0] in UNPICKLE:
                yield node.lineno, f"imports {module}"
            case ast.Call():
                yield from _dangers_of_call(node)


def _dangers_of_call(call: ast.Call) -> Iterator[tuple[int, str]]:
    match call.func:
        case ast.Name(id=name) if name in RUN_TEXT:
            yield call.lineno, f"calls {name}"
        case ast.Attribute(value=ast.Name(id=module), attr=name):
            if name in RUN_TEXT and (module, name) not in HARMLESS:
                yield call.lineno, f"calls {module}.{name}"
    for argument in call.keywords:
        match argument:
            case ast.keyword(arg="shell", value=ast.Constant(value=False)):
                pass
            case ast.keyword(arg="shell"):
                yield call.lineno, "starts a shell"
            case ast.keyword(arg="allow_pickle", value=ast.Constant(value=True)):
                yield call.lineno, "unpickles arrays"


def test_the_package_runs_no_text_and_unpickles_nothing() -> None:
    found = [
        f"{path.relative_to(PACKAGE)}:{line}: {what}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for line, what in dangers(path.read_text(encoding="utf-8"))
        if (str(path.relative_to(PACKAGE)), what) != WRITES_ONLY[:2]
    ]
    assert found == []
    *_, use = WRITES_ONLY
    uses = re.findall(r"cloudpickle\.\w+\(", (PACKAGE / WRITES_ONLY[0]).read_text())
    assert uses == [use]


@pytest.mark.parametrize(
    ("source", "danger"),
    [
        ("import pickle", "imports pickle"),
        ("def f():\n  from joblib import load", "imports joblib"),
        ("eval('1')", "calls eval"),
        ("exec(text)", "calls exec"),
        ("builtins.exec(text)", "calls builtins.exec"),
        ("import sympy\nsympy.sympify(name)", "calls sympy.sympify"),
        ("sympify('x')", "calls sympify"),
        ("sympy.S('x')", "calls sympy.S"),
        ("__import__('os')", "calls __import__"),
        ("os.system('true')", "calls os.system"),
        ("subprocess.run('true', shell=True)", "starts a shell"),
        ("subprocess.run('true', shell=loud)", "starts a shell"),
        ("np.load(file, allow_pickle=True)", "unpickles arrays"),
    ],
)
def test_a_danger_is_found(source: str, danger: str) -> None:
    assert [what for _, what in dangers(source)] == [danger]


@pytest.mark.parametrize(
    "source",
    [
        "re.compile('a')",
        "model.eval",
        "subprocess.run(['true'], shell=False)",
        "ast.parse(text, mode='eval')",
        "'eval(1)'  # exec(2)",
        "sympy.S.Half",
    ],
)
def test_what_is_harmless_passes(source: str) -> None:
    assert list(dangers(source)) == []


def test_every_locked_version_has_a_hash_and_no_address() -> None:
    text = LOCK.read_text(encoding="utf-8")
    pins = re.findall(r"^([\w.\[\]-]+)==(\S+)((?: \\\n +--hash=\S+)+)", text, re.M)
    names = re.findall(r"^[\w.\[\]-]+(?===)", text, re.M)
    assert len(pins) == len(names) > 40
    for _, _, hashes in pins:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}\b", hashes)
    assert "://" not in text
