"""What tuples of run-time length, or gathered from outside, do otherwise than lists."""

from __future__ import annotations

import copy
import linecache

import numpy as np
import pytest
from alike import outcome

import srcgrad as sg

MADE = {
    "some": "u, t = zip(*[(v, 2 * v) for v in w if v > 0.15])", "columns": "u, t = zip(*[(v, 2 * v) for v in w])",
    "found": "u = w",
    "counted": "u = tuple([v * x for v in w])", "written": "u = (x, 2.0, x)",
}
LOOP = "for v in u:\n        s = s + np.sin(x * v) * np.exp(-x * v) + np.cos(v) * x ** 2 + np.tanh(x + v) * np.log(v + 2.0)"
CHANGES = ["u.append(1.0)", "u.extend([1.0])", "u.insert(0, 1.0)", "u.sort()", "u.reverse()", "u.pop()", "u.clear()",
           "u.remove(0.4)", "r = u.copy()", "u[0] = 1.0", "del u[0]", "del u[0:1]", "r = u + [1.0]", "r = [1.0] + u",
           "u += [1.0]", "r = u < [1.0]"]
USES = ["r = hasattr(u, 'append')", "r = getattr(u, 'copy', 3)", "r = repr(u)", "r = u == list(u)", "r = type(u * 2).__name__",
        "r = type(u[1:]).__name__", "r = type(u + u).__name__", "r = np.array(u) + u", "r = u + np.array(u)", "r = u.index(u[1])",
        "r = isinstance(u, list)", "r = type(sorted(u)).__name__", "t = u; t += (1.0,); r = len(u)",
        "t = u; t *= 2; r = len(u)", "t = u; t += u; r = t, u"]
SAME = ["u[:]", "u[::1]", "u[0:]", "u[:len(u)]", "u[1:]", "u[::-1]", "u[:-1]", "u * 1", "True * u", "u * 2", "u + ()", "() + u",
        "u + u[:1]", "tuple(u)", "tuple(list(u))", "copy.copy(u)", "copy.deepcopy(u)", "copy.copy((u, 1))[0]",
        "copy.deepcopy([u, u])[1]", "u[:0]", "list(u)", "copy.copy(list(u))"]
USES += [f"t = {same}; r = t is u, type(t).__name__, len(t)" for same in SAME]


@pytest.mark.parametrize("use", CHANGES + USES)
@pytest.mark.parametrize("made", MADE)
def test_uses(made, use):
    text = f"def program(x, w):\n    s = 0.0\n    r = None\n    {MADE[made]}\n    {LOOP}\n    {use}\n    LEFT.append(r)\n    return s"
    linecache.cache[text] = (len(text), None, text.splitlines(True), text)
    namespace = {"np": np, "copy": copy, "LEFT": []}
    exec(compile(text, text, "exec"), namespace)
    program, found = namespace["program"], []
    for function in (program, sg.value_and_grad(program)):
        namespace["LEFT"].clear()
        try:
            found.append((outcome(function, (0.3, (0.1, 0.2, 0.35, 0.5, 0.7))), repr(namespace["LEFT"])))
        except sg.SrcgradError:
            assert use in USES and made != "found"
            return
    ((value, left), held), ((both, was_left), was_held) = found
    assert (left, held) == (was_left, was_held)
    if use in CHANGES:
        assert value == both and type(value) is tuple
    else:
        assert value == both[0]
