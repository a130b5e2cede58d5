"""Hundreds of mistakes: the type and the text of the error are PyTorch's.

``data/mistakes.json`` holds what PyTorch 2.13 (CPU) says to each expression, recorded once; a few
expressions that one might take for mistakes are none, and give a value.
"""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srcgrad.eager as torch

FILE = Path(__file__).parent / "data" / "mistakes.json"
MISTAKES: dict[str, str] = json.loads(FILE.read_text())


def truth(value: Any) -> int:
    return 1 if value else 2


@pytest.mark.parametrize("expression", MISTAKES)
def test_is_answered_as_by_pytorch(expression: str) -> None:
    torch.manual_seed(0)
    p = torch.nn.Parameter(torch.ones(2))
    space = {"torch": torch, "np": np, "x": torch.tensor([1.0, 2.0, 3.0]), "p": p,
             "y": torch.arange(6.0).view(2, 3), "o": torch.optim.SGD([p], lr=0.1), "if_": truth}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            got = f"OK {eval(expression, space)!r}"
        except Exception as error:
            got = f"{type(error).__name__} {error}"
    assert re.sub(r"0x[0-9a-f]+", "0x", got) == MISTAKES[expression]
