"""The one error that leaves the library, and the one shape of its messages.

*`name` must be <what>; got <value>. <What to do>.*
"""

from collections.abc import Iterable
from numbers import Integral
from typing import TypeGuard

_LONGEST_VALUE = 80
_LONGEST_NAME = 60
_LONGEST_PATH = 160
_MOST_NAMES = 12


class EqlearnError(ValueError):
    """A request that cannot be carried out; the message says what to change."""


def must(
    name: str, what: str, got: object, hint: str = "", *, where: str = ""
) -> EqlearnError:
    """Build the error for a parameter that is not what it must be.

    Parameters
    ----------
    name : str
        The parameter, spelled as the user typed it.
    what : str
        What it must be, as the end of a sentence: ``"at least 2"``.
    got : object
        What it was. Arrays are shown by their shape, long values are cut.
    hint : str
        What to do about it, as a whole sentence.
    where : str
        Where the value was found: ``"in row 3, column 1"``.

    Examples
    --------
    >>> must("n_layers", "at least 2", 1, "Use 2 for one hidden layer.")
    EqlearnError('`n_layers` must be at least 2; got 1. Use 2 for one hidden layer.')
    """
    found = f"{_shown(got)} {where}".rstrip()
    return EqlearnError(f"`{name}` must be {what}; got {found}. {hint}".rstrip())


def check_count(
    name: str,
    value: object,
    least: int = 1,
    hint: str = "",
    *,
    most: float = float("inf"),
) -> None:
    """Refuse what is not a whole number, Python's or NumPy's, of at least `least`.

    Examples
    --------
    >>> check_count("n_layers", 2.5, least=2)
    Traceback (most recent call last):
    eqlearn.errors.EqlearnError: `n_layers` must be an integer of at least 2; got 2.5.
    """
    if not is_whole(value) or not least <= value <= most:
        limit = f" and at most {most:,}" if most < float("inf") else ""
        raise must(name, f"an integer of at least {least}{limit}", value, hint)


def is_whole(value: object) -> TypeGuard[int]:
    """Tell whether a value is a whole number, Python's or NumPy's."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def unknown(
    name: str, got: object, valid: Iterable[str], *, where: str = ""
) -> EqlearnError:
    """Build the error for a name that is none of the valid ones.

    Examples
    --------
    >>> unknown("unit", "sine", ["cos", "sin"])
    EqlearnError("`unit` must be one of 'cos', 'sin'; got 'sine'. Did you mean 'sin'?")
    """
    from difflib import get_close_matches

    listed = tuple(valid)
    names = {name.casefold(): name for name in listed}
    typed = str(got).casefold()
    near = get_close_matches(typed, names, n=1) or _beginning_with(typed, names)
    hint = f"Did you mean {_shown(names[near[0]])}?" if near else ""
    most = _MOST_NAMES + (len(listed) == _MOST_NAMES + 1)  # rather than "1 more"
    some = ", ".join(map(_shown, listed[:most]))
    more = len(listed) - most
    rest = f" or {more} more" if more > 0 else ""
    return must(name, f"one of {some}{rest}", got, hint, where=where)


def _beginning_with(typed: str, names: Iterable[str]) -> list[str]:
    """The one name that begins with this word, as `T [K]` does with T."""
    rests = {name: name[len(typed) :] for name in names if name.startswith(typed)}
    found = [name for name, rest in rests.items() if not rest[:1].isalnum()]
    return found if typed and len(found) == 1 else []


def check_known(name: str, value: object, valid: Iterable[str]) -> None:
    """Refuse what is none of the valid names, of whatever type it is.

    Examples
    --------
    >>> check_known("unit", 2, ["cos", "sin"])
    Traceback (most recent call last):
    eqlearn.errors.EqlearnError: `unit` must be one of 'cos', 'sin'; got 2.
    """
    names = tuple(valid)
    if not isinstance(value, str) or value not in names:
        raise unknown(name, value, names)


def malformed(
    source: str,
    what: str,
    got: str,
    hint: str,
    *,
    row: int | None = None,
    column: str | None = None,
) -> EqlearnError:
    """Build the error for a file that is not what it must be, by row and column.

    Parameters
    ----------
    source : str
        The file, as the user named it.
    what : str
        What it must do, with the verb: ``"be a regular file"``.
    got : str
        What was found, in words; a cell is quoted by its ``repr``.
    hint : str
        What to do about it, as a whole sentence.
    row : int, optional
        The row as a spreadsheet numbers it.
    column : str, optional
        The column, as `column_label` names it.

    Examples
    --------
    >>> malformed("a.csv", "hold numbers", "'?'", "Fill it in.", row=3, column="`x`")
    EqlearnError("`a.csv` must hold numbers; got '?' in row 3, column `x`. Fill it in.")
    """
    row_place = "" if row is None else f"row {row:,}"
    places = [row_place, f"column {column}" if column else ""]
    where = ", ".join(filter(None, places))
    found = printable(got, _LONGEST_VALUE) + (f" in {where}" if where else "")
    shown = printable(source, _LONGEST_PATH)
    return EqlearnError(f"`{shown}` must {what}; got {found}. {hint}")


def printable(text: str, longest: int = _LONGEST_NAME) -> str:
    r"""Return text from a file on one line: escaped where not printable, and cut.

    Escape sequences, line ends and marks of writing direction could otherwise make a
    terminal show something else than what is written.

    Examples
    --------
    >>> printable("\x1b[31mred")
    '\\x1b[31mred'
    """
    cut = text if len(text) <= longest else text[: longest - 1] + "…"
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in cut
    )


def _shown(value: object) -> str:
    dimensions = getattr(value, "ndim", None)
    if dimensions:
        return f"an array of shape {getattr(value, 'shape', '?')}"
    if dimensions == 0 and hasattr(value, "item"):
        value = value.item()  # nan, not np.float64(nan)
    text = " ".join(repr(value).split())
    if len(text) <= _LONGEST_VALUE:
        return text
    return text[: _LONGEST_VALUE - 1] + "…"
