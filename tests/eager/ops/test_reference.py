"""The operations against a table recorded once from PyTorch 2.13 (see ``record.py``)."""

import json
import pathlib

import numpy as np
import pytest
from evaluate import describe

import srcgrad.eager as torch

HERE = pathlib.Path(__file__).resolve().parent

CASES = json.loads((HERE.parent / "data" / "ops.json").read_text())["cases"]
TOLERANCE = {"float16": 3e-3, "bfloat16": 2e-2}


def close(got, want, tolerance):
    if (got is None) != (want is None):
        return not np.any(np.asarray(got if want is None else want, float))
    if got is None:
        return True
    got, want = np.asarray(got, float), np.asarray(want, float)
    scale = max(1.0, float(np.max(np.abs(want[np.isfinite(want)]), initial=0.0)))
    return got.shape == want.shape and bool(
        np.allclose(got, want, rtol=tolerance, atol=tolerance * scale, equal_nan=True))


def loosest(outputs, expression):
    kinds = [o[0] for o in outputs if not isinstance(o, str)]
    low = [TOLERANCE[k] for k in kinds if k in TOLERANCE]
    if "_h" in expression or "_b" in expression:
        low.append(2e-2)
    return max(low, default=5e-5)


@pytest.mark.parametrize("expression, want", CASES, ids=[c[0] for c in CASES])
def test_like_pytorch(expression, want):
    got = describe(torch, expression)
    if "error" in want:
        assert got.get("error") == want["error"]
        return
    assert "error" not in got, got["error"]
    assert len(got["outputs"]) == len(want["outputs"])
    tolerance = loosest(want["outputs"], expression)
    for mine, theirs in zip(got["outputs"], want["outputs"]):
        if isinstance(theirs, str):
            assert mine == theirs or float(mine) == pytest.approx(float(theirs))
            continue
        assert mine[:3] == theirs[:3]  # dtype, shape, node
        assert close(mine[3], theirs[3], tolerance), (mine[3], theirs[3])
    assert got.get("refused") == want.get("refused")
    for order in ("first", "second"):
        for mine, theirs in zip(got.get(order, ()), want.get(order, ())):
            assert close(mine, theirs, 2 * tolerance), (order, mine, theirs)
        if order in want:
            assert order in got or not any(np.any(g) for g in want[order] if g)
