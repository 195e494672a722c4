"""Figures of ours that the words of pages quote are those of the results."""

import json
import re
from functools import cache

import pytest
from page_blocks import ROOT

MARK = re.compile(r"\*\*|\[|\]\([^)]*\)")


@cache
def _words(page: str) -> str:
    """A page without emphasis and links, in one line."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return " ".join(MARK.sub("", text).split())


def _row(page: str, start: str) -> list[str]:
    """The cells of the last line of a table that begins so."""
    lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
    return [
        cell.strip()
        for cell in [x for x in lines if x.startswith(start)][-1][1:].split("|")
    ]


def _textbook() -> dict[str, str]:
    cells = _row("docs/recovery.md", "| textbook | eqlearn | 500 | 0.01 | 10 s |")
    seen, unseen = cells[5].split()[0], cells[8].split()[0]
    return {
        "seen": seen,
        "seen_close": cells[6],
        "unseen": unseen,
        "unseen_close": cells[9],
    }


def _trust() -> dict[str, str]:
    unseen = _row("docs/trust.md", "| unseen | 5 s |")
    seen = _row("docs/trust.md", "| seen | 5 s |")
    return {
        "trusted_seen": seen[4],
        "off_seen": seen[5].split()[0],
        "trusted": unseen[4],
        "off": unseen[5].split()[0],
    }


def _motion() -> dict[str, str]:
    path = ROOT / "benchmarks" / "results" / "dynamics.jsonl"
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    wanted = ("eqlearn", "unseen", 0.01, "even")
    newest = {
        one["system"]: one
        for one in lines
        if (one["method"], one["half"], one["noise"], one["variant"]) == wanted
    }
    unseen = newest.values()
    return {
        "systems": str(len(unseen)),
        "true_form": str(sum(bool(x["form"]) and all(x["form"]) for x in unseen)),
        "followed": str(sum(x["follows"] for x in unseen)),
    }


FIGURES = {**_textbook(), **_trust(), **_motion()}
QUOTES = [
    ("README.md", "the true form of {unseen}; {unseen_close} more are within 1 %"),
    ("README.md", "| {seen}, and {seen_close} |"),
    ("README.md", "{systems} unseen systems, 1 % noise"),
    ("README.md", "true form of {true_form}; {followed} followed"),
    ("README.md", "| {off} of {trusted} |"),
    ("docs/comparison.md", "{unseen} in their true form, {unseen_close} more close"),
    ("docs/limits.md", "the true form of {seen} in the half it was developed on"),
    ("docs/limits.md", "and of {unseen} in the unseen half"),
    ("docs/limits.md", "{off_seen} of {trusted_seen} in the seen half"),
    ("docs/limits.md", "{off} of {trusted} in the unseen half"),
    ("docs/howto/time-series.md", "Of {systems} systems kept unseen"),
    ("docs/howto/time-series.md", "found for {true_form} at 1 % noise, and {followed}"),
]


@pytest.mark.parametrize(("page", "quote"), QUOTES)
def test_what_a_page_quotes_is_what_was_measured(page: str, quote: str) -> None:
    assert quote.format(**FIGURES) in _words(page)
