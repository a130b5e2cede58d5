"""Programs and the text they print, as PyTorch 2.13 (CPU) prints it.

Each file in ``texts`` holds sections: a title, a program, the expected output.  The expected
outputs were recorded once by running the programs with PyTorch itself; addresses are masked.
"""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srcgrad.eager as torch

HERE = Path(__file__).parent / "texts"


def sections() -> list[Any]:
    found = []
    for path in sorted(HERE.glob("*.txt")):
        for part in path.read_text().split("\n=== ")[1:]:
            title, _, rest = part.partition("\n")
            program, _, expected = rest.partition("\n--- prints\n")
            found.append(pytest.param(program, expected, id=f"{path.stem}: {title}"))
    return found


def report(function: Any) -> None:
    """Print what a call gives or raises."""
    try:
        print("OK", function())
    except Exception as error:
        print(type(error).__name__, error)


@pytest.mark.parametrize(("program", "expected"), sections())
def test_prints_what_pytorch_prints(program: str, expected: str) -> None:
    out = io.StringIO()
    space = {"torch": torch, "np": np, "tr": report, "__name__": "program"}
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(program, "<program>", "exec"), space)
        except Exception as error:
            print("RAISED", type(error).__name__, error)
    assert re.sub(r"0x[0-9a-f]+", "0x", out.getvalue()).rstrip("\n") == expected.rstrip("\n")
