"""What `benchmarks.fuzz` throws at eqlearn: model files, tables, formulas, directories.

A case is a function of one stream of random numbers: its number tells all of it.
"""

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

#: Values that are legal somewhere, put where they may not be.
HOSTILE_VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    2**53 + 1,
    10**30,
    1e308,
    -1e308,
    5e-324,
    1e-300,
    0.1,
    "",
    "x1",
    "u1",
    "__import__('os')",
    "a\x00b",
    "\u202ex",
    "\ud800",
    "x" * 5000,
    [],
    {},
    [[]],
    {"1": 1.0},
)
#: Cells that tables have had, or should not.
CELLS = (
    *"0 1 -1 1.5 1e5 1e400 -1e-400 nan NaN inf -inf NA null 1,5 1.000,5 0x10".split(),
    *"1_000 9007199254740993 2020-01-01 12:30 true +5 .5 5. e 1e - %5 =1+1".split(),
    *"½ \u0661\u0662 ' \" ''".split(),
    "",
    " ",
    "\x00",
    "\ufeff1",
    '"1\n2"',
    "5" * 400,
    "a" * 20_000,
)
#: What formulas are made of, and what they should not be.
WORDS = (
    *"a b c k x1 y 2 0 1e400 5e-324 .5 1e-30 007 pi e".split(),
    *"+ - * / ^ ** ( ) , = ` · × − ! ; ' sin cos tanh log sqrt exp asin foo".split(),
    *("a*b", "sin(a", "(a + b)", "k*a^2", "log(a)", "/0", "^-0.5", "`a`"),
    *("__import__('os')", "a.b", "a[0]", "\x00", "\n", "½", "\u202e", "(" * 50),
)


FORMS = (
    *("{} + {}", "({})*({})", "({})/({})", "({})^({})", "sin({}) - {}"),
    *("log({})*exp({})", "sqrt(({})^2 + {})", "tanh({})/{}"),
)


def model_text(rng: random.Random, seed: bytes) -> bytes:
    """A model file with a few things wrong, by its parts or by its bytes."""
    if rng.random() < 0.2:
        return damaged(rng, seed)
    document = json.loads(seed)
    for _ in range(rng.choice((1, 1, 2, 4))):
        places = list(_places(document))
        holder, key = rng.choice(places)
        _TAMPERING[rng.randrange(len(_TAMPERING))](rng, holder, key, places)
    return json.dumps(document).encode()


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """All values in a document, by what holds them and where."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield value, key
        if isinstance(inner, dict | list):
            yield from _places(inner)


Places = list[tuple[Any, Any]]


def _put(rng: random.Random, holder: Any, key: Any, places: Places) -> None:
    holder[key] = rng.choice(HOSTILE_VALUES)


def _leave_out(rng: random.Random, holder: Any, key: Any, places: Places) -> None:
    del holder[key]


def _repeat(rng: random.Random, holder: Any, key: Any, places: Places) -> None:
    if isinstance(holder, list):
        holder += [holder[key]] * rng.choice((1, 2, 50, 2000))
    else:
        holder[f"{key}2"] = holder[key]


def _swap(rng: random.Random, holder: Any, key: Any, places: Places) -> None:
    other, at = rng.choice(places)
    # By value: a part within itself would have no end.
    holder[key] = json.loads(json.dumps(other[at]))


def _change(rng: random.Random, holder: Any, key: Any, places: Places) -> None:
    if isinstance(holder[key], int | float):
        holder[key] *= rng.choice((-1, 0, 1e-200, 1e200, 1 + 1e-15))


_TAMPERING: tuple[Callable[[random.Random, Any, Any, Places], None], ...] = (
    _put,
    _leave_out,
    _repeat,
    _swap,
    _change,
    _change,
)


def damaged(rng: random.Random, content: bytes) -> bytes:
    """Bytes with a few of them changed, lost, repeated or cut off."""
    found = bytearray(content)
    for _ in range(rng.choice((1, 1, 3, 30))):
        at = rng.randrange(len(found) + 1)
        match rng.randrange(4):
            case 0:
                found[at : at + 1] = rng.randbytes(1)
            case 1:
                del found[at : at + rng.choice((1, 10, 1000))]
            case 2:
                found[at:at] = found[at : at + rng.choice((1, 10, 1000))]
            case _:
                found[at:at] = rng.randbytes(rng.choice((1, 10)))
    return bytes(found)


def table_text(rng: random.Random) -> bytes:
    """A table of any shape, whose cells are mostly numbers, and sometimes damaged."""
    separator = rng.choice(",,,;\t |")
    n_columns, n_rows = rng.randint(1, 4), rng.choice((0, 1, 2, 20, 200))
    strange = rng.choice((0.0, 0.0, 0.02, 0.3))

    def cell() -> str:
        if rng.random() < strange:
            return rng.choice(CELLS)
        return repr(round(rng.gauss(0, 10), 3))

    rows = [[f"c{i}" for i in range(n_columns)]]
    rows += [[cell() for _ in range(n_columns)] for _ in range(n_rows)]
    if rng.random() < 0.2:
        rows[rng.randrange(len(rows))] = [cell() for _ in range(rng.randint(0, 6))]
    if rows[0] and rng.random() < 0.2:
        rows[0][0] = rng.choice(CELLS)
    ending = rng.choice(("\n", "\n", "\r\n", "\r", "\n\n"))
    text = ending.join(separator.join(row) for row in rows)
    encoding = rng.choice(("utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1"))
    content = text.encode(encoding, errors="replace")
    return damaged(rng, content) if rng.random() < 0.2 else content


def formula(rng: random.Random) -> str:
    """A formula to begin with: of the right words, not always in the right order."""
    n_words = rng.choice((1, 2, 3, 5, 9, 30, 400))
    if rng.random() < 0.5:
        return rng.choice(("", " ")).join(rng.choices(WORDS, k=n_words))
    found = rng.choice(("a", "b", "k", "2"))
    for _ in range(n_words):
        other = rng.choice(("a", "b", "k1", "k2", "0", "1e9", found[:200]))
        found = rng.choice(FORMS).format(found, other)
    return found


def break_directory(rng: random.Random, run: Path) -> str:
    """Do something to a file of a run directory; what it was."""
    file = rng.choice(sorted(path for path in run.iterdir() if path.is_file()))
    way = rng.choice(sorted(BREAKING))
    BREAKING[way](rng, file)
    return f"{file.name} {way}"


def _damage(rng: random.Random, file: Path) -> None:
    file.write_bytes(damaged(rng, file.read_bytes()))


def _cut(rng: random.Random, file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: rng.randint(0, len(content))])


def _remove(rng: random.Random, file: Path) -> None:
    file.unlink()


def _be_a_folder(rng: random.Random, file: Path) -> None:
    file.unlink()
    file.mkdir()


def _be_a_link(rng: random.Random, file: Path) -> None:
    file.unlink()
    file.symlink_to(rng.choice(("/dev/null", "/nonexistent", file.name, "/etc/hosts")))


BREAKING: dict[str, Callable[[random.Random, Path], None]] = {
    "damaged": _damage,
    "cut": _cut,
    "removed": _remove,
    "a folder": _be_a_folder,
    "a link": _be_a_link,
}
