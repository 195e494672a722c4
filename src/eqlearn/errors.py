"""The one error that leaves the library, and the one shape of its messages.

*`name` must be <what>; got <value>. <What to do>.*
"""

from collections.abc import Iterable

_LONGEST_VALUE = 80


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


def unknown(name: str, got: object, valid: Iterable[str]) -> EqlearnError:
    """Build the error for a name that is none of the valid ones.

    Examples
    --------
    >>> unknown("unit", "sine", ["cos", "sin"])
    EqlearnError("`unit` must be one of 'cos', 'sin'; got 'sine'. Did you mean 'sin'?")
    """
    from difflib import get_close_matches

    names = {name.casefold(): name for name in valid}
    near = get_close_matches(str(got).casefold(), names, n=1)
    hint = f"Did you mean {names[near[0]]!r}?" if near else ""
    listed = ", ".join(map(repr, names.values()))
    return must(name, f"one of {listed}", got, hint)


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
