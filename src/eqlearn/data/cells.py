"""What a cell of a text table may be: a number, or a named mistake."""

import math
import re

# Narrower than float(), which also takes 1_000, nan and the digits of other scripts.
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?", re.ASCII)
_GROUPS = re.compile(r"[+-]?[1-9]\d{0,2}([,.'’_ \u00a0\u202f]\d{3})+([.,]\d+)?")
_MISSING = re.compile(
    r"|n/?a|<na>|nan|null|none|nil|missing|[-.?*]+|#[A-Z/0!?]+", re.IGNORECASE
)
# Longer ones are no numbers anyone wrote, and the patterns need not look at them all.
_LONGEST = 400

CORRECT = "Correct the cell."
AS_NUMBERS = "Write times as numbers, such as seconds since the start."
# The first row that fits says what to do about a cell that is no finite number.
_ADVICE = (
    (_NUMBER, "It is beyond 1.8e308: choose a larger unit."),
    (_MISSING, "Fill the cell in or remove the row."),
    (re.compile(r"[+-]?inf(inity)?", re.IGNORECASE), "Remove the row."),
    (
        re.compile(r"true|false|yes|no|t|f", re.IGNORECASE),
        "Write 1 and 0 for true and false.",
    ),
    (_GROUPS, "Write thousands without separators, and decimals after a point."),
    (_DECIMAL_COMMA, "Write decimals after a point."),
    (re.compile(r"[+-]?0x[0-9a-f.]+(p.*)?", re.IGNORECASE), "Write it in decimal."),
    (
        re.compile(r"\(?[+-]?[\d.]+(e[+-]?\d+)?[+-].*[ij]\)?", re.IGNORECASE),
        "Write real and imaginary parts as two columns.",
    ),
    (
        re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*|\d{1,2}:\d\d.*", re.DOTALL),
        AS_NUMBERS,
    ),
    (re.compile(r"[+-]?[\d.]+[dD][+-]?\d+"), "Write the exponent with e."),
    (re.compile(r"[\u2212\u2013]\s*[\d.]+.*"), "Write the minus sign as -."),
    (
        re.compile(r"[+-]?\d[\d.]*([eE][+-]?\d+)?\s*(%|°|[^\W\d_]).*"),
        "Put the unit into the column's name and only the number here.",
    ),
    (re.compile(r"#.*", re.DOTALL), "Remove the comment."),
    (re.compile(r"[^|]*\d\s*\|.*", re.DOTALL), "Separate the cells by commas."),
    (re.compile(r".*\x00.*", re.DOTALL), "The file is damaged or not text."),
)


def number(cell: str, decimal: str = ".") -> float:
    """Return the cell's number, or NaN for anything that is not a finite one."""
    text = cell.strip()
    if decimal == ",":
        # A point beside decimal commas may well group thousands.
        text = "" if "." in text else text.replace(",", ".")
    value = float(text) if _NUMBER.fullmatch(text) else math.nan
    return value if math.isfinite(value) else math.nan


def advice(cell: str, decimal: str = ".") -> str:
    """Say what to do about a cell that is not a finite number."""
    text = cell.strip()[:_LONGEST]
    if decimal == "," and _NUMBER.fullmatch(text):
        return "Write all decimals alike, after a point or after a comma."
    if decimal == ",":
        text = text.replace(",", ".")
    for pattern, hint in _ADVICE:
        if pattern.fullmatch(text):
            return hint
    return CORRECT


def is_number(cell: str, decimals: str) -> bool:
    """Whether the cell is a finite number with one of these decimal signs."""
    return any(math.isfinite(number(cell, decimal)) for decimal in decimals)


def is_missing(cell: str) -> bool:
    """Whether the cell says that there is no value."""
    return bool(_MISSING.fullmatch(cell.strip()[:_LONGEST]))


def is_decimal_comma(cell: str) -> bool:
    """Whether the cell is a number with a comma before its decimals."""
    return bool(_DECIMAL_COMMA.fullmatch(cell.strip()[:_LONGEST]))


def may_be_grouped(cell: str) -> bool:
    """Whether the commas of the cell may separate thousands, as in 1,234."""
    return bool(_GROUPS.fullmatch(cell.strip()[:_LONGEST]))
