"""The command line."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.cli import main, parse_arguments
from srcgrad.show.terminal import plain

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
    for part in ("srcgrad: ", "python: ", "numpy: ", "BLAS: ", "numba: ", "generated code is kept in: "):
        assert part in text


@pytest.mark.parametrize("name", ["SG08", "AliasError"])
def test_what_an_error_means(capsys, name):
    status, text = run(capsys, "error", name)
    assert status == 0 and "Code SG08. Also a `ValueError`." in text and ".copy()" in text


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(capsys, shell):
    status, text = run(capsys, "completion", shell)
    assert status == 0 and "doctor" in text and "--argnums" in text and "SG08" in text


@pytest.mark.long
def test_completion_in_bash(capsys):
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    script = run(capsys, "completion", "bash")[1]
    tried = f"{script}\nCOMP_WORDS=(srcgrad error SG0); COMP_CWORD=2; _srcgrad; echo ${{COMPREPLY[@]}}"
    found = subprocess.run([bash, "-c", tried], capture_output=True, text=True, check=True).stdout
    assert found.split() == [f"SG0{i}" for i in range(1, 10)]


def test_colours(capsys, monkeypatch):
    asked = ("source", "command_line_programs:energy", "--args", "x=f8[3]")
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    bare = run(capsys, *asked)[1]
    assert "\x1b" not in bare  # no terminal
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = run(capsys, *asked)[1]
    assert "\x1b[35mdef\x1b[0m" in coloured and plain(coloured) == bare
    assert run(capsys, "source", "command_line_programs:vector", "--args", "x=f8[3]")[1].startswith("\x1b")
    monkeypatch.setenv("NO_COLOR", "1")
    assert run(capsys, *asked)[1] == bare


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


@pytest.mark.long
def test_a_pipe_that_is_closed():
    command = f"{sys.executable} -m srcgrad refusals | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120,
                          check=False, cwd=Path(__file__).parents[2])
    assert done.stdout == "# What is refused\n" and done.stderr == ""
