"""One word, one meaning: no type and no module has the name of another."""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import eqlearn

ROOT = Path(eqlearn.__file__).parent


def modules(root: Path) -> list[Path]:
    return sorted(path for path in root.rglob("*.py") if path.name != "__init__.py")


def types_of(source: str) -> Iterator[str]:
    """Public classes, type variables and aliases of types that a module defines."""
    for statement in ast.parse(source).body:
        match statement:
            case ast.ClassDef(name=name):
                pass
            case ast.AnnAssign(
                target=ast.Name(id=name), annotation=ast.Name(id="TypeAlias")
            ):
                pass
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(func=ast.Name(id="TypeVar")) | ast.Subscript(),
            ):
                pass
            case _:
                continue
        if not name.startswith("_") and not name.isupper():
            yield name


def shared(names: Mapping[str, list[str]]) -> dict[str, set[str]]:
    """Names that several modules give, with these modules."""
    return {name: set(places) for name, places in names.items() if len(places) > 1}


def test_no_type_has_the_name_of_another() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in modules(ROOT):
        for name in types_of(path.read_text(encoding="utf-8")):
            places[name].append(path.relative_to(ROOT).as_posix())
    assert shared(places) == {}


def test_no_module_has_the_name_of_another() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in modules(ROOT):
        places[path.stem].append(path.relative_to(ROOT).as_posix())
    assert shared(places) == {}


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("class Task: ...", ["Task"]),
        ("class _Task: ...", []),
        ("Step: TypeAlias = Callable[[int], int]", ["Step"]),
        ("Box = tuple[float, ...]", ["Box"]),
        ("Setting = TypeVar('Setting')", ["Setting"]),
        ("FIRST = table[0]", []),
        ("def Task(): ...", []),
        ("class Outer:\n    class Inner: ...", ["Outer"]),
    ],
)
def test_types_are_found_in_a_module(source: str, names: list[str]) -> None:
    assert list(types_of(source)) == names


def test_a_name_given_twice_is_found() -> None:
    assert shared({"Task": ["a.py", "b.py"], "Plan": ["a.py"]}) == {
        "Task": {"a.py", "b.py"}
    }
