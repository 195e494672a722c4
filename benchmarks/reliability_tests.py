"""Promises that tests keep: which tests, and how many of them pass.

Those that take more than a test (killed searches, full disks) are in
`benchmarks.reliability`, which runs these too.
"""

import re
import subprocess
import sys
from collections.abc import Mapping, Sequence

#: Where each promise is tested, in full size: slow tests included.
TESTS: Mapping[str, Sequence[str]] = {
    "R-4": ("tests/data/test_hostile_tables.py", "tests/data/test_read.py"),
    "R-5": (
        "tests/learners/test_given_inputs.py",
        "tests/learners/test_equation_learner.py",
    ),
    "R-6": ("tests/model/test_model_file.py", "tests/data/test_read.py"),
    "R-7": ("tests/model/test_model_file.py",),
    "R-8": ("tests/equation/write/test_names.py", "tests/report"),
    "R-13": ("tests/equation/write/test_simplify.py",),
    "R-14": ("tests/learners/test_sklearn.py",),
    "R-15": ("tests/equation/write/test_export.py",),
    "R-17": ("tests/test_supply_chain.py",),
    "R-18": ("tests/control/test_planning.py", "tests/control/test_mpc.py"),
    # Nobody but the search gives work to its workers.
    "R-19": ("tests/jobs/test_processes.py",),
    # Everything works where only the results can be written.
    "R-20": ("tests/network/test_compiler.py",),
    # No code of the working directory is run.
    "R-21": (
        "tests/jobs/test_processes.py::test_code_in_the_working_directory_is_not_run",
        "tests/reproduce/test_subprocesses.py",
    ),
    # A time limit is kept: + 2 s and the final fits.
    "R-22": (
        "tests/jobs/test_serial.py",
        "tests/search/test_learn.py",
        "tests/dynamics/test_discover.py",
        "tests/dynamics/test_close_forms.py",
        "tests/dynamics/test_grow_motion.py",
        "tests/dynamics/test_splines.py",
        "tests/groups/test_arrowhead.py",
    ),
    # All workers have the code of the search.
    "R-23": (
        "tests/jobs/test_cluster.py",
        "tests/jobs/test_processes.py",
        "tests/jobs/test_store.py",
    ),
    # What was found is kept, whatever fails afterwards.
    "R-24": ("tests/learners/test_given_inputs.py", "tests/test_run_directory.py"),
    # No value is taken for another: masked ones, times, long numbers, weights.
    "R-25": ("tests/learners/test_given_inputs.py", "tests/data/test_table.py"),
    # Model files made to do harm are refused or handled in seconds.
    "R-26": ("tests/model/test_hostile_models.py",),
    # Formulas in which rounding decides are written, and it is said.
    "R-27": ("tests/equation/write/test_rounding.py",),
    # Certificates cover overflow; at most 3 % of constants are snapped wrongly.
    "R-28": ("tests/equation/prove", "tests/equation/refine/test_constants.py"),
    # The graph speaks, links are not followed, names are harmless.
    "R-29": (
        "tests/data/test_write_table.py",
        "tests/model/test_courses.py",
        "tests/equation/write/test_names.py",
        "tests/test_run_directory.py",
        "tests/learners/test_equation_learner.py::test_the_graph_speaks_whatever_a_file_says",
    ),
    # It works where warnings are errors, and without assertions and docstrings.
    "R-31": ("tests/test_strict_python.py",),
}


def counts(places: Sequence[str]) -> dict[str, int | list[str]]:
    """Run tests; how many passed, failed and were skipped, and which are broken."""
    command = [sys.executable, "-m", "pytest", "-q", "-m", "slow or not slow"]
    ran = subprocess.run([*command, *places], capture_output=True, text=True)
    last = ran.stdout.strip().splitlines()[-1]
    found = {word: int(n) for n, word in re.findall(r"(\d+) (\w+)", last)}
    words = ("passed", "failed", "error", "errors", "skipped")
    told: dict[str, int | list[str]] = {w: found[w] for w in words if w in found}
    broken = re.findall(r"^(?:FAILED|ERROR) (\S+)", ran.stdout, re.MULTILINE)
    return {**told, "broken": broken} if broken else told
