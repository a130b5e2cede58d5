"""The examples run and find what they look for (digits where scikit-learn is installed)."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "examples"


def right_quickstart(found):
    return np.allclose(found, 1.0, atol=1e-2)


def right_heat(error):
    return error < 0.15


def right_volatility(values):
    return abs(values["beta"] - 0.86) < 0.06 and abs(values["gamma"] - 0.10) < 0.06


def right_layers(accuracy):
    return accuracy > 0.99


def right_cluster(error):
    return error < 0.05


def right_digits(accuracies):
    return accuracies[0] > 0.95 and accuracies[1] >= 0.95


CHECKS = {"quickstart": right_quickstart, "heat": right_heat, "volatility": right_volatility,
          "layers": right_layers, "cluster": right_cluster}
if importlib.util.find_spec("sklearn") is not None:
    CHECKS["digits"] = right_digits


@pytest.mark.long
@pytest.mark.parametrize("name", CHECKS)
def test_example(name, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    spec = importlib.util.spec_from_file_location(f"example_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, f"example_{name}", module)
    spec.loader.exec_module(module)
    found = module.main()
    printed = capsys.readouterr().out
    assert CHECKS[name](found), found
    assert "# ---- backward" in printed
