"""Random programs that change a container in one of many ways while one of many loops goes through it."""

from __future__ import annotations

import collections
import itertools
import linecache
import random

import numpy as np
import pytest
from alike import outcome, slope

import srcgrad as sg

# parameters, what comes before the loop, and what makes the argument
MADE = {
    "deque_out": ("x, d", "pass", lambda: collections.deque([2.0, 3.0, 1.0])),
    "deque_in": ("x", "d = deque([x, 2.0, 3.0])", None),
    "deque_grown": ("x, n", "d = deque()\n    for i in range(n):\n        d.append(x * i)", lambda: 3),
    "deque_full": ("x", "d = deque([x, 2.0, 3.0], maxlen=3)", None),
    "dict_out": ("x, d", "pass", lambda: {1: 2.0, 2: 3.0, 4: 1.0}),
    "dict_found": ("x, d", "if x > 0:\n        d[9] = x", lambda: {1: 2.0, 2: 3.0}),
    "dict_in": ("x", "d = {1: x, 2: 2.0, 4: 3.0}", None),
    "dict_in_some": ("x", "d = {1: x, 2: 2.0}\n    if x > 0:\n        d[9] = x", None),
    "dict_table": ("x, n", "d = {}\n    for i in range(n):\n        d[i] = x * i", lambda: 3),
    "set_in_some": ("x", "d = {1, 2}\n    if x > 0:\n        d.add(9)", None),
    "set_out": ("x, d", "pass", lambda: {1, 2, 3}),
}
HEADS = [
    "for k in d:", "for i, k in enumerate(d):", "for i, k in zip(range(5), d):", "for k, i in zip(d, range(5)):",
    "for k, i in zip(d, d):", "for k in map(lambda q: q, d):", "for k in (q for q in d):", "for k in iter(d):",
    "it = iter(d)\n    for k in it:", "it = iter(d); next(it, 0)\n    for k in it:", "for k in list(d):",
    "it = iter(d)\n    while (k := next(it, None)) is not None:", "for k in itertools.islice(d, 10):",
    "for k in itertools.chain(d, [1.0]):",
]
OF_DICTS = [
    "for k, v in d.items():", "for k in d.values():", "for i, (k, v) in enumerate(d.items()):",
    "for i, k in enumerate(d.keys()):", "for k, v in reversed(d.items()):", "for k in reversed(d.values()):",
    "for k, w in zip(d.values(), d):",
]
BACKWARDS = ["for k in reversed(d):"]
CHANGES = {
    "deque": ["d.append(x)", "d.appendleft(x)", "d.pop()", "d.popleft()", "d.rotate(1)", "d.rotate(0)", "d.clear()",
              "d.extend([x, x])", "d.extend([])", "d[0] = x", "d[-1] = x", "d.reverse()", "d.append(x); d.pop()",
              "d.remove(d[0])", "d.insert(1, x)", "del d[0]", "d += [x]", "d *= 2", "d *= 0"],
    "dict": ["d[n + 100] = x", "d[1] = x", "d[2] = d[2] * x", "d.pop(k, None)", "d.clear()", "d.update({7: x})",
             "d.setdefault(7, x)", "d[8] = x; del d[8]", "d.pop(1, None)"],
    "set": ["d.add(100)", "d.discard(k)", "d.discard(1)", "d.clear()", "d |= {77}", "d.add(1)"],
}
PLACES = ["if x > 0:\n            {}", "{}", "if x > 0 and n == 0:\n            {}",
          "if x > 0 and n == 2:\n            {}\n            break"]


def program(made, head, change, place):
    parameters, before, _ = MADE[made]
    text = f"""def program({parameters}):
    {before}
    s, n = 0.0, 0
    {head}
        s += x * k
        {place.format(change)}
        n += 1
        if n > 12:
            break
    return s + x * len(d) + x * sum({"d.values()" if made.startswith("dict") else "d"})
"""
    linecache.cache[text] = (len(text), None, text.splitlines(True), text)
    namespace = {"np": np, "deque": collections.deque, "itertools": itertools}
    exec(compile(text, text, "exec"), namespace)
    return namespace["program"]


def is_refused(made, head, change, place):
    function, make = program(made, head, change, place), MADE[made][2]
    derivative = sg.value_and_grad(function)
    for x in (1.5, -1.5):
        def call(x=x):
            return (x, make()) if make else (x,)

        try:
            found, was_left = outcome(derivative, call())
        except sg.SrcgradError as error:
            assert "truth value" not in str(error)
            return True
        expected, left = outcome(function, call())
        assert was_left == left
        if type(expected) is tuple:
            assert found == expected
        else:
            assert found[0] == expected
            assert np.allclose(found[1], slope(function, call), rtol=1e-4, atol=1e-6)
    return False


def drawn(seed):
    rng = random.Random(seed)
    made = rng.choice(list(MADE))
    kind = made.split("_")[0]
    heads = HEADS + OF_DICTS * (kind == "dict") + BACKWARDS * (kind != "set")
    return made, rng.choice(heads), rng.choice(CHANGES[kind]), rng.choice(PLACES)


@pytest.mark.parametrize("start", range(0, 100, 25))
def test_programs(start):
    assert sum(is_refused(*drawn(seed)) for seed in range(start, start + 25)) <= 12


@pytest.mark.sweep
@pytest.mark.parametrize("start", range(1000, 2000, 25))
def test_many_programs(start):
    assert sum(is_refused(*drawn(seed)) for seed in range(start, start + 25)) <= 14
