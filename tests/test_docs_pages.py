"""The code in the docs runs, and what the reference has to name is there.

Blocks called `python` and `console` run, page by page, in a directory of their own.
Those that need a cluster or a simulator are called `py` and `sh`, and do not.
"""

import inspect
import re
import runpy
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from command_lines import Command, write_csv
from page_blocks import ROOT, Block, blocks, commands

import eqlearn

DOCS = ROOT / "docs"
WRITTEN_BY_SCRIPTS = {"gallery"}  # their code runs in test_gallery
PAGES = [
    path.relative_to(ROOT).as_posix()
    for path in [ROOT / "SKILL.md", *sorted(DOCS.rglob("*.md"))]
    if path.parent.name not in WRITTEN_BY_SCRIPTS
    and blocks(path.relative_to(ROOT).as_posix())
]
#: A comment that says what is printed; others begin with a word of prose.
PROMISED = re.compile(r"print\(.*\)  # (\S+ = .+|\S*\d\S*|True)$", re.MULTILINE)
#: Without processes that would have to start.
QUICK = ("EquationLearner(", "EquationLearner(n_jobs=1, ")


def test_pages_with_code_are_found() -> None:
    assert {"docs/tutorial.md", "docs/extending.md", "docs/howto/noise.md"} <= set(
        PAGES
    )


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.usefixtures("table")
def test_the_code_of_a_page_runs(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    monkeypatch.chdir(tmp_path)
    t = np.linspace(0, 6, 60)
    write_csv(tmp_path / "log.csv", t=t, level=3 * np.exp(-0.5 * t))
    known: dict[str, object] = {}
    for block in blocks(page):
        _run(block, page, known, command)


def _run(block: Block, page: str, known: dict[str, object], command: Command) -> None:
    if block.language == "console":
        for program, *words in commands(block.text):
            assert program == "eqlearn"
            if words == ["demo"]:
                continue  # takes seconds, and test_demo runs it
            assert command(*words).code == 0, words
        return
    text = block.text
    if "n_jobs" not in text:
        text = text.replace(*QUICK)
    with redirect_stdout(StringIO()) as printed:
        exec(compile(text, page, "exec"), known)
    said = printed.getvalue().splitlines()
    assert [line for line in PROMISED.findall(text) if line not in said] == []


def test_what_pages_say_is_printed_is_compared() -> None:
    promised = [
        line
        for page in PAGES
        for block in blocks(page)
        for line in PROMISED.findall(block.text)
    ]
    assert {"y = 3*x1/x2", "[-1.]", "True", "dlevel/dt = -level/2"} <= set(promised)


def test_the_reference_names_everything_public() -> None:
    reference = (DOCS / "api.md").read_text(encoding="utf-8")
    named = set(re.findall(r"auto\w+:: eqlearn\.(\w+)$", reference, re.M))
    assert named == set(eqlearn.__all__)


@pytest.mark.parametrize("name", [n for n in eqlearn.__all__ if n != "__version__"])
def test_public_names_say_what_they_are(name: str) -> None:
    public = getattr(eqlearn, name)
    assert inspect.getdoc(public)
    members = [
        member
        for key, member in inspect.getmembers(public)
        if not key.startswith("_")
        and getattr(member, "__module__", "").startswith("eqlearn")
    ]
    assert [member for member in members if not inspect.getdoc(member)] == []


@pytest.mark.parametrize("learner", [eqlearn.EquationLearner, eqlearn.DynamicsLearner])
def test_every_parameter_is_explained(learner: type) -> None:
    text = inspect.getdoc(learner) or ""
    parameters = text.partition("Parameters\n")[2].partition("Attributes\n")[0]
    explained = re.findall(r"^(\w+) : ", parameters, re.M)
    assert explained == list(inspect.signature(learner).parameters)


@pytest.mark.parametrize("page", ["howto/control", "howto/index", "recovery"])
def test_links_from_page_to_page_are_kept_on_the_site(page: str) -> None:
    site = runpy.run_path(str(DOCS / "conf.py"))
    source = [(DOCS / f"{page}.md").read_text(encoding="utf-8")]
    links = re.findall(r"\]\(([^)#]+)", source[0])
    site["_for_the_site"](None, page, source)
    left = set(re.findall(r"\]\(([^)#]+)", source[0]))
    for link in links:
        place = (DOCS / page).parent / link
        if not link.startswith("http"):
            assert place.exists(), link
            assert (link in left) == place.resolve().is_relative_to(DOCS), link


def test_every_page_is_in_a_table_of_contents() -> None:
    listed = set()
    for path in DOCS.rglob("*.md"):
        for toctree in re.findall(
            r"```\{toctree\}\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL
        ):
            names = [line for line in toctree.split() if not line.startswith(":")]
            listed |= {(path.parent / f"{name}.md") for name in names}
    pages = set(DOCS.rglob("*.md")) - set((DOCS / "_build").rglob("*"))
    linked_only = set((DOCS / "control").glob("*.md")) | {DOCS / "index.md"}
    assert pages - listed == linked_only
