"""The user's names, made harmless for each medium and still readable.

A column may be called anything: a keyword, a command of TeX, a closing tag, nothing.
"""

import keyword
import re
from collections.abc import Collection, Iterable
from html import escape

# Keywords of C and C++, and names that math.h or gcc replaces by something else.
_C_WORDS = frozenset(
    "auto break case char const continue default do double else enum extern float for "
    "goto if inline int long register restrict return short signed sizeof static "
    "struct switch typedef union unsigned void volatile while bool complex imaginary "
    "asm typeof main errno linux unix i386 NAN INFINITY HUGE HUGE_VAL HUGE_VALF "
    "HUGE_VALL MAXFLOAT MATH_ERRNO MATH_ERREXCEPT SNAN DOMAIN SING OVERFLOW UNDERFLOW "
    "PLOSS TLOSS X_TLOSS math_errhandling signgam alignas alignof atomic constexpr "
    "generic noreturn nullptr static_assert thread_local true false typeof_unqual and "
    "and_eq bitand bitor catch char8_t char16_t char32_t class co_await co_return "
    "co_yield compl concept const_cast consteval constinit decltype delete "
    "dynamic_cast explicit export friend mutable namespace new noexcept not not_eq "
    "operator or or_eq private protected public reinterpret_cast requires static_cast "
    "template this throw try typeid typename using virtual wchar_t xor xor_eq "
    # What the headers define that g++ reads along with math.h.
    "NULL EXIT_SUCCESS EXIT_FAILURE RAND_MAX MB_CUR_MAX NFDBITS FD_SETSIZE BYTE_ORDER "
    "BIG_ENDIAN LITTLE_ENDIAN PDP_ENDIAN WCONTINUED WEXITED WNOHANG WNOWAIT WSTOPPED "
    "WUNTRACED".split()
)
_LONGEST_IDENTIFIER = 31  # what C99 promises to tell apart in external names

# In math mode: letters and digits are themselves, operators lose their spacing.
_LATEX = {
    **{sign: f"{{{sign}}}" for sign in "<>+=*/|:;,!?()[]@."},
    **{sign: f"\\{sign}" for sign in "{}$&#%_ "},
    "\\": r"\backslash{}",
    "^": r"{\wedge}",
    "~": r"{\sim}",
    "-": r"\mbox{-}",  # a hyphen: a minus would read as a difference
    "'": r"\mbox{'}",
    "`": r"\mbox{`}",
    '"': r"\mbox{''}",
}


def identifiers(names: Iterable[str], taken: Collection[str] = ()) -> list[str]:
    """Give each name a different identifier that is valid in Python and in C.

    None is a keyword, one of `taken`, or like a unit's: u1, u2, ...
    """
    used = set(taken)
    found = []
    for number, name in enumerate(names):
        word = re.sub("[^0-9A-Za-z]+", "_", name).strip("_")[:_LONGEST_IDENTIFIER]
        word = word if word[:1].isalpha() else f"x{number + 1}_{word}".rstrip("_")
        if _is_reserved(word):
            word += "_"
        stem, copy = word, 1
        while word in used:
            copy += 1
            word = f"{stem}_{copy}"
        used.add(word)
        found.append(word)
    return found


def _is_reserved(word: str) -> bool:
    return (
        keyword.iskeyword(word)
        or word in _C_WORDS
        or re.fullmatch(r"u\d+|(M|FP|HUGE_VAL)_\w+|SNAN\w*", word) is not None
    )


def visible(name: str, number: int) -> str:
    r"""Show a name as it is, control characters as \x1b and nothing as its number."""
    if not name.strip():
        return f"⟨{number + 1}⟩"
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in name)


def latex_name(name: str, number: int) -> str:
    r"""Write a name in TeX's math mode: x_{1} for x1, \mathrm{...} for longer ones."""
    match = re.fullmatch("([A-Za-z])([0-9]*)", name)
    if match:
        letter, digits = match.groups()
        return f"{letter}_{{{digits}}}" if digits else letter
    shown = "".join(_LATEX.get(c, c) for c in visible(name, number))
    return rf"\mathrm{{{shown}}}"


def markup_name(name: str, number: int) -> str:
    """Write a name as the text of an element of MathML or HTML."""
    return escape(visible(name, number))
