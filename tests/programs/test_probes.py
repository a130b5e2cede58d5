"""Programs of many kinds as other people write them, each inside contexts that make its arguments
traced: loops, branches, handlers, generators, recursion, masks.  What plain Python does is what the
compiled function does: value, effects, exception and message, in calls that change sizes."""

from __future__ import annotations

import collections
import copy
import linecache
import random
import warnings
from typing import Any

import numpy as np
import probes
import pytest
from chain import close, same

import srcgrad as sg

VALUES: dict[str, tuple[Any, ...]] = {
    "x": (np.array([0.3, -1.2, 0.7, 2.1]), np.array([1.5, 0.2, -0.4, 0.9]), np.array([0.8, 1.1, -0.6])),
    "y": (np.array([1.1, 0.4, -0.9, 0.6]), np.array([-0.3, 0.8, 1.7, 0.25]), np.array([0.5, -1.4, 0.35])),
    "a": (0.71, -1.3, 2.2), "n": (3, 2, 3), "k": (1, 0, 2),
    "i": (np.array([0, 2, 1, 0]), np.array([3, 3, 1, 2]), np.array([2, 0, 1])),
}
CONTEXTS = {
    "plain": "return {0}({1})",
    "loop": "s = 0.\n    for q in range(3):\n        s = s + {0}({1}) * (q + 1)\n    return s",
    "branch": "s = x[0]\n    if s > .4:\n        s = s + {0}({1})\n    else:\n"
              "        s = s * {0}({1}) - 1.\n    return s",
    "while": "t = abs(x[0]); s = 1.\n    while t < 2.5:\n        s = s * .5 + {0}({1})\n        t += 1.\n"
             "        if t > 2.2: break\n    return s",
    "try": "s = x[0]\n    try:\n        s = s + {0}({1})\n        if s < 0: raise KeyError('low')\n"
           "    except (ValueError, LookupError, TypeError, ArithmeticError, AttributeError) as e:\n"
           "        s = s * 2. + len(str(e))\n    else:\n        s *= 3.\n    return s",
    "masked": "keep = x > -1.25\n    x = x[keep]\n    return {0}({1}) * 2.",
    "generator": "def each(t):\n        for q in range(3):\n            if q == 1 and t > 0: continue\n"
                 "            yield {0}({1})\n    s = 0.\n    for v in each(x[0]):\n        s = s * .3 + v\n"
                 "        if s > 50.: return s\n    return s",
    "recursion": "def go(t, d):\n        if d > 2 or t > 3.: return t\n"
                 "        return go(t * .4 + {0}({1}) * .3, d + 1)\n    return go(x[0], 0)",
}
NAMES = sorted(name for name, f in vars(probes).items() if getattr(f, "__module__", "") == "probes"
               and not name.startswith("_"))
CASES = [(name, context) for name in NAMES for context in CONTEXTS]


def program(name: str, context: str) -> Any:
    """The function ``name`` of the module, called within a context."""
    function = getattr(probes, name)
    parameters = function.__code__.co_varnames[:function.__code__.co_argcount]
    given = ", ".join(parameters)
    text = f"def program({given}):\n    {CONTEXTS[context].format(name, given)}\n"
    filename = f"<probe {name} {context}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    namespace: dict[str, Any] = dict(vars(probes))
    exec(compile(text, filename, "exec"), namespace)
    calls = [tuple(copy.deepcopy(VALUES[p][k]) for p in parameters) for k in range(3)]
    return namespace["program"], calls, text


def outcome(fn: Any, args: Any) -> Any:
    """What a call returns, or the class and message of its exception; and its effects."""
    probes.LOG.clear()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            found = fn(*args)
        except sg.SrcgradError:
            raise
        except Exception as error:
            found = (type(error), str(error))
    return found, copy.deepcopy(args), list(probes.LOG)


def slope(fn: Any, args: Any, tangents: Any) -> float | None:
    """Central differences along tangents; None at a kink or an exception."""
    found = []
    for step in (2e-6, 1e-6):
        ends = [outcome(fn, [a if t is None else a + sign * step * t for a, t in zip(
            copy.deepcopy(args), tangents)])[0] for sign in (1, -1)]
        if any(isinstance(end, tuple) for end in ends):
            return None
        found.append(float(ends[0] - ends[1]) / (2 * step))
    return found[1] if np.isfinite(found[1]) and close(*found, 1e-6) else None


def check(name: str, context: str) -> str:
    fn, calls, text = program(name, context)
    places = tuple(i for i, a in enumerate(calls[0]) if isinstance(a, float) or (
        isinstance(a, np.ndarray) and a.dtype.kind == "f"))
    value_and_grad, said = sg.value_and_grad(fn, argnums=places), "right"
    for number, args in enumerate(calls):
        draw = np.random.default_rng(number)
        tangents = [(draw.normal(size=np.shape(a)) if np.ndim(a) else float(draw.normal()))
                    if i in places else None for i, a in enumerate(args)]
        want, mutated, log = outcome(fn, copy.deepcopy(args))
        forward = lambda *given, t=tangents: sg.jvp(fn, given, t)  # noqa: E731
        slopes = []
        for mode in (value_and_grad, forward):
            try:
                found, after, logged = outcome(mode, copy.deepcopy(args))
            except sg.SrcgradError:
                said = "refused"
                continue
            where = f"{text}\n{args}"
            if isinstance(want, tuple):
                assert found[0] is want[0], f"{where}\n{found}, not {want}"
                assert found[1] == want[1] or mode is forward, f"{where}\n{found}, not {want}"
                continue
            assert not isinstance(found[0], type), f"{where}\n{found}, not {want}"
            assert same(found[0], want), f"{where}\n{found[0]!r}, not {want!r}"
            assert same(after, mutated) and same(logged, log), f"{where}\n{after}, {logged}"
            slopes.append(float(found[1]) if mode is forward else sum(
                float(np.sum(s * tangents[i])) for i, s in zip(places, found[1])))
        if slopes:
            expected = slope(fn, args, tangents)
            for one in slopes:
                assert expected is None or close(one, expected), f"{text}\n{args}\n{slopes}, {expected}"
                assert close(one, slopes[0], 1e-8), f"{text}\n{args}\n{slopes}"
    return said


@pytest.mark.parametrize("start", range(4))
def test_probes(start: int) -> None:
    drawn = random.Random(start).sample(CASES, 5)
    said = collections.Counter(check(*case) for case in [(NAMES[start], "plain"), *drawn])
    assert said["refused"] <= 3


@pytest.mark.sweep
@pytest.mark.parametrize("name", NAMES)
def test_every_probe(name: str) -> None:
    said = collections.Counter(check(name, context) for context in CONTEXTS)
    assert said["refused"] <= 7


@pytest.mark.parametrize("name", NAMES)
def test_first_call_of_each(name: str) -> None:
    check(name, "plain")
