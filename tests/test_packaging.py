"""What is released: one version, whole packages, files that other programs can read."""

import re
import subprocess
import sys
import tarfile
import zipfile
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from page_blocks import ROOT

import eqlearn

yaml: Any = import_module("yaml")

#: Files of the package that are no modules.
DATA = (
    *("demo.csv", "looks.mplstyle", "py.typed", "report/templates/report.html.j2"),
    "reproduce/section4/published.csv",
)
DESCRIBED = sorted(
    path.relative_to(ROOT).as_posix()
    for place in (".github/**/*.yml", ".pre-commit-config.yaml", "CITATION.cff")
    for path in ROOT.glob(place)
)


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_there_is_one_version() -> None:
    assert 'dynamic = ["version"]' in _text("pyproject.toml")
    assert yaml.safe_load(_text("CITATION.cff"))["version"] == eqlearn.__version__
    released = re.findall(r"^## \[(\d\S*)\]", _text("CHANGELOG.md"), re.M)
    assert released[0] == eqlearn.__version__


@pytest.mark.parametrize("name", DESCRIBED)
def test_descriptions_can_be_read(name: str) -> None:
    assert yaml.safe_load(_text(name))


def test_the_workflow_runs_what_is_promised() -> None:
    jobs = yaml.safe_load(_text(".github/workflows/tests.yml"))["jobs"]
    assert jobs["locked"]["steps"][2]["run"] == ".ci/run"
    matrix = jobs["newest"]["strategy"]["matrix"]
    promised = re.findall(r"Python :: (3\.\d+)", _text("pyproject.toml"))
    assert matrix["python"] == promised == ["3.11", "3.12", "3.13"]
    assert [name.split("-")[0] for name in matrix["os"]] == [
        *("ubuntu", "macos", "windows")
    ]


def test_packages_are_whole(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir"]
    subprocess.run(
        [*command, str(tmp_path), str(ROOT)], check=True, capture_output=True
    )
    [wheel], [source] = tmp_path.glob("*.whl"), tmp_path.glob("*.tar.gz")
    names = zipfile.ZipFile(wheel).namelist()
    modules = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src" / "eqlearn").rglob("*.py")
    }
    assert modules | {f"eqlearn/{name}" for name in DATA} <= set(names)
    others = {name.split("/")[0] for name in names}
    assert others == {"eqlearn", f"eqlearn-{eqlearn.__version__}.dist-info"}
    with tarfile.open(source) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "README.md",
        "LICENSE",
        "src/eqlearn/demo.csv",
        "tests/conftest.py",
    } <= inside
