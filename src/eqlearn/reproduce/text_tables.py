"""Tables of texts as plain text, Markdown and HTML, and pages of these."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple


class TextTable(NamedTuple):
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


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width">
<style>
body {{ font: 16px/1.5 sans-serif; margin: 2em auto; padding: 0 1em }}
table {{ border-collapse: collapse; display: block; overflow-x: auto;
  font-size: 0.85em; white-space: nowrap }}
td, th {{ border-bottom: 1px solid #8886; padding: 0.2em 0.7em; text-align: left }}
ul, figure {{ max-width: 60em }}
figure {{ margin: 2em 0 }}
img {{ max-width: 100%; background: white }}
:root {{ color-scheme: light dark }}
</style></head><body>
{body}
</body></html>
"""


def page(title: str, body: str) -> str:
    """Make pieces into a page."""
    return _PAGE.format(title=escape(title), body=body)


def figure(caption: str, file: str) -> str:
    """A piece of a page: an image and what it shows."""
    shown = escape(caption)
    return (
        f'<figure><img src="{escape(file)}" alt="{shown}">'
        f"<figcaption>{shown}</figcaption></figure>\n"
    )


def _in_a_cell(text: str) -> str:
    return text.replace("|", r"\|")


def _row(tag: str, cells: Sequence[str]) -> str:
    inner = "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells)
    return f"<tr>{inner}</tr>"
