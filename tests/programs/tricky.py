"""Programs that decide whether the design is right: control flow, lists, objects, integers."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace

import numpy as np

R = np.random.RandomState(0)
X = R.rand(4) + 0.5
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


@case(X)
def t1(x):
    v = x[1:]
    if x[0] > 0:
        v *= 2
    return np.sum(x)


@case(3.0)
def t2(x):
    r = x
    L = []
    while r > 0.1:
        L.append(x * r * r)
        r = r / 2
    return np.sum(np.stack(L))


@case(X, 3)
def t3(u, n):
    u = u.copy()
    c = 0.5

    def step(u):
        u[1:] += c * u[:-1]

    for t in range(n):
        step(u)
    return np.sum(u * u)


@case(X, R.rand(2, 3))
def t4(x, W):
    s = 0
    for i in range(len(x)):
        s = s + x[i] * W
    return s.sum()


@case(X, 5)
def t5(x, n):
    y = np.ones(4)
    for i in range(n):
        y = y + x if i % 2 else y * x
    return np.sum(y)


@case(R.rand(3, 3), 0.8)
def t6(a, s):
    t = 0.7
    for i in range(3):
        for j in range(3):
            if a[i, j] > t:
                return s * a[i, j]
            s = s * a[i, j] + s
    return s


@case(R.randn(5), R.randn(5))
def t8(x, w):
    mask = x > 0
    z = x[mask]
    return np.sum(z * w[mask])


@case(X, R.rand(3))
def t9(x, w):
    return np.sum((x[1:] - x[:-1]) * w)


class P:
    pass


@case(X, X * 0.3)
def t11(u, v):
    s = P()
    s.u = u.copy()
    s.v = v.copy()

    def kick(p):
        p.v[1:] -= p.u[:-1] * 0.1

    for t in range(3):
        s.u = s.u + 0.1 * s.v
        kick(s)
    return np.sum(s.u * s.v)


@case(3.7)
def t13(x):
    def f(x):
        return x if x < 1 else f(x / 2)

    while x >= 1:
        x = x / 2
    return x * x


@case(X)
def t15(x):
    loss = np.sum(x)
    L = []
    if loss > 1e3:
        L.append(1)
    else:
        L.append(2)
    return loss * L[-1]


@case(X)
def t17(xs):
    it = iter(xs)
    s = 0.0
    for k in range(3):
        v = next(it)
        s += v * v
    return s


@case(X)
def t18(x):
    k = 1
    s = 0.0
    for i in range(k):
        s += x.sum(axis=k - 1)
    return s


@case(4.0)
def t19(x):
    err = x
    s = 0.0
    while err > 0.01:
        err = err * 0.5 * x / 4.0
        s += err * err
    return s


@case(X, 2)
def t20(x, n):
    table = [np.sin, np.cos, np.tanh]
    return np.sum(table[n](x))


@case(X)
def t21(x):
    z = np.array(3.0)
    y = z
    z += 1
    return y * x[0] + x[0, ...]


@case(X[0], X)
def t23(x, c):
    s = 0.0
    for k in range(4):
        s += c[k] * x**k
    return s


@case(X)
def t30(x):
    best = None
    for i in range(4):
        l = (x[i] - 0.7) ** 2
        if best is None or l < best:
            best = l
    return best


@case(2.0)
def t31(x):
    s = 0.0
    for k in range(1000):
        d = x / 2**k
        s += d * d
        if abs(d) < 1e-3:
            break
    return s


A = R.rand(4, 4)
A = A @ A.T + 4 * np.eye(4)


@case(A)
def t32(A):
    n = A.shape[0]
    L = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            L[i, j] = (A[i, j] - L[i, :j] @ L[j, :j]) / L[j, j]
        L[i, i] = np.sqrt(A[i, i] - L[i, :i] @ L[i, :i])
    return np.sum(np.log(np.diag(L)))


@case(X, R.rand(4, 3), R.rand(3, 2), R.rand(3), R.rand(2))
def t34(x, W0, W1, b0, b1):
    Ws = [W0, W1]
    bs = [b0, b1]
    h = x
    for i in range(len(Ws)):
        h = np.tanh(h @ Ws[i] + bs[i])
    return h.sum()


@case(X)
def t35(a):
    a = np.asarray(a, dtype=float)
    if not isinstance(a, np.ndarray):
        raise TypeError
    return np.sum(a * a)


@case(R.rand(3, 4), R.rand(3, 4))
def t36(A, B):
    A = np.asfortranarray(A)
    return np.sum(A.T @ B)


@case(X, X * 2, X * 3)
def t37(x, y, w):
    z = x + y
    return np.sum(z * w)


@case(X)
def t40(x):
    phase = "warm"
    s = 0.0
    for i in range(4):
        r = x[i]
        if phase == "warm" and r < 0.9:
            phase = "cold"
        s += r * r if phase == "warm" else r
    return s


@dataclass
class State:
    x: object
    v: object


@case(X, X * 0.1)
def t46(x, v):
    s = State(x, v)
    for i in range(3):
        s = replace(s, x=s.x + 0.1 * s.v)
    return np.sum(s.x**2)


@case(R.rand(4), R.rand(4))
def t47(x, c):
    idx = np.argsort(x)
    return np.sum(x[idx] * np.arange(4))


@case(R.rand(3, 4), R.rand(2))
def t48(X, s):
    X = X.copy()
    total = 0.0
    for row in X:
        row *= s[0]
        total += row.sum()
    return total + np.sum(X * X)


@case(1.5, 3)
def t50(x, n):
    r = 1.0
    for i in range(n):
        r = r * x
    return r


@case(X)
def u1(x):
    y = np.zeros(4)
    for i in range(4):
        if i == 0:
            y[i] = x[i]
        else:
            y[i] = x[i] * y[i - 1] + 0.5
    return y[-1]


@case(X)
def u2(x):
    out = []
    for i in range(len(x)):
        out.append(np.sin(x[i]))
    return sum(out)


@case(X)
def u3(x):
    return sum([a * a for a in x])


@case(X)
def u4(x):
    d = {"a": x, "b": 2.0}
    d["c"] = d["a"] * d["b"]
    return np.sum(d["c"] * d["a"])


@case(X)
def u5(x):
    try:
        y = x / 2
    except Exception:
        y = x
    return y.sum()


@case(X)
def u6(x):
    with np.errstate(all="ignore"):
        y = np.log(x)
    return y.sum()


@case(X)
def u7(x):
    a, b, *c = x
    return a * b + sum(c)


@case(X)
def u8(x):
    m = max(x[0], x[1])
    n = min(x)
    return m * n


@case(X)
def u9(x):
    return functools.reduce(lambda a, b: a * b, [x[i] for i in range(4)])


@case(R.rand(3, 3), X[:3])
def u10(A, b):
    return np.linalg.solve(A + 3 * np.eye(3), b).sum()


@case(X)
def u11(x):
    y = x.copy()
    y[[0, 0, 1]] += x[:3]
    np.add.at(y, [0, 0, 2], x[1:])
    y[x > 1.0] = 0.3
    return np.sum(y * x)


@case(X)
def u12(x):
    i = 0
    s = 0.0
    while True:
        s += x[i] ** 2
        i += 1
        if i >= len(x):
            break
    return s


@case(X)
def u13(x):
    for i in range(4):
        if x[i] > 0.9:
            s = x[i] * 3
            break
    else:
        s = x[0]
    return s


@case(0.5)
def u14(x):
    z = complex(x, 1.0)
    return abs(z * z)


@case(X)
def u15(x):
    return math.sin(x[0]) * math.exp(x[1]) + float(x[2])


@case(X)
def u16(x):
    def gen():
        for i in range(3):
            yield x[i] * i

    return sum(gen())


class Layer:
    def __init__(self, W, b):
        self.W = W
        self.b = b

    def __call__(self, h):
        return np.tanh(h @ self.W + self.b)


@case(R.rand(4, 3), R.rand(3), X)
def u17(W, b, x):
    net = [Layer(W, b)]
    for l in net:
        x = l(x)
    return x.sum()


@case(X)
def u18(x):
    return np.sum(np.array([x[0] * x[1], math.cos(x[2]), 3.0]))


@case(R.rand(4, 4))
def u19(A):
    B = A.copy()
    B[0], B[1] = B[1].copy(), B[0].copy()
    B[[2, 3]] = B[[3, 2]]
    B.T[0] *= 2
    return np.sum(B * np.arange(16).reshape(4, 4))


@case(X)
def u20(x):
    match len(x):
        case 3:
            return x.sum()
        case 4:
            return (x * x).sum()
    return 0.0
