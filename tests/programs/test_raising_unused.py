"""What plain Python raises in work whose result nothing reads is raised by derivatives too."""

from __future__ import annotations

import numpy as np
import pytest
from test_raising import HOW, module_of, outcome

import srcgrad as sg

PROGRAMS = {
    "sqrt": ("""
def f(x):
    math.sqrt(x[0])
    return np.sum(x)
""", ["-np.ones(2)", "np.ones(2)"]),
    "sqrt of float": ("""
def f(a):
    math.sqrt(a)
    return a * a
""", ["-1.0", "4.0"]),
    "log": ("""
def f(x):
    math.log(x[0])
    return np.sum(x)
""", ["np.zeros(2)", "np.ones(2)"]),
    "exp": ("""
def f(a):
    math.exp(a)
    return a * a
""", ["1000.0", "4.0"]),
    "sin of inf": ("""
def f(a):
    math.sin(a)
    return a + 1.
""", ["np.inf", "4.0"]),
    "acos": ("""
def f(a):
    y = math.acos(a)
    return a * a
""", ["2.0", "0.5"]),
    "factor": ("""
def f(a, b):
    return a * 2.0 + math.sqrt(b) * 0.0
""", ["1.0, -2.0", "4.0, 1.0"]),
    "addend": ("""
def f(x, b):
    return np.sum(x) + math.sqrt(b)
""", ["np.ones(2), -2.0", "np.ones(2), 1.0"]),
    "in a loop": ("""
def f(x):
    for i in range(len(x)):
        math.sqrt(x[i])
    return np.sum(x)
""", ["np.array([1., -1.])", "np.ones(2)"]),
    "in a branch": ("""
def f(x):
    if x[0] > 0.:
        y = math.sqrt(x[1])
    return np.sum(x)
""", ["np.array([1., -1.])", "np.array([-1., -1.])"]),
    "float division": ("""
def f(a):
    1.0 / a
    return a * 2.
""", ["0.0", "4.0"]),
    "float division of ints": ("""
def f(a, n):
    y = 1 / n
    return a * 2.
""", ["2.0, 0", "4.0, 1"]),
    "float floordiv": ("""
def f(a):
    y = 1.0 // a
    return a * 2.
""", ["0.0", "4.0"]),
    "float mod": ("""
def f(a):
    y = 1.0 % a
    return a * 2.
""", ["0.0", "4.0"]),
    "power": ("""
def f(a):
    y = a ** -1.0
    return a * 2.
""", ["0.0", "4.0"]),
    "power overflow": ("""
def f(a):
    y = a ** 2
    return a * 2.
""", ["1e200", "4.0"]),
    "division addend": ("""
def f(a, b, c):
    return a * a + b / c
""", ["2., 1., 0.0", "4.0, 1., 2."]),
    "division used": ("""
def f(a, b):
    return a / b
""", ["2., 0.0", "4.0, 1."]),
    "max of none": ("""
def f(x):
    max([v for v in x if v > 9.])
    return np.sum(x)
""", ["np.ones(2)", "np.ones(2) * 10."]),
    "min of none": ("""
def f(x):
    min([v for v in x if v > 9.])
    return np.sum(x)
""", ["np.ones(2)", "np.ones(2) * 10."]),
    "np.max of none": ("""
def f(x):
    np.max(x[x > 9.])
    return np.sum(x)
""", ["np.ones(2)", "np.ones(2) * 10."]),
    "x.max of none": ("""
def f(x):
    x[x > 9.].max()
    return np.sum(x)
""", ["np.ones(2)", "np.ones(2) * 10."]),
    "argmax of none": ("""
def f(x):
    np.argmax(x[x > 9.])
    return np.sum(x)
""", ["np.ones(2)", "np.ones(2) * 10."]),
    "max of x": ("""
def f(x):
    np.max(x)
    return np.sum(x)
""", ["np.ones(0)", "np.ones(2) * 10."]),
    "loop of reads": ("""
def f(x):
    for i in range(len(x) + 1):
        x[i]
    return np.sum(x)
""", ["np.ones(2)"]),
    "loop of reads of n": ("""
def f(x, n):
    for i in range(n):
        x[i]
    return np.sum(x)
""", ["np.ones(2), 3", "np.ones(2), 2"]),
    "loop of two": ("""
def f(x, y):
    for i in range(len(x)):
        y[i]
    return np.sum(x)
""", ["np.ones(3), np.ones(2)", "np.ones(2), np.ones(2)"]),
    "loop of sums": ("""
def f(x, y):
    s = 0.
    for i in range(len(x)):
        s += x[i] + y[i]
    return s
""", ["np.ones(3), np.ones(2)", "np.ones(2), np.ones(2)"]),
    "read at data": ("""
def f(x):
    x[int(x[0])]
    return np.sum(x)
""", ["np.ones(1)", "np.ones(2)"]),
    "read at argument": ("""
def f(x, n):
    x[n]
    return np.sum(x)
""", ["np.ones(1), 1", "np.ones(2), 1"]),
    "store at data": ("""
def f(x):
    y = np.zeros(2)
    y[int(x[0])] = 1.
    return np.sum(x)
""", ["np.ones(1) * 2", "np.ones(2)"]),
    "store of x at data": ("""
def f(x):
    y = np.zeros(2)
    y[int(x[0])] = x[0]
    return np.sum(x)
""", ["np.ones(1) * 2", "np.ones(2)"]),
    "store at place": ("""
def f(x):
    y = np.zeros(len(x))
    y[2] = x[0]
    return np.sum(x)
""", ["np.ones(2)", "np.ones(3)"]),
    "store in a loop": ("""
def f(x, n):
    y = np.zeros(len(x))
    for i in range(n):
        y[i] = 1.
    return np.sum(x)
""", ["np.ones(2), 3", "np.ones(3), 3"]),
    "one of some arrays": ("""
def f(x, n):
    (x, x * 2.0)[n + int(x[0])]
    return np.sum([x, x * 3.0][n + int(x[0])])
""", ["np.ones(2), 0", "np.ones(2), 1", "np.ones(2), -4"]),
    "one of some functions": ("""
def f(x, n):
    return np.sum([np.sin, np.cos][n + int(x[0])](x))
""", ["np.ones(2), 0", "np.ones(2), 1", "np.ones(2), -4"]),
    "letter of a text": ("""
def f(x, word):
    for i in range(len(x)):
        word[i]
    return np.sum(x)
""", ["np.ones(2), 'ab'", "np.ones(3), 'ab'"]),
    "store of another length": ("""
def f(x):
    y = np.zeros(2)
    y[int(np.argmin(x)):] = y[int(np.argmax(x)):]
    return np.sum(x)
""", ["np.array([1., 0.])", "np.array([0., 1.])"]),
    "finally after a return": ("""
def f(x):
    try:
        if x[0] > 0.5:
            return x[0]
        factor = 2.0
    finally:
        x[1] = factor
    return np.sum(x) * factor
""", ["np.ones(2)", "np.zeros(2)"]),
    "finally after a loop that returns": ("""
def f(x):
    try:
        for i in range(len(x)):
            if x[i] > 0.5:
                return x[i]
            kind = "low"
    finally:
        x[1] = len(kind)
    return np.sum(x) * len(kind)
""", ["np.ones(2)", "np.arange(2.0)", "np.zeros(2)"]),
    "exit after a return": ("""
class Guard:
    def __init__(self, close):
        self.close = close
    def __enter__(self):
        return self
    def __exit__(self, *error):
        self.close()
def f(x):
    with Guard(lambda: factor):
        if x[0] > 0.5:
            return x[0]
        factor = 2.0
    return np.sum(x) * factor
""", ["np.ones(2)", "np.zeros(2)"]),
    "list store": ("""
def f(x):
    y = [1., 2.]
    y[int(x[0])] = 3.
    return np.sum(x)
""", ["np.ones(2) * 2", "np.ones(3)"]),
    "list of list store": ("""
def f(x):
    y = [v for v in x if v > 2.]
    y[0] = 3.
    return np.sum(x)
""", ["np.ones(2) * 2", "np.ones(3) * 3"]),
    "list read": ("""
def f(x):
    y = [v for v in x if v > 2.]
    y[0]
    return np.sum(x)
""", ["np.ones(2) * 2", "np.ones(3) * 3"]),
    "pop of none": ("""
def f(x):
    y = []
    for v in x:
        if v > 2.: y.append(v)
    y.pop()
    return np.sum(x)
""", ["np.ones(2) * 2", "np.ones(3) * 3"]),
    "key of data": ("""
def f(x):
    d = {0: 1., 1: 2.}
    d[int(x[0])]
    return np.sum(x)
""", ["np.ones(2) * 2", "np.ones(3)"]),
    "del of data": ("""
def f(x):
    d = {0: 1., 1: 2.}
    del d[int(x[0])]
    return np.sum(x)
""", ["np.ones(2) * 2", "np.ones(3)"]),
    "list.index": ("""
def f(x):
    [0., 1.].index(float(x[0]))
    return np.sum(x)
""", ["np.ones(2) * 2", "np.ones(3)"]),
    "call that raises": ("""
def g(v):
    return math.log(v)
def f(x):
    g(x[0])
    return np.sum(x)
""", ["np.zeros(2)", "np.ones(3)"]),
    "recursion that raises": ("""
def g(v, n):
    if n == 0: return math.log(v)
    return g(v, n - 1)
def f(x, n):
    g(x[0], n)
    return np.sum(x)
""", ["np.zeros(2), 3", "np.ones(3), 3"]),
    "shapes": ("""
def f(x, y):
    x + y
    return np.sum(x)
""", ["np.ones(3), np.ones(2)", "np.ones(3), np.ones(3)"]),
    "shapes of matmul": ("""
def f(x, y):
    x @ y
    return np.sum(x)
""", ["np.ones(3), np.ones(2)", "np.ones(3), np.ones(3)"]),
    "shapes of concatenate": ("""
def f(x, y):
    np.concatenate([x, y])
    return np.sum(x)
""", ["np.ones((3, 1)), np.ones((2, 2))", "np.ones((3, 1)), np.ones((2, 1))"]),
    "inv": ("""
def f(x):
    np.linalg.inv(x)
    return np.sum(x)
""", ["np.ones((2, 2))", "np.eye(2)"]),
    "cholesky": ("""
def f(x):
    np.linalg.cholesky(x)
    return np.sum(x)
""", ["-np.eye(2)", "np.eye(2)"]),
    "int of inf": ("""
def f(a):
    int(a)
    return a * 2.
""", ["np.inf", "2."]),
    "floor": ("""
def f(a):
    math.floor(a)
    return a * 2.
""", ["float('inf')", "2."]),
    "round": ("""
def f(a):
    round(a)
    return a * 2.
""", ["float('nan')", "2."]),
    "factorial": ("""
def f(x, n):
    math.factorial(n)
    return np.sum(x)
""", ["np.ones(2), -1", "np.ones(2), 3"]),
    "index array": ("""
def f(x, k):
    x[k]
    return np.sum(x)
""", ["np.ones(2), np.array([0, 2])", "np.ones(2), np.array([0, 1])"]),
    "unpacking": ("""
def f(x):
    a, b = x
    return np.sum(x)
""", ["np.ones(3)", "np.ones(2)"]),
    "range of nothing": ("""
def f(x):
    y = np.floor(x)
    s = 0.0 * np.ptp(y)
    return np.sum(x)
""", ["np.ones(0)", "np.ones(2)"]),
    "edges of nothing": ("""
def f(x):
    np.pad(x, 1, mode='edge')
    return np.sum(x)
""", ["np.ones(0)", "np.ones(2)"]),
    "removed from nothing": ("""
def f(x):
    if len(x) < 3:
        y = np.delete(x, 0)
    return np.sum(x)
""", ["np.ones(0)", "np.ones(2)", "np.ones(3)"]),
    "convolution of nothing": ("""
def f(x):
    np.convolve(x, [1.0, 2.0])
    return np.sum(x)
""", ["np.ones(0)", "np.ones(2)"]),
    "added at places of nothing": ("""
def f(x):
    y = x * 2.0
    np.add.at(y, [0, -1, 0], 0.5)
    return np.sum(x)
""", ["np.ones(0)", "np.ones(2)"]),
    "next of none": ("""
def f(x):
    next(v for v in x if v > 2.)
    return np.sum(x)
""", ["np.ones(3)", "np.ones(2) * 3"]),
    "while": ("""
def f(x):
    i = 0
    while x[i] > 0.:
        i += 1
    return np.sum(x)
""", ["np.ones(3)", "np.zeros(2)"]),
}


def forward(f):
    """Forward mode along ones."""
    return lambda *args: sg.jvp(f, args, tuple(
        np.ones_like(a) if np.asarray(a).dtype == float else np.zeros_like(a) for a in args))


@pytest.mark.parametrize("how", [*HOW, "jvp"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_raises_though_nothing_reads_the_result(name, how):
    text, calls = PROGRAMS[name]
    for call in calls:
        given, ours = (eval(f"({call},)", {"np": np}) for _ in range(2))
        want = outcome(module_of("import math\n" + text).f, *given)
        if how == "jvp" and not all(np.asarray(a).dtype == float for a in given):
            continue
        run = forward if how == "jvp" else HOW[how]
        assert outcome(run(module_of("import math\n" + text).f), *ours) == want


UNNEEDED = """
def f(x):
    y = np.zeros(len(x))
    s = 0.0
    for i in range(len(x)):
        y[i] = x[i] / 2.0
        s += math.sin(x[i])
    return s
"""


def test_what_cannot_raise_goes():
    text = sg.grad(module_of("import math\n" + UNNEEDED).f).source(np.ones(3))
    code = [line for line in text.splitlines() if "#" not in line]
    assert not any("y[" in line or "math.sin" in line for line in code)
