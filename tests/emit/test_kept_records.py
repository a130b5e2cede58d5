"""What an iteration keeps is one record: texts, and programs with and without the pass."""

from __future__ import annotations

import ast
import copy
import re
import textwrap

import numpy as np
import pytest
from chain import close, differences, same

import srcgrad as sg
from srcgrad.adjoint import recompute
from srcgrad.compile.requests import Request
from srcgrad.emit import module
from srcgrad.emit.kept_records import Records
from srcgrad.public.compiled import Compiled


class Lists:
    """No records: a list for each value."""

    def __init__(self, body, lists, taken, numbers):
        self.body, self.kept, self.pairs = body, set(), []

    def leaf(self, name):
        return name


@pytest.fixture(autouse=True)
def kept(monkeypatch):
    """Little is computed again, so that there is something to keep."""
    monkeypatch.setattr(recompute, "SHARE", 0.03)


# --------------------------------------------------------------------------- programs


def branch(x, a):
    s = 1.0
    for v in x:
        t = s * v
        if t > 0.5:
            u = np.sin(t)
            s = u * s * np.exp(u * a)
        else:
            s = s + v * a
    return s


def broken(x, a):
    s = a
    for v in x:
        t = np.sin(s * v)
        if t < -0.5:
            break
        u = np.exp(t * s)
        if u > 2.5:
            s = s - u * t
            break
        s = s * u + t
    return s * a


def continued(x, a):
    s = a
    for v in x:
        t = np.sin(s * v)
        if t < 0.2:
            s = s + t * t
            continue
        u = np.exp(t * s)
        if u > 1.4:
            continue
        s = s * u + t * u
    return s


def returned(x, a):
    s = a
    for v in x:
        t = np.cos(s * v)
        if t < 0.3:
            return s * t * a
        u = np.exp(t)
        s = s * u * t
        if s > 40.0:
            return s / a
    return s


def raised(x, a):
    s = a
    for v in x:
        t = np.sin(s * v)
        try:
            if t > 0.6:
                raise ValueError
            s = s * np.exp(t)
        except ValueError:
            s = s - t * t * a
        u = s * t
        s = np.sin(u) + u
    return s


def raised_out_of_the_loop(x, a):
    s = a
    try:
        for v in x:
            t = np.sin(s * v)
            u = np.exp(t) * s
            if u > 2.0:
                raise ArithmeticError
            s = t * u + a
    except ArithmeticError:
        s = s * s
    return s * a


def a_key_that_is_missing(x, a):
    table = {0: 1.5, 2: 0.5}
    s = a
    for i, v in enumerate(x):
        t = np.sin(s * v)
        try:
            w = table[i]
        except KeyError:
            w = t * t
        s = s * np.exp(t * w)
    return s


def twice(x, a):
    s = a
    for v in x:
        t = np.sin(s)
        u = t * t * t * v
        w = np.exp(u) * t
        s = w * u + t / w
    return s


def rebound(x, a):
    s = a
    for v in x:
        t = np.sin(s * v)
        s = s * t
        t = np.exp(-t * t) * s
        s = np.sin(s) + t
        t = np.cos(t) * t
        s = s * t + v
    return s


def changed_in_place(x, a):
    y = x * a
    for i in range(4):
        z = np.sin(y)
        y[i] = z[i] * y[i] * a
        y *= np.cos(z)
        z[0] = y[1]
        y = y * z + i
    return np.sum(y)


def nested(x, a):
    s, w = a, 1.0
    for v in x:
        t = np.sin(s * v)
        for k in x:
            u = np.cos(t * k)
            w = w * u + s
            t = t + u * np.sin(w)
        s = s * t / (1.0 + w * w)
    return s * w


def nested_triangle(x, a):
    s = a
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            r = x[i] - x[j]
            q = np.sqrt(r * r + a)
            if q < 2.0:
                s = s + np.exp(-q) * r * s
            else:
                s = s * np.cos(q)
    return s


def three_deep(x, a):
    s = a
    for v in x:
        for k in range(2):
            p = np.sin(s * v)
            for w in x:
                q = np.cos(p * w)
                s = s + q * p * q
                p = p * np.exp(-q)
            s = s * p
    return s


def inner_while(x, a):
    s = a
    for v in x:
        t = v * s
        while t < 3.0:
            u = np.exp(0.1 * t)
            t = t * u + np.sin(u) * s + 1.0
            if u > 1.3:
                break
        s = np.cos(s) + t / (1.0 + s * s)
    return s


def while_loop(x, a):
    s, k = a, 0
    while s < 50.0:
        t = np.sin(s) * x[k]
        if t > 0.99:
            break
        s = s * (1.5 + 0.1 * t) + 0.2
        if k == 3:
            continue
        k += 1
    return s


def two_loops(x, a):
    ys, zs, s = [], [], a
    for v in x:
        y = np.sin(v * a)
        z = np.exp(y) * y
        ys.append(y)
        zs.append(z)
    for y, z in zip(ys, zs):
        s = s * np.cos(y * z)
    for i in range(len(ys)):
        s = s + ys[i] * zs[-1 - i] * s
    return s


def read_up_to_the_length(x, a):
    ys, zs, s = [], [], a
    for v in x[:2]:
        ys.append(v * a)
        zs.append(np.sin(v))
    for i in range(len(x)):
        if i < 2:
            s = s * ys[i] * zs[i]
    return s


def one_after_another(x, a):
    s = a
    for v in x:
        t = np.sin(s * v)
        u = np.exp(t) * t
        s = s * u + t
    for v in x:
        t = np.cos(s * v)
        u = np.exp(t) * t
        s = s * u + t
    return s * t * u


def no_iteration(x, a):
    s = a
    for v in x[4:]:
        t = np.sin(s * v)
        s = s * t * np.exp(t)
    return s * a


def backward(x, a):
    s = a
    for i in range(len(x) - 1, -1, -1):
        t = np.sin(s * x[i])
        u = np.exp(t)
        s = s * u * t + x[i - 1]
    return s


def filtered(x, a):
    mean, spread = 0.0, a
    for v in x:
        error = v - mean
        total = spread + 0.3
        gain = spread / total
        mean = mean + gain * error
        spread = (1.0 - gain) * spread + 0.1 * error * error / total
    return mean * spread


PROGRAMS = [
    branch, broken, continued, returned, raised, raised_out_of_the_loop, a_key_that_is_missing,
    twice, rebound, changed_in_place, nested, nested_triangle, three_deep, inner_while, while_loop,
    two_loops, read_up_to_the_length, one_after_another, no_iteration, backward, filtered]
POINTS = [(np.array([0.7, 1.1, 0.4, 1.9]), 0.8), (np.array([1.6, -0.7, 2.3, 0.2]), 1.3)]
MODES = ["value_and_grad", "grad"]


def derivative(program, mode):
    return Compiled(program, Request(mode, (0, 1), False))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_programs(program, mode, monkeypatch):
    with_records = derivative(program, mode)
    got = [with_records(*copy.deepcopy(point)) for point in POINTS]
    monkeypatch.setattr(module, "Records", Lists)
    without = derivative(program, mode)
    for point, found in zip(POINTS, got):
        assert same(found, without(*copy.deepcopy(point))), with_records.source(*point)
        value, slopes = found if mode == "value_and_grad" else (program(*point), found)
        assert same(value, program(*copy.deepcopy(point)))
        for place, slope in enumerate(slopes):
            assert close(slope, differences(program, point, place)[0]), with_records.source(*point)


@pytest.mark.parametrize("program", [nested, rebound, while_loop, filtered])
def test_second_derivatives(program, monkeypatch):
    def slope(x, a):
        return sg.grad(program, argnums=1)(x, a)

    got = [sg.value_and_grad(slope, argnums=(0, 1))(*copy.deepcopy(p)) for p in POINTS]
    monkeypatch.setattr(module, "Records", Lists)
    want = [sg.value_and_grad(slope, argnums=(0, 1))(*copy.deepcopy(p)) for p in POINTS]
    assert same(got, want)
    for point, (_, slopes) in zip(POINTS, got):
        for place in (0, 1):
            assert close(slopes[place], differences(slope, point, place)[0])


@pytest.mark.parametrize("program", [
    continued, raised, rebound, nested, nested_triangle, while_loop])
def test_programs_keep_records(program):
    assert re.search(r"kept\w*\.append\(\(", sg.value_and_grad(program).source(*POINTS[0]))


def test_lists_of_the_users_stay():
    text = sg.value_and_grad(read_up_to_the_length).source(*POINTS[0])
    assert "kept.append" not in text and "ys.append(" in text and "zs.append(" in text


# --------------------------------------------------------------------------- texts


def rewritten(text, lists, taken=(), numbers=()):
    """The text of a function with records, and what both make of ``x``."""
    (function,) = ast.parse(textwrap.dedent(text)).body
    before = ast.unparse(function)
    assert isinstance(function, ast.FunctionDef)
    function.body = Records(function.body, set(lists.split()), {"x", *taken}, numbers).body
    after = ast.unparse(ast.fix_missing_locations(function))
    found = []
    for each in (before, after):
        space = {}
        exec(each, space)
        found.append(space[function.name]([2.0, 3.0, 5.0]))
    assert found[0] == found[1], after
    return after


def test_a_record():
    text = rewritten("""
    def f(x):
        a = []
        b = []
        s = 1.0
        for v in x:
            t = s * v
            a.append(t)
            b.append(s)
            s = t + 1
        d = 0.0
        for i in reversed(range(3)):
            s_2 = b[i]
            d = d * a[i] + s_2
        return d
    """, "a b")
    assert "kept.append((t, s))" in text and "t, s_2 = kept[i]" in text and "a" not in re.findall(
        r"\w+", text)


OVERWRITTEN = """
    def f(x):
        a = []
        b = []
        s = 1.0
        for v in x:
            s += 2 * v
            a.append(s)
            {between}
            w = s + v
            b.append(w)
        d = 0.0
        for i in reversed(range(3)):
            d = d * a[i] + b[i]
        return d
    """


@pytest.mark.parametrize("between", ["s = s * s", "s *= v", "if v > 2.5:\n                s = v"])
def test_a_number_that_is_overwritten_has_a_second_name(between):
    text = rewritten(OVERWRITTEN.format(between=between), "a b", numbers="s")
    assert "s = s_2 = s + 2 * v" in text and "kept.append((s_2, w))" in text


def test_an_array_that_is_overwritten_has_none():
    text = rewritten(OVERWRITTEN.format(between="s = s * s"), "a b")
    assert "a.append(s)" in text and "kept" not in text


def test_a_temporary_that_two_loops_read_and_that_is_overwritten():
    rewritten("""
    def f(x):
        a = []
        b = []
        c = []
        e = []
        for v in x:
            t1 = v + 1
            w = t1 * t1
            t1 = v * w
            a.append(t1)
            b.append(t1)
            t1 = v - w
            c.append(w)
            e.append(w)
        d = t1
        for i in reversed(range(3)):
            d = d * a[i] + c[i]
        for i in reversed(range(3)):
            d = d * b[i] + e[i]
        return d
    """, "a b c e")


def test_a_variable_at_the_beginning_that_is_assigned_again():
    rewritten("""
    def f(x):
        a = []
        b = []
        for v in x:
            w = [v, v + 1]
            u = [v * v, v]
            a.append(w)
            b.append(u)
        d = 0.0
        for i in reversed(range(3)):
            t = a[i]
            q = t[0]
            t = b[i]
            d = d * q + t[1]
        return d
    """, "a b")


def test_a_variable_of_the_iteration_before():
    rewritten("""
    def f(x):
        a = []
        b = []
        for v in x:
            w = v * v
            a.append(w)
            b.append(v)
        d = 0.0
        t = 0
        k = [1.0, 2.0] * 20
        for i in reversed(range(3)):
            q = k[int(t)]
            t = a[i]
            r = b[i]
            d = d * q + t * r
        return d
    """, "a b")


def test_lists_that_their_own_loop_reads_stay():
    text = rewritten("""
    def f(x):
        a = []
        b = []
        s = 1.0
        for i in range(3):
            v = x[i]
            w = v * s
            a.append(v)
            b.append(w)
            if i > 0:
                s = s + a[i - 1] * b[i - 1]
        return s
    """, "a b")
    assert "kept" not in text


@pytest.mark.parametrize("use", [
    "for i in range(3):\n    d = d + a[i] * b[i]\nfor i in range(3):\n    d = d * a[i]",
    "for i in range(3):\n    d = d + a[i] * b[2 - i] * a[i - 1]",
    "for i in range(len(a)):\n    d = d + a[i] * b[i]",
    "for i in range(3):\n    d = d + b[i]\nd = d + a[0]",
    "i = 0\nwhile i < 3:\n    d = d + a[i] * b[i]\n    i = i + 1",
    "for i in range(3):\n    d = d + b[c[i]] * a[i]",
])
def test_lists_that_are_read_otherwise_stay(use):
    body = textwrap.indent(use, "    ")
    text = rewritten(
        "def f(x):\n    c = [2, 0, 1]\n    a = []\n    b = []\n    d = 0.0\n    for v in x:\n"
        f"        w = v * v\n        a.append(v)\n        b.append(w)\n{body}\n    return d\n", "a b")
    assert "kept" not in text


@pytest.mark.parametrize("between", [
    "if v > 2.5:\n    break", "if v > 2.5:\n    continue", "if v > 2.5:\n    return v",
    "for q in x:\n    if q > v:\n        break"])
def test_what_follows_a_way_out_stays(between):
    body = textwrap.indent(between, "        ")
    text = rewritten(
        "def f(x):\n    a = []\n    b = []\n    c = []\n    d = 0.0\n    for v in x:\n"
        f"        w = v * v\n        a.append(v)\n        b.append(w)\n{body}\n"
        "        u = v * w\n        c.append(u)\n    for i in range(len(c)):\n"
        "        d = d + a[i] * b[i]\n        d = d * c[i]\n    return d\n", "a b c")
    assert "kept.append((v, w))" in text and "c.append(u)" in text


def test_values_that_are_rebound_between():
    text = rewritten("""
    def f(x):
        a = []
        b = []
        c = []
        for v in x:
            w = v * v
            a.append(w)
            w += 1
            b.append(w)
            u = w
            if v > 2.5:
                w = 3.0
            c.append(u)
        d = 0.0
        for i in reversed(range(3)):
            d = d * a[i] + b[i] * c[i]
        return d
    """, "a b c")
    assert text.count(".append(") == 3


def test_lists_in_lists():
    text = rewritten("""
    def f(x):
        a = []
        b = []
        c = []
        for v in x:
            p = []
            q = []
            s = v
            for w in x:
                t = s * w
                p.append(s)
                q.append(t)
                s = t + 1
            a.append(p)
            b.append(q)
            c.append(s)
        d = 0.0
        for i in reversed(range(3)):
            d = d + c[i]
            for j in reversed(range(3)):
                d = d * a[i][j] + b[i][j]
        return d
    """, "a b c p q")
    assert text.count(".append((") == 2 and text.count(".append(") == 2


def test_a_parameter_keeps_its_value():
    text = rewritten("""
    def f(x, n=3, m=7):
        a = []
        b = []
        for i in range(n):
            y = x[i]
            m = y * i
            a.append(y)
            b.append(m)
        d = 0.0
        for i in reversed(range(n)):
            d = d * a[i] + b[i]
        return d * y + m
    """, "a b", ["n", "m"])
    assert "kept.append((y, m))" in text and "y, m = kept" not in text


def _is_unpacked(stmt):
    return isinstance(stmt.targets[0], ast.Tuple)


def test_the_statements_given_stay_as_they_were():
    text = ("a = []\nb = []\nfor v in x:\n    a.append(v)\n    b.append(x)\n"
            "for i in range(3):\n    d = a[i] + b[i][0]")
    body = ast.parse(text).body
    records = Records(body, {"a", "b"}, {"x"})
    assert any(map(_is_unpacked, records.body[-1].body)) and ast.unparse(ast.Module(body, [])) == text
    assert records.leaf("a") == "v" and records.leaf("b") == "x" and records.leaf("d") == "d"
