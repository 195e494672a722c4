"""Code in pages: `python` blocks and `console` blocks, in order."""

import re
import shlex
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]

_BLOCK = re.compile(r"^```(python|console)\n(.*?)^```", re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    """A piece of code in a page."""

    language: str
    text: str


def blocks(page: str) -> list[Block]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return [Block(*found) for found in _BLOCK.findall(text)]


def commands(text: str) -> list[list[str]]:
    """The words of every command after a $ sign, without comments."""
    lines = [line[2:] for line in text.splitlines() if line.startswith("$ ")]
    return [shlex.split(line, comments=True) for line in lines]
