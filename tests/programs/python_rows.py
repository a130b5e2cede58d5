"""Lists of lists whose rows are sorted, cut, repeated, turned into columns or rebound."""

from __future__ import annotations

import heapq
import math
from itertools import chain

import numpy as np

CASES = []


def case(*args):
    def keep(fn):
        CASES.append((fn, args))
        return fn

    return keep


RNG = np.random.default_rng(3)
A = RNG.normal(size=(3, 3))
X = np.array([0.9, 0.4, -0.7, 1.3, 0.2, -1.1, -0.3, 0.6])


@case(X)
def buckets_sorted(x):
    buckets = [[] for _ in range(4)]
    for v in x:
        buckets[min(3, int((math.tanh(v) + 1) * 2))].append(v)
    for b in buckets:
        b.sort()
    return sum((v * i for i, v in enumerate(chain.from_iterable(buckets))), 0.0)


@case(X, 2)
def rows_in_order(x, m):
    rows = [[a, 1.0 - a] for a in x]
    rows[m].sort()
    for r in rows[3:]:
        r.reverse()
    rows[0].clear()
    rows[0].append(x[1])
    return sum(i * b[0] for i, b in enumerate(rows))


@case(X)
def rows_change_length(x):
    rows = [[a, 1.0 - a] for a in x]
    s = 0.0
    for i in range(5):
        r = rows[i]
        s += rows[i + 1].pop() * r[0]
        r.insert(0, x[i] ** 2)
        r.insert(0, s)
        s += r[0] + rows[i][1]
    rows[2] += [s, x[0]]
    rows[3].extend(x)
    rows[1].append(x[0] * x[1])
    return s * sum(b[0] * b[-1] for b in rows)


@case(X)
def heaps_in_rows(x):
    heaps = [[] for _ in range(2)]
    for i, v in enumerate(x):
        heapq.heappush(heaps[i % 2], v)
    total = 0.0
    for _ in range(3):
        for h in heaps:
            total = 0.5 * total + heapq.heappop(h)
    return total


@case(X)
def rows_overwritten(x):
    rows = [[a, 1.0 - a, a * a] for a in x]
    for i in range(5):
        rows[i][:] = [x[i], x[i + 1], 2.0]
    return sum(r[0] * r[-1] for r in rows)


@case(X)
def rows_repeated(x):
    rows = [[a, 1.0 - a, a * a] for a in x]
    for i in range(5):
        rows[i] *= 2
        rows[i + 1] += rows[i]
    return sum(r[0] * r[-1] * len(r) for r in rows)


@case(X)
def rows_cut(x):
    rows = [[a, 1.0 - a, a * a] for a in x]
    for i in range(5):
        rows[i][1:] = [x[i]]
    return sum(r[0] * r[-1] for r in rows)


@case(X)
def rows_by_name(x):
    rows = [[a, 1.0 - a, a * a] for a in x]
    for i in range(5):
        r = rows[i]
        r *= 2
        r += [1.0]
        r.remove(x[i])
    return sum(r[0] * r[-1] * len(r) for r in rows)


@case(X)
def rows_as_heaps(x):
    rows = [[a, 1.0 - a, a * a] for a in x]
    for i in range(5):
        r = rows[i]
        heapq.heapify(r)
        r[0], r[1] = r[1], r[0]
    return sum(i * r[0] + r[1] for i, r in enumerate(rows))


@case(X)
def rows_of_themselves(x):
    rows = [[a, 1.0] for a in x]
    for r in rows:
        r.append(sum(r))
    for r in rows:
        r.extend(r)
    return sum(chain(*rows))


@case(X)
def neighbouring_rows(x):
    rows = [[a, 1.0] for a in x]
    for a, b in zip(rows, rows[1:]):
        a[0] += b[0]
    for i, r in enumerate(rows):
        r[i % 2] *= 2.0
    return sum(chain.from_iterable(rows))


@case(X)
def slices_of_a_list(x):
    a = [v * v for v in x]
    a[:] = [v + 1 for v in a]
    b = a
    for i in range(3):
        a[2:4] = [x[i], x[i] * 2, 3.0]
        a *= 2
        del a[1:3]
        a[-2:] = [x[1]]
    return sum(v * i for i, v in enumerate(b))


@case(X)
def slices_of_a_grown_list(x):
    a = []
    for v in x:
        if v > 0:
            a.append(v)
        if len(a) > 3:
            del a[:2]
            a[:0] = [v, 2 * v]
    k = int(abs(x[0]) * 3) % 3
    a[k:] = [x[3]]
    a[:] = sorted(a)
    a *= 3
    return sum(v * i for i, v in enumerate(a))


@case(X[:3])
def rebound_by_a_loop_or_changed(x):
    B = [v * 1.0 for v in x]
    if x[0] > 0:
        for i in range(3):
            B = [r * x[i] for r in B]
    else:
        B[1] += 1
    return sum(B)


@case(X[:3])
def changed_then_rebound(x):
    B = [v * 1.0 for v in x]
    if x[0] > 0:
        B[0] = 5.0 * x[1]
        B = [r * x[1] for r in B]
    s = 0.0
    for i in range(3):
        s += B[i] * i
    B.append(s)
    return s + sum(B)


@case(X[:3])
def rebound_beside_another_name(x):
    B = [v * 1.0 for v in x]
    C = B
    if x[0] > 0:
        B[0] = 5.0 * x[1]
        B = [r * x[1] for r in B]
    else:
        B.append(x[1])
    B[0] += 1.0
    s = 0.0
    for i in range(3):
        s += B[i] * i + C[i] * C[0]
    return s + len(B)


@case(X[:3])
def rows_rebound_or_changed(x):
    rows = [[v, 1.0] for v in x]
    if x[0] > 0:
        rows = [[2 * a, b] for a, b in rows]
        rows.append([x[0], x[1]])
    else:
        rows[1][0] = 3.0
        rows.pop()
    rows[0][1] *= 2.0
    s = 0.0
    for r in rows:
        s += r[0] * r[1]
    return s


@case(X[:3])
def points_filtered_or_appended(x):
    pts = []
    for v in x:
        pts.append((v, v * v))
    if pts[0][0] > 0.2:
        pts = [(a + 1, b) for a, b in pts if b > 0.1]
    else:
        pts.append((x[0], x[1]))
    pts.append((1.0, x[2]))
    return sum(a * b for a, b in pts)


@case(X[:3])
def best_trial_or_appended(x):
    best = []
    cost = 100.0
    for k in range(4):
        trial = [v * k for v in x]
        trial.append(x[0] * k)
        c = sum((t - 1.0) ** 2 for t in trial)
        if c < cost:
            cost = c
            best = trial
        else:
            best.append(c)
    return sum(b * i for i, b in enumerate(best))


@case(-X[:3])
def rebound_and_changed_in_turn(x):
    B = [v * 1.0 for v in x]
    if x[0] > 0:
        B[0] = 5.0 * x[1]
        B = [r * x[1] for r in B]
    else:
        B.sort()
        B[1] += x[0]
    for i in range(3):
        if B[i] > 0:
            B = B[1:] + [x[0]]
        else:
            B[i] *= x[2]
            B.insert(0, x[1])
    return sum(b * i for i, b in enumerate(B))


@case(A)
def columns_beside_rows(A):
    rows = [[A[i, j] for j in range(3)] for i in range(3)]
    for i in range(3):
        rows[i][i] += 1.0
    cols = list(zip(*rows))
    return sum(sum(a * b for a, b in zip(r, c)) for r, c in zip(rows, cols))


@case(A)
def columns_enumerated(A):
    rows = A.tolist()
    for i in range(3):
        rows[i][0] *= 2.0
    s = 0.0
    for k, c in enumerate(zip(*rows)):
        s += max(c) * k + c[0]
    t = [list(c) for c in zip(*rows)]
    for i in range(3):
        t[i][i] = 0.5 * s
    return s + sum(sum(r) for r in t)


@case(A)
def columns_one_by_one(A):
    rows = [r.tolist() for r in A]
    for i in range(3):
        rows[i][0] *= 2.0
    z = zip(*rows)
    rows[0] = [5.0, 5.0, 5.0]
    first = next(z)
    return sum(first) + sum(sum(c) for c in z) * rows[0][0]


@case(A, 3)
def rotations(A, n):
    rows = A.tolist()
    for k in range(n):
        rows = [list(c) for c in zip(*rows[::-1])]
        rows[0][k] *= 1.5
    return sum(r[0] * i - r[1] for i, r in enumerate(rows))


class Matrix:
    def __init__(self, rows):
        self.rows = [list(r) for r in rows]
        self.n = len(self.rows)
        self.m = len(self.rows[0])

    @classmethod
    def identity(cls, n):
        return cls([[1.0 if i == j else 0.0 for j in range(n)] for i in range(n)])

    def __getitem__(self, ij):
        i, j = ij
        return self.rows[i][j]

    def __setitem__(self, ij, v):
        i, j = ij
        self.rows[i][j] = v

    def transpose(self):
        return Matrix([list(c) for c in zip(*self.rows)])

    def __add__(self, other):
        return Matrix([[a + b for a, b in zip(r, s)] for r, s in zip(self.rows, other.rows)])

    def __mul__(self, other):
        if isinstance(other, (int, float)):
            return Matrix([[a * other for a in r] for r in self.rows])
        cols = list(zip(*other.rows))
        return Matrix([[sum(a * b for a, b in zip(r, c)) for c in cols] for r in self.rows])

    __rmul__ = __mul__

    def __pow__(self, k):
        result = Matrix.identity(self.n)
        base = self
        while k > 0:
            if k & 1:
                result = result * base
            base = base * base
            k >>= 1
        return result

    def trace(self):
        return sum(self.rows[i][i] for i in range(self.n))

    def det(self):
        a = [r[:] for r in self.rows]
        n = self.n
        sign = 1.0
        for c in range(n):
            p = max(range(c, n), key=lambda r: abs(a[r][c]))
            if p != c:
                a[c], a[p] = a[p], a[c]
                sign = -sign
            for r in range(c + 1, n):
                f = a[r][c] / a[c][c]
                for k in range(c, n):
                    a[r][k] -= f * a[c][k]
        out = sign
        for i in range(n):
            out *= a[i][i]
        return out

    def inverse(self):
        n = self.n
        a = [r + e for r, e in zip(self.rows, Matrix.identity(n).rows)]
        for c in range(n):
            p = c
            for r in range(c + 1, n):
                if abs(a[r][c]) > abs(a[p][c]):
                    p = r
            a[c], a[p] = a[p], a[c]
            piv = a[c][c]
            a[c] = [v / piv for v in a[c]]
            for r in range(n):
                if r != c:
                    f = a[r][c]
                    a[r] = [v - f * w for v, w in zip(a[r], a[c])]
        return Matrix([r[n:] for r in a])


@case(A)
def matrix_inverse(values):
    m = Matrix(values.tolist())
    return (m.inverse() * m.transpose()).trace()


@case(A, 0.3)
def matrix_mixed(values, t):
    m = Matrix(values.tolist())
    n = 2.0 * m + Matrix.identity(3) * t
    n[0, 1] = n[1, 0] * t
    return n.det() + (m * n).trace() + n[2, 2]


@case(A)
def columns_are_tuples(A):
    rows = A.tolist()
    rows[0][0] += 1.0
    for i in range(3):
        rows[i][i] *= 2.0
    cols = list(zip(*rows))
    s = 0.0
    for i in range(3):
        c = cols[i]
        s += c[0] * (2.0 if isinstance(c, tuple) else 1.0)
    return s


@case(A)
def rows_swapped_beside_a_name(A):
    rows = A.tolist()
    r = rows[0]
    q = int(abs(A[0, 0]) * 7) % 3
    rows[q], rows[1] = rows[1], rows[q]
    rows[1][0] *= 2.0
    r[1] = 0.5 * A[1, 1]
    return sum(i * a * b - c for i, (a, b, c) in enumerate(rows)) + r[0]


@case(A)
def rows_replaced_beside_a_name(A):
    rows = [[v * k for v in A[k]] for k in range(3)]
    first = rows[0]
    k = int(abs(A[0, 0]) * 7) % 3
    rows[k] = [1.0, A[2, 2], 2.0]
    first[0] = 3.0 * A[0, 1]
    rows[-1][k] += 1.0
    return sum(sum(r) * i for i, r in enumerate(rows)) + sum(first)


@case(A)
def tuple_that_does_not_change(A):
    t = (A[0, 0], 1.0)
    try:
        t[0] = 2.0
    except TypeError:
        return t[0] * 3.0
    return t[1]


@case(X[:3])
def pivot_rows(x):
    n = len(x)
    rows = [[x[i] * (j + 1) + math.sin(x[j] * i) for j in range(n)] for i in range(n)]
    r = rows[0]
    for i in range(n - 1):
        best = i
        for k in range(i + 1, n):
            if abs(rows[k][i]) > abs(rows[best][i]):
                best = k
        rows[i], rows[best] = rows[best], rows[i]
        for k in range(i + 1, n):
            f = rows[k][i] / rows[i][i]
            for j in range(i, n):
                rows[k][j] -= f * rows[i][j]
    det = 1.0
    for i in range(n):
        det *= rows[i][i]
    return det + r[0]


@case(X[:5])
def transpose_star(x):
    rows = [[x[i] * j for j in range(1, 4)] for i in range(5)]
    cols = [list(c) for c in zip(*rows)]
    cols[0][1] = x[0] ** 2
    return sum(max(c) for c in cols) + sum(a * b for a, b in zip(*cols[:2]))


@case(X)
def rows_in_their_own_order(x):
    rows = [[np.round(v), v * v, np.sin(v)] for v in x]
    rows.sort()
    a = np.array(rows)
    return np.sum(a[0] * a[1])


@case(X[:6].reshape(3, 2))
def rows_in_the_order_of_lists(x):
    rows = sorted([list(r) for r in x], key=lambda r: r[::-1], reverse=True)
    return rows[0][0] * rows[1][1] + np.array(rows)[2, 0]


@case(X)
def pairs_of_pairs_as_an_array(x):
    found = []
    for v in x:
        if v > 0.3:
            found.append(((v, v * 2), (v, 1.0)))
    a = np.array(found)
    return np.sum(a[:, 0, 0] * a[:, 0, 1]) + np.sum(a[:, 1])


@case(A)
def ends_of_rows_in_turn(m):
    rows = [list(r) for r in m]
    for r in rows:
        r[0], r[-1] = r[-1], r[0]
    columns = [list(c) for c in zip(*rows)]
    for c in columns:
        c[0], c[1], c[-1] = c[-1] * 2, c[0], c[1]
    return sum(v * k for c in columns for k, v in enumerate(c)) * rows[0][-1]


@case(np.array([0.3, 0.9, 1.4, 0.2]))
def lists_times_arrays(x):
    made = list(x)
    made[0] = made[1] * 2
    product = x * made + made * np.arange(4.0)
    made *= x
    return np.sum(product * made)
