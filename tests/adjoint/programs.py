"""Programs built by hand: each returns (graph with one scalar result, arguments, inputs to
differentiate)."""

from __future__ import annotations

import operator

import numpy as np
from build import Make, flt, integer, mat, vec

from srcgrad.types.dims import symbol
from srcgrad.types.kinds import FLOAT, Aval, Kind, array, list_of, scalar

NUMBER = Aval(Kind.NUMBER, np.dtype(float))
PROGRAMS = {}


def program(f):
    PROGRAMS[f.__name__] = f
    return f


def rng():
    return np.random.default_rng(7)


@program
def polynomial():
    g = Make()
    x, y = flt(g, "x"), flt(g, "y")
    z = x * x * y + x / y - 3.0 * x**3 + x * x
    return g.graph(z), [1.3, 0.7], [0, 1]


@program
def broadcast():
    g = Make()
    a, b, s = mat(g, "A", ("n", "m")), vec(g, "b", "m"), flt(g)
    c = g.input(array(float, (symbol("n"), 1)), "c")
    out = np.sum(np.tanh(a * b + c) * s) + np.mean(a * a) + np.sum(a @ b)
    r = rng()
    args = [r.normal(size=(4, 3)), r.normal(size=3), 0.7, r.normal(size=(4, 1))]
    return g.graph(out), args, [0, 1, 2, 3]


@program
def mlp():
    g = Make()
    w1, b1 = mat(g, "W1", ("d", "k")), vec(g, "b1", "k")
    w2, b2 = mat(g, "W2", ("k", "m")), vec(g, "b2", "m")
    x, y = mat(g, "X", ("n", "d")), mat(g, "y", ("n", "m"))
    h = np.tanh(x @ w1 + b1)
    err = h @ w2 + b2 - y
    r = rng()
    args = [r.normal(size=s) for s in ((3, 5), (5,), (5, 2), (2,), (6, 3), (6, 2))]
    return g.graph(np.mean(err**2)), args, [0, 1, 2, 3]


@program
def slices():
    g = Make()
    x, n = vec(g), integer(g, "k")
    y = x[1:] * x[:-1]
    z = np.sum(y[::2]) + x[0] * x[-1] + x[n] ** 2 + np.sum(x[[0, 2, 0]] ** 3)
    z = z + np.sum(x[::-1] * x * x) + np.sum(x[x > 0.0] * 2.0)
    return g.graph(z), [rng().normal(size=7), 3], [0]


@program
def writes():
    g = Make()
    x, y = vec(g), vec(g, "y")
    u = g.apply_fn(np.copy, x, hint="u")
    u = g.write(u, slice(1, 3), y[1:3] * u[0])
    u = g.write(u, 0, x[1] * x[2])
    v = u * u
    u = g.acc(u, slice(None, None, 2), v[::2] * 2.0)
    u = g.write(u, [3, 1, 3], y[:3] * y[:3])
    u = g.update(u, slice(2, None), operator.imul, y[2:])
    u = g.update(u, slice(0, 4), operator.itruediv, 2.0 + y[:4] * y[:4])
    u = g.update(u, slice(0, 4), operator.isub, x[:4])
    u = g.update(u, Ellipsis, operator.ipow, 2)
    u = g.write(u, (slice(4, None),), x[0] * y[0])
    r = rng()
    return g.graph(np.sum(u * v) + u[4]), [r.normal(size=6), r.normal(size=6)], [0, 1]


@program
def whole_write():
    g = Make()
    x = vec(g)
    u = g.apply_fn(np.zeros_like, x)
    u = g.write(u, Ellipsis, x * x)
    u = g.write(u, slice(None), u * x)
    return g.graph(np.sum(u)), [rng().normal(size=4)], [0]


@program
def heat():
    g = Make()
    u0, alpha, steps = vec(g, "u0"), flt(g, "alpha"), integer(g)
    u = g.apply_fn(np.copy, u0, hint="u")

    def body(i, u, cost):
        lap = u[2:] - 2.0 * u[1:-1] + u[:-2]
        u = g.update(u, slice(1, -1), operator.iadd, alpha * lap)
        return u, cost + np.sum(u * u)

    u, cost, _ = g.for_(steps, [u, 0.0], body, avals=[u.aval, NUMBER])
    return g.graph(cost), [rng().normal(size=6), 0.3, 4], [0, 1]


@program
def recurrence():
    g = Make()
    a, b = vec(g, "a"), vec(g, "b")
    y = g.apply_fn(np.zeros_like, a, hint="y")
    n = a.shape[0]
    y = g.write(y, 0, b[0])

    def body(i, y):
        return [g.write(y, i, a[i] * y[i - 1] + b[i])]

    y, _ = g.for_((1, n, 1), [y], body)
    r = rng()
    return g.graph(np.sum(y * y)), [r.normal(size=6), r.normal(size=6)], [0, 1]


@program
def cholesky():
    g = Make()
    a = mat(g)
    n = a.shape[0]
    low = g.apply_fn(np.zeros_like, a, hint="L")

    def outer(i, low):
        def inner(j, low):
            s = a[i, j] - np.dot(low[i, :j], low[j, :j])
            return [g.write(low, (i, j), s / low[j, j])]

        low, _ = g.for_(i, [low], inner)
        d = a[i, i] - np.dot(low[i, :i], low[i, :i])
        return [g.write(low, (i, i), np.sqrt(d))]

    low, _ = g.for_(n, [low], outer)
    m = rng().normal(size=(4, 4))
    return g.graph(np.sum(low * np.cos(low))), [m @ m.T + 4 * np.eye(4)], [0]


@program
def swap():
    g = Make()
    u0, f, sweeps = vec(g, "u"), vec(g, "f"), integer(g, "sweeps")
    un0 = g.apply_fn(np.copy, u0, hint="un")

    def body(i, u, un):
        un = g.write(un, slice(1, -1), 0.5 * (u[2:] * u[:-2] - f[1:-1]))
        return un, u

    u, un, _ = g.for_(sweeps, [u0, un0], body)
    r = rng()
    return g.graph(np.sum(u * u) + un[1]), [r.normal(size=6), r.normal(size=6), 3], [0, 1]


@program
def robust_near():
    return _robust(5.0)


@program
def robust_far():
    return _robust(0.05)


def _robust(scale):
    g = Make()
    x, s = vec(g), flt(g, "scale")
    r0 = np.sqrt(np.sum(x * x))

    def far():
        r, _ = g.while_(lambda r: r > 10.0 * s, [r0], lambda r: [0.5 * r * np.cos(0.1 * r)],
                        avals=[NUMBER])
        return [s * (r - 0.5 * s)]

    (out,) = g.if_(r0 < s, lambda: [0.5 * r0 * r0], far)
    return g.graph(out), [rng().normal(size=5), scale], [0, 1]


@program
def no_iterations():
    g = Make()
    x, n = vec(g), integer(g, "n")
    y, s, _ = g.for_(n, [x, 1.0], lambda i, y, s: [y * y, s * y[0]], avals=[x.aval, NUMBER])
    return g.graph(np.sum(y) * s), [rng().normal(size=3), 0], [0]


@program
def list_fill():
    g = Make()
    x, n = vec(g), integer(g, "n")
    lst = g.list(x.aval)

    def body(i, y, lst):
        y = np.sin(y) * x
        return y, g.append(lst, y)

    y, lst, _ = g.for_(n, [x, lst], body)
    total, _ = g.for_(g.len(lst), [0.0], lambda i, t: [t + np.sum(g.get(lst, i) ** 2) * i],
                      avals=[NUMBER])
    out = np.sum(np.stack([g.get(lst, 0), g.get(lst, -1)]) ** 3)
    return g.graph(total + out), [rng().normal(size=3), 4], [0]


@program
def list_methods():
    g = Make()
    x, y = flt(g, "x"), flt(g, "y")
    lst = g.list(FLOAT, x * y, y, x * x)
    lst, e = g.pop(lst, 1)
    lst = g.append(lst, e * x)
    lst = g.insert(lst, 1, x * x * y)
    lst = g.insert(lst, -1, y * y)
    lst = g.put(lst, 0, g.get(lst, -1) * g.get(lst, 2))
    lst, last = g.pop(lst)
    lst, back = g.pop(lst, -2)
    out = last * back + g.get(lst, 0) * g.get(lst, 1) + g.get(lst, 0)
    return g.graph(out), [1.2, 0.7], [0, 1]


@program
def list_stack():
    """A stack: pushes, then pops, in loops."""
    g = Make()
    x, n = vec(g), integer(g, "n")

    def push(i, lst, y):
        y = np.tanh(y * x)
        return g.append(lst, y), y

    lst, y, _ = g.for_(n, [g.list(x.aval), x], push)

    def drain(lst, t):
        lst, e = g.pop(lst)
        return lst, t * e + e

    lst, t, _ = g.while_(lambda lst, t: g.len(lst) > 0, [lst, y], drain)
    return g.graph(np.sum(t)), [rng().normal(size=3), 4], [0]


@program
def triangular():
    g = Make()
    x = vec(g)
    n = x.shape[0]

    def outer(i, s):
        def inner(j, t):
            return [t * 0.5 + x[i] * x[j] * np.sin(t)]

        t, _ = g.for_(i, [s], inner, avals=[NUMBER])
        return [t + x[i]]

    s, _ = g.for_(n, [x[0]], outer, avals=[NUMBER])
    return g.graph(s * s), [rng().normal(size=5)], [0]


@program
def varying_slices():
    """Shapes that depend on the loop index: nothing can be stacked."""
    g = Make()
    x = vec(g)
    n = x.shape[0]

    def body(i, s):
        part = x[:i] * s
        q = np.tanh(part)
        return [s + np.sum(q * q)]

    s, _ = g.for_((1, n, 1), [x[0]], body, avals=[NUMBER])
    return g.graph(s), [rng().normal(size=5)], [0]


@program
def branches_in_loop():
    g = Make()
    x, w = vec(g), flt(g, "w")
    n = x.shape[0]

    def body(i, s, u):
        def odd():
            u2 = g.update(u, i, operator.imul, s * w)
            return [s * x[i], u2]

        def even():
            (t,) = g.if_(x[i] > 0.0, lambda: [np.sin(s) + x[i]], lambda: [s - u[i] * w])
            return [t, u]

        s, u = g.if_(i % 2 == 0, odd, even)
        return s, u

    u0 = g.apply_fn(np.copy, x, hint="u")
    s, u, _ = g.for_(n, [w, u0], body, avals=[NUMBER, u0.aval])
    return g.graph(s * s + np.sum(u * u)), [rng().normal(size=6), 0.8], [0, 1]


@program
def conditional_write():
    """T1: both arms leave a version of the same home behind."""
    g = Make()
    x = vec(g)
    u = g.apply_fn(np.copy, x)
    (u,) = g.if_(x[0] > 0.0, lambda: [g.update(u, slice(1, None), operator.imul, 2.0)], lambda: [u])
    return g.graph(np.sum(u * x)), [np.abs(rng().normal(size=4))], [0]


@program
def untaken_arm():
    g = Make()
    x = flt(g, "x")
    (y,) = g.if_(x > 0.0, lambda: [np.log(x)], lambda: [1.0 / (x - x)])
    return g.graph(y * x), [0.7], [0]


@program
def early_exit():
    """``break`` as data: the jump number ends the loop; the rest of the body is an arm."""
    g = Make()
    x, tol, n = vec(g), flt(g, "tol"), integer(g, "n")

    def body(i, y, s):
        y = np.cos(y) * x
        d = np.sum(y * y)
        stop = d < tol

        def leave():
            return [1, y, s]

        def go_on():
            return [0, y * 1.1, s + d]

        return g.if_(stop, leave, go_on)

    jump, y, s, trips = g.for_(n, [x, 0.0], body, exits=True, avals=[x.aval, NUMBER])
    return g.graph(np.sum(y) * s), [0.5 * rng().normal(size=3), 0.4, 10], [0]


@program
def exit_with_step():
    g = Make()
    x, n = vec(g), integer(g, "n")

    def body(i, s):
        s = s * x[i] + np.sin(s)
        (jump,) = g.if_(i > 3, lambda: [1], lambda: [0])
        return jump, s

    jump, s, trips = g.for_((1, n, 2), [x[0]], body, exits=True, avals=[NUMBER])
    return g.graph(s * s), [rng().normal(size=9), 9], [0]


@program
def last_values():
    g = Make()
    x, n = vec(g), integer(g, "n")

    def body(i, s):
        lap = x[1:] * s
        return [s + np.sum(lap), lap]

    s, lap, _ = g.for_(n, [x[0]], body, n_last=1, avals=[NUMBER])
    return g.graph(s + np.sum(lap * lap)), [rng().normal(size=3), 3], [0]


@program
def sequences():
    """A produced sequence, consumed by another loop, both forms."""
    g = Make()
    x, n = vec(g), integer(g, "n")
    y, stacked, listed, _ = g.for_(n, [x], lambda i, y: [np.sin(y), y * x, y[0] * y],
                                   n_produced=2, stacked=(True, False))
    s, _ = g.for_(n, [x[0]], lambda i, s, a, b: [s * 0.3 + np.sum(a * b)],
                  consumed=[stacked, listed], avals=[NUMBER])
    t, _ = g.for_(n, [x[0]], lambda i, t, b: [t * np.sum(b)], consumed=[listed], avals=[NUMBER],
                  reverse=True)
    return g.graph(s * t), [rng().normal(size=3), 3], [0]


@program
def nested_while():
    g = Make()
    x, n = vec(g), integer(g, "n")

    def outer(i, y):
        def inner(r, k):
            return [r * 0.5 + 0.1 * np.sin(r), k + 1]

        r, k, _ = g.while_(lambda r, k: np.sum(r * r) > 1.0, [y * 3.0, 0], inner)
        return [y * r + x]

    y, _ = g.for_(n, [x], outer)
    return g.graph(np.sum(y * y)), [rng().normal(size=3), 3], [0]


@program
def three_deep():
    g = Make()
    x, n = vec(g), integer(g, "n")

    def one(i, s):
        def two(j, s):
            def three(k, s):
                (s,) = g.if_(s > 0.0, lambda: [np.sin(s * x[k]) + 0.2], lambda: [s * s + x[k]])
                return [s]

            s, _ = g.for_(x.shape[0], [s], three, avals=[NUMBER])
            return [s * x[j]]

        s, _ = g.for_(i + 1, [s], two, avals=[NUMBER])
        return [s + 0.1]

    s, _ = g.for_(n, [x[0]], one, avals=[NUMBER])
    return g.graph(s * s), [rng().normal(size=3), 3], [0]


@program
def rnn():
    g = Make()
    w, b, x = mat(g, "W", ("k", "k")), vec(g, "b", "k"), mat(g, "X", ("t", "k"))

    def body(i, h):
        return [np.tanh(w @ h + x[i] + b)]

    h, _ = g.for_(x.shape[0], [b], body)
    r = rng()
    args = [0.5 * r.normal(size=(3, 3)), r.normal(size=3), r.normal(size=(4, 3))]
    return g.graph(np.sum(h * h)), args, [0, 1, 2]


@program
def views():
    """Transposed, reshaped, diagonal and imaginary parts."""
    g = Make()
    from srcgrad.graph.ir import Index, Through
    from srcgrad.types.kinds import array as arr

    a = mat(g, "A", ("n", "n"))
    base = g.val(g.apply_fn(np.copy, a))
    n = symbol("n")
    row = g.tape.read(base, (Through(np.transpose), Index(1)), arr(float, (n,)))
    flat = g.tape.read(base, (Through(np.reshape, (-1,)), Index(slice(1, 4))), arr(float, (3,)))
    diag = g.tape.read(base, (Through(np.diagonal),), arr(float, (n,)))
    u = g.tape.store("write", base, g.val(g.sym(row) * 2.0), (Through(np.transpose), Index(0)))
    u = g.tape.store("write", u, g.val(g.sym(flat) ** 2),
                     (Through(np.reshape, (-1,)), Index(slice(2, 5))))
    u = g.tape.store("update", u, g.val(a[0, 0]), (Through(np.reshape, (-1,)), Index(slice(2, 7))),
                     fn=operator.imul)
    out = np.sum(g.sym(u) * a) + np.sum(g.sym(diag) ** 3)
    return g.graph(out), [rng().normal(size=(3, 3))], [0]


@program
def joined():
    g = Make()
    x, y = vec(g), vec(g, "y", "m")
    z = np.concatenate((x, y * y, x * 2.0))
    out = np.sum(z * z) + np.max(z) + np.sum(np.stack((x, x)) ** 3)
    out = out + np.sum(np.where(z > 0.0, z, z * z)) + np.sum(np.outer(x, y) @ y)
    r = rng()
    return g.graph(out), [r.normal(size=3), r.normal(size=4)], [0, 1]


@program
def float32():
    g = Make()
    x = g.input(array("f4", (symbol("n"),)), "x")
    s = g.input(scalar("f4"), "s")
    out = np.sum(np.exp(x) * s * 2.0)
    return g.graph(out), [rng().normal(size=3).astype("f4"), np.float32(0.5)], [0, 1]


@program
def unused():
    g = Make()
    x, y = vec(g), vec(g, "y")
    n = integer(g, "n")
    z, _ = g.for_(n, [y], lambda i, z: [z * y])
    return g.graph(np.sum(x * x)), [rng().normal(size=3), rng().normal(size=2), 2], [0, 1]


@program
def recurrent_products():
    """Weight gradients that are sums of outer products."""
    g = Make()
    w, u, x = mat(g, "W", ("k", "k")), mat(g, "U", ("k", "d")), mat(g, "X", ("t", "d"))

    def body(i, h, total):
        h = np.tanh(w @ h + u @ x[i])
        return [h, total + np.sum(h * h)]

    h, total, _ = g.for_(x.shape[0], [w[0] * 1.0, 0.0], body, avals=[w[0].aval, NUMBER])
    r = rng()
    args = [0.5 * r.normal(size=(3, 3)), r.normal(size=(3, 2)), r.normal(size=(4, 2))]
    return g.graph(total), args, [0, 1, 2]


@program
def lists_of_lists():
    """Elements that are lists: their cotangents are added element by element."""
    g = Make()
    x, y = flt(g, "x"), flt(g, "y")
    rows = g.list(list_of(FLOAT), g.list(FLOAT, x * y, y), g.list(FLOAT, x * x, y * y, x))
    first, second = g.get(rows, 0), g.get(rows, 1)
    again = g.get(rows, 1)
    out = g.get(first, 0) * g.get(second, 1) + g.get(again, 1) * g.get(second, 2)
    return g.graph(out * g.get(g.get(rows, 0), 1)), [1.2, 0.7], [0, 1]
