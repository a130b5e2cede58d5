"""What type checkers know of the public functions: mypy on programs with expected types and errors."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs.py"
EXPECTED = re.compile(r"# E: ([\w-]+)$")
FOUND = re.compile(r"programs\.py:(\d+): error: .*\[([\w-]+)\]$")


def expected() -> set[tuple[int, str]]:
    lines = PROGRAMS.read_text(encoding="utf-8").splitlines()
    return {(number, m.group(1)) for number, line in enumerate(lines, 1)
            if (m := EXPECTED.search(line))}


@pytest.mark.sweep  # mypy reads the whole package
def test_mypy_knows_results_arguments_and_attributes():
    run = subprocess.run([sys.executable, "-m", "mypy", str(PROGRAMS)], cwd=HERE.parents[1],
                         capture_output=True, text=True)
    found = {(int(m.group(1)), m.group(2)) for m in map(FOUND.search, run.stdout.splitlines()) if m}
    assert found == expected(), run.stdout + run.stderr
    assert len(found) > 20
