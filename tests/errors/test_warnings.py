"""What warns inside of generated code names the user's line, as plain Python does."""

import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import srcgrad as sg


def logarithm(x):
    y = x * 2.0
    z = np.log(y)
    return np.sum(z)


def helper(v):
    return np.sqrt(v)


def inlined(x):
    total = 0.0
    for i in range(len(x)):
        total = total + helper(x[i])
    return total


def written(x):
    y = np.ones(3)
    y[:] = x
    y /= x - x
    return np.sum(y * np.exp(y))


def own(x):
    if x[0] > -5.0:
        warnings.warn("small", UserWarning)
    return np.sum(x)


def recorded(call):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call(np.array([-1.0, 0.0, 2.0]))
    return {(w.category, str(w.message), w.filename, w.lineno) for w in found}


@pytest.mark.parametrize("function", [logarithm, inlined, written, own])
def test_recorded_as_in_plain_python(function):
    want = recorded(function)
    assert want and recorded(sg.jit(function)) == want
    lines = {line for _, _, file, line in recorded(sg.value_and_grad(function))}
    first = function.__code__.co_firstlineno
    assert {line for *_, line in want} <= lines
    assert all(abs(line - first) < 12 for line in lines)
    assert all(file == __file__ for _, _, file, _ in recorded(sg.grad(function)))


@pytest.mark.parametrize("function", [logarithm, inlined, written])
def test_raised_as_errors(function):
    x = np.array([-1.0, 0.0, 2.0])
    for how in (sg.jit, sg.value_and_grad, sg.grad):
        df = how(function)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            df(x)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(RuntimeWarning) as caught:
                df(x)
        assert __file__ in "".join(caught.value.__notes__)


PROGRAM = '''import numpy as np
import srcgrad as sg


def f(x):
    return np.sum(np.log(x))


x = np.zeros(2)
sg.value_and_grad(f)(x)
'''


@pytest.mark.parametrize("option", ["default", "error"])
def test_command_line(option, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    where = {**os.environ, "PYTHONPATH": str(Path(sg.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-W", option, str(path)], capture_output=True,
                          text=True, check=False, env=where)
    assert done.returncode == (option == "error")
    if option == "error":
        assert f'File "{path}", line 6' in done.stderr and "RuntimeWarning" in done.stderr
    else:
        assert f"{path}:6: RuntimeWarning: divide by zero encountered in log" in done.stderr
        assert "srcgrad f" not in done.stderr
