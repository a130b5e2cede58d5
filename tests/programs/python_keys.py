"""Programs whose containers are indexed by what depends on data."""

from __future__ import annotations

import collections
import math

import numpy as np

CASES = []


def case(*args):
    def keep(fn):
        CASES.append((fn, args))
        return fn
    return keep


V = np.array([0.43, -0.36, 1.14, -0.93, 0.75, -0.22])
RATES = {"low": 1.5, "high": 2.5}


@case(V)
def states_counted(x):
    state, energy, visits = "idle", 0.0, dict(idle=0, run=0, stop=0)
    for v in x:
        visits[state] += 1
        if state == "idle":
            if v > 0:
                state = "run"
        elif state == "run":
            energy += v * v
            if v < 0:
                state = "stop"
        else:
            energy += math.sin(v)
            state = "idle"
    return energy + visits["run"] * x[0]


@case(V)
def sums_by_bin(x):
    sums = {0: 0.0, 1: 1.0, 2: 2.0}
    for v in x:
        sums[int(abs(v) * 7) % 3] += v * v
    return sums[0] * sums[1] + sums[2]


@case(V)
def captured_table(x):
    total = 0.0
    for v in x:
        kind = "high" if v > 0 else "low"
        total += RATES[kind] * v + RATES.get("none" if v > 1 else kind, 7.0) * v
    return total


@case(V)
def keys_that_are_pairs(x):
    table = {(0, True): 1.0, (0, False): 2.0, (1, True): 3.0, (1, False): 4.0}
    return sum(table[int(abs(v) * 9) % 2, bool(v > 0)] * v**2 for v in x)


@case(V)
def missing_key(x):
    table, total = {0: x[0], 1: x[1]}, 0.0
    for v in x:
        try:
            total += table[int(abs(v) * 10) % 4]
        except KeyError:
            total -= v
    return total


@case(V)
def functions_by_number(x):
    functions = [np.sin, np.cos, np.tanh]
    return sum(functions[int(abs(v) * 10) % 3](v) for v in x)


@case(V)
def arrays_picked_and_replaced(x):
    parts, h = [x * 2, x + 1, x**2], x
    for _ in range(3):
        k = int(np.argmax(h)) % 3
        h = h + np.tanh(parts[k])
        parts[k] = parts[k] * 0.5
    return h.sum() + parts[0].sum()


@case(V)
def lists_by_sign(x):
    groups = {"positive": [], "negative": []}
    for i, v in enumerate(x):
        groups["positive" if v > 0 else "negative"].append(v * i)
    return sum(sum(g) ** 2 for g in groups.values())


@case(V)
def membership(x):
    table, total = {1: 2.0, 3: 4.0}, 0.0
    for v in x:
        k = int(abs(v) * 10) % 4
        if k in table:
            total += table[k] * v
            table[k] += v
    return total + table[1] * table[3]


@case(V)
def tuples_compared(x):
    a, b = (x[0] > 0, x[1]), (x[2] > 0, x[3])
    return (x[0] * 2 if a < b else x[1] * 3) + (x[2] if [x[0], 1] >= [x[0], x[1], 2] else x[3])


@case(V)
def grouped_by_sign(x):
    groups = {}
    for i, v in enumerate(x):
        k = "p" if v > 0 else "n"
        if k not in groups:
            groups[k] = []
        groups[k].append(v * i)
    return sum(sum(g) ** 2 for g in groups.values())


@case(V)
def grouped_with_a_default(x):
    groups = {}
    for i, v in enumerate(x):
        groups.setdefault("p" if v > 0 else "n", []).append(v * i)
    return sum(sum(g) ** 2 for g in groups.values()) + len(groups) * x[0]


@case(V)
def grouped_or_begun(x):
    groups = {}
    for v in x:
        k = "p" if v > 0 else ("n" if v > -0.5 else "q")
        if k in groups:
            groups[k].append(v)
        else:
            groups[k] = [v]
    return sum(sum(g) ** 2 for g in groups.values()) * len(groups)


@case(V[:1])
def begun_once(x):
    groups = {}
    groups.setdefault("p" if x[0] > 0 else "n", []).append([x[0], 2.0])
    return sum(a * b for g in groups.values() for a, b in g) + len(groups) * x[0]


@case(V[:1])
def begun_by_a_factory(x):
    groups = collections.defaultdict(list)
    groups["p" if x[0] > 0 else "n"].append(x[0])
    return sum(sum(g) * len(g) for g in groups.values()) + x[0]


@case(V)
def constant_that_no_iteration_sets(x):
    found, k, s = {}, 0, x[0]
    while k < 3 and s < -0.34:
        k += 1
        found["q"] = 0.12
    if s > 5.0:
        found["q"] = found.get("q", 0.1) + x[1]
        s = s * 0.9 + found["q"]
    return s + found.get("q", 0.4) * x[1]


# ---- numbers with fractions as keys ----------------------------------------------------------
@case(V)
def all_alike(x):
    inverses = [1.0 / v for v in x]
    return inverses[0] if len(set(inverses)) == 1 else sum(inverses)


@case(np.array([0.5, 0.2, 0.3, 0.1]))
def counted_levels(x):
    counts = collections.Counter(x)
    share = counts[x[0]] / len(x)
    return -share * math.log(share) * x[0] + max(counts.values()) * x[1]


@case(np.array([0.52, 0.21, 0.48, 0.11]))
def squares_remembered(x):
    memo, groups = {}, collections.defaultdict(list)
    for v in (*x, *x):
        if v not in memo:
            memo[v] = v * v
        groups[round(float(v), 1)].append(memo[v])
    return sum(len(g) * sum(g) for g in groups.values()) + memo[x[1]]
