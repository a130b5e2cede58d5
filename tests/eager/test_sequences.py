"""Random sequences of operations do step by step what PyTorch 2.13 (CPU) did; see sequences.py."""

from __future__ import annotations

import json

import pytest
import sequences

import srcgrad.eager as torch

EXPECTED = json.loads(sequences.STORED.read_text())


@pytest.mark.parametrize("seed", EXPECTED)
def test_sequence_does_what_pytorch_does(seed: str) -> None:
    assert sequences.run(torch, int(seed)) == EXPECTED[seed]
