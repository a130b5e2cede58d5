"""Programs that use every method of containers whose keys, members or lengths depend on data."""

import collections

import numpy as np

CASES = []
X = np.array([0.11, 0.35, 0.52, 0.83, 0.97])


def case(fn):
    CASES.append((fn, (X,)))
    return fn


@case
def sets_compared_and_combined(x):
    a, b = set(), set()
    for v in x:
        a.add(int(v * 4))
        b.add(int(v * 7))
    s = 0.0
    for k in sorted(a ^ b):
        s += k * x[0]
    for k in sorted(a - b):
        s += k * x[1]
    if a <= b:
        s += x[2]
    if a >= b:
        s += x[3]
    if a.isdisjoint(b):
        s += x[4]
    if a < b:
        s += x[0] ** 2
    if a == b:
        s += x[1] ** 2
    common, rest = a.copy(), a.copy()
    common &= b
    rest -= b
    s += len(common) * x[2] ** 2 + len(rest) * x[3] ** 2
    rest.clear()
    return s + len(rest) * x[4]


@case
def sets_that_shrink(x):
    a = set()
    for v in x:
        a.add(int(v * 4))
    n = len(a)
    a.discard(1)
    a.difference_update({2})
    a.intersection_update({0, 1, 3, 4})
    return n * x[0] + len(a) * x[1]


@case
def deques_by_both_ends(x):
    q = collections.deque()
    for v in x:
        if v > 0.3:
            q.append(v)
        else:
            q.appendleft(v * 2)
        if v > 0.8:
            q.extendleft([v, v + 1])
    s = q.pop() * 3
    q[0] = q[0] * 2
    for v in reversed(q):
        s = s * 0.9 + v
    s += q.count(5.0) + len(q) * x[0]
    r = q.copy()
    q.clear()
    r += [x[1]]
    return s + len(q) + sum(r)


@case
def lists_under_keys(x):
    groups = {}
    for v in x:
        groups.setdefault(int(v * 4), []).append(v)
    s = 0.0
    for k in groups:
        row = groups[k]
        row.insert(0, x[0])
        row.reverse()
        s += row[0] * k + row[-1] * 2 + len(row)
        for v in row + [1.0]:
            s += v
        row += [x[1] * 2]
        s += row.pop()
        if x[0] in row:
            s += 1.0
        del row[0]
        s += row.count(x[0]) + len(row)
    return s


@case
def dicts_merged_and_cleared(x):
    d, e = {}, {}
    for v in x:
        d[int(v * 4)] = d.get(int(v * 4), 0.0) + v
        e[int(v * 6)] = v * 2
    s = 0.0
    for k in reversed(d):
        s = s * 0.5 + d[k]
    d |= e
    for v in d.values():
        s += v
    d.clear()
    return s + len(d)


@case
def constants_by_a_loops_index(x):
    weights = (0.1, 0.2, 0.3, 0.4)
    s = 0.0
    for i in range(min(len(x), 4)):
        s += weights[i] * x[i]
    return s
