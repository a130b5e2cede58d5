"""The examples in docstrings run, and print what they say."""

import doctest
import importlib
from pathlib import Path

import numpy as np
import pytest

import srcgrad

ROOT = Path(srcgrad.__file__).parent
MODULES = sorted(
    ".".join(("srcgrad", *path.relative_to(ROOT).with_suffix("").parts))
    for path in ROOT.rglob("*.py")
    if ">>>" in path.read_text() and path.name not in ("__init__.py", "__main__.py"))


@pytest.mark.parametrize("module", MODULES)
def test_examples(module):
    found = importlib.import_module(module)
    runner = doctest.DocTestRunner()
    for example in doctest.DocTestFinder().find(found, extraglobs={"np": np}):
        runner.run(example, clear_globs=False)  # the rules that some declare live on
    assert runner.summarize().failed == 0
