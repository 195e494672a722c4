"""A file of JSON lines: each is on the disk before the next piece of work begins."""

import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

#: All that is known of one piece of work, as JSON can hold it.
Line: TypeAlias = dict[str, Any]


def number(value: float, digits: int = 4) -> float | None:
    """Write a number short; JSON has no infinity."""
    return float(f"{value:.{digits}g}") if math.isfinite(value) else None


def whole_lines(path: Path) -> Iterator[Line]:
    """Read the lines of a file, if it is there; one cut off in writing is left out."""
    if path.exists():
        text = path.read_text(encoding="utf-8", errors="replace")
        for piece in text.splitlines():
            try:
                yield json.loads(piece)
            except ValueError:
                continue


def append_line(path: Path, line: Line) -> None:
    """Add a line, on the disk before this returns; one that was cut off stays alone."""
    with path.open("ab+") as file:
        if file.tell():
            file.seek(-1, os.SEEK_END)
            is_cut = file.read(1) != b"\n"
            file.write(b"\n" if is_cut else b"")
        text = json.dumps(line, ensure_ascii=False, allow_nan=False)
        file.write(text.encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
