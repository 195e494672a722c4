"""Run the examples of the gallery and write their pages.

    python examples/make_gallery.py [NAME ...]

Each script in examples/gallery becomes a page of docs/gallery: its words, its picture,
what it prints, and its code. A test runs the scripts again, and compares their output.
"""

import contextlib
import io
import os
import runpy
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SCRIPTS = ROOT / "examples" / "gallery"
PAGES = ROOT / "docs" / "gallery"

#: The order of the gallery: first tables, then motion.
NAMES = (
    *("kepler", "boyle", "decay", "enzyme", "division", "tide", "ringing"),
    *("hubble", "many_inputs", "resistors", "instruments", "springs"),
    *("predators", "pendulum_angle", "population_map", "motor"),
)


def parts(name: str) -> tuple[str, str]:
    """The words of a script, and its code."""
    text = (SCRIPTS / f"{name}.py").read_text(encoding="utf-8")
    _, words, code = text.split('"""', 2)
    return words.strip(), code.strip()


def printed(name: str, folder: Path) -> str:
    """Run a script where its picture is to go; what it prints."""
    import matplotlib
    import matplotlib.pyplot

    before, output = Path.cwd(), io.StringIO()
    os.chdir(folder)
    try:
        with matplotlib.rc_context(), contextlib.redirect_stdout(output):
            matplotlib.use("agg")
            runpy.run_path(str(SCRIPTS / f"{name}.py"))
    finally:
        os.chdir(before)
        matplotlib.pyplot.close("all")
    return output.getvalue().strip()


def page(name: str, output: str) -> str:
    words, code = parts(name)
    title, prose = words.split("\n", 1)
    shown = f"![{title.removeprefix('# ')}]({name}.png)"
    blocks = f"It prints\n\n```text\n{output}\n```\n\n```python\n{code}\n```"
    source = f"The script is `examples/gallery/{name}.py`."
    return f"{title}\n{prose}\n\n{shown}\n\n{blocks}\n\n{source}\n"


def index() -> str:
    rows = []
    for name in NAMES:
        words, _ = parts(name)
        title = words.splitlines()[0].removeprefix("# ")
        rows.append(f"[![{title}]({name}.png)\n{title}]({name}.md)")
    tiles = "\n\n".join(rows)
    listed = "\n".join(NAMES)
    return f"""# Gallery

Worked examples, each a script that runs in seconds. The measured tables are in the
public domain; the rest is simulated, so the truth is known. The scripts have
`max_attempts=5` and `n_jobs=1` to keep them quick: leave these out for your own data.

:::{{container}} gallery
{tiles}
:::

```{{toctree}}
:hidden:

{listed}
```
"""


def main(names: list[str]) -> None:
    PAGES.mkdir(exist_ok=True)
    for name in names or NAMES:
        print(name, flush=True)
        output = printed(name, PAGES)
        (PAGES / f"{name}.md").write_text(page(name, output), encoding="utf-8")
    (PAGES / "index.md").write_text(index(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
