"""Every promise is checked, and the page says by what."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.reliability import PROMISES
from benchmarks.reliability_soak import soak
from benchmarks.reliability_tests import TESTS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reliability.md").read_text()


def test_no_promise_is_left_out() -> None:
    names = [f"R-{number}" for number in range(1, 32)]
    assert sorted(PROMISES, key=lambda name: int(name[2:])) == names
    assert re.findall(r"^\| (R-\d+) \|", PAGE, re.M) == names


def test_all_places_are_there_and_on_the_page() -> None:
    lines = {line.split()[1]: line for line in PAGE.splitlines() if "| R-" in line}
    for name, places in TESTS.items():
        for place in places:
            file, _, function = place.partition("::")
            assert (ROOT / file).exists() and f"`{place}`" in lines[name]
            assert not function or f"def {function}(" in (ROOT / file).read_text()


MORTAL = """
import threading, time
from benchmarks.reliability_search import die_at
end = time.process_time() + 0.3
threading.Thread(target=die_at, args=(end,), daemon=True).start()
time.sleep(1.0)
print("slept", flush=True)
while time.process_time() < end + 5.0:
    pass
"""


def test_a_worker_dies_of_computing_and_not_of_waiting() -> None:
    """On a busy machine it would die three times of one segment, given up for that."""
    ran = subprocess.run([sys.executable, "-c", MORTAL], capture_output=True, cwd=ROOT)
    assert ran.returncode == -signal.SIGSEGV and ran.stdout == b"slept\n"


@pytest.mark.slow
def test_a_soak_tells_what_is_taken() -> None:
    found = soak(3)
    assert found["fits"] == 3
    early, late = found["early"], found["late"]
    assert isinstance(early, dict) and isinstance(late, dict)
    assert early["files"] > 0 and late["bytes"] > 0 and late["children"] == 0
