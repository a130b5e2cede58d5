"""Everything that is done with a list, tuple or dict that comes from outside: the arrays in it
are those of the argument, whatever they go through."""

from __future__ import annotations

import collections
import copy
import functools
import itertools

import numpy as np

X = np.linspace(0.5, 1.0, 3)
R = np.random.RandomState(0)
CASES = []


def over(*containers):
    def register(fn):
        CASES.extend((fn, (X, copy.deepcopy(c))) for c in containers)
        return fn

    return register


def arrays(n):
    return [R.rand(3) + 0.1 for _ in range(n)]


FEW, MANY, PAIR = arrays(3), arrays(11), tuple(arrays(3))
NAMED = dict(zip("abc", arrays(3)))


@over(FEW, MANY)
def list_plus(x, items):
    items = items + [x]
    return np.sum(items[-1] * items[0] * items[2])


@over(FEW, MANY)
def list_plus_from_the_right(x, items):
    items = [x] + items
    return np.sum(items[-1] * items[0] * items[2])


@over(FEW, MANY)
def list_times(x, items):
    items = items * 2
    return np.sum(items[-1] * items[0] * x)


@over(FEW, MANY)
def list_and_itself(x, items):
    both = items + items
    return np.sum(both[-1] * both[0] * x)


@over(FEW, MANY)
def added_to_a_list(x, items):
    a = [x]
    a += items
    a.extend(items)
    return np.sum(a[-1] * a[1] * a[0])


@over(FEW, MANY)
def spread(x, items):
    a = [*items, x, *items]
    first, *rest = items
    return np.sum(a[-1] * a[0] * rest[1] * first)


@over(FEW, MANY)
def copied(x, items):
    a, b, c = list(items), items.copy(), copy.copy(items)
    a.insert(1, x)
    b.reverse()
    c[0] = x
    return np.sum(a[1] * a[2] * b[0] * c[0] * c[2])


@over(FEW, MANY)
def sliced(x, items):
    a = items[:2] + items[1:]
    a[1:2] = items
    return np.sum(a[2] * a[-1] * items[::-1][0] * x)


@over(FEW, MANY, PAIR)
def looped(x, items):
    total = 0.0
    for i, (u, v) in enumerate(zip(items, reversed(items))):
        total = total + np.sum(u * v * x) * (i + 1)
    return total * len(items)


@over(FEW, MANY, PAIR)
def with_tools(x, items):
    total = sum(items) + functools.reduce(lambda a, b: a * b, items, x)
    for u, v in itertools.pairwise(items):
        total = total + u * v
    for w in itertools.chain(items, [x]):
        total = total + w * w
    return np.sum(total + np.stack(list(map(np.sin, items))).sum(axis=0))


@over(FEW, MANY, PAIR)
def by_numpy(x, items):
    return np.sum(np.stack(items) @ x) + np.sum(np.concatenate(items)) * np.sum(
        np.array(items)[1] * np.vstack(items)[2])


@over(FEW, PAIR, MANY)
def chosen(x, items):
    best = max(items, key=lambda w: np.sum(w * x))
    return np.sum(best * min(np.sum(w) for w in items))


@over(FEW, MANY)
def filtered(x, items):
    kept = [w * x for w in items if len(w) == 3]
    kept.append(x)
    queue = collections.deque(items, maxlen=5)
    queue.appendleft(x)
    return np.sum(kept[0] * kept[-1] * queue[0] * queue[-1])


@over(FEW, MANY)
def appended_and_popped(x, items):
    items.append(x)
    total = 0.0
    for w in items:
        total = total + np.sum(w * w)
    last = items.pop()
    return total * np.sum(last)


@over(FEW, MANY)
def written(x, items):
    for w in items:
        w *= 2.0
    items[0][1] = 3.0
    return np.sum(items[0] * items[2] * x)


@over(FEW, MANY)
def replaced(x, items):
    for i in range(len(items)):
        items[i] = items[i] * x
    return np.sum(items[0] * items[-1])


@over(FEW, MANY)
def checked(x, items):
    if not isinstance(items, list) or not items or type(items) is not list:
        raise TypeError("a list")
    assert all(isinstance(w, np.ndarray) and w.shape == x.shape for w in items)
    return np.sum(items[len(items) // 2] * items[-1] * x)


@over(PAIR)
def tuple_plus(x, pair):
    p = pair + (x,)
    q = (x,) + pair * 2
    return np.sum(p[0] * p[-1] * q[-1] * q[2])


@over(NAMED)
def merged(x, named):
    p = {**named, "z": x}
    q = named | {"a": x}
    r = dict(named, b=x)
    s = {"c": x}
    s |= named
    s.update(named)
    return np.sum(p["a"] * q["b"] * r["c"] * s["c"] * q["a"] * r["b"])


@over(NAMED)
def items_of_a_dict(x, named):
    total = x
    for key, w in named.items():
        total = total * w + len(key)
    for w in named.values():
        total = total + w
    a, *rest = named.values()
    return np.sum(total * rest[0] * list(named.values())[2] * named.get("a", x))


def weighted(x, a, b, c=1.0):
    return np.sum(x * a + b * b * c)


@over(NAMED)
def as_keywords(x, named):
    return weighted(x, **named) * weighted(*named.values())


@over({"layers": FEW, "more": {"w": PAIR}}, {"layers": MANY, "more": {"w": PAIR}})
def nested(x, params):
    layers = params["layers"] + list(params["more"]["w"])
    for w in params["layers"]:
        x = np.tanh(x * w) + layers[-1]
    return np.sum(x * layers[0])


SEEN, FOUND = [0.5, 1.5, 0.7, 2.5], [0.4, 1.0, 0.9, 2.0]


@over({"seen": SEEN, "found": FOUND}, {"seen": FEW[0], "found": FOUND[:3]})
def of_two_variables(x, series):
    """NumPy's own source is staged, for numbers in lists as for arrays."""
    seen, found = series["seen"], series["found"]
    return x[0] * np.corrcoef(seen, found)[0, 1] + np.sum(x * np.cov(seen, y=found)[1, 0])


@over(SEEN)
def under_the_line(x, seen):
    return np.trapezoid(seen) * np.trapezoid(x) + np.trapezoid(SEEN[:3], x=x) + np.sum(np.polydiv(seen, [2.0, 1.0])[0])
