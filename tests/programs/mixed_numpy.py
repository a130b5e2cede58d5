"""NumPy as people write it, several constructs in each program: views held by objects, chained and
overlapping stores, masks, iterators, functions that call back."""

from __future__ import annotations

import math

import numpy as np
from numpy.lib.stride_tricks import as_strided

CASES = []


def case(*args):
    def reg(f):
        CASES.append((f, args))
        return f

    return reg


X = np.array([0.7, -1.2, 2.1, 0.4, 1.3, -0.8])
Y = np.array([1.5, 0.3, -0.6, 0.9, 0.2, 0.1])
A = np.array([[2.0, 0.3, -0.4], [0.1, 1.5, 0.2], [-0.3, 0.4, 1.1]])
B = np.arange(12.0).reshape(3, 4) / 7 + 0.1
X = np.array([0.7, -1.2, 2.1, 0.4, 1.3, -0.8])
Y = np.array([1.5, 0.3, -0.6, 0.9, 0.2, 0.1])
A = np.array([[2.0, 0.3, -0.4], [0.1, 1.5, 0.2], [-0.3, 0.4, 1.1]])
B = np.arange(12.0).reshape(3, 4) / 7 + 0.1
X = np.array([0.7, -1.2, 2.1, 0.4, 1.3, -0.8])
Y = np.array([1.5, 0.3, -0.6, 0.9, 0.2, 0.1])
A = np.array([[2.0, 0.3, -0.4], [0.1, 1.5, 0.2], [-0.3, 0.4, 1.1]])
B = np.arange(12.0).reshape(3, 4) / 7 + 0.1
X = np.array([0.7, -1.2, 2.1, 0.4, 1.3, -0.8])
Y = np.array([1.5, 0.3, -0.6, 0.9, 0.2, 0.1])
A = np.array([[2.0, 0.3, -0.4], [0.1, 1.5, 0.2], [-0.3, 0.4, 1.1]])
B = np.arange(12.0).reshape(3, 4) / 7 + 0.1


class Field:
    def __init__(self, n, m):
        self.u = np.zeros((n, m))
        self.views = {"top": self.u[0], "left": self.u[:, 0], "core": self.u[1:-1, 1:-1]}

    def load(self, a):
        self.u[...] = a
        for k, v in self.views.items():
            if k == "core":
                v *= 2
            else:
                v += 0.1
        return self

    def step(self, dt):
        c = self.views["core"]
        u = self.u
        c[...] += dt * (u[2:, 1:-1] + u[:-2, 1:-1] - 2 * c)
        self.views["left"][::-1][1:] = c[:, 0].sum()
        return self


@case(B, 0.1)
def views_in_a_dict_of_an_object(b, dt):
    f = Field(3, 4).load(b)
    for k in range(3):
        f.step(dt)
        if f.u[1, 1] > 1.0:
            f.views["top"][k] = f.u[1, 1] ** 2
        f.u[:, k][f.u[:, k] > 2.0] *= 0.5
    return np.sum(f.u * b) + f.views["core"].sum()


@case(B)
def chained_stores_in_loops(b):
    B = b.copy()
    C = [b.copy(), np.ones((3, 4))]
    D = {"m": np.zeros((2, 2, 2))}
    for i in range(3):
        for j in range(4):
            C[i % 2][i][j] = B[i][j] ** 2
            D["m"][i % 2][j % 2][...] += B[i][j]
            B[i][1:][::2][0] -= 0.1 * C[0][i][j]
            if j > i:
                B[i, j] = B[j % 3, i] = C[1][i, j]
    return np.sum(B * C[0]) + np.sum(D["m"] ** 2) + C[1].sum()


@case(X, Y)
def overlapping_everything(x, y):
    u = x.copy()
    u[1:] = u[:-1]
    u[::2] += u[1::2]
    u[:-1] -= 0.5 * u[1:]
    u[2:] *= u[:-2]
    u[::-1][:3] = u[:3]
    v = u[1:5]
    v[1:] += v[:-1]
    w = v[::-1]
    w[:2] = v[:2] * y[:2]
    np.add(u[1:], u[:-1], out=u[:-1])
    np.multiply(v, w, out=v)
    u[1:5] = np.roll(u, 1)[1:5]
    return np.sum(u * y) + w[0]


@case(X, Y)
def mask_writes_mixed(x, y):
    u = np.outer(x, y)
    m = u > 0.2
    u[m] = np.sqrt(u[m])
    u[~m & (u < -0.5)] *= 2.0
    u[x > 0, 1:3] = y[1:3]
    u[x > 0][:, 0] = 99.0
    r = x[x > 0]
    u[x > 0, -1] += r
    k = np.flatnonzero(y > 0.25)
    u[k] -= 0.1
    u[k[:, None], [0, 2]] *= y[k][:, None]
    u[np.ix_(x > 0, y > 0)] += 1.0
    i, j = np.nonzero(u > 1.0)
    u[i, j] = np.log(u[i, j])
    return np.sum(u) + np.sum(np.where(m, u, x[:, None]))


@case(X, Y)
def repeated_indices(x, y):
    idx = np.array([0, 2, 2, 5, 0])
    u = x.copy()
    v = x.copy()
    w = np.zeros(3)
    u[idx] += y[idx]
    np.add.at(v, idx, y[:5])
    np.multiply.at(v, [1, 1], 2.0)
    np.maximum.at(w, idx % 3, x[idx])
    np.subtract.at(v, (idx,), 1.0)
    u[idx] = y[:5] ** 2
    u[[1, 1]] *= 3.0
    for i in idx:
        w[i % 3] += u[i] * v[i]
    np.add.at(w, slice(None), v[:3])
    np.add.at(w, np.array([True, False, True]), x[0])
    return np.sum(u * v) + np.prod(w)


@case(B)
def iterators(b):
    out = np.zeros_like(b)
    t = 0.0
    for idx, v in np.ndenumerate(b):
        out[idx] = v * idx[0] if v > 0.5 else -v
    for i, j in np.ndindex(2, 3):
        t += out[i, j] * b[j % 3, i]
    with np.nditer([b, out], op_flags=[["readonly"], ["readwrite"]]) as it:
        for p, q in it:
            q[...] = q * p + 0.1
    it = np.nditer(b, flags=["multi_index"])
    while not it.finished:
        if it.multi_index[0] == it.multi_index[1]:
            t += it[0] ** 2
        it.iternext()
    for v in b.flat:
        t += math.sin(v)
    for p, q in np.nditer([b, b.T.copy().T]):
        t += p * q
    for k in np.ndindex(b.shape):
        out[k] *= 2
    o2 = out.flat
    o2[3] = t
    o2[1::4] = 0.5
    return np.sum(out**2) + t


@case(B, X)
def vectorize_and_axes(b, x):
    @np.vectorize
    def f(a, c=0.5):
        return a * c if a > 0.7 else math.exp(-a)

    g = np.vectorize(lambda r, s: r @ s, signature="(n),(n)->()")
    h = np.vectorize(pow, excluded=[1])
    s = f(b) + f(b, c=x[:4])
    t = g(b, x[:4])
    u = np.apply_along_axis(lambda r, k: np.cumsum(r)[-k:] * r[0], 1, b, 2)
    v = np.apply_over_axes(np.sum, b, [0, 1])
    w = np.piecewise(x, [x < 0, x > 1], [lambda z: -z, lambda z: z**2, 0.3])
    y = np.fromiter((z * z for z in x if z > 0), float)
    return s.sum() + t.sum() + u.sum() + v.item() + w.sum() + y.sum() + h(b, 2).sum()


@case(X, Y)
def index_tricks(x, y):
    r = np.r_[x[:2], 0.5, y[::-2], 1:3, [x[0]] * 2]
    c = np.c_[x, y, x * y]
    m = np.r_["1,2,0", x, y]
    s = np.s_[1:-1:2]
    e = np.s_[..., 0]
    g = np.mgrid[0:2, 0:3]
    p, q = np.ogrid[0:1:3j, 0:2]
    total = np.sum(r**2) + np.sum(c[e]) + np.sum(c[s]) * np.sum(m[s])
    for k, t in enumerate((s, e, np.index_exp[::-1])):
        if c[t].sum() > 0.5 * k:
            c[t] *= 0.5
    xx, yy = np.meshgrid(x[:2], y[:3], indexing="ij")
    return total + np.sum(g[0] * xx * yy) + np.sum(p * x[:3, None] * q) + np.sum(c)


@case(X, Y)
def data_shapes(x, y):
    p = x[x > 0]
    q = np.unique(np.round(y, 1))
    n, inv, cnt = np.unique(y > 0.255, return_inverse=True, return_counts=True)
    a = np.argwhere(np.outer(x, y) > 0.3)
    t = 0.0
    for i, j in a:
        t += x[i] * y[j]
    if p.size > 2:
        p = p[:-1] * p[1:]
    elif not len(p):
        return 0.0
    groups = [x[inv == k] for k in range(2)]
    c = np.concatenate([g * cnt[k] for k, g in enumerate(groups)])
    d = np.delete(x, np.flatnonzero(x < 0))
    e = np.insert(d, 1, y[0])
    f = np.append(e, p)
    return (
        t
        + p.sum()
        + q.sum()
        + c @ y
        + np.sum(f**2)
        + np.sum(np.compress(x > 0, y))
        + np.sum(np.extract(y > 0.25, x))
    )


@case(X, Y)
def helper_buffers(x, y):
    def fill(buf, v, at):
        buf[at] = v
        return buf

    buf = np.zeros(6)
    scratch = [np.zeros(6)] * 2
    box = {"b": buf}

    def close():
        buf[-1] = x[0] * scratch[0][1]

    for i in range(5):
        r = fill(box["b"], x[i] * y[i], i)
        scratch[1][i] += r[i]
        if i == 3:
            box["b"] = fill(buf.copy(), 0.5, 0)
    close()

    class W:
        data = np.zeros(6)

        def __init__(self):
            self.d = buf

        def put(self, v):
            self.d[1:3] += v

    w = W()
    w.put(y[2:4])
    w2 = W()
    w2.d = scratch[0]
    w2.put(1.0)
    return np.sum(buf * y) + np.sum(box["b"]) + np.sum(scratch[1] ** 2)


@case(X, Y)
def out_everywhere(x, y):
    out = np.empty_like(x)
    t = np.empty((6, 6))
    b = np.zeros(6, bool)
    np.multiply(x, y, out)
    np.add(out, x, out=out, where=x > 0)
    np.outer(x, y, out=t)
    np.dot(t, x, out=out)
    np.sin(t[0], out=t[1])
    np.cumsum(t, axis=1, out=t)
    np.greater(x, 0, out=b)
    np.copyto(out, y, where=b)
    np.clip(out, -0.5, 0.5, out=out)
    t.sum(axis=0, out=t[2])
    np.matmul(t, t.T, out=t)
    x.mean(out=t[3, :1].reshape(()))
    np.exp(out[::2], out=out[1::2])
    np.take(x, [0, 1, 2, 3, 4, 5], out=t[4])
    np.concatenate([x[:3], y[:3]], out=t[5])
    np.where(b, out, 0.1)
    return np.sum(out * x) + np.sum(np.tanh(t))


def solver(x, out=None, tmp=None):
    if out is None:
        out = np.zeros_like(x)
    tmp = np.empty_like(x) if tmp is None else tmp
    np.multiply(x, 2.0, out=tmp)
    out += tmp
    tmp[0] = out[-1]
    return out


@case(X, np.zeros(6))
def own_out(x, out):
    solver(x[::-1], out=out[:])
    for _ in range(2):
        solver(out, out)
    r = solver(x, out, tmp=out)
    return np.sum(r * x) + out[0]


@case(B)
def shape_assign_strides(b):
    u = b.copy()
    u.shape = (4, 3)
    v = np.ndarray((2, 3))
    v[:] = u[:2]
    v.fill(0.5)
    v.flat[::2] = u[3, 0]
    w = np.lib.stride_tricks.sliding_window_view(b.ravel(), 4)[::2]
    z = as_strided(b.copy(), shape=(2, 3), strides=(32, 8))
    u.T[0] *= 2
    u = np.resize(u, (3, 4))
    s = u.ravel()[::-1].reshape(2, 6)
    s = s.T.copy()
    t = np.asfortranarray(s)
    q = np.split(t, 3, axis=0)
    q[1][...] = 0.1
    [p.__imul__(2.0) for p in np.array_split(t, 2)]
    np.put(u, [0, -1], [9.0, 8.0])
    np.place(u, u < 0.3, [1.0, 2.0])
    np.putmask(u, u > 1.5, b)
    np.fill_diagonal(u[:, :3], b[0])
    u.sort(axis=1)
    u[[0, 2]] = u[[2, 0]]
    u[:, 0], u[:, 1] = u[:, 1].copy(), u[:, 0].copy()
    return np.sum(u * b) + np.sum(w.mean(1)) + z.sum() + np.sum(t**2) + v.sum()


@case(X, Y)
def argument_aliases(x, y):
    def axpy(a, p, q):
        q += a * p
        return q

    u = x.copy()
    axpy(0.5, u, u)
    axpy(y[0], u[1:], u[:-1])
    v = u
    w = u[::2]
    z = axpy(2.0, w, v[1::2])
    v = axpy(1.0, z.copy(), w)
    return np.sum(u * y) + v[0]


@case(X[1:])
def vec_float_first(x):
    f = np.vectorize(lambda v: v * 2.5 if v < 0.5 else 1)
    return f(x).sum() + x[0]


@case(X, Y)
def vec_two(x, y):
    @np.vectorize
    def f(a, b):
        return a * b, a + b

    p, q = f(x, y)
    return np.sum(p * q)


@case(X, Y)
def vec_otypes(x, y):
    f = np.vectorize(lambda a, b=2.0: a * b if a > 0 else 0, otypes=[float])
    return np.sum(f(x) * f(x, y) * f(x, b=y))


@case(B, X)
def vec_signature(b, x):
    g = np.vectorize(lambda r, s: r @ s, signature="(n),(n)->()")
    h = np.vectorize(lambda r: r * r[0], signature="(n)->(n)")
    k = np.vectorize(lambda m, v: m @ v, signature="(p,n),(n)->(p)")
    return (
        np.sum(g(b, x[:4]) * h(b)[:, 0])
        + k(b, x[:4]).sum()
        + k(np.stack([b, 2 * b]), x[:4])[1].sum()
    )


@case(B)
def vec_excluded(b):
    h = np.vectorize(lambda u, c, k: u**c * k[0], excluded=[1, "k"])
    return h(b, 2, k=[0.3, 5.0]).sum()


class Curve:
    def __init__(self, c):
        self.c = c
        self.veval = np.vectorize(self.eval, otypes=[np.float64])

    def eval(self, t):
        r = 0.0
        for c in self.c[::-1]:
            r = r * t + c
        return r

    @np.vectorize
    def cut(t):
        return max(t, 0.25)


@case(X, Y)
def vec_method(x, y):
    c = Curve(x[:3])
    s = 0.0
    for k in range(2):
        s += np.sum(c.veval(y + k)) if k < 1 else c.veval(y[k]).item()
    return s + Curve.cut(y).sum() + np.vectorize(math.exp)(y).sum()


@case(X)
def vec_scalar(x):
    f = np.vectorize(lambda v: v if v > 0 else -v)
    return f(x[0]) * f(2.5) + f(x.reshape(2, 3)).T[0].sum() + f([x[0], x[1]]).sum()


@case(B)
def along_all(b):
    c = np.stack([b, b**2])
    n = 0

    def f(r, k):
        nonlocal n
        n += 1
        return r[::k] * r.sum() if k > 1 else r @ r

    a = np.apply_along_axis(f, 1, b, 2)
    d = np.apply_along_axis(f, 0, b, 1)
    e = np.apply_along_axis(f, 1, c, 2)
    g = np.apply_along_axis(f, 0, c, k=1)
    h = np.apply_along_axis(np.outer, 2, c, [1.0, 2.0])
    return (
        a.sum()
        + (d * b[0]).sum()
        + (e[:, 0] * b[:2]).sum()
        + g[0, 1]
        + n
        + (h[:, :, :, 0] * c).sum()
        + np.apply_along_axis(lambda r: [r[0], r[-1] ** 2], -1, b)[:, 1].sum()
        + np.apply_along_axis(np.median, 1, b).sum()
        + np.apply_along_axis(sorted, 0, b)[0].sum()
    )


@case(B)
def nditer_order(b):
    t = 0.1
    for v in np.nditer(b.T):
        t = t * 0.9 + v * t
    for v in np.nditer(b[::-1]):
        t = t * 0.9 + v * v
    for v in b.T.flat:
        t = t * 0.8 + v * v
    for v in np.nditer(b.T, order="C"):
        t = t * 0.8 + v * v
    for p, q in np.nditer([b.T, b.T * 2]):
        t = t * 0.9 + p * q * t
    return t


@case(X[:3], B)
def nditer_of_known_length(x, b):
    t = 0.1
    for v, k in np.nditer([x, np.arange(3)]):
        t = t * 0.9 + v * k
    for chunk in np.nditer(x, flags=["external_loop"]):
        t = t * 0.9 + np.sum(chunk**2)
    for p, q in np.nditer([b, 2.0 * b], flags=["external_loop"]):
        t = t * 0.9 + np.sum(p * q)
    for u, v in np.nditer([x, np.ones((2, 3))]):
        t = t * 0.9 + u * v
    return t


@case(B, X)
def places_counted_in_c_order(b, x):
    u = b.copy()
    np.put(u, [0, -1, 5], [x[0], x[1] ** 2, 3.0])
    np.put(u.T, [1, 2], x[:4] * x[1])
    u.put([40, -3], x[2], mode="wrap")
    np.put(u, [99, 3], [x[3]], mode="clip")
    v = u[::2]
    np.put(v, [[0, 1], [2, 5]], x)
    w = b.T.copy()
    w.T.put([3, 1], [7.0, x[0]])
    np.put(x, [], []) if len(x) > 100 else None
    return np.sum(u * b) + np.sum(w**2) + v[1, 1]


@case(B, X)
def values_repeated(b, x):
    u = b.copy()
    np.putmask(u, u > 0.5, x[:3, None])
    np.putmask(u, u < 0.3, [1.0, x[0]])
    np.putmask(u.T, b.T > 1.0, x)
    np.place(u, u > 1.2, x[:2])
    np.place(u[:, ::2], u[:, ::2] < 0.8, [x[0], x[1], x[2] ** 2])
    return np.sum(u * b)


@case(B, X)
def diagonals(b, x):
    u = np.zeros((5, 2))
    np.fill_diagonal(u, x[0], wrap=True)
    t = np.zeros((3, 3, 3))
    np.fill_diagonal(t, x[1] * x[2])
    v = b.copy()
    np.fill_diagonal(v, x[:3] ** 2)
    np.fill_diagonal(v[:, 1:], x)
    w = np.zeros((4, 4))
    np.fill_diagonal(w, x[:2])
    np.fill_diagonal(np.fliplr(w), x[0] * x[1])
    w[np.diag_indices(3)] += x[:3]
    w[np.triu_indices(4, 1)] = np.arange(6) * x
    w[np.tril_indices_from(w, -2)] *= x[1]
    return np.sum(u * u) + np.sum(t * t) + np.sum(v * b) + np.sum(w**2) + np.trace(w @ w)
