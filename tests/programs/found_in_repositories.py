"""Programs in the manner of public repositories; each stands for one that once failed."""

from __future__ import annotations

import inspect
import operator
import os
from collections import Counter, deque
from collections.abc import MutableMapping
from functools import reduce

import numpy as np
import scipy.linalg

R = np.random.RandomState(17)
CASES = []
FIRST_ORDER = []  # the run calls a rule, which has no derivative itself


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


# ---- sizes ---------------------------------------------------------------------------------------
@case(R.rand(2, 1, 3, 2), R.rand(6, 2))
def flat_but_for_the_first(images, weights):
    flat = images.reshape((images.shape[0], np.prod(images.shape[1:])))
    return np.sum(np.tanh(np.dot(flat[:, :], weights)))


@case(R.rand(2, 3, 2))
def flat_but_for_the_last(x):
    rows = np.reshape(x, (np.prod(x.shape[:-1]), x.shape[-1]))
    return np.sum(rows[0] * np.prod(rows, axis=0))


@case(R.rand(4, 18), 3)
def heads_of_heads(x, heads):
    rows = x[[0, 1, 2, 3]]
    rows = np.tile(np.tanh(np.split(rows, heads, axis=-1)[1]), 3)
    return np.sum(np.split(rows, heads, axis=-1)[0] ** 2)


LAYERS = [(1, 4), (4, 4), (4, 1)]


@case(R.randn(2, 33) * 0.4, R.rand(5, 1))
def sets_of_weights(weights, inputs):
    """The first layer has one set of inputs, the others one for each set of weights."""
    units = np.expand_dims(inputs, 0)
    for m, n in LAYERS:
        w = weights[:, :m * n].reshape((len(weights), m, n))
        out = np.einsum("mnd,mdo->mno", units, w) + weights[:, m * n:m * n + n].reshape((len(weights), 1, n))
        units = np.tanh(out)
        weights = weights[:, (m + 1) * n:]
    return np.sum(out ** 2)


# ---- matrices ------------------------------------------------------------------------------------
@case(R.rand(2, 2) + np.eye(2), 0.4)
def square_root_filter(factor, noise):
    stacked = np.hstack([np.array([[1.0, 1.0], [0.0, 1.0]]) @ factor, noise * np.eye(2)]).T
    _, r = scipy.linalg.qr(stacked)
    q, _ = np.linalg.qr(stacked, mode="complete")
    return np.sum((r[:2, :2].T @ r[:2, :2]) ** 2) + np.sum(np.sin(q[:, :2]))


# ---- arrays that grow ----------------------------------------------------------------------------
def first_order(*args):
    def register(fn):
        FIRST_ORDER.append((fn, args))
        return fn

    return register


@first_order(R.rand(3), 0.1, 1.0)
def grown_rows(start, speed, end):
    """A vector becomes a matrix in the first iteration."""
    x, time = start.copy(), 0.0
    path = np.array(x)
    while time <= end:
        x = x * 0.9 + speed
        path = np.vstack((path, x))
        time += 0.3
    return np.sum(path ** 2) + path[-1, 0]


@first_order(R.rand(3), 0.3, 4)
def grown_columns(start, rate, steps):
    x = history = start
    for _ in range(steps):
        x = x - rate * x ** 2
        history = np.column_stack((history, x))
    return np.sum(history[:, -1] * history[:, 1])


# ---- dtypes --------------------------------------------------------------------------------------
@case(np.array([0.2, 0.3]), np.array([1.0, 1.5]))
def refracted(sine, index):
    """Beyond total reflection the angle is complex: its dtype is known at run time only."""
    angle = np.emath.arcsin(sine * index)
    wave = 2 * index * np.cos(angle) / sine[0]
    return np.abs(wave[0]) + wave[1].real


# ---- mappings of one's own -----------------------------------------------------------------------
class Registry(MutableMapping):
    """Keys in any case."""

    def __init__(self, data=None, **named):
        self.data = {}
        self.update({} if data is None else data, **named)

    def __getitem__(self, key):
        try:
            return self.data[key]
        except KeyError:
            pass
        return self.data[dict(zip(self.lower_keys(), self.keys()))[key.lower()]]

    def __setitem__(self, key, value):
        self.data[key] = value

    def __delitem__(self, key):
        del self.data[key]

    def __iter__(self):
        yield from self.data.keys()

    def __len__(self):
        return len(self.data)

    def lower_keys(self):
        yield from [str(key).lower() for key in self.data]


WHITES = Registry({"D65": np.array([0.95, 1.0, 1.09]), "A": np.array([1.1, 1.0, 0.36])})


@case(R.rand(3))
def mapping_in_any_case(x):
    made = Registry({"First": x}, Second=x ** 2)
    made["Third"] = x * made["first"]
    plain, spread = dict(made), {**made}
    return np.sum(made["SECOND"] * plain["Third"] * WHITES["d65"]) + np.sum(spread["First"])


@case(R.rand(3))
def generator_beside_a_dict(x):
    """What ``zip`` takes of a dict are its keys."""
    def doubled():
        for value in x:
            yield value * 2

    weights = {1: x[0], 0: x[1], 3: 0.5}
    return sum(a * b for a, b in zip(doubled(), weights)) + sum(
        a * b for b, a in zip(weights.values(), doubled()))


# ---- ranks ---------------------------------------------------------------------------------------
@case(R.rand(3) + 0.1)
def weights_in_its_shape(x):
    y = np.ones((4, 4)) * x[0] if x[1] > 0 else x
    weights = np.cos(np.arange(y.size)).reshape(y.shape)
    return np.sum(weights * y)


# ---- loops in loops ------------------------------------------------------------------------------
def combinations_of(n, r):
    def product(values):
        try:
            return reduce(lambda a, b: a * b, values)
        except TypeError:
            return 1

    return product(range(n - r + 1, n + 1)) / product(range(1, r + 1))


@case(np.array([[1.0, 3.0, 2.0], [2.0, 2.0, 4.0]]), 1, 2)
def moment_of_polygon(vertices, p, q):
    x, y = vertices
    moment = 0.0
    for k in range(len(x)):
        dx, dy = x[k] - x[(k - 1) % len(x)], y[k] - y[(k - 1) % len(x)]
        part = 0.0
        for i in range(p + 1):
            for j in range(q + 1):
                part += ((-1) ** (i + j) * combinations_of(p, i) * combinations_of(q, j)
                         / (i + j + 1) * x[k] ** (p - i) * y[k] ** (q - j) * dx ** i * dy ** j)
        moment += (x[k] * dy - y[k] * dx) * part
    return moment / (p + q + 2)


# ---- settings ------------------------------------------------------------------------------------
CURVES = Registry({"SUP": Registry({"Linear": Registry({800: (1.0, 2.0), 400: (2.0, 3.0)})})})


def scaled(x, gain=1.0, bias=0.0):
    return x * gain + bias


def known_settings(function, **settings):
    """Those settings that a function takes."""
    names = list(inspect.signature(function).parameters.keys())
    for name in set(settings.keys()) - set(names):
        settings.pop(name)
    return settings


@case(R.rand(3))
def settings_in_mappings_of_mappings(x):
    gain, bias = CURVES["sup"]["Linear"][800]
    return np.sum(scaled(x, **known_settings(scaled, gain=gain, bias=bias, unknown=3.0)) ** 2)


# ---- draws ---------------------------------------------------------------------------------------
@case(R.rand(5))
def drawn_from_a_range(x):
    np.random.seed(1)
    first = x[np.random.choice(range(len(x)))]
    some = x[np.random.choice(range(1, len(x), 2), size=2)]
    rng = np.random.default_rng(2)
    turned = x[rng.permutation(range(len(x)))]
    return first * np.sum(some) + np.sum(turned[:2]) * x[rng.choice(range(len(x)))]


@case(R.rand(4))
def drawn_with_one_of_two_sizes(x):
    rng = np.random.default_rng(3)
    shape = (2, 3) if x[0] > 0.5 else 4
    return x[1] * np.sum(rng.normal(size=shape)) + x[2] * np.sum(rng.uniform(0.0, 1.0, shape))


@case(R.rand(5), -2)
def places_of_a_range(x, k):
    places = range(1, len(x))
    print(places, [places], f"{range(0, len(x), 2)}")
    return x[places[-1]] * x[places[0]] ** 2 + x[places[k]] * x[range(len(x))[-1] - 1]


# ---- lists of run-time length where others stand ---------------------------------------------------
@case(R.rand(4))
def sums_in_the_place_of_longer_lists(x):
    pair = [1.0, 2.0]
    pair += x[:2]  # NumPy's sum
    shifted = [v * 1.0 for v in x]
    shifted += x
    last = deque([x[0]])
    other = last
    last += [v for v in x]
    return pair[0] * len(pair) + np.sum(shifted) * len(shifted) + other[-1] * len(other)


@case(R.rand(4))
def slices_of_known_lists(x):
    doubled = [2.0 * v for v in x]
    values, between, rows = [1.0, 2.0], [1.0, 2.0], [[0.0], [1.0]]
    values[:] = doubled
    values[0] = 3.0
    between[1:1] = doubled
    rows[1][:] = doubled
    left = deque([1.0])
    left.extendleft(doubled)
    return sum(values) * len(values) + sum(i * v for i, v in enumerate(between)) + (
        rows[1][-1] + left[0] * left[-1] * len(left))


def product(a, b):
    return [[sum(p * q for p, q in zip(row, column)) for column in zip(*b)] for row in a]


@case(R.rand(3, 3))
def rows_that_are_printed(a):
    rows = [list(row) for row in a]
    made = product(rows, list(zip(*rows)))
    print("\n".join(" ".join(f"{v:.2f}" for v in row) for row in made))
    for row in made:
        print(*row, sep=", ")
    print("; ".join(map("{:.1f}".format, made[0])))
    return made[0][-1] + max(*made[1])


@case(R.rand(4))
def tuples_as_operands(x):
    near = np.maximum(x - (0.1, 0.2, 0.3, 0.4), (0.0, 0.1, 0.0, 0.1))
    return np.linalg.norm(near) + np.average(x, weights=(1.0, 2.0, 3.0, 4.0)) + np.sum(
        np.average(np.outer(x, x), axis=0, weights=[1.0, 2.0, 3.0, 4.0])) + np.dot((1, 2, 3, 4), x)


class Fork:
    def __init__(self, key):
        self.key, self.low, self.high = key, None, None

    def add(self, key):
        side = "low" if key < self.key else "high"
        below = getattr(self, side)
        if below is None:
            setattr(self, side, Fork(key))
        else:
            below.add(key)

    def keys(self, depth=1):
        for below in (self.low, self.high):
            if below is not None:
                yield from below.keys(depth + 1)
        yield self.key * depth


@case(R.rand(5))
def attributes_of_one_of_two_names(x):
    tree = Fork(x[0])
    for v in x[1:]:
        tree.add(v)
    return sum(tree.keys())


# ---- iterators -------------------------------------------------------------------------------------
@case(R.rand(4))
def one_of_two_lists_gone_through(x):
    values = [x[0], x[1], x[2]]
    if values[0] > 0.5:
        values = values[1:]
    return sum((i + 1) * v for i, v in enumerate(values)) + sum(
        [a * b for a, b in zip(values, values[1:])])


@case(R.rand(4))
def rows_by_a_function(x):
    y = x.copy()
    rows = np.apply_along_axis(lambda row: row, 0, y)  # a new array
    rows += 1.0
    return np.sum(y * rows) + float(np.apply_along_axis(np.sum, 0, y))


# ---- branches that a call does not take ----------------------------------------------------------
@case(R.rand(3, 2), -1)
@case(R.rand(3, 2), 0)
def axis_from_the_end(x, axis):
    if axis < 0:
        axis = x.ndim + axis
    return np.sum(np.cumsum(x, axis=axis) ** 2) + np.moveaxis(x, axis, 0)[1, 0]


@case(R.rand(4), np.linspace(0.1, 0.9, 3))
@case(R.rand(4), 0.3)
def steps_or_one_step(x, step):
    if np.size(step) == 1:
        basis = np.arange(0.0, 1.0, step)
    else:
        basis = step
    return np.sum(np.sin(basis * x[0])) + x[1]


@case(R.rand(6), 2)
@case(R.rand(4), 1)
def shapes_set_for_a_mode(x, mode):
    y = x * 2.0
    for other in (y,):
        if mode == 3 or len(x) > 8 and mode > 1:
            other.shape = (2, len(x) // 2)
    return np.sum(y * y)


def inverted(rows):
    if abs(rows[0][0]) < 1e-10:
        return "no inverse"
    scale = 1.0 / rows[0][0]
    return [[scale * v for v in row] for row in rows]


@case([[2.0, 1.0], [0.5, 3.0]])
def text_where_there_is_no_result(rows):
    found = inverted(rows)
    if isinstance(found, str):
        return rows[1][1]
    return found[0][1] * 2.0 + found[1][0]


# ---- numbers as keys, whose derivatives the keys carry ------------------------------------------
@case(0.45, np.array([0.5, 0.2, 0.7, 0.9, 0.25]))
def nearest_votes(x, labels):
    votes = {}
    for i in np.argsort((labels - x) ** 2)[:3]:
        votes[labels[i]] = votes.get(labels[i], 0) + 1
    return sorted(votes.items(), key=operator.itemgetter(1), reverse=True)[0][0]


@case(R.rand(5))
def most_common_label(labels):
    return Counter(labels).most_common(1)[0][0] * 2.0


@case(R.rand(4), R.rand(5))
def sums_by_value(weights, values):
    sums = {1.0: 0.5}
    for v, w in zip(values, weights):
        if v not in sums.keys():
            sums[v] = 0.0
        sums[v] += w * v
    return sum(k * s for k, s in sums.items()) + max(sums, key=sums.get) + list(sums)[-1]


@case(R.rand(3), R.rand(3))
def pairs_as_keys(xs, ys):
    table = {}
    for i, (a, b) in enumerate(zip(xs, ys)):
        table[a, i] = b
    return sum(key[0] * v for key, v in table.items())


@case(1.5)
@case(-1.5)
def among_the_views(x):
    table = {"a": x, "b": 2 * x}
    total = 0.0
    for name in ("a", "c"):
        if name not in table.keys():
            table[name] = total
        total += table[name]
    if x > 0:
        table["z"] = x
    if x in table.values():
        total += 3 * x
    if ("a", x) in table.items():
        total += 5 * x
    return total + (table["z"] ** 2 if "z" in table.keys() else 0.0)


@case(0.3, [0.5, 0.3, 0.9])
def compared_with_containers(x, xs):
    kept = [v for v in xs if v != [x]] + [v for v in xs if v == (v, x)]
    try:
        kept.append(x if x < xs else 1.0)
    except TypeError as error:
        kept.append(x * len(str(error)))
    return sum(kept) + (x if x != {} else 0.0)


@case(np.array([0.5, 0.2, 0.1]))
def scalars_compared_with_lists(x):
    return np.sum((x[0] < [1.0, 0.0, x[1]]) * x) + (2.0 * x[0] if (x[0] == (x[0],)).all() else 0.0)


# ---- slices of a class's own, and shapes in common ----------------------------------------------
class Window:
    def __init__(self, data):
        self.data = data

    def __len__(self):
        return len(self.data)

    def __getitem__(self, key):
        if isinstance(key, slice):
            start, stop, step = key.indices(len(self))
            return sum(self.data[i] * (i + 1) for i in range(start, stop, step))
        return self.data[key]


@case(R.rand(5), 2)
@case(R.rand(4), 0)
@case(R.rand(1), 3)
def windows(x, k):
    w = Window(x)
    return (w[1:-1] ** 2 + w[::-1] + w[k:] + w[:k:2] + w[-k:k + 3] + w[0] + w[len(w)::-2]
            + w[k + 1:0:-1] + w[-100:100])


@case(R.rand(3, 1), R.rand(4))
@case(1.5, R.rand(3))
def in_common(a, b):
    both = np.broadcast(a, b)
    out = np.zeros(both.shape)
    out += a * b
    return np.sum(out ** 2) * both.size + both.ndim + sum(x * y ** 2 for x, y in np.broadcast(a, b))


# ---- integers on some paths ----------------------------------------------------------------------
@case(np.array([0.5, 0.3]), np.linspace(0.1, 1.0, 5))
@case(np.array([0.5, 3.0]), np.linspace(0.1, 1.0, 5))
def step_response(x, times):
    delay = max(0, x[1])
    found = np.array([x[0] * (1 - np.exp(delay - t)) if t >= delay else 0 for t in times])
    return sum(abs(found - times))


@case(np.array([0.3, 0.2, 0.1]))
@case(np.array([-0.3, -0.2, -0.1]))
def rows_of_integers(x):
    rows = [x * v if v > 0 else np.arange(3) for v in x]
    return np.sum((np.array(rows) - x) ** 2)


@case(R.rand(3), np.array([0, 2, 0]))
@case(R.rand(0), np.zeros(0, int))
def sums_of_no_weights(w, places):
    sums = np.bincount(places, weights=w, minlength=3) + w.sum()
    sums[1] += 0.5
    return sums @ sums


# ---- singular values that are cut ----------------------------------------------------------------
U, _, V = np.linalg.svd(R.randn(5, 3), full_matrices=False)
SMALL = U @ np.diag([2.0, 1.0, 0.1]) @ V


@case(SMALL, R.rand(5))
@case(SMALL.T.copy(), R.rand(3))
def truncated_least_squares(a, b):
    x = np.linalg.lstsq(a, b, rcond=0.2)[0]
    y = scipy.linalg.lstsq(a, b, 0.04 * len(a))[0]
    return x @ x + x[0] * y[1]


@case(SMALL, R.rand(5))
@case(SMALL.T.copy(), R.rand(3))
def truncated_inverse(a, b):
    x = np.linalg.pinv(a, 0.2) @ b + scipy.linalg.pinv(a, atol=0.1, rtol=0.1) @ b
    y = np.linalg.pinv(np.stack([a, a + 1]), np.array([0.2, 0.3])) @ b
    return np.sum(x * y) + np.sum(np.abs(np.linalg.pinv(a + 1j * a ** 2, rtol=0.2) @ b) ** 2)


# ---- what protects its result -------------------------------------------------------------------
def factors(x, n):
    first = x * np.arange(1, n + 1) ** 2.0
    first.setflags(write=False)
    second = np.exp(-first)
    second.setflags(False)
    return first, second


@case(0.5, 4)
def protected_factors(x, n):
    first, second = factors(x, n)
    both = first * second
    both[0] = 1.0
    return np.sum(both)


# ---- sorted as Python sorts ----------------------------------------------------------------------
@case(np.array([0.5, np.nan, 0.2, 0.1]))
@case(np.array([3.0, np.nan, 2.0, np.nan, 1.0, 0.5, np.nan, 0.1]))
def sorted_with_missing_numbers(x):
    doubled = [v * 2 for v in x]
    doubled.sort(reverse=True)
    total = sum(i * (v if v == v else 1.0) for i, v in enumerate(sorted(doubled)))
    places = sorted([0, 1, 2, 3], key=lambda i: x[i])
    return total + sum(i * (v if v == v else 2.0) for i, v in enumerate(doubled)) + places[0]


def options(name, **settings):
    return name, settings


@case(np.array([0.4, 0.3]))
def names_that_are_no_identifiers(x):
    print(*options("font", **{"sans-serif": ["Arial"], "class": x[0], "size": 2}))
    collected = dict(**{"line-width": x[1]}, size=x[0])
    return np.sum(x) * collected["line-width"]


@case(R.rand(3, 3), R.rand(3, 3))
def rotation_between_points(a, b):
    u, s, vt = np.linalg.svd(np.dot((a - a.mean(axis=0)).T, b - b.mean(axis=0)))
    vt[2, :] *= np.sign(np.linalg.det(vt.T @ u.T))
    return np.sum(np.dot(vt.T, u.T) * np.arange(9.0).reshape(3, 3)) + s[0]


# ---- the best of many searches -------------------------------------------------------------------
def turn_left(a, b):
    if a * b < 0.1:
        return None, None, ["WB", "S", "WB"]
    return a * 2, b, ["WB", "S", "WB"]


def turn_right(a, b):
    if a + b < 0.1:
        return None, None, ["R", "S", "R"]
    return a + b, b * a, ["R", "S", "R"]


def turn_twice(a, b):
    if a - b < -8:
        return None, None, ["L", "R", "L"]
    return a - b, b * 0.5, ["L", "R", "L"]


@case(0.5, 0.7)
@case(0.9, 0.3)
@case(3.0, -1.0)
def shortest_way(a, b):
    cost = float("inf")
    first, second, best = None, None, None
    for search in [turn_left, turn_right, turn_twice, turn_twice, turn_right, turn_left]:
        t, p, mode = search(a, b)
        if t is None:
            continue
        if cost > abs(t) + abs(p):
            first, second, best = t, p, mode
            cost = abs(t) + abs(p)
    way = 0.0
    for mode, length in zip(best, [first, second, first]):
        way += {"S": length, "L": length ** 2, "R": -np.sin(length)}.get(mode, 2 * length)
    return way


@case(np.array([0.5, 0.7, -0.2]))
@case(np.array([-0.5, 0.1, 0.9]))
def kept_unless_better(x):
    best = None
    bound = -1.0
    for candidate in ([x[0]], (x[1], 2.0), [x[2], x[0], 3.0], "none", {"a": x[1]}):
        value = candidate[0] if isinstance(candidate, (list, tuple)) else 0.0
        if value <= bound:
            pass
        elif value > 0.6:
            bound, best = value, candidate
        else:
            bound = value
            if x[1] > 0.3:
                best = candidate
    if isinstance(best, dict):
        return best["a"]
    return bound if best is None or best == "none" else sum(best) * bound


# ---- files that may not be there -----------------------------------------------------------------
@case(0.5)
def kept_results(x):
    name = f"/nonexistent/{x:.2f}.txt"
    found = x * 2 if os.path.isfile(name) else x * 3
    try:
        os.stat(name)
    except OSError:
        return found * x
    return found
