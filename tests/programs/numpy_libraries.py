"""Constructs met in numerical libraries: weights of differences, class registries, generators,
records taken apart, arrays that grow, texts beside numbers."""

from __future__ import annotations

import dataclasses
from collections.abc import MutableMapping

import numpy as np
import scipy.linalg
import scipy.signal

R = np.random.RandomState(17)
X = R.rand(6) + 0.3
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


@case(X)
def difference_weights(x):
    """Fornberg's recurrence: arrays of a loop's own size, names bound in an inner loop."""
    nodes, center, order = x.cumsum(), x[0], 1
    weights = np.zeros((len(nodes), order + 1))
    product, offset = 1, nodes[0] - center
    weights[0, 0] = 1
    for i in range(1, len(nodes)):
        j = np.arange(0, min(i, order) + 1)
        inner, before, offset = 1, offset, nodes[i] - center
        for v in range(i):
            gap = nodes[i] - nodes[v]
            inner, lower, old = inner * gap, j * weights[v, j - 1], weights[v, j]
            weights[v, j] = (offset * old - lower) / gap
        weights[i, j] = product * (lower - before * old) / inner
        product = inner
    return weights[:, 1] @ (x**2)


@case(X)
def grown_polynomial(x):
    a = np.ones(1)
    for z in x:
        a = np.convolve(a, np.array([1.0, -z]))
    return a @ np.arange(7.0)


@case(X)
def grown_by_append(x):
    a = x[:1]
    for z in x[1:]:
        a = np.append(a, a[-1] * z)
    return a.sum()


@case(X)
def grown_by_concatenate(x):
    a = np.zeros(0)
    for z in x:
        a = np.concatenate([a * z, [z]])
    return np.sum(a**2)


@case(X)
def backward_pass_over_a_sliced_range(x):
    n = len(x)
    s = np.zeros(n)
    s[-1] = x[-1]
    for j in range(n)[-2::-1]:
        s[j] = x[j] + 0.5 * s[j + 1]
    return s[0] + sum(range(n)[1:-1]) * x[0]


@case(X)
def numbers_made_arrays(x):
    rows = [v[..., np.newaxis] for v in x[:3]]
    return np.concatenate(rows, axis=-1).prod() + x[3][None].sum() + x[4][()] ** 2


@dataclasses.dataclass
class Parts:
    low: np.ndarray
    high: float
    rest: list


@case(X)
def record_taken_apart(x):
    low, high, rest = dataclasses.astuple(Parts(x[:2], x[2], [x[3], x[4:]]))
    low *= 2.0
    named = dataclasses.asdict(Parts(low, high, rest))
    return low.sum() * high + rest[0] * rest[1].sum() + named["low"][0]


class Registry(MutableMapping):
    """A dictionary that does not look at case."""

    def __init__(self, **items):
        self._data = dict(items)

    def __getitem__(self, key):
        try:
            return self._data[key]
        except KeyError:
            pass
        return self._data[dict(zip(self.lower(), self.keys(), strict=True))[key.lower()]]

    def __setitem__(self, key, value):
        self._data[key] = value

    def __delitem__(self, key):
        del self._data[key]

    def __len__(self):
        return len(self._data)

    def __iter__(self):
        yield from self._data.keys()

    def lower(self):
        names = [str(key).lower() for key in self._data]
        yield from iter(names)


METHODS = Registry(Square=lambda v: v * v, Root=np.sqrt, Half=lambda v: 0.5 * v)


@case(X)
def chosen_by_name(x):
    return np.sum(METHODS["root"](x) * METHODS["Square"](x)) + METHODS["HALF"](x[0])


class Tuned:
    """Attributes set by name, as settings are."""

    def __init__(self, **settings):
        for name in settings:
            self.__setattr__(name, settings[name])

    def value(self, x):
        return self.gain * x + (self.offset if hasattr(self, "offset") else 0.0)


@case(X)
def settings_by_name(x):
    plain = Tuned(gain=x[0])
    moved = Tuned(gain=x[1], offset=x[2])
    return np.sum(plain.value(x) * moved.value(x))


@case(X)
def callable_or_number(x):
    def evaluate(f, v):
        if hasattr(f, "__call__"):  # noqa: B004
            return f(v)
        if isinstance(f, (list, tuple)):
            return sum(c * v**k for k, c in enumerate(f))
        return f

    return evaluate([x[0], x[1], 2.0], x[2]) + evaluate(np.sin, x[3]) * evaluate(x[4], 0.0)


@case(X)
def text_beside_numbers(x):
    label = f"{x[0]:.3f}"
    return x[0] * x[1] + len(label)


@case(X)
def none_or_array(x):
    best = None
    for i in range(len(x)):
        row = x * x[i]
        if best is None or row.sum() > best.sum():
            best = row
    return np.sum(best) if not isinstance(best, (list, tuple)) else 0.0


@case(X)
def list_of_an_arm(x):
    def sequence(v):
        if v[0] > -5.0:
            return list(v)
        raise TypeError

    s = sequence(x)
    return s[0] * s[1]


@case(X)
def lists_of_both_arms(x):
    if x[0] > 0.3:
        s = [v * v for v in x]
        t = s
    else:
        s = [x[0], x[1]]
        t = s
    t.append(x[2])
    return sum(s) * len(s)


@case(X)
def masked_numbers(x):
    """Functions for arrays called with numbers: masks of rank 0."""
    z = np.asarray(x[0])
    u = np.sqrt(z)
    good = ~np.isclose(u, 0)
    angle = np.empty_like(z)
    angle[good] = np.arctan(u[good] * z[good] / x[1])
    angle[good] += np.cos(angle[good]) * u[good]
    angle[~good] = 0
    t = u[good] / x[2]
    t += u[good] * 2.0
    return angle + t.sum() + np.sum(u[~good])


@case(X, 0.7, 2.0)
def missing_values_filled(x, fill, top):
    y = x.copy()
    y[1] = np.nan
    y[2] = np.inf
    y[3] = -np.inf
    return np.sum(np.nan_to_num(y, nan=fill, posinf=top, neginf=-top) ** 2)


# ---- numbers of which only the run knows whether they are real -------------------------------------
@case(np.array([0.3, 1.2]))
def one_of_the_roots(x):
    z = np.roots(np.array([1.0, x[0], 0.5]))
    return np.abs(z[0]) + np.abs(z[1] * z[1]) * x[1]


@case(np.array([0.3, 1.2]))
def one_of_the_eigenvalues(x):
    w, v = np.linalg.eig(np.array([[x[0], 1.0], [-1.0, x[1]]]))
    return np.abs(w[0] * w[0])


@case(np.array([0.3, 1.2]))
def roots_on_one_path(x):
    if x[1] < 0:
        z = np.zeros(2)
    else:
        z = np.roots(np.array([1.0, x[0], 0.5]))
    return np.sum(np.abs(z * x[1]))


@case(np.array([0.3, -1.2, 0.7]), 3)
def vectors_of_a_length_by_data_as_rows(x, n):
    size = int(np.sum(x > 0))
    rows = []
    for k in range(n):
        size = max(size - (x[k] < -5.0), 1)
        rows.append(x[:size] * (k + 1.0))
    return np.sum(np.vstack(rows) ** 2 * np.arange(1.0, n + 1.0)[:, None])


@case(R.rand(4, 4) + np.eye(4), R.rand(2, 4), R.rand(4), R.rand(2))
def equality_constrained_minimum(h, a, g, b):
    n, m = len(g), len(b)
    system = np.zeros((n + m, n + m))
    system[:n, :n], system[:n, n:], system[n:, :n] = h, a.T, a
    step = np.linalg.solve(system, np.concatenate([-g, b]))
    saddle = np.block([[h, a.T], [a, np.zeros((m, m))]])
    return step[:n] @ h @ step[:n] + np.sum(np.linalg.solve(saddle, np.append(g, b)))


@case(np.sin(np.arange(40.0) * 0.9) + R.rand(40))
def power_spectrum(x):
    f, power = scipy.signal.welch(x, 10.0, nperseg=8)
    _, cross = scipy.signal.csd(x, np.cos(x), 10.0, nperseg=8)
    return np.sum(f * power) / np.sum(power) + np.sum(np.abs(cross))


def scaled_like(x, like):
    if like is not x:
        if like.size == 0:
            return np.zeros(3)
        kind, times = np.result_type(x, like), 3
    else:
        kind, times = x.dtype, 2
    return np.ones((times, 2), kind) @ x[:2] * times


@case(R.rand(3), R.rand(4))
def early_returns_beside_known_values(x, y):
    return np.sum(scaled_like(x, y)) * np.sum(scaled_like(x, x))


@case(R.rand(3, 1), np.eye(3) + 0.1 * np.ones((3, 3)), 0.5)
def root_of_the_covariance_in_a_loop(x, p, w):
    for _ in range(2):
        root = scipy.linalg.sqrtm(p)
        cloud = np.hstack((x, x + w * root, x - w * root))
        moved = cloud - x
        p = np.zeros((3, 3))
        for i in range(cloud.shape[1]):
            p = p + np.cos(w) * moved[:, i:i + 1] @ moved[:, i:i + 1].T
        p = p + np.eye(3)
    return np.sum(p * np.arange(9.0).reshape(3, 3))


@case(1.3)
def complex_of_a_known_real_part(x):
    z = complex(0, 1.0 - 0.2 * x ** 2) * complex(imag=x) + complex(2, x)
    return z.real * z.imag + abs(z)
