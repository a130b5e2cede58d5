"""Texts of models that people have read; determinism of all golden texts across processes.

To write the texts anew after a change of the compiler, run
``PYTHONPATH=.:tests/support python tests/golden/test_golden_models.py``, read the difference, check it in.
"""

from __future__ import annotations

import copy
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from golden_models import MODELS
from golden_programs import PROGRAMS
from lints import lint

import srcgrad as sg
from srcgrad.types.tree import ravel_tree

HERE = Path(__file__).parent

EVERY = {**PROGRAMS, **MODELS}


def text_of(name: str) -> str:
    function, args, argnums = EVERY[name]
    return sg.value_and_grad(function, argnums=argnums).source(*copy.deepcopy(args))


@pytest.mark.parametrize("name", sorted(MODELS))
def test_model_text(name: str) -> None:
    assert text_of(name).rstrip() == (HERE / "texts" / f"{name}.py").read_text().rstrip()


@pytest.mark.parametrize("name", sorted(MODELS))
def test_model_text_has_no_bad_habits(name: str) -> None:
    assert lint(text_of(name)) == []


@pytest.mark.parametrize("name", sorted(EVERY))
def test_golden_gradients_are_right(name: str) -> None:
    function, args, argnums = EVERY[name]
    value, gradients = sg.value_and_grad(function, argnums=argnums)(*copy.deepcopy(args))
    assert np.array_equal(value, function(*copy.deepcopy(args)))
    for place, gradient in zip(argnums, gradients, strict=True):
        flat, unravel = ravel_tree(floats(args[place]))
        found = ravel_tree(floats(gradient))[0]
        wanted = np.empty_like(flat)
        for i in range(flat.size):
            ends = []
            for step in (1e-6, -1e-6):
                moved = flat.copy()
                moved[i] += step
                point = list(copy.deepcopy(args))
                put(point, place, unravel(moved))
                ends.append(function(*point))
            wanted[i] = (ends[0] - ends[1]) / 2e-6
        np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=1e-6)


def floats(tree):
    """A model as nested dicts of its arrays; other structures as they are."""
    if hasattr(tree, "layers"):
        return [{"W": layer.W, "b": layer.b} for layer in tree.layers]
    return tree


def put(point, place, tree):
    if not hasattr(point[place], "layers"):
        point[place] = tree
        return
    for layer, parts in zip(point[place].layers, tree, strict=True):
        layer.W, layer.b = parts["W"], parts["b"]


def digests(order) -> dict[str, str]:
    return {n: hashlib.sha256(text_of(n).encode()).hexdigest() for n in order}


@pytest.mark.parametrize(("seed", "order"), [("0", "forwards"), ("1", "backwards"),
                                             ("4711", "forwards")])
def test_texts_are_the_same_in_every_process(seed: str, order: str) -> None:
    names = sorted(EVERY, reverse=order == "backwards")
    script = ("import json, sys; sys.path[:0] = json.loads(sys.argv[1]); "
              "import test_golden_models as t; "
              "print(json.dumps(t.digests(json.loads(sys.argv[2]))))")
    out = subprocess.run([sys.executable, "-c", script, json.dumps(sys.path), json.dumps(names)],
                         env={**os.environ, "PYTHONHASHSEED": seed}, check=True,
                         capture_output=True, text=True).stdout
    assert json.loads(out) == digests(sorted(EVERY))


if __name__ == "__main__":
    for program in MODELS:
        (HERE / "texts" / f"{program}.py").write_text(text_of(program).rstrip() + "\n")
