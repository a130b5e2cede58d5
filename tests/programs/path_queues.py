"""Queues, stacks and windows whose length depends on data."""

from __future__ import annotations

import contextlib
from collections import deque

import numpy as np

W = np.array([0.3, -1.0, 2.0, 0.7, 1.1, -0.4, 0.9])
L = np.random.RandomState(0).randn(90)
CASES = []


def case(*args, others=()):
    """Register a program; ``others`` are arguments that take other paths."""

    def register(fn):
        fn.others = others
        CASES.append((fn, args))
        return fn

    return register


@case(W.copy(), 3, others=[(W[:5].copy(), 2)])
def sliding(x, k):
    win = deque(maxlen=k)
    out = 0.0
    for v in x:
        win.append(v)
        if len(win) == k:
            out += max(win) * sum(win)
    return out


@case(W.copy(), others=[(W[:5].copy(),)])
def sliding3(x):
    win = deque(maxlen=3)
    out = 0.0
    for v in x:
        win.append(v)
        out += sum(win) ** 2 / len(win)
    return out


@case(W.copy(), others=[(W[:5].copy(),)])
def running_queue(x):
    q = deque()
    s = 0.0
    out = 0.0
    for v in x:
        q.append(v)
        s += v
        while len(q) > 3:
            s -= q.popleft()
        out += s * s
    return out


@case(W.copy(), others=[(W[:5].copy(),)])
def data_queue(x):
    q = deque([x[0]])
    out = 0.0
    n = 0
    while q and n < 30:
        v = q.popleft()
        n += 1
        out += v * v
        if v > 0.25:
            q.append(v * 0.5)
            q.append(v * 0.3)
    return out


@case(
    np.abs(np.random.RandomState(0).rand(5, 5)) + 0.1,
    others=[(np.random.RandomState(1).rand(5, 5) + 0.2,)],
)
def bfs_thresh(A):
    n = A.shape[0]
    dist = np.zeros(n)
    seen = np.zeros(n, dtype=bool)
    q = deque([0])
    seen[0] = True
    while q:
        u = q.popleft()
        for w in range(n):
            if not seen[w] and A[u, w] > 0.5:
                seen[w] = True
                dist[w] = dist[u] + A[u, w]
                q.append(w)
    return np.sum(dist * dist)


@case(W.copy(), others=[(W[:5].copy(),)])
def stack_mono(x):
    st = []
    out = 0.0
    for i in range(len(x)):
        while st and st[-1] < x[i]:
            out += st.pop() * x[i]
        st.append(x[i])
    return out + sum(st)


@case(W.copy(), others=[(W[:5].copy(),)])
def stack_idx(x):
    st = []
    out = np.zeros(len(x))
    for i in range(len(x)):
        while st and x[st[-1]] < x[i]:
            j = st.pop()
            out[j] = x[i] - x[j]
        st.append(i)
    return np.sum(out**2)


@case(W.copy(), 2, others=[(W[:5].copy(), 3)])
def rotate(x, k):
    d = deque(x[i] for i in range(4))
    d.rotate(k)
    d.appendleft(d.pop() * 2)
    d.extendleft([x[0], x[1]])
    s = 0.0
    for i, v in enumerate(d):
        s += v * i
    return s + d[0] * d[-1]


@case(W.copy(), others=[(-W,)])
def data_branch_deque(x):
    d = deque()
    for i in range(4):
        if x[i] > 0:
            d.append(x[i])
        else:
            d.appendleft(x[i] * 2)
    s = 0.0
    k = 1.0
    while d:
        s += d.popleft() * k
        k *= 1.5
    return s


@case(W.copy(), others=[(-W,)])
def adaptive(x):
    def f(t):
        return np.exp(-x[0] * t) * np.sin(x[2] * t)

    todo = [(0.0, 1.0)]
    total = 0.0
    n = 0
    while todo:
        a, b = todo.pop()
        m = 0.5 * (a + b)
        s1 = (b - a) * f(m)
        s2 = 0.5 * (b - a) * (f(0.5 * (a + m)) + f(0.5 * (m + b)))
        n += 1
        if abs(s1 - s2) < 1e-3:
            total = total + s2
        else:
            todo.append((a, m))
            todo.append((m, b))
    return total + 0.0 * n


@case(W.copy(), others=[(-W,)])
def deque_of_arrays(x):
    h = deque(maxlen=3)
    y = x.copy()
    for _ in range(6):
        h.append(y.copy())
        y = 0.5 * y + sum(h) / len(h) * 0.3
    return np.sum(y * x)


@case(W.copy(), 5, others=[(W.copy(), 2)])
def lbfgs_hist(x, n):
    hist = deque(maxlen=2)
    y = x
    for k in range(n):
        g = 2 * y + 0.1 * y**3
        for s, r in hist:
            g = g - 0.01 * r * np.dot(s, g)
        yn = y - 0.1 * g
        hist.append((yn - y, 1.0 / (1 + np.dot(yn - y, yn - y))))
        y = yn
    return np.sum(y**2)


@case(W.copy(), others=[(-W,)])
def undo_stack(x):
    st = [0.0]
    undo = []
    for v in x:
        if v < 0 and undo:
            st.append(st[-1] - undo.pop())
        else:
            undo.append(v * v)
            st.append(st[-1] + v * v)
    return st[-1] * len(undo) + sum(st)


@case(W.copy(), 2)
def exit_callbacks(x, n):
    out = [x[0]]
    with contextlib.ExitStack() as st:
        for i in range(3):
            st.callback(out.append, x[i] * i)
        out.append(x[5])
    return sum(v * k for k, v in enumerate(out))


@case(L.copy(), 4, others=[(L[:80].copy(), 4)])
def long_window(x, k):
    win = deque(maxlen=k)
    out = 0.0
    for v in x:
        win.append(v)
        if len(win) == k:
            out += max(win) * sum(win)
    return out


@case(W.copy(), others=[(-W,)])
def queue_and_rest(x):
    q = deque([1.0])
    for v in x:
        if v > 0:
            q.append(v * q[-1])
        elif len(q) > 1:
            q.popleft()
    q.rotate(1)
    s = 0.0
    for i, v in enumerate(q):
        s += v * (i + 1)
    return s + len(q) + q[0]


@case(W.copy(), others=[(-W,)])
def queue_in_object(x):
    class Buf:
        def __init__(self):
            self.q = deque()
            self.total = 0.0

        def push(self, v):
            self.q.append(v)
            self.total = self.total + v
            while self.total > 2.05:
                self.total = self.total - self.q.popleft()

    b = Buf()
    s = 0.0
    for v in x:
        b.push(v * v)
        s += b.total * len(b.q)
    return s


@case(W.copy(), others=[(-W,)])
def queue_empty_raises(x):
    q = deque(v for v in x if v > 0)
    s = 0.0
    try:
        for k in range(5):
            s += q.popleft() * (k + 1)
    except IndexError:
        s = -s
    return s


class Q:
    def __init__(self):
        self.items = []

    def append(self, v):
        self.items.append(v)
        if len(self.items) > 4:
            self.items.pop(0)

    def __iter__(self):
        return iter(self.items)


class Q2(Q):
    def __len__(self):
        return len(self.items)


class Q3(Q):
    def total(self):
        return sum(self.items)


@case(L.copy())
def items_of_an_object(x):
    win = Q()
    out = 0.0
    for v in x:
        win.append(v)
        out += sum(win)
    return out


@case(L.copy())
def items_of_a_sized_object(x):
    win = Q2()
    out = 0.0
    for v in x:
        win.append(v)
        out += sum(win)
    return out


@case(L.copy())
def total_of_an_object(x):
    win = Q3()
    out = 0.0
    for v in x:
        win.append(v)
        out += win.total()
    return out


@case(L.copy())
def loop_over_an_object(x):
    win = Q3()
    out = 0.0
    for v in x:
        win.append(v)
        for w in win:
            out += w
    return out


@case(L.copy())
def iterator_of_a_list(x):
    items = []
    out = 0.0
    for v in x:
        items.append(v)
        if len(items) > 4:
            items.pop(0)
        out += sum(iter(items))
    return out


@case(W.copy(), others=[(-W,), (W * 0.1,)])
def all_that_deques_do(x):
    """Deques of which data decide the length, and of which it is known."""
    some, window = deque(), deque([x[0], x[1], x[2]], maxlen=4)
    for v in x:
        if v > 0.15:
            some.append(v)
    same = some.copy()
    some.reverse()
    window.insert(1, x[0] * 2.0)
    window.remove(x[1])
    del window[0]
    both = window + deque(x[:3])
    both *= 2
    total = (some == same) + 2.0 * (same >= some) + 3.0 * (window < both)
    for k, v in enumerate(both):
        total += k * v
    try:
        total += len(window[0:1])
    except TypeError:
        total += sum(some) * len(some)
    return total + (window * 2)[-1]
