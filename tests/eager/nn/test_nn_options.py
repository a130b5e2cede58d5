"""Optimizers with all their options, LBFGS, schedules: PyTorch's numbers to 1e-5."""

import json
import pathlib
import warnings

import numpy as np
import pytest
from nn_option_cases import (
    LBFGS,
    OPTIONS,
    PROBLEMS,
    SCHEDULES,
    combinations,
    fitted,
    quasi_newton,
    scheduled,
)

import srcgrad.eager as torch

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
REFERENCE = json.loads((DATA / "options.json").read_text())


@pytest.mark.parametrize("name", OPTIONS)
def test_every_combination_of_options(name):
    for number, options in enumerate(combinations(name)):
        got = fitted(torch, name, options)
        np.testing.assert_allclose(
            got, REFERENCE[f"{name} {number}"], rtol=1e-5, atol=1e-5, err_msg=str(options))


@pytest.mark.parametrize("options", LBFGS, ids=str)
@pytest.mark.parametrize("name", PROBLEMS)
def test_lbfgs(name, options):
    got = quasi_newton(torch, name, options)
    expected = REFERENCE[f"LBFGS {name} {LBFGS.index(options)}"]
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("number", range(len(SCHEDULES)), ids=lambda n: SCHEDULES[n][0])
def test_schedule(number):
    name, options = SCHEDULES[number]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got = scheduled(torch, name, options)
    np.testing.assert_allclose(got, REFERENCE[f"{name} schedule {number}"], rtol=1e-8, atol=1e-12)
