"""Tracebacks and origins of staged code point to the user's lines and columns."""

# ruff: noqa: E501, F841

import sys
import time
import traceback

import numpy as np
import pytest

from srcgrad.errors import UnsupportedSyntax, Where
from srcgrad.stage import PlainMachine, origin, origins, region_info, stage

MACHINE = PlainMachine()


def run(fn, *args):
    return stage(fn).run(MACHINE, args, {}, fn=fn)


def failing(k, xs):
    if k == 0:
        return 1 / k
    for x in xs:
        while True:
            if k == 1:
                return [v for v in xs if v / 0]
            try:
                if k == 2:
                    return xs[10]
                if k == 3:
                    raise ValueError(
                        "several lines")
            finally:
                k += 0
            def inner(a):
                return a + (
                    "text" * a)
            if k == 4:
                return inner(1)
            a, b = x
            return (lambda q:
                    q.missing)(k)


@pytest.mark.parametrize("k", range(6))
def test_traceback_lines(k):
    xs = [(1, 2), 2] if k == 5 else [1, 2]

    def lines(call):
        with pytest.raises(Exception) as caught:
            call()
        frames = traceback.extract_tb(caught.value.__traceback__)
        return [(f.lineno, f.colno, f.end_colno, f.line) for f in frames
                if f.filename == __file__ and f.lineno < test_traceback_lines.__code__.co_firstlineno
                and f.name != "run"]

    plain = lines(lambda: failing(k, xs))
    staged = lines(lambda: run(failing, k, xs))
    assert staged[-1][0] == plain[-1][0]
    assert set(plain_lines(plain)) <= set(plain_lines(staged))


def plain_lines(frames):
    return [line for line, *_ in frames]


class Recorder(PlainMachine):
    def __init__(self):
        super().__init__(deep=True)
        self.places = []

    def binary(self, op, left, right):
        self.places.append(origin())
        return super().binary(op, left, right)


def helper(v):
    return v * 2


def computing(x):
    y = x + helper(x)  # "é" before: bytes and characters differ
    for i in range(1):
        z = "é" and y - (x
                         + 1)
    return [z ** 2 for _ in range(1)]


def test_origin():
    machine = Recorder()
    stage(computing).run(machine, (1.0,), {}, fn=computing)
    start = computing.__code__.co_firstlineno
    spans = [(w.line - start, w.text[w.column:w.end], w.function) for w in machine.places]
    assert spans == [
        (helper.__code__.co_firstlineno + 1 - start, "v * 2", "helper"),
        (1, "x + helper(x)", "computing"),
        (3, "x", "computing"),
        (3, "y - (x", "computing"),
        (5, "z ** 2", "computing")]
    assert all(isinstance(w, Where) and w.filename == __file__ for w in machine.places)


def test_origin_outside_of_staged_code():
    assert origin() is None
    assert origins() == []


def test_chain_of_origins():
    seen = []

    def leaf():
        seen.append(origins())

    def middle(n):
        if n:
            return middle(n - 1)
        leaf()

    def top():
        for _ in range(1):
            middle(1)

    stage(top).run(PlainMachine(deep=lambda f: f is not leaf), (), {}, fn=top)
    names = [w.function.rpartition(".")[2] for w in seen[0]]
    assert names == ["middle", "middle", "top"]
    assert [w.text.strip() for w in seen[0]] == ["leaf()", "return middle(n - 1)", "middle(1)"]


def test_position_of_every_call():
    """Each call instruction of staged code has a place within the function."""
    code = stage(failing).code.__code__
    first = failing.__code__.co_firstlineno
    last = max(line for _, _, line in failing.__code__.co_lines() if line) + 3
    pending = [code]
    while pending:
        code = pending.pop()
        pending += [k for k in code.co_consts if hasattr(k, "co_code")]
        for line, end_line, column, end_column in code.co_positions():
            if line is not None:
                assert first <= line <= last


def test_region_facts():
    facts = {}

    class Watcher(PlainMachine):
        def if_(self, test, then, orelse, rest=None):
            facts.setdefault("then", region_info(then))
            facts.setdefault("rest", rest and region_info(rest))
            facts.setdefault("orelse", region_info(orelse))
            return super().if_(test, then, orelse, rest)

        def for_(self, iterable, target, body, orelse=None, rest=None):
            facts["body"] = region_info(body)
            return super().for_(iterable, target, body, orelse, rest)

    def f(x):
        total = 0
        for i in range(3):
            total += x
            if total > 100:
                return total
            x, y = i, (z := total)
        return total

    stage(f).run(Watcher(), (1,), {}, fn=f)
    body, then, rest = facts["body"], facts["then"], facts["rest"]
    assert body.assigned == {"total", "x", "y", "z"} and body.may_return and body.falls
    assert not body.may_break
    assert then.may_return and not then.falls and then.kind == "then" and then.assigned == set()
    assert rest.kind == "rest" and rest.assigned == {"x", "y", "z"} and rest.falls
    assert facts["orelse"] is None
    assert body.line == f.__code__.co_firstlineno + 2
    assert stage(f).assigned == {"x", "i", "total", "y", "z"}


REFUSED = []


def refused(text, message, span):
    REFUSED.append((text, message, span))


refused("async def program(x):\n    return x\n", "async def is not supported", "async def")
refused("def program(x):\n    async def g():\n        pass\n", "async def", "async def")
refused("def program(x):\n    try:\n        pass\n    except* ValueError:\n        pass\n",
        "except* is not supported", "try:")

@pytest.mark.parametrize("text, message, span", REFUSED)
def test_refusals_name_the_place(text, message, span):
    from test_stage_generated import build
    function, filename = build(text)
    with pytest.raises(UnsupportedSyntax) as caught:
        stage(function)
    error = caught.value
    assert message in error.what and error.why and error.fix
    assert error.where.filename == filename
    assert error.where.text[error.where.column:error.where.end].startswith(span)
    assert "^" in str(error) and isinstance(error, NotImplementedError)


def test_origin_is_fast():
    machine = Recorder()

    def many(x):
        for _ in range(2000):
            x + 1

    start = time.perf_counter()
    stage(many).run(machine, (np.float64(1),), {}, fn=many)
    assert (time.perf_counter() - start) / 2000 < 200e-6
    assert len({id(w) for w in machine.places}) == 1
    assert sys.getrecursionlimit() < 20_000


def test_origins_take_linear_time():
    from test_stage_generated import build

    def seconds(n):
        text = "def program(x):\n" + "    y = x + 1\n" * n + "    return y\n"
        function, _ = build(text)
        stage(function)
        machine = Recorder()
        start = time.process_time()
        stage(function).run(machine, (1,), {}, fn=function)
        assert [w.line for w in machine.places] == list(range(2, n + 2))
        return time.process_time() - start

    seconds(100)
    assert min(seconds(4000) for _ in range(2)) < 30 * min(seconds(400) for _ in range(3))
