"""The report as text: the summary for a terminal, and Markdown."""

import re
import textwrap
from collections.abc import Iterator, Sequence

from eqlearn.equation.write.display import formula_text
from eqlearn.equation.write.simplify import checked_arrangement
from eqlearn.errors import printable
from eqlearn.model.by_hand import candidate_number, candidates_of
from eqlearn.model.model import Equation, Model
from eqlearn.report import findings as found
from eqlearn.report.findings import Finding

_WIDTH = 88
_LONGEST_FACT = 400


def summary(model: Model, findings: Sequence[Finding]) -> str:
    """Say what was learned: equations, verdicts, constants, errors, runners-up."""
    parts = [_summary_of(model, finding) for finding in findings]
    return "\n\n".join("\n".join(lines) for lines in parts) + "\n"


def _summary_of(model: Model, finding: Finding) -> Iterator[str]:
    yield found.formula(finding.chosen, model)
    yield ""
    yield from textwrap.wrap(_verdict(finding), _WIDTH)
    yield from _aligned(_constant_cells(finding), ("constant", "as fitted", "set to"))
    yield from _aligned(*found.group_cells_of(model, finding))
    yield ""
    for name, value in found.errors(finding, model.n_rows):
        yield f"{name}: {value}"
    yield from textwrap.wrap(_sentence(finding.domain), _WIDTH)
    second = found.what_came_second(model, finding)
    shorter = found.what_is_shorter(model, finding, after_second=True)
    yield from textwrap.wrap(f"{second} {shorter}".strip(), _WIDTH)


def _verdict(finding: Finding) -> str:
    sentences = [found.headline(finding)]
    sentences += [*finding.verdict.reasons, *finding.verdict.advice]
    text = " ".join(sentences)
    return printable(text, len(text))


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _constant_cells(finding: Finding) -> list[tuple[str, str, str]]:
    return [
        (
            printable(row["of"]),
            found.measured(row),
            found.simple(row["snapped"]),
        )
        for row in finding.constants
    ]


def _aligned(
    rows: Sequence[Sequence[str]], headings: Sequence[str] = ()
) -> Iterator[str]:
    """Columns as wide as their widest cell; nothing at all without rows."""
    if not rows:
        return
    table = [headings, *rows] if headings else rows
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    yield ""
    for row in table:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        yield "  ".join(cells).rstrip()


def markdown(
    model: Model,
    findings: Sequence[Finding],
    images: Sequence[str],
) -> str:
    """Write the report in Markdown; `images` are the files of the slices."""
    lines = [
        "# What the data say",
        "",
        f"Learned from {model.n_rows:,} rows of {found.columns_said(model)}.",
    ]
    for finding, image in zip(findings, images, strict=True):
        lines += _markdown_of(model, finding, image)
    facts = {
        "Data": tuple(model.origin.facts().items()),
        "Search": found.search_facts(model),
        "Versions": tuple(model.versions.items()),
    }
    for title, rows in facts.items():
        if rows:
            cells = [(_plain(name), _plain(value)) for name, value in rows]
            lines += ["", f"## {title}", *_code(_aligned(cells))]
    return "\n".join(lines) + "\n"


def _markdown_of(model: Model, finding: Finding, image: str) -> Iterator[str]:
    yield from ("", f"## {escaped(found.shown(finding.target, finding.number))}")
    yield from _code([found.formula(finding.chosen, model)])
    yield from ("", f"**{found.headline(finding)}**")
    for line in (*finding.verdict.reasons, *finding.verdict.advice):
        yield escaped(_plain(line))
    yield ""
    for name, value in found.errors(finding, model.n_rows):
        yield f"- {name}: {value}"
    yield f"- in the domain of use: {escaped(_plain(finding.domain))}"
    yield from ("", "### Constants")
    cells = _constant_cells(finding)
    if not cells:
        yield from ("", "The formula has no constants that were fitted.")
    yield from _code(_aligned(cells, ("the weight of", "as fitted", "set to")))
    rows, headings = found.group_cells_of(model, finding)
    if model.groups is not None and rows:
        column = escaped(_plain(model.groups.column))
        yield from ("", f"### Constants by {column}")
        yield from _code(_aligned(rows, headings))
    yield from ("", "### How it was chosen", "")
    yield found.how_chosen(model, finding)
    yield escaped(_plain(found.what_is_shorter(model, finding)))
    yield from _code(_candidates(model, finding))
    yield from ("", "### Beyond the data", "")
    yield f"![The formula along each input, well beyond the data]({image})"


def _candidates(model: Model, finding: Finding) -> Iterator[str]:
    table = found.candidates(finding)
    pairs = zip(table.equations, table.cells, strict=True)
    rows = [
        (_number(model, one), *cells, found.formula(one, model)) for one, cells in pairs
    ]
    yield from _aligned(rows, ("", *table.headings, "equation"))
    if table.n_more:
        yield f"and {table.n_more} more"


def _number(model: Model, one: Equation) -> str:
    return f"{candidate_number(model, one)}{'*' if one.is_chosen else ''}"


def front(model: Model, findings: Sequence[Finding]) -> str:
    """List the candidates of each target by their numbers, the chosen one marked."""
    parts = []
    for finding in findings:
        target = found.shown(finding.target, finding.number)
        everything = candidates_of(model, finding.target)
        rows = [
            (_number(model, one), f"{one.rms:.3g}", f"{one.complexity}", formula)
            for one in everything[: found.MOST_LISTED]
            for formula in [found.formula(one, model)]
        ]
        lines = _aligned(rows, ("no.", "error", "complexity", "equation"))
        parts.append("\n".join([f"Candidates for {target}, * is chosen:", *lines]))
    return "\n\n".join(parts) + "\n"


def arranged_equations(model: Model, how: str) -> str:
    """The chosen equations in one of the arrangements, a line for each."""
    checked_arrangement(how)
    inputs = found.distinct(model.inputs)
    return "\n".join(
        formula_text(one.snapped, inputs, found.shown(one.target, at), arranged=how)
        for at, one in enumerate(model.chosen)
    )


def _code(lines: Sequence[str] | Iterator[str]) -> Iterator[str]:
    """Lines that Markdown shows as they are."""
    filled = [line for line in lines if line]
    if filled:
        yield ""
        yield from (f"    {line}" for line in filled)


def _plain(text: str) -> str:
    return printable(str(text), _LONGEST_FACT)


# What Markdown, or one of its dialects, takes for a mark, a link, a tag or a formula.
_ACTIVE = re.compile(r"[\\`*_{}\[<>&|~$#!@^]|:(?=[/\w])|(?<=www)\.", re.IGNORECASE)


def escaped(text: str) -> str:
    """Write text so that Markdown shows it as it is."""
    return _ACTIVE.sub(lambda match: f"&#{ord(match[0])};", text)
