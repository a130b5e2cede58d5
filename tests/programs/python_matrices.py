"""Programs over lists of lists and lists that are rebuilt: tables, matrices, graphs.

Tables of dynamic programming, elimination, stencils and adjacency lists stay loops."""

from __future__ import annotations

import itertools
import math

import numpy as np

CASES = []


def case(*args):
    def keep(fn):
        CASES.append((fn, args))
        return fn

    return keep


L = [0.9, 0.4, -0.7, 1.3, 0.2]
X = np.array(L)
R = np.random.RandomState(3)
T = [[1.0, 0.5, 0.2], [0.3, 2.0, 0.1], [0.7, 0.4, 3.0]]


@case(
    L,
)
def prefix_in_place(xs):
    for i in range(1, len(xs)):
        xs[i] += xs[i - 1] * 0.5
    return sum(xs)


@case(
    L,
)
def shift(xs):
    last = xs.pop()
    xs.insert(0, last * 2)
    for i in range(len(xs) - 1):
        xs[i] = xs[i] * xs[i + 1]
    return sum(a * a for a in xs)


@case(T, 3)
def square_in_place(A, n):
    for i in range(n):
        for j in range(n):
            A[i][j] = A[i][j] ** 2 + 0.1 * A[j][i]
    return sum(sum(r) for r in A)


@case(
    T,
)
def transpose(A):
    B = list(zip(*A))
    return sum(B[i][j] * (i + 2 * j) for i in range(3) for j in range(3))


@case(
    T,
)
def transpose2(A):
    n = len(A)
    B = [[A[j][i] for j in range(n)] for i in range(n)]
    return sum(B[i][j] * (i + 2 * j) * A[i][j] for i in range(n) for j in range(n))


@case(T, L[:3])
def cramer(A, b):
    def det(M):
        if len(M) == 1:
            return M[0][0]
        s = 0.0
        for c in range(len(M)):
            minor = [row[:c] + row[c + 1 :] for row in M[1:]]
            s += (-1) ** c * M[0][c] * det(minor)
        return s

    d = det(A)
    out = []
    for k in range(3):
        Mk = [row[:] for row in A]
        for i in range(3):
            Mk[i][k] = b[i]
        out.append(det(Mk) / d)
    return out[0] + 2 * out[1] + 3 * out[2]


@case(X, 4)
def knapsack(x, cap):
    w = [1, 2, 1, 3, 2]
    dp = [[0.0] * (cap + 1) for _ in range(len(w) + 1)]
    for i in range(1, len(w) + 1):
        for c in range(cap + 1):
            dp[i][c] = dp[i - 1][c]
            if w[i - 1] <= c:
                dp[i][c] = max(dp[i][c], dp[i - 1][c - w[i - 1]] + x[i - 1])
    return dp[-1][cap]


@case(X, np.array([0.5, 0.1, 1.0]))
def dtw(a, b):
    n, m = len(a), len(b)
    INF = float("inf")
    D = [[INF] * (m + 1) for _ in range(n + 1)]
    D[0][0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            c = (a[i - 1] - b[j - 1]) ** 2
            D[i][j] = c + min(D[i - 1][j], D[i][j - 1], D[i - 1][j - 1])
    return D[n][m]


@case(X, 6)
def viterbi(x, steps):
    prev = [0.1 * v for v in x]
    for t in range(steps):
        cur = []
        for j in range(len(prev)):
            best = max(prev[i] - 0.3 * abs(i - j) * x[j] for i in range(len(prev)))
            cur.append(best + 0.2 * t)
        prev = cur
    return max(prev)


@case(X, 5)
def two_rows(x, n):
    prev = [0.0] * (n + 1)
    for i in range(1, n + 1):
        cur = [0.0] * (n + 1)
        for j in range(1, n + 1):
            cur[j] = max(prev[j], cur[j - 1]) + x[i - 1] * x[j - 1]
        prev = cur
    return prev[n]


@case(X, 5)
def two_rows_swapped(x, n):
    prev = [0.0] * (n + 1)
    cur = [0.0] * (n + 1)
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            cur[j] = max(prev[j], cur[j - 1]) + x[i - 1] * x[j - 1]
        prev, cur = cur, prev
    return prev[n]


@case(X, 40)
def heat_lists(u0, steps):
    u = u0.tolist()
    n = len(u)
    for _ in range(steps):
        new = u[:]
        for i in range(1, n - 1):
            new[i] = u[i] + 0.2 * (u[i - 1] - 2 * u[i] + u[i + 1])
        u = new
    return sum(v * v for v in u)


@case(
    np.abs(X) + 0.5,
)
def tridiagonal(d):
    n = len(d)
    a = [-0.3] * n
    b = [2.0 + v for v in d]
    c = [-0.4] * n
    r = [1.0 + i * v for i, v in enumerate(d)]
    for i in range(1, n):
        m = a[i] / b[i - 1]
        b[i] -= m * c[i - 1]
        r[i] -= m * r[i - 1]
    x = [0.0] * n
    x[-1] = r[-1] / b[-1]
    for i in range(n - 2, -1, -1):
        x[i] = (r[i] - c[i] * x[i + 1]) / b[i]
    return sum(x)


@case(
    T,
)
def cholesky(A):
    n = len(A)
    S = [[sum(A[i][k] * A[j][k] for k in range(n)) for j in range(n)] for i in range(n)]
    L = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            s = sum(L[i][k] * L[j][k] for k in range(j))
            if i == j:
                L[i][j] = math.sqrt(S[i][i] - s)
            else:
                L[i][j] = (S[i][j] - s) / L[j][j]
    return sum(L[i][j] * (i + 1) for i in range(n) for j in range(n))


@case(
    T,
)
def gram_schmidt(V):
    basis = []
    for v in V:
        w = v[:]
        for b in basis:
            p = sum(x * y for x, y in zip(v, b))
            w = [wi - p * bi for wi, bi in zip(w, b)]
        nrm = math.sqrt(sum(x * x for x in w))
        basis.append([x / nrm for x in w])
    return basis[0][1] + 2 * basis[1][2] + 3 * basis[2][0]


@case(
    X,
)
def divided_differences(x):
    n = len(x)
    y = [math.sin(v) for v in x]
    t = [i * 0.5 for i in range(n)]
    table = [y]
    for k in range(1, n):
        prev = table[-1]
        table.append([(prev[i + 1] - prev[i]) / (t[i + k] - t[i]) for i in range(n - k)])
    z = 0.3
    s = 0.0
    p = 1.0
    for k in range(n):
        s += table[k][0] * p
        p *= z - t[k]
    return s


@case(X, 0.4)
def horner_list(c, x):
    r = 0.0
    for a in reversed(c.tolist()):
        r = r * x + a
    return r


@case(X, np.array([1.0, 0.4, 0.3]))
def conv_lists(a, b):
    a = list(a)
    b = list(b)
    out = [0] * (len(a) + len(b) - 1)
    for i in range(len(a)):
        for j in range(len(b)):
            out[i + j] = out[i + j] + a[i] * b[j]
    return sum(o * o for o in out)


@case(X, 3)
def moving(x, k):
    w = []
    out = []
    for v in x:
        w.append(v)
        if len(w) > k:
            w.pop(0)
        out.append(sum(w) / len(w))
    return sum(a * (i + 1) for i, a in enumerate(out))


@case(
    X,
)
def selection(x):
    a = x.tolist()
    n = len(a)
    for i in range(n):
        m = i
        for j in range(i + 1, n):
            if a[j] < a[m]:
                m = j
        a[i], a[m] = a[m], a[i]
    return sum((i + 1) * v for i, v in enumerate(a))


@case(
    X,
)
def remove_max(x):
    a = x.tolist()
    s = 0.0
    k = 1
    while a:
        m = max(a)
        i = a.index(m)
        del a[i]
        s += k * m
        k += 1
    return s


@case(X, 3)
def pairs(x, n):
    P = [(i, v) for i, v in enumerate(x)]
    for _ in range(n):
        P = [(i, v * 0.5 + i * 0.1) for i, v in P]
    return sum(i * v for i, v in P)


@case(
    X,
)
def sort_pairs(x):
    P = sorted([(v, i) for i, v in enumerate(x)])
    return sum(v * (k + 1) * (i + 1) for k, (v, i) in enumerate(P))


@case(X, 50)
def lcg_walk(x, n):
    pos = [0.0] * len(x)
    seed = 7
    for t in range(n):
        seed = (1103515245 * seed + 12345) % 2147483648
        k = seed % len(x)
        pos[k] += x[(k + t) % 5] * 0.1
        pos[k] = math.tanh(pos[k])
    return sum(p * p for p in pos)


@case(X, 8)
def adjacency(x, n):
    adj = [[] for _ in range(n)]
    for i in range(n):
        adj[i].append((i * 3 + 1) % n)
        adj[(i * 5) % n].append(i)
    rank = [1.0 / n] * n
    for _ in range(3):
        new = [0.15 / n] * n
        for u in range(n):
            for v in adj[u]:
                new[v] += 0.85 * rank[u] * abs(x[u % 5]) / len(adj[u])
        rank = new
    return sum(r * (i + 1) for i, r in enumerate(rank))


@case(
    X,
)
def buckets(x):
    b = [[] for _ in range(3)]
    for v in x:
        b[int(v * 2) % 3].append(v)
    return sum((k + 1) * sum(q) for k, q in enumerate(b))


@case(X, 3)
def jacobi(b, it):
    n = len(b)
    A = [[4.0 if i == j else 1.0 / (1 + abs(i - j)) for j in range(n)] for i in range(n)]
    x = [0.0] * n
    for _ in range(it):
        new = [0.0] * n
        for i in range(n):
            s = 0.0
            for j in range(n):
                if j != i:
                    s += A[i][j] * x[j]
            new[i] = (b[i] - s) / A[i][i]
        x = new
    return sum(x)


@case(X, 3)
def seidel(b, it):
    n = len(b)
    A = [[4.0 if i == j else 1.0 / (1 + abs(i - j)) for j in range(n)] for i in range(n)]
    x = [0.0 for _ in range(n)]
    for _ in range(it):
        for i in range(n):
            x[i] = (b[i] - sum(A[i][j] * x[j] for j in range(n) if j != i)) / A[i][i]
    return sum(x)


@case(
    np.cos(np.arange(12.0)).reshape(3, 4),
)
def game(g):
    G = g.tolist()
    R = len(G)
    C = len(G[0])
    H = [row[:] for row in G]
    for i in range(R):
        for j in range(C):
            s = 0.0
            for a in range(max(0, i - 1), min(R, i + 2)):
                for b in range(max(0, j - 1), min(C, j + 2)):
                    if (a, b) != (i, j):
                        s += G[a][b]
            if s > 0:
                H[i][j] = G[i][j] * 0.9 + 0.1 * s
            else:
                H[i][j] = 0.5 * G[i][j]
    return sum(h * h for row in H for h in row)


@case(np.array([[2.0, 1.0, 0.5], [0.3, 3.0, 1.0], [5.2, 0.7, 4.0]]), np.array([1.0, 2.0, 0.3]))
def gauss_jordan(A, b):
    n = len(b)
    M = [list(A[i]) + [b[i]] for i in range(n)]
    for i in range(n):
        p = i
        for r in range(i + 1, n):
            if abs(M[r][i]) > abs(M[p][i]):
                p = r
        M[i], M[p] = M[p], M[i]
        piv = M[i][i]
        for c in range(i, n + 1):
            M[i][c] /= piv
        for r in range(n):
            if r != i:
                f = M[r][i]
                for c in range(i, n + 1):
                    M[r][c] -= f * M[i][c]
    return sum(M[i][n] * (i + 1) for i in range(n))


@case(R.rand(3, 3) + np.eye(3), R.rand(3))
def solve_with_pivots(a, b):
    rows = a.tolist()
    n = 3
    A = [r[:] + [v] for r, v in zip(rows, b)]
    for i in range(n):
        p = max(range(i, n), key=lambda k: abs(A[k][i]))
        A[i], A[p] = A[p], A[i]
        for k in range(i + 1, n):
            f = A[k][i] / A[i][i]
            for j in range(i, n + 1):
                A[k][j] -= f * A[i][j]
    x = [0.0] * n
    for i in range(n - 1, -1, -1):
        x[i] = (A[i][n] - sum(A[i][j] * x[j] for j in range(i + 1, n))) / A[i][i]
    return sum(v * v for v in x)


@case(R.rand(3, 3) + np.eye(3))
def determinant_with_pivots(a):
    M = [row[:] for row in a.tolist()]
    det = 1.0
    for i in range(3):
        piv = max(range(i, 3), key=lambda r: abs(M[r][i]))
        if piv != i:
            M[i], M[piv] = M[piv], M[i]
            det = -det
        det *= M[i][i]
        for r in range(i + 1, 3):
            f = M[r][i] / M[i][i]
            for c in range(i + 1, 3):
                M[r][c] -= f * M[i][c]
    return det


@case(R.rand(3, 3) + np.eye(3), R.rand(3))
def elimination_with_swaps(a, b):
    n = 3
    A = [[x for x in r] for r in a]
    for i in range(n):
        p = max(range(i, n), key=lambda k: abs(A[k][i]))
        A[i], A[p] = A[p], A[i]
        for k in range(i + 1, n):
            f = A[k][i] / A[i][i]
            for j in range(i, n):
                A[k][j] -= f * A[i][j]
    return sum(A[i][i] for i in range(n))


@case(np.array(T))
def sums_of_rows_walked(M):
    sums = []
    i = 0
    while i < len(M):
        row = M[i]
        sums.append(row.sum() * (i + 1))
        i = i + 1
    ordered = sorted(sums)
    total = 0.0
    for v in sums:
        total = total * 0.5 + v * v
    return total + ordered[0] * ordered[-1]


@case(X)
def itertools_of_any_length(x):
    total = sum(itertools.accumulate(x, lambda p, q: p * q)) + sum(itertools.starmap(
        lambda a, b: a * b, zip(x, x[1:])))
    for v in itertools.takewhile(lambda v: v > 0, x):
        total = total * 0.5 + v
    return total + sum(itertools.filterfalse(lambda v: v > 0.5, x)) + sum(
        itertools.compress(x, x > 0.3))
