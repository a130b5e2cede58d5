"""Generators and iterators whose control flow depends on data, and what takes their items."""

from __future__ import annotations

import itertools
import math

import numpy as np

V = np.array([0.3, -1.0, 2.0, 0.7])
W = np.array([0.3, -1.0, 2.0, 0.7, 1.1, -0.4, 0.9])
CASES = []


def case(*args, others=()):
    """Register a program; ``others`` are arguments that take other paths."""

    def register(fn):
        fn.others = others
        CASES.append((fn, args))
        return fn

    return register


def positives(x):
    for v in x:
        if v > 0:
            yield v * 2


@case(W.copy(), others=[(-W,)])
def gen_filter(x):
    s = 0.0
    for v in positives(x):
        s += v * v
    return s


@case(W.copy(), others=[(-W,)])
def gen_filter_break(x):
    s = 0.0
    n = 0
    for v in positives(x):
        if s > 4.1:
            break
        s += v * v
        n += 1
    else:
        s = -s
    return s * n


@case(W.copy(), others=[(-W,)])
def gen_sum(x):
    return sum(positives(x)) + sum(v * v for v in positives(x) if v < 3)


@case(W.copy(), others=[(-W,)])
def gen_list(x):
    L = list(positives(x))
    return L[0] * len(L) + sum(L)


def halves(v, tol):
    while abs(v) > tol:
        yield v
        v = v * 0.5


@case(2.0, 0.3, others=[(5.0, 0.1)])
def gen_while(v, tol):
    s = 0.0
    for h in halves(v, tol):
        s += h * h
    return s


@case(2.0, 0.3, others=[(5.0, 0.1)])
def gen_enum(v, tol):
    s = 0.0
    for k, h in enumerate(halves(v, tol)):
        s += h * h * k
    return s


@case(2.0, 0.3, others=[(5.0, 0.1)])
def gen_zip(v, tol):
    s = 0.0
    for a, h in zip([1.0, 2.0, 3.0, 4.0], halves(v, tol)):
        s += h * h * a
    return s


def newton_iter(f, df, x):
    while True:
        yield x
        x = x - f(x) / df(x)


@case(1.5, others=[(4.0,)])
def gen_newton(x0):
    prev = None
    for x in newton_iter(lambda z: z * z - 2.0, lambda z: 2 * z, x0):
        if prev is not None and abs(x - prev) < 1e-8:
            break
        prev = x
    return x * x0


def positives_all(x):
    for v in x:
        yield v * 2


def pipeline_scale(it, a):
    for v in it:
        yield v * a


def pipeline_clip(it):
    for v in it:
        if v > 1:
            yield 1.0 + 0.1 * (v - 1)
        else:
            yield v


@case(W.copy(), others=[(-W,)])
def gen_pipeline(x):
    s = 0.0
    for v in pipeline_clip(pipeline_scale(positives(x), 1.7)):
        s += v * v
    return s


def flatten(x, k):
    if k == 0:
        yield from x
    else:
        yield from flatten(x[::2], k - 1)
        yield from flatten(x[1::2], k - 1)


@case(W.copy(), others=[(-W,)])
def gen_from_rec(x):
    s = 0.0
    for i, v in enumerate(flatten(x, 2)):
        s += v * i
    return s


def averager():
    total, n = 0.0, 0
    avg = None
    while True:
        v = yield avg
        total += v
        n += 1
        avg = total / n


@case(W.copy(), others=[(-W,)])
def gen_send(x):
    g = averager()
    next(g)
    s = 0.0
    for v in x:
        s = s + g.send(v) ** 2
    return s


@case(V.copy(), others=[(-V,)])
def gen_send_static(x):
    g = averager()
    next(g)
    s = 0.0
    for i in range(4):
        s = s + g.send(x[i]) ** 2
    return s


def summer(x):
    t = 0.0
    for v in x:
        t += v * v
        yield v
    return t


def outer(x):
    t = yield from summer(x)
    yield t * 10


@case(W.copy(), others=[(-W,)])
def gen_return(x):
    s = 0.0
    for v in outer(x):
        s = s * 0.9 + v
    return s


@case(W.copy(), others=[(-W,)])
def tools_take(x):
    a = sum(itertools.takewhile(lambda v: v < 1.5, x))
    b = sum(itertools.dropwhile(lambda v: v < 1.5, x))
    c = list(itertools.accumulate(x, lambda p, q: p * 0.5 + q))
    return a * b + c[-1] * c[1]


@case(W.copy(), others=[(-W,)])
def tools_islice_gen(x):
    s = 0.0
    for v in itertools.islice(positives(x), 2):
        s += v * v
    return s


class Countdown:
    def __init__(self, v):
        self.v = v

    def __iter__(self):
        return self

    def __next__(self):
        if self.v < 0.2:
            raise StopIteration
        self.v = self.v * 0.6
        return self.v


@case(2.0, others=[(5.0,)])
def user_iter(v):
    s = 0.0
    for h in Countdown(v):
        s += h * h
    return s


@case(2.0, others=[(5.0,)])
def user_iter_next(v):
    it = iter(Countdown(v))
    s = 0.0
    while True:
        h = next(it, None)
        if h is None:
            break
        s += h * h
    return s


@case(2.0, others=[(5.0,)])
def iter_sentinel(v):
    st = {"v": v}

    def step():
        st["v"] = st["v"] * 0.5
        return st["v"] if st["v"] > 0.2 else None

    s = 0.0
    for h in iter(step, None):
        s += h * h
    return s


@case(W.copy(), others=[(-W,)])
def genexp_partial(x):
    first = next((v for v in x if v > 1.03), 0.5)
    has = any(v > 1.53 for v in x)
    allp = all(v > -1.8 for v in x)
    s = first * first
    if has:
        s += 1.0 * x[0]
    if allp:
        s += x[1]
    return s


@case(W.copy(), others=[(-W,)])
def gen_max(x):
    return max(positives(x), default=0.0) * x[0] + max(positives(x), key=lambda v: -v, default=1.0)


class Tree:
    def __init__(self, v, l=None, r=None):
        self.v, self.l, self.r = v, l, r

    def __iter__(self):
        if self.l is not None:
            yield from self.l
        yield self.v
        if self.r is not None:
            yield from self.r


@case(W.copy(), others=[(-W,)])
def gen_tree(x):
    t = Tree(x[0], Tree(x[1]), Tree(x[2], Tree(x[3])))
    s = 0.0
    for k, v in enumerate(t):
        if v > 1.53:
            break
        s += v * (k + 1)
    return s


def rk_steps(y, h, tol):
    t = 0.0
    n = 0
    while t < 1.0 and n < 50:
        k1 = -y * y
        k2 = -((y + h * k1) ** 2)
        err = abs(h * (k2 - k1)) / 2
        if err < tol:
            t += h
            y = y + h * (k1 + k2) / 2
            yield t, y
            h = h * 1.5
        else:
            h = h * 0.5
        n += 1


@case(2.0, others=[(0.7,)])
def gen_ode(y0):
    ts, ys = [], []
    for t, y in rk_steps(y0, 0.2, 0.05):
        ts.append(t)
        ys.append(y)
    return sum(ys) + ts[-1] * ys[-1]


def batches(X, n):
    for i in range(0, len(X), n):
        yield X[i : i + n]


@case(W.copy(), 3, others=[(W.copy(), 2)])
def gen_batches(x, n):
    w = 1.0
    for b in batches(x, n):
        w = w - 0.1 * np.sum(b * w)
    return w


@case(W.copy(), others=[(-W,)])
def gen_return_in_consumer(x):
    def first_big(x):
        for i, v in enumerate(positives(x)):
            if v > 1.03:
                return v * (i + 1)
        return x[0]

    return first_big(x) * x[2]


@case(W.copy(), others=[(-W,)])
def gen_nested(x):
    s = 0.0
    for v in positives(x):
        for w in positives(x * 0.5):
            if w > v:
                continue
            s += v * w
    return s


@case(W.copy(), [], others=[(-W, [])])
def gen_effects(x, log):
    def noisy(x):
        log.append("start")
        for v in x:
            if v > 0:
                log.append("y")
                yield v
        log.append("end")

    s = 0.0
    for v in noisy(x):
        print("got")
        s += v * v
        if s > 4.1:
            break
    return s


def trajectory(y, h, stop):
    t = 0.0
    while True:
        yield t, y
        y = y - h * y * y
        t = t + h
        if y < stop:
            return


@case(2.0, 0.1, 0.8, others=[(3.0, 0.05, 1.4)])
def ode_first_below(y, h, stop):
    for t, v in trajectory(y, h, stop):
        if v < 1.5:
            break
    return t * v


@case(2.0, 0.1, 0.8, others=[(3.0, 0.05, 1.4)])
def ode_arrays(y, h, stop):
    ts, ys = zip(*trajectory(y, h, stop))
    return np.trapezoid(np.array(ys), np.array(ts))


class Grid:
    def __init__(self, x, w):
        self.x, self.w = x, w

    def __iter__(self):
        for i in range(len(self.x)):
            if self.w[i] > 0.1:
                yield i, self.x[i] * self.w[i]

    def pairs(self, r):
        for i, a in self:
            for j, b in self:
                if i < j and abs(a - b) < r:
                    yield a, b


@case(W.copy(), np.abs(W), 1.3, others=[(-W, np.abs(W) * 2, 0.6)])
def pair_energy(x, w, r):
    g = Grid(x, w)
    e = 0.0
    for a, b in g.pairs(r):
        e += (a - b) ** 2
    return e + sum(v for _, v in g)


def minibatch(X, y, size):
    n = X.shape[0]
    for s in range(0, n, size):
        yield X[s : s + size], y[s : s + size]


@case(np.arange(12.0).reshape(6, 2) * 0.1, np.linspace(0, 1, 6), np.array([0.1, 0.2]))
def sgd(X, y, w):
    for epoch in range(2):
        for Xb, yb in minibatch(X, y, 2):
            r = Xb @ w - yb
            if np.sum(r * r) < 0.01:
                continue
            w = w - 0.1 * Xb.T @ r
    return np.sum(w * w)


@case(W.copy(), others=[(-W,)])
def gen_writes(x):
    def fill(buf):
        for i in range(len(x)):
            buf[i] = x[i] * x[i]
            if buf[i] > 0.5:
                yield i

    buf = np.zeros(len(x))
    s = 0.0
    for i in fill(buf):
        buf[i] -= 0.1 * x[0]
        s += buf[i]
        if s > 3.0:
            buf[0] = 5 * x[1]
            break
    return s + np.sum(buf)


@case(W.copy(), others=[(-W,)])
def gen_closure_state(x):
    count = 0

    def items():
        nonlocal count
        for v in x:
            count += 1
            if v < -0.5:
                return
            yield v * count

    s = 0.0
    for v in items():
        s += v
    return s * count


@case(W.copy(), [], others=[(-W, [])])
def gen_effect_order(x, log):
    def noisy():
        for i, v in enumerate(x):
            log.append(("make", i))
            if v > 0:
                yield v
        log.append("end")

    s = 0.0
    for v in noisy():
        log.append("use")
        s += v * v
        if s > 1.0 and v < 0.95:
            break
    else:
        log.append("else")
    print("done")
    return s


@case(W.copy(), others=[(-W,)])
def gen_in_try(x):
    s = 0.0
    try:
        for v in positives(x):
            s += math.log(v - 0.5)
            s += math.sqrt(v)
    except ValueError:
        s = s * 2 + x[0]
    return s


@case(W.copy(), others=[(-W,)])
def gen_raises(x):
    def checked(x):
        for v in x:
            if v < -0.9:
                raise ValueError(v)
            yield v

    s = 0.0
    try:
        for v in checked(x):
            s += v
    except ValueError as e:
        s = s * 3 + e.args[0]
    return s


@case(W.copy(), others=[(-W,)])
def gen_pipeline_many(x):
    def diffs(it):
        last = None
        for v in it:
            if last is not None:
                yield v - last
            last = v

    def windows(it, k):
        buf = []
        for v in it:
            buf.append(v)
            if len(buf) > k:
                buf.pop(0)
            if len(buf) == k:
                yield sum(buf) / k

    return sum(d * d for d in diffs(windows((v for v in x), 3)))


@case(W.copy(), others=[(-W,)])
def gen_accum(x):
    tot = 0.0
    for v in itertools.accumulate(positives(x), lambda a, b: 0.5 * a + b):
        tot += v * v
    for v in itertools.takewhile(lambda v: v < 3.3, positives(x)):
        tot += v
    for a, b in itertools.pairwise(positives(x)):
        tot += a * b
    for k, v in enumerate(itertools.chain(positives(x), positives(-x)), 1):
        tot += v / k
    for v in map(lambda u: u * u, filter(lambda u: u > 1.0, positives(x))):
        tot += v
    return tot


@case(W.copy(), others=[(-W,)])
def gen_any_all(x):
    s = 1.0 * x[0]
    if any(v > 3.9 for v in positives(x)):
        s += x[2]
    if all(v > 0.1 for v in positives(x)):
        s *= 3
    if any(positives(x)):
        s += 1
    return s


@case(4.0, others=[(7.3,)])
def collatz_like(v):
    def orbit(v):
        n = 0
        while v > 1.2 and n < 40:
            v = v * 0.5 if v > 3 else v * 0.9 + 0.05
            n += 1
            yield v

    m = 0.0
    tot = 0.0
    for k, u in enumerate(orbit(v)):
        m = max(m, u)
        tot += u / (k + 1)
    return m * tot


def tree_nodes(lo, hi, f, tol):
    mid = 0.5 * (lo + hi)
    if hi - lo > tol:
        yield from tree_nodes(lo, mid, f, tol)
    yield mid, f(mid)
    if hi - lo > tol:
        yield from tree_nodes(mid, hi, f, tol)


@case(1.3)
def gen_recursive_static(a):
    s = 0.0
    for m, v in tree_nodes(0.0, 1.0, lambda t: np.exp(a * t), 0.3):
        s += v * m
    return s


@case(W.copy(), others=[(-W,)])
def gen_unused_partial(x):
    g = positives(x)
    s = 0.0
    for v in g:
        s += v
        if s > 2.05:
            break
    return s * x[0]


@case(W.copy(), 3, others=[(W.copy(), 5)])
def gen_static_infinite(x, n):
    def naturals():
        k = 1.0
        while True:
            yield k
            k += 1

    s = 0.0
    for v, k in zip(x[:n], naturals()):
        s += v * k
    g = naturals()
    return s * next(g) * next(g)


@case(W.copy(), others=[(-W,)])
def sum_of_items(x):
    return sum(positives(x))


@case(W.copy(), others=[(-W,)])
def sum_of_squares(x):
    return sum(v * v for v in positives(x))


@case(W.copy(), others=[(-W,)])
def sum_of_some(x):
    return sum([v * v for v in positives(x) if v < 3])


@case(W.copy(), others=[(-W,)])
def largest_item(x):
    return max(positives(x)) * x[0]


@case(W.copy(), others=[(-W,)])
def largest_or_default(x):
    return max(positives(x), default=0.0) * x[0]


@case(W.copy(), others=[(-W,)])
def largest_by_key(x):
    return max(list(positives(x)), key=lambda v: -v) * x[0]


@case(W.copy(), others=[(-W,)])
def sum_of_named(x):
    g = positives(x)
    return sum(g)


@case(W.copy(), others=[(-W,)])
def array_of_items(x):
    return np.sum(np.array(list(positives(x))) ** 2)


@case(W.copy(), others=[(-W,)])
def unpacked_items(x):
    a, b, *r = positives_all(x)
    return a * b + sum(r)


@case(W.copy(), others=[(-W,)])
def zipped_products(x):
    return sum(a * b for a, b in zip(positives(x), x))


@case(W.copy(), others=[(-W,)])
def numbered_items(x):
    d = {k: v for k, v in enumerate(positives_all(x))}
    return d[0] * d[3]


@case(W.copy(), others=[(-W,)])
def largest_square(x):
    return max((v * v for v in x if v > 0), default=0.0) * x[0]
