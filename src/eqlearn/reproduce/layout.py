"""A table of texts as plain text, Markdown and HTML."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple


class Layout(NamedTuple):
    """What is shown: a title, a table, and notes below it."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()

    def text(self) -> str:
        """Columns of equal width, for a terminal."""
        cells = [self.header, *self.rows]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in cells]
        return "\n".join([self.title, "", *lines, "", *self.notes]).rstrip() + "\n"

    def markdown(self) -> str:
        """A section of Markdown, its notes as a list."""
        parts = [f"## {self.title}", self.markdown_table(), self.markdown_notes()]
        return "\n\n".join(filter(None, parts)) + "\n"

    def markdown_table(self) -> str:
        """The table alone."""
        cells = [self.header, ["---"] * len(self.header), *self.rows]
        return "\n".join(f"| {' | '.join(map(_in_a_cell, row))} |" for row in cells)

    def markdown_notes(self) -> str:
        """The notes alone."""
        return "\n".join(f"- {note}" for note in self.notes)

    def html(self) -> str:
        """A piece of a page."""
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        return (
            f"<h2>{escape(self.title)}</h2>\n<table>\n"
            f"<thead>{_row('th', self.header)}</thead>\n<tbody>\n"
            + "\n".join(_row("td", row) for row in self.rows)
            + f"\n</tbody>\n</table>\n<ul>{notes}</ul>\n"
        )


def _in_a_cell(text: str) -> str:
    return text.replace("|", r"\|")


def _row(tag: str, cells: Sequence[str]) -> str:
    inner = "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells)
    return f"<tr>{inner}</tr>"
