"""What type checkers know of the public functions: mypy and pyright on programs with expected types
and errors."""

from __future__ import annotations

import importlib.util
import json
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


@pytest.mark.long
@pytest.mark.skipif(importlib.util.find_spec("basedpyright") is None,
                    reason="pyright is not installed: pip install basedpyright")
def test_pyright_knows_the_same(tmp_path):
    # basedpyright is pyright with its Node.js in the wheel; "standard" are pyright's own defaults
    settings = tmp_path / "pyrightconfig.json"
    settings.write_text(json.dumps({
        "include": [str(PROGRAMS)], "extraPaths": [str(HERE.parents[1])],
        "typeCheckingMode": "standard", "pythonVersion": "3.11"}))
    run = subprocess.run([sys.executable, "-m", "basedpyright", "-p", str(settings), "--outputjson",
                          "--pythonpath", sys.executable], capture_output=True, text=True)
    report = json.loads(run.stdout)
    assert report["summary"]["filesAnalyzed"] == 1
    found = [(d["range"]["start"]["line"] + 1, d["message"])
             for d in report["generalDiagnostics"] if d["severity"] == "error"]
    assert {line for line, _ in found} == {line for line, _ in expected()}, found
