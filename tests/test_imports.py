"""The picture in docs/architecture.md, kept true: who may import whom, and when."""

import ast
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest
from patience import slowness

import eqlearn

PACKAGE = Path(eqlearn.__file__).parent

# A room is a module or a folder, named as in an import. It may import itself, any room
# in a row below its own, and the leaves.
ROWS = (
    {"__main__"},
    {"cli"},
    {"demo", "control_session", "reproduce.section4", "reproduce.section5"},
    {
        *("reproduce.commit", "reproduce.jsonl"),
        *("reproduce.subprocesses", "reproduce.text_tables"),
    },
    {"fit_table", "dynamics_table", "compare_runs"},
    {"run_directory"},
    {"learners"},
    {"report", "control", "baselines", "dynamics"},
    {"groups", "known_form"},
    {"search.conclude"},
    {"search.learn"},
    {"search.prepare"},
    {"search.request"},
    {"search.fast_plan", "search.paper_plan"},
    {"search.survey", "search.keep"},
    {"search.attempts", "search.enough"},
    {"search.robust_rows"},
    {"search.task"},
    {"search.related_rows"},
    {"search.strategy", "search.streams", "search.plain_models", "search.one_thread"},
    {"search.smooth"},
    {"search.survey_strategy", "search.verdict_strategy"},
    {"knowledge"},
    {"jobs", "equation.refine", "equation.prove", "equation.read"},
    {"equation.write"},
    {"training"},
    {"model"},
    {"network"},
    {"data"},
)
LEAVES = {"errors", "problems", "_types"}
ROOMS = LEAVES.union(*ROWS)

# Control works with any function of state and action, however it was come by; to write
# a formula down, or to prove something of it, no trainer is needed. Jobs know nothing
# of what is computed.
NEVER = dict.fromkeys(
    ("control", "equation.read", "equation.write", "equation.prove"), {"training"}
)
NEVER["jobs"] = ROOMS - LEAVES - {"jobs"}

# Who may start processes and open databases. A run that is reproduced has a process of
# its own, so that its crash costs one run.
ONLY = {
    "dask": {"jobs"},
    "distributed": {"jobs"},
    "multiprocessing": {"jobs", "reproduce.subprocesses"},
    "sqlite3": {"jobs"},
}
MAY_PRINT = {"cli", "demo", "report"}
# Elsewhere a parameter is named as in Python; git is asked with its own options.
MAY_NAME_OPTIONS = {"cli", "demo", "reproduce.commit"}

HEAVY = {"dask", "distributed", "jax", "jaxlib", "matplotlib", "sklearn"}
HEAVY |= {"numba", "numpy", "optax", "pandas", "scipy", "sympy"}


def violations(package: Path) -> list[str]:
    return [
        f"{path.relative_to(package)}:{line}: {what}"
        for path in sorted(package.rglob("*.py"))
        if path != package / "__init__.py"  # the public names come from everywhere
        for line, what in _violations_of(path, package)
    ]


def _violations_of(path: Path, package: Path) -> Iterator[tuple[int, str]]:
    *folders, name = path.relative_to(package).with_suffix("").parts
    room = _room_of(".".join((*folders, name)))
    if room is None and name == "__init__":
        return  # of a folder with rooms, where it has nothing to import
    if room is None:
        new = ".".join(folders) or name
        yield 1, f"{new} is a new room: give it a place in the table of rooms"
        return
    allowed = _importable_from(room)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.stmt | ast.expr):
            continue  # the rest of the tree has no line number, and imports nothing
        for target in _imported(node, ("eqlearn", *folders)):
            top, _, inside = target.partition(".")
            if top == "eqlearn" and (_room_of(inside) or inside) not in allowed:
                yield node.lineno, f"{room} imports {target}"
            if room not in ONLY.get(top, {room}):
                who = " and ".join(sorted(ONLY[top]))
                yield node.lineno, f"{room} imports {target}, only {who} may"
        if room not in MAY_PRINT and _is_print(node):
            yield node.lineno, f"{room} prints"
        if room not in MAY_NAME_OPTIONS and _names_option(node):
            yield node.lineno, f"{room} speaks of an option"


def _room_of(dotted: str) -> str | None:
    """The room that a module, or a name in it, belongs to."""
    return next((r for r in ROOMS if f"{dotted}.".startswith(f"{r}.")), None)


def _importable_from(room: str) -> set[str]:
    if room in LEAVES:
        return LEAVES
    row = next(number for number, rooms in enumerate(ROWS) if room in rooms)
    below = set().union(*ROWS[row + 1 :])
    # Not the public names of `eqlearn` itself: they would be a way round the rows.
    return LEAVES | {room, "__version__"} | below - NEVER.get(room, set())


def _imported(node: ast.AST, folders: tuple[str, ...]) -> list[str]:
    """Name what an import statement imports, as absolute dotted paths."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    base = folders[: len(folders) - node.level + 1] if node.level else ()
    module = ".".join((*base, *filter(None, [node.module])))
    return [f"{module}.{alias.name}" for alias in node.names]


def _is_print(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    )


def _names_option(node: ast.AST) -> bool:
    text = node.value if isinstance(node, ast.Constant) else None
    return isinstance(text, str) and bool(re.search(r"(\A|[\s`])--[a-z]", text))


def test_imports_go_one_way() -> None:
    assert violations(PACKAGE) == []


@pytest.mark.parametrize(
    ("path", "source", "complaint"),
    [
        ("network/units.py", "import eqlearn.training", "imports eqlearn.training"),
        ("data/table.py", "from eqlearn import search", "imports eqlearn.search"),
        ("training/deep/a.py", "from ...cli import main", "imports eqlearn.cli.main"),
        ("network/units.py", "from ..jobs import store", "imports eqlearn.jobs"),
        ("network/units.py", "from eqlearn import Unit", "imports eqlearn.Unit"),
        ("network/units.py", "import eqlearn", "network imports eqlearn"),
        ("report/html.py", "import eqlearn.learners", "imports eqlearn.learners"),
        ("problems.py", "from eqlearn.network import units", "imports eqlearn.network"),
        ("control/mpc.py", "import eqlearn.training", "imports eqlearn.training"),
        ("jobs/store.py", "from eqlearn.network import graph", "eqlearn.network.graph"),
        ("model/model.py", "from eqlearn.training import x", "eqlearn.training.x"),
        ("search/keep/pool.py", "from eqlearn.search import learn", "search.learn"),
        ("search/attempts/a.py", "from ..keep import pool", "eqlearn.search.keep.pool"),
        ("equation/write/c.py", "from ..refine import prune", "equation.refine.prune"),
        ("search/task.py", "from eqlearn.search.attempts import a", "search.attempts"),
        ("equation/refine/a.py", "import sqlite3", "only jobs may"),
        ("learners/a.py", "def f():\n  from dask import array", "only jobs may"),
        ("data/table.py", "print('read')", "data prints"),
        ("fit_table.py", "hint = 'Give --out.'", "fit_table speaks of an option"),
        ("utils.py", "", "utils is a new room"),
        ("search/helpers.py", "", "search is a new room"),
    ],
)
def test_a_wrong_import_is_found(
    path: str, source: str, complaint: str, tmp_path: Path
) -> None:
    _write(tmp_path / path, source)
    (found,) = violations(tmp_path)
    assert found.startswith(f"{path}:")
    assert complaint in found


def test_right_imports_pass(tmp_path: Path) -> None:
    _write(tmp_path / "__init__.py", "from eqlearn.jobs import store")
    _write(tmp_path / "cli/main.py", "from eqlearn import __version__\nprint(1)")
    _write(tmp_path / "jobs/store.py", "import sqlite3\nfrom . import runner")
    _write(tmp_path / "network/units.py", "from ..data import split\nimport jax")
    _write(tmp_path / "control/mpc.py", "from eqlearn import errors, problems")
    _write(tmp_path / "search/keep/pool.py", "from eqlearn.search.task import Task")
    assert violations(tmp_path) == []


@pytest.mark.parametrize(
    "statement",
    ["import eqlearn", "from eqlearn.cli.main import main; main(['--help'])"],
)
def test_starting_loads_nothing_heavy(statement: str) -> None:
    report = "import atexit, sys; atexit.register(lambda: print(*sys.modules))"
    loaded = _python("-c", f"{report}; {statement}").split()
    assert "eqlearn" in loaded
    assert HEAVY.isdisjoint(loaded)


# What uses a model: to load, evaluate and show one, nothing is trained or compiled.
USING = """
from eqlearn.model.model_file import load
from eqlearn.report.findings import findings
from eqlearn.report.text import summary
model = load({file!r})
model.predict([[6.0, 3.0]])
summary(model, findings(model))
"""


def test_using_a_model_loads_no_trainer() -> None:
    file = Path(__file__).parent / "model" / "version-1.json"
    report = "import atexit, sys; atexit.register(lambda: print(*sys.modules))"
    loaded = _python("-c", f"{report}\n{USING.format(file=str(file))}").split()
    assert "eqlearn.report.text" in loaded
    assert {"dask", "jax", "numba", "optax", "scipy", "sklearn"}.isdisjoint(loaded)
    assert not [name for name in loaded if name.startswith("eqlearn.training")]


def test_help_answers_in_half_a_second() -> None:
    # The best of five: what the program needs, not what else the machine was doing.
    seconds = min(_seconds_for_help() for _ in range(5))
    assert seconds < 0.5 or seconds < 0.5 * slowness()


def _seconds_for_help() -> float:
    start = time.perf_counter()
    _python("-c", "from eqlearn.cli.main import main; main()", "--help")
    return time.perf_counter() - start


def _python(*arguments: str) -> str:
    command = [sys.executable, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _write(path: Path, source: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source, encoding="utf-8")


def test_every_module_is_on_the_map() -> None:
    page = (PACKAGE.parents[1] / "docs/architecture.md").read_text("utf-8")
    named = re.findall(r"`([\w*]+)`", page)
    missing = [
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.glob("*/[a-z]*.py")
        if path.parent.name not in LEAVES
        and not any(fnmatch(path.stem, name) for name in named)
    ]
    assert not missing


def test_every_room_is_in_the_drawing() -> None:
    page = (PACKAGE.parents[1] / "docs/architecture.md").read_text("utf-8")
    drawn = page.partition("```mermaid")[2].partition("```")[0]
    beside = {"__main__", "demo", "control_session", "reproduce", "baselines"}
    rooms = {room.split(".")[0] for row in ROWS for room in row} - beside
    assert {room for room in rooms if room not in drawn} == set()


def test_what_the_glossary_and_the_maps_point_to_is_there() -> None:
    docs = PACKAGE.parents[1] / "docs"
    for name in ("architecture", "glossary", "method"):
        page = (docs / f"{name}.md").read_text("utf-8")
        rooms = "|".join(path.name for path in PACKAGE.iterdir() if path.is_dir())
        places = re.findall(rf"`((?:{rooms})/[\w/]+)(?:\.\w+)?`", page)
        missing = [
            place
            for place in places
            if not (PACKAGE / place).exists() and not (PACKAGE / f"{place}.py").exists()
        ]
        assert not missing, name
