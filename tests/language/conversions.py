"""Questions, conversions and texts of traced values."""

from __future__ import annotations

import math

import numpy as np
from table import construct

R = np.random.RandomState(61)
V3 = R.rand(3) + 0.5
V4 = R.rand(4) + 0.3
V5 = R.randn(5)
W6 = R.randn(6)
M34 = R.randn(3, 4)
M44 = R.randn(4, 4)


@construct("f-strings", V4, 0.3)
def labelled_values(x, a):
    names = {f"x{i}": v for i, v in enumerate(x)}
    key = f"x{len(x) - 1}"
    text = f"{a:.3f} {x[0]!r:>10} {x.sum() > 1}"
    if f"{len(names)}" == "4" and text:
        return names[key] * a + len(key)
    return a


@construct("f-strings", W6, 2)
def formatted_log(x, n):
    lines = []
    for k, v in enumerate(x):
        if k % n == 0:
            lines.append(f"step {k:02d}: {v:+.4e} {'up' if v > 0 else 'down'}")
        x = x + 0.1 * np.sin(v)
    print("\n".join(lines))
    return np.sum(x ** 2) * len(lines)


@construct("print of traced values", V4, 0.3)
def progress(x, lr):
    for k in range(3):
        loss = np.sum((x ** 2 - 1) ** 2)
        print("step", k, loss, sep=" | ", end=";\n")
        if loss > 0.5:
            print(f"big {loss:.3f}", x[:2])
        x = x - lr * 4 * x * (x ** 2 - 1)
    return np.sum(x)


@construct("print of traced values", M34, 2)
def print_containers(M, n):
    d = {"m": M[0, 0], "row": M[1], "n": n}
    print(d, (M[0, 1], n), [v for v in M[2]])
    for i, row in enumerate(M):
        if row[0] > 0:
            print(i, row.max(), type(row).__name__)
            row *= 2.0
    print(M.shape, M.dtype, len(M))
    return np.sum(M ** 2)


@construct("print of traced values", 1.4, 0.2)
def print_in_nested_calls(a, b):
    def trace(name, value):
        print(name, round(value, 3), value > 1)
        return value

    x = trace("a", a * b)
    while trace("x", x) < 1.0:
        x = trace("next", x * 2 + b)
    return x ** 2


@construct("isinstance", V4, 0.5)
def kinds_of_values(x, a):
    def norm(v):
        if isinstance(v, np.ndarray):
            return np.sqrt(v @ v)
        if isinstance(v, (float, np.floating)):
            return abs(v)
        if isinstance(v, (list, tuple)):
            return sum(norm(u) for u in v)
        return 0.0

    total = norm(x) + norm(a) * norm([x[0], (a, x * a)]) + norm("text")
    return total if isinstance(total, np.float64) and not isinstance(a, int) else total * 2


@construct("isinstance", 1.3, 4)
def polymorphic_power(x, n):
    def power(b, e):
        if isinstance(e, bool) or not isinstance(e, int):
            return np.exp(e * np.log(b))
        result = 1
        for _ in range(e):
            result = result * b
        return result

    first = power(x, n)
    return first + power(x, 0.5) * isinstance(first, float) + power(x, True)


@construct("isinstance", M34, 0.2)
def changing_kind(M, a):
    acc, kinds = 0, 0
    for row in M:
        kinds += isinstance(acc, int)
        acc = acc + row * a if row[0] > 0 or isinstance(acc, np.ndarray) else acc + row.sum()
    return np.sum(acc) * (kinds + 1)


@construct("len", W6, 0.4)
def len_of_things(x, a):
    kept = [v for v in x if v > 0]
    y = x[x < a]
    n = len(kept) + len(y) + len(x[::2]) + len({1, 2})
    total = sum(kept) / len(kept) if len(kept) > 1 else a
    return total * n + y.sum() / len(y)


@construct("len", M34, 2)
def len_of_arrays(M, n):
    rows = len(M)
    out = np.zeros(len(M[0]) - n)
    for i in range(len(out)):
        out[i] = M[len(out) % rows, i] * len(M.ravel())
    while len(out) < 5:
        out = np.append(out, out[-1] * 0.5)
    return out @ out + len(range(0, rows, n))


@construct("hasattr", V4, 0.5)
def lazy_attributes(x, a):
    class Cache:
        pass

    c, total = Cache(), 0.0
    for v in x:
        if v > 0.5 and not hasattr(c, "scale"):
            c.scale = v * a
        total += v * (c.scale if hasattr(c, "scale") else 1.0)
    return total + hasattr(x, "dtype") + (hasattr(a, "imag") and a.real)


@construct("hasattr", M34, 0.1)
def duck_typing(M, a):
    class Half:
        def half(self):
            return a * 0.5

    def total(obj):
        if hasattr(obj, "half"):
            return obj.half()
        if hasattr(obj, "sum"):
            return obj.sum() if obj.ndim == 1 else total(obj[0])
        if hasattr(obj, "__iter__"):
            return sum(total(o) for o in obj)
        return obj

    return total([M, M[1], (a, Half()), {"k": 1}.values()]) ** 2


@construct("hasattr", V5, 0.3)
def optional_fields(x, a):
    class Box:
        def __init__(self, v):
            if v > 0:
                self.v = v

    boxes = [Box(v) for v in x]
    return sum(b.v ** 2 if hasattr(b, "v") else getattr(b, "w", a) for b in boxes)


@construct("type", V4, 0.5)
def type_dispatch(x, a):
    handlers = {np.ndarray: lambda v: v.sum(), float: lambda v: v ** 2, np.float64: abs, int: lambda v: v * a}
    total = 0.0
    for obj in (x, a, x[0], 3, x[1:] * a):
        total += handlers[type(obj)](obj)
    return total * (type(total) is np.float64) + type(a)(2)


@construct("type", M34, 2)
def type_names(M, n):
    out = []
    for v in (M[0, 0], n, M[0], M[0, 0] > 0, float(M[0, 1])):
        out.append(len(type(v).__name__))
    scale = type(M[0, 0])(0.5)
    return np.sum(M * out[0]) * scale + sum(out)


@construct("type", W6, 0.3)
def type_of_self(x, a):
    class Poly:
        def __init__(self, c):
            self.c = c

        def derivative(self):
            return type(self)([k * v for k, v in enumerate(self.c)][1:])

        def __call__(self, t):
            total = type(t)(0)
            for v in reversed(self.c):
                total = total * t + v
            return total

    class Even(Poly):
        def __call__(self, t):
            return Poly.__call__(self, t) + Poly.__call__(self, -t)

    p = Even(list(x))
    return p(a) * p.derivative()(a) + (type(p) is Even) + (type(p) is Poly)


@construct("float()", V4, 2)
def float_of_values(x, n):
    total = float(n)
    for i in range(len(x)):
        v = float(x[i])
        total += v ** 2 if v > 0.6 else float(x[i:i + 1].sum())
    return float(total) * float(np.mean(x)) + float("0.5") + float(x[0] > 0)


@construct("float()", M34, 0.5)
def float_in_containers(M, a):
    data = [float(v) for v in M[0]] + [float(np.float64(a))]
    table = {k: float(M[k].sum()) for k in range(3)}
    worst = max(table.values())
    return math.sqrt(sum(d * d for d in data)) * worst + math.exp(float(a))


@construct("float()", W6, 1.0)
def float_loop_state(x, a):
    state = np.array([a, 0.0])
    for v in x:
        e = float(state[0] * v)
        if e != e or e > 5.0:
            return float("inf") * 0 + a
        state = np.array([float(state[1]) + e, 0.5 * e])
    return float(state @ state)


@construct("int()", W6, 0.3)
def int_of_data(x, a):
    table = np.linspace(0, 1, 7) * a
    total = 0.0
    for v in x:
        i = int(abs(v) * 2)
        i = min(i, 5)
        w = abs(v) * 2 - i
        total += (1 - w) * table[i] + w * table[i + 1] if w < 1 else v
    return total * int(True) + int(2.9)


@construct("int()", V5, 3.7)
def int_bounds(x, horizon):
    n = int(horizon)
    total = 0.0
    for k in range(n):
        total += x[k] * (horizon - n) + x[int(k / 2)]
    for k in range(int(np.floor(np.abs(x).sum())) % 5):
        total *= 1.0 + 0.1 * x[k]
    return total


@construct("int()", V4, 4)
def int_cells(pos, n):
    density = np.zeros(n)
    for p in pos:
        s = p * n * 0.7
        j = int(s) % n
        f = s - int(s)
        density[j] += 1 - f
        density[(j + 1) % n] += f
    return np.sum(density ** 2 * np.arange(1, n + 1))


@construct("bool()", V5, 0.5)
def bool_of_values(x, a):
    on = bool(x[0] > 0)
    flags = [bool(v > a) for v in x]
    total = a * on
    for f, v in zip(flags, x):
        total += v if f and not bool(v < 0) else v ** 2
    return total + bool(a) + bool([]) + bool(np.any(x > 0)) * a


@construct("bool()", M34, 0.0)
def bool_states(M, zero):
    active = True
    total = 0.0
    for row in M:
        active = bool(row.sum() > zero) ^ active
        total += row @ row if active else row[0]
        if bool(zero):
            break
    return total * (1 + bool(active))


@construct("bool()", W6, 2)
def bool_counters(x, n):
    hits = sum(bool(v > 0) for v in x)
    last = [False] * 6
    for i in range(n):
        last[i] = bool(x[i] > x[i + 1]) or last[i - 1]
    return x[hits % 6] * hits + sum(x[i] for i in range(6) if last[i])


@construct(".item()", M34, 0.5)
def items_of_arrays(M, a):
    total = M[0, :1].item() * a
    for row in M:
        total += row.item(2) if row.item(0) > 0 else M.item(0, 1) ** 2
    return total + np.array(a).item() + M.sum().item() * M.max().item()


@construct(".item()", W6, 1.0)
def item_in_loop(x, lr):
    losses = []
    for k in range(4):
        loss = np.mean((x - k * 0.1) ** 2)
        losses.append(loss.item())
        x = x - lr * 0.1 * x
        if losses[-1] < 0.05:
            break
    return losses[-1] / losses[0] + x[:1].item()


@construct(".tolist()", W6, 0.3)
def python_lists(x, a):
    values = x.tolist()
    values.append(a)
    values.sort()
    total = 0.0
    for k, v in enumerate(values):
        total += v * k if v > 0 else v * v
    return total + sum(x.reshape(2, 3).tolist()[1])


@construct(".tolist()", M34, 0.5)
def nested_tolist(M, a):
    table = M.tolist()
    for row in table:
        row[0], row[-1] = row[-1], row[0] * a
        row.pop(1)
    best = max(table, key=lambda r: r[0])
    return sum(sum(v * v for v in row) for row in table) + best[1] + M[0, 0]


@construct(".tolist()", V5, 2)
def tolist_of_ints(x, n):
    order = np.argsort(x).tolist()
    picks = (np.arange(n) * 2).tolist()
    total = x[order[0]] * x[order[-1]]
    for i in picks:
        total += x[i] * (i + 1)
    return total + x[order[:n]].tolist()[1]


@construct("f-strings", M34, 0.5)
def rows_by_label(M, level):
    parts = {}
    for i, row in enumerate(M):
        label = f"{'high' if i % 2 else 'low'}-{i:02d}"
        parts[label] = row @ row if row.sum() > level else level * row[0]
    report = [f"{k:>8}: {v:.3f}" for k, v in parts.items()]
    return sum(v * len(k) for k, v in parts.items()) + len(report) * parts[f"low-{0:02d}"]


@construct("len", V5, 1.0)
def len_of_shrinking(x, a):
    queue, total = list(x), 0.0
    while len(queue) > 1:
        u, v = queue.pop(0), queue.pop()
        if len(queue) % 2 and u > v:
            queue.append(u - v)
        total += u * v * len(queue)
    return total + a * len(queue)


@construct(".item()", V4, 2)
def item_of_results(x, n):
    i = np.argmax(x).item()
    s = x.reshape(2, n).sum(axis=0)
    return s.item(1) * x[i].item() + np.dot(x, x).item() ** 0.5
