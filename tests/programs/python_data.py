"""Data structures and builtins on traced values."""

from __future__ import annotations

import bisect
import collections
import copy
import heapq
import itertools
import math
import operator
import statistics
from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np

R = np.random.RandomState(13)
V3 = R.rand(3) + 0.4
V4 = R.randn(4)
V5 = R.rand(5) + 0.2
V6 = np.array([0.5, -1.2, 2.0, 0.1, -0.7, 1.1])
M34 = R.randn(3, 4)
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


@case(V6)
def list_methods(x):
    items = [x[0], x[1]]
    items.append(x[2] * 2)
    items.extend([x[3], x[4]])
    items.insert(1, x[5] ** 2)
    last = items.pop()
    first = items.pop(0)
    items[1:3] = [last, first, 1.0]
    items += [first * last]
    del items[0]
    items.reverse()
    items[-1] *= 3.0
    clone = items.copy()
    clone.clear()
    return sum(v * (i + 1) for i, v in enumerate(items)) + len(items) + len(clone)


@case(V6)
def list_slices(x):
    items = [v**2 for v in x]
    items[::2] = [1.0, x[0], x[1]]
    del items[1::2]
    tail = items[-2:] * 2
    return sum(tail) + sum(items[::-1][1:]) * x[2]


@case(V6)
def sort_by_key(x):
    pairs = [(v, k) for k, v in enumerate(x)]
    pairs.sort(key=lambda p: p[0])
    names = sorted(["bb", "a", "ccc"], key=len, reverse=True)
    ordered = sorted(x, key=lambda v: -abs(v))
    return sum(p[0] * (i + 1) for i, p in enumerate(pairs)) + ordered[0] * len(names[0]) + pairs[0][0]


@case(V6)
def sort_with_payload(x):
    items = [(abs(v), x[-1 - i]) for i, v in enumerate(x)]
    items.sort(key=operator.itemgetter(0), reverse=True)
    best = items[0]
    return best[0] * best[1] + sum(p for _, p in items[:3])


@case(V6)
def minmax_with_key(x):
    cands = [(x[i], x[i + 1]) for i in range(5)]
    low = min(cands, key=lambda c: c[0] * c[1])
    high = max(cands, key=lambda c: sum(c))
    far = max(range(6), key=lambda i: abs(x[i]))
    return low[0] * high[1] + x[far] + min(x) * max(x[:3]) + min(x[0], x[1], 0.2)


@case(V6)
def min_default(x):
    big = [v for v in (1.0, 2.0) if v > 5]
    return min(big, default=x[0]) + max((v for v in [x[1], x[2]]), default=0.0)


@case(V5, 3)
def deques(x, n):
    window = deque(maxlen=n)
    out = 0.0
    for v in x:
        window.append(v)
        out += sum(window) / len(window)
    window.rotate(1)
    window.appendleft(x[0] ** 2)
    return out + window[0] * window.popleft() + window.pop()


@case(V6, 0.3)
def work_list(x, tol):
    stack = [(x[0], 3), (x[1], 2)]
    total = 0.0
    while stack:
        v, depth = stack.pop()
        total += v * v
        if depth > 0:
            stack.append((v * 0.5, depth - 1))
            if depth == 2:
                stack.append((v * tol, 0))
    return total


@case(V6)
def dict_methods(x):
    d = {"a": x[0], "b": x[1]}
    d.update(c=x[2], a=x[3])
    d.setdefault("d", x[4])
    d.setdefault("a", 100.0)
    d["e"] = d.get("b", 0.0) + d.get("zz", x[5])
    popped = d.pop("b")
    merged = d | {"f": popped**2}
    merged |= {"a": merged["a"] * 2}
    keys = "".join(sorted(merged))
    total = sum(merged.values()) * len(keys)
    for k, v in merged.items():
        if k in ("a", "f"):
            total += v * ord(k)
    del merged["a"]
    return total + len(merged) + list(merged.values())[0] + max(merged.values())


@case(V6, 3)
def computed_keys(x, n):
    table = {}
    for i in range(n):
        table[f"w{i}"] = x[i]
        table[i, i + 1] = x[i] * x[i + 1]
    total = 0.0
    for i in range(n):
        total += table[f"w{i}"] * table[i, i + 1]
    return total + len(table)


@case({"w0": V3, "b0": 0.1, "w1": V3 * 2, "b1": 0.3}, 2)
def parameters_by_name(params, layers):
    h = 1.0
    for i in range(layers):
        h = np.tanh(params[f"w{i}"] * h + params["b" + str(i)])
    return np.sum(h)


@case({"w0": V3, "b0": 0.1, "w1": V3 * 2, "b1": 0.3})
def parameters_while(params):
    h = V3
    i = 0
    while f"w{i}" in params:
        h = np.tanh(params["w%d" % i] * h + params["b{}".format(i)])
        i += 1
    return np.sum(h) * i


@case(V5)
def default_dicts(x):
    groups = defaultdict(list)
    for i, v in enumerate(x):
        groups["even" if i % 2 == 0 else "odd"].append(v)
    sums = defaultdict(float)
    for name, members in groups.items():
        for m in members:
            sums[name] += m**2
    return sums["even"] * sums["odd"] + len(groups["even"])


@case(V4)
def counters_and_ordered(x):
    c = Counter("abca")
    od = OrderedDict(p=x[0], q=x[1])
    od["r"] = x[2] * c["a"]
    od.move_to_end("p")
    return sum(v * (i + 1) for i, v in enumerate(od.values())) + c["b"] * x[3]


@case(V4)
def static_sets(x):
    active = {0, 2}
    frozen = frozenset([1, 3])
    s = 0.0
    for i in range(4):
        if i in active:
            s += x[i]
        if i in frozen - {3}:
            s *= x[i]
    active.add(3)
    active.discard(0)
    return s + sum(x[i] for i in sorted(active | {1}))


@case(V6)
def all_comprehensions(x):
    squares = [v * v for v in x]
    table = {i: v for i, v in enumerate(squares) if i % 2}
    nested = [[a * b for a in x[:2]] for b in x[2:4]]
    flat = [v for row in nested for v in row]
    gen = sum(a * b for a in flat for b in squares[:2] if a is not b)
    keys = {k % 3 for k in table}
    return sum(table.values()) + gen + len(keys) + nested[1][0]


@case(V6)
def conditions_on_data(x):
    positive = [v for v in x if v > 0]
    negative = [(v, v * v) for v in x if v < 0]
    return sum(positive) + len(positive) * positive[0] + sum(a * b for a, b in negative)


@case(V6)
def star_unpacking(x):
    first, *middle, last = x
    a, (b, *c), d = x[0], (x[1], x[2], x[3]), x[4]
    both = [*middle, *c, last]
    merged = {**{"k": first}, **{"l": last}}
    return first * last + sum(both) + a * b * d + merged["k"] + np.sum(np.array([*x, first]))


@case(M34)
def zip_star(a):
    cols = list(zip(*a))
    total = 0.0
    for col in cols:
        total += max(col) * sum(col)
    xs, ys = zip(*[(row[0], row[1] ** 2) for row in a])
    return total + sum(xs) * sum(ys)


@case(V6)
def builtins_on_traced(x):
    r = round(x[0] * 10) + round(x[2], 1)
    q, m = divmod(x[2], 0.7)
    p = pow(x[0], 3) + pow(2.0, x[3])
    return abs(x[1]) * p + m + q + r + sum(x) + sum([x[0], x[1]], x[2]) + sum(x[:3], start=1.0)


@case(V6)
def map_and_filter(x):
    sq = list(map(lambda v: v * v, x))
    prod = list(map(operator.mul, x[:3], x[3:]))
    kept = list(filter(lambda i: i % 2, range(6)))
    names = list(filter(None, ["a", "", "b"]))
    mm = map(max, x[:3], x[3:])
    return sum(sq) + sum(prod) + sum(x[i] for i in kept) * len(names) + next(mm) + sum(mm)


@case(V6)
def filter_on_data(x):
    pos = list(filter(lambda v: v > 0, x))
    return sum(pos) / len(pos)


@case(V6)
def itertools_on_traced(x):
    s = 0.0
    for a, b in itertools.combinations(x, 2):
        s += a * b
    for a, b in itertools.product(x[:2], x[2:4]):
        s += a - b * b
    for a, b in itertools.pairwise(x):
        s += (b - a) ** 2
    for i, v in zip(itertools.count(1, 2), x):
        s += i * v
    for v in itertools.chain(x[:1], x[3:5]):
        s *= 1 + 0.1 * v
    for k, v in enumerate(itertools.islice(x, 1, 5, 2)):
        s += k * v
    acc = list(itertools.accumulate(x, operator.add))
    best = list(itertools.accumulate(x, max))
    for v, w in itertools.zip_longest(x[:2], x[:3], fillvalue=0.5):
        s += v * w
    s += sum(itertools.starmap(pow, [(x[0], 2), (x[2], 3)]))
    s += sum(itertools.repeat(x[1], 3))
    s += sum(v for v, _ in zip(itertools.cycle(x[:2]), range(5)))
    return s + acc[3] + best[-1]


@case(V6)
def more_itertools(x):
    s = sum(itertools.compress(x, [1, 0, 1, 0, 1, 0]))
    for key, group in itertools.groupby([0, 0, 1, 1, 2], key=lambda k: k):
        for k in group:
            s += x[k] * (key + 1)
    a, b = itertools.tee([x[0], x[1], x[2]])
    next(b)
    s += sum(u * v for u, v in zip(a, b))
    s += sum(itertools.chain.from_iterable([[x[0]], [x[1], x[2]]]))
    for p in itertools.permutations(x[:3], 2):
        s += p[0] / (2 + p[1])
    return s + sum(itertools.takewhile(lambda t: isinstance(t, float), [x[0], x[1]]))


@case(V4)
def operator_module(x):
    get = operator.itemgetter(1, 3)
    a, b = get(x)
    call = operator.methodcaller("sum")
    attr = operator.attrgetter("T.shape")
    s = operator.add(a, operator.mul(b, operator.neg(x[0])))
    s = operator.iadd(s, operator.truediv(call(x), attr(x)[0]))
    if operator.lt(a, b) or operator.ge(s, 0):
        s = operator.pow(operator.abs(s), 2)
    return s + operator.matmul(x, x) + operator.sub(x[1], x[2])


@case(V4)
def formatting(x):
    label = f"{x[0]:.3f}|{x[1]!r:>12}|{len(x):03d}"
    other = "%.2f and %s" % (x[0], x[1]) + "{:.1e}".format(x[2]) + str(x[3]) + format(x[0], ".2f")
    print(label, other, sep="\n")
    print("sum", np.sum(x), x[:2], end="!\n")
    return np.sum(x**2) + len(x)


@case(V4, 2.0, 3)
def type_questions(x, a, n):
    s = 0.0
    if isinstance(x, np.ndarray) and not isinstance(x, (list, tuple)):
        s += x.sum()
    if isinstance(a, float) and isinstance(n, int) and not isinstance(a, np.floating):
        s += a * n
    if isinstance(x[0], np.floating) and isinstance(x[0], float) and np.isscalar(a):
        s += x[0]
    if hasattr(x, "shape") and hasattr(a, "real") and not hasattr(a, "shape"):
        s *= a
    if type(a) is float and type(x) == np.ndarray and callable(len):  # noqa: E721
        s += len(x) * a
    if issubclass(type(x[0]), np.float64) and x.dtype == np.float64 and x.dtype.kind == "f":
        s += 1.0
    return s + type(a)(n) * a + np.ndim(a) + np.size(x) + x.ndim


@case(V4, 2.5)
def conversions(x, a):
    s = float(x[0]) * 2 + float(a)
    n = int(a) + int(abs(x[1]) * 10)
    flags = bool(x[2] > 0) + bool(a)
    item = x[3].item() + x[1:2].item() + np.float64(a).item()
    rest = sum(x.tolist()) + float(np.array(a)) + complex(a).real
    return s * n + flags * item + rest + float("0.5") + math.floor(a) + math.trunc(a)


@case(M34)
def nested_lists(a):
    rows = a.tolist()
    t = [[rows[i][j] for i in range(3)] for j in range(4)]
    prod = [[sum(p * q for p, q in zip(r, c)) for c in zip(*t)] for r in rows]
    return sum(prod[i][i] for i in range(3)) + prod[0][2]


@case(V5, 0.3)
def history_of_pairs(y0, h):
    hist = []
    t, y = 0.0, y0[0]
    while t < 1.0:
        hist.append((t, y))
        y = y - h * y**2
        t += h
    ts, ys = zip(*hist)
    return sum(a * b for a, b in zip(ts, ys)) + hist[-1][1] + y0[1]


@case(V5, 0.3)
def history_of_arrays(y, h):
    hist = [(0.0, y)]
    t = 0.0
    while t < 1.0:
        y = y + h * np.sin(y)
        t = t + h
        hist.append((t, y))
    total = 0.0
    for time, state in hist:
        total += time * np.sum(state)
    last_t, last_y = hist[-1]
    return total + last_t * last_y[0] + np.array([s[1] for _, s in hist]).sum()


@case(V5, 0.1)
def trajectory_dicts(y, h):
    log = []
    for k in range(6):
        y = y - h * y**3
        if y[0] > 0.3:
            log.append({"step": k, "y": y, "e": np.sum(y**2)})
    return sum(entry["e"] for entry in log) + log[0]["y"][1] * len(log)


@case(V6)
def list_of_lists_of_data(x):
    buckets = [[], []]
    for v in x:
        if v > 0:
            buckets[0].append(v)
        else:
            buckets[1].append(-v)
    return sum(buckets[0]) * sum(buckets[1]) + len(buckets[0])


@case(V6)
def bisect_on_data(x):
    knots = np.sort(x)
    i = np.searchsorted(knots, 0.3)
    grid = [0.0, 0.25, 0.45, 1.0, 2.5]
    j = bisect.bisect(grid, x[0])
    w = (x[0] - grid[j - 1]) / (grid[j] - grid[j - 1])
    return knots[i] * w + grid[j] * x[1]


@case(V6)
def sorted_breakpoints(x):
    pts = sorted(x)
    k = bisect.bisect_left(pts, 0.3)
    return pts[k] ** 2 - pts[k - 1]


@case(V6)
def heaps(x):
    h = [5.0, 1.0, 3.0]
    heapq.heapify(h)
    heapq.heappush(h, 0.5)
    return x[0] * heapq.heappop(h) + sum(heapq.nsmallest(2, h)) * x[1]


@case(V6)
def statistics_module(x):
    vals = list(x)
    return statistics.fmean(vals) + math.fsum(vals) * math.prod(vals[:3]) + math.dist(vals[:2], vals[2:4])


@case(V6)
def math_functions(x):
    a, b = float(x[0]), float(x[2])
    return (
        math.hypot(a, b)
        + math.atan2(a, b)
        + math.copysign(a, -b)
        + math.log(b, 3.0)
        + math.pow(a, b)
        + math.log1p(a)
        + math.sqrt(b)
        + math.degrees(a)
        + math.tanh(a * b)
        + math.erf(a)
        + math.lgamma(b)
        + (0.0 if math.isclose(a, b) or math.isnan(a) or math.isinf(b) else a)
    )


@case([V3, V3 * 2, 0.5], {"k": (0.3, V4)})
def containers_as_arguments(items, table):
    a, b, c = items
    k, v = table["k"]
    items[2] = c * 2
    return a @ b * items[2] + k * np.sum(v) + len(items)


@case([[1.0, 2.0], [0.5, -1.0]], (0.3, 0.4))
def lists_of_floats(rows, v):
    out = []
    for row in rows:
        out.append(sum(r * w for r, w in zip(row, v)))
    return np.dot(out, v) + np.linalg.norm(np.array(rows))


@case([V3, V3 * 2, V3 * 0.5])
def list_of_arrays_argument(ws):
    h = np.ones(3)
    for i, w in enumerate(ws):
        h = np.tanh(h * w + i)
    for w in reversed(ws):
        h = h + 0.1 * w
    return np.sum(h) + np.sum(np.concatenate(ws)) + len(ws) * ws[-1][0]


@case(V4)
def copies_of_containers(x):
    a = {"v": x, "l": [x[0], x[1]]}
    b = copy.deepcopy(a)
    c = copy.copy(a)
    b["v"][0] = 10.0
    b["l"].append(x[2])
    c["l"].append(x[3])
    return np.sum(a["v"] * b["v"]) + sum(a["l"]) * sum(b["l"]) + len(c["l"])


@case(V4)
def chain_maps(x):
    base = {"a": 1.0, "b": x[0]}
    cm = collections.ChainMap({"a": x[1]}, base)
    return cm["a"] * cm["b"] + len(cm)


@case(V5)
def sliding_windows(x):
    k = 3
    means = [sum(x[i : i + k]) / k for i in range(len(x) - k + 1)]
    return max(means) - min(means) + np.var(means)


@case(V6, 4)
def running_best(x, k):
    best = []
    for v in x:
        best.append(v)
        best.sort()
        if len(best) > k:
            best.pop(0)
    return sum((i + 1) * b for i, b in enumerate(best))


@case(V5)
def matrix_from_lists(x):
    rows = []
    for i in range(len(x)):
        row = []
        for j in range(len(x)):
            row.append(x[i] * x[j] if i != j else 1.0)
        rows.append(row)
    return np.linalg.det(np.array(rows))


@case(V5)
def pascal_update(x):
    row = [x[0]]
    for v in x[1:]:
        row = [v * a + b for a, b in zip([0.0] + row, row + [1.0])]
    return sum(row) + row[2]


@case(V5)
def swap_in_list(x):
    items = list(x)
    for i in range(len(items)):
        for j in range(len(items) - 1 - i):
            if items[j] > items[j + 1]:
                items[j], items[j + 1] = items[j + 1], items[j]
    return sum(i * v for i, v in enumerate(items))


@case(V5)
def index_lookup(x):
    names = ["a", "b", "c", "d", "e"]
    order = [names.index(n) for n in "cab"]
    where = dict(zip(names, range(5)))
    return sum(x[i] * (k + 1) for k, i in enumerate(order)) + x[where["e"]] ** 2


@case(np.linspace(0.0, 1.0, 7), 0.35)
def table_lookup(values, t):
    grid = [0.0, 0.1, 0.2, 0.4, 0.7, 0.9, 1.0]
    for i in range(len(grid) - 1):
        if grid[i] <= t < grid[i + 1]:
            w = (t - grid[i]) / (grid[i + 1] - grid[i])
            return (1 - w) * values[i] ** 2 + w * values[i + 1]
    raise ValueError("outside of the grid")


@case(V4)
def string_building(x):
    words = []
    for i, v in enumerate(x):
        words.append("up" if i % 2 else "down")
    text = " ".join(words)
    return sum(x) * text.count("up") + len(text.split())


@case(np.array([0.47, 1.31]), 2.7)
def simplex_search(c, a):
    def f(p):
        return (p[0] - c[0]) ** 2 + a * (p[1] - c[1] ** 2) ** 2 + 0.3 * p[0] * p[1]

    simplex = [np.zeros(2), np.array([1.0, 0]), np.array([0, 1.0])]
    for _ in range(12):
        simplex.sort(key=f)
        best, middle, worst = simplex
        centre = (best + middle) / 2
        moved = centre + (centre - worst)
        if f(moved) < f(best):
            further = centre + 2 * (centre - worst)
            simplex[-1] = further if f(further) < f(moved) else moved
        elif f(moved) < f(middle):
            simplex[-1] = moved
        else:
            nearer = centre + 0.5 * (worst - centre)
            if f(nearer) < f(worst):
                simplex[-1] = nearer
            else:
                simplex = [best] + [best + 0.5 * (s - best) for s in simplex[1:]]
    return f(min(simplex, key=f)) + simplex[0] @ c


@case(np.array([0.7, -0.4]), 0.3)
def list_changed_or_replaced(x, a):
    held = [x * 2, x + 1]
    for i in range(4):
        if held[0].sum() > a:
            held[0] = held[0] * a
            held[1] = held[1] + held[0]
        else:
            held = [held[1] - a, held[0] * 2]
    return held[0] @ x + held[1].sum()


@case(np.array([0.7, -0.4]), 0.3)
def list_with_another_name_changed_or_replaced(x, a):
    held = [x * 2, x + 1]
    first = held
    for i in range(3):
        if held[0].sum() > a:
            held[0] = held[0] * a
        else:
            held = [held[1] - a, held[0] * 2]
    return held[0] @ x + first[0].sum()


@case(np.array([0.5, 1.5, 0.2]))
def place_of_a_name(c):
    names = ["a", "b", "c"]
    best = "a"
    for n, v in zip(names, c):
        if v > c[names.index(best)]:
            best = n
    return c[names.index(best)] ** 2


@case(np.array([0.5, 1.5, 0.2]))
def removed_by_data(c):
    left, order = [0, 1, 2], []
    while left:
        k = min(left, key=lambda i: c[i])
        left.remove(k)
        order.append(k)
    names = ["a", "b", "c"]
    names.remove(max(names, key=lambda n: c[names.index(n)]))
    return sum((j + 1) * c[k] ** 2 for j, k in enumerate(order)) + c["abc".index(names[0])]


@case(np.array([0.5, 1.5, 0.2]))
def place_that_may_be_missing(c):
    k = int(c[0] > 0.3) + 1
    try:
        i = [1, 2, 3].index(k)
        j = (2, 3).index(k)
    except ValueError:
        i = j = 0
    label = ("low", "high")[int(c[1] > 1)]
    return c[i] * c[j] + c[("none", "low", "high").index(label)]


@case(np.array([0.5, 1.5, 0.2]))
def place_of_the_largest_item(c):
    h = []
    for v in c:
        h.append(v * 2)
        if h[-1] > 2:
            break
    k = max(range(len(h)), key=h.__getitem__)
    return h[k] * h.__len__()


@case(np.array([0.5, 1.5, 0.2]))
def methods_of_containers_by_name(c):
    d = {"a": c[0], "b": c[1]}
    k = max(d, key=d.__getitem__)
    l = [c[0], c[1] * 2]
    l.__setitem__(0, c[2])
    l.__delitem__(1)
    t = (c[0], c[1])
    return (
        d[k] + sum(map(l.__getitem__, [0])) + t.__getitem__(1) + float(d.__contains__("a")) * c[0]
    )


@case(np.array([0.5, 1.5, 0.2]))
def methods_of_arrays_by_name(c):
    order = sorted(range(3), key=c.__getitem__)
    return sum(i * c[j] ** 2 for i, j in enumerate(order)) + c.__len__() * c.__getitem__(1).__add__(
        2.0
    ).__pow__(2)


@case(np.array([0.5, 1.5, 0.2]))
def membership_by_name(c):
    s = set()
    for v in c:
        k = int(v > 0.4)
        if s.__contains__(k):
            continue
        s.add(k)
    x = c.copy()
    x.__setitem__(slice(0, 2), c[1:])
    x.__iadd__(1.0)
    x.__imul__(c)
    return x.sum() * len(s)


@case(np.array([0.5, 1.5, 0.2]))
def in_place_by_name(c):
    f = [c[0]]
    for i in range(5):
        f.__iadd__([f[-1] * c[1]])
    return (
        f[-1]
        + np.sum(np.fromiter(map(c.item, range(3)), float))
        + max(map(operator.itemgetter(1), [(0, c[0]), (1, c[2])]))
    )


@case(1.7, np.array([0.4, 1.2]))
def knots_that_are_equal(c, x):
    knots, total = [0, 0, 1, 2, 2], 0.0
    for i in range(4):
        if knots[i] == knots[i + 1]:
            total = total + c * x[0]
        elif knots[i] < c <= knots[i + 1]:
            total = total + (knots[i + 1] - knots[i]) * x[1] ** 2
        if knots[i] - knots[i + 1] == 0:
            total = total * c
    return total


@case(1.7, np.array([0.4, 1.2]))
def pairs_that_are_equal(c, x):
    pairs, total = [[0, 1], [2, 2], [3, 4]], 0.0
    for i in range(3):
        if pairs[i][0] == pairs[i][1]:
            total += c
    for a, b in pairs:
        if a < b:
            total = total + 3 * x[0] * a
    for a in [1, 2, 2]:
        for b in [2, 2]:
            total += x[1] ** b if a == b else c
    return total


@case(np.array([0.3, 1.1, 0.7, 0.2, 0.9, 0.5]), 1.7)
def splines_by_recursion(c, x):
    degree, knots = 3, [0] * 3 + list(range(4)) + [3] * 3

    def basis(i, p):
        if p == 0:
            return 1.0 if knots[i] <= x < knots[i + 1] else 0.0
        left = 0.0 if knots[i + p] == knots[i] else (
            (x - knots[i]) / (knots[i + p] - knots[i]) * basis(i, p - 1))
        right = 0.0 if knots[i + p + 1] == knots[i + 1] else (
            (knots[i + p + 1] - x) / (knots[i + p + 1] - knots[i + 1]) * basis(i + 1, p - 1))
        return left + right

    return sum(c[i] * basis(i, degree) for i in range(len(c)))
