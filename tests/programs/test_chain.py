"""The corpus through the whole chain."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import aliasing  # noqa: E402
import numpy_style  # noqa: E402
import objects  # noqa: E402
import tricky  # noqa: E402
from chain import check  # noqa: E402

PROGRAMS = [(m.__name__, fn, args) for m in (tricky, aliasing, objects, numpy_style) for fn, args in m.CASES]


@pytest.mark.parametrize(
    ("fn", "args"), [p[1:] for p in PROGRAMS], ids=[f"{p[0]}-{p[1].__name__}" for p in PROGRAMS]
)
def test_program(fn, args):
    check(fn, args)
