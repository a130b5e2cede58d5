"""Comprehensions, unpacking, itertools and operator."""

from __future__ import annotations

import itertools
import operator

import numpy as np
from table import construct

R = np.random.RandomState(59)
V3 = R.rand(3) + 0.5
V4 = R.rand(4) + 0.3
V5 = R.randn(5)
W6 = R.randn(6)
V8 = R.randn(8)
M34 = R.randn(3, 4)
M44 = R.randn(4, 4)
S33 = R.rand(3, 3) + 3 * np.eye(3)


@construct("list comprehensions with conditions", W6, 0.3)
def trimmed_mean(x, a):
    kept = [v for v in x if abs(v - x.mean()) < 2 * x.std()]
    rows = [[u * v if u > v else a for u in kept[:2]] for v in kept if v > -2]
    return sum(kept) / len(kept) + sum(map(sum, rows))


@construct("list comprehensions with conditions", M34, 2.0)
def filtered_rows(M, p):
    big = [row / p for row in M if row @ row > p]
    small = [row[j] for row in M for j in range(4) if j % 2 == 0 if row[j] < 0]
    table = [[a @ b for b in big] for a in big]
    return sum(sum(r) for r in table) + sum(s * s for s in small) + len(big)


@construct("list comprehensions with conditions", V5, 4)
def comprehension_scopes(x, n):
    i = 10
    shifted = [x[(i + k) % 5] * (k + 1) for k in range(n) if (i := i + 0) and k != 2]
    powers = [f(v) for f in [(lambda v, j=j: v ** j) for j in (1, 2)] for v in shifted if v != 0]
    return sum(powers) * i


@construct("dict comprehensions with conditions", V5, 0.4)
def named_moments(x, a):
    moments = {f"m{k}": np.mean(x ** k) for k in range(1, 5) if k != 3}
    scaled = {k: v * a if v > 0 else v for k, v in moments.items()}
    inverse = {j: scaled[k] for j, k in enumerate(sorted(scaled)) if k > "m1"}
    return sum(inverse.values()) * scaled["m1"] + max(moments.values())


@construct("dict comprehensions with conditions", M34, 0.3)
def gradient_clipping(M, limit):
    grads = {"w": M[0], "b": M[1, :2], "s": M[2, 0]}
    norms = {k: np.sqrt(np.sum(g ** 2)) for k, g in grads.items()}
    clipped = {k: g * limit / norms[k] for k, g in grads.items() if norms[k] > limit}
    grads = {**grads, **clipped}
    return sum(np.sum(g) for g in grads.values())


@construct("dict comprehensions with conditions", W6, 2)
def pair_table(x, n):
    table = {(i, j): x[i] * x[j + 3] for i in range(n) for j in range(3) if i <= j}
    best = {i: max(v for (a, _), v in table.items() if a == i) for i in range(n)}
    return sum(v ** 2 for v in best.values()) + table[0, 0]


@construct("set comprehensions with conditions", V5, 0.2)
def used_columns(x, a):
    columns = {k * k % 5 for k in range(7) if k != 3}
    odd = {c for c in columns if c % 2}
    total = 0.0
    for c in sorted(columns):
        total += x[c] ** 2 if c in odd else a * x[c]
    return total * len(odd | {0})


@construct("set comprehensions with conditions", M44, 0.6)
def stencil_offsets(M, w):
    offsets = {(di, dj) for di in (-1, 0, 1) for dj in (-1, 0, 1) if abs(di) + abs(dj) == 1}
    out = M.copy()
    for i in range(1, 3):
        for j in range(1, 3):
            near = [M[i + di, j + dj] for di, dj in sorted(offsets)]
            out[i, j] = w * sum(near) / len(near) if M[i, j] > 0 else max(near)
    return np.sum(out ** 2)


@construct("set comprehensions with conditions", W6, 3)
def characters(x, n):
    letters = sorted({c.lower() for c in "Alpha beta" if c.isalpha()})
    weights = {c: x[i % 6] for i, c in enumerate(letters)}
    word = [weights[c] for c in "hateful" if c in weights]
    total = word[0]
    for w in word[1:]:
        total = total * 0.5 + w if total > w else w * n
    return total


@construct("generator expressions with conditions", M34, 0.2)
def nested_generators(M, a):
    rows = (row - row.mean() for row in M)
    scaled = (r / (a + np.abs(r).max()) for r in rows if True)
    total = sum(r @ r for r in scaled)
    return total + sum(sum(v for v in row if v > 0) for row in M) + np.prod([*(r[0] for r in M)])


@construct("generator expressions with conditions", V5, 3)
def generator_as_argument(x, n):
    def weighted(values, k):
        total = 0.0
        for i, v in enumerate(values):
            total += v * k ** i
        return total

    squares = tuple(v ** 2 for v in x)
    return weighted((v for v in x[:n]), 2) + weighted((s if s > 0.5 else -s for s in squares), 0.5) + all(
        s >= 0 for s in squares)


@construct("star unpacking", V5, 0.3)
def head_and_tail(x, a):
    first, *middle, last = x
    (p, q), *rest = [middle[:2], *[[v, a] for v in middle], (last, first)]
    *front, end = [p, q, *middle]
    total = sum(front) * end
    for u, *w in rest:
        total += u * w[0] if u > 0 else w[-1] ** 2
    return total * first


@construct("star unpacking", W6, 2.0)
def unpack_results(x, p):
    def stats(*values, **extra):
        lo, *_, hi = sorted(values)
        return lo, hi, *extra.values()

    lo, hi, *more = stats(*x, a=p, b=x[0])
    total, (scale, *_) = hi - lo, more
    if total > 1:
        lo, hi = hi, lo
    return lo * scale + hi ** 2 + len(more)


@construct("zip(*...)", M34, 0.3)
def transpose_by_zip(M, a):
    columns = [list(c) for c in zip(*M)]
    best = [max(c) for c in columns]
    xs, ys = zip(*[(row[0] * a, row[1:].sum()) for row in M if row[0] != 0])
    return sum(b * b for b in best) + sum(x * y for x, y in zip(xs, ys))


@construct("zip(*...)", V5, 0.1)
def unzip_trajectory(x, h):
    path = [(0.0, x)]
    for _ in range(3):
        t, y = path[-1]
        path.append((t + h, y + h * np.cos(y) if y[0] > 0 else y - h))
    times, states = zip(*path)
    diffs = [b - a for a, b in zip(states, states[1:])]
    return np.trapezoid([s.sum() for s in states], times) + sum(d @ d for d in diffs)


@construct("zip(*...)", W6, 2)
def zip_of_chunks(x, n):
    it = [iter(x)] * n
    pairs = list(zip(*it))
    lows, highs = zip(*[(min(p), max(p)) for p in pairs])
    return sum(lo * hi for lo, hi in zip(lows, highs)) + lows[0]


@construct("itertools", M44, 0.5)
def itertools_energy(M, a):
    total = 0.0
    for i, j in itertools.combinations(range(4), 2):
        total += M[i, j] * M[j, i] if M[i, j] > 0 else a
    for (i, u), v in zip(enumerate(M[0]), itertools.cycle([1.0, -a])):
        total += u * v
    steps = list(itertools.accumulate(M[1], lambda s, v: a * s + v))
    return total + steps[-1] * sum(itertools.islice(steps, 2)) + sum(itertools.chain(M[2], M[3]))


@construct("itertools", V3, 2)
def product_states(x, n):
    Z, mean = 0.0, 0.0
    for spins in itertools.product((-1, 1), repeat=3):
        e = sum(s * v for s, v in zip(spins, x)) + sum(a * b for a, b in zip(spins, spins[1:]))
        w = np.exp(-e / n)
        Z += w
        mean += w * e if e > 0 else 0.5 * w * e
    for p in itertools.permutations(range(3), 2):
        Z += 0.01 * x[p[0]] * x[p[1]]
    return mean / Z + sum(itertools.starmap(operator.mul, zip(x, itertools.repeat(2.0))))


@construct("operator", V5, 0.4)
def operator_table(x, a):
    table = {"+": operator.add, "*": operator.mul, "-": operator.sub, "/": operator.truediv, "^": operator.pow}
    value = a
    for sign, v in zip("+*-/", x):
        value = table[sign](value, v) if v > -1 else operator.neg(value)
    return operator.iadd(value, x[4]) + table["^"](operator.abs(value), 2)


@construct("operator", M34, 0.5)
def operator_getters(M, a):
    rows = [{"k": i, "v": r} for i, r in enumerate(M)]
    second, first = operator.itemgetter(1, 0)(rows)
    get = operator.itemgetter("v")
    shape = operator.attrgetter("T.shape")(M)
    total = operator.matmul(get(first), get(second)) * shape[0]
    data = [a, 1.0]
    operator.setitem(data, 1, total if operator.gt(total, 0) else -total)
    return operator.methodcaller("sum", axis=0)(M)[0] * data[1] + operator.getitem(data, 0)


@construct("operator", W6, 3)
def operator_in_place(x, n):
    y = x.copy()
    z = y
    y = operator.imul(y, 2.0)
    operator.iadd(y[1:], x[:-1])
    for k in range(n):
        if operator.lt(y[k], operator.index(k)):
            operator.setitem(z, k, operator.truediv(z[k], 3))
    return operator.concat([z.sum()], [y @ x])[1] + operator.contains([1, 2], 2) * z[0]


@construct("generator expressions with conditions", W6, 0.4)
def sums_over_pairs(x, a):
    positive = sum(v * v for v in x if v > 0)
    first = next((v for v in x if abs(v) > 0.5), a)
    pairs = sum(u * v for u in x for v in x if u < v)
    near = sum(1 for v in x if abs(v - a) < 1)
    return positive * near + first * pairs


@construct("star unpacking", M34, 0.5)
def unpacked_rows(M, a):
    top, *others = M
    stacked = np.array([*others, top, top * a])
    (b, *_), *_, (*_, c, d) = stacked
    table = {**{"b": b, "c": c}, "b": b * 2}
    if d > b:
        top, *others = others
    return np.sum(stacked ** 2) * table["c"] + table["b"] + top @ others[0]


@construct("itertools", W6, 0.2)
def grouped_runs(x, a):
    at, total = 0, 0.0
    for positive, group in itertools.groupby([0, 0, 1, 1, 1, 0], key=lambda k: k > 0):
        part = x[at:at + len(list(group))]
        at += len(part)
        total += part.sum() if positive else a * np.max(part)
    for u, v in itertools.pairwise(x):
        total += u * v if u > v else 0.0
    return total + sum(u * v for u, v in itertools.zip_longest(x[:3], x[3:5], fillvalue=a))


@construct("generator expressions with conditions", W6, 0.4)
def sums_of_generators(x, a):
    pos = sum(v * v for v in x if v > 0)
    neg = max((abs(v) for v in x if v < 0), default=a)
    first = next((v for v in x if abs(v) > 0.5), a)
    pairs = sum(u * v for u in x for v in x if u < v)
    return pos * neg + first * pairs
