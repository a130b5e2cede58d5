"""Operators between arrays, numbers and instances of random classes, which NumPy asks or makes
arrays of, and whose subclasses inherit reflected methods or have their own; sorting by ``__lt__``
of one of several classes; attempts whose bodies have several branches on one condition."""

from __future__ import annotations

import random

import numpy as np
import pytest
from chain import same
from test_raising import module_of

import srcgrad as sg

METHODS = {
    "__len__": "def __len__(self): return len(self.x)",
    "__getitem__": "def __getitem__(self, i): return self.x[i]",
    "__iter__": "def __iter__(self): return iter(self.x)",
    "__add__": "def __add__(self, o): return self.made(self.x + getattr(o, 'x', o), 'add')",
    "__radd__": "def __radd__(self, o): return self.made(o + self.x, 'radd')",
    "__mul__": "def __mul__(self, o): return self.made(self.x * getattr(o, 'x', o), 'mul')",
    "__rmul__": "def __rmul__(self, o): return self.made(o * self.x, 'rmul')",
    "__lt__": "def __lt__(self, o): return self.x[0] < getattr(o, 'x', [o])[0]",
    "__iadd__": "def __iadd__(self, o): self.x += getattr(o, 'x', o); return self",
}
VALUES = ("a", "b", "c", "x", "y", "x[0]", "2.0", "x.sum()", "c.x")
KINDS = (["__len__", "__getitem__"], ["__len__", "__getitem__", "__iter__"], [])
HEAD = """import numpy as np

class A:
    def __init__(self, x, how="made"): self.x, self.how = x, how
    def made(self, x, how): return type(self)(x, self.how + how)
"""


def program(seed: int) -> str:
    stream = random.Random(seed)
    names = [*stream.choice(KINDS), *(n for n in METHODS if n[2:5] not in ("len", "get", "ite")
                                      and stream.random() < 0.75)]
    lines = [HEAD.rstrip(), *(f"    {METHODS[n]}" for n in names)]
    if stream.random() < 0.2:
        lines.append("    __array_ufunc__ = None")
    lines.append("class B(A):\n    pass")
    lines += [f"    {METHODS[n].replace('self.made(', 'self.made(2 * ')}"
              for n in names if "made" in METHODS[n] and stream.random() < 0.3]
    lines += ["def f(x, y):", f"    a, b, c = A(x * 2), {stream.choice('AB')}(y), B(x + y)",
              "    seen = []"]
    for _ in range(stream.randint(1, 3)):
        one, other = stream.choice(VALUES), stream.choice(VALUES)
        lines.append("    " + stream.choice((
            f"seen.append({one} {stream.choice('+*')} {other})",
            f"seen.append({stream.choice('abc')} {stream.choice('+*')} {other})",
            f"seen.append({one} {stream.choice('+*')} {stream.choice('abc')})",
            f"seen.append(np.{stream.choice(('sum', 'sin', 'asarray'))}({stream.choice('abcx')}))",
            f"seen.append(np.array([{stream.choice('abx')}, {stream.choice('cy')}]))",
            f"y += {stream.choice(VALUES)}", f"y[:] = {stream.choice(VALUES)}",
            f"a += {other}", f"seen.append({one} < {other})",
            "L = [a, b, c]\n    for k in range(2): L.sort()\n    seen.append(L[0].x)")))
    return "\n".join([*lines, "    return seen, y", ""])


def attempt(seed: int) -> str:
    """A body with branches on one condition, or on what tells it, one of which may raise."""
    stream = random.Random(seed)
    tests = ("x[0] < 0.6", "not x[0] < 0.6", "low", "not low", "x[0] < 0.6 and x[1] > 0.2",
             "low or x[1] > 0.2", "x[1] > 0.2")
    does = ("y[0] += 0.3", "y[1] *= x[0]", "log.append(1)", "o = p", "p.x[0] += 1", "o.x[1] += 1",
            "o, p = p, o")
    lines = ["class A:", "    def __init__(self, x): self.x = x", "    size = property(len)",
             "def f(x, y, log):", "    o, p, low = A(x.copy()), A(y), x[0] < 0.6", "    try:"]
    for _ in range(stream.randint(1, 3)):
        lines += [f"        if {stream.choice(tests)}:", f"            {stream.choice(does)}",
                  f"            {stream.choice(does)}"]
        if stream.random() < 0.4:
            lines.append(f"        {stream.choice(does)}")
        if stream.random() < 0.4:
            lines.append(f"        if {stream.choice(tests)}: raise ValueError")
    lines += [f"        {stream.choice(('o.size = 3', 'raise ValueError', 'log.append(2)'))}",
              "    except (ValueError, AttributeError):", f"        {stream.choice(does)}",
              "    y += o.x", "    return [np.sum(o.x * p.x)], 0", ""]
    return "import numpy as np\n\n" + "\n".join(lines)


def agrees(text: str, calls: list[tuple[object, ...]]) -> None:
    """The same results, arguments and exceptions as plain Python, or a refusal."""
    fn = module_of(text).f
    compiled = sg.jit(fn)
    for args in calls:
        ours, theirs = (tuple(a.copy() for a in args) for _ in range(2))  # type: ignore[attr-defined]
        try:
            expected = fn(*theirs)
        except Exception as error:
            with pytest.raises((type(error), sg.SrcgradError)):
                compiled(*ours)
            continue
        try:
            found = compiled(*ours)
        except sg.SrcgradError:
            continue
        if any(isinstance(v, np.ndarray) and v.dtype == object for v in expected[0]):
            continue  # its items are other objects
        assert same(found, expected) and same(ours, theirs), f"{text}\n{found}\n{expected}"


X, Y = np.array([0.3, 1.2]), np.array([0.9, 0.4])


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(0, 300, 10))
def test_operators_are_those_of_numpy_and_python(seed):
    for s in range(seed, seed + 10):
        agrees(program(s), [(X, Y), (Y, X)])


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(0, 200, 10))
def test_attempts_do_what_their_branches_do_once(seed):
    for s in range(seed, seed + 10):
        agrees(attempt(s), [(p, Y, []) for p in (X, X[::-1], X * 0.1, X + 1)])
