"""Whole programs end with PyTorch's numbers."""

import json
import pathlib
import warnings

import pytest
from nn_programs import PROGRAMS

import srcgrad.eager as torch

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
REFERENCE = json.loads((DATA / "programs.json").read_text())


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got = PROGRAMS[name](torch)
    assert got == pytest.approx(REFERENCE[name], rel=2e-4, abs=2e-4)
