"""Loops over objects, and over lists that grow, shrink and replace one another, run natively and give what
NumPy's text gives: bits of values, types, exceptions; gradients but for the order of sums."""

from __future__ import annotations

import copy
import heapq
import math
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_native import native, plain_python  # noqa: F401

import srcgrad as sg

sys.path.insert(0, str(Path(__file__).parents[1] / "golden"))

from golden_objects import OBJECTS

SIZES = (0, 1, 2, 3, 5, 50)


# ---- lists that grow and shrink ----------------------------------------------------------------
def stack_of_floats(x, n):
    stack = [x]
    for i in range(n):
        top = stack.pop()
        stack.append(top * 0.5)
        stack.append(top + 0.1 * i)
    s = 0.0
    while stack:
        s = 0.9 * s + stack.pop()
    return s


def popped_at_the_front(x, n):
    queue = [x * (i + 1) for i in range(n)]
    s = 0.0
    while len(queue) > 1:
        a = queue.pop(0)
        b = queue.pop(0)
        queue.append(a * 0.3 + b * b * 0.1)
        s += a
    return s + queue[0]


def popped_once_too_often(x, n):
    xs = []
    for i in range(n):
        xs.append(x * i)
    s = 0.0
    for i in range(n + (n == 3)):
        s += xs.pop()
    return s


def index_that_is_far(x, n):
    xs = [x]
    s = 0.0
    for i in range(n):
        xs.append(xs[i] * 0.9)
        if i == 40:
            s += xs[i + 2]
        s += xs[-1]
    return s


def stored_far(x, n):
    xs = [x, x]
    for i in range(n):
        if i != 2:
            xs.append(x * i)
        xs[i + 2] = xs[i] * 0.5
    return xs[-1]


def inserted(x, n):
    xs = []
    for i in range(n):
        v = math.sin(x * (i + 1))
        k = 0
        while k < len(xs) and xs[k] < v:
            k += 1
        xs.insert(k, v)
    s = 0.0
    for i in range(len(xs)):
        s += xs[i] * (i + 1)
    return s


def from_the_end(x, n):
    xs = [x, 0.5 * x]
    for i in range(n):
        xs.append(xs[-1] * 0.7 + xs[-2] * 0.2)
    return xs[-1] + xs[0]


def replaced(x, n):
    level, s = [x], 0.0
    for i in range(n):
        following = []
        for v in level:
            if v > 0.1:
                following.append(v * 0.5)
            if len(following) < 20 and v < 1.0:
                following.append(v * 0.9 + 0.05)
        level = following
        for v in level:
            s += v * v
    return s


def sometimes_emptied(x, n):
    xs, s = [], 0.0
    for i in range(n):
        xs.append(x * i)
        if len(xs) > 4:
            for v in xs:
                s += v * v
            xs = []
    return s + len(xs)


def two_of_them(x, n):
    a, b = [x], [1.0]
    for i in range(n):
        if i % 3 == 0:
            a, b = b, a
        a.append(b[-1] * 0.8)
        b.append(a[-1] + 0.1)
    return a[-1] * b[-1]


def which_list(x, n):
    a, b = [x], [2.0 * x, x]
    for i in range(n):
        c = a if i % 2 else b
        if len(c) < 30:
            a.append(c[len(c) - 1] * 0.5)
    return a[-1]


def triangle(x, n):
    row = [1.0]
    for i in range(n):
        new = [1.0]
        for k in range(len(row) - 1):
            new.append(0.5 * (row[k] + row[k + 1]) * x)
        new.append(x)
        row = new
    s = 0.0
    for v in row:
        s += v
    return s


# ---- integers and truth values in lists --------------------------------------------------------
def counted(x, n):
    counts = [0] * 7
    for i in range(n):
        counts[(i * i) % 7] += i
    s = 0.0
    for k in counts:
        s += x * k
    return s


def returned_integers(x, n):
    ks, s = [], 0.0
    for i in range(n):
        ks.append((i * 7) % 11)
        s += x * ks[-1]
    return s, ks


def returned_truths(x, n):
    flags, vs = [], []
    for i in range(n):
        v = math.cos(x * i)
        flags.append(v > 0.0)
        vs.append(v)
    s = 0.0
    for flag, v in zip(flags, vs, strict=True):
        if flag:
            s += v
    return s, flags, vs


def sieve(x, n):
    prime = [True] * (n + 2)
    for i in range(2, n + 2):
        if prime[i]:
            k = i * i
            while k < n + 2:
                prime[k] = False
                k += i
    s = 0.0
    for i in range(2, n + 2):
        if prime[i]:
            s += x / i
    return s


def doubled(x, n):
    ks = [1]
    for _ in range(n + 30):
        ks.append(ks[-1] * 2)
    return x * ks[-1], ks[-1]


def places(x, n):
    order = []
    for i in range(n):
        k = len(order)
        while k > 0 and math.sin(order[k - 1]) > math.sin(i):
            k -= 1
        order.insert(k, i)
    s, w = 0.0, x
    for i in order:
        s += w * i
        w *= 0.9
    return s


def union_find(x, n):
    parent = list(range(n + 1))
    s = 0.0
    for i in range(n):
        a, b = i, (i * i + 1) % (n + 1)
        while parent[a] != a:
            a = parent[a]
        while parent[b] != b:
            b = parent[b]
        if a != b:
            parent[a] = b
            s += x * (i + 1)
    return s


# ---- numbers whose type the run tells -------------------------------------------------------------
def total_from_zero(x, n):
    xs = []
    for i in range(n):
        xs.append(x[0] * i)
    return sum(xs)


def either_kind(x, n):
    best = [1.5] * (n + 1)
    for i in range(n):
        t = x[0] * math.sin(i)
        if t < best[i]:
            best[i + 1] = t
    return best[n], best[n // 2] ** 2


def either_divided(x, n):
    vs = [1.0]
    for i in range(n):
        vs.append(x[0] - x[0] if i == 1 else vs[-1])
    return 1.0 / vs[-1] if n < 3 else vs[0] / vs[1]


def popped_kind(x, n):
    vs, last = [0.5], 0
    for i in range(n):
        if i % 2:
            vs.append(x[1] * i)
        else:
            vs.append(0.25 * i)
        last = vs.pop() if i % 3 else vs[0]
    return last


# ---- objects ----------------------------------------------------------------------------------
class Cell:
    def __init__(self, value):
        self.value, self.next, self.alive = value, None, True


def list_of_cells(x, n):
    head = None
    for i in range(n):
        cell = Cell(x * (i + 1))
        cell.next = head
        head = cell
    s, node = 0.0, head
    while node is not None:
        s = 0.5 * s + node.value
        node = node.next
    return s


def reversed_cells(x, n):
    head = Cell(x)
    for i in range(n):
        cell = Cell(x + i)
        cell.next = head
        head = cell
    before = None
    while head is not None:
        following = head.next
        head.next = before
        before, head = head, following
    s, w = 0.0, 1.0
    while before is not None:
        s += w * before.value
        w *= 0.7
        before = before.next
    return s


def dead_cells(x, n):
    cells = [Cell(math.sin(x * i)) for i in range(n)]
    for c in cells:
        if c.value < 0.0:
            c.alive = False
    s = 0.0
    for c in cells:
        if c.alive:
            s += c.value
    return s


@dataclass
class Account:
    balance: float
    kind: int


def accounts(x, n):
    every = [Account(x * (i + 1), i % 3) for i in range(n)]
    fees = 0.0
    for month in range(4):
        for a in every:
            if a.kind == 0:
                a.balance *= 1.01
            elif a.kind == 1:
                fee = 0.002 * a.balance
                a.balance -= fee
                fees += fee
            elif a.balance > 2.0:
                a.kind = 0
    s = fees
    for a in every:
        s += a.balance
    return s


class Walker:
    def __init__(self, x, v):
        self.x, self.v = x, v

    def step(self, dt):
        self.x += dt * self.v
        if self.x > 1.0:
            self.x, self.v = 2.0 - self.x, -self.v

    def split(self):
        return Walker(self.x * 0.5, -self.v)


def walkers(x, n):
    crowd = [Walker(x, 0.3)]
    for t in range(n):
        for w in crowd:
            w.step(0.1)
        if len(crowd) < 12:
            crowd.append(crowd[t % len(crowd)].split())
    return sum(w.x * w.v for w in crowd)


class Branch:
    def __init__(self, value):
        self.value, self.left, self.right = value, None, None


def depths(x, n):
    root = Branch(x)
    for i in range(n):
        node, v = root, x + math.sin(3.0 * i)
        while True:
            if v < node.value:
                if node.left is None:
                    node.left = Branch(v)
                    break
                node = node.left
            else:
                if node.right is None:
                    node.right = Branch(v)
                    break
                node = node.right
    s, todo = 0.0, [root]
    while todo:
        node = todo.pop()
        s += node.value * node.value / (1 + len(todo))
        if node.left is not None:
            todo.append(node.left)
        if node.right is not None:
            todo.append(node.right)
    return s


# ---- heaps and graphs --------------------------------------------------------------------------
def merged(x, n):
    heap = []
    for i in range(n):
        heapq.heappush(heap, (x * ((i * 7) % 11), i))
    s, w = 0.0, 1.0
    while heap:
        v, i = heapq.heappop(heap)
        s += w * v
        w *= 0.9
    return s


def huffman(x, n):
    heap, cost = [], 0.0
    for i in range(n):
        heapq.heappush(heap, x + (i % 4))
    while len(heap) > 1:
        a = heapq.heappop(heap)
        b = heapq.heappop(heap)
        cost += a + b
        heapq.heappush(heap, a + b)
    return cost


def events(x, n):
    heap, s, t = [(x, 0)], 0.0, 0.0
    count = 0
    while heap and count < n:
        t, kind = heapq.heappop(heap)
        s += t * (kind + 1)
        heapq.heappush(heap, (t + 0.3 * x, (kind + 1) % 3))
        if count % 4 == 0:
            heapq.heappush(heap, (t + 0.2, kind))
        count += 1
    return s


def made_a_heap(x, n):
    heap = [(-x * i, i, i * i) for i in range(n)]
    heapq.heapify(heap)
    s, w = 0.0, 1.0
    while heap:
        v, i, k = heapq.heappop(heap)
        s += v * w * k
        w *= 0.8
    return s


def remembered(x, n):
    known, stack = [-1.0] * (n + 1), [n]
    while stack:
        k = stack[-1]
        if k < 2:
            known[k] = x
            stack.pop()
        elif known[k - 1] < 0.0:
            stack.append(k - 1)
        else:
            known[k] = known[k - 1] * 0.5 + (known[k - 2] * 0.3 if known[k - 2] >= 0.0 else 0.0)
            stack.pop()
    return known[n]


def sums_of_rows(x, n):
    s = 0
    for i in range(n):
        row = [x * k for k in range(i)]
        s += sum(row)
    return s


def popped_from_no_heap(x, n):
    heap, s = [(x, 1)], 0.0
    for _ in range(n):
        v, i = heapq.heappop(heap)
        if n != 3:
            heapq.heappush(heap, (v * 0.5, i))
        s += v
    return s


def breadth_first(w, n):
    neighbours = [[(i + 1) % (n + 1), (i * 3) % (n + 1)] for i in range(n + 1)]
    dist, queue = [-1.0] * (n + 1), [0]
    dist[0] = 0.0
    while queue:
        u = queue.pop(0)
        for v in neighbours[u]:
            if dist[v] < 0.0:
                dist[v] = dist[u] + w
                queue.append(v)
    s = 0.0
    for d in dist:
        s += d
    return s


def buckets(x, n):
    found = [[] for _ in range(5)]
    for i in range(n):
        v = math.sin(x * i)
        found[(i * i) % 5].append(v)
    s, w = 0.0, 1.0
    for vs in found:
        for v in vs:
            s += w * v
        w *= 0.5 + 0.1 * len(vs)
    return s


def table(x, n):
    rows = []
    for i in range(n):
        row = []
        for k in range(i + 1):
            row.append(x * (i - k) if i == 0 else rows[i - 1][max(0, k - 1)] * 0.5 + k)
        rows.append(row)
    for i in range(1, len(rows)):
        rows[i][0] = rows[i - 1][-1] * x
    s = 0.0
    for row in rows:
        s += row[0] * row[-1]
    return s


def far_in_a_row(x, n):
    rows = [[x]]
    s = 0.0
    for i in range(n):
        rows.append([x * i, x])
        s += rows[i][1 if n == 3 else 0]
        if n == 2:
            rows[i + 5].append(s)
    return s


def rows_of_a_graph(w, rows):
    s, seen, todo = 0.0, [False] * len(rows), [0]
    while todo:
        u = todo.pop()
        if not seen[u]:
            seen[u] = True
            for v in rows[u]:
                s += w * (u + 1) / (v + 1)
                todo.append(v)
    return s


def straight_lines_between(x, n):
    xs = []
    for i in range(n):
        xs.append(x * i)
    y = xs[2]
    z = math.sqrt(y) + 1.0 / xs[1]
    xs.append(z)
    s = 0.0
    for v in xs:
        s += v * y
    return s


def numbers(n):
    return np.array([0.7, -0.4, *range(n)])


def number(n):
    return 0.7


PROGRAMS: list[tuple[Any, Any, bool]] = [  # the program, its first argument, is all of it in kernels
    (stack_of_floats, number, True), (popped_at_the_front, number, True),
    (popped_once_too_often, number, True), (index_that_is_far, number, True),
    (stored_far, number, True), (inserted, number, True), (from_the_end, number, True),
    (replaced, number, True), (sometimes_emptied, number, True), (two_of_them, number, True),
    (which_list, number, True), (triangle, number, True), (counted, number, True),
    (returned_integers, number, True), (returned_truths, number, True), (sieve, number, True),
    (doubled, number, False), (places, number, True), (union_find, number, True),
    (total_from_zero, numbers, True), (either_kind, numbers, True),
    (either_divided, numbers, False), (popped_kind, numbers, True), (list_of_cells, number, True),
    (reversed_cells, number, True), (dead_cells, number, True), (accounts, number, True),
    (walkers, number, True), (depths, number, True), (merged, number, True),
    (huffman, number, True), (events, number, True), (popped_from_no_heap, number, True),
    (made_a_heap, number, True), (remembered, number, True), (sums_of_rows, number, True),
    (breadth_first, number, True), (buckets, number, True), (table, number, True),
    (far_in_a_row, number, True), (straight_lines_between, number, True),
]


def outcome(run: Any, args: Any) -> Any:
    with warnings.catch_warnings():
        warnings.filterwarnings("error", ".*runs as Python", RuntimeWarning)
        warnings.filterwarnings("ignore", ".*encountered", RuntimeWarning)
        try:
            return run(*copy.deepcopy(args))
        except (ArithmeticError, ValueError, LookupError, AttributeError) as error:
            return type(error), str(error)


def of_value(fn: Any, *args: Any) -> Any:
    """A function's first result alone."""
    found = fn(*args)
    return found[0] if isinstance(found, tuple) else found


def compare(got: Any, want: Any, exact: bool) -> None:
    """Bits and types; gradients are sums in another order."""
    assert type(got) is type(want), (got, want)
    if isinstance(want, (tuple, list)):
        assert len(got) == len(want)
        for g, w in zip(got, want, strict=True):
            compare(g, w, exact)
    elif exact or isinstance(want, (str, type)):
        assert repr(got) == repr(want)
    else:
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("fn, first, in_kernels", PROGRAMS, ids=[p[0].__name__ for p in PROGRAMS])
def test_program(fn, first, in_kernels):
    pytest.importorskip("numba")
    run, df = native(sg.jit, fn), native(sg.grad, lambda *args: of_value(fn, *args))
    want = sg.grad(lambda *args: of_value(fn, *args))
    for n in SIZES:
        args = (first(n), n)
        compare(outcome(run, args), outcome(sg.jit(fn), args), True)
        compare(outcome(df, args), outcome(want, args), False)
    assert ("in NumPy:" not in str(df.explain(first(50), 50))) is in_kernels


@pytest.mark.parametrize("fn, first", [p[:2] for p in PROGRAMS], ids=[p[0].__name__ for p in PROGRAMS])
@pytest.mark.usefixtures("plain_python")
def test_text(fn, first):
    run = native(sg.value_and_grad, lambda *args: of_value(fn, *args))
    want = sg.value_and_grad(lambda *args: of_value(fn, *args))
    for n in (50, 3):
        args = (first(n), n)
        got, expected = (outcome(d, args) for d in (run, want))
        if type(expected[0]) is type:
            assert got == expected
        else:
            np.testing.assert_allclose(got[0], expected[0], rtol=1e-13)
            np.testing.assert_allclose(got[1], expected[1], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", OBJECTS)
def test_golden(name):
    pytest.importorskip("numba")
    program, _, arguments = OBJECTS[name]
    df, want = native(sg.value_and_grad, program), sg.value_and_grad(program)
    slope, slope_wanted = (sg.grad(program, backend=b) for b in ("numba", "numpy"))
    for n in SIZES:
        got, expected = outcome(df, arguments(n)), outcome(want, arguments(n))
        compare(got[0], expected[0], True)
        compare(got[1], expected[1], isinstance(got[0], type))
    args = arguments(5)
    direction = np.ones(np.shape(args[0]))[()]
    second = [sg.jvp(lambda x, f=f: f(x, *args[1:]), (args[0],), (direction,), backend=b)[1]
              for f, b in ((slope, "numba"), (slope_wanted, "numpy"))]
    np.testing.assert_allclose(*second, rtol=1e-9, atol=1e-12)
    assert "njit" in df.source(*arguments(50))


def test_rows():
    """Lists of lists are one array; integers that do not fit are left to Python's."""
    pytest.importorskip("numba")
    rows = [[(i * k + i + 1) % 300 for k in range(1 + i % 5)] for i in range(300)]
    df, want = native(sg.value_and_grad, rows_of_a_graph), sg.value_and_grad(rows_of_a_graph)
    assert "flattened" in df.source(0.5, rows)
    for given in (rows, rows[:2], [], [[]], [[0], [5]], [*rows[:200], [2 ** 40], [2 ** 70]],
                  [[-1], *rows[1:]], [[2 ** 31], *rows[1:]]):
        compare(outcome(df, (0.5, given)), outcome(want, (0.5, given)), False)
