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


def _laws() -> dict[str, str]:
    """Of the laws with 200 rows and of ten of them: identified, close and both."""
    found: dict[str, str] = {}
    for key, start in (
        ("laws_quiet", "| laws | eqlearn | 200 | 0 |"),
        ("laws", "| laws | eqlearn | 200 | 0.01 |"),
        ("laws_noisy", "| laws | eqlearn | 200 | 0.05 |"),
        ("ten", "| ten laws | eqlearn | 200 | 0.01 |"),
        ("ten_operon", "| ten laws | pyoperon | 200 | 0.01 |"),
    ):
        cells = _row("docs/recovery.md", start)
        found |= {f"{key}_identified": cells[7], f"{key}_close": cells[8]}
        found[key] = str(int(cells[7]) + int(cells[8]))
    return found | {"n_laws": _row("docs/recovery.md", "| laws | eqlearn | 200 |")[6]}


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
    newest = {
        (one["noise"], one["system"]): one
        for one in lines
        if (one["method"], one["half"], one["variant"]) == ("eqlearn", "unseen", "even")
    }
    unseen = [one for (noise, _), one in newest.items() if noise == 0.01]
    wrong = [one for one in newest.values() if not all(one["form"] or [False])]
    trusted = [one["noise"] for one in wrong if set(one["verdict"]) == {"trusted"}]
    assert set(trusted) == {0.05}  # as the page says
    return {
        "systems": str(len(unseen)),
        "true_form": str(sum(bool(x["form"]) and all(x["form"]) for x in unseen)),
        "followed": str(sum(x["follows"] for x in unseen)),
        "wrong_motions": str(len(wrong)),
        "wrong_trusted": str(len(trusted)),
    }


FIGURES = {**_textbook(), **_laws(), **_trust(), **_motion()}
QUOTES = [
    ("README.md", "the true form of {unseen}; {unseen_close} more are within 1 %"),
    ("README.md", "| {seen}, and {seen_close} |"),
    ("README.md", "{systems} unseen systems, 1 % noise"),
    ("README.md", "true form of {true_form}; {followed} followed"),
    ("README.md", "| {off} of {trusted} |"),
    ("docs/comparison.md", "{unseen} in their true form, {unseen_close} more close"),
    ("README.md", "| {ten} of 10 exact, or within 1 % far outside |"),
    ("README.md", "run by us with its defaults | {ten_operon} of 10 |"),
    ("docs/comparison.md", "| {laws_identified} with every constant to three decimals"),
    ("docs/comparison.md", "three decimals, {laws_close} more within 1 % far outside"),
    ("docs/comparison.md", "same 10 | {ten_identified} and {ten_close} |"),
    ("docs/comparison.md", "| {ten_operon_identified} and {ten_operon_close} |"),
    ("docs/howto/noise.md", "Of {n_laws} laws of physics and engineering"),
    ("docs/howto/noise.md", "Of {laws_quiet} laws of physics and engineering with 200"),
    ("docs/howto/noise.md", "all are found without noise, {laws} at 1 % and"),
    ("docs/howto/noise.md", "{laws} at 1 % and {laws_noisy} at 5 %"),
    ("docs/limits.md", "the true form of {seen} in the half it was developed on"),
    ("docs/limits.md", "and of {unseen} in the unseen half"),
    ("docs/limits.md", "{off_seen} of {trusted_seen} in the seen half"),
    ("docs/limits.md", "{off} of {trusted} in the unseen half"),
    ("docs/limits.md", "of {wrong_motions} systems with wrong equations"),
    (
        "docs/limits.md",
        "the verdict trusts {wrong_trusted} in all its equations, at 5 % noise",
    ),
    ("docs/howto/time-series.md", "Of {systems} systems kept unseen"),
    ("docs/howto/time-series.md", "found for {true_form} at 1 % noise, and {followed}"),
]


@pytest.mark.parametrize(("page", "quote"), QUOTES)
def test_what_a_page_quotes_is_what_was_measured(page: str, quote: str) -> None:
    assert quote.format(**FIGURES) in _words(page)
