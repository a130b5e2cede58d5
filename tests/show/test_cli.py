"""The command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.cli import main, parse_arguments

MODULE = """
import numpy as np

def energy(x, n=2, mode="plain"):
    return np.sum(x ** n) if mode == "plain" else np.sum(x)

def vector(x):
    return x * 2.0
"""


@pytest.fixture(autouse=True)
def module(tmp_path, monkeypatch):
    (tmp_path / "command_line_programs.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)


def run(capsys, *arguments):
    status = main(arguments)
    captured = capsys.readouterr()
    return status, captured.out + captured.err


def test_source(capsys):
    status, text = run(capsys, "source", "command_line_programs:energy", "--args", "x=f8[3]")
    assert status == 0 and "def energy_value_and_grad(x," in text


@pytest.mark.parametrize(("command", "expected"), [
    ("graph", "energy"), ("explain", "checked at each call"), ("check", "agree"),
    ("time", "ratio")])
def test_other_commands(capsys, command, expected):
    status, text = run(capsys, command, "command_line_programs:energy", "--args",
                       "x=f8[3], n=3, mode='plain'")
    assert status == 0 and expected in text


def test_export(capsys, tmp_path):
    status, text = run(capsys, "export", "command_line_programs:energy", "--args", "x=f8[3]",
                       "--mode", "grad", "--output", "made.py")
    assert status == 0 and "def energy_grad(" in (tmp_path / "made.py").read_text()


def test_errors_go_to_stderr_with_a_status(capsys):
    assert run(capsys, "source", "command_line_programs:vector", "--args", "x=f8[3]")[0] == 1
    status, text = run(capsys, "source", "command_line_programs:nothing")
    assert status == 1 and "cannot be found" in text


@pytest.mark.parametrize("arguments", ["", "y=3", "x=f8[2], z=1"])
def test_arguments_that_do_not_fit(capsys, arguments):
    status, text = run(capsys, "source", "command_line_programs:energy", "--args", arguments)
    assert status == 1 and "StructureError" in text and "x, n, mode" in text


def test_doctor(capsys):
    status, text = run(capsys, "doctor")
    assert status == 0 and "works" in text
    for part in ("srcgrad: ", "python: ", "numpy: ", "BLAS: "):
        assert part in text


def test_arguments():
    found = parse_arguments("x=f4[2,3], y=i8[4], n=3, s='a, b', w=[1.0, 2.0], t=(1, 2), k=-1.5")
    assert found["x"].shape == (2, 3) and found["x"].dtype == "float32"
    assert found["y"].dtype == "int64" and found["n"] == 3
    assert found["w"].tolist() == [1.0, 2.0] and found["k"] == -1.5


def test_version(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0 and capsys.readouterr().out == f"srcgrad {sg.__version__}\n"


def test_arguments_inside_of_containers():
    found = parse_arguments("p={'W': f8[3,2], 'b': [f4[2], 1.0], 'v': [1.0, 2.0]}, q=(f8[1], 2)")
    assert found["p"]["W"].shape == (3, 2) and found["p"]["b"][0].dtype == np.float32
    assert found["p"]["v"].tolist() == [1.0, 2.0] and found["q"][1] == 2


@pytest.mark.parametrize("text", ["x=f8[99999999999999]", "x=f3[2]", "x={**a}", "x=[f8[2], y]"])
def test_arguments_that_cannot_be_made(text):
    with pytest.raises(sg.StructureError):
        parse_arguments(text)


def test_a_pipe_that_is_closed():
    command = f"{sys.executable} -m srcgrad refusals | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120,
                          check=False, cwd=Path(__file__).parents[2])
    assert done.stdout == "# What is refused\n" and done.stderr == ""
