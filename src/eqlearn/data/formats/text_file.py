"""Text files opened as UTF-8, however they are packed and encoded."""

import codecs
import gzip
import io
import os
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import IO

from eqlearn.data.table import check_memory
from eqlearn.errors import EqlearnError, malformed, printable

LONGEST_LINE = 2**20
LINE_END = re.compile(rb"\r\n|\r|\n")
#: What is tried where text is no UTF-8: what Windows writes in western Europe.
FALLBACK = "cp1252"

Opener = Callable[[], IO[bytes]]


@dataclass(frozen=True)
class TextFile:
    """A file of text, looked through once."""

    source: str  # as the user named it
    unpacked: Opener
    n_lines: int
    is_utf8: bool

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """Open the text as bytes in UTF-8."""
        with naming_damage(self.source), self.unpacked() as file:
            yield file if self.is_utf8 else self._converted(file)

    def _converted(self, file: IO[bytes]) -> IO[bytes]:
        content = file.read()
        check_memory(self.source, len(content))
        try:
            return io.BytesIO(content.decode(FALLBACK).encode())
        except UnicodeDecodeError as error:
            row = 1 + len(LINE_END.findall(content[: error.start]))
            raise not_utf8(self.source, content[error.start], row) from error

    def remarks(self) -> tuple[str, ...]:
        """What a user should know of how the file was read."""
        if self.is_utf8:
            return ()
        said = f"`{printable(self.source, 160)}`: "
        return (f"{said}read as {FALLBACK} (Latin-1), for it is not UTF-8",)


def text_file(source: str, unpacked: Opener | None = None) -> TextFile:
    """Count lines, refusing what would be read into memory as a single long one."""
    opener = unpacked or partial(_plain_file, source)
    decoder = codecs.getincrementaldecoder("utf-8")()
    lines, carried, is_utf8 = 1, 0, True
    with naming_damage(source), opener() as file:
        while block := file.read(LONGEST_LINE):
            first, last = block.find(b"\n"), block.rfind(b"\n")
            carried += len(block) if first < 0 else first
            if carried > LONGEST_LINE:
                what = f"have lines of at most {LONGEST_LINE:,} bytes"
                hint = "Write each sample on a line of its own."
                raise malformed(source, what, "a longer one", hint, row=lines)
            if last >= 0:
                carried = len(block) - 1 - last
            lines += line_ends(block)
            is_utf8 = is_utf8 and _goes_on(decoder, block)
    is_utf8 = is_utf8 and _goes_on(decoder, b"", is_last=True)
    return TextFile(source, opener, lines, is_utf8)


def _goes_on(
    decoder: codecs.IncrementalDecoder, block: bytes, *, is_last: bool = False
) -> bool:
    """Whether a further block is UTF-8; a letter may end in the next one."""
    try:
        decoder.decode(block, is_last)
    except UnicodeDecodeError:
        return False
    return True


def line_ends(block: bytes) -> int:
    """Count the ends of lines, of any kind."""
    if b"\r" not in block:
        return block.count(b"\n")
    return block.count(b"\n") + block.count(b"\r") - block.count(b"\r\n")


def not_utf8(source: str, byte: int, row: int) -> EqlearnError:
    """Build the error for text in an encoding that is not known."""
    hint = "Save the table as UTF-8."
    return malformed(source, "be text in UTF-8", f"byte 0x{byte:02x}", hint, row=row)


def _plain_file(source: str) -> IO[bytes]:
    return open(source, "rb")


def unpacked_gzip(source: str) -> tuple[str, Opener]:
    """What is in a gzip file: its name, which is the file's without .gz."""
    return os.path.splitext(source)[0], partial(_gzip_file, source)


def _gzip_file(source: str) -> IO[bytes]:
    # As a buffered reader, which is what is asked for line ends and long blocks.
    return io.BufferedReader(gzip.GzipFile(source, "rb"))


def unpacked_zip(source: str) -> tuple[str, Opener]:
    """What is in a zip archive of one file: its name, and how to open it."""
    with naming_damage(source), zipfile.ZipFile(source) as archive:
        files = [
            one.filename
            for one in archive.infolist()
            if not one.is_dir() and not one.filename.startswith("__MACOSX/")
        ]
    if len(files) != 1:
        hint = "Unpack it, and name the table."
        raise malformed(source, "hold one file", f"{len(files)} files", hint)
    return files[0], partial(_zip_member, source, files[0])


def _zip_member(source: str, name: str) -> IO[bytes]:
    with zipfile.ZipFile(source) as archive:
        return archive.open(name)


@contextmanager
def naming_damage(source: str) -> Iterator[None]:
    """Name a packed file that is damaged, or locked by a password."""
    try:
        yield
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise _damaged(source, str(error)) from error
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise _damaged(source, str(error)) from error


def _damaged(source: str, reason: str) -> EqlearnError:
    hint = "Copy it again, or unpack it first."
    return malformed(source, "be a whole packed file", reason, hint)
