"""Built-in functions of traced values."""

from __future__ import annotations

import numpy as np
from table import construct

R = np.random.RandomState(61)
V3 = R.rand(3) + 0.5
V4 = R.rand(4) + 0.3
V5 = R.randn(5)
W6 = R.randn(6)
M34 = R.randn(3, 4)
M44 = R.randn(4, 4)


@construct("sum", M34, 0.3)
def sum_builtin(M, a):
    total = sum(M)
    total += sum(M[0], a)
    rows = sum([row * k for k, row in enumerate(M)], np.zeros(4))
    nested = sum([[v] for v in M[1]], [])
    return total @ rows + sum(v for v in nested if v > 0) + sum((a, 2, M[0, 0]))


@construct("sum", V5, 0.5)
def portfolio_variance(w, rho):
    sigma = [0.1 * (k + 1) for k in range(5)]
    var = sum(w[i] * w[j] * sigma[i] * sigma[j] * (1.0 if i == j else rho)
              for i in range(5) for j in range(5))
    if var > sum(sigma):
        var = var / sum(np.abs(w))
    return var ** 0.5 + sum(w) ** 2


@construct("sum", W6, 2)
def sum_of_groups(x, n):
    groups = [[] for _ in range(n)]
    for i, v in enumerate(x):
        groups[i % n].append(v)
    means = [sum(g) / len(g) for g in groups]
    return sum((v - means[i % n]) ** 2 for i, v in enumerate(x)) + sum(means, start=x[0])


@construct("min and max", W6, 0.4)
def min_max_builtin(x, a):
    hi, lo = max(x), min(x[1:], default=a)
    clipped = [min(max(v, -a), a) for v in x]
    far = max(x, key=lambda v: (v - a) ** 2)
    return hi * lo + sum(clipped) * far + max(a, 0.1, hi) + min([x[0], x[1]], key=abs)


@construct("min and max", M34, 0.2)
def minmax_rows(M, c):
    worst = max(M, key=lambda row: row @ row)
    i, best = min(enumerate(M[0]), key=lambda p: p[1])
    name, value = max({"p": M[1, 0], "q": c}.items(), key=lambda kv: kv[1])
    return worst.sum() * best + (i + 1) * value + len(name)


@construct("min and max", V5, 1.0)
def median_filter(x, a):
    out = x.copy()
    for i in range(1, len(x) - 1):
        p, q, r = x[i - 1], x[i], x[i + 1]
        out[i] = max(min(p, q), min(max(p, q), r))
        if out[i] == max(p, q, r):
            out[i] = a
    return out @ x


@construct("abs and round", W6, 0.37)
def quantized(x, step):
    q = [round(v / 0.5) for v in x]
    err = sum(abs(v - 0.5 * k) for v, k in zip(x, q))
    return err * step + abs(complex(step, x[0])) + round(step * 0 + 2.567, 1) + abs(x[:2]).sum()


@construct("abs and round", V5, 0.2)
def hinge_rounds(x, a):
    total = 0.0
    for v in x:
        level = round(float(v), 1)
        if abs(v - level) > 0.02:
            total += abs(v) ** 1.5 * (1 + round(a))
        else:
            total += a * v
    return total


@construct("abs and round", M34, 3)
def rounded_index(M, n):
    i = round(abs(M[0, 0]) * 0) + n % 3
    row = M[i]
    scale = abs(row) if row[0] > 0 else -abs(row)
    return sum(round(v, 2) * 0 + v for v in scale) + np.round(M, 1).sum() * 0 + abs(-n) * row[0]


@construct("pow and divmod", V4, 2.5)
def power_laws(x, p):
    total = 0.0
    for k, v in enumerate(x):
        total += pow(v, p) + pow(v, k) - pow(2.0, -v)
        q, r = divmod(v, 0.4)
        total += r ** 2 * (q + 1)
    return total + pow(7, 5, 3) * p


@construct("pow and divmod", W6, 0.7)
def phase_wrap(x, period):
    turns, total = 0.0, 0.0
    for v in x:
        n, phase = divmod(v * 3, period)
        turns += n
        if phase > period / 2:
            phase -= period
        total += pow(phase, 2) * pow(abs(v), 0.5)
    return total + 0.1 * turns * period


@construct("pow and divmod", 1.7, 5)
def base_digits(x, n):
    total, digits, m = 0.0, [], n * n + 3
    while m:
        m, d = divmod(m, 3)
        digits.append(d)
    for k, d in enumerate(digits):
        total += pow(x, d) * pow(-1, k) / (k + 1)
    return total + divmod(x, 1)[1]


@construct("sorted", W6, 0.3)
def sorted_builtin(x, a):
    up = sorted(x)
    down = sorted(x, reverse=True)
    order = sorted(range(len(x)), key=lambda i: x[i] ** 2)
    names = sorted({"b": 1, "a": 2})
    gini = sum((k + 1) * v for k, v in enumerate(up))
    return gini + down[0] * a + x[order[0]] * x[order[-1]] + len(names)


@construct("sorted", M34, V4)
def sorted_rows(M, w):
    rows = sorted(M, key=lambda r: r @ w)
    ranked = sorted(((r.sum(), i) for i, r in enumerate(M)), reverse=True)
    top, which = ranked[0]
    return rows[0] @ rows[-1] + top * M[which, 0]


@construct("sorted", V5, 0.5)
def expected_shortfall(losses, q):
    tail = sorted(losses.tolist(), reverse=True)[:2]
    median = sorted(losses)[len(losses) // 2]
    weights = [q ** k for k in range(len(tail))]
    total = sum(w * t for w, t in zip(weights, tail)) / sum(weights)
    return total - median if total > median else median ** 2


@construct("map and filter", V5, 0.4)
def mapped(x, a):
    y = list(map(lambda v: v * a if v > 0 else v ** 2, x))
    z = map(lambda u, v: u * v, x, y)
    kept = list(filter(lambda v: v > 0.05, y))
    return sum(z) + sum(kept) / max(len(kept), 1) + sum(map(abs, filter(None, y)))


@construct("map and filter", M34, 0.1)
def map_over_rows(M, eps):
    norms = list(map(np.linalg.norm, M))
    unit = [*map(lambda r, n: r / (n + eps), M, norms)]
    strong = filter(lambda p: p[1] > 1.0, zip(unit, norms))
    total = 0.0
    for u, n in strong:
        total += n * u[0]
    return total + sum(map(lambda *c: c[0] * c[1], M[0], M[1]))


@construct("map and filter", W6, 3)
def map_of_methods(x, n):
    class Gain:
        def __init__(self, g):
            self.g, self.used = g, 0

        def apply(self, v):
            self.used += 1
            return self.g * v if v < 1 else v

    gains = [Gain(v) for v in x[:n]]
    out = [sum(map(g.apply, x[n:])) for g in gains]
    return sum(out) * sum(map(lambda g: g.used, gains))


@construct("any and all on traced values", W6, 0.7)
def any_all_builtin(x, a):
    total = 0.0
    if any(v > 2 * a for v in x) or all(x < 3):
        total += x[0] ** 2
    if all([a > 0, x[1] < 5, len(x)]) and not any([]):
        total += a * x[1]
    while not all(abs(v) < a for v in x):
        x = x * 0.8
    return total + np.sum(x ** 2) * any(x > 0)


@construct("any and all on traced values", M34, 0.0)
def any_all_rows(M, tol):
    good = [row for row in M if all(v > -1.5 for v in row)]
    flags = [any(row > 1) for row in M]
    total = sum(np.sum(g) for g in good) + tol
    for row, f in zip(M, flags):
        total += row[0] ** 2 if f else row[1]
    return total


@construct("any and all on traced values", V5, 1.2)
def any_short_circuit(x, a):
    tried = []

    def test(v):
        tried.append(v)
        return v > 0.2

    found = any(test(v) for v in x)
    return sum(tried) * a if found else a ** 2 + len(tried)
