"""Dicts whose keys are picked by data: grouping, counting, order, dynamic programming."""

from __future__ import annotations

import math
from collections import Counter, OrderedDict, defaultdict, deque
from itertools import product
from typing import NamedTuple

import numpy as np

CASES = []


def case(*args):
    def keep(fn):
        CASES.append((fn, args))
        return fn
    return keep


V = np.array([0.43, -0.36, 1.14, -0.93, 0.75, -0.22, 0.61, 1.32, -0.57, 0.18])
W = np.array([0.11, 0.72, -0.44, 0.93, -0.31, 0.64, -0.85, 0.27, 0.36, -1.14])
LABELS = np.array([2, 0, 1, 2, 2, 0, 1, 3, 0, 2])
NAMES = ["oak", "elm", "oak", "ash", "elm", "oak", "fir", "ash", "oak", "elm"]


@case(V, LABELS)
def groups_of_lists(x, label):
    groups = {}
    for i in range(len(x)):
        k = int(label[i])
        if k not in groups:
            groups[k] = []
        groups[k].append(x[i])
    total = 0.0
    for k, g in groups.items():
        total += (k + 1) * sum(g) ** 2 / len(g)
    return total


@case(V, LABELS)
def groups_by_setdefault(x, label):
    groups = {}
    for k, v in zip(label, x):
        groups.setdefault(int(k), []).append(v)
    return sum(np.var(np.array(g)) * (k + 1) for k, g in groups.items())


@case(V, LABELS)
def groups_by_defaultdict(x, label):
    groups = defaultdict(list)
    for i in range(len(x)):
        groups[label[i]].append(x[i] ** 2)
    means = [np.mean(groups[k]) for k in sorted(groups)]
    return sum(m * (i + 1) for i, m in enumerate(means))


@case(V, LABELS)
def sums_with_get(x, label):
    sums = {}
    for i in range(len(x)):
        k = int(label[i])
        sums[k] = sums.get(k, 0.0) + x[i] ** 2
    return sum(v ** 2 for v in sums.values())


@case(V, LABELS)
def sums_and_counts(x, label):
    sums, counts = {}, {}
    for k, v in zip(label.tolist(), x):
        sums[k] = sums.get(k, 0.0) + v
        counts[k] = counts.get(k, 0) + 1
    means = {k: sums[k] / counts[k] for k in sums}
    return sum((v - means[k]) ** 2 for k, v in zip(label.tolist(), x))


@case(V, LABELS)
def counted_by_counter(x, label):
    counts = Counter()
    for k in label:
        counts[int(k)] += 1
    return sum(x[i] * counts[int(label[i])] for i in range(len(x)))


@case(V)
def counter_of_signs(x):
    counts = Counter(int(np.sign(v)) for v in x)
    return np.sum(x ** 2) * counts[1] / (1 + counts[-1]) + counts[0]


@case(V, LABELS)
def arrays_under_data_keys(x, label):
    rows = {}
    for i in range(len(x)):
        k = int(label[i])
        row = x[i] * np.arange(1.0, 4.0)
        if k in rows:
            rows[k] = rows[k] + row
        else:
            rows[k] = row
    return sum(np.sum(np.tanh(r)) * (k + 1) for k, r in rows.items())


@case(V, LABELS)
def key_of_largest(x, label):
    sums = {}
    for k, v in zip(label, x):
        sums[int(k)] = sums.get(int(k), 0.0) + v
    best = max(sums, key=sums.get)
    return best * sums[best] + sums[best] ** 2 - min(sums.values())


@case(V, LABELS)
def in_order_of_insertion(x, label):
    sums = {}
    for k, v in zip(label, x):
        k = int(k)
        sums[k] = sums.get(k, 0.0) + v
    total, weight = 0.0, 1.0
    for k, v in sums.items():
        total += weight * v * (k + 1)
        weight *= 0.5
    for k, v in sorted(sums.items()):
        total += weight * v
        weight *= 1.5
    return total


@case(V, LABELS)
def deleted_and_added_again(x, label):
    held = {}
    for k, v in zip(label, x):
        k = int(k)
        if k in held:
            total = held[k]
            del held[k]
            held[k] = total * v
        else:
            held[k] = v
    out, weight = 0.0, 1.0
    for k in held:
        out += weight * held[k]
        weight += 1.0
    return out * len(held)


@case(V, LABELS)
def popped(x, label):
    held, total = {}, 0.0
    for k, v in zip(label, x):
        k = int(k)
        if k in held:
            total += held.pop(k) * v
        else:
            held[k] = v
    return total + sum(held.values())


@case(V, LABELS)
def popitem_until_empty(x, label):
    held = {}
    for k, v in zip(label, x):
        held[int(k)] = v
    total, weight = 0.0, 1.0
    while held:
        k, v = held.popitem()
        total += weight * v * (k + 1)
        weight *= 0.5
    return total


@case(V, LABELS)
def pop_with_default(x, label):
    held = {}
    total = 0.0
    for i, k in enumerate(label):
        total += held.pop(int(k) - 1, x[i]) ** 2
        held[int(k)] = x[i] * (i + 1)
    return total + len(held)


@case(V, LABELS)
def tried_data_keys(x, label):
    sums = {}
    for k, v in zip(label, x):
        try:
            sums[int(k)] += v
        except KeyError:
            sums[int(k)] = v * 2
    return sum(v * v for v in sums.values())


@case(V, LABELS)
def tried_reads(x, label):
    table = {}
    for i in range(4):
        table[int(label[i])] = x[i]
    total = 0.0
    for i in range(len(x)):
        try:
            total += table[int(label[i])] * x[i]
        except KeyError:
            total -= x[i] ** 2
    return total


@case(V, NAMES)
def strings_as_keys(x, names):
    sums = {}
    for name, v in zip(names, x):
        sums[name] = sums.get(name, 0.0) + v ** 2
    return sums["oak"] * sums["elm"] + sums.get("yew", 1.0) * sums["fir"]


@case(V)
def strings_picked_by_data(x):
    totals = {}
    for v in x:
        kind = "low" if v < -0.3 else "high" if v > 0.5 else "middle"
        totals[kind] = totals.get(kind, 0.0) + v
    return sum(totals[k] ** 2 * len(k) for k in totals)


@case(V)
def strings_made_of_data(x):
    totals = {}
    for v in x:
        key = f"bin{int(v * 2)}"
        totals[key] = totals.get(key, 1.0) * v
    return totals["bin0"] + sum(totals.values())


@case(V, LABELS)
def pairs_as_keys(x, label):
    table = {}
    for i in range(len(x) - 1):
        pair = (int(label[i]), int(label[i + 1]))
        table[pair] = table.get(pair, 0.0) + x[i] * x[i + 1]
    total = 0.0
    for (a, b), v in table.items():
        total += (a - 2 * b) * v ** 2
    return total


@case(V, LABELS)
def nested_dicts(x, label):
    table = {}
    for i in range(len(x) - 1):
        a, b = int(label[i]), int(label[i + 1])
        table.setdefault(a, {})
        table[a][b] = table[a].get(b, 0.0) + x[i]
    total = 0.0
    for a, row in table.items():
        for b, v in row.items():
            total += (a + 1) * (b + 2) * v ** 2
    return total


@case(V, LABELS)
def nested_defaultdicts(x, label):
    table = defaultdict(lambda: defaultdict(float))
    for i in range(len(x) - 1):
        table[int(label[i])][int(label[i + 1])] += x[i] ** 2
    return sum(v * (a - b) for a, row in table.items() for b, v in row.items())


@case(V, LABELS)
def tuples_as_values(x, label):
    stats = {}
    for k, v in zip(label, x):
        total, count = stats.get(int(k), (0.0, 0))
        stats[int(k)] = (total + v, count + 1)
    return sum((t / n) ** 2 for t, n in stats.values())


@case(V, LABELS)
def lists_as_values(x, label):
    stats = {}
    for k, v in zip(label, x):
        k = int(k)
        if k not in stats:
            stats[k] = [0.0, 0]
        stats[k][0] += v
        stats[k][1] += 1
    return sum((t / n) ** 2 for t, n in stats.values())


class Cluster:
    def __init__(self):
        self.total, self.square, self.count = 0.0, 0.0, 0

    def add(self, v):
        self.total += v
        self.square += v * v
        self.count += 1

    def variance(self):
        return self.square / self.count - (self.total / self.count) ** 2


@case(V, LABELS)
def objects_known_before(x, label):
    clusters = {k: Cluster() for k in range(4)}
    for k, v in zip(label, x):
        clusters[int(k)].add(v)
    return sum(c.variance() * (k + 1) for k, c in clusters.items())


@case(V)
def filled_in_a_while(x):
    seen, i = {}, 0
    while i not in seen and len(seen) < 20:
        seen[i] = x[i] ** 2
        i = (i * 3 + 1) % len(x)
    return sum(v * (k + 1) for k, v in seen.items())


@case(V)
def last_index_of_bin(x):
    last = {}
    for i, v in enumerate(x):
        last[int(v * 2)] = i
    return sum(x[i] ** 2 for i in last.values()) + x[last[0]]


@case(V, LABELS)
def updated_from_another(x, label):
    first, second = {}, {}
    for i in range(5):
        first[int(label[i])] = x[i]
    for i in range(5, 10):
        second[int(label[i])] = x[i] * 2
    first.update(second)
    merged = {**first, 7: x[0]}
    return sum(v * (k + 1) for k, v in merged.items()) + len(merged)


@case(V, LABELS)
def comprehension_over_items(x, label):
    sums = {}
    for k, v in zip(label, x):
        sums[int(k)] = sums.get(int(k), 0.0) + v
    scaled = {k: v / len(sums) for k, v in sums.items() if v > 0}
    return sum(scaled.values()) * max(scaled)


@case(V, LABELS)
def dict_comprehension_of_data(x, label):
    table = {int(k): v for k, v in zip(label, x)}
    return sum(v ** 2 * (k + 1) for k, v in table.items()) * len(table)


@case(V, LABELS)
def dict_of_zip(x, label):
    table = dict(zip(label.tolist(), x))
    return table[0] * table[2] + sum(table.values())


@case(V, LABELS)
def grouped_by_comprehension(x, label):
    keys = sorted(set(label.tolist()))
    means = {k: np.mean(x[label == k]) for k in keys}
    return sum((v - means[k]) ** 2 for k, v in zip(label.tolist(), x))


@case(V)
def inverse_index(x):
    order = {int(k): rank for rank, k in enumerate(np.argsort(x))}
    return sum(order[i] * x[i] ** 2 for i in range(len(x)))


@case(V, LABELS)
def ordered_dict_moved(x, label):
    recent = OrderedDict()
    total = 0.0
    for k, v in zip(label, x):
        k = int(k)
        if k in recent:
            total += recent[k] * v
            recent.move_to_end(k)
        recent[k] = v
        if len(recent) > 2:
            recent.popitem(last=False)
    return total + sum(recent.values())


@case(V, LABELS)
def returned_as_numbers(x, label):
    sums = defaultdict(float)
    for k, v in zip(label, x):
        sums[int(k)] += v
    return np.sum(np.array(list(sums.values())) ** 2) + np.array(list(sums.keys())) @ np.array(
        [sums[k] for k in sums])


@case(V, LABELS)
def helper_that_fills(x, label):
    def add(table, k, v):
        if k in table:
            table[k] = table[k] * 0.5 + v
        else:
            table[k] = v

    table = {}
    for k, v in zip(label, x):
        add(table, int(k), v)
    return sum(v ** 2 for v in table.values())


class Histogram:
    def __init__(self, width):
        self.width, self.bins = width, {}

    def __setitem__(self, k, v):
        self.bins[k] = v

    def __getitem__(self, k):
        return self.bins.get(k, 0.0)

    def add(self, v):
        self[int(v // self.width)] += v

    def entropy(self):
        total = sum(abs(v) for v in self.bins.values())
        return -sum(abs(v) / total * math.log(abs(v) / total) for v in self.bins.values())


@case(V)
def histogram_object(x):
    h = Histogram(0.27)
    for v in x:
        h.add(v)
    return h.entropy() + h[100]


@case(V)
def key_error_unless_caught(x):
    table = {}
    for i in range(3):
        table[int(x[i] * 10)] = x[i]
    try:
        return table[99]
    except KeyError:
        return sum(table.values()) * 2


@case(V, LABELS)
def two_dicts_swapped(x, label):
    old, new = {0: 1.0}, {}
    for i in range(len(x)):
        new = {}
        for k, v in old.items():
            a, b = k + int(label[i]), k
            new[a] = new.get(a, 0.0) + v * x[i]
            new[b] = new.get(b, 0.0) + v * (1.0 - x[i])
        old = new
    return sum(v * k for k, v in old.items()) + len(old)


class Polynomial(dict):
    def __add__(self, other):
        made = Polynomial(self)
        for power, c in other.items():
            made[power] = made.get(power, 0.0) + c
        return made

    def __mul__(self, other):
        made = Polynomial()
        for (p, a), (q, b) in product(self.items(), other.items()):
            made[p + q] = made.get(p + q, 0.0) + a * b
        return made

    def __call__(self, t):
        return sum(c * t**power for power, c in self.items())


@case(V)
def dict_of_a_class_from_a_table(x):
    p = Polynomial({i % 7: c for i, c in enumerate(x)})
    q = Polynomial(p)
    q.update({2 * i: c for i, c in enumerate(x[:3])})
    return (p * q + p)(0.7) + (q | {i + 1: c for i, c in enumerate(x[:2])})[1]


class Items(list):
    def total(self):
        return sum(self)


@case(V)
def containers_of_classes_from_a_table(x):
    table = {i % 4: v for i, v in enumerate(x)}
    items, last = Items(table.values()), deque(table.items(), maxlen=2)
    items.extend(table.values())
    return items.total() * last[0][1] + len(set(table))


class Cell(NamedTuple):
    row: int
    column: int = 0

    def near(self):
        return [Cell(self.row + 1, self.column), self._replace(column=self.column + 1)]


@case(V, LABELS)
def named_tuples_as_keys(x, label):
    field = {Cell(0): 1.0}
    for k, v in zip(label, x):
        cell = Cell(int(k), 2 if v > 0.5 else 1)
        field[cell] = field.get(cell, 0.0) + v
    total = sum((cell.row - 3 * cell.column) * v for cell, v in field.items())
    first = min(field, key=lambda cell: field[cell])
    return total * field[0, 0] + first.row * field[first] + len(field)


@case(V, LABELS)
def named_tuples_in_sets(x, label):
    seen, todo, total = set(), [Cell(int(label[0]))], 0.0
    while todo:
        cell = todo.pop()
        if cell in seen or cell.row + cell.column > 4 or cell == (3, 1):
            continue
        seen.add(cell)
        total += x[cell.row] * x[cell.column]
        todo.extend(cell.near())
    return total + sum(x[cell.row] for cell in sorted(seen)) + ((2, 1) in seen)


@case(V, LABELS)
def named_tuples_in_keys(x, label):
    field = {}
    for k, v in zip(label, x):
        key = (Cell(int(k)), "high" if v > 0 else "low")
        field[key] = field.get(key, 0.0) + v * v
    return sum(v * (cell.row + 1) for (cell, which), v in field.items() if which == "high") + (
        len(field))


@case(V, LABELS)
def named_tuples_in_order(x, label):
    found = []
    for k, v in zip(label, x):
        if v > -0.5:
            found.append(Cell(int(k), v))
    found.sort()
    last = sorted(found, reverse=True)
    return found[0].column + 2 * found[1].column * last[0].column + last[1].row * max(found).column
