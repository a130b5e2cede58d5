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


def short(value: Any) -> Any:
    """Nested lists of numbers to four digits."""
    if isinstance(value, list):
        return [short(v) for v in value]
    if isinstance(value, complex):
        return complex(short(value.real), short(value.imag))
    return float(f"{value:.4g}") + 0.0 if isinstance(value, float) else value


def show(*values: Any) -> None:
    """Print tensors (rounded) with what autograd shows of them; other values as they are."""
    for t in values:
        if isinstance(t, torch.Tensor):
            node = None if t.grad_fn is None else t.grad_fn.name()
            print(short(t.detach().tolist()), t.dtype, tuple(t.shape), tuple(t.stride()),
                  t.requires_grad, t.is_leaf, node, t.output_nr, t._is_view())
        else:
            print(t)


def warned(function: Any) -> None:
    """As :func:`report`, then the warnings."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        report(function)
    for warning in seen:
        print(warning.category.__name__, warning.message)


def once(function: Any, *args: Any) -> bool:
    """Whether the gradient of ``function`` at ``args`` is that of finite differences."""
    return bool(torch.autograd.gradcheck(function, args))


def twice(function: Any, *args: Any) -> bool:
    """As :func:`once` for the second derivative."""
    return bool(torch.autograd.gradgradcheck(function, args))


@pytest.mark.parametrize(("program", "expected"), sections())
def test_prints_what_pytorch_prints(program: str, expected: str) -> None:
    out = io.StringIO()
    space = {"torch": torch, "np": np, "tr": report, "show": show, "warned": warned, "once": once,
             "twice": twice, "nn": torch.nn, "F": torch.nn.functional, "__name__": "program"}
    torch.manual_seed(0)
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(program, "<program>", "exec"), space)
        except Exception as error:
            print("RAISED", type(error).__name__, error)
    assert re.sub(r"0x[0-9a-f]+", "0x", out.getvalue()).rstrip("\n") == expected.rstrip("\n")
