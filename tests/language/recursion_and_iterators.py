"""Recursion, generators and iterators."""

from __future__ import annotations

from collections import namedtuple

import numpy as np
from table import construct

R = np.random.RandomState(53)
V3 = R.rand(3) + 0.5
V4 = R.rand(4) + 0.3
V5 = R.randn(5)
W6 = R.randn(6)
V8 = R.randn(8)
M34 = R.randn(3, 4)
M44 = R.randn(4, 4)
S33 = R.rand(3, 3) + 3 * np.eye(3)
Point = namedtuple("Point", "x y")


@construct("generators consumed in loops", V5, 0.2)
def windows_of_signal(x, a):
    def windows(u, width):
        for i in range(len(u) - width + 1):
            yield i, u[i:i + width]

    total = np.zeros(5)
    for i, w in windows(x, 2):
        if w[0] * w[1] > 0:
            total[i] += w.sum() * a
        else:
            total[i:i + 2] -= w
    for i, w in windows(total, 3):
        a = a + w[1] ** 2
    return a * total.sum()


@construct("generators consumed in loops", M34, 0.5)
def pair_generator(M, cut):
    def pairs(rows):
        for i, a in enumerate(rows):
            for b in rows[i + 1:]:
                yield a, b

    energy = 0.0
    for a, b in pairs(M):
        r2 = np.sum((a - b) ** 2)
        if r2 > 4.0:
            continue
        energy += np.exp(-r2 * cut)
    return energy + sum(a @ b for a, b in pairs(M[1:])) * cut


@construct("generators consumed in loops", 0.4, 0.2)
def runge_kutta_generator(y, h):
    def steps(y):
        t = 0.0
        for _ in range(5):
            k = np.sin(y) + t
            y = y + h * (np.sin(y + 0.5 * h * k) + t + 0.5 * h)
            t += h
            yield t, y

    total, last = 0.0, y
    for t, v in steps(y):
        total += 0.5 * (v + last) * t if v > last else v
        last = v
    return total * last


@construct("iterators consumed in loops", V5, 0.6)
def explicit_iterator(x, a):
    it = iter(x)
    previous = next(it)
    total = previous ** 2
    for v in it:
        total += a * v * previous if v > previous else v
        previous = v
    rest = iter([x[:2], x[2:]])
    return total + next(rest).sum() * next(rest).sum() + sum(next(rest, np.zeros(1)))


class Grid:
    def __init__(self, values, h):
        self.values, self.h = values, h

    def __iter__(self):
        self.at = 0
        return self

    def __next__(self):
        if self.at >= len(self.values) - 1:
            raise StopIteration
        cell = 0.5 * (self.values[self.at] + self.values[self.at + 1])
        self.at += 1
        return cell * self.h

    def __len__(self):
        return len(self.values)

    def __getitem__(self, k):
        return self.values[k]


@construct("iterators consumed in loops", V5, 0.25)
def class_with_next(x, h):
    grid, total = Grid(x, h), 0.0
    for cell in grid:
        total += cell if cell > 0 else cell ** 2
    for a, b in zip(grid, reversed(x)):
        total += a * b
    return total * len(grid) + grid[-1] * grid.at


@construct("iterators consumed in loops", M34, V4)
def zip_enumerate_chain(M, w):
    rows = iter(M)
    first = next(rows)
    score = first @ w
    for k, (row, v) in enumerate(zip(rows, w), start=1):
        score += k * row[k] * v if row @ w > 0 else v
    flat = iter(M.ravel())
    for a, b in zip(flat, flat):
        score += a * b
    return score


@construct("recursion on static values", V8, 0.3)
def recursive_by_depth(x, a):
    def smooth(u, levels):
        if levels == 0:
            return np.tanh(u)
        coarse = smooth(0.5 * (u[::2] + u[1::2]), levels - 1)
        out = u.copy()
        out[::2] += a * coarse
        out[1::2] -= a * coarse if coarse[0] > 0 else coarse
        return out
    return np.sum(smooth(x, 3) ** 2)


@construct("recursion on static values", V4, 0.4)
def nested_lists(x, a):
    def total(tree):
        if isinstance(tree, (list, tuple)):
            return sum(total(t) for t in tree) * 0.9
        if isinstance(tree, dict):
            return max(total(v) for v in tree.values())
        return tree ** 2 if np.ndim(tree) == 0 else np.sum(tree)
    return total([x[0], (a, [x, x[1]]), {"p": x[2], "q": [a, x[3]]}])


@construct("recursion on static values", M44)
def laplace_determinant(M):
    def det(rows, cols):
        if len(cols) == 1:
            return M[rows[0], cols[0]]
        value, sign = 0.0, 1.0
        for k, c in enumerate(cols):
            value += sign * M[rows[0], c] * det(rows[1:], cols[:k] + cols[k + 1:])
            sign = -sign
        return value
    d = det((0, 1, 2, 3), (0, 1, 2, 3))
    return d * d if d < 0 else np.log1p(d)


@construct("recursion on int arguments", 1.1, 9)
def fast_power(x, n):
    def power(b, k):
        if k == 0:
            return 1.0
        half = power(b, k // 2)
        return half * half * b if k % 2 else half * half
    return power(x, n) + power(np.sin(x), n - 4)


def ackermann_like(m, n, x):
    if m == 0:
        return x * (n + 1)
    if n == 0:
        return ackermann_like(m - 1, 1, x * 0.9)
    return ackermann_like(m - 1, n - 1, x) + 0.1 * ackermann_like(m, n - 1, x * x)


@construct("recursion on int arguments", 0.8, 2, 3)
def two_ints(x, m, n):
    return ackermann_like(m, n, x) ** 2


@construct("recursion on int arguments", V5, 3, 2)
def partitions(x, n, k):
    def choose(start, left):
        if left == 0:
            return 1.0
        total = 0.0
        for i in range(start, len(x) - left + 1):
            total += x[i] * choose(i + 1, left - 1)
        return total
    hanoi = []

    def move(d, a, b, c):
        if d > 0:
            move(d - 1, a, c, b)
            hanoi.append(x[a] * x[b])
            move(d - 1, c, b, a)
    move(n, 0, 1, 2)
    return choose(0, k) + sum(hanoi)


@construct("recursion on data", 0.2, 1.7, 0.3)
def adaptive_quadrature(lo, hi, a):
    def f(t):
        return np.exp(-a * t * t) * np.cos(5 * t)

    def integrate(p, q, fp, fq, fm, depth):
        m = 0.5 * (p + q)
        left, right = f(0.5 * (p + m)), f(0.5 * (m + q))
        coarse = (q - p) / 6 * (fp + 4 * fm + fq)
        fine = (q - p) / 12 * (fp + 4 * left + 2 * fm + 4 * right + fq)
        if abs(fine - coarse) < 1e-4 or depth > 6:
            return fine + (fine - coarse) / 15
        return (integrate(p, m, fp, fm, left, depth + 1)
                + integrate(m, q, fm, fq, right, depth + 1))

    return integrate(lo, hi, f(lo), f(hi), f(0.5 * (lo + hi)), 0)


@construct("recursion on data", 2.9, 0.6)
def renormalize(x, a):
    def shrink(v, depth):
        if abs(v) < 1.0:
            return v * depth
        if v > 0:
            return shrink(v - a * v ** 0.5, depth + 1) + 0.01 * v
        return shrink(-0.5 * v, depth)
    return shrink(x, 1) * shrink(-2 * x, 2)


@construct("recursion on data", R.rand(7, 2))
def kd_tree_sum(points):
    def visit(rows, axis):
        if len(rows) <= 2:
            return np.sum(rows[:, axis] ** 2)
        pivot = rows[:, axis].mean()
        low, high = rows[rows[:, axis] <= pivot], rows[rows[:, axis] > pivot]
        if len(low) == 0 or len(high) == 0:
            return np.sum(rows)
        return pivot * visit(low, 1 - axis) + visit(high, 1 - axis)
    return visit(points, 0)


def is_even_sum(x, n):
    return x if n == 0 else 0.5 * x + is_odd_sum(np.sin(x), n - 1)


def is_odd_sum(x, n):
    return -x if n == 0 else x * is_even_sum(np.cos(x), n - 1)


@construct("mutual recursion", 0.7, 5)
def alternating(x, n):
    return is_even_sum(x, n) * is_odd_sum(2 * x, n - 1)


@construct("mutual recursion", V3, 0.4)
def minimax(x, a):
    def best(v, depth):
        if depth == 3 or abs(v) > 4:
            return v
        return max(worst(v + x[0], depth + 1), worst(v * x[1], depth + 1))

    def worst(v, depth):
        if depth == 3 or v * v < 0.01:
            return v + a
        return min(best(v - x[2], depth + 1), best(-v * a, depth + 1))
    return best(a, 0) + worst(x[0], 1) ** 2


@construct("mutual recursion", V5, 0.9)
def descent_parser(x, a):
    tokens = [x[0], "+", "(", x[1], "*", a, "+", x[2], ")", "*", x[3]]
    at = [0]

    def peek():
        return tokens[at[0]] if at[0] < len(tokens) else None

    def expression():
        value = term()
        while isinstance(peek(), str) and peek() == "+":
            at[0] += 1
            value = value + term()
        return value

    def term():
        value = factor()
        while isinstance(peek(), str) and peek() == "*":
            at[0] += 1
            value = value * factor()
        return value

    def factor():
        token = peek()
        at[0] += 1
        if isinstance(token, str):
            value = expression()
            at[0] += 1
            return value
        return token ** 2 if token > 0 else token

    return expression() * at[0]


class Cells:
    def __init__(self, values):
        self.values, self.at = values, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.at == 3:
            raise StopIteration
        self.at += 1
        return self.values[self.at] - self.values[self.at - 1]


@construct("iterators consumed in loops", V5, 0.4)
def differences_by_iterator(x, a):
    cells, total = Cells(x), 0.0
    total += next(cells) ** 2
    for d in cells:
        total += a * d if d > 0 else d * d
    return total * cells.at + sum(Cells(x * a))


@construct("iterators consumed in loops", V5, 0.6)
def iterator_left_where_a_search_ended(x, a):
    it = iter(x)
    first = next(it) * a
    found = any(v > 0.1 for v in it)
    rest = sum(it)
    pairs = iter(x)
    total = sum(u * v for u, v in zip(pairs, pairs))
    return (rest if found else first) + total * a + sum(pairs)
