"""Which commit of the library made a line."""

import subprocess
from pathlib import Path

#: The folder of the whole library, which this file is in a room of.
LIBRARY = Path(__file__).parents[1]


def commit(library: Path = LIBRARY) -> str:
    """Name the commit, with a + if the library was changed since; "" if installed."""

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(library), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    try:
        # Installed into another project, it is that one's commit and not ours.
        git("ls-files", "--error-unmatch", "__init__.py")
        changed = git("status", "--porcelain", "--", ".")
        return git("rev-parse", "--short", "HEAD") + ("+" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return ""
