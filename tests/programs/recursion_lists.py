"""Recursive functions that take and return lists of any length."""

from __future__ import annotations

import numpy as np

X = np.array([0.3, -1.2, 2.0, 0.7])
Y = np.array([1.5, 0.2, -0.4, 0.9])
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


@case(X)
def quicksort(x):
    def qs(l):
        if len(l) <= 1:
            return l
        p = l[0]
        a = [v for v in l[1:] if v < p]
        b = [v for v in l[1:] if v >= p]
        return qs(a) + [p] + qs(b)

    s = qs(list(x))
    return sum((i + 1) * v for i, v in enumerate(s))


@case(X)
def quicksort2(x):
    def qs(l):
        if len(l) == 0:
            return []
        p = l[0]
        a = [v for v in l[1:] if v < p]
        b = [v for v in l[1:] if v >= p]
        return qs(a) + [p] + qs(b)

    s = qs([v * 2 for v in x])
    return sum((i + 1) * v for i, v in enumerate(s))


@case(X, 5)
def collect(x, n):
    def col(k):
        if k == 0:
            return [x[0]]
        return col(k - 1) + [x[0] ** k]

    return sum(col(n))


@case(2.5, 0.3)
def subdivide(b, tol):
    def sub(a, b):
        if b - a < tol:
            return [a * b]
        m = 0.5 * (a + b)
        return sub(a, m) + sub(m, b)

    return sum(v**2 for v in sub(0.0, b))


@case(X)
def mergesort(x):
    def ms(a):
        n = len(a)
        if n <= 1:
            return a
        l = ms(a[: n // 2])
        r = ms(a[n // 2 :])
        out = []
        i = j = 0
        while i < len(l) and j < len(r):
            if l[i] <= r[j]:
                out.append(l[i])
                i += 1
            else:
                out.append(r[j])
                j += 1
        out.extend(l[i:])
        out.extend(r[j:])
        return out

    s = ms([v for v in x])
    return s[0] * s[1] + s[2] * s[3] ** 2


@case(X)
def qs_array(x):
    def qs(a):
        if len(a) <= 1:
            return a
        p = a[0]
        r = a[1:]
        return np.concatenate([qs(r[r < p]), [p], qs(r[r >= p])])

    return np.sum(qs(x) * np.arange(4))


@case(X)
def mutates_arg(x):
    def f(l, k):
        if k > 2.5:
            return 0.0
        l.append(l[-1] * x[0])
        return l[0] + f(l, k * 1.5)

    a = [v for v in x]
    return f(a, x[2]) + sum(a)


@case(X)
def shared_read(x):
    def f(l):
        if l[0] > 0:
            return l
        return f(l[1:])

    a = [v for v in x]
    r = f(a)
    return sum(a) + sum(v * v for v in r) + len(r) * x[0]


@case(2.0, 0.3)
def two_lists(b, tol):
    def go(a, b):
        if b - a < tol:
            return [a], [b]
        m = 0.5 * (a + b)
        l1, r1 = go(a, m)
        l2, r2 = go(m, b)
        return l1 + l2, r1 + r2

    l, r = go(0.0, b)
    return sum(p * q for p, q in zip(l, r))


@case(X)
def arrays_list(x):
    def go(v):
        if np.sum(np.abs(v)) < 1:
            return [v]
        return go(v * 0.5) + [v]

    return np.sum(np.array(go(x)) ** 2)


@case(X)
def acc_outer(x):
    out = []

    def go(a, b):
        if b - a < 0.5:
            out.append(a * b)
            return
        m = (a + b) / 2
        go(a, m)
        go(m, b)

    go(x[0], x[2])
    return sum(out)


@case(np.ones(3))
def list_of_unknown_length(x):
    def f(y):
        if y < 0.2:
            return []
        return f(y * 0.6) + [y]

    return sum(f(x[0]))


def cofactors(M):
    if len(M) == 1:
        return M[0][0]
    s = 0.0
    for c in range(len(M)):
        minor = [row[:c] + row[c + 1 :] for row in M[1:]]
        s += (-1) ** c * M[0][c] * cofactors(minor)
    return s


ROWS = [[2.0, 0.3, 0.1], [0.4, 1.5, 0.2], [0.7, 0.6, 3.0]]


@case(ROWS)
def determinant_of_rows(A):
    return cofactors(A) * cofactors(A)


@case(ROWS)
def determinant_of_copies(A):
    t = 0.0
    for k in range(3):
        Mk = [row[:] for row in A]
        t += cofactors(Mk) * (k + 1)
    return t


@case(ROWS)
def determinants_in_a_list(A):
    out = []
    for k in range(3):
        Mk = [row[:] for row in A]
        out.append(cofactors(Mk) * (k + 1))
    return sum(out)


def corners(M, k):
    if k == 0:
        return M[0][0] ** 2
    return M[0][0] ** 2 * corners([row[1:] for row in M], k - 1)


@case(ROWS, 2)
def corner_products(A, k):
    return corners(A, k)


def transformed(xs, k):
    """An array at first, then lists."""
    if len(xs) == 1:
        return xs[0]
    even, odd = [], []
    for i in range(len(xs) // 2):
        even.append(xs[2 * i])
        odd.append(xs[2 * i + 1])
    return transformed(even, k) + np.exp(-2j * np.pi * k / len(xs)) * transformed(odd, k)


@case(np.array([3.0, 1.0, 2.0, 5.0, 4.0, 0.5, 7.0, 6.0]))
def fourier_sums(x):
    return sum(abs(transformed(x, k)) for k in range(len(x)))


# ---- the caller's very list is what the first call is handed
def halved(xs):
    if len(xs) == 0:
        return 0.0
    if xs[0] > 2.0:
        return xs[0] ** 2 + halved(xs[1:])
    return xs[0] + halved([x * 0.5 for x in xs[1:]])


@case({"a": [3.0, 1.0, 4.2], "b": [1.1, 5.0]})
def halves_of_two(groups):
    return halved(groups["a"]) + 2.0 * halved(groups["b"])


def in_turn(a, b):
    if not a:
        return 0.0
    if a[0] < b[0]:
        return a[0] * b[0] + in_turn(a[1:], b)
    return in_turn(b[1:], a)


@case([1.0, 2.0, 3.5], [1.5, 2.5, 0.5])
def lists_in_turn(a, b):
    return in_turn(a, b)


def of_rank(xs, k):
    p = xs[0]
    low, high = [x for x in xs[1:] if x < p], [x for x in xs[1:] if x >= p]
    if k < len(low):
        return of_rank(low, k)
    return p if k == len(low) else of_rank(high, k - len(low) - 1)


@case([3.0, 1.0, 2.5, 6.0])
def second_least(xs):
    return of_rank(xs, 1) * 2.0


def lowered(xs, last):
    m = sum(xs) / len(xs)
    if m < 1.0:
        return m + last[0]
    return lowered([x - 1.0 for x in xs], [m])


@case([1.0, 2.2], [5.0])
def lowered_means(xs, last):
    return lowered(xs, last)


def sorted_parts(xs):
    if len(xs) <= 1:
        return xs
    p = xs[0]
    return sorted_parts([x for x in xs[1:] if x < p]) + [p] + sorted_parts(
        [x for x in xs[1:] if x >= p])


@case([3.0, 1.0, 2.5, 6.0])
def sorted_in_parts(xs):
    return sum((i + 1) * x for i, x in enumerate(sorted_parts(xs)))


# ---- lists in lists ------------------------------------------------------------------------------
def summed(item):
    return sum(summed(part) for part in item) if isinstance(item, list) else np.sin(item)


@case(X, Y)
def sum_over_all_depths(x, y):
    return summed([[v * w for w in y] for v in x]) + summed([[[v, v * v] for v in x]])


def counted(item, count):
    """The sum of what is in lists, each time a weight more, and how much that was."""
    if not isinstance(item, list):
        return item * count, count + 1
    total = 0.0
    for part in item:
        value, count = counted(part, count)
        total = total + value
    return total, count


@case(X)
def weights_by_number(x):
    total, count = counted([list(x[:i]) for i in range(len(x))], 1)
    return total * count


def depth_of(item):
    return 1 + max([depth_of(part) for part in item]) if isinstance(item, list) else 0


@case(X)
def depth_of_rows(x):
    rows = [[v * w for w in x] for v in x]
    return rows[1][2] * depth_of(rows) + rows[0][1] * depth_of(rows[0])


def flat(item):
    if not isinstance(item, list):
        return [item]
    out = []
    for part in item:
        out += flat(part)
    return out


@case(X)
def flattened_rows(x):
    return sum((i + 1) * v for i, v in enumerate(flat([[v * w for w in x] for v in x])))


def weighed(pairs, x):
    if x > 20.0:
        return sum(p * q for p, q in pairs)
    if x > 8.0:
        return weighed([*pairs, (x, 2.0 * x)], x * 2.0)
    return weighed(pairs, x * 3.0)


@case(1.5)
@case(9.0)
def pairs_that_grow(x):
    return weighed([(x, x)], x)


def filled(pairs, more, x):
    if x > 20.0:
        return len(more) * x
    pairs.append((x, x + 1.0))
    return filled(pairs, more, x * 2.0)


@case(1.5)
@case(30.0)
def pairs_of_two_names(x):
    pairs = [(x, x)]
    total = filled(pairs, pairs, x)
    return total + sum(p * q for p, q in pairs)


def turned(pairs, x):
    if x > 20.0:
        return pairs[0][0] * x + len(pairs) * pairs[-1][1]
    return turned(pairs[1:] + [pairs[0]] if x > 5.0 else [*pairs, (x * 2.0, 3)], x * 2.0)


@case(1.5)
def pairs_in_turn(x):
    return turned([(x, 1), (2.0 * x, 2)], x)


def over(todo, total):
    if not todo:
        return total
    low, high = todo[-1]
    rest = todo[:-1]
    if high - low < 0.3:
        return over(rest, total + high * low)
    middle = 0.5 * (low + high)
    return over([*rest, (low, middle), (middle, high)], total)


@case(1.5)
@case(0.2)
def intervals_to_do(x):
    return over([(0.1 * x, x)], 0.0)


KNOWN = [(1.0, 2.0), (3.0, 4.0)]


def replaced(pairs, x):
    if x > 20.0:
        return sum(p * q for p, q in pairs) * x
    if x > 10.0:
        return replaced(KNOWN, x * 2.0)
    if x > 5.0:
        return replaced([], x * 1.5)
    return replaced([*pairs, (x, x)], x * 2.0)


@case(1.5)
@case(6.0)
@case(15.0)
def pairs_from_elsewhere(x):
    return replaced([(x, x)], x)


class Mass:
    def __init__(self, weight, place):
        self.weight = weight
        self.place = place


def gathered(masses, x):
    if x > 20.0:
        return sum(m.weight * m.place for m in masses) * x
    masses[0].weight = x
    return gathered([*masses, Mass(x, 2.0)], x * 2.0)


@case(1.5)
def objects_that_grow(x):
    first = Mass(x, x)
    return gathered([first], x) + first.weight


def optional(pairs, x):
    if x > 20.0:
        return sum(p * (2.0 if q is None else q) for p, q in pairs) * x
    return optional([*pairs, (x, None if x > 4.0 else x)], x * 2.0)


@case(1.5)
def pairs_with_none(x):
    return optional([(x, None)], x)


def best_so_far(best, x, n):
    if n <= 0:
        return x if best is None else best * x
    if x > 3.0:
        return best_so_far(x * 2.0, x - 1.0, n - 1)
    return best_so_far(best, x * 1.5, n - 1)


@case(1.5)
@case(0.2)
def none_or_number(x):
    return best_so_far(None, x, 4)


def last_two(two, x):
    if x > 20.0:
        return x if two is None else two[0] * two[1]
    return last_two((x, x + 1.0), x * 2.0)


@case(1.5)
@case(30.0)
def none_or_pair(x):
    return last_two(None, x)


def named(parts, x):
    if x > 20.0:
        return sum(parts.values()) * x
    if x > 6.0:
        return named({"a": x, "c": x * x}, x * 2.0)
    return named({"b": parts["a"], "a": x}, x * 2.0)


@case(1.5)
@case(7.0)
def dicts_of_other_keys(x):
    return named({"a": x, "b": x * x}, x)


def merged(pairs):
    if len(pairs) <= 1:
        return pairs
    half = len(pairs) // 2
    first, second = merged(pairs[:half]), merged(pairs[half:])
    out = []
    i = j = 0
    while i < len(first) and j < len(second):
        if first[i][0] < second[j][0]:
            out.append(first[i])
            i += 1
        else:
            out.append(second[j])
            j += 1
    return out + first[i:] + second[j:]


@case(1.5)
@case(9.0)
def pairs_merged(x):
    pairs = []
    while x < 30.0:
        pairs.append((np.sin(x), x))
        x = x * 1.5
    return sum((k + 1) * p * q for k, (p, q) in enumerate(merged(pairs)))


def returned(pairs, x):
    if x > 20.0:
        return pairs
    pairs.append((x, x + 1.0))
    return returned(pairs, x * 2.0)


@case(1.5)
@case(30.0)
def pairs_returned(x):
    pairs = [(x, x)]
    same = returned(pairs, x)
    same.append((x, 2.0))
    return sum(p * q for p, q in pairs) + len(same)
