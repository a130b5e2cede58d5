"""The generated texts that people have read.

Where a change of the compiler changes a text for the better, run
``PYTHONPATH=.:tests/support python tests/golden/test_golden.py``, read the difference, and check it in.
"""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
from golden_programs import PROGRAMS
from lints import lint

import srcgrad as sg

HERE = Path(__file__).parent
TEXTS = HERE / "texts"


def text_of(name: str) -> str:
    function, args, argnums = PROGRAMS[name]
    return sg.value_and_grad(function, argnums=argnums).source(*copy.deepcopy(args))


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_text(name: str) -> None:
    assert text_of(name).rstrip() == (TEXTS / f"{name}.py").read_text().rstrip()


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_text_has_no_bad_habits(name: str) -> None:
    assert lint(text_of(name)) == []


def test_text_does_not_depend_on_what_was_compiled_before() -> None:
    for name in sorted(PROGRAMS, reverse=True):
        assert text_of(name) == text_of(name)


if __name__ == "__main__":
    for program in PROGRAMS:
        (TEXTS / f"{program}.py").write_text(text_of(program).rstrip() + "\n")
