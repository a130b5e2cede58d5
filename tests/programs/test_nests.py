"""Nests of loops and helpers: how often their bodies are traced."""

from __future__ import annotations

import functools
import itertools
import linecache
from collections import Counter
from typing import Any

import numpy as np
import pytest
from chain import check

import srcgrad as sg
from srcgrad.trace.entry import trace
from srcgrad.trace.flow.rounds import Rounds


def made(text: str, name: str) -> Any:
    filename = f"<nest {name}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    namespace: dict[str, Any] = {"__name__": "nest", "np": np, "itertools": itertools,
                                 "functools": functools}
    exec(compile(text, filename, "exec"), namespace)
    return namespace["f"]


def nest(depth: int) -> Any:
    """Loops in each other, each with a variable that becomes an array in the innermost one."""
    lines = ["def f(x, n):", *(f"    v{d} = 0" for d in range(depth))]
    lines += ["    " * (d + 1) + f"for i{d} in range(n):" for d in range(depth)]
    lines += ["    " * (depth + 1) + f"v{d} = v{d} + x * i{d}" for d in range(depth)]
    lines.append("    return np.sum(" + " + ".join(f"v{d}" for d in range(depth)) + ")")
    return made("\n".join(lines) + "\n", f"of {depth}")


def helpers(depth: int) -> Any:
    """Loops in each other, each in a function of its own."""
    text = "def f(x, n):\n    return np.sum(h1(x, n))\n"
    for d in range(1, depth + 1):
        inner = f"h{d + 1}(x * s, n)" if d < depth else "x"
        text += f"def h{d}(x, n):\n    s = 0\n    for i in range(n):\n        s = s + {inner}\n"
        text += "    return s\n"
    return made(text, f"helpers {depth}")


def rounds_of(fn: Any, monkeypatch: pytest.MonkeyPatch) -> Counter[Any]:
    """How often each loop's body is traced."""
    counts: Counter[Any] = Counter()
    original = Rounds._round

    def counted(self: Any, kind: Any, forms: Any, test: Any, start: Any, body: Any) -> Any:
        counts[body.__code__] += 1
        return original(self, kind, forms, test, start, body)

    monkeypatch.setattr(Rounds, "_round", counted)
    trace(fn, (np.ones(3), 2), {}, [], "f")
    return counts


@pytest.mark.parametrize("depth", [2, 4, 6])
def test_nest(depth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert max(rounds_of(nest(depth), monkeypatch).values()) <= 1 + 3 * depth + 2


@pytest.mark.parametrize("depth", [2, 4, 6])
def test_nest_of_helpers(depth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert max(rounds_of(helpers(depth), monkeypatch).values()) <= 1 + 3 * depth + 2


def test_values() -> None:
    x = np.array([0.5, 1.0, 2.0])
    for fn in (nest(3), helpers(3)):
        value, slope = sg.value_and_grad(fn)(x, 2)
        assert value == fn(x, 2)
        step = 1e-6 * np.eye(3)
        want = [(fn(x + d, 2) - fn(x - d, 2)) / 2e-6 for d in step]
        np.testing.assert_allclose(slope, want, rtol=1e-6, atol=1e-6)


ITERATORS = [
    "s += functools.reduce(lambda a, b: a * b, range(1, i + 2)) * x",
    "a, b = itertools.tee(range(i + 2))\n        next(b)\n        for u, v in zip(a, b): s += u * v * x",
    "s += next(k * x for k in range(i + 1) if k * 2 >= i)",
    "g = (x * k for k in range(i + 1))\n        s += next(g)\n        for v in g: s += v",
    "for u, v in itertools.pairwise(range(i + 1)): s += u * v * x",
    "m = map(lambda k: x * k, range(i + 1))\n        s += next(m)\n        for v in m: s += v",
    "f = filter(lambda k: k * x[0] > 1, range(i + 1))\n        for v in f: s += v * x",
    "r = iter(reversed(range(i + 1)))\n        s += next(r) * x\n        for v in r: s += v * x"]


@pytest.mark.parametrize("body", ITERATORS)
def test_iterators_made_in_a_loop(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are the iteration's own: the loop does not carry where they stand."""
    fn = made(f"def f(x, n):\n    s = 0. * x\n    for i in range(n):\n        {body}\n"
              "    return np.sum(s ** 2)\n", body)
    assert max(rounds_of(fn, monkeypatch).values()) <= 8
    monkeypatch.undo()
    check(fn, (np.array([0.7, 1.3]), 4))


MAKERS = ["[[None]] * (n + 1)", "[[None]] * 3", "n * [[0.5]]", "[None] * n", "list((1, 2, 3))", "[*(1, 2)]",
          "{0: 1, **{1: 2}}", "{0: 1} | {1: 2}", "dict([(0, 1)])", "dict.fromkeys((0, 1))", "dict(enumerate('ab'))",
          "sorted([2, 1])", "list(reversed([2, 1]))", "[2, 1].copy()", "[2, 1][:]", "[2] + [[1]]", "sum([[1], [2]], [])",
          "copy.copy([1, [2]])", "copy.deepcopy([[1], 2])", "[[1], 2].__mul__(2)", "'a b'.split()", "list('ab')",
          "list(map(str, (1, 2)))", "list(zip('ab', (1, 2)))", "list({'a': 1}.items())", "collections.defaultdict(list, {0: 1})", "collections.deque([1, 2])", "collections.Counter([0, 0])",
          "collections.OrderedDict([(0, 1)])", "re.findall('a', 'aa')", "json.loads('[1, [2]]')", "np.arange(2).tolist()",
          "np.eye(2).tolist()", "(0.5 * x).tolist()", "np.split(np.ones(4), 2)", "functools.reduce(operator.add, [[1], [2]])",
          "operator.mul([[1]], 2)", "list(itertools.repeat([1], 2))", "[k for k in range(n)]", "list(range(n))",
          "[[]] * len(x)", "[None, *x]", "vars(types.SimpleNamespace(a=1)) | {0: 2}",
          "(lambda *a: [*a])(1, 2)", "(lambda **k: {0: k})(a=1)", "list(filter(None, (1, 2)))",
          "[1, 2].__add__([3])", "list.__new__(list) or [1]", "divmod(7, 2)[:0] or [3]"]


@pytest.mark.parametrize("maker", MAKERS)
def test_containers_made_in_a_loop(maker: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are the iteration's own, too, however they are made."""
    fn = made(f"import collections, copy, functools, json, operator, re, types\ndef f(x, n):\n    s = 0. * x\n"
              f"    for i in range(n):\n        a = {maker}\n        a[0] = x[0] * i\n        s = s + a[0] * x\n"
              "    return np.sum(s ** 2)\n", f"made by {maker}")
    assert max(rounds_of(fn, monkeypatch).values()) <= 8
    monkeypatch.undo()
    check(fn, (np.array([0.7, 1.3]), 4))
