"""Small programs of statistics, learning, finance, signals and sequences; each once failed."""

from __future__ import annotations

import numpy as np

R = np.random.RandomState(5)
X = np.arange(1.0, 5.0)
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


# ---- rows of numbers and counts ------------------------------------------------------------
@case(np.array([3.0, 1.0, 2.0, 5.0, 4.0, 4.5, 0.5]), np.array([1.0, 2.0, 1.0, 0.5, 1.0, 1.0, 3.0]))
def pooled_violators(y, w):
    blocks = []
    for v, c in zip(y, w):
        blocks.append([v, c, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            v2, c2, n2 = blocks.pop()
            v1, c1, n1 = blocks.pop()
            blocks.append([(v1 * c1 + v2 * c2) / (c1 + c2), c1 + c2, n1 + n2])
    fit = np.concatenate([np.full(n, v) for v, _, n in blocks])
    return np.sum(w * (y - fit) ** 2)


def runs_of(y):
    """Values and counts, changed where they lie."""
    runs = []
    for i, v in enumerate(y):
        runs.append([v, 1])
        if i > 1 and v > 2:
            runs[-1][1] += 1
            runs[-1][0] *= 2.0
    return runs


@case(X)
def counts_in_rows(y):
    total = 0.0
    for v, n in runs_of(y):
        for k in range(n):
            total += v ** (k + 1)
        total += y[:n].sum() * v + np.roll(y, n)[0] * v + np.tile(y, n).sum()
    return total


@case(X)
def shapes_from_rows(y):
    total = 0.0
    for v, n in runs_of(y):
        total += y.reshape(n, -1)[0].sum() * v + np.broadcast_to(v, n).sum()
    return total + sum((np.repeat(y, n) ** 2).sum() * v for v, n in runs_of(y))


@case(X)
def rows_into_arrays(y):
    return np.sum(np.concatenate([np.full(n, v) for v, n in runs_of(y)]) ** 2)


# ---- random vectors ------------------------------------------------------------------------
@case(np.array([0.7, 0.3, 0.5]))
def random_vectors(a):
    rng, old = np.random.default_rng(12), np.random.RandomState(3)
    p = np.array([0.2, 0.3, 0.5])
    y = (rng.dirichlet(p, 5) @ a).sum() + (rng.dirichlet([0.2, 0.3, 0.4], size=(2, 3)) @ a)[1, 2]
    y += rng.multinomial(10, p) @ a + (rng.multinomial(10, p, size=len(a)) * a).sum()
    y += (rng.multinomial(np.array([3, 4]), p) @ a)[1]
    y += old.multinomial(10, [0.5, 0.5], (2, 2))[0, 1] @ a[:2]
    y += rng.multivariate_hypergeometric([3, 4, 5], 4, 2)[1] @ a + rng.poisson([1.0, 2.0])[1] * a[0]
    y += rng.choice([1.0, 2.0, 3.0], 4, p=p)[3] * a[1] + rng.choice(np.eye(3), 2)[1] @ a
    y += rng.choice([1.5, 2.5]) * a[2] + rng.integers(0, [3, 4, 5])[2] * a[0]
    return y + rng.normal([0.0, 1.0], np.array([[1.0], [2.0]]))[1, 0] * a[0]


# ---- columns of a list whose length depends on data ----------------------------------------
def walk(x):
    pairs = []
    while x < 5:
        pairs.append((x, 2 * x))
        x = x * 1.5
    return pairs


@case(1.1)
def columns_are_tuples(x):
    rows, cols = zip(*walk(x))
    print(rows, [rows], {"a": cols}, f"{rows} {str(cols)}", rows[1:], rows + cols, rows * 2)
    print(list(rows), sorted(rows), rows + (1.0,))
    if type(rows) is not tuple or isinstance(rows, list):
        x = x * 100
    return x * sum(rows) * len(cols) + max(cols) + np.array(rows)[1] + rows[-1]


@case(1.1)
def columns_in_a_dict(x):
    found = {}
    found["rows"], found["cols"] = zip(*walk(x))
    print(found)
    rows, cols = map(list, zip(*walk(x)))
    rows.append(1.0)
    cols[0] = 3.0
    return sum(a * b for a, b in zip(found["rows"], found["cols"])) + sum(rows) + sum(cols)


# ---- memory --------------------------------------------------------------------------------
@case(R.normal(size=(3, 4)))
def strides_of_flat_arrays(x):
    s = x.itemsize
    y = x * 2
    strided = np.lib.stride_tricks.as_strided
    found = (strided(x.ravel(), (5, 4), (2 * s, s)) ** 2).sum()
    found += (strided(y.reshape(-1), (5, 4), (2 * s, s)) ** 3).sum()
    return found + (strided(y.flatten(), (5, 4), (2 * s, s)) ** 2).sum()


# ---- many keys, and letters chosen by data -------------------------------------------------
@case(R.normal(size=30), 0.5)
def many_keys_by_data(x, c):
    table = {i: c * i * i for i in range(20)}
    k = int(np.argmax(x[:20]))
    return table[k] * x[k] + table.get(k + 1, c)


@case(R.rand(5, 5), 0.5)
def cheapest_way_traced_back(w, c):
    cost = {}
    for i in range(5):
        for j in range(5):
            best = 0.0
            if i > 0:
                best = cost[i - 1, j]
            if j > 0 and (i == 0 or cost[i, j - 1] < best):
                best = cost[i, j - 1]
            cost[i, j] = best + w[i, j] * c
    i = j = 4
    path = 0.0
    while i or j:
        path += w[i, j] ** 2
        if j == 0 or (i > 0 and cost[i - 1, j] < cost[i, j - 1]):
            i -= 1
        else:
            j -= 1
    return cost[4, 4] + path


@case(np.array([0.3, -0.2, 0.5, 0.1]), "ACGTAC")
def letters_by_data(x, seq):
    k = int(np.argmax(x))
    weights = {"A": x[0], "C": x[1], "G": x[2], "T": x[3]}
    s = weights[seq[k]] * 2 + len(seq[k:k + 2])
    if seq[k] == "G" or seq[k:k + 2] == "CG":
        s = s * x[1]
    print(seq[k], seq[k:], f"{seq[k]}!", seq[-k - 1])
    return s


@case(np.array([0.3, -0.2, 0.5, 0.1]), "ACGTACGGTACA")
def scanned_in_steps(x, seq):
    i, s, n = 0, 0.0, 0
    code = dict(zip("ACGT", x))
    while i < len(seq) - 1:
        if code[seq[i]] > 0.2:
            s += code[seq[i]] * code[seq[i + 1]]
            i += 2
        else:
            i += 1
            n += seq[i] in "GC"
    return s + n * x[0]
