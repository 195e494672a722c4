"""A figure as a piece of a page: SVG without anything that a page must not have."""

import io
import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from eqlearn.report.plots import FAINT, INK, SHADE, without_missing_glyphs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# A page has these in light and in dark.
_COLOURS = {INK: "currentColor", SHADE: "var(--shade)", FAINT: "var(--faint)"}
_DROPPED = {"metadata", "style", "title"}
_REFERENCE = re.compile(r"url\(#([^)]*)\)")
_RESOLUTION = 150  # dots per inch of what is drawn as an image


def inline(figure: "Figure", label: str, prefix: str) -> str:
    """Write a figure as an `svg` element for HTML.

    `label` is for who cannot see it; `prefix` makes its ids the only ones of a page.
    """
    root = ElementTree.fromstring(_drawn(figure))
    for parent in root.iter():
        for child in list(parent):
            if _local(child.tag) in _DROPPED:
                parent.remove(child)
    for element in root.iter():
        element.tag = _local(element.tag)
        # HTML knows `href` without the prefix of a namespace.
        attributes = {_local(name): value for name, value in element.attrib.items()}
        element.attrib.clear()
        for name, value in attributes.items():
            element.set(name, _renamed(name, value, prefix))
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    root.attrib |= {"class": "plot", "role": "img", "aria-label": label}
    return ElementTree.tostring(root, encoding="unicode")


def _drawn(figure: "Figure") -> bytes:
    import matplotlib

    # Letters stay letters: small, found by a search, and in the reader's own fonts.
    style: Any = {
        "svg.fonttype": "none",
        "svg.hashsalt": "eqlearn",
        "savefig.bbox": None,
    }
    buffer = io.BytesIO()
    with matplotlib.rc_context(style), without_missing_glyphs():
        figure.savefig(buffer, format="svg", transparent=True, dpi=_RESOLUTION)
    return buffer.getvalue()


def png(figure: "Figure") -> bytes:
    """Draw a figure as an image on white."""
    import matplotlib

    buffer = io.BytesIO()
    with matplotlib.rc_context({"savefig.bbox": None}), without_missing_glyphs():
        figure.savefig(buffer, format="png", dpi=_RESOLUTION, facecolor="white")
    return buffer.getvalue()


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _renamed(name: str, value: str, prefix: str) -> str:
    if name == "id":
        return f"{prefix}-{value}"
    if name == "href" and value.startswith("#"):
        return f"#{prefix}-{value[1:]}"
    value = _REFERENCE.sub(rf"url(#{prefix}-\1)", value)
    for ours, theirs in _COLOURS.items():
        value = value.replace(ours, theirs)
    return value
