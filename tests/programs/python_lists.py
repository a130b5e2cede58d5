"""Programs over lists of numbers as found in teaching code: recurrences, tables, sorting.

Loops that index, rebind or rebuild lists stay loops in the generated code."""

from __future__ import annotations

import cmath
import math

import numpy as np

CASES = []


def case(*args):
    def keep(fn):
        CASES.append((fn, args))
        return fn

    return keep


X = np.array([0.9, 0.4, -0.7, 1.3, 0.2])


@case(X, 0.3)
def casteljau(x, t):
    v = [x[i] for i in range(len(x))]
    while len(v) > 1:
        v = [(1 - t) * a + t * b for a, b in zip(v, v[1:])]
    return v[0]


@case(X, 0.3)
def casteljau_list(x, t):
    v = list(x)
    n = len(v)
    for r in range(1, n):
        v = [(1 - t) * v[i] + t * v[i + 1] for i in range(n - r)]
    return v[0]


@case(100.0, 95.0, 0.05, 0.2, 1.0, 6)
def binomial_call(S, K, r, sigma, T, N):
    dt = T / N
    u = math.exp(sigma * math.sqrt(dt))
    d = 1 / u
    p = (math.exp(r * dt) - d) / (u - d)
    disc = math.exp(-r * dt)
    values = [max(S * u**j * d ** (N - j) - K, 0.0) for j in range(N + 1)]
    for i in range(N - 1, -1, -1):
        values = [disc * (p * values[j + 1] + (1 - p) * values[j]) for j in range(i + 1)]
    return values[0]


@case(100.0, 95.0, 0.05, 0.2, 1.0, 6)
def american_put(S, K, r, sigma, T, N):
    dt = T / N
    u = math.exp(sigma * math.sqrt(dt))
    d = 1 / u
    p = (math.exp(r * dt) - d) / (u - d)
    disc = math.exp(-r * dt)
    values = [0.0] * (N + 1)
    for j in range(N + 1):
        values[j] = max(K - S * u**j * d ** (N - j), 0.0)
    for i in range(N - 1, -1, -1):
        for j in range(i + 1):
            cont = disc * (p * values[j + 1] + (1 - p) * values[j])
            values[j] = max(cont, K - S * u**j * d ** (i - j))
    return values[0]


@case([0.0, 1.0, 2.5, 3.0], [1.0, 0.3, -0.4, 2.0], 1.2)
def neville(xs, ys, t):
    n = len(xs)
    p = ys[:]
    for k in range(1, n):
        for i in range(n - k):
            p[i] = ((t - xs[i + k]) * p[i] + (xs[i] - t) * p[i + 1]) / (xs[i] - xs[i + k])
    return p[0]


@case(1.3, 5)
def richardson(x, n):
    def f(z):
        return math.sin(z) * math.exp(0.3 * z)

    R = []
    h = 0.4
    for i in range(n):
        row = [(f(x + h) - f(x - h)) / (2 * h)]
        for j in range(i):
            row.append(row[j] + (row[j] - R[i - 1][j]) / (4 ** (j + 1) - 1))
        R.append(row)
        h /= 2
    return R[-1][-1]


@case(0.2, 1.7, 5)
def romberg(a, b, n):
    R = [[0.0] * (n + 1) for _ in range(n + 1)]
    h = b - a
    R[0][0] = 0.5 * h * (math.exp(-a * a) + math.exp(-b * b))
    pw = 1
    for i in range(1, n + 1):
        h *= 0.5
        s = 0.0
        pw *= 2
        for k in range(1, pw, 2):
            s += math.exp(-((a + k * h) ** 2))
        R[i][0] = 0.5 * R[i - 1][0] + s * h
        p4 = 1
        for j in range(1, i + 1):
            p4 *= 4
            R[i][j] = R[i][j - 1] + (R[i][j - 1] - R[i - 1][j - 1]) / (p4 - 1)
    return R[n][n]


@case(
    X,
)
def pyramid(x):
    v = x.tolist()
    s = 0.0
    while v:
        s += v[0] * v[-1]
        v = [math.tanh(v[i] + v[i + 1]) for i in range(len(v) - 1)]
    return s


@case(
    X,
)
def shrink(x):
    v = x.tolist()
    s = 1.0
    while len(v) > 0:
        s = s * 1.1 + sum(a * a for a in v)
        v = v[:-1]
    return s


@case(X, 7)
def grow(x, n):
    v = [x[0]]
    for i in range(n):
        v = v + [v[-1] * x[i % 5] + 0.1 * i]
    return sum(v)


@case(X, 7)
def grow_front(x, n):
    v = [x[0]]
    for i in range(n):
        v = [v[0] * x[i % 5] - 0.1 * i] + v
    return sum(a * (k + 1) for k, a in enumerate(v))


@case(
    X,
)
def sort_loop(x):
    v = x.tolist()
    for k in range(4):
        v = sorted(v)
        v[0] = v[0] + 1.1 * v[-1] * 0.5
    return sum((i + 1) * a for i, a in enumerate(v))


@case(X, 6)
def pingpong(x, n):
    a = x.tolist()
    b = [0.0] * len(a)
    for k in range(n):
        for i in range(1, len(a) - 1):
            b[i] = a[i] + 0.2 * (a[i - 1] - 2 * a[i] + a[i + 1])
        b[0] = a[0]
        b[-1] = a[-1]
        a, b = b, a
    return sum(v * v for v in a)


@case(np.arange(6.0).reshape(2, 3) * 0.3, np.cos(np.arange(12.0)).reshape(3, 4))
def matmul(A, B):
    A = A.tolist()
    B = B.tolist()
    n, m, p = len(A), len(B), len(B[0])
    C = [[0.0] * p for _ in range(n)]
    for i in range(n):
        for j in range(p):
            for k in range(m):
                C[i][j] += A[i][k] * B[k][j]
    return sum(sum(c * c for c in row) for row in C)


@case(
    [[2.0, 1.0, 0.5], [0.3, 3.0, 1.0], [0.2, 0.7, 4.0]],
    [[1.0, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.1, 0.9]],
)
def matmul_comp(A, B):
    C = [[sum(a * b for a, b in zip(row, col)) for col in zip(*B)] for row in A]
    return sum(math.sin(c) for row in C for c in row)


@case([[2.0, 1.0, 0.5], [0.3, 3.0, 1.0], [0.2, 0.7, 4.0]])
def lu_det(A):
    n = len(A)
    L = [[0.0] * n for _ in range(n)]
    U = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for k in range(i, n):
            s = 0.0
            for j in range(i):
                s += L[i][j] * U[j][k]
            U[i][k] = A[i][k] - s
        for k in range(i, n):
            if i == k:
                L[i][i] = 1.0
            else:
                s = 0.0
                for j in range(i):
                    s += L[k][j] * U[j][i]
                L[k][i] = (A[k][i] - s) / U[i][i]
    d = 1.0
    for i in range(n):
        d *= U[i][i]
    return d + sum(L[2])


@case(np.abs(np.cos(np.arange(16.0)).reshape(4, 4)) * 3)
def floyd(W):
    n = W.shape[0]
    d = [[W[i, j] for j in range(n)] for i in range(n)]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i][k] + d[k][j] < d[i][j]:
                    d[i][j] = d[i][k] + d[k][j]
    return sum(map(sum, d))


@case("kitten", "sitting", 1.0, 1.3, 0.7)
def edit(a, b, ci, cd, cs):
    m, n = len(a), len(b)
    D = [[0.0] * (n + 1) for _ in range(m + 1)]
    for i in range(1, m + 1):
        D[i][0] = i * cd
    for j in range(1, n + 1):
        D[0][j] = j * ci
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            c = 0.0 if a[i - 1] == b[j - 1] else cs
            D[i][j] = min(D[i - 1][j] + cd, D[i][j - 1] + ci, D[i - 1][j - 1] + c)
    return D[m][n]


@case(np.cos(np.arange(20.0)).reshape(4, 5), 3)
def stencil(g, steps):
    grid = g.tolist()
    rows, cols = len(grid), len(grid[0])
    for _ in range(steps):
        new = [[0.0] * cols for _ in range(rows)]
        for i in range(rows):
            for j in range(cols):
                s = 0.0
                for di in (-1, 0, 1):
                    for dj in (-1, 0, 1):
                        if di or dj:
                            s += grid[(i + di) % rows][(j + dj) % cols]
                new[i][j] = math.tanh(0.3 * s + 0.5 * grid[i][j])
        grid = new
    return sum(map(sum, grid))


@case(
    np.cos(np.arange(8.0)),
)
def fft_rec(x):
    def fft(a):
        n = len(a)
        if n == 1:
            return a
        e = fft(a[0::2])
        o = fft(a[1::2])
        t = [cmath.exp(-2j * math.pi * k / n) * o[k] for k in range(n // 2)]
        return [e[k] + t[k] for k in range(n // 2)] + [e[k] - t[k] for k in range(n // 2)]

    f = fft([complex(v) for v in x])
    return sum(abs(z) ** 2 * (i + 1) for i, z in enumerate(f))


@case(
    np.cos(np.arange(8.0)),
)
def fft_iter(x):
    a = [complex(v) for v in x]
    n = len(a)
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j ^= bit
        if i < j:
            a[i], a[j] = a[j], a[i]
    length = 2
    while length <= n:
        w0 = cmath.exp(-2j * math.pi / length)
        for i in range(0, n, length):
            w = 1 + 0j
            for k in range(length // 2):
                u = a[i + k]
                v = a[i + k + length // 2] * w
                a[i + k] = u + v
                a[i + k + length // 2] = u - v
                w *= w0
        length <<= 1
    return sum(abs(z) ** 2 * (i + 1) for i, z in enumerate(a))


@case(X, np.array([1.0, 0.5, -0.25]))
def polymul(p, q):
    p = p.tolist()
    q = list(q)
    r = [0.0] * (len(p) + len(q) - 1)
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            r[i + j] += a * b
    return sum(c * c * c for c in r)


@case(X, 4)
def polypow(p, n):
    r = [1.0]
    for _ in range(n):
        new = [0.0] * (len(r) + len(p) - 1)
        for i in range(len(r)):
            for j in range(len(p)):
                new[i + j] += r[i] * p[j]
        r = new
    return sum(math.sin(c) for c in r)


@case(X, 6)
def pascal_ragged(x, n):
    T = [[x[0]]]
    for i in range(1, n):
        prev = T[-1]
        row = (
            [prev[0] * x[1]]
            + [prev[k - 1] + prev[k] * x[2] for k in range(1, i)]
            + [prev[-1] * x[3]]
        )
        T.append(row)
    return sum(math.sin(v) for r in T for v in r)


@case(np.cos(np.arange(10.0)).reshape(5, 2))
def points(P):
    pts = [(p[0], p[1]) for p in P]
    area = 0.0
    for (x1, y1), (x2, y2) in zip(pts, pts[1:] + pts[:1]):
        area += x1 * y2 - x2 * y1
    return 0.5 * area


@case(np.cos(np.arange(10.0)).reshape(5, 2), 3)
def chaikin(P, n):
    pts = [(p[0], p[1]) for p in P]
    for _ in range(n):
        new = []
        for (x0, y0), (x1, y1) in zip(pts, pts[1:]):
            new.append((0.75 * x0 + 0.25 * x1, 0.75 * y0 + 0.25 * y1))
            new.append((0.25 * x0 + 0.75 * x1, 0.25 * y0 + 0.75 * y1))
        pts = new
    return sum(x * y for x, y in pts)


@case(X, 3)
def merge_sort(x, n):
    def ms(a):
        if len(a) <= 1:
            return a
        m = len(a) // 2
        l = ms(a[:m])
        r = ms(a[m:])
        out = []
        i = j = 0
        while i < len(l) and j < len(r):
            if l[i] <= r[j]:
                out.append(l[i])
                i += 1
            else:
                out.append(r[j])
                j += 1
        return out + l[i:] + r[j:]

    return sum((k + 1) * v for k, v in enumerate(ms(x.tolist())))


@case(
    X,
)
def bubble(x):
    a = x.tolist()
    n = len(a)
    for i in range(n):
        sw = False
        for j in range(n - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
                sw = True
        if not sw:
            break
    return sum((k + 1) * v for k, v in enumerate(a))


@case(
    X,
)
def insertion(x):
    a = list(x)
    for i in range(1, len(a)):
        key = a[i]
        j = i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key
    return sum((k + 1) * v for k, v in enumerate(a))


@case(
    X,
)
def quick(x):
    def qs(a):
        if len(a) < 2:
            return a
        p = a[0]
        return qs([v for v in a[1:] if v < p]) + [p] + qs([v for v in a[1:] if v >= p])

    return sum((k + 1) * v for k, v in enumerate(qs(x.tolist())))


@case(
    X,
)
def names_swapped_often(x):
    a, b = x[0] * x[1], x[1] + 1.0
    for _ in "ab" * 13:
        if x[0] > b:
            a, b = b, a
    for i in range(len(x)):
        if a > x[i]:
            a = a * x[i]
    return a + 2.0 * b


@case(
    X,
)
def tails_of_pairs(x):
    pairs = [(x[0], x[1] * 2), (x[1], x[2]), (x[2], x[0] * x[3])]
    k = int(abs(x[0]) * 2) % 3
    total = 0.0
    for a, b in pairs[k:]:
        total += a * b
    for i in range(3):
        total += sum(a - b * b for a, b in pairs[i:])
    return total


@case(X)
def best_path_so_far(x):
    """A copy that only some iterations make is a list of unknown length like the one before it."""
    best, least, path = [x[0]], 1e9, [x[0]]
    for v in x[1:]:
        path.append(v * path[-1])
        if path[-1] < least:
            least = path[-1]
            best = path[:]
    return sum((k + 1) * b for k, b in enumerate(best)) + len(best)


@case(X)
def best_path_of_two_names(x):
    best = kept = [x[0]]
    least, path = 1e9, []
    for v in x:
        path.append(v)
        if v < least:
            least = v
            kept = list(path)
            best = kept
        best.append(0.5 * v)
    return sum(kept) + 2.0 * sum(best) + len(best)


@case(X)
def best_path_beside_another_name(x):
    best, other, least, path = [x[0]], [x[1]], 1e9, []
    for v in x:
        path.append(v * v)
        if v < least:
            least = v
            other = list(path)
            best = other
        other.append(2.0 * v)
    return sum(best) + 3.0 * sum(other) + len(best)
