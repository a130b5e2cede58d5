"""NumPy as people write it: try, vectorize, nditer, out=, shapes set in place, einsum, math."""

from __future__ import annotations

import collections
import math

import numpy as np

R = np.random.RandomState(4)
X = R.rand(4) + 0.5
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


@case(R.rand(3, 3), R.rand(3))
def c1(A, b):
    try:
        z = np.linalg.solve(A, b)
    except np.linalg.LinAlgError:
        z = np.linalg.lstsq(A, b, rcond=None)[0]
    return np.sum(z * z)


@case(X)
def c3(x):
    s = 0.0
    for v in np.nditer(x):
        s += float(v) ** 2 if False else v * v
    return s


@case(X)
def c4(x):
    return np.sum(np.vectorize(lambda v: v * v if v > 0.7 else v)(x))


@case(X)
def c5(x):
    y = np.apply_along_axis(lambda r: r * r.sum(), 1, x.reshape(2, 2))
    return y.sum()


@case(X)
def c7(x):
    i = np.ix_([0, 1], [1, 2])
    A = np.outer(x, x)
    return A[i].sum() + A[np.s_[1:, 0]].sum()


@case(X)
def c8(x):
    y = x.copy()
    y.shape = (2, 2)
    return np.sum(y @ y)


@case(X)
def c9(x):
    y = np.ndarray((4,))
    y[:] = x
    y.sort()
    return y[0] * y[-1] + y.flat[1]


@case(X)
def c10(x):
    y = np.zeros_like(x)
    np.add(x, 1, out=y, where=x > 0.7)
    return np.sum(y * x)


@case(X)
def c11(x):
    r = np.add.reduce(x) * np.multiply.accumulate(x)[-1] + np.multiply.outer(x, x).sum()
    return r


@case(X)
def c12(x):
    s = sum(a * b for a, b in zip(x, x[1:]))
    t = max(abs(v) for v in x)
    d = {i: v for i, v in enumerate(x)}
    q = {k for k in (1, 2)}
    return s * t + d[2] + len(q)


@case(X)
def c13(x):
    st = [(x[0], "a"), (x[1], "b")]
    st.sort(key=lambda p: p[1], reverse=True)
    return st[0][0] * 2 + st[1][0]


@case(X)
def c14(x):
    s = 0.0
    n = 0
    while n < 3:
        n += 1
        if x[n] > 10:
            continue
        for k in range(n):
            if k == 2:
                break
            s += x[k] * x[n]
        else:
            s *= 0.5
    return s


@case(X)
def c15(x):
    a = x.tolist()
    b = [v * 2 for v in a]
    return sum(b) + float(x[0]) * int(3.7) + round(x[1], 1) * 0 + bool(x[2]) * x[3]


@case(X)
def c16(x):
    out = np.empty((2, 2))
    out[0] = x[:2]
    out[1, :] = x[2:]
    out[:, 0] *= 2
    out += out.T.copy()
    return np.linalg.norm(out) + out.mean() + out.std()


@case(X)
def c17(x):
    u, s, v = np.linalg.svd(np.outer(x, x) + np.eye(4))
    return s.sum()


@case(X)
def c18(x):
    from math import exp, sqrt

    return sqrt(x[0]) * exp(-x[1]) + math.hypot(x[2], x[3]) + math.pi * math.log(x[0], 2)


@case(X)
def c20(x):
    h = np.histogram(x, bins=3)[0]
    i = np.searchsorted(np.sort(x), 0.8)
    return np.sum(h) * x[0] + x[i % 4]


@case(X)
def c21(x):
    M = np.array([[math.cos(x[0]), -math.sin(x[0])], [math.sin(x[0]), math.cos(x[0])]])
    v = M @ x[1:3]
    return v @ np.array([1.0, 2.0])


@case(X)
def c22(x):
    t = 1.0
    for i in range(len(x) - 1, -1, -1):
        t = x[i] + t * 0.5
    for i in range(0, 4, 2):
        t += x[i]
    return t


@case(X)
def c23(x):
    def g(*args, **kw):
        return sum(args) * kw.get("k", 1.0)

    return g(*x, k=x[0]) + g(*[x[1], x[2]], **{"k": 2.0})


@case(X)
def c24(x):
    y = x
    y = y + 1
    z = x
    z -= 0.0 * y
    q = [z, y]
    q[0][1] = 3.0
    return np.sum(x * y)


@case(X)
def c25(x):
    e = np.einsum("i,j->ij", x, x)
    t = np.tensordot(e, e, axes=2)
    k = np.kron(x, x).sum()
    c = np.convolve(x, x, "same").sum()
    return t + k + c + np.cross(x[:3], x[1:]).sum()


@case(X, 3)
def c26(x, n):
    P = [np.eye(2)]
    for k in range(n):
        P.append(P[-1] @ np.array([[x[0], x[1]], [x[2], x[3]]]))
    return sum(np.trace(p) for p in P)


@case(X)
def c27(x):
    s = ""
    t = 0.0
    for c in "abc":
        s += c
        t += len(s) * x[ord(c) - ord("a")]
    return t


@case(X)
def c28(x):
    cnt = collections.Counter("aab")
    dd = collections.defaultdict(float)
    for k, v in zip("xyxy", x):
        dd[k] += v * cnt["a"]
    return dd["x"] * dd["y"]


@case(X)
def c29(x):
    lo = 0
    hi = 3
    while lo < hi:
        mid = (lo + hi) // 2
        if x[mid] > 0.8:
            hi = mid
        else:
            lo = mid + 1
    return x[lo] ** 2


@case(X)
def c30(x):
    y = x - x.max()
    p = np.exp(y) / np.exp(y).sum()
    return -np.sum(p * np.log(p))
