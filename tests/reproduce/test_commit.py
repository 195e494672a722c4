import subprocess
from pathlib import Path

from eqlearn.reproduce.commit import LIBRARY, commit


def git(where: Path, *arguments: str) -> None:
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run(["git", "-C", str(where), *who, *arguments], check=True)


def test_a_change_anywhere_in_the_library_is_told(tmp_path: Path) -> None:
    library = tmp_path / "src" / "lib"
    (library / "network").mkdir(parents=True)
    for file in (library / "__init__.py", library / "network" / "units.py"):
        file.write_text("a = 1\n")
    assert commit(library) == ""  # in no repository
    git(tmp_path, "init", "-q")
    assert commit(library) == ""  # in another project's
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "one")
    clean = commit(library)
    assert clean and not clean.endswith("+")
    (tmp_path / "notes").write_text("not of the library")
    assert commit(library) == clean
    (library / "network" / "units.py").write_text("a = 2\n")
    assert commit(library) == f"{clean}+"


def test_the_library_is_all_of_it() -> None:
    assert {"network", "reproduce", "search"} <= {at.name for at in LIBRARY.iterdir()}
