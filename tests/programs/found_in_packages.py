"""Programs in the manner of published packages; each stands for one that once failed."""

from __future__ import annotations

import math
from functools import reduce

import numpy as np
import scipy.linalg
from scipy.spatial.transform import Rotation
from scipy.stats import norm

R = np.random.RandomState(8)
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


# ---- rotations -----------------------------------------------------------------------------------
@case(R.rand(3, 3))
def unpacked_flat(m):
    a, b, c, d, e, f, g, h, i = m.flat
    return math.atan2(f, i) * a + d * math.hypot(b, c) + g * h * e


@case(R.rand(2, 2), 3.0)
def flat_in_containers(m, s):
    total = sum(v * k for k, v in enumerate(m.flat))
    first, *others = list(m.T.flat)
    return total * s + first * others[1] + max(m.flat)


def turn_about_z(angle):
    return np.array([[math.cos(angle), -math.sin(angle), 0],
                     [math.sin(angle), math.cos(angle), 0],
                     [0, 0, 1]])


def turn_about_x(angle):
    return np.array([[1, 0, 0],
                     [0, math.cos(angle), -math.sin(angle)],
                     [0, math.sin(angle), math.cos(angle)]])


@case(0.3, 0.4, 0.5)
def only_the_turns_that_are_needed(a, b, c):
    turns = []
    if abs(a) > 1e-9:
        turns.append(turn_about_z(a))
    if abs(b) > 0.45:
        turns.append(turn_about_x(b))
    if abs(c) > 1e-9:
        turns.append(turn_about_z(c))
    if not turns:
        return 3.0 * a
    whole = reduce(np.dot, turns[::-1])
    return float(np.sum(whole * np.arange(9.0).reshape(3, 3)))


@case(0.7, 1.3)
def folded(x, y):
    kept = [x * y]
    for i in range(4):
        if i * y > 1.5:
            kept.append(i * x)
    return reduce(lambda a, b: a * b + y, kept, x) + reduce(lambda a, b: a - b * b, kept)


@case(R.rand(3) * 0.5)
def real_part_filled_in(xyz):
    rest = 1.0 - np.dot(xyz, xyz)
    if rest < 0:
        w = 0
    else:
        w = np.sqrt(rest)
    return np.sum(np.r_[w, xyz] * np.arange(1.0, 5.0))


# ---- waves ---------------------------------------------------------------------------------------
@case(1.5, 1.0, 1.1)
def totally_reflected(n1, n2, angle):
    inside = np.arcsin(n1 * np.sin(angle) / n2 + 0j)
    r = (n1 * np.cos(angle) - n2 * np.cos(inside)) / (n1 * np.cos(angle) + n2 * np.cos(inside))
    return np.imag(r) + 2.0 * np.real(r) + np.imag(np.arccos(n1 * n1 + 0j)) * angle


# ---- splines -------------------------------------------------------------------------------------
class Hermite:
    matrix = np.array([[2.0, -2, 1, 1], [-3, 3, -2, -1], [0, 0, 1, 0], [1, 0, 0, 0]])

    def __init__(self, x0, x1, v0, v1, t0=0.0, t1=1.0):
        self.ends = t0, t1
        self.coefficients = self.matrix @ [x0, x1, (t1 - t0) * v0, (t1 - t0) * v1]

    def evaluate(self, t):
        t0, t1 = self.ends
        s = (t - t0) / (t1 - t0)
        return s ** np.arange(4)[::-1] @ self.coefficients


@case(R.rand(4), 0.3)
def constant_matrix_and_list(v, t):
    curve = Hermite(v[0], v[1], v[2] * 2, v[3], t1=1.5)
    return curve.evaluate(t) + np.sum(np.array([1.0, 2.0]) / [v[0], t])


# ---- what a number is ----------------------------------------------------------------------------
@case(2.5, 3)
def divisors(x, n):
    found = [1]
    for i in range(1, n):
        found.append(i * x)
    total = 0.0
    for f in found:
        if isinstance(f, int):
            total += 5.0
        if type(f) in (float, np.float64):
            total += f * f
    return total


# ---- lists of a number of items that a run knows -------------------------------------------------
@case(R.rand(5))
def filled_by_index(x):
    n = len(x)
    y = [0.0] * n
    y[0] = x[0]
    for i in range(1, n):
        y[i] = 0.5 * y[i - 1] + x[i] ** 2
    return sum(y) + max(y)


@case(R.rand(4))
def filled_with_arrays(x):
    hidden = [None] * len(x)
    for i in range(len(x)):
        before = x[:2] if i == 0 else hidden[i - 1]
        hidden[i] = np.tanh(before + x[i])
    return np.sum(hidden[-1]) + np.sum(np.array(hidden) ** 2)


@case(R.rand(4))
def filled_with_pairs(x):
    pairs = [None] * len(x)
    for i in range(len(x)):
        pairs[i] = (x[i], x[i] ** 2)
    return sum(a * b for a, b in pairs)


@case(R.rand(4))
def matrix_of_lists(x):
    n = len(x)
    a = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            a[i][j] = x[i] * x[j] / (i + j + 1)
    return sum(a[i][i] for i in range(n)) + a[0][n - 1]


@case(R.rand(4), 2.0)
def repeated_twice(x, v):
    n = len(x)
    weights = [v, 1.0] * n
    counts = n * [0]
    for i in range(n):
        weights[2 * i] *= x[i]
        if x[i] > 0.5:
            counts[i] += 1
    weights.append(3.0)
    weights.insert(0, x[1])
    return np.dot(weights, weights) * (1 + sum(counts))


@case(R.rand(6), 0.4)
def nearest_to(x, target):
    distances = [abs(v - target) for v in x]
    k = distances.index(min(distances))
    return x[k] * distances[k] + distances.count(distances[k])


@case(R.rand(6) * 3, 0.4)
def seen_before(x, target):
    seen = []
    total = 0.0
    for v in x:
        cell = int(v)
        if cell not in seen:
            seen.append(cell)
            total += v * v
    return total * len(seen)


@case(0.4, 0.9, 0.5)
def index_of_three(a, b, c):
    costs = [a * b, b * c, b * c]
    best = costs.index(min(costs))
    return [a, b, c][best] ** 2 + costs.index(b * c) * a


# ---- what only a run knows -----------------------------------------------------------------------
@case(np.eye(3) + 0.1 * R.rand(3, 3), R.rand(3, 1), 1.5)
def sigma_points(p, mean, gamma):
    root = scipy.linalg.sqrtm(p @ p.T)
    sigma = mean
    for i in range(len(mean)):
        sigma = np.hstack((sigma, mean + gamma * root[:, i:i + 1]))
    return np.sum(sigma ** 2) + np.sum(np.eye(3) * root[:, 0:1]) ** 2


@case(np.array([[1.0, 2.0], [1.2, 3.0], [-1.0, 0.5]]))
@case(np.array([[2.0, 1.0], [1.2, 3.0], [-1.0, 0.5]]))
@case(np.array([[-2.0, 1.0]]))
def sum_of_what_is_there(x):
    total = sum([row * row for row in x if row[0] > 0.0])
    if isinstance(total, np.ndarray):
        if total[0] > 3.0:
            y = np.sin(total) * 0.3
        else:
            y = np.real(np.sin(np.real(total)))
        return np.sum(y)
    return 0.0


@case(R.rand(4))
def a_list_twice(x):
    w = [v * 2.0 for v in x]
    rows = [x * v for v in x]
    return np.dot(w, w) + np.inner(w, w) * np.sum(np.multiply(rows, rows)) + np.sum(np.outer(w, w))


@case(R.rand(4) + 0.1)
def joined_lists(x):
    doubled = [v * 2 for v in x]
    squares = [v * v for v in x if v > 0.5]
    both = doubled + squares
    return np.sum(np.array(both) ** 2) + np.sum(np.array(doubled + squares) * x[0]) + sum(both)


@case(R.rand(4) + 0.1)
def copied_lists(x):
    a = [v * 2 for v in x]
    b = list(a)
    b.append(x[0])
    c = a.copy()
    d = a[:]
    d[0] = x[1]
    return np.sum(np.array(b) ** 2) + sum(c) + np.prod(d) + sum(a[1:] + b[:2]) * a[0]


# ---- polynomials ---------------------------------------------------------------------------------
@case(R.rand(3, 4), R.rand(4))
def columns_of_coefficients(trend, x):
    return np.sum(np.polyval(trend, x) ** 2) + np.sum(np.polyval(x, x))


@case(R.rand(5) + 0.5, 0.3)
def polynomial_objects(y, at):
    p = np.poly1d(np.polyfit(np.arange(5.0), y, 2))
    q = np.poly1d(y[:3])
    return p(at) ** 2 + q.deriv()(at) + np.sum((p * q + q).c) + q.integ()(1.0) + q.coeffs[0]


class Tuned:
    """A property and the entry that it stands for have one name."""

    def __init__(self, gain):
        self.__dict__["gain"] = gain * 2.0

    @property
    def gain(self):
        return self.__dict__["gain"]

    @gain.setter
    def gain(self, value):
        self.__dict__["gain"] = value * 3.0


@case(R.rand(3), 1.5)
@case(-R.rand(3), 1.5)
def property_over_an_entry(x, s):
    tuned = Tuned(x)
    total = np.sum(tuned.gain)
    if total > 0:
        tuned.gain = s * x
    for _ in range(2):
        tuned.gain = tuned.gain * x
    return total + np.sum(tuned.gain)


# ---- what one path binds and what the other binds ------------------------------------------------
@case(1.5, 1.0)
@case(1.5, -1.0)
def one_name_on_each_path(x, y):
    if y > 0:
        a = x
    else:
        b = x
    if y > 0:
        return a * 2.0
    return b * 3.0 * y


@case(R.rand(3), 1.0)
@case(R.rand(3), -1.0)
def one_record_on_each_path(x, y):
    left, right = None, None
    if y > 0:
        left = {"value": x, "scale": y}
    else:
        right = {"value": x, "scale": y}
    if left is not None:
        return np.sum(left["value"] * 2.0) * left["scale"]
    return np.sum(right["value"] ** 2) * right["scale"]


def inserted(node, value):
    if node is None:
        return {"value": value, "left": None, "right": None}
    if value < node["value"]:
        node["left"] = inserted(node["left"], value)
    else:
        node["right"] = inserted(node["right"], value)
    return node


def weighed(node, depth=1):
    if node is None:
        return 0.0
    return node["value"] * depth + weighed(node["left"], depth + 1) + weighed(node["right"], depth + 1)


@case(0.5, 0.3, 0.8)
@case(0.3, 0.5, 0.8)
@case(0.8, 0.5, 0.3)
def search_tree(a, b, c):
    root = None
    for v in (a, b, c):
        root = inserted(root, v)
    return weighed(root)


@case(R.rand(3, 4))
def elimination_with_pivots(a):
    rows = a.tolist()
    n = len(rows)
    for i in range(n):
        p = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[p] = rows[p], rows[i]
        pivot = rows[i][i]
        rows[i] = [v / pivot for v in rows[i]]
        for r in range(n):
            if r != i:
                f = rows[r][i]
                rows[r] = [v - f * w for v, w in zip(rows[r], rows[i])]
    return sum(row[-1] ** 2 for row in rows)


@case(0.3, 0.5, 0.7)
def matrix_of_formulas(x, y, z):
    cos, sin = math.cos, math.sin
    rows = [[cos(y) * cos(z), -cos(y) * sin(z), sin(y)],
            [cos(x) * sin(z) + cos(z) * sin(x) * sin(y), cos(x) * cos(z) - sin(x) * sin(y) * sin(z), -cos(y) * sin(x)],
            [sin(x) * sin(z) - cos(x) * cos(z) * sin(y), cos(z) * sin(x) + cos(x) * sin(y) * sin(z), cos(x) * cos(y)]]
    total = 0.0
    for row in rows:
        for entry in row:
            total += np.sin(entry) + 0.3 * entry
    return total


# ---- numbers from sizes --------------------------------------------------------------------------
class Flat:
    """Weights by name, in one vector."""

    def __init__(self):
        self.places = {}
        self.size = 0

    def add(self, name, shape):
        start = self.size
        self.size += np.prod(shape)
        self.places[name] = slice(start, self.size), shape

    def get(self, vector, name):
        place, shape = self.places[name]
        return np.reshape(vector[place], shape)


@case(R.rand(11), R.rand(3, 3))
def weights_in_a_vector(w, x):
    flat = Flat()
    flat.add("W", (x.shape[1], 2))
    flat.add("b", (2,))
    inner = np.tanh(x @ flat.get(w, "W") + flat.get(w, "b"))
    last = np.int64(len(w) - 1)
    w[last] += w[np.int64(8):last].sum()
    return np.sum(inner * w[np.int64(9)]) + w[last]


class Level:
    def __init__(self, n):
        self.v = np.zeros(n)


@case(R.rand(8))
@case(R.rand(5))
def levels_by_logarithm(f):
    levels, n = [], 2
    for _ in range(int(math.log(len(f)) / math.log(2.0))):
        levels.append(Level(n))
        n *= 2
    levels[-1].v[:len(f)] = f[:len(levels[-1].v)]
    for fine, coarse in zip(levels[::-1], levels[-2::-1]):
        coarse.v[:] = 0.5 * (fine.v[::2] + fine.v[1::2]) ** 2
    return np.sum(levels[0].v * f[0])


def sampled(n, scale, source=None):
    source = source if source is not None else np.random.RandomState(0)
    if isinstance(source, np.random.RandomState):
        return source.randn(n, len(scale)) * scale
    return np.zeros((n, len(scale)))


@case(R.rand(3))
def source_or_default(scale):
    source = np.random.RandomState(4)
    return np.sum(np.vstack([sampled(2, scale * k, source) for k in scale]) ** 2)


@case(R.rand(12))
def halves_of_rows(params):
    x = np.ones((4, 2))
    return np.sum(np.vstack([norm.logpdf(x, row[:len(row) // 2], np.exp(row[len(row) // 2:]))
                             for row in np.reshape(params, (3, -1))]))


@case(R.rand(4))
def item_where(x):
    return x[x == np.max(x)].item() * x[0] + x[1:2].flatten().item()


# ---- sizes among the numbers of an array -----------------------------------------------------------
@case(R.rand(6))
@case(R.rand(11))
def padded_to_powers_of_two(x):
    sizes = (2 ** np.ceil(np.log2(np.array(x.shape)))).astype(int)
    spectrum = np.fft.fftn(x, sizes, axes=(0,)) / (1.0 + np.arange(sizes[0]))
    filtered = np.fft.ifftn(spectrum, sizes, axes=(0,)).real
    return np.sum(filtered * np.cos(np.arange(filtered.shape[0])))


@case(R.rand(6))
@case(R.rand(8))
def table_of_half_the_size(x):
    sizes = (np.array([len(x), 4]) / 2.0).astype(int)
    table = np.zeros(sizes)
    table += np.broadcast_to(x[0], sizes) + np.resize(x, sizes)
    return np.sum(table[:, 0] * np.arange(table.shape[0])) + table.shape[1] * x[1]


@case(R.rand(4, 3))
@case(R.rand(2, 3))
def axes_in_reverse(x):
    sizes = np.array([x.shape[1:], x.shape[:1]]).astype(float)
    turned = x.reshape(sizes[:, 0].astype(int), order="F")
    return np.sum(turned * np.arange(turned.shape[1]))


@case(R.rand(5))
def along_one_of_several_axes(t):
    shape = np.ones(3, dtype=int)
    shape[1] = -1
    return np.sum(t.reshape(shape) ** 2 * np.arange(2.0)[:, None, None])


@case(R.rand(9))
def ranks_beside_counts(x):
    low, high = x[x < 0.5], x[x >= 0.3]
    ranks = np.full(high.shape[0], low.shape[0] - 1, dtype=int)
    return np.sum(high * ranks)


# ---- numbers where arrays are usual ----------------------------------------------------------------
@case(0.4, R.rand(3))
def sampled_frequencies(spacing, x):
    k = 2 * np.pi * np.fft.fftfreq(6, spacing)
    return np.sum(np.sin(k) * x[0]) + np.sum(np.fft.rfftfreq(5, 2 * spacing * x[1]) ** 2)


@case(2.0, R.rand(3))
def gain_times_polynomial(gain, coefficients):
    p = np.polyadd(np.polymul(gain, coefficients), np.polysub(gain, 3.0))
    return np.polyval(p, 0.5) + np.polymul(gain, gain)[0]


def central_moments(raw):
    found = [raw[0], raw[1] - raw[0] ** 2]
    return [*found, raw[2] - 3 * raw[0] * found[1] - raw[0] ** 3]


@case(R.rand(3))
def moments_as_lists(raw):
    central = np.apply_along_axis(central_moments, 0, raw)
    total = np.apply_along_axis(np.sum, 0, raw)
    return np.sum(central * np.arange(central.shape[0])) + total[()] + total.ndim


@case(R.rand(6), R.rand(6))
def spread_of_errors(x1, x2):
    ordered = np.sort(x1 - x2, axis=0)
    if x1.shape[0] == 0:
        return np.nan
    places = np.round((x1.shape[0] - 1) * np.array([0.25, 0.75])).astype(int)
    return np.squeeze(np.diff(ordered[(places,)], axis=0))


DIGITS = frozenset(".0123456789")


@case(R.rand(3))
def by_version(x):
    return np.sum(x) if DIGITS.issuperset("2.1.0") else x[0]


@case(np.array([0.5, 0.2, 0.4, 1.0]))
def rotation_of_quaternion(q):
    return np.sum(Rotation.from_quat(q).as_matrix() * np.arange(3.0))


@case(0.3)
@case(0.8)
@case(np.array(0.4))
def painted_at_one_place(x):
    painted = np.zeros_like(x)
    inside = np.abs(x) < 0.5
    painted[~inside] = 1 - x
    painted[inside] = x * 2
    return painted


@case(np.eye(3) * 1.5 + 0.1 * np.arange(9.0).reshape(3, 3))
def rotation_of_a_matrix_that_stays(m):
    return np.sum(Rotation.from_matrix(m).as_rotvec() * np.arange(3.0)) + m.sum()


# ---- lists of rows as matrices -------------------------------------------------------------------
@case(0.7, 1.3)
def inverse_of_a_list(a, b):
    """Lone numbers are equal where a function is tried out: no singular matrix may come of that."""
    turned = np.linalg.inv([[a, b], [b, a + 3.0]]) @ np.linalg.solve(((2.0, a), (b, 5.0)), [a, b])
    return np.sum(turned) + np.linalg.inv([np.array([a, b]), np.array([1.0, a])])[0, 1]


@case(R.rand(2, 2), 1.3)
def known_rows_in_products(x, a):
    placed = np.eye(2) @ [[1.0, 2.0], [2.0, 5.0]]
    rows = np.dot(np.dot(np.eye(2), [[a, 2.0], [2.0, a]]), placed)
    return np.sum(np.sin(rows @ x + x.T @ rows.T)) + np.sum(placed @ x)


@case(R.rand(2, 1), 1.3)
def column_beside_a_row_in_a_list(z, a):
    made = np.dot([[1.0, 2.0], [3.0, 5.0]], z)
    return np.sum((made + [2.0, a]) * [0.5, a]) + np.sum(made * made - ((2.0, 0.5), (a, 1.0)))


def with_axes(t, count):
    for _ in range(count):
        t = t[..., None]
    return t


@case(R.rand(3), R.rand(4, 2))
def axes_appended_one_by_one(t, places):
    """A loop that changes the rank of an array, of which it is known how often it runs."""
    r = np.linalg.norm(places, axis=-1)
    d = r * with_axes(t, r.ndim)
    return np.sum(np.sin(np.stack((places[:, 0] * d, d), axis=-1)))


@case(R.rand(3, 3) + np.array([[0.0, 2.0, 0.0], [-2.0, 0.0, 0.0], [0.0, 0.0, 3.0]]))
def part_of_a_complex_eigenvector(m):
    w, v = np.linalg.eig(m)
    return np.sum(np.real(v[:, 0]) ** 3) + np.sum(np.abs(v[:, 1]) * np.arange(3.0)) + np.abs(w[0])
