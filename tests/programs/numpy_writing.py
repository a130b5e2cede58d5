"""Functions and methods that write: out=, where=, copyto, put, place, fill, sort, flat."""

from __future__ import annotations

import numpy as np

R = np.random.RandomState(12)
X = R.rand(6) + 0.5
S = R.randn(6)
A = R.randn(4, 5)
M = R.randn(3, 3)
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


# ---- out= and where= ------------------------------------------------------------------------
@case(X)
def out_by_name(x):
    y = np.empty_like(x)
    np.exp(x, out=y)
    np.multiply(y, x, out=y)
    np.sqrt(y, out=y)
    return np.sum(y)


@case(X)
def out_by_position(x):
    y = np.zeros(6)
    np.add(x, 1.0, y)
    np.square(y, y)
    z = np.subtract(y, x, y)
    return np.sum(z * y)


@case(X)
def out_is_returned(x):
    buf = np.empty(6)
    y = np.sin(x, out=buf)
    y += 1.0
    return np.sum(buf * x)


@case(A)
def out_of_a_slice(a):
    b = np.zeros((4, 5))
    np.multiply(a[1:], 2.0, out=b[1:])
    np.add(b[:, 0], a[:, 1], out=b[:, 2])
    np.sum(a, axis=0, out=b[0])
    return np.sum(b * a)


@case(A)
def out_of_reductions(a):
    s = np.empty(5)
    np.sum(a, axis=0, out=s)
    m = np.empty(4)
    np.mean(a, axis=1, out=m)
    p = np.zeros(5)
    np.cumsum(s, out=p)
    np.add.reduce(a, axis=1, out=m)
    a.max(axis=0, out=s)
    return np.sum(p * s) + np.sum(m * m)


@case(M, X)
def out_of_products(m, x):
    y = np.empty(3)
    np.dot(m, x[:3], out=y)
    z = np.empty((3, 3))
    np.matmul(m, m, out=z)
    np.outer(y, y, out=z[:])
    w = np.empty((3, 3))
    np.einsum("ij,jk->ik", z, m, out=w)
    return np.sum(w) + y @ x[3:]


@case(S)
def out_and_where(s):
    y = np.zeros(6)
    np.sqrt(s, out=y, where=s > 0)
    np.log(np.abs(s), out=y, where=s < -0.5)
    return np.sum(y * s)


@case(S)
def safe_division(s):
    num = s * s
    den = s - 0.1
    q = np.divide(num, den, out=np.zeros_like(num), where=np.abs(den) > 0.05)
    return np.sum(q)


@case(A)
def where_in_reductions(a):
    pos = a > 0
    return (
        np.sum(a, where=pos)
        + np.mean(a, axis=0, where=np.abs(a) > 0.1).sum()
        + np.max(a, initial=0.5, where=pos)
        + np.prod(a, axis=1, where=pos).sum()
        + np.add.reduce(a, axis=1, where=pos, initial=1.0).max()
    )


@case(S)
def clip_out(s):
    y = np.empty_like(s)
    np.clip(s, -0.5, 0.5, out=y)
    z = s.clip(min=0.0)
    np.maximum(z, y, out=z)
    np.minimum(z, 0.9, out=z)
    return np.sum(y * s) + np.sum(z)


@case(X)
def own_out_parameter(x):
    def normalise(v, out=None):
        if out is None:
            out = np.empty_like(v)
        np.divide(v, np.linalg.norm(v), out=out)
        return out

    buf = np.zeros(6)
    y = normalise(x)
    z = normalise(2.0 * x + 1.0, out=buf)
    z += y
    return np.sum(buf**3)


@case(X, np.zeros(6))
def argument_out(x, out):
    np.multiply(x, x, out=out)
    out[1:] += out[:-1]
    return np.sum(out * x)


@case(M, M + 1.0)
def matmul_in_place(a, b):
    c = a.copy()
    c @= b
    c += a @ b
    v = np.ones((3, 1))
    d = c.copy()
    d @= d
    return np.sum(c) + (d @ v).sum()


@case(X)
def take_out(x):
    y = np.empty(3)
    np.take(x, [0, 2, 4], out=y)
    z = np.empty(6)
    np.concatenate([y, y * 2.0], out=z)
    w = np.empty((2, 3))
    np.stack([y, y + 1.0], out=w)
    return np.sum(z * x) + np.sum(w[1] * w[0])


# ---- ufunc methods --------------------------------------------------------------------------
@case(A)
def ufunc_reduce(a):
    return (
        np.add.reduce(a).max()
        + np.multiply.reduce(a, axis=1).sum()
        + np.maximum.reduce(a, axis=None)
        + np.minimum.reduce(a, axis=(0, 1))
        + np.add.reduce(a, axis=0, keepdims=True)[0, 1] ** 2
        + np.subtract.reduce(a[0])
    )


@case(X)
def ufunc_accumulate(x):
    return (
        np.sum(np.add.accumulate(x) * x)
        + np.sum(np.multiply.accumulate(x))
        + np.sum(np.maximum.accumulate(np.sin(9 * x)))
        + np.minimum.accumulate(x)[-1]
    )


@case(X)
def ufunc_outer(x):
    return (
        np.sum(np.multiply.outer(x, x[:2]) ** 2)
        + np.sum(np.add.outer(x, 1.0) ** 2)
        + np.sum(np.subtract.outer(x, x[1:]) ** 3)
        + np.sum(np.power.outer(x, np.arange(3.0)))
        + np.sum(np.maximum.outer(x, x[::-1]))
        + np.sum(np.hypot.outer(x, x))
    )


@case(X)
def ufunc_reduceat(x):
    return np.sum(np.add.reduceat(x, [0, 2, 4]) ** 2)


@case(X)
def logaddexp_reduce(x):
    return np.logaddexp.reduce(x) + np.sum(np.logaddexp.accumulate(x))


# ---- copyto, put, place, putmask, fill_diagonal ---------------------------------------------
@case(S, X)
def copyto_variants(s, x):
    y = np.zeros(6)
    np.copyto(y, s)
    np.copyto(y, 2.0 * x, where=s > 0)
    np.copyto(y[:2], x[4])
    return np.sum(y * s)


@case(X)
def put_variants(x):
    y = x.copy()
    np.put(y, [0, 3], x[1:3] * 2.0)
    y.put([5], 9.0 * x[0])
    m = np.zeros((2, 3))
    np.put(m, [1, 4], x[:2])
    m.put([0], x[5])
    return np.sum(y * x) + np.sum(m**2)


@case(S)
def place_variants(s):
    y = s.copy()
    np.place(y, y < 0, [1.0, 2.0])
    return np.sum(y * s)


@case(S)
def place_repeats_values(s):
    y = np.zeros(6)
    np.place(y, np.array([True, False, True, True, True, False]), s[:2] * 3.0)
    return np.sum(y * s)


@case(S, X)
def putmask_variants(s, x):
    y = s.copy()
    np.putmask(y, s > 0, x)
    np.putmask(y, y < -1, 0.5)
    return np.sum(y * x)


@case(M)
def fill_diagonal_variants(m):
    a = m.copy()
    np.fill_diagonal(a, m[0])
    b = m @ m
    np.fill_diagonal(b, m[0, 1])
    c = np.zeros((4, 3))
    np.fill_diagonal(c, m[1])
    return np.sum(a * b) + np.sum(c**2)


@case(A)
def put_along_axis(a):
    b = a.copy()
    i = np.argmax(a, axis=1)[:, None]
    np.put_along_axis(b, i, 0.0, axis=1)
    np.put_along_axis(b, np.argmin(a, axis=1)[:, None], a[:, :1] ** 2, axis=1)
    return np.sum(b * a)


# ---- sort, fill, flat -----------------------------------------------------------------------
@case(S)
def sort_in_place(s):
    y = s * s
    y.sort()
    z = np.sort(s)[::-1]
    return np.sum(y * np.arange(6.0)) + z[0] * z[-1]


@case(A)
def sort_rows_and_columns(a):
    b = a.copy()
    b.sort(axis=0)
    b[1].sort()
    b[:, 2].sort()
    return np.sum(b * np.arange(20.0).reshape(4, 5))


@case(S)
def partition_in_place(s):
    y = s.copy()
    y.partition(2)
    return y[2] ** 2 + np.sum(y[:2]) + np.sum(np.partition(s, 3)[:3])


@case(X)
def fill_variants(x):
    y = np.empty(4)
    y.fill(x[0])
    y[1:3].fill(2.0 * x[1])
    z = np.empty((2, 2))
    z[...] = x[2]
    z[0].fill(3.0)
    return np.sum(y * x[:4]) + np.sum(z * z)


@case(M)
def flat_reads_and_writes(m):
    a = m.copy()
    a.flat[0] = m[1, 1]
    a.flat[2:5] *= 2.0
    a.flat[[6, 8]] = m[0, :2]
    a.flat[:: len(a) + 1] += 10.0 * m[0, 0]
    s = 0.0
    for v in a.flat:
        s += v * v
    return s + a.flat[3] + np.sum(m.flat[1:4])


@case(M)
def flat_of_transpose(m):
    a = m.T.copy()
    a.T.flat[1] = m[2, 2] * 3.0
    return np.sum(a * m) + a.flat[-1]


@case(M)
def flat_assignment(m):
    a = np.zeros((3, 3))
    a.flat = m[0]
    b = np.zeros(4)
    b.flat[:] = 2.0 * m[0, 0]
    return np.sum(a * m) + np.sum(b)


@case(M)
def flat_as_an_iterator(m):
    a = m.copy()
    v = a.flat
    s = isinstance(v, np.flatiter) * next(v) + v.index * next(v)
    for q in v:
        s += q * q
    s += sum(v) + len(list(v))  # at its end
    v[2] = s  # from the beginning
    w = np.array(v)
    w[0] = 3.0  # shows in a
    return next(v) * s + np.sum(np.concatenate([v, m.T.flat]) ** 2) + a[0, 0]


@case(M)
def flat_of_its_own_elements(m):
    a = m.copy()
    a.flat = a.T
    return np.sum(a * m)


@case(A)
def quadrature_over_axes(a):
    x = np.linspace(0.0, 1.0, 5)
    found = np.trapezoid(a, x) ** 2 + np.trapezoid(a.T, a[:, 0], axis=1)[:4]
    widths = np.trapezoid(a[0], a[:, 1:]) if a.shape == (4, 6) else np.trapezoid(a[0], a)
    return np.sum(found) + widths @ widths + np.trapezoid(a[:2, 0], a[0, :4]) * np.trapezoid(a[0], dx=a[1, 1])


@case(A)
def whole_array_assignment(a):
    b = np.empty((4, 5))
    b[:] = a[0]
    b[:, :] += a
    b[:, 0] = 1.0
    b[0] = a[1] * 2
    return np.sum(b * a)


@case(X)
def shapes_set_in_place(x):
    y = x * 2.0
    y.shape = (2, 3)
    z = x.copy()
    z.shape = 3, -1
    z[0, 1] = 4.0
    return np.sum(y @ z)


@case(X)
def resized(x):
    y = np.resize(x, (3, 4))
    return np.sum(y * np.arange(12.0).reshape(3, 4))


# ---- buffers --------------------------------------------------------------------------------
@case(X)
def buffer_written_by_a_helper(x):
    def blur(src, dst):
        dst[0] = src[0]
        dst[-1] = src[-1]
        dst[1:-1] = 0.25 * src[:-2] + 0.5 * src[1:-1] + 0.25 * src[2:]

    a = x.copy()
    b = np.empty_like(a)
    for _ in range(4):
        blur(a, b)
        a, b = b, a
    return np.sum(a * b)


@case(X)
def buffer_of_a_closure(x):
    total = np.zeros(3)

    def add(i, v):
        total[i % 3] += v

    for i, v in enumerate(x):
        add(i, v * v)
    return np.prod(total)


class Ring:
    """A ring buffer of the last ``size`` values."""

    def __init__(self, size):
        self.data = np.zeros(size)
        self.head = 0

    def push(self, v):
        self.data[self.head] = v
        self.head = (self.head + 1) % len(self.data)

    def mean(self):
        return self.data.mean()


@case(X)
def buffer_of_a_class(x):
    ring = Ring(3)
    s = 0.0
    for v in x:
        ring.push(v * v)
        s += ring.mean() * v
    return s


@case(X)
def buffers_in_a_dict(x):
    store = {"sum": np.zeros(2), "sq": np.zeros(2)}
    for i in range(6):
        store["sum"][i % 2] += x[i]
        store["sq"][i % 2] += x[i] ** 2
    return np.sum(store["sq"] - store["sum"] ** 2 / 3)


@case(X)
def same_array_twice(x):
    def axpy(a, u, v):
        u += a * v
        return u

    y = x.copy()
    axpy(2.0, y, y)
    axpy(-0.5, y[1:], y[:-1])
    return np.sum(y * x)


@case(X, S)
def parts_of_one_element(x, s):
    y = x.copy()
    np.add.at(y, np.array([0, 0, -1]), s[:1])
    np.subtract.at(y, [1, 1], s[-1:])
    y[2:] *= s[1:2]
    return np.sum(y * x) + np.interp(0.7, s[:1], x[:1])


@case(X, M[:1, :1].copy())
def one_place_twice(x, m):
    m.flat[[0, -1]] = x[:1]
    m.T.flat[[0, 0]] *= 3.0
    return np.sum(m ** 2) + np.sum(x)


@case(X, S)
def open_mesh_of_numbers(x, s):
    u, v = np.ix_(x, s[:2])
    u[0] = 2.0
    return np.sum(u * v ** 2) + np.sum(x)


@case(X, S[:5].copy())
def parts_as_long_as_others(x, s):
    return np.average(x[1:], weights=s ** 2) + np.polyfit(s, x[1:], 1)[0]


@case(np.array([0.3, 1.2, 0.9, 1.7, 0.4]), np.array([0.2, 0.5, 0.9]), 2)
def averages_of_parts(x, w, k):
    large = x[x > 0.35]
    return np.average(x[k:], weights=w) + np.average(large[1:], weights=w) * np.average(
        x[:-k], weights=large[1:])


@case(X, S)
def flat_parts_repeated(x, s):
    m = np.outer(x[:3], s[:3])
    m.flat[2:7] = s[:2]
    m.T.flat[[0, 3, 5]] = x[:2]
    m.flat[m.ravel() > 1.0] = x
    return np.sum(m ** 2 * np.arange(9.0).reshape(3, 3))


@case(X, S)
def none_to_write(x, s):
    m = np.outer(x[:3], s[:3])
    none = s[s > 10.0]
    np.put(m, [0, 4], none)
    np.putmask(m, m > 0.5, none)
    np.fill_diagonal(m, none)
    m.flat = none
    m.flat[1:3] = none
    try:
        np.place(m, m > 0.1, none)
    except ValueError:
        m *= 2.0
    return np.sum(m ** 2) + np.sum(x)


@case(X, S, 0.7)
def lists_that_mean_arrays(x, s, a):
    p, q = np.broadcast_arrays([a, 2.0], x[0])
    u, v = np.meshgrid([a, 1.0], s)
    return p @ q + np.sum(u * v) + np.polydiv(x, [1.0, a])[0][1] + np.atleast_2d([[a, x[1]]])[0, 0]


@case(X, S)
def at_places_of_turned_arrays(x, s):
    m = np.outer(x[:3], s[:3])
    np.multiply.at(m.T, 0, 2.0)
    np.multiply.at(m[:, ::-1], ([0, 0, 2], [1, 1, 0]), s[:3])
    np.negative.at(m.T[1:], 0)
    return np.sum(m ** 2 * np.arange(9.0).reshape(3, 3))


@case(X, S)
def views_read_beside_new_arrays(x, s):
    u = x * 1.0
    v = np.array(u, copy=True, order="K")
    v[0] = 0.5
    w = np.choose([0, 1], [u[:2], u[1:3]])
    w[0] = 0.25
    u[:1], u[1:] = 0.5 * s[0], u[:1]
    return np.sum(u ** 2) + np.sum(v ** 3) + np.sum(w ** 2)


@case(X, S, 0.7)
def sorted_numbers_of_both_kinds(x, s, a):
    first, *others = sorted([a, x[0], 0.0, s[1]])
    try:
        a = a + 1.0 / first
    except ZeroDivisionError:
        a = a * 2.0
    return a + others[0] * others[-1]
