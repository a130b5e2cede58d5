"""Users' programs: loops, branches, in-place writes, lists, helpers, linear algebra, complex
numbers.  Each is decorated with its arguments and the numbers of those to differentiate."""

from __future__ import annotations

import math

import numpy as np

r = np.random.default_rng(5)
x5 = r.normal(size=5)
y5 = r.normal(size=5)
A = r.normal(size=(4, 4))
SOURCES = {}


def T(*args, wrt=(0,)):
    def register(f):
        SOURCES[f.__name__] = (f, args, wrt)
        return f

    return register


@T(x5)
def t1(x):
    v = x[1:]
    u = x.copy()
    w = u[1:]
    if x[0] > -10:
        w *= 2
    return np.sum(u * x)


@T(x5, 3)
def t5(x, n):
    y = x * 1.0
    for i in range(n):
        y = y + x if i % 2 else y * x
    return np.sum(y)


@T(A, 0.5)
def t6(a, t):
    s = 1.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            s = s * 1.1 + a[i, j] ** 2
            if a[i, j] > t:
                return s * a[i, j]
    return s


@T(x5, 0.1)
def t8(x, b):
    z = x[x > 0]
    w = np.arange(5.0)
    return np.sum(z * w[x > 0]) + np.sum(z + b)


@T(np.abs(x5) + 0.1, 2)
def t23(x, n):
    s = 0.0
    for k in range(5):
        s = s + np.sum(x**k) * k
    return s + np.sum(x**2.5) + np.sum(2.0**x) + np.sum(x**n)


@T(x5)
def t28(u):
    u = u.copy()
    un = np.zeros_like(u)
    for k in range(3):
        un[1:-1] = u[1:-1] * u[2:]
        u, un = un, u
    return np.sum(u * u)


@T(x5)
def t30(x):
    best = None
    for i in range(5):
        l = x[i] * x[i]
        if best is None or l < best:
            best = l
    return best * 3.0


@T(A)
def t48(X):
    X = X.copy()
    tot = 0.0
    for row in X:
        row *= row[0]
        tot += row.sum()
    return tot + np.sum(X**2)


@T(x5, y5, wrt=(0, 1))
def t37(x, w):
    z = x + w
    return np.sum(z * w)


@T(2.0, 5)
def fl(x, n):
    for i in range(n):
        x = math.sin(x) * x + math.exp(-x)
    return x


@T(x5, 1e-3)
def newton(x, tol):
    z = 1.0
    while abs(z * z - np.sum(x * x)) > tol:
        z = 0.5 * (z + np.sum(x * x) / z)
    return z


@T(x5)
def lists(x):
    L = [x[i] ** 2 for i in range(5)]
    s = 0.0
    for i, v in enumerate(L):
        s += v * (i + 1)
    return s * L[-1] + sum(L) + max(L)


@T(x5, y5, wrt=(0, 1))
def helper(x, y):
    def f(a, b=2.0):
        return np.tanh(a) * b

    d = {"a": f(x), "b": f(y, 3.0)}
    return np.dot(d["a"], d["b"])


@T(A, x5[:4], wrt=(0, 1))
def linalg(A, b):
    M = A @ A.T + 4 * np.eye(4)
    z = np.linalg.solve(M, b)
    s, l = np.linalg.slogdet(M)
    w, v = np.linalg.eigh(M)
    return z @ b + l + np.sum(np.linalg.inv(M) ** 2) + np.sum(w**1.5) + np.linalg.norm(A)


@T(x5)
def maxmin(x):
    return (
        np.max(x) * np.min(x)
        + np.sum(np.maximum(x, 0.1))
        + np.sum(np.abs(x))
        + np.sum(np.clip(x, -0.5, 0.5) * x)
        + np.sum(np.sort(x) * np.arange(5.0))
    )


@T(x5)
def cum(x):
    return (
        np.sum(np.cumsum(x) ** 2)
        + np.prod(x)
        + np.std(x)
        + np.var(x)
        + np.mean(x) ** 3
        + np.sum(np.diff(x) ** 2)
    )


@T(A)
def einsum(A):
    return (
        np.einsum("ij,jk,ki->", A, A, A)
        + np.einsum("ii", A) ** 2
        + np.sum(np.einsum("ij->j", A) ** 3)
        + np.trace(A @ A)
    )


@T(x5)
def fancy(x):
    u = np.zeros(8)
    u[[1, 3, 3]] = x[:3]
    u[np.array([0, 2])] += x[3:]
    np.add.at(u, [1, 1], x[:2])
    return np.sum(u**2 * np.arange(8))


@T(x5)
def mask(x):
    u = x.copy()
    u[u < 0] *= 0.1
    u[u > 1] = 1.0
    v = np.where(x > 0, np.sqrt(np.abs(x)), x)
    return np.sum(u * v)


@T(x5, y5, wrt=(0, 1))
def cont(x, y):
    s = 0.0
    for i in range(5):
        if x[i] < 0:
            continue
        s += x[i] * y[i]
        if s > 1.5:
            break
        s *= 1.1
    else:
        s += y[0]
    return s


@T(A)
def stack2(A):
    rows = []
    for i in range(A.shape[0]):
        rows.append(np.sin(A[i]) * A[i, 0])
    B = np.vstack(rows)
    D = np.concatenate(rows)
    E = np.array(rows)
    return np.sum(B @ B) + np.sum(D**3) + np.sum(E[0] * E[1])


@T(x5)
def whl(x):
    i = 0
    s = x[0]
    while i < 4 and s < 10:
        s = s * x[i] + 1.0
        i += 1
    return s


@T(x5)
def nested_fn(x):
    def step(u, c):
        u[1:] += c * u[:-1]

    u = x.copy()
    for t in range(3):
        step(u, x[0])
    return np.sum(u * u)


@T(0.7, 1.3, wrt=(0, 1))
def scal(a, b):
    c = a * b
    c += a
    c *= b
    c -= 1.0
    c /= a
    c **= 2
    if c > b:
        c = -c
    return c * a


@T(x5)
def zerod(x):
    z = np.array(3.0)
    y = z
    z += x[0]
    return y * x[0] + x.sum() * z


@T(A)
def trans(A):
    B = A.T.copy()
    B[0] = A[:, 1] ** 2
    Cc = A.reshape(2, 8)
    v = Cc[:, 1:3]
    return (
        np.sum(B * A)
        + np.sum(v**3)
        + np.sum(A.ravel()[::3] ** 2)
        + np.sum(A[::-1, 1:] * A[:, 1:])
        + np.sum(A[:, None, :] * A[None])
    )


@T(x5)
def lse(x):
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m)))


@T(A, x5[:4], wrt=(0, 1))
def rnn(W, x):
    h = np.zeros(4)
    tot = 0.0
    for t in range(5):
        h = np.tanh(W @ h + x)
        tot += h @ h
    return tot


@T(x5)
def inplace_arg(x):
    x = x * 1.0
    x[0] = x[1] * x[2]
    y = x
    y[1] = y[0] ** 2
    return np.sum(x**2)


@T(x5)
def cplx(x):
    z = x * (1 + 2j)
    w = np.exp(1j * x)
    return np.sum(np.abs(z * w) ** 2) + np.sum((z * w).real) + np.sum(np.imag(w) * x)


@T(x5)
def fft(x):
    return np.sum(np.abs(np.fft.fft(x)) ** 2 * np.arange(5))


@T(
    x5,
)
def d2(x):
    p = {"w": x, "b": [x[0], x[1]]}
    return np.sum(p["w"]) * p["b"][0] * p["b"][1]


class M:
    def __init__(s, w):
        s.w = w

    def __call__(s, x):
        return np.tanh(x * s.w)


@T(x5)
def cls(x):
    m = M(x)
    s = 0.0
    for k in range(3):
        s = s + np.sum(m(x))
        m.w = m.w * x
    return s


@T(x5)
def jacobi3(x):
    n = x.shape[0]
    D = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if i != j:
                D[i, j] = 1.0 / (1.0 + (x[i] - x[j]) ** 2)
    return np.sum(D)


@T(x5)
def popl(x):
    st = [x[0], x[1]]
    for i in range(2, 5):
        a = st.pop()
        b = st.pop()
        st.append(a * b)
        st.append(x[i])
    return st[0] * st[1]


@T(x5)
def early(x):
    s = np.sum(x)
    if s > 100:
        return s
    if s < -100:
        return -s
    y = s * s
    return y * x[0]


@T(x5, 4)
def seqs(x, n):
    hist = [x]
    for k in range(n):
        hist.append(np.sin(hist[-1]) + 0.1 * hist[0])
    return np.sum(hist[-1] * hist[2])


@T(x5, 3, wrt=(0,))
def widen(x, n):
    s = 0
    for i in range(n):
        s = s + x[i] * x
    return np.sum(s)


@T(x5, A[:, 0], wrt=(0, 1))
def join1(x, y):
    if x[0] > 0:
        z = x
    else:
        z = np.sum(x)
    return np.sum(z * 2.0) + np.sum(y)


@T(np.abs(x5))
def join2(x):
    if x[0] > 0.1:
        z = x * x
    else:
        z = x[0]
    w = z * x
    return np.sum(w * w)


@T(x5)
def join3(x):
    z = 0.0
    for i in range(4):
        if x[i] > 0:
            z = z + x
        else:
            z = z * 1.5
    return np.sum(z)


@T(x5)
def optional(x):
    prev = None
    s = 0.0
    for i in range(5):
        v = x[i] ** 2
        if prev is not None:
            s += prev * v
        prev = v
    return s


@T(x5, 2.0, wrt=(0, 1))
def clos(x, a):
    g = lambda z: np.tanh(a * z)
    s = 0.0
    for v in x:
        s += g(v) * a
    return s


@T(x5)
def whilelist(x):
    L = []
    rr = np.sum(x * x)
    while rr > 0.5:
        L.append(np.sqrt(rr) * x[0])
        rr = rr * 0.4
    return np.sum(np.stack(L)) if len(L) > 0 else rr


@T(x5)
def dct(x):
    st = {"p": x, "v": np.zeros(5)}
    for k in range(3):
        st["v"] = 0.9 * st["v"] - 0.1 * np.sin(st["p"])
        st["p"] = st["p"] + st["v"]
    return np.sum(st["p"] ** 2)


@T(x5)
def ndup(x):
    w = np.zeros((3, 5))
    for k in range(3):
        w[k] = x * (k + 1)
        w[k, 1:] += w[k, :-1]
    return np.sum(w**2)


@T(x5)
def rev(x):
    s = 1.0
    for i in reversed(range(5)):
        s = s * x[i] + 1
    for i in range(4, -1, -2):
        s = s + x[i] ** 2
    return s


@T(x5)
def enum(x):
    s = 0.0
    for i, (a, b) in enumerate(zip(x[:-1], x[1:])):
        s += a * b * i
    return s


@T(x5)
def walrus(x):
    t = [a * b for a in (x[0], x[1]) for b in (x[2], x[3])]
    return sum(t) * t[0]


@T(A)
def lu(A):
    n = A.shape[0]
    U = A.copy() + 5 * np.eye(4)
    L = np.eye(4)
    for k in range(n - 1):
        for i in range(k + 1, n):
            L[i, k] = U[i, k] / U[k, k]
            U[i, k:] = U[i, k:] - L[i, k] * U[k, k:]
    return np.sum(np.log(np.abs(np.diag(U)))) + np.sum(L**2)


@T(x5, y5, wrt=(0, 1))
def kalman(x, y):
    m = np.zeros(2)
    P = np.eye(2)
    F = np.array([[1.0, 0.1], [0.0, 1.0]])
    ll = 0.0
    q = np.exp(x[0])
    rr = np.exp(x[1])
    for t in range(5):
        m = F @ m
        P = F @ P @ F.T + q * np.eye(2)
        S = P[0, 0] + rr
        K = P[:, 0] / S
        e = y[t] - m[0]
        ll += -0.5 * (np.log(S) + e * e / S)
        m = m + K * e
        P = P - np.outer(K, P[0])
    return ll


@T(x5)
def rk4(x):
    def f(u):
        return np.array([u[1], -np.sin(u[0])]) * x[2]

    u = np.array([x[0], x[1]])
    h = 0.1
    for _ in range(4):
        k1 = f(u)
        k2 = f(u + h / 2 * k1)
        k3 = f(u + h / 2 * k2)
        k4 = f(u + h * k3)
        u = u + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return u @ u


@T(x5)
def softm(x):
    p = np.exp(x - x.max())
    p /= p.sum()
    return -np.log(p[2]) + np.sum(p * np.log(p))


@T(A, A.T.copy(), wrt=(0, 1))
def attn(Q, K):
    S = Q @ K.T / np.sqrt(Q.shape[1])
    S = S - S.max(axis=1, keepdims=True)
    P = np.exp(S)
    P = P / P.sum(axis=1, keepdims=True)
    return np.sum((P @ K) ** 2)


@T(x5)
def conv(x):
    k = np.array([1.0, 2.0, 1.0])
    y = np.convolve(x, k, mode="same")
    z = np.zeros(5)
    for i in range(5):
        for j in range(3):
            if 0 <= i + j - 1 < 5:
                z[i] += x[i + j - 1] * k[j]
    return np.sum(y * z)


@T(x5)
def augrow(x):
    M = np.outer(x, x)
    M[1] += x
    M[:, 2] *= x
    M[np.arange(5), np.arange(5)] = 1.0
    M -= M.T * 0.5
    return np.sum(M * M)


@T(x5)
def ret_in_loop(x):
    for i in range(5):
        if x[i] > 0.3:
            return x[i] ** 2 * np.sum(x)
    return np.sum(x)


@T(x5)
def tri(x):
    s = 0.0
    for i in range(5):
        t = 1.0
        for j in range(i, 5):
            t *= x[j]
            if abs(t) < 1e-3:
                break
            s += t
    return s


@T(A)
def lol(A):
    rows = []
    for i in range(4):
        row = []
        for j in range(4):
            row.append(A[i, j] * A[j, i])
        rows.append(row)
    s = 0.0
    for i in range(4):
        for j in range(4):
            s += rows[i][j] * rows[j][i]
    return s


@T(x5)
def forward_sub(x):
    n = 5
    L = np.eye(5) * 3
    y = np.zeros(5)
    for i in range(n):
        s = x[i]
        for j in range(i):
            s = s - (x[j] * 0.1) * y[j]
        y[i] = s / L[i, i]
    return np.sum(y * y)


@T(x5)
def backward_sub(x):
    y = np.zeros(5)
    for i in range(4, -1, -1):
        y[i] = x[i]
        for j in range(i + 1, 5):
            y[i] -= y[j] * x[j] * 0.3
    return np.sum(y**3)


@T(x5)
def prefix(x):
    c = np.zeros(6)
    for i in range(5):
        c[i + 1] = c[i] + x[i] ** 2
    return c[5] * c[2] + np.sum(np.exp(-c))


@T(x5)
def overwrite(x):
    t = np.zeros(2)
    s = 0.0
    for i in range(5):
        t[0] = x[i] * t[1]
        t[1] = np.sin(t[0] + x[i])
        s += t[0] * t[1]
    return s


@T(x5)
def dp(x):
    n = 5
    D = np.zeros((n + 1, n + 1))
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            D[i, j] = (x[i - 1] - x[j - 1]) ** 2 + np.minimum(
                D[i - 1, j] + 0.1, np.minimum(D[i, j - 1] + 0.2, D[i - 1, j - 1])
            )
    return D[n, n] + np.sum(D)


@T(A)
def floyd(A):
    D = A * A + 1.0
    for k in range(4):
        for i in range(4):
            for j in range(4):
                if D[i, k] + D[k, j] < D[i, j]:
                    D[i, j] = D[i, k] + D[k, j]
    return np.sum(D * A)


@T(A)
def seidel(A):
    B = A.copy()
    for t in range(3):
        for i in range(1, 3):
            for j in range(1, 3):
                B[i, j] = 0.25 * (B[i - 1, j] + B[i + 1, j] + B[i, j - 1] * B[i, j + 1])
    return np.sum(B**2)


@T(A)
def gram(A):
    Q = np.zeros_like(A)
    R = np.zeros_like(A)
    for j in range(4):
        v = A[:, j].copy()
        for i in range(j):
            R[i, j] = Q[:, i] @ A[:, j]
            v -= R[i, j] * Q[:, i]
        R[j, j] = np.sqrt(np.sum(v * v))
        Q[:, j] = v / R[j, j]
    return np.sum(R**3) + Q[0, 1]


@T(x5)
def adi(x):
    a = np.zeros(5)
    b = np.zeros(5)
    a[0] = x[0]
    b[0] = 1.0
    for i in range(1, 5):
        m = 1.0 / (2.0 + a[i - 1] * x[i])
        a[i] = m * x[i]
        b[i] = (x[i] - b[i - 1]) * m
    for i in range(3, -1, -1):
        b[i] = b[i] - a[i] * b[i + 1]
    return np.sum(b * b)


@T(x5, y5, wrt=(0, 1))
def nbody(x, v):
    x = x.copy()
    v = v.copy()
    for t in range(3):
        f = np.zeros(5)
        for i in range(5):
            for j in range(5):
                if i != j:
                    d = x[i] - x[j]
                    f[i] -= d / (d * d + 0.5) ** 1.5
        v += 0.1 * f
        x += 0.1 * v
    return np.sum(x * x) + np.sum(v)


@T(x5)
def try_while(x):
    k = 0
    s = np.sum(x * x)
    hist = []
    while True:
        s = s * 0.7 + np.sin(s) * 0.1
        hist.append(s)
        k += 1
        if s < 0.5 or k > 6:
            break
    return sum(hist) * hist[0]


@T(x5)
def lstm(x):
    W = np.outer(x, x)
    h = np.zeros(5)
    c = np.zeros(5)
    sig = lambda z: 1 / (1 + np.exp(-z))
    for t in range(4):
        z = W @ h + x * (t + 1)
        i = sig(z)
        f = sig(z + 1)
        o = sig(z - 1)
        g = np.tanh(z)
        c = f * c + i * g
        h = o * np.tanh(c)
    return np.sum(h * c)


@T(x5)
def shifts(x):
    u = x.copy()
    for k in range(1, 4):
        u[k:] = u[k:] + u[:-k] * 0.5
        u[:k] *= x[k]
        u[::2] -= u[1]
    return np.sum(u * u)


@T(x5)
def aliasrow(x):
    M = np.zeros((3, 5))
    M[0] = x
    for i in range(1, 3):
        prev = M[i - 1]
        cur = M[i]
        cur[:] = np.sin(prev) * x
        cur[0] += prev[1]
    return np.sum(M * M)


@T(x5)
def condloop(x):
    tot = 0.0
    for i in range(5):
        j = i
        while j < 5 and x[j] > -0.5:
            tot += x[i] * x[j]
            j += 1
        if tot > 3:
            tot *= 0.5
    return tot


@T(x5)
def stackprog(x):
    st = []
    for i in range(5):
        st.append(x[i])
        if len(st) >= 2 and x[i] > 0:
            b = st.pop()
            a = st.pop()
            st.append(a * b)
    s = 0.0
    while len(st) > 0:
        s = s * 0.5 + st.pop()
    return s


@T(x5)
def inplacelist(x):
    L = [x[0], x[1], x[2]]
    for k in range(4):
        L[k % 3] = L[k % 3] * L[(k + 1) % 3] + x[k]
    return L[0] * L[1] * L[2]


@T(x5)
def queue(x):
    q = [x[0], x[1]]
    s = 0.0
    for i in range(2, 5):
        a = q.pop(0)
        q.append(a * x[i] + q[0])
        s += q[-1] * a
    return s + sum(q)


@T(x5)
def insertl(x):
    L = []
    for i in range(5):
        L.insert(0, x[i] * (i + 1))
    L.insert(-1, x[0])
    return sum([v * v * (k + 1) for k, v in enumerate(L)])


@T(x5)
def arrlist(x):
    L = [np.zeros(5) for _ in range(3)]
    for i in range(3):
        L[i] = L[i] + x * (i + 1)
        for j in range(i):
            L[i] = L[i] * np.sin(L[j])
    return np.sum(L[2] * L[1])


@T(x5)
def listgrow2(x):
    L = [x]
    for i in range(3):
        L.append(L[-1] * x + L[0])
        if i == 1:
            L[0] = L[0] * 2.0
    return np.sum(sum(L))


@T(x5)
def cplx2(x):
    z = x[0] + 1j * x[1]
    w = z * z + np.exp(z)
    u = np.zeros(3, complex)
    u[0] = w
    u[1] = u[0] * z
    u[2] = np.conj(u[1])
    return np.abs(w) + np.sum(u.real * u.imag)


@T(x5)
def cplxloop(x):
    z = 0j
    c = x[0] * 0.1 + 1j * x[1] * 0.1
    for k in range(4):
        z = z * z + c
    return z.real**2 + z.imag


@T(x5)
def imagview(x):
    u = np.zeros(5, complex)
    u.real[:] = x
    u.imag[1:] = x[1:] * x[:-1]
    return np.sum(np.abs(u) ** 2) + np.sum(u.imag**3)


@T(A)
def reshapew(A):
    B = np.zeros(16)
    V = B.reshape(4, 4)
    V[1:3] = A[1:3]
    V[:, 2] *= 2.0
    V.T[0] += A[0]
    B[5:9] *= B[1:5] + 1
    return np.sum(B**2)


@T(A)
def diagw(A):
    B = A.copy()
    B.flat[::5] = 1.0
    np.fill_diagonal(B, A[0])
    return np.sum(B @ A)
