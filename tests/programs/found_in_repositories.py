"""Programs in the manner of public repositories; each stands for one that once failed."""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import MutableMapping
from functools import reduce, wraps

import numpy as np
import scipy.linalg
import scipy.signal

R = np.random.RandomState(17)
CASES = []
FIRST_ORDER = []  # the run calls a rule, which has no derivative itself, or asks rows that are not there for their length


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


@first_order(R.rand(5, 3), 0.5)
@first_order(R.rand(5, 3), 5.0)
@first_order(R.rand(0, 3), 0.5)
def rows_that_may_be_none(x, least):
    pairs, parts = [], []
    for row in x:
        if row[0] + row[1] > least:
            pairs.append([row[0], row[1] * 2.0])
            parts.append(row[1:])
    table = np.array(pairs)
    return np.sum(np.sin(table)) + np.sum(np.asarray(parts) ** 2) + np.sum(np.array(pairs[1:]) ** 2) + least


@first_order(R.rand(5, 2), 2)
def centres_of_neighbours(points, count):
    """One row of those that are near has another rank than of none."""
    centres = []
    for i, p in enumerate(points):
        near = sorted((np.hypot(*(p - q)), j) for j, q in enumerate(points) if j != i)[:count]
        weights = np.array([1 / (1 + d) for d, _ in near])
        rows = np.array([points[j] for _, j in near])
        centres.append(weights @ rows / weights.sum())
    return np.sum(np.linalg.norm(np.vstack(centres) - points, axis=1)) + np.sum(np.array(centres) ** 2)


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


# ---- of a rank that a run knows ------------------------------------------------------------------
def product_of_chosen_columns(m):
    chosen = m[:, np.where(m[0] > 0.0)[0]].squeeze().T
    longest = -1.0
    for i, j in ((0, 1), (1, 0)):
        normal = np.cross(chosen[i], chosen[j])
        length = np.sqrt(np.sum(normal * normal))
        if length > longest:
            longest, best = length, normal
    return np.sum(best / longest * m[0]) + np.sum(m ** 2)


FIRST_ORDER.append((product_of_chosen_columns, (
    np.array([[1.0, 2.0, -3.0], [3.0, 4.0, 4.0], [4.0, 5.0, -7.0]]),)))


# ---- filters -------------------------------------------------------------------------------------
@case(R.randn(12), 8)
def two_bands(x, rate):
    low = scipy.signal.butter(2, 0.3, output="sos")
    band = scipy.signal.butter(2, [1.0 / rate, 2.0 / rate], btype="band", output="sos")
    y = scipy.signal.sosfilt(low, x)
    z = scipy.signal.sosfilt(band, np.stack([x, y]), axis=1)
    return np.sum(y ** 2) + np.sum(z[0] * z[1])


# ---- for arrays and tables alike -----------------------------------------------------------------
@case(R.rand(3) * 80.0, R.rand(3) * 80.0)
def named_where_it_can_be(tilt, zenith):
    def projection(tilt, zenith):
        found = np.cos(np.radians(tilt)) * np.cos(np.radians(zenith))
        try:
            found.name = "projection"
        except AttributeError:
            pass
        return found

    def total(parts):
        try:
            parts.units, scale = "W", 1.0
        except (AttributeError, TypeError) as error:
            scale = 0.1 * len(type(error).__name__)
        return np.sum(parts) * scale

    shares = projection(tilt, zenith)
    return total(shares) + total(shares[0]) ** 2


# ---- vectors of one eigenvalue, the others of which are equal ------------------------------------
@first_order(np.array([0.7, -0.2, 0.3, 0.4]))
def mean_of_one_quaternion(q):
    w, v = np.linalg.eigh(np.outer(q, q) / np.sum(q * q))
    mean = v[:, np.argmax(w)]
    return np.sum(np.sin(mean) * np.arange(4)) * np.sign(mean[0])


@first_order(np.array([0.3, -0.5, 0.8]))
def axis_of_a_stretch(axis):
    stretch = np.eye(3) + 0.7 * np.outer(axis, axis + 0.1)
    w, v = np.linalg.eig(stretch)
    found = np.real(v[:, np.argmax(np.real(w))])
    return np.sum(np.sin(found) * np.arange(3)) * np.sign(found[0])


# ---- found by running what others have written -----------------------------------------------------
@case(R.rand(5), R.rand(5, 5) + 5.0 * np.eye(5))
def whitened(x, spread):
    """A factor twice in a product, ``a * b * b``, whose first product has no other reader."""
    w, v = np.linalg.eigh(spread @ spread.T)
    rate = 1.0 / np.sqrt(w)
    return np.sum(np.tanh(v @ (rate[:, None] * v.T) @ x))


@case(1.2, 0.7)
@case(-0.4, -0.7)
def angle_of_one_star(x, y):
    """Conditions that are arrays of one element meet those that are known."""
    x, y = np.atleast_1d(x), np.atleast_1d(y)
    across = x * x
    angle = x * 0.0
    if across == 0 and y != 0:
        angle = 0.5 * y
    if across != 0:
        angle = np.arctan2(y, x)
    if angle < 0.0:
        angle += 2.0 * np.pi
    return np.sum(np.sin(0.3 * angle) * (1.0 + y))


class Phase:
    def __init__(self, place, speed):
        self.place, self.speed = place, speed

    def __add__(self, other):
        return Phase(self.place + other.place, self.speed + other.speed)

    def __mul__(self, factor):
        return Phase(factor * self.place, factor * self.speed)

    __rmul__ = __mul__


@case(1.3, 0.3)
@case(1.3, 2.0)
def steps_by_their_error(start, step):
    """A step that is Python's number or NumPy's, times an object."""
    state, t, ahead = Phase(start, 0.2), 0.0, step
    while t < 1.0:
        step = min(ahead, 1.0 - t)
        state = state + 0.5 * step * Phase(state.speed, -state.place)
        ahead = min(max(0.9 * step * np.sqrt(1.0 + state.place ** 2), 0.1), 4.0 * step)
        t += step
    return state.place ** 2 + 0.3 * state.speed


@case(R.rand(9), 0.3)
def averages_of_what_is_positive(x, floor):
    from scipy import stats

    chosen = x[x > floor]
    return stats.gmean(chosen) + stats.hmean(chosen) + np.sum(stats.zscore(chosen) ** 3) + stats.entropy(chosen)


# ---- decorators: what a wrapper is given --------------------------------------------------------
def counting(fn):
    @wraps(fn)
    def wrapper(*args, **kwargs):
        return fn(*args, **kwargs) * len(args) + len(kwargs)
    return wrapper


@case(0.7, 1.2)
@case(R.rand(3), 1.2)
@counting
def sees_what_is_given(x, y, power=2, name=None):
    """The defaults of what is wrapped are no arguments of the wrapper."""
    return np.sum(x * y ** power)


def defaulting(fn):
    @wraps(fn)
    def wrapper(*args, **kwargs):
        kwargs.setdefault("power", 3)
        return fn(*args, **kwargs)
    return wrapper


@case(0.7, 1.2)
@defaulting
def a_default_of_the_wrapper(x, y, power=2):
    return x * y ** power


def in_degrees(fn):
    @wraps(fn)
    def wrapper(speed, angle=0.0, **kwargs):
        return fn(speed, np.deg2rad(angle), **kwargs)
    return wrapper


@case(R.rand(3), 31.0)
@case(R.rand(3))
@in_degrees
def fewer_parameters_outside(speed, angle=0.0, terms=False):
    """A wrapper names some of the parameters and hands others on."""
    if terms:
        return speed * np.cos(angle), speed * np.sin(angle)
    return np.sum(speed ** 2 * np.cos(angle) + np.sin(angle + speed))


# ---- arrays that lack numbers; memory of an array ------------------------------------------------
class Track:
    def __init__(self, pulls, start=None, rate=0.5):
        self.start, self.rate = start, rate
        self.states = np.zeros((len(pulls), 3))
        self.states[0] = self.start
        if self.start is None:
            self.states[0] = np.tanh(pulls[0])
        for t in range(1, len(pulls)):
            self.states[t] = self.rate * self.states[t - 1] + np.sin(pulls[t])


@case(R.rand(4, 3), 0.4)
def a_start_that_is_none(pulls, rate):
    """None in an array of floats is nan, until something else is there."""
    return np.sum(Track(pulls, rate=rate).states ** 2) + np.sum(
        Track(pulls, pulls[1], rate).states)


@case(R.rand(5))
def gaps_that_are_none(x):
    filled = np.zeros(7)
    filled[:] = None
    filled[1:6] = x
    filled[3] = None
    return np.nansum(filled ** 2) * np.sum(np.isnan(filled))


class Versor(np.ndarray):
    def __new__(cls, parts):
        unit = np.array(parts, dtype=float)
        unit /= np.sqrt(np.sum(unit ** 2))
        made = super().__new__(cls, unit.shape, float, unit)
        made.memory = unit
        return made

    def turned(self, v):
        w, u = self[0], np.asarray(self[1:])
        return v + 2.0 * w * np.cross(u, v) + 2.0 * np.cross(u, np.cross(u, v))


@case(R.rand(4) + 0.1, R.rand(3))
def an_array_class_over_memory(parts, v):
    """What is written through either name is in both."""
    q = Versor(parts)
    before = q.turned(v)
    q.memory[1:] *= -1.0
    return np.sum(np.sin(before) * q.turned(v)) + q[2]


# ---- an index that is a number or an array, by data ----------------------------------------------
def swept(table, column):
    """Take a row times what is in a column from each row, which the column is read along."""
    row = table[1] / table[1, 0]
    for k, factor in enumerate(table[:, column]):
        table[k] += -factor * row
    return table


@case(R.rand(3, 4), 2.0)
@case(R.rand(3, 4), -2.0)
def a_column_found_or_fixed(table, least):
    table = table * 1.0
    column = np.argmin(table[0]) if table[0, 0] < least else 0
    return np.sum(swept(table, column) ** 2)


@case(R.rand(3, 4), 2.0)
@case(R.rand(3, 4), -2.0)
def a_row_found_or_fixed(table, least):
    table = table * 1.0
    i = np.argmin(table[:, 0]) if table[0, 0] < least else 0
    table[i] = table[1] ** 2
    return np.sum(table ** 2)


@case(R.rand(3, 4), 2.0)
@case(R.rand(3, 4), -2.0)
def one_row_or_several(table, least):
    """The cotangent of what is stored is read before its place is cleared: it may be a view."""
    table = table * 1.0
    i = 1 if table[0, 0] < least else np.array([0, 1])
    table[i] = table[1] ** 2
    return np.sum(table ** 2)


@case(R.rand(3, 4), 2.0)
@case(R.rand(3, 4), -2.0)
def a_row_or_an_array_of_its_place(table, least):
    table = table * 1.0
    i = np.argmin(table[:, 0]) if table[0, 0] < least else np.array(0)
    table[i] = np.sin(table[1]) * table[0, 1]
    return np.sum(table ** 2)
