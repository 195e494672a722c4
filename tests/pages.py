"""A page of HTML taken apart, and what no page of ours may have."""

import re
from html.parser import HTMLParser

#: Elements that have no end.
VOID = {"meta", "img", "br"}


class Page(HTMLParser):
    """What a page is made of: its elements with attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.pieces: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["style"]:
            self.pieces.append(data)

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]


def check_harmless(page: Page) -> None:
    """No script, no handler, no address but those inside the page, no double id."""
    tags = {tag for tag, _ in page.elements}
    assert tags.isdisjoint({"script", "iframe", "object", "embed", "link", "base"})
    for tag, attributes in page.elements:
        assert not [name for name in attributes if name.startswith("on")], tag
        for name in ("href", "src", "action", "formaction", "xlink:href"):
            value = attributes.get(name, "#")
            assert value.startswith(("#", "data:image/png;base64,")), (tag, value)
        assert "url(" not in re.sub(r"url\(#[-\w]+\)", "", attributes.get("style", ""))
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(set(ids)) == len(ids)
    assert page.open == []
