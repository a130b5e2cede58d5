"""Views through views, reshapes that copy or not, iteration, assembling, data-dependent sizes."""

from __future__ import annotations

import numpy as np

R = np.random.RandomState(13)
X = R.rand(6) + 0.5
S = R.randn(8)
A = R.randn(4, 6)
C = R.randn(2, 3, 4)
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


# ---- views through views --------------------------------------------------------------------
@case(A)
def transposed_writes(a):
    b = a.copy()
    t = b.T
    t[0] = 2.0 * a[:, 1]
    t[1:3] += t[3:5]
    t[:, 0] *= 0.5
    return np.sum(b * a)


@case(C)
def swapped_axes(c):
    d = c.copy()
    e = d.swapaxes(0, 2)
    e[0] = 1.0
    e[1, 2] *= 3.0
    f = np.moveaxis(d, 1, 0)
    f[0] += f[1]
    g = np.transpose(d, (2, 0, 1))[1:]
    g -= 0.5
    return np.sum(d * c)


@case(A)
def split_is_views(a):
    b = a.copy()
    left, right = np.split(b, 2, axis=1)
    left *= 2.0
    right[0] = left[1]
    top, rest = np.vsplit(b, [1])
    rest -= top
    for part in np.array_split(b[0], 4):
        part += 1.0
    return np.sum(b * a)


@case(A)
def rows_in_a_loop(a):
    b = a.copy()
    for i, row in enumerate(b):
        row -= row.mean()
        row[i] = 2.0
    for col in b.T:
        col /= 1.0 + np.sum(col**2)
    return np.sum(b * a)


@case(A)
def rows_with_neighbours(a):
    b = a.copy()
    for above, below in zip(b[:-1], b[1:]):
        below += 0.5 * above
    return np.sum(b * b)


@case(A)
def diagonal_view(a):
    d = a.diagonal()
    e = np.diagonal(a, 1)
    return np.sum(d * e[:4]) + np.trace(a, 1)


@case(A)
def real_and_imaginary_views(a):
    z = np.zeros((4, 6), complex)
    z.real = a
    z.imag[1:] = a[:-1] ** 2
    z.real[0] *= 2.0
    return np.sum(np.abs(z) ** 2)


@case(X)
def view_of_a_view_of_a_view(x):
    y = x.copy()
    v = y[1:][1:][:3]
    w = v[::-1][1:]
    w[0] = 5.0 * x[0]
    v[0] += w[1]
    return np.sum(y * x)


@case(A)
def expanded_and_squeezed(a):
    b = a.copy()
    e = np.expand_dims(b, 1)
    e[:, 0, 0] = 0.0
    s = e.squeeze(1)
    s[0] *= 3.0
    n = b[:, None]
    n[1] = 4.0
    return np.sum(b * a)


@case(X)
def broadcast_views(x):
    b = np.broadcast_to(x[:, None], (6, 4))
    p, q = np.broadcast_arrays(x, np.ones((2, 1)))
    return np.sum(b**2) + np.sum(p * q)


@case(X)
def flipped_views(x):
    y = x.copy()
    f = np.flip(y)
    f[:2] = 0.5 * f[2:4]
    m = y.reshape(2, 3)
    np.fliplr(m)[:, 0] += 1.0
    np.flipud(m)[0] *= 2.0
    np.rot90(m)[0, 0] = 7.0
    return np.sum(y * x)


# ---- reshape and ravel ----------------------------------------------------------------------
@case(X)
def reshape_is_a_view(x):
    y = x.copy()
    m = y.reshape(2, 3)
    m[0] *= 2.0
    m[:, 1] = 3.0
    return np.sum(y * x)


@case(A)
def fortran_order(a):
    f = np.array(a, order="F")
    g = f.reshape(-1, order="F")
    h = f.reshape(-1)
    k = np.ravel(a, order="F")
    return np.sum(g * k) + np.sum(h[:6] * a[0])


# ---- iterators ------------------------------------------------------------------------------
@case(A)
def ndindex(a):
    b = np.zeros(a.shape)
    for i, j in np.ndindex(*a.shape):
        b[i, j] = a[i, j] * a[i, (j + 1) % a.shape[1]]
    for idx in np.ndindex(2, 2):
        b[idx] += 1.0
    return np.sum(b)


@case(A)
def ndenumerate(a):
    s = 0.0
    for (i, j), v in np.ndenumerate(a):
        s += v * v * (i - j)
    return s


@case(A)
def nditer_reads(a):
    s = 0.0
    for v in np.nditer(a):
        s += np.sin(v) * v
    return s


@case(X)
def nditer_writes(x):
    y = x.copy()
    with np.nditer(y, op_flags=["readwrite"]) as it:
        for v in it:
            v[...] = v * v + 1.0
    return np.sum(y * x)


@case(A)
def nditer_multi_index(a):
    s = 0.0
    it = np.nditer(a, flags=["multi_index"])
    for v in it:
        i, j = it.multi_index
        s += v * (i + 2 * j)
    return s


@case(X)
def nditer_pairs(x):
    s = 0.0
    for u, v in np.nditer([x, x[::-1].copy()]):
        s += u * v
    return s


@case(A)
def vectorized(a):
    def soft(v, t):
        if v > t:
            return v - t
        if v < -t:
            return v + t
        return 0.0 * v

    f = np.vectorize(soft)
    return np.sum(f(a, 0.3) * a)




@case(A)
def along_axis(a):
    m = np.apply_along_axis(np.sum, 0, a)
    n = np.apply_along_axis(lambda r: r / np.sqrt(r @ r), 1, a)
    k = np.apply_along_axis(lambda r, p: np.sum(r**p), 1, a, 3)
    return np.sum(m**2) + np.sum(n * a) + np.sum(k)


@case(C)
def over_axes(c):
    return np.sum(np.apply_over_axes(np.sum, c, [0, 2]) ** 2)


# ---- r_, c_, ix_, s_ ------------------------------------------------------------------------
@case(X)
def row_concatenation(x):
    y = np.r_[x[0], x, 1.0, [2.0, 3.0]]
    z = np.r_[-1:1:3j, x[1:3]]
    return np.sum(y * y) + np.sum(z * np.arange(5.0))


@case(X)
def column_concatenation(x):
    d = np.c_[np.ones(6), x, x**2]
    coef = np.linalg.solve(d.T @ d, d.T @ np.sin(x))
    return np.sum(coef**2)


@case(A)
def open_mesh(a):
    i = np.ix_([0, 2], [1, 3, 5])
    b = a.copy()
    b[i] += a[i] ** 2
    b[np.ix_([True, False, True, False], [0, 1])] *= 2.0
    return np.sum(b * a)


@case(A)
def index_expression(a):
    window = np.s_[1:3, ::2]
    inner = np.index_exp[..., 1]
    b = a.copy()
    b[window] = 0.5 * a[window]
    return np.sum(b * a) + np.sum(b[inner] ** 2)


@case(2.0, 0.5)
def grids(a, b):
    y, x = np.mgrid[0:3, 0:4]
    u, v = np.ogrid[0:1:3j, 0:2]
    g = np.exp(-((x - a) ** 2 + (y - b) ** 2))
    p, q = np.meshgrid(np.linspace(0, a, 3), np.arange(2) * b)
    return np.sum(g) + np.sum((u * a + v * b) ** 2) + np.sum(p * q)


# ---- data-dependent sizes -------------------------------------------------------------------
@case(S)
def positive_part(s):
    p = s[s > 0]
    return np.sum(np.log(p)) / len(p) + p.shape[0] * p.mean() + p.size


@case(S)
def nonzero_indices(s):
    i = np.nonzero(s > 0)[0]
    (j,) = np.where(s < 0)
    t = np.zeros(8)
    t[i] = s[i] ** 2
    t[j] -= s[j]
    return np.sum(t) + s[i[0]] * s[j[-1]] + len(i)


@case(A)
def where_pairs(a):
    rows, cols = np.where(a > 0.5)
    s = 0.0
    for r, c in zip(rows, cols):
        s += a[r, c] ** 2
    return s + np.sum(a[rows, cols])


@case(A)
def argwhere_pairs(a):
    s = 0.0
    for r, c in np.argwhere(a < -0.5):
        s += a[r, c] * a[r, 0]
    for k in np.flatnonzero(a > 1.0):
        s += a.flat[k]
    return s


@case(S)
def unique_groups(s):
    labels = np.array([2, 0, 2, 1, 1, 0, 2, 5])
    total = 0.0
    for g in np.unique(labels):
        member = s[labels == g]
        total += member.var() + member.mean() ** 2
    u, inverse, counts = np.unique(labels, return_inverse=True, return_counts=True)
    sums = np.zeros(len(u))
    np.add.at(sums, inverse, s)
    return total + np.sum((sums / counts) ** 2)


@case(S)
def unique_of_traced(s):
    u = np.unique(np.r_[s, s[:3]])
    return np.sum(u * np.arange(len(u)))


@case(S)
def compressed(s):
    c = np.compress(s > 0, s)
    e = np.extract(s < 0, s * s)
    d = np.delete(s, [1, 3])
    t = np.trim_zeros(np.where(s > 0.5, s, 0.0))
    return c.sum() * e.sum() + np.sum(d**2) + np.sum(t)


@case(S)
def sizes_drive_a_loop(s):
    k = int(np.count_nonzero(s > 0))
    total = 0.0
    for i in range(k):
        total += s[i] * (k - i)
    return total / max(k, 1)


# ---- making arrays --------------------------------------------------------------------------
@case(X)
def arrays_of_traced(x):
    a = np.array([x[0], x[1] * x[2], 1.0])
    b = np.asarray([[x[0], 0], [0, x[1]]])
    c = np.array([x, x**2]).T
    d = np.array((x[:2], [1, 2]), dtype=float)
    e = np.asarray([v * v for v in x])
    return np.sum(a) + np.linalg.det(b) + np.sum(c[:, 0] * c[:, 1]) + np.sum(d**2) + e @ x


@case(X)
def casts(x):
    f = x.astype(np.float32).astype(float)
    i = (x * 10).astype(int)
    b = x.astype(bool)
    c = x.astype(complex)
    d = x.astype("f8", copy=False)
    return np.sum(f * 2.0) * 0.0 + np.sum(i) * x[0] + b.sum() + np.sum((c * 1j * d).imag)


@case(X)
def stacks(x):
    return (
        np.sum(np.stack([x, x**2], axis=1)[2:])
        + np.sum(np.vstack([x, np.ones(6)]) ** 2)
        + np.sum(np.hstack([x[:2], x[3:], 1.0]))
        + np.sum(np.dstack([x, x])[0, 1])
        + np.sum(np.column_stack([x, np.arange(6)])[:, 0] * 2)
        + np.block([[x[:2, None], x[2:4, None]], [x[4:6, None], np.ones((2, 1))]]).prod()
        + np.append(x, [x[0] * 3]).sum()
        + np.insert(x, 1, x[0] ** 2).sum()
        + np.tile(x, (2, 1)).sum()
        + np.repeat(x, 2)[3]
        + np.pad(x, 1, mode="edge").sum()
    )
