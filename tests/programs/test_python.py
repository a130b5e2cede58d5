"""Programs by construct of Python: value, arguments and gradient; at length in the sweep."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import python_control  # noqa: E402
import python_data  # noqa: E402
import python_exceptions  # noqa: E402
import python_found  # noqa: E402
import python_functions  # noqa: E402
import python_random  # noqa: E402
from chain import check, check_exported, check_orders  # noqa: E402

PROGRAMS = [
    pytest.param(fn, args, id=f"{module.__name__}-{fn.__name__}")
    for module in (python_control, python_exceptions, python_found, python_functions, python_random, python_data)
    for fn, args in module.CASES
]


@pytest.mark.parametrize(("fn", "args"), PROGRAMS)
def test_program(fn, args):
    check(fn, args, staged=False, passes=False, oracle=False)


@pytest.mark.sweep
@pytest.mark.parametrize(("fn", "args"), PROGRAMS)
def test_program_at_length(fn, args, tmp_path):
    check(fn, args)
    check_orders(fn, args)
    check_exported(fn, args, tmp_path)
