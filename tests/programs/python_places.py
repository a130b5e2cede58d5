"""Dicts and sets under data keys with second names, deletions and loops that change them."""

from __future__ import annotations

import math
from collections import Counter, OrderedDict, defaultdict

import numpy as np

CASES = []


def case(*args):
    def keep(fn):
        CASES.append((fn, args))
        return fn
    return keep


V = np.array([0.43, -0.36, 1.14, -0.93, 0.71, -0.22, 0.61, 1.32, -0.57, 0.18])
LABELS = np.array([2, 0, 1, 2, 2, 0, 1, 3, 0, 2])


@case(V, LABELS)
def two_names_of_one_list(x, label):
    groups = {}
    for k, v in zip(label, x):
        group = groups.setdefault(int(k), [])
        group.append(v)
        other = groups[int(k)]
        other.append(v * len(group))
    return sum(sum(g) ** 2 for g in groups.values())


@case(V, LABELS)
def one_list_under_two_keys(x, label):
    groups = {}
    for i in range(4):
        groups[int(label[i])] = []
    groups[9] = groups[2]
    groups[9].append(x[0])
    groups[2].append(x[1] ** 2)
    return sum(groups[9]) * len(groups[2]) + len(groups[0])


@case(V, LABELS)
def equal_keys_written_in_turn(x, label):
    held = {}
    a, b = int(label[0]), int(label[3])
    held[a] = x[0]
    held[b] = x[1] ** 2
    held[a] += x[2]
    return held[b] * len(held) + held.get(b + 1, x[3])


@case(V, LABELS)
def asked_then_deleted(x, label):
    held = {}
    total = 0.0
    for k, v in zip(label, x):
        k = int(k)
        held[k] = v
        if k in held:
            total += held[k] ** 2
            del held[k]
        if k in held:
            total += 100.0
        held[k] = v * 2
        if k > 1:
            held.pop(k)
        total += held.get(k, 3.0) * v
    return total + len(held)


@case(V, LABELS)
def keys_found_before_a_loop(x, label):
    held = {int(label[0]): x[0]}
    key = int(label[3])
    total = 0.0
    if key in held:
        for i in range(len(x)):
            if key in held:
                total += held[key] * x[i]
                if x[i] < -0.5:
                    del held[key]
            else:
                total -= x[i] ** 2
                held[key] = x[i]
    return total


@case(V, LABELS)
def reinserted_at_the_end(x, label):
    held = {}
    for k, v in zip(label, x):
        k = int(k)
        v = held.pop(k, 0.0) + v
        held[k] = v
    total = 0.0
    for rank, (k, v) in enumerate(held.items()):
        total += (rank + 1) * v * (k + 0.5)
    return total + list(held)[0] + list(held.values())[-1] ** 2


@case(V, LABELS)
def sets_of_pairs(x, label):
    seen, total = set(), 0.0
    for i in range(len(x) - 1):
        pair = (int(label[i]), int(label[i + 1]))
        if pair in seen or pair[::-1] in seen:
            total += x[i] ** 2
        seen.add(pair)
    for a, b in sorted(seen):
        total += (a - b) * x[a + b]
    return total * len(seen)


@case(V, LABELS)
def neighbours_as_sets(x, label):
    near = defaultdict(set)
    for i in range(len(x) - 1):
        near[int(label[i])].add(int(label[i + 1]))
        near[int(label[i + 1])].add(int(label[i]))
    return sum(x[k] ** 2 * len(s) for k, s in near.items()) + (x[0] if 3 in near[1] else x[1])


@case(V, LABELS)
def lists_sorted_and_cut(x, label):
    groups = defaultdict(list)
    for k, v in zip(label, x):
        groups[int(k)].append(v)
    total = 0.0
    for k in groups:
        groups[k].sort()
        total += groups[k][0] - groups[k][-1] * k
        total += sum(groups[k][1:]) ** 2
    return total


@case(V, LABELS)
def lists_popped(x, label):
    stacks = {}
    total = 0.0
    for k, v in zip(label, x):
        stack = stacks.setdefault(int(k), [])
        stack.append(v)
        if len(stack) > 1:
            total += stack.pop() * stack[0]
    return total + sum(len(s) for s in stacks.values())


@case(V, LABELS)
def pairs_in_lists(x, label):
    log = defaultdict(list)
    for i, (k, v) in enumerate(zip(label, x)):
        log[int(k)].append((i, v))
    total = 0.0
    for k, events in log.items():
        last = 0.0
        for i, v in events:
            total += (i + 1) * v * last + k
            last = v
    return total


@case(V, LABELS)
def counts_most_common(x, label):
    counts = Counter(label.tolist())
    total = 0.0
    for rank, (k, n) in enumerate(counts.most_common(2)):
        total += (rank + 1) * n * x[k] ** 2
    return total


@case(V, LABELS)
def counters_subtracted(x, label):
    have, need = Counter(), Counter()
    for i in range(6):
        have[int(label[i])] += 1
    for i in range(6, 10):
        need[int(label[i])] += 2
    have.subtract(need)
    return sum(n * x[k] ** 2 for k, n in have.items())


@case(V, LABELS)
def copied_then_changed(x, label):
    first = {}
    for k, v in zip(label, x):
        first[int(k)] = v
    second = first.copy()
    third = dict(first)
    second[0] = second[0] * 2.0
    third.update({1: x[0], 8: x[1]})
    return sum(first.values()) + sum(second.values()) ** 2 + sum(third.values()) * len(third)


@case(V, LABELS)
def compared(x, label):
    first, second = {}, {}
    for k in label:
        first[int(k)] = 1
    for k in label[::-1]:
        second[int(k)] = 1
    return x[0] ** 2 if first == second else x[1] ** 2


@case(V, LABELS)
def next_of_iterator(x, label):
    held = {}
    for k, v in zip(label, x):
        held[int(k)] = v
    first = next(iter(held))
    return held[first] ** 2 + first


@case(V, LABELS)
def passed_to_helpers(x, label):
    def fill(table):
        for k, v in zip(label, x):
            table[int(k)] = table.get(int(k), 0.0) + v
        return table

    def norm(table):
        return math.sqrt(sum(v * v for v in table.values()))

    table = fill({})
    scaled = {k: v / norm(table) for k, v in table.items()}
    return scaled[0] + 2.0 * scaled[2]


@case(V, LABELS)
def kept_in_an_object(x, label):
    class Store:
        def __init__(self):
            self.held = {}

        def put(self, k, v):
            self.held[k] = v

        def get(self, k):
            try:
                return self.held[k]
            except KeyError:
                return 0.5

    store = Store()
    for k, v in zip(label, x):
        store.put(int(k), v * store.get(int(k) - 1))
    return store.get(2) + store.get(3) ** 2 + store.get(7)


@case(V, LABELS)
def least_recently_used(x, label):
    cache, total = OrderedDict(), 0.0
    for k, v in zip(label, x):
        k = int(k)
        if k in cache:
            cache.move_to_end(k)
            total += cache[k] ** 2
        else:
            if len(cache) >= 2:
                _, old = cache.popitem(last=False)
                total -= old
            cache[k] = np.sin(v)
    return total + sum(cache.values())


@case(V, LABELS)
def none_as_a_value(x, label):
    last = {}
    total = 0.0
    for k in range(4):
        last[k] = None
    for k, v in zip(label, x):
        before = last[int(k)]
        if before is not None:
            total += before * v
        last[int(k)] = v
    return total


@case(V, 4)
def grown_by_loop_index(x, n):
    table = {}
    for i in range(len(x)):
        table[i % n, i // n] = x[i]
    return sum(v * (a + 1) / (b + 1) for (a, b), v in table.items()) + table[1, 1] ** 2


@case(V)
def text_of_loop_index(x):
    table = {}
    for i in range(len(x)):
        table[f"w{i}"] = x[i] ** 2
    return sum(table[f"w{i}"] * i for i in range(len(x))) + len(table)


@case(V)
def keys_by_bool(x):
    table = {}
    for v in x:
        table[bool(v > 0)] = table.get(bool(v > 0), 0.0) + v
    return table[True] ** 2 - table[False]


@case(V)
def keys_in_another_order(x):
    d = {}
    if x[1] > 1.0:
        d["b"] = x[1]
    d["a"] = x[0]
    d["b"] = x[2]
    return sum(d.values())


@case(V)
def new_key_in_a_try(x):
    found, total = {}, 0.0
    for v in x:
        try:
            total += found[int(v)] * v
        except KeyError:
            found[int(v)] = v
    return total

