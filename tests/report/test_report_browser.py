"""The report in a real browser: what Chromium makes of it, and whom it calls."""

import os
import re
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hostile_names import HOSTILE
from pages import Page, check_harmless
from report_models import fifteen_terms, linear, samples

from eqlearn.equation.write.names import visible
from eqlearn.model.model import Origin
from eqlearn.report.report_files import write_report

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None and not os.environ.get("CI"),
    reason="NO BROWSER: the report was not opened. Run apt-get install chromium.",
)

QUIET = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update"),
    *("--disable-sync", "--disable-default-apps", "--disable-extensions"),
    *("--no-default-browser-check", "--disable-domain-reliability"),
)
# Whom Chromium calls of itself, whatever page it shows: for the time, for updates.
ITS_OWN = re.compile(r"[/ .](google|googleapis|gstatic|gvt1)\.com[/:]")
# Runs, if it may, whatever a report could be made to contain.
CANARY = """<!DOCTYPE html><img src="http://canary.invalid/image.png">
<script>document.title = "ran"; document.body.append("scripts run")</script>"""


@contextmanager
def recording_proxy() -> Iterator[tuple[int, list[str]]]:
    """A proxy that notes what it is asked for and gives nothing."""
    asked: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:  # closed: the test is over
                    return
                with connection:
                    connection.settimeout(5)
                    asked.append(connection.recv(4096).split(b"\r\n")[0].decode())

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield server.getsockname()[1], asked
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()


def opened(path: Path, profile: Path, *options: str) -> tuple[str, list[str]]:
    """The document as the browser has it, and what it asked the network for."""
    assert CHROMIUM is not None, "chromium must be installed in CI"
    with recording_proxy() as (port, asked):
        command = [
            CHROMIUM,
            *QUIET,
            f"--proxy-server=127.0.0.1:{port}",
            "--proxy-bypass-list=<-loopback>",
            f"--user-data-dir={profile}",
            *options,
            path.as_uri(),
        ]
        done = subprocess.run(command, capture_output=True, timeout=60, check=True)
    return done.stdout.decode("utf-8"), [a for a in asked if not ITS_OWN.search(a)]


def test_the_recorder_would_notice(tmp_path: Path) -> None:
    page = tmp_path / "canary.html"
    page.write_text(CANARY, encoding="utf-8")
    document, asked = opened(page, tmp_path / "profile", "--dump-dom")
    assert "GET http://canary.invalid/image.png HTTP/1.1" in asked
    assert "scripts run" in Page(document).text


def test_the_policy_holds(tmp_path: Path) -> None:
    of = linear(["x"], ["y"])
    html, *_ = write_report(tmp_path, of, *samples(of))
    text = html.read_text(encoding="utf-8")
    html.write_text(text.replace("</main>", f"{CANARY}</main>"), encoding="utf-8")
    document, asked = opened(html, tmp_path / "profile", "--dump-dom")
    assert "canary.invalid" in document  # it is there, and does nothing
    assert asked == []
    assert "scripts run" not in document.replace('append("scripts run")', "")


def test_hostile_names_are_shown_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eqlearn.report.html.MOST_SLICES", 3)
    origin = Origin(table=HOSTILE[0], environment=HOSTILE[3], logs=(HOSTILE[4],))
    of = replace(linear(HOSTILE, HOSTILE[1:2]), origin=origin)
    html, *_ = write_report(tmp_path, of, *samples(of))
    document, asked = opened(html, tmp_path / "profile", "--dump-dom")
    assert asked == []
    page = Page(document)
    check_harmless(page)
    for number, name in enumerate(HOSTILE):
        assert visible(name, number) in page.text
    # What looks like an element inside a name has not become one.
    assert page.all("img") == []


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_wider_than_the_window(width: int, tmp_path: Path) -> None:
    of = fifteen_terms(divided=True)
    html, *_ = write_report(tmp_path, of, *samples(of))
    # Only here a script measures, in a page that allows it.
    text = html.read_text(encoding="utf-8")
    text = text.replace("default-src 'none'", "script-src 'unsafe-inline'")
    measure = (
        "<script>document.body.dataset.widths = "
        "[document.documentElement.scrollWidth, innerWidth].join()</script></body>"
    )
    html.write_text(text.replace("</body>", measure), encoding="utf-8")
    size = f"--window-size={width},800"
    document, _ = opened(html, tmp_path / "profile", "--dump-dom", size)
    (body,) = Page(document).all("body")
    content, window = map(int, body["data-widths"].split(","))
    assert content <= window


def test_a_screenshot_is_not_empty(tmp_path: Path) -> None:
    from PIL import Image

    of = fifteen_terms()
    html, *_ = write_report(tmp_path, of, *samples(of))
    colours = {}
    for scheme in (0, 1):  # dark, light
        image = tmp_path / f"{scheme}.png"
        options = (
            f"--screenshot={image}",
            "--window-size=390,900",
            f"--blink-settings=preferredColorScheme={scheme}",
        )
        opened(html, tmp_path / "profile", *options)
        with Image.open(image) as picture:
            grey = picture.convert("L")
            colours[scheme] = grey.getpixel((2, 2)), len(grey.getcolors() or [])
    assert colours[0][0] < 50 and colours[1][0] > 200  # type: ignore[operator]
    assert min(n for _, n in colours.values()) > 50
