"""How Sphinx builds the pages: `make docs`."""

import re
from posixpath import dirname, join, normpath
from typing import TYPE_CHECKING

from eqlearn import __version__

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "eqlearn"
author = project_copyright = "eqlearn contributors"
release = version = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
]
exclude_patterns = ["_build"]
default_role = "code"  # docstrings are written in Markdown's way

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say it in words
napoleon_google_docstring = False

html_theme = "furo"
html_title = f"eqlearn {release}"
html_static_path = ["_static"]
html_css_files = ["eqlearn.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#00598c",
        "color-brand-content": "#00598c",
    },
    "dark_css_variables": {
        "color-brand-primary": "#7cc4f0",
        "color-brand-content": "#7cc4f0",
    },
}
pygments_style = "friendly"
pygments_dark_style = "github-dark"

_UPWARD_LINK = re.compile(r"\[([^\]]*)\]\((\.\./[^)]*)\)")
_MERMAID = re.compile(r"```mermaid\n.*?```", re.DOTALL)
_DRAWING = "![The way of the data through the rooms](drawings/way-of-the-data.svg)"


def _for_the_site(app: "Sphinx", name: str, source: list[str]) -> None:
    """Adapt what is written for readers of the repository as well.

    Files outside of docs/ are no pages: their names stay, their links go. Drawings in
    Mermaid, which needs a script from elsewhere, have their picture beside them.
    """

    def kept(link: re.Match[str]) -> str:
        goes_out = normpath(join(dirname(name), link[2])).startswith("..")
        return link[1] if goes_out else link[0]

    text = _UPWARD_LINK.sub(kept, source[0])
    if name.startswith("control/"):  # tables that one page links to
        text = f"---\norphan: true\n---\n{text}"
    source[0] = _MERMAID.sub(lambda found: _DRAWING, text)


def setup(app: "Sphinx") -> None:
    app.connect("source-read", _for_the_site)
